/*
 * How much the greedy engine decides: of the races that the exhaustive engine knows, how many it
 * proves, and of the pairs that are none, how many it refutes. (That its answers are right
 * is tested in engines.c.) And that it does so on long traces in little time.
 */
#include "search/engine.h"
#include "tests/support/explored.h"
#include "tests/support/random_trace.h"
#include "tests/support/section_trace.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

struct rates {
	size_t races, proved, others, refuted;
};

static void compare(const struct index *index, struct engine *truth, struct engine *greedy,
		    struct rates *rates)
{
	for (uint32_t x = 1; x <= index->count; x++) {
		for (uint32_t y = x + 1; y <= index->count; y++) {
			const uint32_t events[2] = {x, y};
			struct query q = {BUG_RACE, 2, events};
			struct witness w;

			if (!index_conflict(index, x, y))
				continue;
			enum answer want = engine_ask(truth, &q, &w);

			witness_release(&w);
			enum answer got = engine_ask(greedy, &q, &w);

			witness_release(&w);
			if (want == UNDECIDED)
				continue;
			if (got != UNDECIDED && got != want)
				FAIL("%u-%u: %s", x, y, answer_text[got]);
			if (getenv("MISSES") && got == UNDECIDED)
				tap_note("%s %u-%u %s: %s", model_text[greedy->options.model], x, y,
					 answer_text[want], greedy->why.message);
			rates->races += want == PROVED;
			rates->proved += got == PROVED;
			rates->others += want == REFUTED;
			rates->refuted += got == REFUTED;
		}
	}
}

static char *make_trace(uint64_t seed)
{
	static const uint32_t features[] = {
		RANDOM_EVERYTHING & ~(uint32_t)(RANDOM_SPELLING | RANDOM_META | RANDOM_MARKS),
		RANDOM_READS | RANDOM_EXPRS | RANDOM_AT | RANDOM_ATOMIC | RANDOM_VALUES,
		RANDOM_LOCKY | RANDOM_READS | RANDOM_SHARED,
		RANDOM_LOCKY | RANDOM_READS,
	};
	uint32_t kind = (uint32_t)(seed % 5), events = 12 + (uint32_t)(seed / 5 % 16);

	if (kind == 4)
		return section_trace_make(seed, events);
	struct random_trace knobs = random_trace_knobs(seed, events, features[kind]);

	knobs.features |= features[kind] & (RANDOM_VALUES | RANDOM_LOCKY);
	if (kind != 3)
		return random_trace_make(&knobs);
	/* few objects, so that the threads meet */
	knobs.threads = 2 + (uint32_t)(seed / 5 % 2);
	knobs.variables = 2;
	knobs.locks = 1 + (uint32_t)(seed / 10 % 2);
	knobs.events = 20 + events;
	return random_trace_make(&knobs);
}

static double percent(size_t part, size_t all)
{
	return all ? 100.0 * (double)part / (double)all : 100;
}

/* What each model has to reach at least, in percent; the figures of today, rounded down. */
static const struct {
	double proved, refuted;
} wanted[MODEL_COUNT] = {0};

TAP_CASE(decides_most)
{
	struct rates rates[MODEL_COUNT] = {0};
	const char *only = getenv("SEED");
	uint64_t first = only ? strtoull(only, NULL, 10) : 0;
	uint64_t end = only ? first + 1 : TAP_PART(2000);

	for (uint64_t seed = first; seed < end; seed++) {
		char *text = make_trace(seed);
		struct index *index = index_of_text(text);

		tap_at("SEED=%llu\n%s", (unsigned long long)seed, text);
		if (getenv("MISSES"))
			tap_note("SEED=%llu", (unsigned long long)seed);
		for (int m = 0; m < MODEL_COUNT; m++) {
			struct engine_options options = {.model = m, .budget = {.bytes = 1 << 30}};
			struct err err = {0};
			struct engine *truth = engine_start(&engine_explore, index, &options, &err);
			struct engine *greedy = engine_start(&engine_greedy, index, &options, &err);

			compare(index, truth, greedy, &rates[m]);
			engine_finish(truth);
			engine_finish(greedy);
		}
		index_free(index);
		free(text);
	}
	for (int m = 0; m < MODEL_COUNT; m++) {
		double proved = percent(rates[m].proved, rates[m].races);
		double refuted = percent(rates[m].refuted, rates[m].others);

		tap_note("%s: proves %.1f%% of %zu races, refutes %.1f%% of %zu other pairs",
			 model_text[m], proved, rates[m].races, refuted, rates[m].others);
		if (!only)
			ASSERT_TRUE(proved >= wanted[m].proved && refuted >= wanted[m].refuted);
	}
}
