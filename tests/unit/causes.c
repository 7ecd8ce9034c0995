/* SPDX-License-Identifier: MIT */
/*
 * What model/causes.h says comes before an event does so in every execution: the solver, which
 * shares nothing with it, finds none in which it does not. And the greedy engine, which refutes by
 * it, agrees with the exhaustive one on threads that hand objects to each other through a list.
 *
 * SOAK=100000	so many random traces
 * SEED=17	that one alone
 */
#include "model/causes.h"

#include "base/seconds.h"
#include "search/engine.h"
#include "tests/support/explored.h"
#include "tests/support/list_trace.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

static const struct causes_limits unlimited;

/* Is there an execution in which the second happens, and the first does not before it? */
static bool may_come_first(struct engine *order, uint32_t first, uint32_t second)
{
	const uint32_t without[4] = {first, 0, 0, second}, behind[2] = {second, first};
	const struct query queries[2] = {{BUG_PROPERTY, 4, without}, {BUG_PROPERTY, 2, behind}};
	bool may = false;

	for (int i = 0; i < 2; i++) {
		struct witness w = {0};

		may |= engine_ask(order, &queries[i], &w) != REFUTED;
		witness_release(&w);
	}
	return may;
}

struct counts {
	size_t checked, known, others, refuted;
};

static void check_causes(const struct index *index, struct counts *counts)
{
	struct engine_options options = {.model = MODEL_VALUES};
	struct err err = {0};
	struct needs *needs = needs_new(index);
	struct causes *c = causes_new(index, needs, &unlimited);
	struct engine *order = engine_start(&engine_order, index, &options, &err);

	ASSERT_TRUE(c);
	for (uint32_t n = 1; n <= index->count; n++) {
		for (uint32_t t = 0; t < index->thread_count; t++) {
			uint32_t count = causes_count(c, n, t);

			if (t == index->events[n].thread || !count)
				continue;
			uint32_t last = index->threads[t].events[count - 1];

			/* which may be skipped: then the branch, which happens either way */
			while (index_arm(index, last))
				last = index_arm(index, last);
			counts->known++;
			if (may_come_first(order, last, n))
				FAIL("event %u need not come before %u", last, n);
		}
	}
	engine_finish(order);
	causes_free(c);
	needs_free(needs);
}

static void check_pairs(const struct index *index, struct counts *counts)
{
	struct engine_options options = {.model = MODEL_VALUES, .budget = {.bytes = 1 << 30}};
	struct err err = {0};
	struct engine *truth = engine_start(&engine_explore, index, &options, &err);
	struct engine *greedy = engine_start(&engine_greedy, index, &options, &err);

	for (uint32_t x = 1; x <= index->count; x++)
		for (uint32_t y = x + 1; y <= index->count; y++) {
			const uint32_t events[2] = {x, y};
			struct query q = {BUG_RACE, 2, events};
			struct witness w = {0};

			if (!index_conflict(index, x, y))
				continue;
			enum answer want = engine_ask(truth, &q, &w);

			witness_release(&w);
			enum answer got = engine_ask(greedy, &q, &w);

			witness_release(&w);
			counts->checked++;
			counts->others += want == REFUTED;
			counts->refuted += want == REFUTED && got == REFUTED;
			if (want != UNDECIDED && got != UNDECIDED && got != want)
				FAIL("race %u-%u: %s", x, y, engine_answer_text[got]);
		}
	engine_finish(truth);
	engine_finish(greedy);
}

static void check_seeds(uint64_t count, char *(*make)(uint64_t seed), struct counts *counts)
{
	const char *soak = getenv("SOAK"), *only = getenv("SEED");
	uint64_t first = only ? strtoull(only, NULL, 10) : 0;
	uint64_t end = only ? first + 1 : soak ? strtoull(soak, NULL, 10) : count;

	for (uint64_t seed = first; seed < end; seed++) {
		char *text = make(seed);
		struct index *index = index_of_text(text);

		tap_at("SEED=%llu\n%s", (unsigned long long)seed, text);
		check_causes(index, counts);
		check_pairs(index, counts);
		index_free(index);
		free(text);
	}
	tap_note("%zu events known to come before others; %zu pairs, %zu of %zu refuted",
		 counts->known, counts->checked, counts->refuted, counts->others);
}

