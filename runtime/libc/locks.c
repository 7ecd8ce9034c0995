/* SPDX-License-Identifier: MIT */
/*
 * Locks and queues that libc and the kernel keep for programs. The lock of a stream is a lock as
 * any other. File locks and message queues are channels: they may be shared with other processes,
 * so what is known is only that who gives one back, or sends, comes before who gets it next.
 */
#include "runtime/blocked.h"
#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

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

/* Who gives one back counts before and behind that, as with files; one that is not to be had tells
 * its caller that it is taken. Who waits for it comes after the last owner. */
static int try_file_lock(int r)
{
	norn_noticed_queue();
	return r;
}

int __norn_flock(int fd, int operation)
{
	if (operation & LOCK_NB)
		norn_noticed_queue();
	if (operation & (LOCK_UN | LOCK_SH))
		norn_announce_queue();
	norn_long_call();
	return try_file_lock(flock(fd, operation));
}

int __norn_lockf(int fd, int operation, off_t length)
{
	if (operation == F_ULOCK)
		norn_announce_queue();
	else if (operation != F_LOCK)
		norn_noticed_queue();
	norn_long_call();
	return try_file_lock(lockf(fd, operation, length));
}

int __norn_lockf64(int fd, int operation, off_t length)
{
	if (operation == F_ULOCK)
		norn_announce_queue();
	else if (operation != F_LOCK)
		norn_noticed_queue();
	norn_long_call();
	return try_file_lock(lockf64(fd, operation, length));
}

/* F_SETLK and its like; of the others, what they write. */
static int lock_by_fcntl(const void *pc, int fd, int command, struct flock *theirs)
{
	struct flock ours;
	bool gets = command == F_GETLK || command == F_OFD_GETLK;
	if ((gets && !norn_can_write(theirs, sizeof ours)) ||
	    !norn_fetch(pc, &ours, theirs, sizeof ours))
		return fcntl(fd, command, theirs);
	bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
	if (ours.l_type == F_UNLCK || ours.l_type == F_RDLCK)
		norn_announce_queue();
	if (!waits)
		norn_noticed_queue();
	norn_long_call();
	int r = try_file_lock(fcntl(fd, command, &ours));
	if (!r && gets)
		norn_put(pc, theirs, &ours, sizeof ours);
	return r;
}

/* What every descriptor of the file or pipe has: seals, leases, room. */
static bool is_of_the_file(int command)
{
	switch (command) {
	case F_ADD_SEALS:
	case F_GET_SEALS:
	case F_SETLEASE:
	case F_GETLEASE:
	case F_SETPIPE_SZ:
	case F_GETPIPE_SZ:
	case F_SET_RW_HINT:
	case F_GET_RW_HINT: return true;
	default: return false;
	}
}

static int do_fcntl(const void *pc, int fd, int command, void *argument)
{
	struct f_owner_ex owner;
	int r;
	switch (command) {
	case F_SETLK:
	case F_SETLKW:
	case F_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
	case F_OFD_GETLK: return lock_by_fcntl(pc, fd, command, argument);
	case F_SETOWN_EX:
		norn_see(pc, argument, sizeof owner);
		norn_notifies_by(SIGIO);
		break;
	case F_GETOWN_EX:
		r = fcntl(fd, command, &owner);
		if (!r)
			norn_put(pc, argument, &owner, sizeof owner);
		return r;
	case F_GET_RW_HINT:
	case F_GET_FILE_RW_HINT:
		r = fcntl(fd, command, argument);
		norn_filled(pc, argument, r ? 0 : sizeof(uint64_t));
		return r;
	case F_NOTIFY: norn_notifies_by(SIGIO); break;
	case F_SETSIG:
	case F_SETOWN:
		norn_notifies_by(command == F_SETSIG ? (int)(intptr_t)argument : SIGIO);
		break;
	default: break;
	}
	struct norn_channel *channel = NULL;
	bool shared = is_of_the_file(command);
	if (shared)
		channel = norn_announce(fd);
	r = fcntl(fd, command, argument);
	if (shared) {
		norn_announced(channel);
		norn_polled(fd);
		norn_looks(fd);
	}
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		norn_descriptor_doubled(fd, r);
	return r;
}

