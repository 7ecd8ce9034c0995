/* SPDX-License-Identifier: MIT */
#include "tests/support/planted.h"

#include "tests/support/background.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

int planted_write_one(const struct planted_kind *kind, struct output *out, const char *format,
		      struct err *err)
{
	struct maker m;
	struct plant p = {0};

	maker_start(&m, out, format);
	p.first = maker_name(&m, CLASS_THREAD, "a");
	p.second = maker_name(&m, CLASS_THREAD, "b");
	p.third = maker_name(&m, CLASS_THREAD, "c");
	plant_start(&p, &m, kind, 1);
	kind->open(&p);
	kind->close(&p);
	return maker_finish(&m, err);
}

/* Half of an item, and where it goes. */
struct half {
	uint64_t position;
	uint32_t item;
	bool closes;
};

static int compare_halves(const void *a, const void *b)
{
	const struct half *x = a, *y = b;

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	if (x->closes != y->closes)
		return x->closes - y->closes; /* all open before one closes */
	return x->item < y->item ? -1 : x->item > y->item;
}

static const struct planted_kind *race_kind(uint32_t number)
{
	return &planted_races[number % planted_race_count];
}

/* Items 0, 2 … are the races, 1, 3 … the others. */
static const struct planted_kind *kind_of(uint32_t item)
{
	return item % 2 ? &planted_near[item / 2 % planted_near_count] : race_kind(item / 2);
}

/* Every other one of each kind, and of all kinds together. */
static bool is_long(uint32_t item)
{
	size_t kinds = item % 2 ? planted_near_count : planted_race_count;

	return (item / 2 / kinds + item / 2 % kinds) % 2;
}

static uint64_t at_most(struct random *r, uint64_t n)
{
	return n ? random_next(r) % n : 0;
}

static struct half *lay_out(const struct planted_size *size)
{
	struct half *halves = mem_alloc_zero(4 * (size_t)size->items, sizeof(*halves));
	struct random r = random_seeded(size->seed + 1);
	uint64_t tenth = size->events / 10;

	for (uint32_t i = 0; i < 2 * size->items; i++) {
		uint64_t gap =
			is_long(i) ? tenth + tenth / 10 + at_most(&r, 3 * tenth) : at_most(&r, 200);
		uint64_t start = at_most(&r, size->events - tenth / 2 - gap);

		halves[2 * i] = (struct half){start, i, false};
		halves[2 * i + 1] = (struct half){start + gap, i, true};
	}
	qsort(halves, 4 * (size_t)size->items, sizeof(*halves), compare_halves);
	return halves;
}

static void cast(struct plant *p, struct background *b, enum planted_sides sides)
{
	static const enum background_side second[] = {
		[NEAR_FAR] = SIDE_FAR,	[NEAR_EQUALS] = SIDE_EQUALS, [NEAR_VALUES] = SIDE_VALUES,
		[FAR_NEAR] = SIDE_NEAR, [NEAR_NEAR] = SIDE_NEAR,
	};

	p->first = background_pick(b, sides == FAR_NEAR ? SIDE_FAR : SIDE_NEAR, NOBODY);
	p->second = background_pick(b, second[sides], p->first);
	p->third = background_pick(b, second[sides] == SIDE_NEAR ? SIDE_NEAR : SIDE_FAR, p->second);
}

static void plant_half(struct plant *plants, struct background *b, struct maker *m,
		       const struct half *half)
{
	struct plant *p = &plants[half->item];

	background_settle(b);
	if (half->closes) {
		p->kind->close(p);
		return;
	}
	const struct planted_kind *kind = kind_of(half->item);

	cast(p, b, kind->sides);
	plant_start(p, m, kind, half->item / 2);
	kind->open(p);
}

int planted_write(const struct planted_size *size, struct output *out, const char *format,
		  struct err *err)
{
	struct half *halves = lay_out(size);
	struct plant *plants = mem_alloc_zero(2 * (size_t)size->items, sizeof(*plants));
	struct maker m;
	size_t next = 0, count = 4 * (size_t)size->items;

	maker_start(&m, out, format);
	struct background *b = background_new(&m, size->threads, size->seed);

	while (m.made < size->events || next < count) {
		while (next < count && halves[next].position <= m.made)
			plant_half(plants, b, &m, &halves[next++]);
		background_run(b);
	}
	background_end(b);
	background_free(b);
	mem_free(plants);
	mem_free(halves);
	return maker_finish(&m, err);
}

/* race-NUMBER-KIND.c:LINE */
static bool split_place(const char *place, uint32_t *number, char *kind, uint32_t *line)
{
	return sscanf(place, "race-%u-%40[a-z-].c:%u", number, kind, line) == 3;
}

long planted_find(const char *a, const char *b)
{
	uint32_t number[2], line[2];
	char kind[2][41];

	if (!split_place(a, &number[0], kind[0], &line[0]) ||
	    !split_place(b, &number[1], kind[1], &line[1]))
		return -1;
	if (number[0] != number[1] || strcmp(kind[0], race_kind(number[0])->name) ||
	    strcmp(kind[0], kind[1]) || line[0] + line[1] != 3 || line[0] * line[1] != 2)
		return -1;
	return number[0];
}

bool planted_has(uint32_t number, enum model model)
{
	const struct planted_kind *kind = race_kind(number);

	switch (model) {
	case MODEL_VALUES: return kind->race;
	case MODEL_MAXIMAL: return kind->maximal;
	default: return kind->predictable;
	}
}
