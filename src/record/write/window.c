/* SPDX-License-Identifier: MIT */
#include "record/write/window.h"

#include <string.h>

#define WINDOW_FIRST 64
_Static_assert(WINDOW_MOST <= 65536, "places have 16 bits");

void window_grow(struct window *w)
{
	uint32_t room = w->room ? 2 * w->room : WINDOW_FIRST;

	/* it has never gone round: a ring goes round only at its full size */
	w->at = mem_resize(w->at, room * sizeof(*w->at));
	if (!w->places)
		w->places = mem_alloc_zero(WINDOW_PLACES, sizeof(*w->places));
	w->room = room;
	w->next = w->n;
}

/* Number `back`, counted back from the latest. */
static const struct window_value *value_at(const struct window *w, uint32_t back)
{
	return &w->at[(w->next - 1 - back) & (w->room - 1)];
}

static struct window_value *slot_aside(const struct window *w, uint64_t position)
{
	return &w->aside[position * 0x9e3779b97f4a7c15u >> 32 & (WINDOW_ASIDE - 1)];
}

void window_put_aside(struct window *w, uint64_t position, const struct value *value)
{
	if (!w->aside)
		w->aside = mem_alloc_zero(WINDOW_ASIDE, sizeof(*w->aside));
	*slot_aside(w, position) = (struct window_value){position, *value};
}

static const struct value *find_aside(const struct window *w, uint64_t position)
{
	const struct window_value *found = w->aside ? slot_aside(w, position) : NULL;

	return found && found->position == position && position ? &found->value : NULL;
}

static const struct value *found(struct window *w, const struct window_value *v)
{
	uint32_t back = (w->next - 1 - (uint32_t)(v - w->at)) & (w->room - 1);

	if (back > WINDOW_MOST / 2) /* soon it will not be in the ring any more */
		window_put_aside(w, v->position, &v->value);
	return &v->value;
}

/* Mostly it is one of the last few. */
static const struct value *search(struct window *w, uint64_t position)
{
	uint32_t high = 1;

	while (high < w->n && value_at(w, high - 1)->position > position)
		high *= 2;
	uint32_t low = high / 2;

	high = high < w->n ? high : w->n;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const struct window_value *v = value_at(w, middle);

		if (v->position == position)
			return found(w, v);
		if (v->position > position)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct value *window_search(struct window *w, uint64_t position)
{
	if (!w->n)
		return NULL;
	const struct window_value *v = &w->at[w->places[position % WINDOW_PLACES]];

	if (v->position == position)
		return found(w, v);
	return position < value_at(w, w->n - 1)->position ? find_aside(w, position)
							  : search(w, position);
}

struct value *window_each(struct window *w, uint32_t *next)
{
	uint32_t i = (*next)++;

	if (i < w->n)
		return &w->at[i].value;
	i -= w->n;
	return w->aside && i < WINDOW_ASIDE ? &w->aside[i].value : NULL;
}

void window_release(struct window *w)
{
	mem_free(w->at);
	mem_free(w->aside);
	mem_free(w->places);
	memset(w, 0, sizeof(*w));
}
