/* SPDX-License-Identifier: MIT */
/*
 * Signals order threads: what was done before one was sent, or a timer for it was set, comes before
 * what its handler does (signals.c), and before what follows a wait for it.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <errno.h>

int __norn_kill(pid_t to, int signal)
{
	norn_announce_signal(signal);
	int r = kill(to, signal);
	if (!signal || r < 0)
		norn_children_look(); /* whether there is such a process */
	return r;
}

int __norn_killpg(pid_t to, int signal)
{
	norn_announce_signal(signal);
	return killpg(to, signal);
}

int __norn_pthread_kill(pthread_t to, int signal)
{
	norn_announce_signal(signal);
	return pthread_kill(to, signal);
}

int __norn_tgkill(pid_t process, pid_t thread, int signal)
{
	norn_announce_signal(signal);
	int r = tgkill(process, thread, signal);
	norn_threads_look(); /* whether there is such a thread */
	return r;
}

int __norn_sigqueue(pid_t to, int signal, union sigval value)
{
	norn_announce_signal(signal);
	return sigqueue(to, signal, value);
}

int __norn_pthread_sigqueue(pthread_t to, int signal, union sigval value)
{
	norn_announce_signal(signal);
	return pthread_sigqueue(to, signal, value);
}

unsigned __norn_alarm(unsigned seconds)
{
	norn_announce_signal(SIGALRM);
	return alarm(seconds);
}

useconds_t __norn_ualarm(useconds_t first, useconds_t then)
{
	norn_announce_signal(SIGALRM);
	return ualarm(first, then);
}

int __norn_setitimer(__itimer_which_t which, const struct itimerval *timer, struct itimerval *old)
{
	static const int signals[] = {
		[ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF};

	norn_see(NORN_CALLER, timer, timer ? sizeof *timer : 0);
	if ((unsigned)which < sizeof signals / sizeof *signals)
		norn_announce_signal(signals[which]);
	struct itimerval ours;
	if (old && !norn_can_write(old, sizeof ours))
		return setitimer(which, timer, old);
	int r = setitimer(which, timer, &ours);
	if (!r && old)
		norn_put(NORN_CALLER, old, &ours, sizeof ours);
	return r;
}

int __norn_sigwait(const sigset_t *set, int *to)
{
	int signal;
	norn_see(NORN_CALLER, set, sizeof *set);
	norn_long_call();
	int r = sigwait(set, &signal);
	if (r)
		return r;
	norn_noticed_signal(signal);
	norn_put(NORN_CALLER, to, &signal, sizeof signal);
	return 0;
}

static int received(const void *pc, int signal, const siginfo_t *info, siginfo_t *to)
{
	if (signal <= 0)
		return signal;
	norn_noticed_signal(signal);
	if (to)
		norn_put(pc, to, info, sizeof *info);
	return signal;
}

int __norn_sigwaitinfo(const sigset_t *set, siginfo_t *to)
{
	siginfo_t info;
	norn_see(NORN_CALLER, set, sizeof *set);
	norn_long_call();
	return received(NORN_CALLER, sigwaitinfo(set, &info), &info, to);
}

int __norn_sigtimedwait(const sigset_t *set, siginfo_t *to, const struct timespec *limit)
{
	siginfo_t info;
	norn_see(NORN_CALLER, set, sizeof *set);
	norn_see(NORN_CALLER, limit, limit ? sizeof *limit : 0);
	norn_long_call();
	return received(NORN_CALLER, sigtimedwait(set, &info, limit), &info, to);
}

int __norn_sigsuspend(const sigset_t *set)
{
	norn_see(NORN_CALLER, set, sizeof *set);
	norn_long_call();
	return sigsuspend(set);
}
