/* SPDX-License-Identifier: MIT */
/* Descriptors, queues, signals and what is kept for the process (counted.h). */
#ifndef NORN_STATIC

#include "runtime/counted.h"
#include "runtime/pthread/threads.h"

#include <errno.h>
#include <mqueue.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

WRITES(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at),
       norn_announce(fd))
WRITES_BY(ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags),
	  norn_announce(fd), norn_remote_send(fd, p, n, flags, NULL, 0))
WRITES_BY(ssize_t, sendto,
	  (int fd, const void *p, size_t n, int flags, const struct sockaddr *to, socklen_t length),
	  (fd, p, n, flags, to, length), norn_announce(fd),
	  norn_remote_send(fd, p, n, flags, to, length))
WRITES_BY(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags),
	  norn_announce(fd), norn_remote_sendmsg(fd, m, flags))
WRITES(int, vdprintf, (int fd, const char *format, va_list list), (fd, format, list),
       norn_announce(fd))
WRITES(int, __vdprintf_chk, (int fd, int flag, const char *format, va_list list),
       (fd, flag, format, list), norn_announce(fd))
WRITES(int, eventfd_write, (int fd, eventfd_t value), (fd, value), norn_announce(fd))
WRITES(int, ftruncate, (int fd, off_t size), (fd, size), norn_announce(fd))
WRITES(int, ftruncate64, (int fd, off64_t size), (fd, size), norn_announce(fd))
WRITES(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size),
       norn_announce(fd))
WRITES(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size), norn_announce(fd))
WRITES(int, fchmod, (int fd, mode_t mode), (fd, mode), norn_announce(fd))
WRITES(int, futimens, (int fd, const struct timespec times[2]), (fd, times), norn_announce(fd))
WRITES_BY(int, shutdown, (int fd, int how), (fd, how), norn_announce(fd),
	  norn_remote_shutdown(fd, how))
WRITES(int, timerfd_settime,
       (int fd, int flags, const struct itimerspec *time, struct itimerspec *old),
       (fd, flags, time, old), norn_announce(fd))

#define DPRINTS(name, parameters, call)                                           \
	WEAK int name parameters                                                  \
	{                                                                         \
		struct norn_channel *channel = COUNTS ? norn_announce(fd) : NULL; \
		va_list list;                                                     \
		va_start(list, format);                                           \
		int r = call;                                                     \
		va_end(list);                                                     \
		norn_announced(channel);                                          \
		return r;                                                         \
	}
DPRINTS(dprintf, (int fd, const char *format, ...), NORN_REAL(vdprintf)(fd, format, list))
DPRINTS(__dprintf_chk, (int fd, int flag, const char *format, ...),
	NORN_REAL(__vdprintf_chk)(fd, flag, format, list))

READS(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), , fd)
READS(ssize_t, __read_chk, (int fd, void *p, size_t n, size_t room), (fd, p, n, room), , fd)
READS_BY(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags), fd,
	 norn_remote_receive(fd, p, n, flags, NULL, NULL))
READS(ssize_t, __recv_chk, (int fd, void *p, size_t n, size_t room, int flags),
      (fd, p, n, room, flags), , fd)
READS_BY(ssize_t, recvfrom,
	 (int fd, void *p, size_t n, int flags, struct sockaddr *from, socklen_t *length),
	 (fd, p, n, flags, from, length), fd, norn_remote_receive(fd, p, n, flags, from, length))
READS_BY(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags), fd,
	 norn_remote_recvmsg(fd, m, flags))
READS_BY(int, eventfd_read, (int fd, eventfd_t *to), (fd, to), fd,
	 norn_remote_read(fd, to, sizeof *to) == sizeof *to ? 0 : -1)
READS_BY(int, accept, (int fd, struct sockaddr *to, socklen_t *length), (fd, to, length), fd,
	 norn_remote_accept(fd, to, length, 0))
READS_BY(int, accept4, (int fd, struct sockaddr *to, socklen_t *length, int flags),
	 (fd, to, length, flags), fd, norn_remote_accept(fd, to, length, flags))
AROUND(int, fstat, (int fd, struct stat *to), (fd, to), norn_looks(fd), norn_looks(fd))
AROUND(int, fstat64, (int fd, struct stat64 *to), (fd, to), norn_looks(fd), norn_looks(fd))

/* What goes from a descriptor to another. */
static void moves(int in, int out)
{
	norn_looks(in);
	norn_announced(norn_announce(out));
}

static void moved(int in, int out)
{
	norn_noticed(in);
	norn_announced(norn_announce(out));
}

