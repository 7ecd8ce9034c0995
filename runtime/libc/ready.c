/* SPDX-License-Identifier: MIT */
/* Waiting for descriptors, and making pairs of them. */
#include "runtime/inputs.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/remote.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Which of them are ready is an input if all are outside or saved. If the program itself makes
 * some of them ready, as with pipes of its own, it will do so again.
 */
static bool is_input(int fd, bool so_far)
{
	return so_far && norn_origin_of(fd) != NORN_INSIDE;
}

static bool polls_outside(const struct pollfd *fds, nfds_t n)
{
	bool outside = n > 0;
	for (nfds_t i = 0; i < n && outside; i++)
		outside = is_input(fds[i].fd, outside);
	return outside;
}

/* What the program is told, as it was recorded: the descriptors are its own. */
static bool poll_given(struct pollfd *fds, nfds_t n, int *r)
{
	struct norn_input in;
	if (!norn_input_given(INPUT_POLL, &in) || in.size != n * sizeof *fds)
		return false;
	const struct pollfd *then = in.bytes;
	for (nfds_t i = 0; i < n; i++)
		fds[i].revents = then[i].revents;
	*r = (int)in.result;
	return true;
}

/* poll and ppoll: `ppoll` if `exact`, with its time and signals. */
static int do_poll(const void *pc, struct pollfd *fds, nfds_t n, int timeout, bool exact,
		   const struct timespec *time, const sigset_t *signals)
{
	struct norn_scratch ours;
	size_t size;
	norn_scratch_init(&ours);
	norn_long_call();
	if (__builtin_mul_overflow(n, sizeof *fds, &size) || !norn_scratch_grow(&ours, size))
		return exact ? ppoll(fds, n, time, signals) : poll(fds, n, timeout);
	struct pollfd *copy = (struct pollfd *)ours.data;
	if (!norn_can_write(fds, size) || !norn_fetch(pc, copy, fds, size)) {
		norn_scratch_release(&ours);
		return exact ? ppoll(fds, n, time, signals) : poll(fds, n, timeout);
	}
	norn_decided(pc);
	bool outside = polls_outside(copy, n);
	int r;
	if (!outside || !poll_given(copy, n, &r))
		r = outside ? exact ? ppoll(copy, n, time, signals) : poll(copy, n, timeout)
			    : norn_remote_poll(copy, n, timeout, exact, time, signals);
	if (outside)
		norn_input_keep(INPUT_POLL, r, copy, size);
	int error = errno;
	for (nfds_t i = 0; i < n && r >= 0; i++) {
		norn_polled(copy[i].fd);
		norn_put(pc, &fds[i].revents, &copy[i].revents, sizeof fds[i].revents);
	}
	norn_scratch_release(&ours);
	errno = error;
	return r;
}

static int do_ppoll(const void *pc, struct pollfd *fds, nfds_t n, const struct timespec *time,
		    const sigset_t *signals)
{
	norn_see(pc, time, time ? sizeof *time : 0);
	norn_see(pc, signals, signals ? sizeof *signals : 0);
	return do_poll(pc, fds, n, 0, true, time, signals);
}

int __norn_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	return do_poll(NORN_CALLER, fds, n, timeout, false, NULL, NULL);
}

int __norn_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *signals)
{
	return do_ppoll(NORN_CALLER, fds, n, time, signals);
}

int __norn___poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	if (room / sizeof *fds < n)
		__chk_fail();
	return do_poll(NORN_CALLER, fds, n, timeout, false, NULL, NULL);
}

int __norn___ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *time,
		       const sigset_t *signals, size_t room)
{
	if (room / sizeof *fds < n)
		__chk_fail();
	return do_ppoll(NORN_CALLER, fds, n, time, signals);
}

/* Sets of descriptors may be larger than fd_set, in memory of the program's own: n bits each. */
struct sets {
	fd_set *theirs[3];
	struct norn_scratch ours[3];
	size_t size;
};

