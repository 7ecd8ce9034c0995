/* SPDX-License-Identifier: MIT */
/*
 * Deadlocks of random traces with 3 to 5 locks: those that are nominated as rings of acquires and
 * that an engine proves are those of the exhaustive engine, in every model. Those of the
 * candidates of a prediction are the same.
 *
 * SOAK=5000	so many random traces
 * SEED=17	this one alone
 */
#include "deadlock/cycles.h"
#include "predict/candidates.h"
#include "search/engine.h"
#include "tests/support/explored.h"
#include "tests/support/lock_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"
#include "witness/certify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACES 500

struct asked {
	const char *text;
	const struct index *index;
	enum model model;
	struct engine *engine;
	struct intern sets;   /* that were nominated */
	struct intern proved; /* sets, as text: 2,6,10 */
};

static uint64_t nominated, found, traces_with, places_checked;

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static const char *set_text(const uint32_t *events, uint32_t n)
{
	static char text[200];
	uint32_t set[LOCK_TRACE_THREADS];

	ASSERT_TRUE(n <= LOCK_TRACE_THREADS);
	memcpy(set, events, n * sizeof(*set));
	qsort(set, n, sizeof(*set), compare_numbers);
	*text = '\0';
	for (uint32_t i = 0; i < n; i++)
		sprintf(text + strlen(text), i ? ",%u" : "%u", set[i]);
	return text;
}

static void certify_witness(const struct asked *a, const struct witness *w)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(a->text, strlen(a->text), "trace", "text", &err);

	ASSERT_TRUE(r != NULL);
	if (certify(r, w, &err) != 1)
		FAIL("model %s: the witness is rejected: %s", model_text[a->model], err.message);
	reader_close(r);
}

static bool ask_ring(void *context, const uint32_t *events, uint32_t n)
{
	struct asked *a = context;
	struct query q = {BUG_DEADLOCK, n, events};
	const char *text = set_text(events, n);
	struct witness w;

	intern_add(&a->sets, text, strlen(text));
	enum answer answer = engine_ask(a->engine, &q, &w);

	if (answer == UNDECIDED)
		FAIL("model %s, %s: undecided: %s", model_text[a->model], text,
		     a->engine->why.message);
	nominated++;
	if (answer == PROVED) {
		intern_add(&a->proved, text, strlen(text));
		certify_witness(a, &w);
	}
	witness_release(&w);
	return true;
}

/* Each set of the exhaustive engine is proved, and nothing else is. */
static void compare_sets(const struct asked *a, const struct explore_result *all)
{
	for (size_t i = 0; i < all->bugs[BUG_DEADLOCK].n; i++) {
		const struct witness *w = &all->bugs[BUG_DEADLOCK].at[i].witness;
		uint32_t events[LOCK_TRACE_THREADS];

		for (size_t k = 0; k < w->bug_events.n; k++)
			events[k] = (uint32_t)w->bug_events.at[k];
		const char *text = set_text(events, (uint32_t)w->bug_events.n);

		if (intern_find(&a->sets, text, strlen(text)) == INTERN_NONE)
			FAIL("model %s: %s is a deadlock and was not nominated",
			     model_text[a->model], text);
		if (intern_find(&a->proved, text, strlen(text)) == INTERN_NONE)
			FAIL("model %s: %s is a deadlock and was refuted", model_text[a->model],
			     text);
	}
	ASSERT_EQ(a->proved.strings.n, all->bugs[BUG_DEADLOCK].n);
	found += all->bugs[BUG_DEADLOCK].n;
}

/* The instances of all candidates together are those sets. */
static void check_candidates(const struct index *index, const struct intern *sets)
{
	const struct predict_options options = {.bugs = BUG_BIT(BUG_DEADLOCK)};
	struct candidates c;
	struct err err = {0};
	struct intern listed = {0};

	ASSERT_EQ(candidates_init(&c, index, &options, &err), 0);
	ASSERT_TRUE(!c.kinds[0].missing);
	for (size_t i = 0; i < c.all.n; i++) {
		struct instances all = {0};

		candidates_list(&c, &c.all.at[i], SIZE_MAX, &all);
		ASSERT_TRUE(all.all);
		for (size_t k = 0; k < all.at.n; k++) {
			const struct instance *at = &all.at.at[k];
			const char *text = set_text(all.events.at + at->first, at->count);

			intern_add(&listed, text, strlen(text));
			ASSERT_TRUE(intern_find(sets, text, strlen(text)) != INTERN_NONE);
		}
		instances_release(&all);
	}
	ASSERT_EQ(listed.strings.n, sets->strings.n);
	candidates_release(&c);
	intern_release(&listed);
}

static bool add_set(void *context, const uint32_t *events, uint32_t n)
{
	const char *text = set_text(events, n);

	intern_add(context, text, strlen(text));
	return true;
}

/* Cycles as texts, behind those of their places that differ. */
struct listed {
	struct cycles *cycles;
	VEC(struct cycle_places) places; /* of the last one, sorted, each once */
	struct intern all;
};

static int compare_places(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct cycle_places));
}

static void find_places(struct listed *l, const uint32_t *wants, uint32_t n)
{
	size_t kept = 0;

	l->places.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct cycle_places p = {cycles_held_at(l->cycles, wants, n, i),
					 cycles_wants(l->cycles)->all.at[wants[i]].site};

		vec_push(&l->places, p);
	}
	qsort(l->places.at, n, sizeof(*l->places.at), compare_places);
	for (size_t i = 0; i < n; i++)
		if (!kept || compare_places(&l->places.at[kept - 1], &l->places.at[i]))
			l->places.at[kept++] = l->places.at[i];
	l->places.n = kept;
}

