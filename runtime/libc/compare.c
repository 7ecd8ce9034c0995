/* SPDX-License-Identifier: MIT */
/* Functions that compare: they read both sides up to the first difference. */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static int as_is(int c)
{
	return c;
}

/*
 * Bytes of both, one line of each at a time, up to a difference, max bytes or, if `strings`, the
 * NUL. C lets these functions look at any byte of a string, so that the two reads need not be
 * taken apart byte by byte against each other.
 */
static int compare(const void *pc, const unsigned char *a, const unsigned char *b, size_t max,
		   bool strings, int (*fold)(int))
{
	unsigned char mine[2][LOG_LINE];
	norn_gather();
	while (max) {
		size_t room = norn_least(norn_least(norn_line_rest(a), norn_line_rest(b)), max);
		norn_look_begin(pc, a, b, room);
		uint32_t version_a = norn_glance(mine[0], a, room);
		uint32_t version_b = norn_glance(mine[1], b, room);
		int difference = 0;
		bool stop = false;
		size_t n = 0;
		for (; n < room && !difference && !stop; n++) {
			difference = fold(mine[0][n]) - fold(mine[1][n]);
			stop = strings && !mine[0][n];
		}
		norn_saw(pc, a, mine[0], n, version_a, true);
		norn_saw(pc, b, mine[1], n, version_b, true);
		norn_look_end();
		if (difference || stop)
			return difference;
		a += n;
		b += n;
		max -= n;
	}
	return 0;
}

int __norn_memcmp(const void *a, const void *b, size_t n)
{
	return compare(NORN_CALLER, a, b, n, false, as_is);
}

int __norn_bcmp(const void *a, const void *b, size_t n)
{
	return compare(NORN_CALLER, a, b, n, false, as_is);
}

int __norn_strcmp(const char *a, const char *b)
{
	return compare(NORN_CALLER, (const void *)a, (const void *)b, SIZE_MAX, true, as_is);
}

int __norn_strncmp(const char *a, const char *b, size_t n)
{
	return compare(NORN_CALLER, (const void *)a, (const void *)b, n, true, as_is);
}

int __norn_strcasecmp(const char *a, const char *b)
{
	return compare(NORN_CALLER, (const void *)a, (const void *)b, SIZE_MAX, true, tolower);
}

int __norn_strncasecmp(const char *a, const char *b, size_t n)
{
	return compare(NORN_CALLER, (const void *)a, (const void *)b, n, true, tolower);
}

/* libc's own comparison of two strings, on copies. */
static int compare_copies(const void *pc, const char *a, const char *b,
			  int (*libc)(const char *, const char *))
{
	struct norn_scratch ours[2];
	size_t n;
	norn_scratch_init(&ours[0]);
	norn_scratch_init(&ours[1]);
	norn_gather();
	a = norn_copy_of(pc, a, SIZE_MAX, &norn_nul, &ours[0], &n);
	b = norn_copy_of(pc, b, SIZE_MAX, &norn_nul, &ours[1], &n);
	int result = libc(a, b);
	norn_scratch_release(&ours[0]);
	norn_scratch_release(&ours[1]);
	return result;
}

int __norn_strcoll(const char *a, const char *b)
{
	return compare_copies(NORN_CALLER, a, b, strcoll);
}

int __norn_strverscmp(const char *a, const char *b)
{
	return compare_copies(NORN_CALLER, a, b, strverscmp);
}
