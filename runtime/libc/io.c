/* SPDX-License-Identifier: MIT */
/* Reading and writing of descriptors. */
#include "runtime/hooks.h"
#include "runtime/inputs.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/remote.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

/* The kernel never gives more than this at once. */
#define TRANSFER_MAX ((size_t)0x7ffff000)

static size_t bounded(size_t n)
{
	return norn_least(n, TRANSFER_MAX);
}

static ssize_t arrived(const void *pc, int fd, struct norn_inlet *in, ssize_t n)
{
	norn_noticed(fd);
	norn_inlet_arrived(pc, in, n > 0 ? (size_t)n : 0);
	return n;
}

/* As many bytes as were read then: they all come, if somewhat later. */
static ssize_t read_all(int fd, char *to, size_t n)
{
	size_t done = 0;
	ssize_t r = 1;
	while (done < n && (r > 0 || (r < 0 && errno == EINTR))) {
		r = read(fd, to + done, n - done);
		done += r > 0 ? (size_t)r : 0;
	}
	return done || !r ? (ssize_t)done : -1;
}

/* `at`: NULL, where the last read left it. */
static ssize_t really_read(int fd, void *to, size_t n, const off_t *at)
{
	return at ? pread(fd, to, n, *at) : norn_remote_read(fd, to, n);
}

/* Standard input that is saved, and devices: nobody else gives of these. */
static ssize_t read_as_is(int fd, void *to, size_t n, const off_t *at)
{
	return at ? pread(fd, to, n, *at) : read(fd, to, n);
}

static ssize_t read_outside(int fd, void *to, size_t n, const off_t *at)
{
	struct norn_input in;
	ssize_t r;
	if (norn_input_given(INPUT_READ, &in) && in.size <= n) {
		r = in.result;
		memcpy(to, in.bytes, in.size);
	} else {
		r = read_as_is(fd, to, n, at);
	}
	norn_input_keep(INPUT_READ, r, to, r > 0 ? (size_t)r : 0);
	return r;
}

static ssize_t read_saved(int fd, void *to, size_t n, const off_t *at)
{
	struct norn_input in;
	ssize_t r;
	if (!norn_input_given(INPUT_READ, &in))
		r = read_as_is(fd, to, n, at);
	else if (in.result > 0)
		r = read_all(fd, to, norn_least((size_t)in.result, n));
	else
		r = in.result;
	norn_input_keep(INPUT_READ, r, NULL, 0);
	return r;
}

static ssize_t read_from(int fd, void *to, size_t n, const off_t *at)
{
	switch (norn_origin_of(fd)) {
	case NORN_OUTSIDE: return read_outside(fd, to, n, at);
	case NORN_SAVED: return read_saved(fd, to, n, at);
	default: return really_read(fd, to, n, at);
	}
}

static ssize_t do_read(const void *pc, int fd, void *to, size_t n)
{
	struct norn_inlet in;
	void *buffer = norn_inlet_begin(&in, to, bounded(n));
	norn_looks(fd);
	norn_long_call();
	ssize_t r = read_from(fd, buffer, bounded(n), NULL);
	norn_offset_noticed(fd);
	return arrived(pc, fd, &in, r);
}

static ssize_t do_pread(const void *pc, int fd, void *to, size_t n, off_t at)
{
	struct norn_inlet in;
	void *buffer = norn_inlet_begin(&in, to, bounded(n));
	norn_looks(fd);
	norn_long_call();
	return arrived(pc, fd, &in, read_from(fd, buffer, bounded(n), &at));
}

ssize_t __norn_read(int fd, void *to, size_t n)
{
	return do_read(NORN_CALLER, fd, to, n);
}

ssize_t __norn_pread(int fd, void *to, size_t n, off_t at)
{
	return do_pread(NORN_CALLER, fd, to, n, at);
}

ssize_t __norn_pread64(int fd, void *to, size_t n, off_t at)
{
	return do_pread(NORN_CALLER, fd, to, n, at);
}

ssize_t __norn___read_chk(int fd, void *to, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return do_read(NORN_CALLER, fd, to, n);
}

ssize_t __norn___pread_chk(int fd, void *to, size_t n, off_t at, size_t room)
{
	if (n > room)
		__chk_fail();
	return do_pread(NORN_CALLER, fd, to, n, at);
}

ssize_t __norn___pread64_chk(int fd, void *to, size_t n, off_t at, size_t room)
{
	if (n > room)
		__chk_fail();
	return do_pread(NORN_CALLER, fd, to, n, at);
}

/* What is stored or sent decides nothing. What a device or the kernel itself is told may decide
 * what the call returns. */
static struct norn_channel *departing(const void *pc, int fd, const void *from, size_t n)
{
	bool decides = !norn_only_stores(fd);
	if (decides)
		norn_gather();
	norn_memory_is_read();
	norn_see(pc, from, bounded(n));
	if (decides)
		norn_decided_by(pc, __norn_seen());
	struct norn_channel *channel = norn_announce(fd);
	norn_writes(fd, n);
	norn_long_call();
	return channel;
}

