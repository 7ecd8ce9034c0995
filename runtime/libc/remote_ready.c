/* SPDX-License-Identifier: MIT */
/* Which descriptors are ready, if some of them lead out of the process (remote.h). */
#include <errno.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>

#include "runtime/libc/libc.h"
#include "runtime/libc/remote.h"
#include "runtime/registered.h"
#include "runtime/sys.h"

/* What is ready and is not remote: devices are always, or are inputs of their own. */
static void await(int fd, short events)
{
	if (fd >= 0 && events && norn_origin_of(fd) == NORN_INSIDE && !norn_is_remote(fd))
		norn_await_inside(fd, events);
}

/* poll */

static bool polls_remote(const struct pollfd *fds, nfds_t n)
{
	for (nfds_t i = 0; i < n; i++)
		if (norn_is_remote(fds[i].fd))
			return true;
	return false;
}

static int poll_again(const struct norn_input *in, struct pollfd *fds, nfds_t n)
{
	const struct pollfd *then = in->bytes;
	for (nfds_t i = 0; i < n && in->size == n * sizeof *fds; i++) {
		fds[i].revents = then[i].revents;
		await(fds[i].fd, fds[i].revents);
	}
	return (int)in->result;
}

int norn_remote_poll(struct pollfd *fds, nfds_t n, int timeout, bool exact,
		     const struct timespec *time, const sigset_t *signals)
{
	struct norn_input in;
	bool remote = (norn_keeps_inputs() || norn_gives_sockets()) && polls_remote(fds, n);
	int r;
	if (remote && norn_gives_sockets()) {
		norn_input_await(INPUT_READY, &in);
		r = poll_again(&in, fds, n);
	} else {
		r = exact ? ppoll(fds, n, time, signals) : poll(fds, n, timeout);
	}
	if (remote)
		norn_input_keep(INPUT_READY, r, fds, n * sizeof *fds);
	return r;
}

/* select */

static bool has(const fd_set *set, int fd)
{
	return set && ((const char *)set)[fd / 8] >> fd % 8 & 1;
}

static bool selects_remote(int n, fd_set *const sets[3])
{
	for (int fd = 0; fd < n; fd++)
		if ((has(sets[0], fd) || has(sets[1], fd) || has(sets[2], fd)) &&
		    norn_is_remote(fd))
			return true;
	return false;
}

static size_t size_of_set(int n)
{
	return n < 0 ? 0 : ((size_t)n + 63) / 64 * 8;
}

static int select_again(const struct norn_input *in, int n, fd_set *const sets[3],
			struct timeval *left)
{
	size_t size = size_of_set(n);
	if (in->size != 3 * size + sizeof *left)
		return (int)in->result;
	for (int i = 0; i < 3; i++)
		if (sets[i])
			memcpy(sets[i], (const char *)in->bytes + (size_t)i * size, size);
	if (left)
		memcpy(left, (const char *)in->bytes + 3 * size, sizeof *left);
	for (int fd = 0; fd < n; fd++) {
		await(fd, has(sets[0], fd) ? POLLIN : 0);
		await(fd, has(sets[1], fd) ? POLLOUT : 0);
	}
	return (int)in->result;
}

static void keep_select(int n, fd_set *const sets[3], const struct timeval *left, int r)
{
	struct norn_scratch all;
	size_t size = size_of_set(n);
	int error = errno;
	norn_scratch_init(&all);
	if (norn_scratch_grow(&all, 3 * size + sizeof *left)) {
		memset(all.data, 0, 3 * size + sizeof *left);
		for (int i = 0; i < 3; i++)
			if (sets[i])
				memcpy(all.data + (size_t)i * size, sets[i], size);
		if (left)
			memcpy(all.data + 3 * size, left, sizeof *left);
		errno = error;
		norn_input_keep(INPUT_READY, r, all.data, 3 * size + sizeof *left);
	}
	norn_scratch_release(&all);
	errno = error;
}

