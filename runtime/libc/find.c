/* SPDX-License-Identifier: MIT */
/* Functions that look for something in bytes and strings. */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <string.h>

size_t __norn_strlen(const char *s)
{
	norn_gather();
	return norn_span(NORN_CALLER, s, SIZE_MAX, &norn_nul); /* of no string, a fault */
}

size_t __norn_strnlen(const char *s, size_t max)
{
	norn_gather();
	return norn_span(NORN_CALLER, s, max, &norn_nul);
}

static struct norn_set one(int c)
{
	struct norn_set s = {{0}};
	norn_set_add(&s, (unsigned char)c);
	return s;
}

static void *find_byte(const void *pc, const void *p, int c, size_t n)
{
	struct norn_set stop = one(c);
	size_t at = norn_span(pc, p, n, &stop);
	return at < n ? (char *)p + at : NULL;
}

void *__norn_memchr(const void *p, int c, size_t n)
{
	norn_gather();
	return find_byte(NORN_CALLER, p, c, n);
}

void *__norn_rawmemchr(const void *p, int c)
{
	norn_gather();
	return find_byte(NORN_CALLER, p, c, SIZE_MAX);
}

void *__norn_memrchr(const void *p, int c, size_t n)
{
	norn_gather();
	unsigned char chunk[LOG_LINE];
	while (n) {
		size_t size = norn_least((uintptr_t)((const char *)p + n - 1) % LOG_LINE + 1, n);
		norn_decide_by(NORN_CALLER, chunk, (const char *)p + n - size, size);
		for (; size; size--, n--)
			if (chunk[size - 1] == (unsigned char)c)
				return (char *)p + n - 1;
	}
	return NULL;
}

/* The first c or NUL; which of them goes to `found`. */
static char *find_char(const void *pc, const char *s, int c, bool *found)
{
	struct norn_set stop = one(c);
	struct norn_piece piece;
	norn_set_add(&stop, 0);
	do {
		norn_piece_read(pc, s, SIZE_MAX, &stop, &piece);
		s += piece.n;
	} while (!piece.stopped);
	*found = piece.bytes[piece.n - 1] == (unsigned char)c;
	return (char *)s - 1;
}

char *__norn_strchr(const char *s, int c)
{
	norn_gather();
	bool found;
	char *p = find_char(NORN_CALLER, s, c, &found);
	return found ? p : NULL;
}

char *__norn_index(const char *s, int c)
{
	norn_gather();
	bool found;
	char *p = find_char(NORN_CALLER, s, c, &found);
	return found ? p : NULL;
}

char *__norn_strchrnul(const char *s, int c)
{
	norn_gather();
	bool found;
	return find_char(NORN_CALLER, s, c, &found);
}

static char *find_last(const void *pc, const char *s, int c)
{
	struct norn_piece piece;
	const char *last = NULL;
	do {
		norn_piece_read(pc, s, SIZE_MAX, &norn_nul, &piece);
		for (size_t i = 0; i < piece.n; i++)
			if (piece.bytes[i] == (unsigned char)c)
				last = s + i;
		s += piece.n;
	} while (!piece.stopped);
	return (char *)last;
}

char *__norn_strrchr(const char *s, int c)
{
	norn_gather();
	return find_last(NORN_CALLER, s, c);
}

char *__norn_rindex(const char *s, int c)
{
	norn_gather();
	return find_last(NORN_CALLER, s, c);
}

typedef void *finder(const void *hay, size_t n, const void *needle, size_t size);

static void *find_fold(const void *hay, size_t n, const void *needle, size_t size)
{
	(void)n, (void)size;
	return strcasestr(hay, needle);
}

/*
 * Copies the hay line by line and looks for the needle in what there is. It has
 * seen the hay up to the end of the first match. A match that ends in the new line may begin up to
 * `size - 1` bytes before it. Without memory for a copy libc looks alone, and nothing is logged.
 */
static char *find_needle(const void *pc, const char *hay, size_t max, const struct norn_set *stop,
			 const char *needle, size_t size, finder *find)
{
	struct norn_scratch ours;
	size_t n = 0;
	char *result = NULL;
	bool end = !size;
	norn_scratch_init(&ours);
	if (!size)
		result = (char *)hay;
	while (!end && n < max) {
		size_t room = norn_least(norn_line_rest(hay + n), max - n), fresh = 0;
		if (!norn_scratch_grow(&ours, n + room + 1)) {
			result = find(hay, stop == &norn_nul ? strlen(hay) : max, needle, size);
			break;
		}
		norn_look_begin(pc, hay + n, NULL, room);
		uint32_t version = norn_glance(ours.data + n, hay + n, room);
		while (fresh < room && !end)
			end = norn_set_has(stop, (unsigned char)ours.data[n + fresh++]);
		char *from = ours.data + (n < size ? 0 : n - size + 1);
		ours.data[n + fresh] = 0;
		char *match = find(from, (size_t)(ours.data + n + fresh - from), needle, size);
		if (match) {
			fresh = (size_t)(match + size - (ours.data + n));
			result = (char *)hay + (match - ours.data);
			end = true;
		}
		norn_saw(pc, hay + n, ours.data + n, fresh, version, true);
		norn_look_end();
		n += fresh;
	}
	norn_scratch_release(&ours);
	return result;
}

