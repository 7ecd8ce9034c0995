/* SPDX-License-Identifier: MIT */
/*
 * Layouts in which granules turn out to be as good as constants (layout_settle): the same as if
 * that had been known when they were made.
 */
#include "record/keep/layout.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#include <string.h>

#define RUNS 5000
#define OBJECTS_MOST 6
#define GRANULES_MOST 12

static void add_constant(struct layout *l, size_t first, uint64_t address)
{
	struct layout_run run = {address, 1};
	size_t n = l->runs.n;

	if (n > first && l->runs.at[n - 1].address + 8 * l->runs.at[n - 1].count == address)
		l->runs.at[n - 1].count++;
	else
		vec_push(&l->runs, run);
}

static void add_kept(struct layout *l, uint64_t address, uint32_t variables, bool handed)
{
	struct layout_granule g = {.address = address,
				   .first = (uint32_t)l->variables.n,
				   .cuts = (uint8_t)(variables << 1),
				   .bytes = 0xff,
				   .handed = handed};

	for (uint32_t i = 0; i < variables; i++) {
		struct layout_variable v = {.address = address + i, .size = 1};

		vec_push(&l->variables, v);
	}
	vec_push(&l->granules, g);
}

static void end_object(struct layout *l, struct layout_object o)
{
	o.granule_count = l->granules.n - o.granules;
	o.run_count = l->runs.n - o.runs;
	o.variable_count = (uint32_t)l->variables.n - o.variables;
	if (o.granule_count || o.run_count)
		vec_push(&l->objects, o);
}

static struct layout_object begin_object(const struct layout *l, uint32_t id, uint64_t address)
{
	return (struct layout_object){.object = {.id = id, .address = address},
				      .granules = l->granules.n,
				      .runs = l->runs.n,
				      .variables = (uint32_t)l->variables.n};
}

/* Of each granule it is known at once, in `known`, or only in the end. */
static void make_object(struct random *r, struct layout *known, struct layout *late, uint32_t id)
{
	uint64_t address = (uint64_t)id << 12;
	struct layout_object a = begin_object(known, id, address),
			     b = begin_object(late, id, address);

	for (uint32_t n = random_below(r, GRANULES_MOST); n; n--, address += 8) {
		uint32_t what = random_below(r, 4), variables = 1 + random_below(r, 3);

		if (what == 1)
			add_kept(known, address, variables, false);
		else if (what)
			add_constant(known, a.runs, address);
		if (what == 1 || what == 2)
			add_kept(late, address, variables, what == 2);
		else if (what)
			add_constant(late, b.runs, address);
	}
	end_object(known, a);
	end_object(late, b);
}

/* By id, as a survey leaves them. */
static void sort_objects(struct layout *l)
{
	for (size_t i = 1; i < l->objects.n; i++)
		for (size_t k = i; k && l->objects.at[k].object.id < l->objects.at[k - 1].object.id;
		     k--) {
			struct layout_object swap = l->objects.at[k];

			l->objects.at[k] = l->objects.at[k - 1];
			l->objects.at[k - 1] = swap;
		}
}

static bool same_object(const struct layout_object *a, const struct layout_object *b)
{
	return a->object.id == b->object.id && a->granules == b->granules &&
	       a->granule_count == b->granule_count && a->runs == b->runs &&
	       a->run_count == b->run_count && a->variables == b->variables &&
	       a->variable_count == b->variable_count;
}

static bool same_granule(const struct layout_granule *a, const struct layout_granule *b)
{
	return a->address == b->address && a->first == b->first && a->cuts == b->cuts;
}

static void check_same(const struct layout *a, const struct layout *b)
{
	ASSERT_EQ(a->objects.n, b->objects.n);
	ASSERT_EQ(a->granules.n, b->granules.n);
	ASSERT_EQ(a->variables.n, b->variables.n);
	ASSERT_EQ(a->runs.n, b->runs.n);
	for (size_t i = 0; i < a->objects.n; i++)
		ASSERT_TRUE(same_object(&a->objects.at[i], &b->objects.at[i]));
	for (size_t i = 0; i < a->granules.n; i++)
		ASSERT_TRUE(same_granule(&a->granules.at[i], &b->granules.at[i]));
	for (size_t i = 0; i < a->variables.n; i++)
		ASSERT_EQ(a->variables.at[i].address, b->variables.at[i].address);
	for (size_t i = 0; i < a->runs.n; i++) {
		ASSERT_EQ(a->runs.at[i].address, b->runs.at[i].address);
		ASSERT_EQ(a->runs.at[i].count, b->runs.at[i].count);
	}
}

/* Objects are closed in any order of their ids. */
TAP_CASE(known_late_as_if_known_at_once)
{
	size_t settled = 0;

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct random r = {seed};
		struct layout known, late;
		uint32_t n = 1 + random_below(&r, OBJECTS_MOST), step = n == 5 ? 2 : 1,
			 from = random_below(&r, n);

		memset(&known, 0, sizeof(known));
		memset(&late, 0, sizeof(late));
		for (uint32_t i = 0; i < n; i++)
			make_object(&r, &known, &late, 1 + (from + i * step) % n);
		sort_objects(&known);
		sort_objects(&late);
		settled += late.granules.n - known.granules.n;
		layout_settle(&late);
		check_same(&known, &late);
		layout_release(&known);
		layout_release(&late);
	}
	ASSERT_TRUE(settled > RUNS);
}
