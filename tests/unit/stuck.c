/* SPDX-License-Identifier: MIT */
/*
 * Stuck states: reduction loses none and adds none, nor does nomination lose an event; the
 * certifier, the run and the exhaustive engine think the same of each; and the solver decides the
 * same.
 *
 * SOAK=2000	so many random traces
 * SEED=17	this random trace alone
 */
#include "deadlock/waits.h"
#include "search/engine.h"
#include "search/run.h"
#include "search/explore/stuck.h"
#include "tests/support/explored.h"
#include "tests/support/stuck_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"
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
	size_t blocking, nominated;
	size_t queries, proved, undecided;
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

/* Every event that threads wait at was nominated. */
static void check_nominated(const struct waits *waits, const struct witness *w)
{
	for (size_t i = 0; i < w->bug_events.n; i++) {
		size_t k = 0;

		while (k < waits->events.n && waits->events.at[k] != w->bug_events.at[i])
			k++;
		if (k == waits->events.n)
			FAIL("event %llu is not nominated",
			     (unsigned long long)w->bug_events.at[i]);
	}
}

static void check_trace(const char *text, struct tally *tally)
{
	struct index *index = index_of_text(text);
	const struct sections *sections = sections_of(index);
	struct waits waits = {0};
	bool some = false;

	waits_find(index, sections, &waits);
	tally->nominated += waits.events.n;
	for (uint32_t n = 1; n <= index->count; n++)
		tally->blocking += event_blocks(&index->events[n]);

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
			check_nominated(&waits, &full.found.at[i].witness);
		for (size_t i = 0; i < full.found.n; i++)
			tally->early += is_early(index, &full.found.at[i].witness);
		stuck_result_release(&full);
		stuck_result_release(&less);
	}
	tally->traces++;
	tally->with += some;
	vec_release(&waits.events);
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

TAP_CASE(reduction_and_nomination_keep_every_stuck_state)
{
	struct tally t = {0};

	for_random_traces(check_trace, &t);
	tap_note("%zu traces, %zu with stuck states, %zu of these, %zu by an early signal",
		 t.traces, t.with, t.sets, t.early);
	tap_note("%llu states, reduced to %llu", (unsigned long long)t.states,
		 (unsigned long long)t.reduced);
	tap_note("%zu of %zu waits are nominated", t.nominated, t.blocking);
	if (t.traces >= 100)
		ASSERT_TRUE(t.with > t.traces / 10 && t.early > 0);
}

/* The engines */

static bool has_events(const struct witness *w, const struct query *q)
{
	for (uint32_t i = 0; i < q->count; i++) {
		size_t k = 0;

		while (k < w->bug_events.n && w->bug_events.at[k] != q->events[i])
			k++;
		if (k == w->bug_events.n)
			return false;
	}
	return true;
}

static bool is_among(const struct stuck_result *found, const struct query *q)
{
	for (size_t i = 0; i < found->found.n; i++)
		if (has_events(&found->found.at[i].witness, q))
			return true;
	return false;
}

struct asked {
	const char *text;
	const struct index *index;
	struct engine *engine;
	const struct stuck_result *truth;
	struct tally *tally;
	bool may_not_know; /* it may be undecided */
};

static void ask(const struct asked *a, const uint32_t *events, uint32_t count)
{
	struct query q = {BUG_STUCK, count, events};
	bool want = is_among(a->truth, &q);
	struct witness w;
	enum answer got = engine_ask(a->engine, &q, &w);

	a->tally->queries++;
	a->tally->proved += got == PROVED;
	a->tally->undecided += got == UNDECIDED;
	if (got == UNDECIDED ? !a->may_not_know : got != (want ? PROVED : REFUTED))
		FAIL("model %s, %u events, the first %u: %s says %s (%s)",
		     model_text[a->engine->options.model], count, count ? events[0] : 0,
		     a->engine->kind->name, engine_answer_text[got], a->engine->why.message);
	if (got == PROVED) {
		ASSERT_TRUE(w.bug_events.n == count && has_events(&w, &q));
		check_witness(a->text, a->index, &w);
	}
	witness_release(&w);
}

