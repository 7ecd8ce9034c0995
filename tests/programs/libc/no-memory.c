/*
 * Calls of the kernel with memory that is not there, or that cannot be written: they fail with EFAULT, or do what they can,
 * as they do without Norn, and the program goes on.
 *
 * expect: nothing
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int in[2], out[2], sockets[2], listener, polled, timer, file;
static char name[] = "/tmp/norn-no-memory.XXXXXX";

#define SHOW(call)                                                              \
	do {                                                                    \
		errno = 0;                                                      \
		long result_ = (long)(call);                                    \
		printf("%s: %ld %d\n", #call, result_, result_ < 0 ? errno : 0); \
	} while (0)

static void refill(void)
{
	char byte[100];

	fcntl(in[0], F_SETFL, O_NONBLOCK);
	while (read(in[0], byte, sizeof byte) > 0)
		;
	write(in[1], "0123456789", 10);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	while (read(out[0], byte, sizeof byte) > 0)
		;
	while (recv(sockets[0], byte, sizeof byte, MSG_DONTWAIT) > 0)
		;
	send(sockets[1], "0123456789", 10, 0);
	lseek(file, 0, SEEK_SET);
}

/* With memory that cannot be used in that way. */
static void descriptors(void *p)
{
	struct iovec vector = {p, 4};
	struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

	refill();
	SHOW(read(in[0], p, 4));
	SHOW(pread(file, p, 4, 0));
	SHOW(readv(in[0], &vector, 1));
	SHOW(readv(in[0], p, 1));
	SHOW(preadv(file, &vector, 1, 0));
	SHOW(recv(sockets[0], p, 4, MSG_DONTWAIT));
	SHOW(recvfrom(sockets[0], p, 4, MSG_DONTWAIT, NULL, NULL));
	SHOW(recvmsg(sockets[0], &message, MSG_DONTWAIT));
	SHOW(recvmsg(sockets[0], p, MSG_DONTWAIT));
	SHOW(getrandom(p, 4, 0));
	SHOW(readlink("/proc/self/exe", p, 4));
	SHOW(getcwd(p, 400) != NULL);
	SHOW(pipe(p));
	SHOW(pipe2(p, 0));
	SHOW(socketpair(AF_UNIX, SOCK_STREAM, 0, p));
	SHOW(epoll_wait(polled, p, 1, 0));
	SHOW(getsockname(listener, p, p));
	SHOW(getsockopt(listener, SOL_SOCKET, SO_TYPE, p, p));
	SHOW(sendfile(out[1], file, p, 1));
	SHOW(splice(in[0], p, out[1], NULL, 1, 0));
}

static void facts(void *p)
{
	SHOW(stat("/", p));
	SHOW(lstat("/", p));
	SHOW(fstat(file, p));
	SHOW(fstatat(AT_FDCWD, "/", p, 0));
	SHOW(statx(AT_FDCWD, "/", 0, STATX_ALL, p));
	SHOW(uname(p));
	SHOW(getrusage(RUSAGE_SELF, p));
	SHOW(getrlimit(RLIMIT_NOFILE, p));
	SHOW(prlimit(0, RLIMIT_NOFILE, NULL, p) && p);
	SHOW(getitimer(ITIMER_REAL, p));
	SHOW(sigpending(p));
	SHOW(timerfd_gettime(timer, p));
	SHOW(getresuid(p, p, p));
	SHOW(fcntl(file, F_GETLK, p));
	SHOW(waitpid(-1, p, WNOHANG));
	SHOW(poll(p, 1, 0));
}

/* With memory that cannot be read. */
static void given(void *p)
{
	struct iovec vector = {p, 4};
	struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

	SHOW(write(out[1], p, 4));
	SHOW(pwrite(file, p, 4, 0));
	SHOW(writev(out[1], &vector, 1));
	SHOW(writev(out[1], p, 1));
	SHOW(send(sockets[1], p, 4, 0));
	SHOW(sendmsg(sockets[1], &message, 0));
	SHOW(sendmsg(sockets[1], p, 0));
	SHOW(bind(listener, p, 16));
	SHOW(connect(listener, p, 16));
	SHOW(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, p, 4));
	SHOW(epoll_ctl(polled, EPOLL_CTL_ADD, in[0], p));
	SHOW(nanosleep(p, NULL));
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, 0, p, NULL));
	SHOW(timerfd_settime(timer, 0, p, NULL));
	SHOW(setitimer(ITIMER_REAL, p, NULL) && p);
	SHOW(setrlimit(RLIMIT_CORE, p) && p);
	SHOW(fcntl(file, F_SETLK, p));
	SHOW(prctl(PR_SET_NAME, p));
	SHOW(futimens(file, p) && p);
}

static void names(const char *p)
{
	SHOW(open(p, O_RDONLY));
	SHOW(openat(AT_FDCWD, p, O_RDONLY));
	SHOW(creat(p, 0600));
	SHOW(stat(p, &(struct stat){0}));
	SHOW(access(p, F_OK));
	SHOW(unlink(p));
	SHOW(rename(p, "/tmp"));
	SHOW(link("/", p));
	SHOW(symlink(p, p));
	SHOW(mkdir(p, 0700));
	SHOW(rmdir(p));
	SHOW(chdir(p));
	SHOW(chmod(p, 0600));
	SHOW(truncate(p, 0));
	SHOW(readlink(p, (char[4]){0}, 4));
	SHOW(inotify_add_watch(polled, p, IN_CREATE));
	SHOW(execve(p, NULL, NULL));
	SHOW(utimensat(AT_FDCWD, p, NULL, 0));
}

static void *nothing(void *p)
{
	return p;
}

int main(void)
{
	pthread_t thread;
	size_t page = (size_t)getpagesize();
	char *edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *fixed = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(edge + page, page);
	pthread_create(&thread, NULL, nothing, NULL);
	pipe(in);
	pipe(out);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	polled = epoll_create1(0);
	epoll_ctl(polled, EPOLL_CTL_ADD, in[0], &(struct epoll_event){.events = EPOLLIN});
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	file = mkstemp(name);
	write(file, "0123456789", 10);
	void *bad[] = {(void *)1, (void *)-1, edge + page};
	for (int i = 0; i < 3; i++) {
		descriptors(bad[i]);
		facts(bad[i]);
		given(bad[i]);
		names(bad[i]);
	}
	descriptors(fixed);
	facts(fixed);
	memset(edge + page - 6, 'x', 6);
	refill();
	SHOW(read(in[0], edge + page - 4, 8));
	SHOW(write(out[1], edge + page - 4, 8));
	SHOW(open(edge + page - 4, O_RDONLY));
	pthread_join(thread, NULL);
	unlink(name);
	return 0;
}
