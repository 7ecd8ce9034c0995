/* SPDX-License-Identifier: MIT */
/* getaddrinfo, in a file of its own: static programs get a warning of the linker with it. */
#include "runtime/inputs.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>

/* The list that libc allocates is new; nobody else has seen it. */
static void give_addresses(const void *pc, struct addrinfo *list, struct addrinfo **to)
{
	for (struct addrinfo *a = list; a; a = a->ai_next) {
		norn_filled(pc, a, sizeof *a);
		norn_filled(pc, a->ai_addr, a->ai_addr ? a->ai_addrlen : 0);
		norn_filled(pc, a->ai_canonname, a->ai_canonname ? strlen(a->ai_canonname) + 1 : 0);
	}
	norn_put(pc, to, &list, sizeof list);
}

/* As it is kept: for each address this, the address, and the name with its NUL. */
struct kept {
	int32_t flags, family, type, protocol;
	uint32_t address, name;
};

static size_t size_of(const struct addrinfo *list)
{
	size_t n = 0;
	for (const struct addrinfo *a = list; a; a = a->ai_next)
		n += sizeof(struct kept) + a->ai_addrlen +
		     (a->ai_canonname ? strlen(a->ai_canonname) + 1 : 0);
	return n;
}

static void keep(int r, const struct addrinfo *list)
{
	struct norn_scratch all;
	size_t size = r ? 0 : size_of(list);
	norn_scratch_init(&all);
	if (!norn_scratch_grow(&all, size))
		return;
	char *at = all.data;
	for (const struct addrinfo *a = size ? list : NULL; a; a = a->ai_next) {
		struct kept k = {a->ai_flags,
				 a->ai_family,
				 a->ai_socktype,
				 a->ai_protocol,
				 a->ai_addrlen,
				 a->ai_canonname ? (uint32_t)strlen(a->ai_canonname) + 1 : 0};
		memcpy(at, &k, sizeof k);
		memcpy(at + sizeof k, a->ai_addr, k.address);
		if (k.name)
			memcpy(at + sizeof k + k.address, a->ai_canonname, k.name);
		at += sizeof k + k.address + k.name;
	}
	norn_input_keep(INPUT_LOOKUP, r, all.data, size);
	norn_scratch_release(&all);
}

/* As libc does it itself, so that it is no step of the program. */
void *__libc_calloc(size_t n, size_t size);

/* As freeaddrinfo of glibc expects it: an address lies behind what points to it. */
static struct addrinfo *given_one(const struct kept *k, const char *at)
{
	struct addrinfo *a = __libc_calloc(1, sizeof *a + k->address);
	if (!a)
		return NULL;
	a->ai_flags = k->flags;
	a->ai_family = k->family;
	a->ai_socktype = k->type;
	a->ai_protocol = k->protocol;
	a->ai_addrlen = k->address;
	a->ai_addr = memcpy(a + 1, at, k->address);
	if (k->name && (a->ai_canonname = __libc_calloc(1, k->name)))
		memcpy(a->ai_canonname, at + k->address, k->name);
	return a;
}

static int given(const struct norn_input *in, struct addrinfo **to)
{
	const char *at = in->bytes, *end = at + in->size;
	struct kept k;
	*to = NULL;
	while ((size_t)(end - at) >= sizeof k) {
		memcpy(&k, at, sizeof k);
		if (!(*to = given_one(&k, at + sizeof k)))
			return EAI_MEMORY;
		to = &(*to)->ai_next;
		at += sizeof k + k.address + k.name;
	}
	return (int)in->result;
}

/* Who answers may be gone, or give another answer. */
static int look_up(const char *node, const char *service, const struct addrinfo *hints,
		   struct addrinfo **to)
{
	struct norn_input in;
	int error = errno;
	int r = norn_gives_sockets() && norn_input_given(INPUT_LOOKUP, &in)
			? given(&in, to)
			: getaddrinfo(node, service, hints, to);
	if (r != EAI_SYSTEM)
		errno = error;
	keep(r, *to);
	return r;
}

int __norn_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		       struct addrinfo **to)
{
	struct addrinfo *list = NULL;
	norn_string(NORN_CALLER, node);
	norn_string(NORN_CALLER, service);
	norn_see(NORN_CALLER, hints, hints ? sizeof *hints : 0);
	norn_long_call();
	int r = look_up(node, service, hints, &list);
	if (!r)
		give_addresses(NORN_CALLER, list, to);
	return r;
}