/* What is written to /proc/self/mem may be any memory. Then the call is as one of code without
 * hooks. */
#define MAY_CHANGE_MEMORY(fd, call)                                                                \
	({                                                                                         \
		uint32_t unseen_ = norn_is_of_process(fd) ? norn_anything_begins(NORN_CALLER) : 0; \
		ssize_t result_ = call;                                                            \
		norn_anything_ends(NORN_CALLER, unseen_);                                          \
		result_;                                                                           \
	})

static ssize_t departed(int fd, struct norn_channel *channel, ssize_t r)
{
	norn_announced(channel);
	norn_wrote(fd, r >= 0);
	return r;
}

ssize_t __norn_write(int fd, const void *from, size_t n)
{
	struct norn_channel *channel = departing(NORN_CALLER, fd, from, n);
	norn_offset_moves(fd);
	return departed(fd, channel, MAY_CHANGE_MEMORY(fd, norn_remote_write(fd, from, n)));
}

ssize_t __norn_pwrite(int fd, const void *from, size_t n, off_t at)
{
	struct norn_channel *channel = departing(NORN_CALLER, fd, from, n);
	return departed(fd, channel, MAY_CHANGE_MEMORY(fd, pwrite(fd, from, n, at)));
}

ssize_t __norn_pwrite64(int fd, const void *from, size_t n, off_t at)
{
	struct norn_channel *channel = departing(NORN_CALLER, fd, from, n);
	return departed(fd, channel, MAY_CHANGE_MEMORY(fd, pwrite(fd, from, n, at)));
}

/* Copies the vector; -1 if it is none, and then the kernel is to say so. Bytes in all: `total`. */
static int take_vector(const void *pc, const struct iovec *v, int n, struct iovec *ours,
		       size_t *total)
{
	*total = 0;
	if (n < 0 || n > IOV_MAX || !norn_can_read(v, (size_t)n * sizeof *v))
		return -1;
	norn_decided_by(pc, norn_get_position(pc, ours, v, (size_t)n * sizeof *v));
	for (int i = 0; i < n; i++)
		if (__builtin_add_overflow(*total, ours[i].iov_len, total))
			return -1;
	return *total > SSIZE_MAX ? -1 : 0;
}

static void scatter(const void *pc, const struct iovec *v, const char *from, size_t n)
{
	for (; n; v++) {
		size_t part = norn_least(v->iov_len, n);
		norn_lay(pc, v->iov_base, from, part);
		from += part;
		n -= part;
	}
}

/* As what the kernel gives, or has taken, bytes may end anywhere in the vector. */
static void see_vector(const void *pc, const struct iovec *v, size_t n)
{
	for (; n; v++) {
		size_t part = norn_least(v->iov_len, n);
		norn_see(pc, v->iov_base, part);
		n -= part;
	}
}

static bool can_scatter(const struct iovec *v, int n)
{
	for (int i = 0; i < n; i++)
		if (!norn_can_write(v[i].iov_base, v[i].iov_len))
			return false;
	return true;
}

static ssize_t read_vector(const void *pc, int fd, const struct iovec *v, int n, const off_t *at)
{
	struct norn_scratch ours, vectors;
	size_t total;
	norn_scratch_init(&ours);
	norn_scratch_init(&vectors);
	struct iovec *copy = (struct iovec *)vectors.data;
	if (n > 0 && n <= IOV_MAX && norn_scratch_grow(&vectors, (size_t)n * sizeof *v))
		copy = (struct iovec *)vectors.data;
	norn_looks(fd);
	norn_long_call();
	if (take_vector(pc, v, n, copy, &total) || !can_scatter(copy, n) ||
	    !norn_scratch_grow(&ours, bounded(total))) {
		norn_scratch_release(&vectors);
		return at ? preadv(fd, v, n, *at) : readv(fd, v, n);
	}
	ssize_t r = read_from(fd, ours.data, bounded(total), at);
	int error = errno;
	if (!at)
		norn_offset_noticed(fd);
	norn_noticed(fd);
	scatter(pc, copy, ours.data, r > 0 ? (size_t)r : 0);
	norn_scratch_release(&ours);
	norn_scratch_release(&vectors);
	errno = error;
	return r;
}

ssize_t __norn_readv(int fd, const struct iovec *v, int n)
{
	return read_vector(NORN_CALLER, fd, v, n, NULL);
}

ssize_t __norn_preadv(int fd, const struct iovec *v, int n, off_t at)
{
	return read_vector(NORN_CALLER, fd, v, n, &at);
}

ssize_t __norn_preadv64(int fd, const struct iovec *v, int n, off_t at)
{
	return read_vector(NORN_CALLER, fd, v, n, &at);
}

static struct norn_channel *departing_vector(const void *pc, int fd, const struct iovec *v, int n)
{
	struct norn_scratch vectors;
	size_t total = 0;
	norn_scratch_init(&vectors);
	if (n > 0 && n <= IOV_MAX && norn_scratch_grow(&vectors, (size_t)n * sizeof *v)) {
		struct iovec *copy = (struct iovec *)vectors.data;
		if (!take_vector(pc, v, n, copy, &total))
			see_vector(pc, copy, bounded(total));
	}
	if (!norn_only_stores(fd))
		norn_decided(pc);
	norn_scratch_release(&vectors);
	struct norn_channel *channel = norn_announce(fd);
	norn_writes(fd, total);
	norn_long_call();
	return channel;
}