static bool list_cycle(void *context, const uint32_t *wants, uint32_t n)
{
	struct listed *l = context;
	VEC(uint32_t) key = {0};

	find_places(l, wants, n);
	vec_push(&key, (uint32_t)l->places.n);
	for (size_t i = 0; i < l->places.n; i++) {
		vec_push(&key, l->places.at[i].held_at);
		vec_push(&key, l->places.at[i].wanted_at);
	}
	for (uint32_t i = 0; i < n; i++)
		vec_push(&key, wants[i]);
	size_t before = l->all.strings.n;

	/* each cycle is found once */
	ASSERT_EQ(intern_add(&l->all, (const char *)key.at, key.n * sizeof(*key.at)), before);
	vec_release(&key);
	return true;
}

static bool is_among(const uint32_t *key, const uint32_t *places)
{
	for (uint32_t i = 0; i < key[0]; i++) {
		bool there = false;

		for (uint32_t k = 0; k < places[0]; k++)
			there |= !memcmp(key + 1 + 2 * i, places + 1 + 2 * k, 2 * sizeof(*key));
		if (!there)
			return false;
	}
	return true;
}

/* Of two cycles, each once. */
static uint32_t *join_places(const uint32_t *x, const uint32_t *y)
{
	uint32_t *both = mem_alloc((1 + 2 * (size_t)(x[0] + y[0])) * sizeof(*both));

	memcpy(both, x, (1 + 2 * (size_t)x[0]) * sizeof(*both));
	for (uint32_t i = 0; i < y[0]; i++) {
		uint32_t one[3] = {1, y[1 + 2 * i], y[2 + 2 * i]};

		if (is_among(one, both))
			continue;
		memcpy(both + 1 + 2 * both[0], one + 1, 2 * sizeof(*both));
		both[0]++;
	}
	return both;
}

/* The cycles at the places of some cycles are those of all whose places are among these. */
static void check_places(struct cycles *cycles)
{
	struct listed all = {.cycles = cycles};

	ASSERT_TRUE(cycles_each(cycles, 0, list_cycle, &all));
	for (size_t i = 0; i < all.all.strings.n; i++) {
		size_t n = all.all.strings.n;
		uint32_t *key = join_places((const void *)all.all.strings.at[i].text,
					    (const void *)all.all.strings.at[(i * 7 + 1) % n].text);
		struct listed at = {.cycles = cycles};
		size_t expected = 0;

		ASSERT_TRUE(cycles_each_at(cycles, (const void *)(key + 1), key[0], 0, list_cycle,
					   &at));
		for (size_t k = 0; k < all.all.strings.n; k++) {
			const struct interned *other = &all.all.strings.at[k];

			if (!is_among((const void *)other->text, key))
				continue;
			expected++;
			ASSERT_TRUE(intern_find(&at.all, other->text, other->length) !=
				    INTERN_NONE);
		}
		ASSERT_EQ(at.all.strings.n, expected);
		places_checked += expected > 1 && expected < all.all.strings.n;
		mem_free(key);
		vec_release(&at.places);
		intern_release(&at.all);
	}
	vec_release(&all.places);
	intern_release(&all.all);
}

static void compare_trace(const char *text)
{
	struct index *index = index_of_text(text);
	struct cycles *cycles = cycles_new(index);
	uint64_t before = found;

	for (int m = 0; m < MODEL_COUNT; m++) {
		struct engine_options options = {.model = m, .budget.bytes = (uint64_t)1 << 30};
		struct explore_limits limits = {.bytes = (uint64_t)1 << 30};
		struct explore_result all;
		struct err err = {0};
		struct asked a = {.text = text, .index = index, .model = m};

		ASSERT_EQ(explore(index, m, &limits, &all, &err), 0);
		a.engine = engine_start(&engine_solver, index, &options, &err);
		ASSERT_TRUE(cycles_all_rings(cycles, 0, ask_ring, &a));
		compare_sets(&a, &all);
		engine_finish(a.engine);
		explore_result_release(&all);
		intern_release(&a.sets);
		intern_release(&a.proved);
	}
	traces_with += found > before;
	struct intern sets = {0};

	cycles_all_rings(cycles, 0, add_set, &sets);
	check_candidates(index, &sets);
	intern_release(&sets);
	check_places(cycles);
	cycles_free(cycles);
	index_free(index);
}

TAP_CASE(random_traces)
{
	const char *soak = getenv("SOAK"), *only = getenv("SEED");
	uint64_t count = soak ? strtoull(soak, NULL, 10) : TRACES;
	uint64_t first = only ? strtoull(only, NULL, 10) : 0;

	if (soak)
		alarm(0);
	for (uint64_t seed = first; seed < (only ? first + 1 : count); seed++) {
		char *text = lock_trace_make(seed, 16 + (uint32_t)(seed / 2 % 24));

		tap_at("SEED=%llu, the trace:\n%s", (unsigned long long)seed, text);
		compare_trace(text);
		free(text);
	}
	tap_note("%llu traces with deadlocks; %llu rings nominated, %llu deadlocks; %llu sets of "
		 "places",
		 (unsigned long long)traces_with, (unsigned long long)nominated,
		 (unsigned long long)found, (unsigned long long)places_checked);
	/* enough of both kinds to have seen something */
	ASSERT_TRUE(only || (found > count / 2 && nominated > found + count / 8 &&
			     places_checked > count / 50));
}