AROUND(ssize_t, splice, (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags),
       (in, from, out, to, n, flags), moves(in, out), moved(in, out))
AROUND(ssize_t, copy_file_range,
       (int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags),
       (in, from, out, to, n, flags), moves(in, out), moved(in, out))

/* Which descriptors are ready. */
static void polled(const struct pollfd *fds, nfds_t n)
{
	for (nfds_t i = 0; i < n; i++)
		norn_polled(fds[i].fd);
}

static void selected(int n, const fd_set *set)
{
	for (int fd = 0; set && fd < n; fd++)
		if (FD_ISSET(fd, set))
			norn_polled(fd);
}

#define NOTHING (void)0
AROUND_BY(int, poll, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, timeout), NOTHING,
	  polled(fds, n), norn_remote_poll(fds, n, timeout, false, NULL, NULL))
AROUND(int, __poll_chk, (struct pollfd * fds, nfds_t n, int timeout, size_t room),
       (fds, n, timeout, room), NOTHING, polled(fds, n))
AROUND_BY(int, ppoll,
	  (struct pollfd * fds, nfds_t n, const struct timespec *time, const sigset_t *signals),
	  (fds, n, time, signals), NOTHING, polled(fds, n),
	  norn_remote_poll(fds, n, 0, true, time, signals))

/* Of a set only those stay that are ready. */
static int selects(int n, fd_set *const sets[3], struct timeval *time, bool exact,
		   const struct timespec *exact_time, const sigset_t *signals)
{
	fd_set asked[3];
	for (int i = 0; i < 3; i++) {
		FD_ZERO(&asked[i]);
		asked[i] = sets[i] ? *sets[i] : asked[i];
	}
	int r = norn_remote_select(n, sets, time, exact, exact_time, signals);
	for (int i = 0; i < 3; i++)
		selected(n < FD_SETSIZE ? n : FD_SETSIZE, &asked[i]);
	return r;
}

#define SETS ((fd_set *const[3]){in, out, except})
AROUND_BY(int, select, (int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *time),
	  (n, in, out, except, time), NOTHING, NOTHING, selects(n, SETS, time, false, NULL, NULL))
AROUND_BY(int, pselect,
	  (int n, fd_set *in, fd_set *out, fd_set *except, const struct timespec *time,
	   const sigset_t *signals),
	  (n, in, out, except, time, signals), NOTHING, NOTHING,
	  selects(n, SETS, NULL, true, time, signals))

static void watches(int epoll, int fd)
{
	norn_watches_descriptor(fd);
	norn_polled(fd);
	norn_announced(norn_announce(epoll));
}

AROUND_BY(int, epoll_ctl, (int epoll, int what, int fd, struct epoll_event *event),
	  (epoll, what, fd, event), watches(epoll, fd), NOTHING,
	  norn_remote_epoll_ctl(epoll, what, fd, event))
AROUND_BY(int, epoll_wait, (int epoll, struct epoll_event *to, int n, int timeout),
	  (epoll, to, n, timeout), NOTHING, norn_polled(epoll),
	  norn_remote_epoll_wait(epoll, to, n, timeout, false, NULL))
AROUND_BY(int, epoll_pwait,
	  (int epoll, struct epoll_event *to, int n, int timeout, const sigset_t *signals),
	  (epoll, to, n, timeout, signals), NOTHING, norn_polled(epoll),
	  norn_remote_epoll_wait(epoll, to, n, timeout, true, signals))

static void connects(int fd)
{
	norn_announced(norn_announce(fd));
	norn_names_look();
}

static void connected(int fd)
{
	norn_noticed(fd);
	norn_names_look();
}

AROUND_BY(int, connect, (int fd, const struct sockaddr *to, socklen_t length), (fd, to, length),
	  connects(fd), connected(fd), norn_remote_connect(fd, to, length))
AROUND_BY(int, bind, (int fd, const struct sockaddr *to, socklen_t length), (fd, to, length),
	  norn_names_change(), norn_names_change(), norn_remote_bind(fd, to, length))
WRITES_BY(int, listen, (int fd, int most), (fd, most), norn_announce(fd),
	  norn_remote_listen(fd, most))
/* These order nothing. */
AROUND_BY(int, setsockopt, (int fd, int level, int what, const void *value, socklen_t length),
	  (fd, level, what, value, length), NOTHING, NOTHING,
	  norn_remote_setsockopt(fd, level, what, value, length))
