/* SPDX-License-Identifier: MIT */
/* Addresses as text; names of interfaces and of terminals. */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

const char *__norn_inet_ntop(int family, const void *from, char *to, socklen_t n)
{
	char ours[INET6_ADDRSTRLEN];
	norn_see(NORN_CALLER, from, family == AF_INET6 ? 16 : family == AF_INET ? 4 : 0);
	const char *r = inet_ntop(family, from, ours, n < sizeof ours ? n : sizeof ours);
	if (!r)
		return NULL;
	norn_put(NORN_CALLER, to, ours, strlen(ours) + 1);
	return to;
}

int __norn_inet_pton(int family, const char *text, void *to)
{
	char ours[16];
	norn_gather();
	norn_string(NORN_CALLER, text);
	int r = inet_pton(family, text, ours);
	if (r == 1)
		norn_pass(NORN_CALLER, to, ours, family == AF_INET6 ? 16 : 4);
	return r;
}

int __norn_inet_aton(const char *text, struct in_addr *to)
{
	struct in_addr ours;
	norn_gather();
	norn_string(NORN_CALLER, text);
	int r = inet_aton(text, &ours);
	if (r && to)
		norn_pass(NORN_CALLER, to, &ours, sizeof ours);
	return r;
}

in_addr_t __norn_inet_addr(const char *text)
{
	norn_string(NORN_CALLER, text);
	return inet_addr(text);
}

in_addr_t __norn_inet_network(const char *text)
{
	norn_string(NORN_CALLER, text);
	return inet_network(text);
}

unsigned __norn_if_nametoindex(const char *name)
{
	norn_string(NORN_CALLER, name);
	return if_nametoindex(name);
}

char *__norn_if_indextoname(unsigned index, char *to)
{
	char ours[IF_NAMESIZE];
	if (!if_indextoname(index, ours))
		return NULL;
	norn_put(NORN_CALLER, to, ours, strlen(ours) + 1);
	return to;
}

/* Memory of libc's, the same for all threads. */

#define STATIC_NAME(name)                                           \
	char *__norn_##name(int fd)                                 \
	{                                                           \
		char *r = name(fd);                                 \
		norn_filled(NORN_CALLER, r, r ? strlen(r) + 1 : 0); \
		return r;                                           \
	}
STATIC_NAME(ttyname)
STATIC_NAME(ptsname)

static int name_terminal(const void *pc, int (*libc)(int, char *, size_t), int fd, char *to,
			 size_t n)
{
	struct norn_inlet in;
	char *buffer = norn_inlet_begin(&in, to, n);
	int r = libc(fd, buffer, n);
	norn_inlet_end(pc, &in, r ? 0 : strlen(buffer) + 1);
	return r;
}

#define NAME_OF_TERMINAL(name)                                             \
	int __norn_##name(int fd, char *to, size_t n)                      \
	{                                                                  \
		return name_terminal(NORN_CALLER, name, fd, to, n);        \
	}                                                                  \
	int __norn___##name##_chk(int fd, char *to, size_t n, size_t room) \
	{                                                                  \
		if (n > room)                                              \
			__chk_fail();                                      \
		return name_terminal(NORN_CALLER, name, fd, to, n);        \
	}
NAME_OF_TERMINAL(ttyname_r)
NAME_OF_TERMINAL(ptsname_r)

int __norn_tcsetattr(int fd, int when, const struct termios *from)
{
	norn_see(NORN_CALLER, from, sizeof *from);
	return tcsetattr(fd, when, from);
}
