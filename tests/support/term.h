/* SPDX-License-Identifier: MIT */
/*
 * Expressions of doc/model.md once more, without a line of src/: made at random, printed,
 * parsed and evaluated. They check src/trace/expr.h and its readers. Parts may be shared.
 */
#ifndef SUPPORT_TERM_H
#define SUPPORT_TERM_H

#include "tests/support/random.h"

#include <stddef.h>
#include <stdio.h>

#define TERM_ARGS_MAX 64

struct term {
	enum { TERM_NUMBER, TERM_READ, TERM_APPLY } kind;
	int64_t number; /* TERM_READ: of the event */
	int op;		/* TERM_APPLY */
	int uses;	/* terms that it is an argument of, and those who hold it */
	int label;	/* while it is printed: its name, or -1 if it needs one */
	int arg_count;
	struct term *args[];
};

/* What a read returned. */
struct term_read {
	uint64_t event;
	int64_t value;
};

/* A declaration of constant bytes; terms load from these. */
#define TERM_CONSTANT "constant 0 0001020300ff8001000000000100000003000000000000f03f7f\n"

/* At most that deep, over these reads. */
struct term *term_random(struct random *r, int depth, const struct term_read *reads, size_t n);
struct term *term_number(int64_t number);
/* term as argument of op, with the numbers before or behind it; b only if op takes three. */
struct term *term_wrap(const char *op, struct term *term, int64_t a, int64_t b);

/* False: it has no value, or names a read that is not among those given. */
bool term_value(const struct term *term, const struct term_read *reads, size_t n, int64_t *value);
void term_print(struct term *term, FILE *out);
/* Decimal or 0x; the upper half of 64 bits may stand without its sign. */
int64_t term_parse_number(const char *text, const char **end);
/* Reads one term and moves *text behind it; NULL if there is none. */
struct term *term_parse(const char **text);
void term_free(struct term *term);

#endif
