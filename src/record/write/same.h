/* SPDX-License-Identifier: MIT */
/*
 * "It is as recorded", of a value that is a template over others. What is only added to the rest
 * of it, or multiplied with it, need not be said: a place in a table is `(= (& %4 63) 17)`, and not
 * `(= (+ 94225984945664 (* (& %4 63) 8)) 94225984945800)`.
 */
#ifndef RECORD_WRITE_SAME_H
#define RECORD_WRITE_SAME_H

#include "trace/expr_build.h"

#include "base/keyed.h"

#define SAME_RECORDED 4 /* in place of a read: what the rest was */

/* The template is add + times * rest. */
struct same {
	uint64_t key;		 /* the template */
	const struct expr *expr; /* (= rest %4); NULL: the template is too large for this */
	uint64_t add, times;
	uint8_t named; /* bit i: %i is in it */
};

struct sames {
	KEYED(struct same) at;
};

/* Valid until the next call. */
const struct same *same_of(struct sames *s, const struct expr *template, struct expr_builder *b,
			   struct arena *memory);

/* What the rest was. */
static inline uint64_t same_recorded(const struct same *s, uint64_t recorded)
{
	return (recorded - s->add) / s->times;
}

#endif
