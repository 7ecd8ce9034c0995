/* SPDX-License-Identifier: MIT */
/*
 * A trace of any size with planted races, and with planted pairs that only look like races,
 * over a background without any: threads with variables of their own, shared ones under locks,
 * tables that are only read, atomic counters, branches.
 *
 * Each planted item has its own objects and its own source file, race-17-handover.c or
 * near-5-flag.c; its two accesses are at lines 1 and 2. So a result can be checked by name.
 *
 * Why the claims hold in the large. Of an item that is no race: whether its events can happen
 * depends on its own objects alone, so each execution of the trace holds one of the item alone,
 * and for that the exhaustive engine says that there is none (tests/unit/planted.c). Of a race:
 * threads stand on two sides. Nothing that a thread of the far side needs (values that it
 * branches on, signals …) ever comes from the near side, and nobody holds a lock where an item
 * begins. The first access is by a thread of the near side; from there the far side alone can go
 * on until the second.
 */
#ifndef SUPPORT_PLANTED_H
#define SUPPORT_PLANTED_H

#include "base/output.h"
#include "tests/support/maker.h"
#include "trace/models.h"

/* Who acts: on which sides the threads of the first and the second access stand. */
enum planted_sides {
	NEAR_FAR,
	NEAR_EQUALS, /* far, but nobody else of the far side needs this one: it gets on only if */
	NEAR_VALUES, /* … other writes of equal value do; if expressions are evaluated */
	FAR_NEAR,
	NEAR_NEAR,
};

struct plant {
	struct maker *m;
	const struct planted_kind *kind;
	uint32_t number;
	uint32_t line;		       /* last used */
	uint32_t first, second, third; /* threads; the third is far in a race, else near */
	uint32_t x, y, z, lock, other_lock;
	uint64_t event; /* between the halves */
};

struct planted_kind {
	const char *name;
	bool race; /* in model values */
	bool maximal, predictable, hb;
	enum planted_sides sides;
	/* The first access and what follows it; what comes before the second, and that. */
	void (*open)(struct plant *p);
	void (*close)(struct plant *p);
};

extern const struct planted_kind planted_races[], planted_near[];
extern const size_t planted_race_count, planted_near_count;

/* One item, with the threads set in p; and both halves of it in turn. */
void plant_start(struct plant *p, struct maker *m, const struct planted_kind *kind,
		 uint32_t number);

/* A trace of one item alone, by threads a, b, c. */
int planted_write_one(const struct planted_kind *kind, struct output *out, const char *format,
		      struct err *err);

struct planted_size {
	uint64_t events;  /* at least some 50 an item */
	uint32_t threads; /* at least 8 */
	uint32_t items;	  /* races, and as many that are none */
	uint64_t seed;
};

/* Every other item spans more than a tenth of the trace. */
int planted_write(const struct planted_size *size, struct output *out, const char *format,
		  struct err *err);

/* The number of the race with accesses at these two places, -1 if none was planted there. */
long planted_find(const char *a, const char *b);
bool planted_has(uint32_t number, enum model model);

#endif
