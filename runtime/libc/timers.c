/* SPDX-License-Identifier: MIT */
/*
 * Timers, and what else tells by a signal, a descriptor or a thread of libc's own: what was done
 * before one was set comes before what it leads to.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <signal.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>

int __norn_timer_create(clockid_t clock, struct sigevent *how, timer_t *to)
{
	timer_t ours;
	norn_see(NORN_CALLER, how, how ? sizeof *how : 0);
	norn_announce_notification();
	int r = timer_create(clock, how, &ours);
	if (!r)
		norn_put(NORN_CALLER, to, &ours, sizeof ours);
	return r;
}

/* Which signal it is to send is not known here. */
static void announce_expiry(void)
{
	for (int signal = 1; signal < NSIG; signal++)
		norn_announce_signal(signal);
	norn_announce_notification();
}

int __norn_timer_settime(timer_t timer, int flags, const struct itimerspec *time,
			 struct itimerspec *old)
{
	struct itimerspec ours;
	norn_see(NORN_CALLER, time, sizeof *time);
	announce_expiry();
	if (old && !norn_can_write(old, sizeof ours))
		return timer_settime(timer, flags, time, old);
	int r = timer_settime(timer, flags, time, &ours);
	if (r == 0 && old)
		norn_put(NORN_CALLER, old, &ours, sizeof ours);
	return r;
}

int __norn_timer_gettime(timer_t timer, struct itimerspec *to)
{
	struct itimerspec ours;
	if (!norn_can_write(to, sizeof ours))
		return timer_gettime(timer, to);
	int r = timer_gettime(timer, &ours);
	if (r == 0)
		norn_put(NORN_CALLER, to, &ours, sizeof ours);
	return r;
}

int __norn_timerfd_settime(int fd, int flags, const struct itimerspec *time, struct itimerspec *old)
{
	struct itimerspec ours;
	norn_see(NORN_CALLER, time, sizeof *time);
	norn_announce(fd);
	if (old && !norn_can_write(old, sizeof ours))
		return timerfd_settime(fd, flags, time, old);
	int r = timerfd_settime(fd, flags, time, &ours);
	if (r == 0 && old)
		norn_put(NORN_CALLER, old, &ours, sizeof ours);
	return r;
}

int __norn_timerfd_gettime(int fd, struct itimerspec *to)
{
	struct itimerspec ours;
	if (!norn_can_write(to, sizeof ours))
		return timerfd_gettime(fd, to);
	int r = timerfd_gettime(fd, &ours);
	if (r == 0)
		norn_put(NORN_CALLER, to, &ours, sizeof ours);
	return r;
}

int __norn_signalfd(int fd, const sigset_t *set, int flags)
{
	norn_see(NORN_CALLER, set, sizeof *set);
	norn_watches_signals();
	return signalfd(fd, set, flags);
}

int __norn_inotify_add_watch(int fd, const char *path, uint32_t mask)
{
	norn_see_name(NORN_CALLER, path);
	norn_watches();
	norn_names_look();
	int r = inotify_add_watch(fd, path, mask);
	norn_names_look();
	return r;
}

int __norn_inotify_rm_watch(int fd, int watch)
{
	norn_announce(fd);
	return inotify_rm_watch(fd, watch);
}