static char *find_string(const void *pc, const char *hay, const char *needle, finder *find)
{
	struct norn_scratch ours;
	size_t n;
	norn_scratch_init(&ours);
	needle = norn_copy_of(pc, needle, SIZE_MAX, &norn_nul, &ours, &n);
	char *result = find_needle(pc, hay, SIZE_MAX, &norn_nul, needle, n - 1, find);
	norn_scratch_release(&ours);
	return result;
}

char *__norn_strstr(const char *hay, const char *needle)
{
	norn_gather();
	return find_string(NORN_CALLER, hay, needle, memmem);
}

char *__norn_strcasestr(const char *hay, const char *needle)
{
	norn_gather();
	return find_string(NORN_CALLER, hay, needle, find_fold);
}

void *__norn_memmem(const void *hay, size_t n, const void *needle, size_t size)
{
	norn_gather();
	static const struct norn_set none;
	struct norn_scratch ours;
	if (size > n)
		return NULL;
	norn_scratch_init(&ours);
	if (norn_scratch_grow(&ours, size)) {
		norn_get(NORN_CALLER, ours.data, needle, size);
		needle = ours.data;
	}
	char *result = find_needle(NORN_CALLER, hay, n, &none, needle, size, memmem);
	norn_scratch_release(&ours);
	return result;
}

size_t __norn_strspn(const char *s, const char *accept)
{
	norn_gather();
	struct norn_set stop = norn_set_others(norn_set_of(NORN_CALLER, accept));
	return norn_span(NORN_CALLER, s, SIZE_MAX, &stop);
}

/* How many bytes come before the first of `reject`, or the NUL. */
static size_t span_without(const void *pc, const char *s, const struct norn_set *reject, bool *end)
{
	struct norn_set stop = *reject;
	struct norn_piece piece;
	size_t n = 0;
	norn_set_add(&stop, 0);
	do {
		norn_piece_read(pc, s + n, SIZE_MAX, &stop, &piece);
		n += piece.n;
	} while (!piece.stopped);
	*end = !piece.bytes[piece.n - 1];
	return n - 1;
}

size_t __norn_strcspn(const char *s, const char *reject)
{
	norn_gather();
	struct norn_set set = norn_set_of(NORN_CALLER, reject);
	bool end;
	return span_without(NORN_CALLER, s, &set, &end);
}

char *__norn_strpbrk(const char *s, const char *accept)
{
	norn_gather();
	struct norn_set set = norn_set_of(NORN_CALLER, accept);
	bool end;
	s += span_without(NORN_CALLER, s, &set, &end);
	return end ? NULL : (char *)s;
}

/* Ends the token at s with a NUL; returns what comes behind, or NULL at the end of the string. */
static char *cut(const void *pc, char *s, const struct norn_set *delimiters, bool *end)
{
	s += span_without(pc, s, delimiters, end);
	if (!*end)
		norn_pass(pc, s++, "", 1);
	return s;
}

static char *next_token(const void *pc, char *s, const char *delimiters, char **save)
{
	struct norn_set set = norn_set_of(pc, delimiters), others = norn_set_others(set);
	char *token = NULL, first;
	bool end;
	if (!s)
		norn_decide_by(pc, &s, save, sizeof s);
	if (!s)
		return NULL;
	s += norn_span(pc, s, SIZE_MAX, &others);
	norn_decide_by(pc, &first, s, 1);
	if (first) {
		token = s;
		s = cut(pc, s, &set, &end);
	}
	norn_pass(pc, save, &s, sizeof s);
	return token;
}

char *__norn_strtok_r(char *s, const char *delimiters, char **save)
{
	norn_gather();
	return next_token(NORN_CALLER, s, delimiters, save);
}

/* Two threads that use it race for this. */
static char *norn_strtok_state;

char *__norn_strtok(char *s, const char *delimiters)
{
	norn_gather();
	return next_token(NORN_CALLER, s, delimiters, &norn_strtok_state);
}

char *__norn_strsep(char **string, const char *delimiters)
{
	norn_gather();
	char *s, *next;
	bool end;
	norn_decide_by(NORN_CALLER, &s, string, sizeof s);
	if (!s)
		return NULL;
	struct norn_set set = norn_set_of(NORN_CALLER, delimiters);
	next = cut(NORN_CALLER, s, &set, &end);
	if (end)
		next = NULL;
	norn_pass(NORN_CALLER, string, &next, sizeof next);
	return s;
}
