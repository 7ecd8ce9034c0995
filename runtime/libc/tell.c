/* SPDX-License-Identifier: MIT */
/* What the system and the thread library tell, in a few bytes of the caller's memory. */
#include "runtime/hooks.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/remote.h"
#include "runtime/libc/replaced.h"
#include "runtime/pthread/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>

typedef void put(const void *pc, void *to, const void *ours, size_t n);

static void give_by(put *by, const void *pc, void *to, const void *ours, size_t n)
{
	if (to)
		by(pc, to, ours, n);
}

static void give(const void *pc, void *to, const void *ours, size_t n)
{
	give_by(norn_put, pc, to, ours, n);
}

/* One result, if the call returns `good`. */
#define TELLS(name, parameters, type, call, good) \
	TELLS_BY(norn_put, name, parameters, type, call, good)
/* Likewise, of which no read of the program decides anything. */
#define LAYS(name, parameters, type, call, good) \
	TELLS_BY(norn_lay, name, parameters, type, call, good)
#define TELLS_BY(by, name, parameters, type, call, good)                  \
	int __norn_##name parameters                                      \
	{                                                                 \
		type ours, *where;                                        \
		where = norn_can_write(to, sizeof ours) ? &ours : to;     \
		int r = call;                                             \
		if ((good) && where == &ours)                             \
			give_by(by, NORN_CALLER, to, &ours, sizeof ours); \
		return r;                                                 \
	}
#define OK (r == 0)
TELLS(sysinfo, (struct sysinfo * to), struct sysinfo, sysinfo(where), OK)
TELLS(getitimer, (__itimer_which_t which, struct itimerval *to), struct itimerval,
      getitimer(which, where), OK)
TELLS(pthread_setcancelstate, (int state, int *to), int, pthread_setcancelstate(state, where), OK)
TELLS(pthread_setcanceltype, (int type, int *to), int, pthread_setcanceltype(type, where), OK)
LAYS(pthread_key_create, (pthread_key_t * to, void (*end)(void *)), pthread_key_t,
     pthread_key_create(where, end), OK)
LAYS(tss_create, (tss_t * to, tss_dtor_t end), tss_t, tss_create(where, end), r == thrd_success)
TELLS(pthread_getcpuclockid, (pthread_t thread, clockid_t *to), clockid_t,
      pthread_getcpuclockid(thread, where), OK)
TELLS(clock_getcpuclockid, (pid_t process, clockid_t *to), clockid_t,
      clock_getcpuclockid(process, where), OK)
TELLS(sched_getparam, (pid_t process, struct sched_param *to), struct sched_param,
      sched_getparam(process, where), OK)
TELLS(sched_rr_get_interval, (pid_t process, struct timespec *to), struct timespec,
      sched_rr_get_interval(process, where), OK)

static int pending(sigset_t *set)
{
	norn_signals_look();
	int r = sigpending(set);
	norn_signals_look();
	return r;
}

TELLS(sigpending, (sigset_t * to), sigset_t, pending(where), OK)
TELLS(dladdr, (const void *address, Dl_info *to), Dl_info, dladdr(address, where), r != 0)

int __norn_pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *to)
{
	struct sched_param ours;
	int how, r = pthread_getschedparam(thread, &how, &ours);
	if (!r) {
		give(NORN_CALLER, policy, &how, sizeof how);
		give(NORN_CALLER, to, &ours, sizeof ours);
	}
	return r;
}

int __norn_pthread_getname_np(pthread_t thread, char *to, size_t n)
{
	struct norn_inlet in;
	char *buffer = norn_inlet_begin(&in, to, n);
	int r = pthread_getname_np(thread, buffer, n);
	norn_inlet_end(NORN_CALLER, &in, r ? 0 : strlen(buffer) + 1);
	return r;
}

/* The kernel fills as much as it has processors, and libc the rest. */
int __norn_pthread_getaffinity_np(pthread_t thread, size_t n, cpu_set_t *to)
{
	struct norn_inlet in;
	int r = pthread_getaffinity_np(thread, n, norn_inlet_begin(&in, to, n));
	norn_inlet_end(NORN_CALLER, &in, r ? 0 : n);
	return r;
}

int __norn_sched_getaffinity(pid_t process, size_t n, cpu_set_t *to)
{
	struct norn_inlet in;
	int r = sched_getaffinity(process, n, norn_inlet_begin(&in, to, n));
	norn_inlet_end(NORN_CALLER, &in, r ? 0 : n);
	return r;
}

