/* SPDX-License-Identifier: MIT */
/*
 * The latest values of a thread that later records can depend on, by the position of their records
 * in its log: what it read, and what it was told of. Those that are used over and over, such as
 * what was read before a long loop, are kept aside.
 */
#ifndef RECORD_WRITE_WINDOW_H
#define RECORD_WRITE_WINDOW_H

#include "record/write/terms.h"

struct window_value {
	uint64_t position;
	struct value value;
};

#define WINDOW_MOST (1u << 13)
#define WINDOW_ASIDE 256

struct window {
	struct window_value *at; /* a ring */
	uint32_t room, n;
	uint32_t next;
	uint16_t *places;	    /* in the ring, by the last digits of the position */
	struct window_value *aside; /* by hash; NULL: none so far */
};

/* To be filled in. */
struct value *window_add(struct window *w, uint64_t position);
/* NULL: too long ago, or nothing of the kind. */
const struct value *window_find(struct window *w, uint64_t position);
/* It will be asked for again. */
void window_put_aside(struct window *w, uint64_t position, const struct value *value);
void window_release(struct window *w);

/* All of its values, one after the other, from *next = 0 on; NULL: no more. */
struct value *window_each(struct window *w, uint32_t *next);

#endif
