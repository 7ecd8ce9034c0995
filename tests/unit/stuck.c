/*
 * Stuck states: reduction loses none and adds none, and the certifier, the run and the
 * exhaustive engine think the same of each.
 *
 * SOAK=2000	so many random traces
 * SEED=17	this random trace alone
 */
#include "search/run.h"
#include "search/stuck.h"
#include "tests/support/explored.h"
#include "tests/support/stuck_trace.h"
#include "tests/support/tap.h"
#include "trace/reader.h"
#include "witness/certify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACES 600

static const struct stuck_options all_states = {.all = true}, reduced;

struct tally {
	size_t traces, with, sets, early;
	uint64_t states, reduced;
};

static void get_stuck(const struct index *index, enum model model,
		      const struct stuck_options *options, struct stuck_result *result)
{
	struct err err = {0};

	if (stuck_explore(index, model, options, result, &err) < 0)
		FAIL("%s", err.message);
}

static bool certifies(const char *text, const struct witness *w, struct err *err)
{
	struct reader *r = reader_open_memory(text, strlen(text), "trace", "text", err);
	bool good = certify(r, w, err) == 1;

	reader_close(r);
	return good;
}

static void check_witness(const char *text, const struct index *index, const struct witness *w)
{
	struct run *run = run_new(index, w->model);
	struct err err = {0};

	if (!certifies(text, w, &err))
		FAIL("the certifier: %s", err.message);
	ASSERT_TRUE(explore_accepts(index, w));
	ASSERT_TRUE(run_accepts(run, w));
	run_free(run);
}

static bool same_events(const struct witness *a, const struct witness *b)
{
	return a->bug_events.n == b->bug_events.n &&
	       !memcmp(a->bug_events.at, b->bug_events.at,
		       a->bug_events.n * sizeof(*a->bug_events.at));
}

/* A signal in it comes before the wait that it ended in the trace. */
static bool is_early(const struct index *index, const struct witness *w)
{
	struct witness race;
	bool early;

	memset(&race, 0, sizeof(race));
	witness_copy(&race, w);
	race.bug = BUG_PROPERTY; /* of no marks: is it an execution at all? */
	race.bug_events.n = 0;
	for (size_t i = 0; i < w->run.n; i++)
		if (index->events[w->run.at[i]].kind == EV_MARK)
			vec_push(&race.bug_events, w->run.at[i]);
	early = !explore_accepts(index, &race);
	witness_release(&race);
	return early;
}

static void check_trace(const char *text, struct tally *tally)
{
	struct index *index = index_of_text(text);
	bool some = false;

	for (enum model model = 0; model < MODEL_COUNT; model++) {
		struct stuck_result full, less;

		get_stuck(index, model, &all_states, &full);
		get_stuck(index, model, &reduced, &less);
		for (size_t i = 0; i < less.found.n; i++)
			check_witness(text, index, &less.found.at[i].witness);
		for (size_t i = 0; i < full.found.n && i < less.found.n; i++)
			ASSERT_TRUE(
				same_events(&full.found.at[i].witness, &less.found.at[i].witness));
		ASSERT_EQ(less.found.n, full.found.n);
		ASSERT_TRUE(less.states <= full.states);
		tally->states += full.states;
		tally->reduced += less.states;
		tally->sets += full.found.n;
		some |= full.found.n;
		for (size_t i = 0; i < full.found.n; i++)
			tally->early += is_early(index, &full.found.at[i].witness);
		stuck_result_release(&full);
		stuck_result_release(&less);
	}
	tally->traces++;
	tally->with += some;
	index_free(index);
}

static void for_random_traces(void (*check)(const char *text, struct tally *tally),
			      struct tally *tally)
{
	const char *soak = getenv("SOAK"), *only = getenv("SEED");
	uint64_t count = soak ? strtoull(soak, NULL, 10) : TAP_PART(TRACES);
	uint64_t first = only ? strtoull(only, NULL, 10) : 0;

	if (soak)
		alarm(0);
	for (uint64_t seed = first; seed < (only ? first + 1 : count); seed++) {
		char *text = stuck_trace_make(seed);

		tap_at("SEED=%llu, the trace:\n%s", (unsigned long long)seed, text);
		check(text, tally);
		free(text);
	}
}

TAP_CASE(reduction_keeps_every_stuck_state)
{
	struct tally t = {0};

	for_random_traces(check_trace, &t);
	tap_note("%zu traces, %zu with stuck states, %zu of these, %zu by an early signal",
		 t.traces, t.with, t.sets, t.early);
	tap_note("%llu states, reduced to %llu", (unsigned long long)t.states,
		 (unsigned long long)t.reduced);
	if (t.traces >= 100)
		ASSERT_TRUE(t.with > t.traces / 10 && t.early > 0);
}