int norn_remote_select(int n, fd_set *const sets[3], struct timeval *time, bool exact,
		       const struct timespec *exact_time, const sigset_t *signals)
{
	struct norn_input in;
	bool remote = (norn_keeps_inputs() || norn_gives_sockets()) && selects_remote(n, sets);
	int r;
	if (remote && norn_gives_sockets()) {
		norn_input_await(INPUT_READY, &in);
		r = select_again(&in, n, sets, time);
	} else {
		r = exact ? pselect(n, sets[0], sets[1], sets[2], exact_time, signals)
			  : select(n, sets[0], sets[1], sets[2], time);
	}
	if (remote)
		keep_select(n, sets, time, r);
	return r;
}

/* epoll: what it watches may change while it waits, so all that it says is kept. */

struct told {
	uint32_t thread, number, events,
		reserved; /* number 0: it is not known, and `word` is what it was */
	uint64_t word;
};

static void keep_epoll(int epoll, const struct epoll_event *events, int r)
{
	struct norn_scratch all;
	size_t n = r > 0 ? (size_t)r : 0;
	int error = errno;
	norn_scratch_init(&all);
	if (norn_scratch_grow(&all, n * sizeof(struct told))) {
		struct told *told = (struct told *)all.data;
		for (size_t i = 0; i < n; i++) {
			struct norn_registered is = {.number = 0};
			norn_registered_by_word(epoll, events[i].data.u64, &is);
			told[i] = (struct told){.thread = is.thread,
						.number = is.number,
						.events = events[i].events,
						.word = events[i].data.u64};
		}
		errno = error;
		norn_input_keep(INPUT_EPOLL, r, told, n * sizeof *told);
	}
	norn_scratch_release(&all);
	errno = error;
}

#define AWAITED (POLLIN | POLLPRI | POLLOUT | POLLHUP | POLLERR | POLLRDHUP)

/* The thread that registers it may not have come so far yet. */
static void give_event(const struct told *told, struct epoll_event *to)
{
	static const struct timespec nap = {.tv_nsec = 500000};
	struct norn_registered is = {.word = told->word, .fd = -1};
	norn_input_waits();
	while (told->number && !norn_registered_by_thread(told->thread, told->number, &is))
		NORN_SYS(nanosleep, &nap, 0, 0, 0, 0, 0);
	to->events = told->events;
	to->data.u64 = is.word;
	/* what epoll says of it poll says, too, by the same numbers */
	await(is.fd, (short)(told->events & AWAITED));
}

static int wait_again(const struct norn_input *in, struct epoll_event *to, int n)
{
	const struct told *told = in->bytes;
	int error = errno;
	for (int i = 0; i < n && i < in->result && (size_t)i < in->size / sizeof *told; i++)
		give_event(&told[i], &to[i]);
	errno = error;
	return (int)in->result;
}

int norn_remote_epoll_wait(int epoll, struct epoll_event *to, int n, int timeout, bool exact,
			   const sigset_t *signals)
{
	struct norn_input in;
	int r;
	if (norn_gives_sockets()) {
		norn_input_await(INPUT_EPOLL, &in);
		r = wait_again(&in, to, n);
	} else {
		r = exact ? epoll_pwait(epoll, to, n, timeout, signals)
			  : epoll_wait(epoll, to, n, timeout);
	}
	if (norn_keeps_inputs())
		keep_epoll(epoll, to, r);
	return r;
}

int norn_remote_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
	struct norn_input in;
	bool remote = (norn_keeps_inputs() || norn_gives_sockets()) && norn_is_remote(fd);
	/* before it can be told */
	if (event && (op == EPOLL_CTL_ADD || op == EPOLL_CTL_MOD))
		norn_epoll_register(epoll, fd, event->data.u64);
	int r;
	if (remote && norn_gives_sockets()) {
		norn_input_await(INPUT_SETTING, &in);
		r = (int)in.result;
	} else {
		r = epoll_ctl(epoll, op, fd, event);
	}
	if (remote)
		norn_input_keep(INPUT_SETTING, r, NULL, 0);
	return r;
}
