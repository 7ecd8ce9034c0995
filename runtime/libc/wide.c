/* SPDX-License-Identifier: MIT */
/* The same for wide characters, the most usual of them. */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <stdlib.h>
#include <wchar.h>

/* Reads one wide character, and decides by it. */
static wchar_t wide(const void *pc, const wchar_t *p)
{
	wchar_t c;
	norn_decide_by(pc, &c, p, sizeof c);
	return c;
}

static size_t wide_span(const void *pc, const wchar_t *s, size_t max)
{
	size_t n = 0;
	while (n < max && wide(pc, s + n))
		n++;
	return n;
}

/* Returns how many were copied, with the NUL if it was among them. */
static size_t wide_copy(const void *pc, wchar_t *to, const wchar_t *from, size_t max, bool *stopped)
{
	size_t n = 0;
	norn_gather();
	*stopped = false;
	while (n < max && !*stopped) {
		wchar_t c = wide(pc, from + n);
		norn_pass(pc, to + n++, &c, sizeof c);
		*stopped = !c;
	}
	return n;
}

static int wide_compare(const void *pc, const wchar_t *a, const wchar_t *b, size_t max,
			bool strings)
{
	for (size_t i = 0; i < max; i++) {
		wchar_t x = wide(pc, a + i), y = wide(pc, b + i);
		if (x != y)
			return x < y ? -1 : 1;
		if (strings && !x)
			return 0;
	}
	return 0;
}

static void wide_fill(const void *pc, wchar_t *to, wchar_t c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		norn_lay(pc, to + i, &c, sizeof c);
}

size_t __norn_wcslen(const wchar_t *s)
{
	norn_gather();
	return wide_span(NORN_CALLER, s, SIZE_MAX);
}

size_t __norn_wcsnlen(const wchar_t *s, size_t max)
{
	norn_gather();
	return wide_span(NORN_CALLER, s, max);
}

wchar_t *__norn_wmemcpy(wchar_t *to, const wchar_t *from, size_t n)
{
	norn_copied(NORN_CALLER, to, from, n * sizeof *to);
	return to;
}

wchar_t *__norn_wmemmove(wchar_t *to, const wchar_t *from, size_t n)
{
	norn_copied(NORN_CALLER, to, from, n * sizeof *to);
	return to;
}

wchar_t *__norn_wmempcpy(wchar_t *to, const wchar_t *from, size_t n)
{
	norn_copied(NORN_CALLER, to, from, n * sizeof *to);
	return to + n;
}

wchar_t *__norn_wmemset(wchar_t *to, wchar_t c, size_t n)
{
	wide_fill(NORN_CALLER, to, c, n);
	return to;
}

int __norn_wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	norn_gather();
	return wide_compare(NORN_CALLER, a, b, n, false);
}

int __norn_wcscmp(const wchar_t *a, const wchar_t *b)
{
	norn_gather();
	return wide_compare(NORN_CALLER, a, b, SIZE_MAX, true);
}

int __norn_wcsncmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	norn_gather();
	return wide_compare(NORN_CALLER, a, b, n, true);
}

wchar_t *__norn_wcscpy(wchar_t *to, const wchar_t *from)
{
	bool stopped;
	wide_copy(NORN_CALLER, to, from, SIZE_MAX, &stopped);
	return to;
}

wchar_t *__norn_wcsncpy(wchar_t *to, const wchar_t *from, size_t n)
{
	bool stopped;
	size_t copied = wide_copy(NORN_CALLER, to, from, n, &stopped);
	wide_fill(NORN_CALLER, to + copied, 0, n - copied);
	return to;
}

wchar_t *__norn_wcscat(wchar_t *to, const wchar_t *from)
{
	bool stopped;
	wide_copy(NORN_CALLER, to + wide_span(NORN_CALLER, to, SIZE_MAX), from, SIZE_MAX, &stopped);
	return to;
}

wchar_t *__norn_wcsncat(wchar_t *to, const wchar_t *from, size_t n)
{
	bool stopped;
	wchar_t *end = to + wide_span(NORN_CALLER, to, SIZE_MAX);
	end += wide_copy(NORN_CALLER, end, from, n, &stopped);
	if (!stopped)
		wide_fill(NORN_CALLER, end, 0, 1);
	return to;
}

wchar_t *__norn_wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
	norn_gather();
	for (size_t i = 0; i < n; i++)
		if (wide(NORN_CALLER, s + i) == c)
			return (wchar_t *)s + i;
	return NULL;
}

wchar_t *__norn_wcschr(const wchar_t *s, wchar_t c)
{
	norn_gather();
	for (;; s++) {
		wchar_t here = wide(NORN_CALLER, s);
		if (here == c)
			return (wchar_t *)s;
		if (!here)
			return NULL;
	}
}

wchar_t *__norn_wcsrchr(const wchar_t *s, wchar_t c)
{
	norn_gather();
	const wchar_t *last = NULL;
	for (;; s++) {
		wchar_t here = wide(NORN_CALLER, s);
		if (here == c)
			last = s;
		if (!here)
			return (wchar_t *)last;
	}
}

wchar_t *__norn_wcsdup(const wchar_t *s)
{
	size_t n = wide_span(NORN_CALLER, s, SIZE_MAX);
	norn_goes_on();
	wchar_t *copy = norn_malloc((n + 1) * sizeof *copy, NORN_CALLER);
	if (copy) {
		norn_copied(NORN_CALLER, copy, s, n * sizeof *copy);
		wide_fill(NORN_CALLER, copy + n, 0, 1);
	}
	return copy;
}
