/* SPDX-License-Identifier: MIT */
/*
 * How much the greedy engine decides: of the races that the exhaustive engine knows, how many it
 * proves, and of the pairs that are none, how many it refutes. (That its answers are right
 * is tested in engines.c.) And that it does so on long traces in little time.
 */
#include "search/engine.h"
#include "search/explore/explore.h"
#include "tests/support/explored.h"
#include "tests/support/measure.h"
#include "tests/support/planted.h"
#include "tests/support/random_trace.h"
#include "tests/support/section_trace.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rates {
	size_t races, proved, others, refuted;
};

static void compare_pair(const struct index *index, struct engine *truth, struct engine *greedy,
			 const struct query *q, struct rates *rates)
{
	struct witness w;
	enum answer want = engine_ask(truth, q, &w), got;

	witness_release(&w);
	got = engine_ask(greedy, q, &w);
	if (want != UNDECIDED && got != UNDECIDED && got != want)
		FAIL("%s %u-%u: %s", bug_kind_text[q->bug], q->events[0], q->events[1],
		     engine_answer_text[got]);
	if (got == PROVED && !explore_accepts(index, &w))
		FAIL("%s %u-%u: the witness is wrong", bug_kind_text[q->bug], q->events[0],
		     q->events[1]);
	if (getenv("MISSES") && got == UNDECIDED)
		tap_note("%s %u-%u %s: %s", model_text[greedy->options.model], q->events[0],
			 q->events[1], engine_answer_text[want], greedy->why.message);
	witness_release(&w);
	rates->races += want == PROVED;
	rates->proved += want == PROVED && got == PROVED;
	rates->others += want == REFUTED;
	rates->refuted += want == REFUTED && got == REFUTED;
}

static bool takes_lock(const struct event *e)
{
	return e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED || e->kind == EV_WOKEN;
}

/* May the two be a bug of that kind? */
static bool is_pair(const struct index *index, enum bug_kind bug, uint32_t x, uint32_t y)
{
	const struct event *a = &index->events[x], *b = &index->events[y];

	if (bug == BUG_RACE)
		return index_conflict(index, x, y);
	return a->thread != b->thread && takes_lock(a) && takes_lock(b);
}

static void compare(const struct index *index, struct engine *truth, struct engine *greedy,
		    enum bug_kind bug, struct rates *rates)
{
	for (uint32_t x = 1; x <= index->count; x++) {
		for (uint32_t y = x + 1; y <= index->count; y++) {
			const uint32_t events[2] = {x, y};
			struct query q = {bug, 2, events};

			if (is_pair(index, bug, x, y))
				compare_pair(index, truth, greedy, &q, rates);
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

static void measure(enum bug_kind bug, uint64_t traces, const double *least)
{
	struct rates rates[MODEL_COUNT] = {0};
	const char *only = getenv("SEED");
	uint64_t first = only ? strtoull(only, NULL, 10) : 0;

	for (uint64_t seed = first; seed < (only ? first + 1 : traces); seed++) {
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

			compare(index, truth, greedy, bug, &rates[m]);
			engine_finish(truth);
			engine_finish(greedy);
		}
		index_free(index);
		free(text);
	}
	for (int m = 0; m < MODEL_COUNT; m++) {
		double proved = percent(rates[m].proved, rates[m].races);

		tap_note("%s: proves %.1f%% of %zu, refutes %.1f%% of %zu other pairs",
			 model_text[m], proved, rates[m].races,
			 percent(rates[m].refuted, rates[m].others), rates[m].others);
		if (!only)
			ASSERT_TRUE(proved >= least[m]);
	}
}

TAP_CASE(proves_most_races)
{
	static const double least[MODEL_COUNT] = {
		[MODEL_VALUES] = 98, [MODEL_MAXIMAL] = 98, [MODEL_PREDICTABLE] = 99,
		[MODEL_MCM] = 97,    [MODEL_SAID] = 50,
	};

	measure(BUG_RACE, TAP_PART(2000), least);
}

TAP_CASE(proves_most_deadlocks)
{
	static const double least[MODEL_COUNT] = {0};

	measure(BUG_DEADLOCK, TAP_PART(2000), least);
}

/* The planted pairs of a long trace, by the names of their places. */
struct pair {
	uint32_t first, second;
	bool race;
	char name[64];
};

struct pairs {
	VEC(struct pair) at;
};

static struct pair *pair_of(struct pairs *pairs, const char *name, size_t length)
{
	struct pair new = {.race = !strncmp(name, "race", 4)};

	ASSERT_TRUE(length < sizeof(new.name));
	for (size_t i = 0; i < pairs->at.n; i++)
		if (!strncmp(pairs->at.at[i].name, name, length) && !pairs->at.at[i].name[length])
			return &pairs->at.at[i];
	memcpy(new.name, name, length);
	vec_push(&pairs->at, new);
	return &pairs->at.at[pairs->at.n - 1];
}

static void find_pairs(const struct index *index, struct pairs *pairs)
{
	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];
		const char *place = intern_text(&index->symbols->locations, e->location);
		const char *colon;

		if (!e->location || !event_is(e, EV_ACCESS) ||
		    (strncmp(place, "race-", 5) && strncmp(place, "near-", 5)))
			continue;
		colon = strchr(place, ':');
		if (colon[2] || (colon[1] != '1' && colon[1] != '2'))
			continue;
		struct pair *pair = pair_of(pairs, place, (size_t)(colon - place));

		*(colon[1] == '1' ? &pair->first : &pair->second) = n;
	}
}