static bool sets_begin(const void *pc, struct sets *s, int n)
{
	bool room = true;
	s->size = n < 0 ? 0 : ((size_t)n + 63) / 64 * 8;
	for (int i = 0; i < 3; i++) {
		norn_scratch_init(&s->ours[i]);
		room = room && norn_scratch_grow(&s->ours[i], s->size);
	}
	for (int i = 0; i < 3 && room; i++)
		room = !s->theirs[i] || norn_can_write(s->theirs[i], s->size);
	for (int i = 0; i < 3 && room; i++)
		if (s->theirs[i])
			norn_get(pc, s->ours[i].data, s->theirs[i], s->size);
	return room;
}

static fd_set *set_of(struct sets *s, int i)
{
	return s->theirs[i] ? (fd_set *)s->ours[i].data : NULL;
}

static void sets_end(const void *pc, struct sets *s, int n, int ready)
{
	for (int i = 0; i < 3; i++) {
		for (int fd = 0; ready >= 0 && s->theirs[i] && fd < n; fd++)
			if (((const char *)s->theirs[i])[fd / 8] >> fd % 8 & 1)
				norn_polled(fd);
		if (ready >= 0 && s->theirs[i])
			norn_put(pc, s->theirs[i], s->ours[i].data, s->size);
		norn_scratch_release(&s->ours[i]);
	}
}

static bool selects_outside(const struct sets *s, int n)
{
	bool any = false, outside = true;
	for (int i = 0; i < 3; i++)
		for (int fd = 0; s->theirs[i] && outside && fd < n; fd++)
			if (s->ours[i].data[fd / 8] >> fd % 8 & 1) {
				any = true;
				outside = is_input(fd, outside);
			}
	return any && outside;
}

/* All three sets, and behind them `left`, if there is one. */
static bool select_given(struct sets *s, struct timeval *left, int *r)
{
	struct norn_input in;
	if (!norn_input_given(INPUT_SELECT, &in) || in.size != 3 * s->size + sizeof *left)
		return false;
	for (int i = 0; i < 3; i++)
		memcpy(s->ours[i].data, (const char *)in.bytes + i * s->size, s->size);
	if (left)
		memcpy(left, (const char *)in.bytes + 3 * s->size, sizeof *left);
	*r = (int)in.result;
	return true;
}

static void select_keep(const struct sets *s, const struct timeval *left, int r)
{
	struct norn_scratch all;
	norn_scratch_init(&all);
	if (norn_scratch_grow(&all, 3 * s->size + sizeof *left)) {
		memset(all.data, 0, 3 * s->size + sizeof *left);
		for (int i = 0; i < 3; i++)
			if (s->theirs[i])
				memcpy(all.data + i * s->size, s->ours[i].data, s->size);
		if (left)
			memcpy(all.data + 3 * s->size, left, sizeof *left);
		norn_input_keep(INPUT_SELECT, r, all.data, 3 * s->size + sizeof *left);
	}
	norn_scratch_release(&all);
}

static int select_really(struct sets *s, int n, bool outside, struct timeval *left, bool exact,
			 const struct timespec *time, const sigset_t *signals)
{
	fd_set *const sets[3] = {set_of(s, 0), set_of(s, 1), set_of(s, 2)};
	if (!outside)
		return norn_remote_select(n, sets, left, exact, time, signals);
	return exact ? pselect(n, sets[0], sets[1], sets[2], time, signals)
		     : select(n, sets[0], sets[1], sets[2], left);
}

