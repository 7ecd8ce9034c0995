/* SPDX-License-Identifier: MIT */
#include "record/write/origins.h"

#include <string.h>

/* Some 200 MB; if so many are needed all are forgotten, which loses exactness and nothing else. */
#define ORIGINS_MOST ((size_t)1 << 22)
#define ORIGINS_FIRST ((size_t)1 << 18)

void origins_init(struct origins *o)
{
	*o = (struct origins){.most = ORIGINS_FIRST};
}

void origins_release(struct origins *o)
{
	vec_release(&o->at);
	vec_release(&o->split);
	vec_release(&o->moved);
}

static bool is_fixed_like(const struct origin *a, const struct origin *b)
{
	return a->value.kind == VALUE_FIXED && b->value.kind == VALUE_FIXED && !a->split &&
	       !b->split && a->thread == b->thread && a->era == b->era;
}

uint32_t origins_add(struct origins *o, const struct origin *origin)
{
	bool fixed = origin->value.kind == VALUE_FIXED && !origin->split;

	/* most depend on nothing, and these are all alike */
	if (fixed && o->fixed && is_fixed_like(&o->at.at[o->fixed - 1], origin))
		return o->fixed;
	vec_push(&o->at, *origin);
	if (fixed)
		o->fixed = (uint32_t)o->at.n;
	return (uint32_t)o->at.n;
}

uint32_t origins_of_byte(const struct origins *o, uint32_t number, unsigned byte)
{
	const struct origin *origin = origins_get(o, number);

	return origin && origin->split ? o->split.at[origin->split - 1 + byte] : number;
}

uint32_t origins_mix(struct origins *o, uint32_t old, uint32_t new, uint8_t mask)
{
	const struct origin *a = origins_get(o, old), *b = origins_get(o, new);

	if (a && b && is_fixed_like(a, b))
		return new;
	struct origin mixed = {.split = (uint32_t)o->split.n + 1};

	for (unsigned byte = 0; byte < 4; byte++) {
		uint32_t number = mask >> byte & 1 ? new : origins_of_byte(o, old, byte);

		vec_push(&o->split, number);
	}
	return origins_add(o, &mixed);
}

/* Collecting */

void origins_collect_begin(struct origins *o)
{
	o->moved.n = 0;
	vec_extend(&o->moved, o->at.n);
}

void origins_mark(struct origins *o, uint32_t number)
{
	const struct origin *origin = origins_get(o, number);

	if (!origin || o->moved.at[number - 1])
		return;
	o->moved.at[number - 1] = 1;
	for (unsigned byte = 0; origin->split && byte < 4; byte++)
		origins_mark(o, o->split.at[origin->split - 1 + byte]);
}

/* A split one stands behind the origins that it has. */
static void move(struct origins *o, size_t from, size_t to, size_t *split)
{
	struct origin origin = o->at.at[from];

	for (unsigned byte = 0; origin.split && byte < 4; byte++)
		o->split.at[*split + byte] = origins_moved(o, o->split.at[origin.split - 1 + byte]);
	if (origin.split) {
		origin.split = (uint32_t)*split + 1;
		*split += 4;
	}
	o->at.at[to] = origin;
}

void origins_collect_end(struct origins *o)
{
	size_t n = 0, split = 0, count = o->at.n, live = 0;

	for (size_t i = 0; i < count; i++)
		live += o->moved.at[i] != 0;
	if (live > ORIGINS_MOST / 2) /* they become unknown */
		memset(o->moved.at, 0, count * sizeof(*o->moved.at));
	for (size_t i = 0; i < count; i++)
		if (o->moved.at[i]) {
			move(o, i, n++, &split);
			o->moved.at[i] = (uint32_t)n;
		}
	o->fixed = o->fixed ? o->moved.at[o->fixed - 1] : 0;
	o->at.n = n;
	o->split.n = split;
	while (o->most < ORIGINS_MOST && o->most < 4 * n)
		o->most *= 2;
}