static struct index *planted_index(uint64_t events, uint32_t items)
{
	struct planted_size size = {.events = events, .threads = 12, .items = items, .seed = 7};
	char path[] = "/tmp/norn-greedy-XXXXXX";
	int fd = mkstemp(path);
	struct err err = {0};
	struct output *out = output_open(path, OUTPUT_IN_PLACE, &err);

	ASSERT_TRUE(fd >= 0 && out);
	ASSERT_EQ(planted_write(&size, out, "binary", &err), 0);
	ASSERT_EQ(output_close(out, &err), 0);
	struct index *index = index_of_file(path);

	close(fd);
	unlink(path);
	return index;
}

static void ask_pairs(const struct index *index, enum model model, const struct pairs *pairs)
{
	struct engine_options options = {.model = model, .budget = {.seconds = 20}};
	size_t races = 0, proved = 0, others = 0, refuted = 0;
	double start = measure_now(), slowest = 0, begin;
	struct err err = {0};
	struct engine *greedy = engine_start(&engine_greedy, index, &options, &err);
	double ready = measure_now();

	for (size_t i = 0; i < pairs->at.n; i++) {
		const struct pair *pair = &pairs->at.at[i];
		const char *only = getenv("ONLY");

		if (only && !strstr(pair->name, only))
			continue;
		const uint32_t events[2] = {pair->first, pair->second};
		struct query q = {BUG_RACE, 2, events};
		struct witness w;
		bool known = model <= MODEL_PREDICTABLE; /* of the others nothing is planted */
		bool race =
			known && pair->race && planted_has((uint32_t)atoi(pair->name + 5), model);

		begin = measure_now();
		enum answer got = engine_ask(greedy, &q, &w);

		begin = measure_now() - begin;
		slowest = begin > slowest ? begin : slowest;
		tap_at("%s, model %s", pair->name, model_text[model]);
		ASSERT_FALSE(known && got == PROVED && !race);
		ASSERT_FALSE(known && got == REFUTED && race);
		if (getenv("MISSES"))
			tap_note("%s %s: %s, %zu events, %.3f s", pair->name, model_text[model],
				 engine_answer_text[got], w.run.n, begin);
		races += race;
		others += !race;
		proved += got == PROVED;
		refuted += got == REFUTED;
		witness_release(&w);
	}
	tap_note("%s: %zu of %zu races, %zu of %zu others; start %.2f s, a query %.3f s, at most "
		 "%.3f s",
		 model_text[model], proved, races, refuted, others, ready - start,
		 (measure_now() - ready) / (double)pairs->at.n, slowest);
	engine_finish(greedy);
	if (model == MODEL_PREDICTABLE)
		ASSERT_EQ(proved, races);
}

/* EVENTS=10000000 measures on a trace of that length. */
TAP_CASE(long_traces)
{
	const char *wish = getenv("EVENTS");
	uint64_t events = wish ? strtoull(wish, NULL, 10) : TAP_PART(300000);
	struct index *index = planted_index(events, 20);
	struct pairs pairs = {0};

	if (wish)
		alarm(0);
	find_pairs(index, &pairs);
	ASSERT_EQ(pairs.at.n, 40);
	for (int m = 0; m < MODEL_COUNT; m++)
		if (!getenv("MODEL") || !strcmp(getenv("MODEL"), model_text[m]))
			ask_pairs(index, m, &pairs);
	vec_release(&pairs.at);
	index_free(index);
}
