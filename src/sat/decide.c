/* SPDX-License-Identifier: MIT */
/*
 * Which variable is decided next: a heap. Those that are preferred come first, then it is by how
 * much each had to do with conflicts of late.
 */
#include "sat/parts.h"

#include <string.h>

#define RESCALE_AT 1e100

static bool is_before(const struct cdcl *c, uint32_t variable, uint32_t other)
{
	bool preferred = c->preferred.at[variable];

	if (preferred != c->preferred.at[other])
		return preferred;
	return c->activity.at[variable] > c->activity.at[other];
}

static void put_at(struct cdcl *c, size_t place, uint32_t variable)
{
	c->heap.at[place] = variable;
	c->heap_place.at[variable] = (uint32_t)place + 1;
}

static void move_up(struct cdcl *c, size_t place)
{
	uint32_t variable = c->heap.at[place];

	while (place) {
		size_t above = (place - 1) / 2;

		if (!is_before(c, variable, c->heap.at[above]))
			break;
		put_at(c, place, c->heap.at[above]);
		place = above;
	}
	put_at(c, place, variable);
}

static void move_down(struct cdcl *c, size_t place)
{
	uint32_t variable = c->heap.at[place];

	for (;;) {
		size_t below = 2 * place + 1;

		if (below >= c->heap.n)
			break;
		if (below + 1 < c->heap.n && is_before(c, c->heap.at[below + 1], c->heap.at[below]))
			below++;
		if (!is_before(c, c->heap.at[below], variable))
			break;
		put_at(c, place, c->heap.at[below]);
		place = below;
	}
	put_at(c, place, variable);
}

void cdcl_enqueue(struct cdcl *c, uint32_t variable)
{
	if (c->heap_place.at[variable])
		return;
	vec_push(&c->heap, variable);
	move_up(c, c->heap.n - 1);
}

void cdcl_decide_add(struct cdcl *c, uint32_t variable)
{
	vec_extend(&c->activity, (size_t)variable + 1);
	vec_extend(&c->heap_place, (size_t)variable + 1);
	vec_extend(&c->phases, (size_t)variable + 1);
	vec_extend(&c->preferred, (size_t)variable + 1);
	cdcl_enqueue(c, variable);
}

void cdcl_prefer(struct cdcl *c, lit variable)
{
	c->preferred.at[variable] = true;
	if (c->heap_place.at[variable])
		move_up(c, c->heap_place.at[variable] - 1);
}

void cdcl_reset_phases(struct cdcl *c)
{
	memset(c->phases.at, 0, c->phases.n * sizeof(*c->phases.at));
}

void cdcl_bump(struct cdcl *c, uint32_t variable)
{
	c->activity.at[variable] += c->increment;
	if (c->activity.at[variable] > RESCALE_AT) {
		for (size_t v = 0; v < c->activity.n; v++)
			c->activity.at[v] /= RESCALE_AT;
		c->increment /= RESCALE_AT;
	}
	if (c->heap_place.at[variable])
		move_up(c, c->heap_place.at[variable] - 1);
}

void cdcl_decay(struct cdcl *c)
{
	c->increment /= sat_tune.decay / 100.0;
}

static uint32_t take_first(struct cdcl *c)
{
	uint32_t variable = c->heap.at[0], last = c->heap.at[--c->heap.n];

	c->heap_place.at[variable] = 0;
	if (c->heap.n) {
		put_at(c, 0, last);
		move_down(c, 0);
	}
	return variable;
}

lit cdcl_decide_next(struct cdcl *c)
{
	while (c->heap.n) {
		uint32_t variable = take_first(c);

		if (value_of(c, (lit)variable))
			continue;
		if (c->theory.is_idle(c->theory.context, (lit)variable)) {
			struct skipped skipped = {variable, (uint32_t)c->levels.n};

			vec_push(&c->skipped, skipped);
			continue;
		}
		return c->phases.at[variable] > 0 ? (lit)variable : -(lit)variable;
	}
	return 0;
}
