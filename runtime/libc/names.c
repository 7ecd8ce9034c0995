/* SPDX-License-Identifier: MIT */
/*
 * Users, groups, hosts and services by name. Where libc gives memory of its own, the same to all
 * threads, it is logged as written, so that races for it show: between two calls there is
 * libc's own lock, but who uses what it was given has none.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"
#include "runtime/pthread/sync.h"

#include <errno.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define LOCKED(give, call)                                \
	({                                                \
		norn_mutex_lock(&lock, NULL);             \
		__auto_type r_ = give(NORN_CALLER, call); \
		norn_mutex_unlock(&lock, NULL);           \
		r_;                                       \
	})

static void filled_string(const void *pc, char *s)
{
	if (s)
		norn_filled(pc, s, strlen(s) + 1);
}

static void filled_list(const void *pc, char **list)
{
	size_t n = 0;
	for (; list && list[n]; n++)
		filled_string(pc, list[n]);
	norn_filled(pc, list, list ? (n + 1) * sizeof *list : 0);
}

static struct passwd *give_user(const void *pc, struct passwd *p)
{
	if (!p)
		return NULL;
	norn_filled(pc, p, sizeof *p);
	char *const strings[] = {p->pw_name, p->pw_passwd, p->pw_gecos, p->pw_dir, p->pw_shell};
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		filled_string(pc, strings[i]);
	return p;
}

static struct group *give_group(const void *pc, struct group *g)
{
	if (!g)
		return NULL;
	norn_filled(pc, g, sizeof *g);
	filled_string(pc, g->gr_name);
	filled_string(pc, g->gr_passwd);
	filled_list(pc, g->gr_mem);
	return g;
}

static struct hostent *give_host(const void *pc, struct hostent *h)
{
	if (!h)
		return NULL;
	norn_filled(pc, h, sizeof *h);
	filled_string(pc, h->h_name);
	filled_list(pc, h->h_aliases);
	size_t n = 0;
	for (; h->h_addr_list[n]; n++)
		norn_filled(pc, h->h_addr_list[n], (size_t)h->h_length);
	norn_filled(pc, h->h_addr_list, (n + 1) * sizeof *h->h_addr_list);
	return h;
}

static struct servent *give_service(const void *pc, struct servent *s)
{
	if (!s)
		return NULL;
	norn_filled(pc, s, sizeof *s);
	filled_string(pc, s->s_name);
	filled_string(pc, s->s_proto);
	filled_list(pc, s->s_aliases);
	return s;
}

struct passwd *__norn_getpwnam(const char *name)
{
	norn_string(NORN_CALLER, name);
	return LOCKED(give_user, getpwnam(name));
}

struct passwd *__norn_getpwuid(uid_t user)
{
	return LOCKED(give_user, getpwuid(user));
}

struct passwd *__norn_getpwent(void)
{
	return LOCKED(give_user, getpwent());
}

struct group *__norn_getgrnam(const char *name)
{
	norn_string(NORN_CALLER, name);
	return LOCKED(give_group, getgrnam(name));
}

struct group *__norn_getgrgid(gid_t group)
{
	return LOCKED(give_group, getgrgid(group));
}

struct group *__norn_getgrent(void)
{
	return LOCKED(give_group, getgrent());
}

struct hostent *__norn_gethostbyname(const char *name)
{
	norn_string(NORN_CALLER, name);
	return LOCKED(give_host, gethostbyname(name));
}

struct hostent *__norn_gethostbyname2(const char *name, int family)
{
	norn_string(NORN_CALLER, name);
	return LOCKED(give_host, gethostbyname2(name, family));
}

struct hostent *__norn_gethostbyaddr(const void *address, socklen_t n, int family)
{
	norn_see(NORN_CALLER, address, n);
	return LOCKED(give_host, gethostbyaddr(address, n, family));
}

struct servent *__norn_getservbyname(const char *name, const char *protocol)
{
	norn_string(NORN_CALLER, name);
	norn_string(NORN_CALLER, protocol);
	return LOCKED(give_service, getservbyname(name, protocol));
}

struct servent *__norn_getservbyport(int port, const char *protocol)
{
	norn_string(NORN_CALLER, protocol);
	return LOCKED(give_service, getservbyport(port, protocol));
}

/* With memory of the caller's, where libc puts the strings, too. */
static int give_result(const void *pc, int r, void *result, void **to)
{
	norn_put(pc, to, &result, sizeof result);
	return r;
}

#define REENTRANT(name, type, key, see, give)                                                 \
	int __norn_##name(key, struct type *to, char *buffer, size_t n, struct type **result) \
	{                                                                                     \
		struct type *found = NULL;                                                    \
		see;                                                                          \
		int r = name(REENTRANT_##name, to, buffer, n, &found);                        \
		give(NORN_CALLER, found);                                                     \
		return give_result(NORN_CALLER, r, found, (void **)result);                   \
	}
#define REENTRANT_getpwnam_r wanted
#define REENTRANT_getpwuid_r wanted
#define REENTRANT_getgrnam_r wanted
#define REENTRANT_getgrgid_r wanted
REENTRANT(getpwnam_r, passwd, const char *wanted, norn_string(NORN_CALLER, wanted), give_user)
REENTRANT(getpwuid_r, passwd, uid_t wanted, , give_user)
REENTRANT(getgrnam_r, group, const char *wanted, norn_string(NORN_CALLER, wanted), give_group)
REENTRANT(getgrgid_r, group, gid_t wanted, , give_group)

int __norn_getnameinfo(const struct sockaddr *address, socklen_t n, char *host, socklen_t host_room,
		       char *service, socklen_t service_room, int flags)
{
	struct norn_inlet in[2];
	norn_see(NORN_CALLER, address, n);
	char *ours = norn_inlet_begin(&in[0], host, host ? host_room : 0);
	char *also = norn_inlet_begin(&in[1], service, service ? service_room : 0);
	norn_long_call();
	int r = getnameinfo(address, n, host ? ours : NULL, host_room, service ? also : NULL,
			    service_room, flags);
	norn_inlet_end(NORN_CALLER, &in[0], r || !host || !host_room ? 0 : strlen(ours) + 1);
	norn_inlet_end(NORN_CALLER, &in[1], r || !service || !service_room ? 0 : strlen(also) + 1);
	return r;
}