static int change_mask(const void *pc, int how, const sigset_t *set, sigset_t *old, bool thread)
{
	sigset_t before;
	norn_see(pc, set, set ? sizeof *set : 0);
	int r = thread ? pthread_sigmask(how, set, &before) : sigprocmask(how, set, &before);
	if (!r)
		give(pc, old, &before, sizeof before);
	return r;
}

int __norn_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return change_mask(NORN_CALLER, how, set, old, true);
}

int __norn_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return change_mask(NORN_CALLER, how, set, old, false);
}

/* Users and groups, by number */

#define THREE(name, type)                                             \
	int __norn_##name(type *real, type *effective, type *saved)   \
	{                                                             \
		type ours[3];                                         \
		if (!norn_can_write(real, sizeof *real) ||            \
		    !norn_can_write(effective, sizeof *real) ||       \
		    !norn_can_write(saved, sizeof *real))             \
			return name(real, effective, saved);          \
		int r = name(&ours[0], &ours[1], &ours[2]);           \
		if (r)                                                \
			return r;                                     \
		give(NORN_CALLER, real, &ours[0], sizeof *ours);      \
		give(NORN_CALLER, effective, &ours[1], sizeof *ours); \
		give(NORN_CALLER, saved, &ours[2], sizeof *ours);     \
		return 0;                                             \
	}
THREE(getresuid, uid_t)
THREE(getresgid, gid_t)

static int get_groups(const void *pc, int n, gid_t *to)
{
	struct norn_inlet in;
	gid_t *buffer = norn_inlet_begin(&in, to, n > 0 ? (size_t)n * sizeof *to : 0);
	int r = getgroups(n, buffer);
	norn_inlet_end(pc, &in, n > 0 && r > 0 ? (size_t)r * sizeof *to : 0);
	return r;
}

int __norn_getgroups(int n, gid_t *to)
{
	return get_groups(NORN_CALLER, n, to);
}

int __norn___getgroups_chk(int n, gid_t *to, size_t room)
{
	if (n > 0 && (size_t)n * sizeof *to > room)
		__chk_fail();
	return get_groups(NORN_CALLER, n, to);
}

int __norn_getloadavg(double *to, int n)
{
	double ours[3];
	int r = getloadavg(ours, n < 3 ? n : 3);
	give(NORN_CALLER, to, ours, r > 0 ? (size_t)r * sizeof *ours : 0);
	return r;
}

int __norn_getdomainname(char *to, size_t n)
{
	struct norn_inlet in;
	char *buffer = norn_inlet_begin(&in, to, n);
	int r = getdomainname(buffer, n);
	norn_inlet_end(NORN_CALLER, &in, r ? 0 : norn_least(strnlen(buffer, n) + 1, n));
	return r;
}

#define LIMITS(name, type)                                                                     \
	int __norn_##name(pid_t process, enum __rlimit_resource what, const struct type *from, \
			  struct type *to)                                                     \
	{                                                                                      \
		struct type ours;                                                              \
		norn_see(NORN_CALLER, from, from ? sizeof *from : 0);                          \
		bool there = norn_can_write(to, sizeof ours);                                  \
		int r = name(process, what, from, there ? &ours : to);                         \
		if (!r && there)                                                               \
			give(NORN_CALLER, to, &ours, sizeof ours);                             \
		return r;                                                                      \
	}
LIMITS(prlimit, rlimit)
LIMITS(prlimit64, rlimit64)

int __norn_setrlimit64(__rlimit_resource_t what, const struct rlimit64 *from)
{
	norn_see(NORN_CALLER, from, sizeof *from);
	return setrlimit64(what, from);
}

/* Children */

static pid_t give_child(const void *pc, pid_t pid, int *to, int status, struct rusage *used,
			const struct rusage *ours)
{
	norn_children_change();
	if (pid > 0) {
		give(pc, to, &status, sizeof status);
		give(pc, used, ours, sizeof *ours);
	}
	return pid;
}

pid_t __norn_wait3(int *to, int flags, struct rusage *used)
{
	struct rusage ours;
	int status;
	if ((to && !norn_can_write(to, sizeof *to)) || (used && !norn_can_write(used, sizeof ours)))
		return wait3(to, flags, used);
	norn_long_call();
	pid_t pid = wait3(&status, flags, &ours);
	return give_child(NORN_CALLER, pid, to, status, used, &ours);
}

pid_t __norn_wait4(pid_t which, int *to, int flags, struct rusage *used)
{
	struct rusage ours;
	int status;
	if ((to && !norn_can_write(to, sizeof *to)) || (used && !norn_can_write(used, sizeof ours)))
		return wait4(which, to, flags, used);
	norn_long_call();
	pid_t pid = wait4(which, &status, flags, &ours);
	return give_child(NORN_CALLER, pid, to, status, used, &ours);
}

