/*
 * Locks and queues that libc and the kernel keep for programs. The lock of a stream is a lock as
 * any other. File locks and message queues are channels: they may be shared with other processes,
 * so what is known is only that who gives one back, or sends, comes before who gets it next.
 */
#include "runtime/blocked.h"
#include "runtime/libc.h"
#include "runtime/locks.h"
#include "runtime/replaced.h"

#include <errno.h>

void __norn_flockfile(FILE *f)
{
	struct norn_step step = norn_begin_step(LOG_ACQUIRE, f, NORN_CALLER);
	norn_long_call();
	norn_blocks(LOG_ACQUIRE, f, NORN_CALLER, NORN_FOR_EVER);
	flockfile(f);
	norn_runs(true);
	norn_log_acquire(f, NORN_CALLER, false, false, 0);
	norn_end_step(&step, true);
}

/* One that fails keeps its place among what happened: nobody tells who holds the stream. */
int __norn_ftrylockfile(FILE *f)
{
	struct norn_step step = norn_begin_try(LOG_ACQUIRE, f, NORN_CALLER);
	int r = ftrylockfile(f);
	if (r == 0)
		norn_log_acquire(f, NORN_CALLER, false, false, LOG_TRIES);
	else
		norn_noticed_queue();
	norn_end_step(&step, r == 0);
	return r;
}

void __norn_funlockfile(FILE *f)
{
	struct norn_step step = norn_begin_step(LOG_RELEASE, f, NORN_CALLER);
	bool logged = norn_log_release(f, NORN_CALLER, true);
	norn_announce_queue();
	funlockfile(f);
	norn_end_step(&step, logged);
}

int __norn_flock(int fd, int operation)
{
	norn_announce_queue();
	norn_long_call();
	int r = flock(fd, operation);
	norn_noticed_queue();
	return r;
}

int __norn_lockf(int fd, int operation, off_t length)
{
	norn_announce_queue();
	norn_long_call();
	int r = lockf(fd, operation, length);
	norn_noticed_queue();
	return r;
}

int __norn_mq_send(mqd_t queue, const char *text, size_t n, unsigned priority)
{
	norn_see(NORN_CALLER, text, n);
	norn_announce_queue();
	norn_long_call();
	return mq_send(queue, text, n, priority);
}

ssize_t __norn_mq_receive(mqd_t queue, char *to, size_t n, unsigned *priority)
{
	norn_long_call();
	ssize_t r = mq_receive(queue, to, n, priority);
	norn_noticed_queue();
	if (r > 0)
		norn_filled(NORN_CALLER, to, (size_t)r);
	if (r >= 0 && priority)
		norn_filled(NORN_CALLER, priority, sizeof *priority);
	return r;
}

int __norn_msgsnd(int queue, const void *message, size_t n, int flags)
{
	norn_see(NORN_CALLER, message, sizeof(long) + n);
	norn_announce_queue();
	norn_long_call();
	return msgsnd(queue, message, n, flags);
}

ssize_t __norn_msgrcv(int queue, void *message, size_t n, long type, int flags)
{
	norn_long_call();
	ssize_t r = msgrcv(queue, message, n, type, flags);
	norn_noticed_queue();
	if (r >= 0)
		norn_filled(NORN_CALLER, message, sizeof(long) + (size_t)r);
	return r;
}

int __norn_semop(int set, struct sembuf *operations, size_t n)
{
	norn_see(NORN_CALLER, operations, n * sizeof *operations);
	norn_announce_queue();
	norn_long_call();
	int r = semop(set, operations, n);
	norn_noticed_queue();
	return r;
}

int __norn_timer_settime(timer_t timer, int flags, const struct itimerspec *time,
			 struct itimerspec *old)
{
	norn_see(NORN_CALLER, time, sizeof *time);
	for (int signal = 1; signal < NSIG; signal++)
		norn_announce_signal(signal);
	int r = timer_settime(timer, flags, time, old);
	if (r == 0 && old)
		norn_filled(NORN_CALLER, old, sizeof *old);
	return r;
}
