/*
 * Functions of libc that order threads, called by their addresses: from a table, as a wrapper of input and
 * output has it, a variable or an argument. One thread writes data and then tells the other, which reads
 * the data once it knows. That is right in each of the ways. The twin is touched on both sides of it, and races.
 *
 * expect: race @before @behind
 * output: varies
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ways.h"

static int ends[2], event;
static FILE *stream;
static char byte, path[64];
static sigset_t awaited;
static struct mmsghdr message;
static struct iovec part = {&byte, 1};

static volatile struct {
	ssize_t (*get)(int, void *, size_t);
	ssize_t (*put)(int, const void *, size_t);
	ssize_t (*take)(int, void *, size_t, int);
	ssize_t (*give)(int, const void *, size_t, int);
} io = {read, write, recv, send};

static int (*volatile set_priority)(__priority_which_t, id_t, int) = setpriority;
static int (*volatile priority)(__priority_which_t, id_t) = getpriority;
static int (*volatile control)(int, int, ...) = fcntl;
static long (*volatile call)(long, ...) = syscall;
static int (*volatile send_many)(int, struct mmsghdr *, unsigned, int) = sendmmsg;
static int (*volatile receive_many)(int, struct mmsghdr *, unsigned, int, struct timespec *) = recvmmsg;
static int (*volatile is_there)(const char *, int) = access;
static int (*volatile make)(const char *, int, ...) = open;
static int (*volatile print)(FILE *, const char *, ...) = fprintf;
static int (*volatile scan)(FILE *, const char *, ...) = fscanf;
static int (*volatile is_ready)(struct pollfd *, nfds_t, int) = poll;
static int (*volatile await)(const sigset_t *, int *) = sigwait;
static int (*volatile tell)(pid_t, int) = kill;
static int (*volatile add)(int, eventfd_t) = eventfd_write;
static int (*volatile remove_all)(int, eventfd_t *) = eventfd_read;
static int (*volatile named)(int, ...) = prctl;

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static void open_sockets(int kind)
{
	if (socketpair(AF_UNIX, kind, 0, ends))
		abort();
	message.msg_hdr = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
}

static void open_pipe(void)
{
	if (pipe(ends))
		abort();
}

static void open_stream(void)
{
	open_pipe();
	stream = fdopen(ends[0], "r");
}

static int is_called(const char *name)
{
	char now[16];
	return !named(PR_GET_NAME, now) && !strcmp(now, name);
}

static int (*given(int (*f)(int, int, ...)))(int, int, ...)
{
	return f;
}

static void print_number(void)
{
	FILE *to = fdopen(ends[1], "w");
	print(to, "%d %s\n", 7, "seven");
	fflush(to);
}

static void scan_number(void)
{
	int n;
	char word[10];
	if (scan(stream, "%d %9s", &n, word) != 2 || n != 7)
		abort();
}

WAY(pipe, open_pipe(), io.put(ends[1], "x", 1), io.get(ends[0], &byte, 1))
WAY(sockets, open_sockets(SOCK_STREAM), io.give(ends[1], "x", 1, 0), io.take(ends[0], &byte, 1, 0))
WAY(half, open_sockets(SOCK_STREAM), io.give(ends[1], "x", 1, 0), read(ends[0], &byte, 1))
WAY(many, open_sockets(SOCK_DGRAM), send_many(ends[1], &message, 1, 0), receive_many(ends[0], &message, 1, 0, NULL))
WAY(priority, , set_priority(PRIO_PROCESS, getpid(), 3), POLL(priority(PRIO_PROCESS, getpid()) != 3))
WAY(flag, open_pipe(), control(ends[0], F_SETFD, FD_CLOEXEC), POLL(!(control(ends[0], F_GETFD) & FD_CLOEXEC)))
WAY(argument, open_pipe(), given(fcntl)(ends[0], F_SETFD, FD_CLOEXEC), POLL(!(given(fcntl)(ends[0], F_GETFD) & FD_CLOEXEC)))
WAY(system_call, open_pipe(), call(SYS_write, ends[1], "x", 1L), call(SYS_read, ends[0], &byte, 1L))
WAY(file, snprintf(path, sizeof path, "/tmp/norn-by-address-%d", getpid()), make(path, O_CREAT | O_RDWR, 0600), POLL(is_there(path, R_OK)))
WAY(stream, open_stream(), print_number(), scan_number())
WAY(ready, open_pipe(), io.put(ends[1], "x", 1), is_ready(&(struct pollfd){ends[0], POLLIN, 0}, 1, -1))
WAY(signal, , tell(getpid(), SIGUSR1), await(&awaited, &(int){0}))
WAY(event, event = eventfd(0, 0), add(event, 1), remove_all(event, &(eventfd_t){0}))

int main(void)
{
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &awaited, NULL);
	named(PR_SET_NAME, "by-address", 0L, 0L, 0L);
	if (!is_called("by-address"))
		abort();
	RUN(pipe);
	RUN(sockets);
	RUN(half);
	RUN(many);
	RUN(priority);
	RUN(flag);
	RUN(argument);
	RUN(system_call);
	RUN(file);
	unlink(path);
	RUN(stream);
	RUN(ready);
	RUN(signal);
	RUN(event);
	printf("%d\n", seen > 0);
	return 0;
}