AROUND_BY(int, getsockopt, (int fd, int level, int what, void *to, socklen_t *length),
	  (fd, level, what, to, length), NOTHING, NOTHING,
	  norn_remote_getsockopt(fd, level, what, to, length))
AROUND_BY(int, getsockname, (int fd, struct sockaddr *to, socklen_t *length), (fd, to, length),
	  NOTHING, NOTHING, norn_remote_getsockname(fd, to, length))
AROUND_BY(int, getpeername, (int fd, struct sockaddr *to, socklen_t *length), (fd, to, length),
	  NOTHING, NOTHING, norn_remote_getpeername(fd, to, length))

/* Clocks */
#define NS 1000000000

static int show_clock(clockid_t clock, struct timespec *to)
{
	int r = NORN_REAL(clock_gettime)(clock, to);
	if (r || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
		return r;
	int64_t now = norn_library_clock(clock, to->tv_sec * NS + to->tv_nsec);
	*to = (struct timespec){now / NS, now % NS};
	return r;
}

static int show_time_of_day(struct timeval *to, void *zone)
{
	int r = NORN_REAL(gettimeofday)(to, zone);
	if (r || !to)
		return r;
	int64_t now = norn_library_clock(CLOCK_REALTIME, to->tv_sec * NS + to->tv_usec * 1000);
	*to = (struct timeval){now / NS, now % NS / 1000};
	return r;
}

static time_t show_time(time_t *to)
{
	time_t now = norn_library_clock(CLOCK_REALTIME, NORN_REAL(time)(NULL) * NS) / NS;
	if (to)
		*to = now;
	return now;
}

AROUND_BY(int, clock_gettime, (clockid_t clock, struct timespec *to), (clock, to), NOTHING, NOTHING,
	  show_clock(clock, to))
AROUND_BY(int, gettimeofday, (struct timeval *restrict to, void *restrict zone), (to, zone),
	  NOTHING, NOTHING, show_time_of_day(to, zone))
AROUND_BY(time_t, time, (time_t * to), (to), NOTHING, NOTHING, show_time(to))

/* Names */
NAMES(int, renameat, (int from, const char *a, int to, const char *b), (from, a, to, b),
      norn_names_change)
NAMES(int, creat, (const char *a, mode_t mode), (a, mode), norn_names_change)
NAMES(int, mkfifo, (const char *a, mode_t mode), (a, mode), norn_names_change)
NAMES(int, mkdirat, (int at, const char *a, mode_t mode), (at, a, mode), norn_names_change)
NAMES(int, mkstemp, (char *a), (a), norn_names_change)
NAMES(int, mkstemp64, (char *a), (a), norn_names_change)
NAMES(int, mkostemp, (char *a, int flags), (a, flags), norn_names_change)
NAMES(char *, mkdtemp, (char *a), (a), norn_names_change)
NAMES(int, utimes, (const char *a, const struct timeval times[2]), (a, times), norn_names_change)
NAMES(int, chown, (const char *a, uid_t user, gid_t group), (a, user, group), norn_names_change)
NAMES(int, faccessat, (int at, const char *a, int mode, int flags), (at, a, mode, flags),
      norn_names_look)

/* And what is in the file. */
#define FACTS(name, parameters, arguments, at, path, flags)           \
	AROUND(int, name, parameters, arguments,                      \
	       (norn_names_look(), norn_looks_path(at, path, flags)), \
	       (norn_names_look(), norn_looks_path(at, path, flags)))
FACTS(stat, (const char *a, struct stat *to), (a, to), AT_FDCWD, a, 0)
FACTS(lstat, (const char *a, struct stat *to), (a, to), AT_FDCWD, a, AT_SYMLINK_NOFOLLOW)
FACTS(stat64, (const char *a, struct stat64 *to), (a, to), AT_FDCWD, a, 0)
FACTS(lstat64, (const char *a, struct stat64 *to), (a, to), AT_FDCWD, a, AT_SYMLINK_NOFOLLOW)
FACTS(fstatat, (int at, const char *a, struct stat *to, int flags), (at, a, to, flags), at, a,
      flags)
FACTS(fstatat64, (int at, const char *a, struct stat64 *to, int flags), (at, a, to, flags), at, a,
      flags)
FACTS(statx, (int at, const char *a, int flags, unsigned mask, struct statx *to),
      (at, a, flags, mask, to), at, a, flags & ~AT_STATX_SYNC_TYPE)

/* Locks of files, queues, semaphores of System V */
static void queues(void)
{
	norn_noticed_queue();
	norn_announce_queue();
}

#define QUEUES(type, name, parameters, arguments) \
	AROUND(type, name, parameters, arguments, queues(), queues())
QUEUES(int, flock, (int fd, int what), (fd, what))
QUEUES(int, lockf, (int fd, int what, off_t n), (fd, what, n))
QUEUES(int, semop, (int set, struct sembuf *what, size_t n), (set, what, n))
QUEUES(int, semtimedop, (int set, struct sembuf *what, size_t n, const struct timespec *time),
       (set, what, n, time))
QUEUES(int, msgsnd, (int queue, const void *p, size_t n, int flags), (queue, p, n, flags))
QUEUES(ssize_t, msgrcv, (int queue, void *p, size_t n, long type, int flags),
       (queue, p, n, type, flags))
QUEUES(int, mq_send, (mqd_t queue, const char *p, size_t n, unsigned priority),
       (queue, p, n, priority))
QUEUES(ssize_t, mq_receive, (mqd_t queue, char *p, size_t n, unsigned *priority),
       (queue, p, n, priority))
QUEUES(int, mq_timedsend,
       (mqd_t queue, const char *p, size_t n, unsigned priority, const struct timespec *time),
       (queue, p, n, priority, time))
QUEUES(ssize_t, mq_timedreceive,
       (mqd_t queue, char *p, size_t n, unsigned *priority, const struct timespec *time),
       (queue, p, n, priority, time))

static void controls(int fd, int what)
{
	switch (what) {
	case F_SETLK:
	case F_SETLKW:
	case F_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
	case F_OFD_GETLK: queues(); break;
	default: __norn_descriptor_changes(fd);
	}
}

#define CONTROLS(name)                                                \
	WEAK int name(int fd, int what, ...)                          \
	{                                                             \
		bool noted = COUNTS;                                  \
		va_list list;                                         \
		va_start(list, what);                                 \
		unsigned long argument = va_arg(list, unsigned long); \
		va_end(list);                                         \
		if (noted)                                            \
			controls(fd, what);                           \
		int r = NORN_REAL(name)(fd, what, argument);          \
		if (noted)                                            \
			controls(fd, what);                           \
		if (what == F_DUPFD || what == F_DUPFD_CLOEXEC)       \
			norn_descriptor_doubled(fd, r);               \
		return r;                                             \
	}
CONTROLS(fcntl)
CONTROLS(fcntl64)

AROUND(int, dup, (int fd), (fd), __norn_process_changes(), norn_descriptor_doubled(fd, r))
#define DUPLICATES(name, parameters, arguments)                                 \
	AROUND(int, name, parameters, arguments, __norn_descriptor_changes(to), \
	       (norn_descriptor_doubled(fd, r), __norn_descriptor_changes(to)))
DUPLICATES(dup2, (int fd, int to), (fd, to))
DUPLICATES(dup3, (int fd, int to, int flags), (fd, to, flags))

/* Signals */
#define SIGNALS(name, parameters, arguments) \
	AROUND(int, name, parameters, arguments, norn_announce_signal(signal), NOTHING)
SIGNALS(kill, (pid_t to, int signal), (to, signal))
SIGNALS(killpg, (pid_t to, int signal), (to, signal))
SIGNALS(pthread_kill, (pthread_t to, int signal), (to, signal))
SIGNALS(sigqueue, (pid_t to, int signal, const union sigval value), (to, signal, value))

static void noticed_one_of(int r, const int *signal)
{
	if (!r)
		norn_noticed_signal(*signal);
}

AROUND(int, sigwait, (const sigset_t *set, int *signal), (set, signal), NOTHING,
       noticed_one_of(r, signal))

/* Of the process */
#define PROCESS(type, name, parameters, arguments) \
	AROUND(type, name, parameters, arguments, norn_children_look(), norn_children_change())
PROCESS(pid_t, wait, (int *status), (status))
PROCESS(pid_t, waitpid, (pid_t process, int *status, int flags), (process, status, flags))
NAMES(int, setrlimit, (__rlimit_resource_t what, const struct rlimit *to), (what, to),
      __norn_process_changes)
NAMES(int, getrlimit, (__rlimit_resource_t what, struct rlimit *to), (what, to),
      __norn_process_looks)

/* Libraries give their threads names, as pthread_setname_np does. */
WEAK int prctl(int option, ...)
{
	bool noted = COUNTS;
	va_list list;
	unsigned long a[4];
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	int r = NORN_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
	if (noted && r >= 0 && option == PR_SET_NAME)
		norn_name_self((const char *)a[0]);
	return r;
}

#endif