static char *make_list(uint64_t seed)
{
	return list_trace_make(seed, 14 + (uint32_t)(seed % 24));
}

TAP_CASE(lists)
{
	struct counts counts = {0};

	check_seeds(TAP_PART(3000), make_list, &counts);
	ASSERT_TRUE(getenv("SEED") || counts.known > counts.checked / 100);
	ASSERT_TRUE(counts.refuted * 100 >= counts.others * 80);
}

static char *make_random(uint64_t seed)
{
	struct random_trace knobs = random_trace_knobs(
		seed, 10 + (uint32_t)(seed % 16),
		RANDOM_EVERYTHING & ~(uint32_t)(RANDOM_SPELLING | RANDOM_META | RANDOM_MARKS));

	return random_trace_make(&knobs);
}

TAP_CASE(random_traces)
{
	struct counts counts = {0};

	check_seeds(TAP_PART(3000), make_random, &counts);
}

/* What is not made in time is not there: a part of it would say too much. */
TAP_CASE(out_of_time)
{
	static const char line[] = "T1 write x 1 reads=\n";
	enum { LINES = 5000 };
	char *text = malloc(LINES * (sizeof(line) - 1));
	struct err err = {0};
	struct batch batch;

	for (size_t i = 0; i < LINES; i++)
		memcpy(text + i * (sizeof(line) - 1), line, sizeof(line) - 1);
	struct reader *r = reader_open_memory(text, LINES * (sizeof(line) - 1), "it", "text", &err);
	struct index *index = index_new(r, &err);
	struct needs *needs = needs_new(index);

	const struct causes_limits late = {.deadline = seconds_now() - 1}, small = {.bytes = 1};

	ASSERT_TRUE(!causes_new(index, needs, &late));
	ASSERT_TRUE(!causes_new(index, needs, &small));
	needs_free(needs);
	index_free(index);
	r = reader_open_memory(text, LINES * (sizeof(line) - 1), "it", "text", &err);
	reader_set_deadline(r, seconds_now() - 1);
	ASSERT_TRUE(reader_next(r, &batch, &err) == ERR_LIMIT);
	reader_close(r);
	free(text);
}

/* One address, read from a list that others have filled, orders what was done to the object. */
TAP_CASE(by_hand)
{
	static const char text[] = "T1 write data 1 reads=\n"
				   "T1 acquire L\n"
				   "T1 write head 1 reads=\n"
				   "T1 release L\n"
				   "T2 acquire L\n"
				   "T2 read head 1\n"
				   "T2 release L\n"
				   "T2 branch if (= %6 1)\n"
				   "T2 read data 1 at=6\n";
	struct index *index = index_of_text(text);
	struct needs *needs = needs_new(index);
	struct causes *c = causes_new(index, needs, &unlimited);

	ASSERT_TRUE(causes_count(c, 8, 0) == 4); /* the branch knows of the release */
	ASSERT_TRUE(causes_count(c, 6, 0) == 0);
	causes_free(c);
	needs_free(needs);
	index_free(index);
}

/* The guard goes its way with one of the values alone; and with what was computed from that. */
TAP_CASE(guards)
{
	static const char chain[] = "T1 write y 3 reads=\n"
				    "T2 read y 3\n"
				    "T2 write x 8 = (+ %2 5)\n"
				    "T3 read x 8\n"
				    "T3 branch if (> %4 6)\n"
				    "T3 write z 2 reads=\n";
	struct index *index = index_of_text(chain);
	struct needs *needs = needs_new(index);
	struct causes *c = causes_new(index, needs, &unlimited);

	ASSERT_TRUE(causes_count(c, 6, 1) == 2); /* the guard knows of the write of x */
	ASSERT_TRUE(causes_count(c, 6, 0) == 1); /* and of that of y, since 0 + 5 is less */
	ASSERT_TRUE(causes_count(c, 4, 0) == 0);
	causes_free(c);
	needs_free(needs);
	index_free(index);
}
