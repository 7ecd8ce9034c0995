/* SPDX-License-Identifier: MIT */
/*
 * Sockets that lead out of the process. What they give, and how much they take, are inputs
 * (inputs.h). In replay nobody is at the other side: the program has real descriptors in their
 * place, so that close, dup, fcntl and the like do what they always do, but nothing is asked of
 * these. Each thread gets what it got in the recorded run, call by call, and what it sends is
 * swallowed as far as it was taken then. What did not come then does not come now: the thread waits
 * for good.
 *
 * What the process has at both ends is left to it: pipes, pairs of sockets, eventfds, timers. If an
 * event loop is told that one of these is ready, it waits until that is so, and reads from it end
 * with as many bytes as they did. If the program is connected to itself by a socket with a name, or
 * gets descriptors through one, that is kept as an input, too (INPUT_ITSELF), and then all sockets
 * are left to it.
 *
 * These stand for the functions of libc of the same names. They do not say anything to the log.
 */
#ifndef RUNTIME_LIBC_REMOTE_H
#define RUNTIME_LIBC_REMOTE_H

#include "runtime/inputs.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Pairs of sockets do not: both their ends have no name. */
bool norn_is_remote(int fd);

ssize_t norn_remote_receive(int fd, void *to, size_t n, int flags, struct sockaddr *from,
			    socklen_t *length);
ssize_t norn_remote_recvmsg(int fd, struct msghdr *m, int flags);
/* Of any descriptor that is no file. */
ssize_t norn_remote_read(int fd, void *to, size_t n);
ssize_t norn_remote_readv(int fd, const struct iovec *v, int n);

ssize_t norn_remote_send(int fd, const void *from, size_t n, int flags, const struct sockaddr *to,
			 socklen_t length);
ssize_t norn_remote_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t norn_remote_write(int fd, const void *from, size_t n);
ssize_t norn_remote_writev(int fd, const struct iovec *v, int n);
ssize_t norn_remote_sendfile(int out, int in, off_t *at, size_t n);

int norn_remote_accept(int fd, struct sockaddr *to, socklen_t *length, int flags);
int norn_remote_connect(int fd, const struct sockaddr *to, socklen_t length);
int norn_remote_bind(int fd, const struct sockaddr *to, socklen_t length);
int norn_remote_listen(int fd, int most);
int norn_remote_shutdown(int fd, int how);
int norn_remote_getsockname(int fd, struct sockaddr *to, socklen_t *length);
int norn_remote_getpeername(int fd, struct sockaddr *to, socklen_t *length);
int norn_remote_getsockopt(int fd, int level, int name, void *to, socklen_t *length);
int norn_remote_setsockopt(int fd, int level, int name, const void *value, socklen_t length);

/* `n`: bytes that it may fill at the argument. */
int norn_remote_ioctl(int fd, unsigned long request, void *argument, size_t n);

/* Which of them are ready (libc/remote_ready.c). `exact`: ppoll, with its time and signals. */
int norn_remote_poll(struct pollfd *fds, nfds_t n, int timeout, bool exact,
		     const struct timespec *time, const sigset_t *signals);
/* pselect if `exact`. */
int norn_remote_select(int n, fd_set *const sets[3], struct timeval *time, bool exact,
		       const struct timespec *exact_time, const sigset_t *signals);
int norn_remote_epoll_wait(int epoll, struct epoll_event *to, int n, int timeout, bool exact,
			   const sigset_t *signals);
int norn_remote_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event);

/* In replay, of what the process has at both ends: waits until it is so. */
void norn_await_inside(int fd, short events);

#endif
