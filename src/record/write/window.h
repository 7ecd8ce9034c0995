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
#define WINDOW_PLACES 4096 /* more positions than this apart, two may have the same */

struct window {
	struct window_value *at; /* a ring */
	uint32_t room, n;
	uint32_t next;
	uint16_t *places;	    /* in the ring, by the last digits of the position */
	struct window_value *aside; /* by hash; NULL: none so far */
};

void window_grow(struct window *w);
const struct value *window_search(struct window *w, uint64_t position);

/* To be filled in. */
static inline struct value *window_add(struct window *w, uint64_t position)
{
	if (__builtin_expect(w->n == w->room && w->room < WINDOW_MOST, 0))
		window_grow(w);
	struct window_value *added = &w->at[w->next];

	added->position = position;
	w->places[position % WINDOW_PLACES] = (uint16_t)w->next;
	w->next = (w->next + 1) & (w->room - 1);
	if (w->n < w->room)
		w->n++;
	return &added->value;
}

/* NULL: too long ago, or nothing of the kind. */
static inline const struct value *window_find(struct window *w, uint64_t position)
{
	if (!w->n)
		return NULL;
	uint32_t place = w->places[position % WINDOW_PLACES];
	uint32_t back = (w->next - 1 - place) & (w->room - 1);
	const struct window_value *v = &w->at[place];

	/* what is old will be asked for again when it is gone: search puts it aside */
	return v->position == position && back <= WINDOW_MOST / 2 ? &v->value
								  : window_search(w, position);
}
/* It will be asked for again. */
void window_put_aside(struct window *w, uint64_t position, const struct value *value);
void window_release(struct window *w);

/* All of its values, one after the other, from *next = 0 on; NULL: no more. */
struct value *window_each(struct window *w, uint32_t *next);

#endif
