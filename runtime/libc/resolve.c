/* SPDX-License-Identifier: MIT */
/* getaddrinfo, in a file of its own: static programs get a warning of the linker with it. */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

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

int __norn_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		       struct addrinfo **to)
{
	struct addrinfo *list;
	norn_string(NORN_CALLER, node);
	norn_string(NORN_CALLER, service);
	norn_see(NORN_CALLER, hints, hints ? sizeof *hints : 0);
	norn_long_call();
	int r = getaddrinfo(node, service, hints, &list);
	if (!r)
		give_addresses(NORN_CALLER, list, to);
	return r;
}