#define FCNTL(name)                                                  \
	int __norn_##name(int fd, int command, ...)                  \
	{                                                            \
		va_list list;                                        \
		va_start(list, command);                             \
		void *argument = va_arg(list, void *);               \
		va_end(list);                                        \
		return do_fcntl(NORN_CALLER, fd, command, argument); \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

/* Message queues. A notification may be a thread. */
#define SEND(name, type, parameters, arguments) \
	type __norn_##name parameters           \
	{                                       \
		norn_see(NORN_CALLER, text, n); \
		norn_announce_queue();          \
		norn_announce_notification();   \
		norn_long_call();               \
		return name arguments;          \
	}
SEND(mq_send, int, (mqd_t queue, const char *text, size_t n, unsigned priority),
     (queue, text, n, priority))
SEND(mq_timedsend, int,
     (mqd_t queue, const char *text, size_t n, unsigned priority, const struct timespec *until),
     (queue, text, n, priority, until))

static ssize_t receive(const void *pc, mqd_t queue, char *to, size_t n, unsigned *priority,
		       const struct timespec *until)
{
	struct norn_inlet in;
	unsigned ours;
	char *buffer = norn_inlet_begin(&in, to, n);
	norn_long_call();
	ssize_t r = until ? mq_timedreceive(queue, buffer, n, &ours, until)
			  : mq_receive(queue, buffer, n, &ours);
	norn_noticed_queue();
	norn_inlet_end(pc, &in, r > 0 ? (size_t)r : 0);
	if (r >= 0 && priority)
		norn_put(pc, priority, &ours, sizeof ours);
	return r;
}

ssize_t __norn_mq_receive(mqd_t queue, char *to, size_t n, unsigned *priority)
{
	return receive(NORN_CALLER, queue, to, n, priority, NULL);
}

ssize_t __norn_mq_timedreceive(mqd_t queue, char *to, size_t n, unsigned *priority,
			       const struct timespec *until)
{
	norn_see(NORN_CALLER, until, sizeof *until);
	return receive(NORN_CALLER, queue, to, n, priority, until);
}

int __norn_mq_getattr(mqd_t queue, struct mq_attr *to)
{
	struct mq_attr ours;
	if (!norn_can_write(to, sizeof ours))
		return mq_getattr(queue, to);
	norn_noticed_queue();
	int r = mq_getattr(queue, &ours);
	norn_noticed_queue();
	if (!r)
		norn_put(NORN_CALLER, to, &ours, sizeof ours);
	return r;
}

mqd_t __norn_mq_open(const char *name, int flags, ...)
{
	va_list list;
	va_start(list, flags);
	mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
	struct mq_attr *attributes = flags & O_CREAT ? va_arg(list, struct mq_attr *) : NULL;
	va_end(list);
	norn_string(NORN_CALLER, name);
	norn_see(NORN_CALLER, attributes, attributes ? sizeof *attributes : 0);
	struct norn_channel *channel = norn_open_begins(-1, NULL, flags);
	mqd_t queue = mq_open(name, flags, mode, attributes);
	norn_open_ends(channel, flags);
	return queue;
}

int __norn_mq_notify(mqd_t queue, const struct sigevent *how)
{
	norn_see(NORN_CALLER, how, how ? sizeof *how : 0);
	if (how && how->sigev_notify != SIGEV_NONE)
		norn_notifies_by(how->sigev_notify == SIGEV_SIGNAL ? how->sigev_signo : 0);
	norn_announce_notification();
	norn_announce_queue();
	return mq_notify(queue, how);
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
	struct norn_inlet in;
	void *buffer = norn_inlet_begin(&in, message, sizeof(long) + n);
	norn_long_call();
	ssize_t r = msgrcv(queue, buffer, n, type, flags);
	norn_noticed_queue();
	norn_inlet_end(NORN_CALLER, &in, r >= 0 ? sizeof(long) + (size_t)r : 0);
	return r;
}

/* Who only waits has nothing to hand on; who does not wait learns something at once. */
static void before_operations(const struct sembuf *operations, size_t n)
{
	for (size_t i = 0; i < n && norn_can_read(&operations[i], sizeof *operations); i++) {
		if (operations[i].sem_op > 0)
			norn_announce_queue();
		if (operations[i].sem_flg & IPC_NOWAIT)
			norn_noticed_queue();
	}
}

int __norn_semop(int set, struct sembuf *operations, size_t n)
{
	norn_see(NORN_CALLER, operations, n * sizeof *operations);
	before_operations(operations, n);
	norn_long_call();
	int r = semop(set, operations, n);
	norn_noticed_queue();
	return r;
}

/* Sets of semaphores, queues and memory: what is asked of them, or set, is known to others. */
static int controlled(const void *pc, int r, void *to, size_t n)
{
	norn_noticed_queue();
	if (r >= 0 && to && n)
		norn_filled(pc, to, n);
	return r;
}

static void before_control(void)
{
	norn_noticed_queue();
	norn_announce_queue();
}

union semaphores {
	int value;
	struct semid_ds *facts;
	unsigned short *values;
};

static size_t count_semaphores(int set)
{
	struct semid_ds facts;
	return semctl(set, 0, IPC_STAT, (union semaphores){.facts = &facts}) ? 0 : facts.sem_nsems;
}

int __norn_semctl(int set, int which, int command, ...)
{
	va_list list;
	va_start(list, command);
	union semaphores argument = va_arg(list, union semaphores);
	va_end(list);
	size_t n = command == IPC_STAT ? sizeof *argument.facts
		   : command == GETALL ? count_semaphores(set) * sizeof *argument.values
				       : 0;
	if (command == SETALL)
		norn_see(NORN_CALLER, argument.values,
			 count_semaphores(set) * sizeof *argument.values);
	before_control();
	return controlled(NORN_CALLER, semctl(set, which, command, argument), argument.facts, n);
}

int __norn_msgctl(int queue, int command, struct msqid_ds *to)
{
	before_control();
	return controlled(NORN_CALLER, msgctl(queue, command, to), to,
			  command == IPC_STAT ? sizeof *to : 0);
}

int __norn_shmctl(int memory, int command, struct shmid_ds *to)
{
	before_control();
	return controlled(NORN_CALLER, shmctl(memory, command, to), to,
			  command == IPC_STAT ? sizeof *to : 0);
}

int __norn_semtimedop(int set, struct sembuf *operations, size_t n, const struct timespec *limit)
{
	norn_see(NORN_CALLER, operations, n * sizeof *operations);
	norn_see(NORN_CALLER, limit, limit ? sizeof *limit : 0);
	before_operations(operations, n);
	norn_long_call();
	int r = semtimedop(set, operations, n, limit);
	norn_noticed_queue();
	return r;
}