int __norn_waitid(idtype_t type, id_t which, siginfo_t *to, int flags)
{
	siginfo_t ours = {0};
	if (to && !norn_can_write(to, sizeof ours))
		return waitid(type, which, to, flags);
	norn_long_call();
	int r = waitid(type, which, &ours, flags);
	norn_children_change();
	if (!r)
		give(NORN_CALLER, to, &ours, sizeof ours);
	return r;
}

/* What a request does with its argument is in its number, but for those that are older. */
static size_t request_size(unsigned long request, unsigned *direction)
{
	*direction = _IOC_READ;
	switch (request) {
	case FIONREAD:
	case TIOCOUTQ:
	case TIOCGPGRP:
	case TIOCGSID:
	case TIOCMGET:
	case TIOCGETD: return sizeof(int);
	case TIOCGWINSZ: return sizeof(struct winsize);
	case TCGETS: return 36;
	default: break;
	}
	*direction = _IOC_WRITE;
	switch (request) {
	case FIONBIO:
	case FIOASYNC:
	case TIOCSPGRP:
	case TIOCMSET:
	case TIOCMBIS:
	case TIOCMBIC:
	case TIOCSETD: return sizeof(int);
	case TIOCSWINSZ: return sizeof(struct winsize);
	case TIOCSTI: return 1;
	case TCSETS:
	case TCSETSW:
	case TCSETSF: return 36;
	default: break;
	}
	*direction = _IOC_DIR(request);
	/* Of interfaces: a struct ifreq, in and out. */
	if (request >> 8 == 0x89)
		*direction = _IOC_READ | _IOC_WRITE;
	return request >> 8 == 0x89 ? 40 : *direction ? _IOC_SIZE(request) : 0;
}

/* What comes back through a pointer in what is given is not known. */
int __norn_ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	unsigned direction;
	va_start(list, request);
	void *argument = va_arg(list, void *);
	va_end(list);
	size_t n = request_size(request, &direction);
	if (n && argument && direction & _IOC_WRITE)
		norn_see(NORN_CALLER, argument, n);
	norn_polled(fd);
	norn_long_call();
	int r = norn_remote_ioctl(fd, request, argument, argument && direction & _IOC_READ ? n : 0);
	norn_polled(fd);
	if (n && argument && r >= 0 && direction & _IOC_READ)
		norn_filled(NORN_CALLER, argument, n);
	return r;
}

#define NAME_OF_THREAD 16

static size_t option_fills(int option)
{
	switch (option) {
	case PR_GET_NAME: return NAME_OF_THREAD;
	case PR_GET_PDEATHSIG:
	case PR_GET_TSC:
	case PR_GET_UNALIGN:
	case PR_GET_FPEMU:
	case PR_GET_FPEXC:
	case PR_GET_ENDIAN:
	case PR_GET_CHILD_SUBREAPER: return sizeof(int);
	case PR_GET_TID_ADDRESS: return sizeof(void *);
	default: return 0;
	}
}

int __norn_prctl(int option, ...)
{
	va_list list;
	unsigned long a[4];
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_NAME)
		norn_see_name(NORN_CALLER, (const char *)a[0]);
	int r = prctl(option, a[0], a[1], a[2], a[3]);
	if (option == PR_SET_NAME && r >= 0)
		norn_name_self((const char *)a[0]);
	if (r >= 0 && option_fills(option))
		norn_filled(NORN_CALLER, (void *)a[0], option_fills(option));
	return r;
}

/* A descriptor that another takes the place of is closed. */
static bool takes_place(int fd, int to)
{
	return fd != to && fcntl(fd, F_GETFD) >= 0 && norn_closes(to);
}

int __norn_dup(int fd)
{
	int r = dup(fd);
	norn_descriptor_doubled(fd, r);
	return r;
}

int __norn_dup2(int fd, int to)
{
	bool file = takes_place(fd, to);
	__norn_descriptor_changes(to);
	int r = dup2(fd, to);
	norn_closed(to, file);
	if (fd != to)
		norn_descriptor_doubled(fd, r);
	__norn_descriptor_changes(to);
	return r;
}

int __norn_dup3(int fd, int to, int flags)
{
	bool file = !(flags & ~O_CLOEXEC) && takes_place(fd, to);
	__norn_descriptor_changes(to);
	int r = dup3(fd, to, flags);
	norn_closed(to, file);
	norn_descriptor_doubled(fd, r);
	__norn_descriptor_changes(to);
	return r;
}
