/* SPDX-License-Identifier: MIT */
#include "record/keep/layout.h"

#include <stdlib.h>
#include <string.h>

void layout_release(struct layout *layout)
{
	vec_release(&layout->objects);
	vec_release(&layout->granules);
	vec_release(&layout->variables);
	vec_release(&layout->runs);
	vec_release(&layout->dangling);
	vec_release(&layout->crashes);
}

/* Settling */

static int compare_places(const void *a, const void *b)
{
	const struct layout_object *x = *(struct layout_object *const *)a,
				   *y = *(struct layout_object *const *)b;

	if (x->granules != y->granules)
		return x->granules < y->granules ? -1 : 1;
	return x->runs < y->runs ? -1 : x->runs > y->runs;
}

/* Behind those of the object, which are in ascending order. */
static void add_run(struct layout *layout, size_t first, struct layout_run run)
{
	struct layout_run *last =
		layout->runs.n > first ? &layout->runs.at[layout->runs.n - 1] : NULL;

	if (last && last->address + 8 * last->count == run.address)
		last->count += run.count;
	else
		vec_push(&layout->runs, run);
}

static void keep_granule(struct layout *layout, const struct layout *from, size_t i, size_t next)
{
	struct layout_granule granule = from->granules.at[i];

	granule.first = (uint32_t)layout->variables.n;
	for (size_t v = from->granules.at[i].first; v < next; v++)
		vec_push(&layout->variables, from->variables.at[v]);
	vec_push(&layout->granules, granule);
}

static void settle_object(struct layout *layout, const struct layout *from, struct layout_object *o)
{
	size_t run = o->runs, runs = run + o->run_count;
	size_t granules = o->granules + o->granule_count, first = layout->runs.n;
	struct layout_object to = {.object = o->object,
				   .granules = layout->granules.n,
				   .runs = first,
				   .variables = (uint32_t)layout->variables.n};

	for (size_t i = o->granules; i < granules; i++) {
		const struct layout_granule *g = &from->granules.at[i];

		for (; run < runs && from->runs.at[run].address < g->address; run++)
			add_run(layout, first, from->runs.at[run]);
		if (g->handed)
			add_run(layout, first, (struct layout_run){g->address, 1});
		else
			keep_granule(layout, from, i,
				     i + 1 < granules ? g[1].first
						      : o->variables + o->variable_count);
	}
	for (; run < runs; run++)
		add_run(layout, first, from->runs.at[run]);
	to.granule_count = layout->granules.n - to.granules;
	to.run_count = layout->runs.n - to.runs;
	to.variable_count = (uint32_t)layout->variables.n - to.variables;
	*o = to;
}

/* Object by object as they were closed, so that variables have the numbers that a survey which knew
 * it from the start would give them. */
void layout_settle(struct layout *layout)
{
	struct layout from = *layout;
	size_t n = layout->objects.n;
	struct layout_object **objects = mem_alloc_zero(n + 1, sizeof(*objects));

	for (size_t i = 0; i < n; i++)
		objects[i] = &layout->objects.at[i];
	qsort(objects, n, sizeof(struct layout_object *), compare_places);
	memset(&layout->granules, 0, sizeof(layout->granules));
	memset(&layout->variables, 0, sizeof(layout->variables));
	memset(&layout->runs, 0, sizeof(layout->runs));
	for (size_t i = 0; i < n; i++)
		settle_object(layout, &from, objects[i]);
	vec_release(&from.granules);
	vec_release(&from.variables);
	vec_release(&from.runs);
	mem_free(objects);
}

uint8_t layout_bytes(uint64_t granule, uint64_t from, uint64_t size)
{
	unsigned bytes = 0xff;

	if (granule < from)
		bytes &= 0xffu << (from - granule);
	if (size < granule + 8 - from)
		bytes &= (1u << (from + size - granule)) - 1;
	return (uint8_t)bytes;
}