/* Each event alone, each two that may wait, each set that does, and any state at all. */
static void ask_all(const struct asked *a)
{
	ask(a, NULL, 0);
	for (uint32_t n = 1; n <= a->index->count; n++) {
		ask(a, &n, 1);
		for (uint32_t k = n + 1; k <= a->index->count; k++) {
			uint32_t pair[2] = {n, k};

			if (event_blocks(&a->index->events[n]) &&
			    event_blocks(&a->index->events[k]))
				ask(a, pair, 2);
		}
	}
	for (size_t i = 0; i < a->truth->found.n; i++) {
		const struct witness *w = &a->truth->found.at[i].witness;
		uint32_t events[16];

		for (size_t k = 0; k < w->bug_events.n; k++)
			events[k] = (uint32_t)w->bug_events.at[k];
		ask(a, events, (uint32_t)w->bug_events.n);
	}
}

/* cone: how much of the trace the solver looks at; 0: all */
static void ask_engine(const char *text, const struct engine_kind *kind, uint32_t cone,
		       struct tally *tally)
{
	struct index *index = index_of_text(text);

	for (enum model model = 0; model < MODEL_COUNT; model++) {
		struct engine_options options = {.model = model, .cone = cone};
		struct stuck_result truth;
		struct err err = {0};
		struct asked a = {text, index, NULL, &truth, tally, cone || kind == &engine_greedy};

		get_stuck(index, model, &reduced, &truth);
		a.engine = engine_start(kind, index, &options, &err);
		ask_all(&a);
		engine_finish(a.engine);
		stuck_result_release(&truth);
	}
	tally->traces++;
	index_free(index);
}

static void ask_solver(const char *text, struct tally *tally)
{
	ask_engine(text, &engine_solver, 0, tally);
}

static void ask_explore(const char *text, struct tally *tally)
{
	ask_engine(text, &engine_explore, 0, tally);
}

static void ask_solver_in_parts(const char *text, struct tally *tally)
{
	ask_engine(text, &engine_solver, 15, tally);
}

static void ask_greedy(const char *text, struct tally *tally)
{
	ask_engine(text, &engine_greedy, 0, tally);
}

static void show_queries(const struct tally *t)
{
	tap_note("%zu traces, %zu queries, %zu proved, %zu undecided", t->traces, t->queries,
		 t->proved, t->undecided);
}

TAP_CASE(the_solver_agrees)
{
	struct tally t = {0};

	for_random_traces(ask_solver, &t);
	show_queries(&t);
}

/* As an engine it stops at the first state that will do, which it looks for in another order. */
TAP_CASE(the_exhaustive_engine_agrees_with_itself)
{
	struct tally t = {0};

	for_random_traces(ask_explore, &t);
	show_queries(&t);
}

TAP_CASE(the_solver_is_right_where_it_sees_a_part)
{
	struct tally t = {0};

	for_random_traces(ask_solver_in_parts, &t);
	show_queries(&t);
	if (t.traces >= 100)
		ASSERT_TRUE(t.proved > 0);
}

TAP_CASE(greedy_is_right_if_it_says_something)
{
	struct tally t = {0};

	for_random_traces(ask_greedy, &t);
	show_queries(&t);
	if (t.traces >= 100)
		ASSERT_TRUE(t.proved > 0);
}

/* Traces written by hand, with what is known of them */

static bool waits_in_some(const struct stuck_result *found, uint32_t event)
{
	struct query q = {BUG_STUCK, 1, &event};

	return is_among(found, &q);
}

