/* SPDX-License-Identifier: MIT */
/* What the program of tests/cli/counted.t has libc do by a library. */
#define _GNU_SOURCE
#include "library.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <sys/sem.h>
#include <sys/msg.h>
#include <sys/file.h>
#include <fcntl.h>
#include <signal.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <string.h>
#include <stdlib.h>
#include <mqueue.h>
void library_write(int f)
{
	write(f, "x", 1);
}
void library_send(int f)
{
	send(f, "x", 1, 0);
}
void library_sendto(int f)
{
	sendto(f, "x", 1, 0, NULL, 0);
}
void library_sendmsg(int f)
{
	struct iovec v = {"x", 1};
	struct msghdr h = {.msg_iov = &v, .msg_iovlen = 1};
	sendmsg(f, &h, 0);
}
void library_dprintf(int f)
{
	dprintf(f, "%d", 7);
}
void library_evw(int f)
{
	eventfd_write(f, 1);
}
void library_pwrite(int f)
{
	pwrite(f, "told", 4, 0);
}
void library_semop(int s)
{
	struct sembuf b = {0, 1, 0};
	semop(s, &b, 1);
}
void library_msgsnd(int q)
{
	struct {
		long t;
		char c[4];
	} m = {1};
	msgsnd(q, &m, 4, 0);
}
void library_flockun(int f)
{
	flock(f, LOCK_UN);
}
void library_lockf(int f)
{
	lockf(f, F_ULOCK, 1);
}
void library_fcntl(int f)
{
	struct flock l = {.l_type = F_UNLCK, .l_len = 1};
	fcntl(f, F_OFD_SETLK, &l);
}
void library_kill(int s)
{
	kill(getpid(), s);
}
void library_pkill(unsigned long t)
{
	pthread_kill(t, SIGUSR1);
}
void library_sigq(int s)
{
	union sigval v = {1};
	sigqueue(getpid(), s, v);
}
void library_ftrunc(int f)
{
	ftruncate(f, 77);
}
void library_fallocate(int f)
{
	posix_fallocate(f, 0, 99);
}
void library_fchmod(int f)
{
	fchmod(f, 0604);
}
void library_fputs(void *f)
{
	fputs("x", f);
}
void library_fprintf(void *f)
{
	fprintf(f, "%d\n", 5);
}
void library_putc(void *f)
{
	putc('x', f);
}
void library_shutdown(int f)
{
	shutdown(f, SHUT_WR);
}
void library_dup2(int a, int b)
{
	dup2(a, b);
}
void library_utimes(const char *p)
{
	struct timeval t[2] = {{5}, {5}};
	utimes(p, t);
}
void library_renameat(const char *a, const char *b)
{
	renameat(AT_FDCWD, a, AT_FDCWD, b);
}
void library_creat(const char *a)
{
	close(creat(a, 0600));
}
void library_mkfifo(const char *a)
{
	mkfifo(a, 0600);
}
void library_splice(int a, int b)
{
	splice(a, NULL, b, NULL, 1, 0);
}
void library_tfd(int f)
{
	struct itimerspec s = {.it_value.tv_nsec = 1000};
	timerfd_settime(f, 0, &s, NULL);
}
char library_recv(int f)
{
	char c = 0;
	recv(f, &c, 1, 0);
	return c;
}
char library_fgetc(void *f)
{
	return getc((FILE *)f);
}
int library_poll(int f)
{
	struct pollfd p = {f, POLLIN};
	return poll(&p, 1, -1);
}
int library_select(int f)
{
	fd_set s;
	FD_ZERO(&s);
	FD_SET(f, &s);
	return select(f + 1, &s, NULL, NULL, NULL);
}
int library_epoll(int f)
{
	int e = epoll_create1(0);
	struct epoll_event v = {EPOLLIN};
	epoll_ctl(e, EPOLL_CTL_ADD, f, &v);
	epoll_wait(e, &v, 1, -1);
	close(e);
	return 1;
}
int library_fstat(int f)
{
	struct stat s;
	fstat(f, &s);
	return s.st_size;
}
int library_statx(const char *p)
{
	struct statx s;
	return statx(AT_FDCWD, p, 0, STATX_SIZE, &s) ? -1 : s.stx_size;
}
int library_accept(int f)
{
	return accept(f, NULL, NULL);
}
void library_connect(const char *p)
{
	struct sockaddr_un u = {AF_UNIX};
	strcpy(u.sun_path, p);
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(s, (void *)&u, sizeof u);
	close(s);
}
void library_mq(int q)
{
	mq_send(q, "x", 1, 0);
}
