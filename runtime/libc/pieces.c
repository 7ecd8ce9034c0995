/* SPDX-License-Identifier: MIT */
#include "runtime/libc/libc.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

const struct norn_set norn_nul = {{1, 0, 0, 0}};

struct norn_set norn_set_others(struct norn_set s)
{
	for (int i = 0; i < 4; i++)
		s.words[i] = ~s.words[i];
	return s;
}

struct norn_set norn_set_of(const void *pc, const char *members)
{
	struct norn_set s = {{0}};
	struct norn_piece piece;
	do {
		norn_piece_read(pc, members, SIZE_MAX, &norn_nul, &piece);
		for (size_t i = 0; i < piece.n - piece.stopped; i++)
			norn_set_add(&s, piece.bytes[i]);
		members += piece.n;
	} while (!piece.stopped);
	return s;
}

void norn_piece_read(const void *pc, const void *p, size_t max, const struct norn_set *stop,
		     struct norn_piece *piece)
{
	size_t room = norn_least(norn_line_rest(p), max), n = 0;
	piece->stopped = false;
	piece->n = 0;
	if (!room)
		return;
	norn_look_begin(pc, p, NULL, room);
	uint32_t version = norn_glance(piece->bytes, p, room);
	while (n < room && !piece->stopped)
		piece->stopped = norn_set_has(stop, piece->bytes[n++]);
	piece->n = n;
	norn_saw(pc, p, piece->bytes, n, version, true);
	norn_look_end();
}

size_t norn_span(const void *pc, const void *p, size_t max, const struct norn_set *stop)
{
	struct norn_piece piece;
	size_t n = 0;
	do {
		norn_piece_read(pc, (const char *)p + n, max - n, stop, &piece);
		n += piece.n;
	} while (!piece.stopped && n < max);
	return n - piece.stopped;
}

size_t norn_string(const void *pc, const char *s)
{
	size_t n = s ? norn_span(pc, s, SIZE_MAX, &norn_nul) : 0;
	norn_goes_on();
	return n;
}

void norn_scratch_init(struct norn_scratch *s)
{
	s->data = s->small;
	s->size = sizeof s->small;
}

/* System calls of our own: the program's mmap is logged. They leave errno alone. */
static char *new_pages(size_t size)
{
	int error = errno;
	long r = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	errno = error;
	return r == -1 ? NULL : (char *)r;
}

bool norn_scratch_grow(struct norn_scratch *s, size_t size)
{
	if (size <= s->size)
		return true;
	if (size > SIZE_MAX / 4)
		return false;
	if (size < 2 * s->size)
		size = 2 * s->size;
	char *data = new_pages(size);
	if (!data)
		return false;
	memcpy(data, s->data, s->size);
	norn_scratch_release(s);
	s->data = data;
	s->size = size;
	return true;
}

void norn_scratch_release(struct norn_scratch *s)
{
	int error = errno;
	if (s->data != s->small)
		syscall(SYS_munmap, s->data, s->size);
	errno = error;
	norn_scratch_init(s);
}

const char *norn_copy_of(const void *pc, const void *p, size_t max, const struct norn_set *stop,
			 struct norn_scratch *s, size_t *n)
{
	struct norn_piece piece;
	bool room = true;
	*n = 0;
	do {
		norn_piece_read(pc, (const char *)p + *n, max - *n, stop, &piece);
		room = room && norn_scratch_grow(s, *n + piece.n + 1);
		if (room)
			memcpy(s->data + *n, piece.bytes, piece.n);
		*n += piece.n;
	} while (!piece.stopped && *n < max);
	if (!room)
		return p;
	s->data[*n] = 0;
	return s->data;
}

void norn_fill(const void *pc, void *to, int byte, size_t n)
{
	char chunk[1024];
	memset(chunk, byte, norn_least(n, sizeof chunk));
	for (size_t done = 0; done < n;) {
		size_t size = norn_least(n - done, sizeof chunk);
		norn_lay(pc, (char *)to + done, chunk, size);
		done += size;
	}
}

void norn_see(const void *pc, const void *p, size_t n)
{
	char chunk[1024];
	if (!norn_can_read(p, n))
		return;
	for (size_t done = 0; done < n;) {
		size_t size = norn_least(n - done, sizeof chunk);
		norn_get(pc, chunk, (const char *)p + done, size);
		done += size;
	}
}

void *norn_inlet_begin(struct norn_inlet *in, void *to, size_t n)
{
	norn_scratch_init(&in->ours);
	in->to = to;
	in->buffer = to;
	if (norn_can_write(to, n) && norn_scratch_grow(&in->ours, n))
		in->buffer = in->ours.data;
	return in->buffer;
}

void norn_inlet_arrived(const void *pc, struct norn_inlet *in, size_t n)
{
	int error = errno;
	if (in->buffer == in->to) {
		norn_inlet_end(pc, in, n);
		return;
	}
	norn_lay(pc, in->to, in->buffer, n);
	norn_scratch_release(&in->ours);
	errno = error;
}

void norn_inlet_end(const void *pc, struct norn_inlet *in, size_t n)
{
	int error = errno;
	if (in->buffer == in->to)
		norn_filled(pc, in->to, n);
	else
		norn_put(pc, in->to, in->buffer, n);
	norn_scratch_release(&in->ours);
	errno = error;
}