ssize_t __norn_writev(int fd, const struct iovec *v, int n)
{
	struct norn_channel *channel = departing_vector(NORN_CALLER, fd, v, n);
	norn_offset_moves(fd);
	return departed(fd, channel, MAY_CHANGE_MEMORY(fd, norn_remote_writev(fd, v, n)));
}

ssize_t __norn_pwritev(int fd, const struct iovec *v, int n, off_t at)
{
	struct norn_channel *channel = departing_vector(NORN_CALLER, fd, v, n);
	return departed(fd, channel, MAY_CHANGE_MEMORY(fd, pwritev(fd, v, n, at)));
}

ssize_t __norn_pwritev64(int fd, const struct iovec *v, int n, off_t at)
{
	struct norn_channel *channel = departing_vector(NORN_CALLER, fd, v, n);
	return departed(fd, channel, MAY_CHANGE_MEMORY(fd, pwritev(fd, v, n, at)));
}

static ssize_t do_sendfile(const void *pc, int out, int in, off_t *at, size_t n)
{
	off_t ours = 0;
	if (at && (!norn_can_write(at, sizeof ours) || !norn_fetch(pc, &ours, at, sizeof ours)))
		return sendfile(out, in, at, n);
	struct norn_channel *channel = norn_announce(out);
	norn_writes(out, n);
	norn_looks(in);
	norn_offset_moves(out);
	norn_long_call();
	ssize_t r = norn_remote_sendfile(out, in, at ? &ours : NULL, n);
	norn_noticed(in);
	if (at)
		norn_put(pc, at, &ours, sizeof ours);
	else
		norn_offset_noticed(in);
	return departed(out, channel, r);
}

ssize_t __norn_sendfile(int out, int in, off_t *at, size_t n)
{
	return do_sendfile(NORN_CALLER, out, in, at, n);
}

ssize_t __norn_sendfile64(int out, int in, off_t *at, size_t n)
{
	return do_sendfile(NORN_CALLER, out, in, at, n);
}

static void give_offset(const void *pc, off64_t *to, const off64_t *ours)
{
	if (to)
		norn_put(pc, to, ours, sizeof *ours);
}

#define MOVE(name, flag)                                                                        \
	ssize_t __norn_##name(int in, off64_t *in_at, int out, off64_t *out_at, size_t n,       \
			      flag flags)                                                       \
	{                                                                                       \
		off64_t ours[2] = {0};                                                          \
		if ((in_at && !norn_can_write(in_at, sizeof *in_at)) ||                         \
		    (out_at && !norn_can_write(out_at, sizeof *out_at)))                        \
			return name(in, in_at, out, out_at, n, flags);                          \
		if (in_at)                                                                      \
			norn_get(NORN_CALLER, &ours[0], in_at, sizeof *ours);                   \
		if (out_at)                                                                     \
			norn_get(NORN_CALLER, &ours[1], out_at, sizeof *ours);                  \
		struct norn_channel *channel = norn_announce(out);                              \
		norn_writes(out, n);                                                            \
		norn_looks(in);                                                                 \
		norn_offset_moves(out);                                                         \
		norn_long_call();                                                               \
		ssize_t r = name(in, in_at ? &ours[0] : NULL, out, out_at ? &ours[1] : NULL, n, \
				 flags);                                                        \
		norn_noticed(in);                                                               \
		norn_offset_noticed(in);                                                        \
		give_offset(NORN_CALLER, in_at, &ours[0]);                                      \
		give_offset(NORN_CALLER, out_at, &ours[1]);                                     \
		return departed(out, channel, r);                                               \
	}
MOVE(splice, unsigned)
MOVE(copy_file_range, unsigned)

ssize_t __norn_tee(int in, int out, size_t n, unsigned flags)
{
	norn_announce(out);
	norn_writes(out, n);
	norn_long_call();
	ssize_t r = tee(in, out, n, flags);
	norn_polled(in);
	return departed(out, NULL, r);
}

int __norn_close(int fd)
{
	bool file = norn_closes(fd);
	int r = close(fd);
	norn_closed(fd, file);
	if (r)
		__norn_descriptor_changes(fd); /* it may have been closed by another thread */
	return r;
}

int __norn_shutdown(int fd, int how)
{
	norn_announce(fd);
	return norn_remote_shutdown(fd, how);
}

int __norn_eventfd_read(int fd, eventfd_t *to)
{
	eventfd_t value;
	norn_long_call();
	int r = norn_remote_read(fd, &value, sizeof value) == sizeof value ? 0 : -1;
	norn_noticed(fd);
	if (!r)
		norn_put(NORN_CALLER, to, &value, sizeof value);
	return r;
}

int __norn_eventfd_write(int fd, eventfd_t value)
{
	norn_announce(fd);
	norn_long_call();
	return eventfd_write(fd, value);
}