int __norn_select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *time)
{
	struct sets s = {.theirs = {in, out, except}};
	struct timeval left;
	norn_long_call();
	if ((time && !norn_can_write(time, sizeof *time)) || !sets_begin(NORN_CALLER, &s, n))
		return select(n, in, out, except, time);
	if (time)
		norn_get(NORN_CALLER, &left, time, sizeof left);
	norn_decided(NORN_CALLER);
	bool outside = selects_outside(&s, n);
	int r;
	if (!outside || !select_given(&s, time ? &left : NULL, &r))
		r = select_really(&s, n, outside, time ? &left : NULL, false, NULL, NULL);
	if (outside)
		select_keep(&s, time ? &left : NULL, r);
	int error = errno;
	sets_end(NORN_CALLER, &s, n, r);
	if (time)
		norn_put(NORN_CALLER, time, &left, sizeof left);
	errno = error;
	return r;
}

int __norn_pselect(int n, fd_set *in, fd_set *out, fd_set *except, const struct timespec *time,
		   const sigset_t *signals)
{
	struct sets s = {.theirs = {in, out, except}};
	norn_see(NORN_CALLER, time, time ? sizeof *time : 0);
	norn_see(NORN_CALLER, signals, signals ? sizeof *signals : 0);
	norn_long_call();
	if (!sets_begin(NORN_CALLER, &s, n))
		return pselect(n, in, out, except, time, signals);
	norn_decided(NORN_CALLER);
	bool outside = selects_outside(&s, n);
	int r;
	if (!outside || !select_given(&s, NULL, &r))
		r = select_really(&s, n, outside, NULL, true, time, signals);
	if (outside)
		select_keep(&s, NULL, r);
	int error = errno;
	sets_end(NORN_CALLER, &s, n, r);
	errno = error;
	return r;
}

static int do_epoll(const void *pc, int fd, struct epoll_event *to, int n, int timeout, bool exact,
		    const sigset_t *signals)
{
	struct norn_inlet in;
	size_t size = n > 0 ? (size_t)n * sizeof *to : 0;
	struct epoll_event *buffer = norn_inlet_begin(&in, to, size);
	norn_long_call();
	int r = norn_remote_epoll_wait(fd, buffer, n, timeout, exact, signals);
	norn_polled(fd);
	norn_inlet_end(pc, &in, r > 0 ? (size_t)r * sizeof *to : 0);
	return r;
}

int __norn_epoll_wait(int fd, struct epoll_event *to, int n, int timeout)
{
	return do_epoll(NORN_CALLER, fd, to, n, timeout, false, NULL);
}

int __norn_epoll_pwait(int fd, struct epoll_event *to, int n, int timeout, const sigset_t *signals)
{
	norn_see(NORN_CALLER, signals, signals ? sizeof *signals : 0);
	return do_epoll(NORN_CALLER, fd, to, n, timeout, true, signals);
}

int __norn_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
	norn_see(NORN_CALLER, event, event ? sizeof *event : 0);
	/* From here on it tells; and what it has to tell already was done before this. */
	norn_watches();
	norn_polled(fd);
	norn_announce(epoll);
	if (event && !norn_can_read(event, sizeof *event))
		return epoll_ctl(epoll, op, fd, event);
	return norn_remote_epoll_ctl(epoll, op, fd, event);
}

static int pair_end(const void *pc, int *to, const int pair[2], int r)
{
	int error = errno;
	if (!r)
		norn_lay(pc, to, pair, 2 * sizeof *to);
	errno = error;
	return r;
}

int __norn_pipe(int *to)
{
	if (!norn_can_write(to, 2 * sizeof *to))
		return pipe(to);
	int pair[2], r = pipe(pair);
	return pair_end(NORN_CALLER, to, pair, r);
}

int __norn_pipe2(int *to, int flags)
{
	if (!norn_can_write(to, 2 * sizeof *to))
		return pipe2(to, flags);
	int pair[2], r = pipe2(pair, flags);
	return pair_end(NORN_CALLER, to, pair, r);
}

int __norn_socketpair(int domain, int type, int protocol, int *to)
{
	if (!norn_can_write(to, 2 * sizeof *to))
		return socketpair(domain, type, protocol, to);
	int pair[2], r = socketpair(domain, type, protocol, pair);
	return pair_end(NORN_CALLER, to, pair, r);
}