static void check_row(const char *name, const char *want)
{
	char path[300], got[300] = "";
	struct stuck_result truth;
	struct tally unused = {0};

	tap_at("%s", name);
	snprintf(path, sizeof(path), "tests/stuck/%s.trace", name);
	struct bytes text = bytes_of_file(path);
	struct index *index = index_of_text(text.at);

	get_stuck(index, MODEL_VALUES, &all_states, &truth);
	for (uint32_t n = 1; n <= index->count; n++)
		if (waits_in_some(&truth, n))
			sprintf(got + strlen(got), "%s%u", *got ? " " : "", n);
	ASSERT_STR_EQ(*got ? got : "-", want);
	stuck_result_release(&truth);
	index_free(index);
	check_trace(text.at, &unused);
	ask_solver(text.at, &unused);
	ask_greedy(text.at, &unused);
	bytes_release(&text);
}

TAP_CASE(written_by_hand)
{
	FILE *table = fopen("tests/stuck/expected.tsv", "r");
	char line[300];
	int rows = 0;

	ASSERT_TRUE(table != NULL);
	while (fgets(line, sizeof(line), table)) {
		char *name = strtok(line, "\t\n"), *want = strtok(NULL, "\t\n");

		if (line[0] == '#' || !want)
			continue;
		check_row(name, want);
		rows++;
	}
	fclose(table);
	ASSERT_EQ(rows, 12);
}

/* One is found at once, and the solver answers for the last meal too, far beyond what is explored.
 */
TAP_CASE(philosophers)
{
	char *text = philosophers_make(5, 100);
	struct index *index = index_of_text(text);
	struct stuck_options options = {.first = true, .limits.states = 10000};
	struct engine_options engine_options = {.model = MODEL_VALUES};
	struct stuck_result found;
	struct err err = {0};

	get_stuck(index, MODEL_VALUES, &options, &found);
	ASSERT_EQ(found.found.n, 1);
	ASSERT_EQ(found.found.at[0].witness.bug_events.n, 6);
	check_witness(text, index, &found.found.at[0].witness);
	tap_note("%u events, one is found in %llu states", index->count,
		 (unsigned long long)found.states);
	stuck_result_release(&found);

	struct engine *e = engine_start(&engine_solver, index, &engine_options, &err);
	const struct index_thread *last = &index->threads[index->thread_count - 1];
	uint32_t right = last->events[last->count - 4], left = last->events[last->count - 5];
	struct witness w;

	ASSERT_EQ(engine_ask(e, &(struct query){BUG_STUCK, 1, &right}, &w), PROVED);
	check_witness(text, index, &w);
	witness_release(&w);
	ASSERT_EQ(engine_ask(e, &(struct query){BUG_STUCK, 1, &left}, &w), REFUTED);
	engine_finish(e);
	index_free(index);
	free(text);
}

/* One wait of all is nominated, and greedy finds it far from the end, where the solver cannot. */
TAP_CASE(a_lost_wakeup_in_a_long_trace)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	lost_wakeup_write(50000, out);
	fclose(out);
	struct index *index = index_of_text(text);
	const struct sections *sections = sections_of(index);
	struct waits waits = {0};
	struct engine_options options = {.model = MODEL_VALUES};
	struct err err = {0};
	uint32_t woken = 0;
	struct witness w;

	waits_find(index, sections, &waits);
	for (size_t i = 0; i < waits.events.n; i++)
		if (index->events[waits.events.at[i]].kind != EV_JOIN) {
			ASSERT_EQ(woken, 0);
			woken = waits.events.at[i];
		}
	ASSERT_EQ(index->events[woken].kind, EV_WOKEN);
	struct query q = {BUG_STUCK, 1, &woken};
	struct engine *greedy = engine_start(&engine_greedy, index, &options, &err);
	struct engine *solver = engine_start(&engine_solver, index, &options, &err);

	ASSERT_EQ(engine_ask(greedy, &q, &w), PROVED);
	check_witness(text, index, &w);
	witness_release(&w);
	ASSERT_EQ(engine_ask(solver, &q, &w), UNDECIDED);
	ASSERT_CONTAINS(solver->why.message, "too far from the end of the trace");
	engine_finish(greedy);
	engine_finish(solver);
	vec_release(&waits.events);
	index_free(index);
	free(text);
}
