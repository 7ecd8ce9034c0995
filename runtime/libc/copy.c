/* SPDX-License-Identifier: MIT */
/* Functions that copy bytes and strings. */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <malloc.h>
#include <string.h>

void *__norn_memcpy(void *to, const void *from, size_t n)
{
	norn_copied(NORN_CALLER, to, from, n);
	return to;
}

void *__norn_memmove(void *to, const void *from, size_t n)
{
	norn_copied(NORN_CALLER, to, from, n);
	return to;
}

void *__norn_mempcpy(void *to, const void *from, size_t n)
{
	norn_copied(NORN_CALLER, to, from, n);
	return (char *)to + n;
}

void __norn_bcopy(const void *from, void *to, size_t n)
{
	norn_copied(NORN_CALLER, to, from, n);
}

void *__norn_memset(void *to, int byte, size_t n)
{
	norn_fill(NORN_CALLER, to, byte, n);
	return to;
}

void __norn_bzero(void *to, size_t n)
{
	norn_fill(NORN_CALLER, to, 0, n);
}

void __norn_explicit_bzero(void *to, size_t n)
{
	norn_fill(NORN_CALLER, to, 0, n);
}

/* Copies up to and with the first byte of `stop`, at most max bytes; returns how many. */
static size_t copy_until(const void *pc, void *to, const void *from, size_t max,
			 const struct norn_set *stop, bool *stopped)
{
	struct norn_piece piece;
	size_t n = 0;
	norn_gather();
	do {
		char *here = (char *)to + n;
		size_t room = norn_least(max - n, norn_line_rest(here));
		norn_piece_read(pc, (const char *)from + n, room, stop, &piece);
		norn_pass_on(pc, here, piece.bytes, piece.n);
		n += piece.n;
	} while (!piece.stopped && n < max);
	*stopped = piece.stopped;
	return n;
}

/* Returns the place of the NUL in `to`. */
static char *copy_string(const void *pc, char *to, const char *from)
{
	bool stopped;
	return to + copy_until(pc, to, from, SIZE_MAX, &norn_nul, &stopped) - 1;
}

/* As stpncpy. */
static char *copy_padded(const void *pc, char *to, const char *from, size_t n)
{
	bool stopped;
	size_t copied = copy_until(pc, to, from, n, &norn_nul, &stopped);
	norn_fill(pc, to + copied, 0, n - copied);
	return to + copied - stopped;
}

/* As strncat, with n as limit and a NUL behind what is copied. */
static void append_string(const void *pc, char *to, const char *from, size_t n)
{
	bool stopped;
	to += norn_string(pc, to);
	to += copy_until(pc, to, from, n, &norn_nul, &stopped);
	if (!stopped)
		norn_pass(pc, to, "", 1);
}

void *__norn_memccpy(void *to, const void *from, int c, size_t n)
{
	struct norn_set stop = {{0}};
	bool stopped;
	norn_set_add(&stop, (unsigned char)c);
	n = copy_until(NORN_CALLER, to, from, n, &stop, &stopped);
	return stopped ? (char *)to + n : NULL;
}

char *__norn_strcpy(char *to, const char *from)
{
	copy_string(NORN_CALLER, to, from);
	return to;
}

char *__norn_stpcpy(char *to, const char *from)
{
	return copy_string(NORN_CALLER, to, from);
}

char *__norn_strncpy(char *to, const char *from, size_t n)
{
	copy_padded(NORN_CALLER, to, from, n);
	return to;
}

char *__norn_stpncpy(char *to, const char *from, size_t n)
{
	return copy_padded(NORN_CALLER, to, from, n);
}

char *__norn_strcat(char *to, const char *from)
{
	append_string(NORN_CALLER, to, from, SIZE_MAX);
	return to;
}

char *__norn_strncat(char *to, const char *from, size_t n)
{
	append_string(NORN_CALLER, to, from, n);
	return to;
}

static char *duplicate(const void *pc, const char *s, size_t max)
{
	struct norn_scratch ours;
	size_t n;
	norn_scratch_init(&ours);
	norn_gather();
	const char *copy = norn_copy_of(pc, s, max, &norn_nul, &ours, &n);
	n = strnlen(copy, n);
	norn_goes_on();
	char *result = norn_malloc(n + 1, pc);
	if (result) {
		norn_pass(pc, result, copy, n);
		norn_pass(pc, result + n, "", 1);
	}
	norn_scratch_release(&ours);
	return result;
}

char *__norn_strdup(const char *s)
{
	return duplicate(NORN_CALLER, s, SIZE_MAX);
}

char *__norn_strndup(const char *s, size_t n)
{
	return duplicate(NORN_CALLER, s, n);
}

/* The variants of _FORTIFY_SOURCE know the size of the destination. */
static void check_room(size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
}

void *__norn___memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	check_room(n, room);
	norn_copied(NORN_CALLER, to, from, n);
	return to;
}

void *__norn___memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	check_room(n, room);
	norn_copied(NORN_CALLER, to, from, n);
	return to;
}

void *__norn___mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	check_room(n, room);
	norn_copied(NORN_CALLER, to, from, n);
	return (char *)to + n;
}

void *__norn___memset_chk(void *to, int byte, size_t n, size_t room)
{
	check_room(n, room);
	norn_fill(NORN_CALLER, to, byte, n);
	return to;
}

void __norn___explicit_bzero_chk(void *to, size_t n, size_t room)
{
	check_room(n, room);
	norn_fill(NORN_CALLER, to, 0, n);
}

/* Their length is not known before: what overflows is found here, before it is written. */
static void check_string(const char *from, size_t max, size_t room)
{
	size_t n = strnlen(from, norn_least(max, room));
	check_room(n, room);
	if (n == room && max > room)
		__chk_fail();
}

char *__norn___strcpy_chk(char *to, const char *from, size_t room)
{
	check_string(from, SIZE_MAX, room);
	copy_string(NORN_CALLER, to, from);
	return to;
}

char *__norn___stpcpy_chk(char *to, const char *from, size_t room)
{
	check_string(from, SIZE_MAX, room);
	return copy_string(NORN_CALLER, to, from);
}

char *__norn___strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	check_room(n, room);
	copy_padded(NORN_CALLER, to, from, n);
	return to;
}

char *__norn___stpncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	check_room(n, room);
	return copy_padded(NORN_CALLER, to, from, n);
}

static void check_append(const char *to, const char *from, size_t n, size_t room)
{
	size_t used = strnlen(to, room);
	if (used == room || strnlen(from, norn_least(n, room - used)) == room - used)
		__chk_fail();
}

char *__norn___strcat_chk(char *to, const char *from, size_t room)
{
	check_append(to, from, SIZE_MAX, room);
	append_string(NORN_CALLER, to, from, SIZE_MAX);
	return to;
}

char *__norn___strncat_chk(char *to, const char *from, size_t n, size_t room)
{
	check_append(to, from, n, room);
	append_string(NORN_CALLER, to, from, n);
	return to;
}
