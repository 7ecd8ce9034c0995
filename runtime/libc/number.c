/* SPDX-License-Identifier: MIT */
/*
 * Functions that turn a string into a number. libc does it, on a copy of what can be a number:
 * blanks, then bytes that numbers of any sort are made of. The byte behind is read as well.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct norn_set number_ends(void)
{
	struct norn_set inside = {{0}};
	for (int c = 0; c < 256; c++)
		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    c >= 128 || (c && strchr("+-.,_()", c)))
			norn_set_add(&inside, (unsigned char)c);
	return norn_set_others(inside);
}

static size_t leading_blanks(const void *pc, const char *s)
{
	struct norn_set blanks = {{0}};
	for (const char *c = " \t\n\v\f\r"; *c; c++)
		norn_set_add(&blanks, (unsigned char)*c);
	blanks = norn_set_others(blanks);
	return norn_span(pc, s, SIZE_MAX, &blanks);
}

struct number {
	struct norn_scratch ours;
	const char *text; /* of the program */
	const char *copy; /* from its first byte that is not blank */
	size_t blanks;
};

static void number_begin(const void *pc, struct number *x, const char *text)
{
	struct norn_set ends = number_ends();
	size_t n;
	norn_scratch_init(&x->ours);
	norn_gather();
	x->text = text;
	x->blanks = leading_blanks(pc, text);
	x->copy = norn_copy_of(pc, text + x->blanks, SIZE_MAX, &ends, &x->ours, &n);
}

/*
 * Sets the caller's `end`, if it wants it and libc has set it (not for a bad base). Where no number
 * is, that is the start of the text.
 */
static void number_end(const void *pc, struct number *x, const char *end, char **to)
{
	if (to && end) {
		const char *p = x->text;
		if (end != x->copy)
			p += x->blanks + (size_t)(end - x->copy);
		norn_pass(pc, to, &p, sizeof p);
	}
	norn_scratch_release(&x->ours);
}

#define INTEGER(type, name)                                     \
	type __norn_##name(const char *s, char **end, int base) \
	{                                                       \
		struct number x;                                \
		char *stop = NULL;                              \
		number_begin(NORN_CALLER, &x, s);               \
		type result = name(x.copy, &stop, base);        \
		number_end(NORN_CALLER, &x, stop, end);         \
		return result;                                  \
	}
INTEGER(long, strtol)
INTEGER(long long, strtoll)
INTEGER(unsigned long, strtoul)
INTEGER(unsigned long long, strtoull)
INTEGER(intmax_t, strtoimax)
INTEGER(uintmax_t, strtoumax)

#define REAL(type, name)                                \
	type __norn_##name(const char *s, char **end)   \
	{                                               \
		struct number x;                        \
		char *stop = NULL;                      \
		number_begin(NORN_CALLER, &x, s);       \
		type result = name(x.copy, &stop);      \
		number_end(NORN_CALLER, &x, stop, end); \
		return result;                          \
	}
REAL(float, strtof)
REAL(double, strtod)
REAL(long double, strtold)

#define SIMPLE(type, name)                                 \
	type __norn_##name(const char *s)                  \
	{                                                  \
		struct number x;                           \
		number_begin(NORN_CALLER, &x, s);          \
		type result = name(x.copy);                \
		number_end(NORN_CALLER, &x, x.copy, NULL); \
		return result;                             \
	}
SIMPLE(int, atoi)
SIMPLE(long, atol)
SIMPLE(long long, atoll)
SIMPLE(double, atof)
