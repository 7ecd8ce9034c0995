/* SPDX-License-Identifier: MIT */
/* What the system says of itself, of processes and of names on the network. */
#include "runtime/inputs.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>

static int give(const void *pc, int r, void *to, const void *ours, size_t n)
{
	if (!r)
		norn_put(pc, to, ours, n);
	return r;
}

int __norn_uname(struct utsname *to)
{
	struct utsname ours;
	if (!norn_can_write(to, sizeof ours))
		return uname(to);
	int r = uname(&ours);
	return give(NORN_CALLER, r, to, &ours, sizeof ours);
}

int __norn_getrusage(__rusage_who_t who, struct rusage *to)
{
	struct rusage ours;
	if (!norn_can_write(to, sizeof ours))
		return getrusage(who, to);
	int r = getrusage(who, &ours);
	if (!r)
		norn_input_bytes(INPUT_GETRUSAGE, 0, &ours, sizeof ours);
	return give(NORN_CALLER, r, to, &ours, sizeof ours);
}

int __norn_getrlimit(__rlimit_resource_t what, struct rlimit *to)
{
	struct rlimit ours;
	if (!norn_can_write(to, sizeof ours))
		return getrlimit(what, to);
	int r = getrlimit(what, &ours);
	return give(NORN_CALLER, r, to, &ours, sizeof ours);
}

int __norn_getrlimit64(__rlimit_resource_t what, struct rlimit64 *to)
{
	struct rlimit64 ours;
	if (!norn_can_write(to, sizeof ours))
		return getrlimit64(what, to);
	int r = getrlimit64(what, &ours);
	return give(NORN_CALLER, r, to, &ours, sizeof ours);
}

int __norn_setrlimit(__rlimit_resource_t what, const struct rlimit *from)
{
	norn_see(NORN_CALLER, from, sizeof *from);
	return setrlimit(what, from);
}

static int do_gethostname(const void *pc, char *to, size_t n)
{
	struct norn_inlet in;
	char *buffer = norn_inlet_begin(&in, to, n);
	int r = gethostname(buffer, n);
	norn_inlet_end(pc, &in, r ? 0 : norn_least(strnlen(buffer, n) + 1, n));
	return r;
}

int __norn_gethostname(char *to, size_t n)
{
	return do_gethostname(NORN_CALLER, to, n);
}

int __norn___gethostname_chk(char *to, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return do_gethostname(NORN_CALLER, to, n);
}

static pid_t give_status(const void *pc, pid_t pid, int *to, int status)
{
	norn_children_change();
	if (pid > 0 && to)
		norn_put(pc, to, &status, sizeof status);
	return pid;
}

pid_t __norn_wait(int *to)
{
	int status;
	if (to && !norn_can_write(to, sizeof *to))
		return wait(to);
	norn_long_call();
	pid_t pid = wait(&status);
	return give_status(NORN_CALLER, pid, to, status);
}

pid_t __norn_waitpid(pid_t which, int *to, int flags)
{
	int status;
	if (to && !norn_can_write(to, sizeof *to))
		return waitpid(which, to, flags);
	norn_long_call();
	pid_t pid = waitpid(which, &status, flags);
	return give_status(NORN_CALLER, pid, to, status);
}

/* Sets of signals, usually on the stack. */
static int changed(const void *pc, sigset_t *s, int r)
{
	norn_filled(pc, s, r ? 0 : sizeof *s);
	return r;
}

int __norn_sigemptyset(sigset_t *s)
{
	return changed(NORN_CALLER, s, sigemptyset(s));
}

int __norn_sigfillset(sigset_t *s)
{
	return changed(NORN_CALLER, s, sigfillset(s));
}

int __norn_sigaddset(sigset_t *s, int signal)
{
	norn_see(NORN_CALLER, s, sizeof *s);
	return changed(NORN_CALLER, s, sigaddset(s, signal));
}

int __norn_sigdelset(sigset_t *s, int signal)
{
	norn_see(NORN_CALLER, s, sizeof *s);
	return changed(NORN_CALLER, s, sigdelset(s, signal));
}

int __norn_sigismember(const sigset_t *s, int signal)
{
	norn_see(NORN_CALLER, s, sizeof *s);
	return sigismember(s, signal);
}

/* Data for each processor is chosen by it. */
int __norn_sched_getcpu(void)
{
	return (int)norn_input_number(INPUT_SCHED_GETCPU, sched_getcpu());
}
