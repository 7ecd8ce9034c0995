/* SPDX-License-Identifier: MIT */
/*
 * The program of tests/cli/counted.t: one thread writes data and tells, the other waits for that
 * and reads, as in ways.h. One of the two calls is made by a library that norn cc has not compiled,
 * and that has no atomics.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "library.h"
#include "../libc/ways.h"

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static int ends[2], fd, fd2, set, messages;
static char byte;
static FILE *stream;
static char name[64], other[64];
static struct {
	long t;
	char b[4];
} message = {1};
static long size(const char *p)
{
	struct stat s;
	return stat(p, &s) ? -1 : s.st_size;
}
static long mode(const char *p)
{
	struct stat s;
	return stat(p, &s) ? -1 : s.st_mode & 0777;
}
static long time_of(const char *p)
{
	struct stat s;
	return stat(p, &s) ? -1 : s.st_mtime;
}
static void open_pair(void)
{
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}
static void open_file(void)
{
	strcpy(name, "/tmp/norn-counted.XXXXXX");
	fd = mkstemp(name);
	fd2 = open(name, O_RDWR);
	sprintf(other, "%s.b", name);
}
static int told(void)
{
	char b[4] = "";
	return pread(fd2, b, 4, 0) == 4 && b[0] == 't';
}
static int ofd(int f, int t)
{
	struct flock l = {.l_type = t, .l_len = 1};
	return fcntl(f, F_OFD_SETLK, &l);
}
static sigset_t awaited;
static void await_signal(void)
{
	int n;
	sigwait(&awaited, &n);
}
static struct sockaddr_un address = {AF_UNIX};
static mqd_t queue;
static void open_socket(void)
{
	strcpy(address.sun_path, other);
	unlink(other);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(fd, (void *)&address, sizeof address);
	listen(fd, 4);
}
WAY(write, pipe(ends), library_write(ends[1]), read(ends[0], &byte, 1))
WAY(send, open_pair(), library_send(ends[1]), read(ends[0], &byte, 1))
WAY(sendto, open_pair(), library_sendto(ends[1]), recv(ends[0], &byte, 1, 0))
WAY(sendmsg, open_pair(), library_sendmsg(ends[1]), read(ends[0], &byte, 1))
WAY(dprintf, pipe(ends), library_dprintf(ends[1]), read(ends[0], &byte, 1))
WAY(evw, fd = eventfd(0, 0), library_evw(fd), eventfd_t v; eventfd_read(fd, &v))
WAY(pwrite, open_file(), library_pwrite(fd), POLL(!told()))
WAY(semop, set = semget(IPC_PRIVATE, 1, 0600), library_semop(set),
    semop(set, &(struct sembuf){0, -1, 0}, 1);
    semctl(set, 0, IPC_RMID))
WAY(msgsnd, messages = msgget(IPC_PRIVATE, 0600), library_msgsnd(messages),
    msgrcv(messages, &message, 4, 0, 0);
    msgctl(messages, IPC_RMID, 0))
WAY(flockun, flock(fd, LOCK_EX), library_flockun(fd), flock(fd2, LOCK_EX))
WAY(fcntl, flock(fd2, LOCK_UN); ofd(fd, F_WRLCK), library_fcntl(fd), POLL(ofd(fd2, F_WRLCK)))
WAY(kill, , library_kill(SIGUSR1), await_signal())
WAY(sigq, , library_sigq(SIGUSR1), await_signal())
WAY(ftrunc, , library_ftrunc(fd), POLL(size(name) != 77))
WAY(fallocate, , library_fallocate(fd), POLL(size(name) != 99))
WAY(fchmod, , library_fchmod(fd), POLL(mode(name) != 0604))
WAY(utimes, , library_utimes(name), POLL(time_of(name) != 5))
WAY(fputs, pipe(ends); stream = fdopen(ends[1], "w");
    setvbuf(stream, 0, _IONBF, 0), library_fputs(stream), read(ends[0], &byte, 1))
WAY(fprintf, pipe(ends); stream = fdopen(ends[1], "w");
    setvbuf(stream, 0, _IOLBF, 99), library_fprintf(stream), read(ends[0], &byte, 1))
WAY(putc, pipe(ends); stream = fdopen(ends[1], "w");
    setvbuf(stream, 0, _IONBF, 0), library_putc(stream), read(ends[0], &byte, 1))
WAY(shutdown, open_pair(), library_shutdown(ends[1]), read(ends[0], &byte, 1))
WAY(dup2, , library_dup2(1, 88), POLL(fcntl(88, F_GETFD) < 0))
WAY(creat, , library_creat(other), POLL(access(other, 0)))
WAY(renameat, , library_renameat(other, name), POLL(!access(other, 0)))
WAY(mkfifo, , library_mkfifo(other), POLL(access(other, 0)))
WAY(tfd, fd = timerfd_create(CLOCK_MONOTONIC, 0), library_tfd(fd), long v; read(fd, &v, 8))
WAY(recv, open_pair(), send(ends[1], "x", 1, 0), library_recv(ends[0]))
WAY(fgetc, pipe(ends); stream = fdopen(ends[0], "r"), write(ends[1], "x", 1), library_fgetc(stream))
WAY(poll, pipe(ends), write(ends[1], "x", 1), library_poll(ends[0]))
WAY(select, pipe(ends), write(ends[1], "x", 1), library_select(ends[0]))
WAY(epoll, pipe(ends), write(ends[1], "x", 1), library_epoll(ends[0]))
WAY(fstat, open_file(), ftruncate(fd, 55), POLL(library_fstat(fd2) != 55))
WAY(statx, , ftruncate(fd, 66), POLL(library_statx(name) != 66))
WAY(accept, open_socket(),
    connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&address, sizeof address), library_accept(fd))
WAY(connect, open_socket(), library_connect(other), accept(fd, NULL, NULL))
WAY(mq, queue = mq_open("/norn-counted", O_RDWR | O_CREAT, 0600, NULL);
    mq_unlink("/norn-counted"), library_mq(queue), static char b[9000];
    mq_receive(queue, b, 9000, NULL))
int main(void)
{
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &awaited, NULL);
	RUN(write);
	RUN(send);
	RUN(sendto);
	RUN(sendmsg);
	RUN(dprintf);
	RUN(evw);
	RUN(pwrite);
	RUN(semop);
	RUN(msgsnd);
	RUN(flockun);
	RUN(fcntl);
	RUN(kill);
	RUN(sigq);
	RUN(ftrunc);
	RUN(fallocate);
	RUN(fchmod);
	RUN(utimes);
	RUN(fputs);
	RUN(fprintf);
	RUN(putc);
	RUN(shutdown);
	RUN(dup2);
	RUN(creat);
	RUN(renameat);
	RUN(mkfifo);
	RUN(tfd);
	RUN(recv);
	RUN(fgetc);
	RUN(poll);
	RUN(select);
	RUN(epoll);
	RUN(fstat);
	RUN(statx);
	RUN(accept);
	RUN(connect);
	RUN(mq);
	unlink(name);
	unlink(other);
	printf("%d\n", seen > 0);
	return 0;
}
