/* SPDX-License-Identifier: MIT */
/* The stepper for long executions against the exhaustive engine, which states the rules anew. */
#include "search/run.h"

#include "search/explore/explore.h"
#include "tests/support/explored.h"
#include "tests/support/random.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

static const struct explore_limits limits = {.states = 20000, .bytes = (uint64_t)200 << 20};

#define NOT_FOR_ENGINES (RANDOM_SPELLING | RANDOM_META | RANDOM_LOCATIONS)

static char *small_trace(uint64_t seed, uint32_t events)
{
	struct random_trace knobs =
		random_trace_knobs(seed, events, RANDOM_EVERYTHING & ~NOT_FOR_ENGINES);

	/* few objects, so that the threads meet */
	knobs.threads = 2 + (uint32_t)(seed % 3 == 0) + (seed % 12 == 0);
	knobs.variables = 1 + (uint32_t)(seed / 3 % 3);
	knobs.locks = 1 + (uint32_t)(seed / 9 % 2);
	if (seed % 2) {
		knobs.features |= RANDOM_LOCKY;
		knobs.locks++;
		knobs.events += events / 2;
	}
	return random_trace_make(&knobs);
}

struct tally {
	size_t findings[BUG_COUNT], valid, rejected, faults[RUN_FAULT_COUNT];
};

/* A run for each model, used again and again. */
struct runs {
	const struct index *index;
	struct run *of[MODEL_COUNT];
};

static uint64_t any_event(struct random *r, const struct index *index)
{
	return 1 + random_below(r, index->count + (random_percent(r, 5) ? 1 : 0));
}

static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t x = *a;

	*a = *b;
	*b = x;
}

static void claim_another(struct random *r, const struct index *index, struct witness *w)
{
	if (random_percent(r, 60) && w->bug_events.n) {
		w->bug_events.at[random_below(r, (uint32_t)w->bug_events.n)] = any_event(r, index);
		return;
	}
	w->bug = random_below(r, BUG_CHOICE);
	w->bug_events.n = 0;
	if (w->bug == BUG_STUCK || w->bug == BUG_PROPERTY)
		return;
	vec_push(&w->bug_events, any_event(r, index));
	vec_push(&w->bug_events, any_event(r, index));
}

static void mutate(struct random *r, const struct index *index, struct witness *w)
{
	bool of_rest = w->rest.n && random_percent(r, 40);
	uint64_t *at = of_rest ? w->rest.at : w->run.at;
	size_t *n = of_rest ? &w->rest.n : &w->run.n;
	uint32_t i = *n ? random_below(r, (uint32_t)*n) : 0;
	uint32_t k = *n ? random_below(r, (uint32_t)*n) : 0;

	switch (random_below(r, *n ? 8 : 3)) {
	case 0:
	case 1: claim_another(r, index, w); break;
	case 2: w->model = random_below(r, MODEL_COUNT); break;
	case 3:
		memmove(at + i, at + i + 1, (*n - i - 1) * sizeof(*at));
		--*n;
		break;
	case 4: swap(&at[i], &at[k]); break;
	case 5:
		if (i + 1 < *n)
			swap(&at[i], &at[i + 1]);
		break;
	case 6: at[i] = any_event(r, index); break;
	case 7: *n = i; break;
	}
}

static void assert_agreement(const char *text, struct runs *runs, const struct witness *w,
			     struct tally *tally)
{
	bool here = run_accepts(runs->of[w->model], w), there = explore_accepts(runs->index, w);

	if (here != there)
		FAIL("the run says %s, the engine %s, of a %s in model %s\n%s", here ? "yes" : "no",
		     there ? "yes" : "no", bug_kind_text[w->bug], model_text[w->model], text);
	tally->valid += here;
	tally->rejected += !here;
}

static void check_finding(const char *text, struct runs *runs, const struct witness *w,
			  struct random *r, struct tally *tally)
{
	tally->findings[w->bug]++;
	if (!run_accepts(runs->of[w->model], w))
		FAIL("a witness is not accepted\n%s", text);
	for (int i = 0; i < 6; i++) {
		struct witness mutant = {0};

		witness_copy(&mutant, w);
		for (int k = (int)random_below(r, 3); k >= 0; k--)
			mutate(r, runs->index, &mutant);
		assert_agreement(text, runs, &mutant, tally);
		witness_release(&mutant);
	}
}

/* Random walks: what the run takes, and what it refuses, the engine takes and refuses. */
static void walk(const char *text, struct runs *runs, enum model model, struct random *r,
		 struct tally *tally)
{
	const struct index *index = runs->index;
	struct run *run = runs->of[model];
	struct witness w = {.model = model, .bug = BUG_PROPERTY};

	run_reset(run);
	for (uint32_t i = 0; i < index->count; i++) {
		uint32_t thread = random_below(r, index->thread_count);
		uint32_t n = run_next(run, thread);
		struct run_fault fault = {0};

		if (!n)
			continue;
		bool taken = run_step(run, n, &fault);

		tally->faults[fault.kind]++;
		ASSERT_EQ(taken, fault.kind == RUN_FINE);
		vec_push(&w.run, n);
		w.bug_events.n = 0;
		for (size_t k = 0; k < w.run.n; k++)
			if (index->events[w.run.at[k]].kind == EV_MARK)
				vec_push(&w.bug_events, w.run.at[k]);
		if (model != MODEL_SAID && explore_accepts(index, &w) != taken)
			FAIL("event %u in model %s: %s\n%s", n, model_text[model],
			     run_fault_text[fault.kind], text);
		w.run.n -= !taken;
		ASSERT_EQ(run_done(run, n), taken);
	}
	witness_release(&w);
}

static void check_trace(const char *text, struct runs *runs, enum model model, struct random *r,
			struct tally *tally)
{
	struct explore_result result;
	struct err err;

	walk(text, runs, model, r, tally);
	if (explore(runs->index, model, &limits, &result, &err) < 0)
		return;
	for (int bug = 0; bug < BUG_COUNT; bug++)
		for (size_t i = 0; i < result.bugs[bug].n; i++)
			check_finding(text, runs, &result.bugs[bug].at[i].witness, r, tally);
	explore_result_release(&result);
}

TAP_CASE(agrees_with_the_exhaustive_engine)
{
	struct tally tally = {0};

	for (uint64_t seed = 1; seed <= TAP_PART(4000); seed++) {
		char *text = small_trace(seed, 8 + seed % 10);
		struct runs runs = {.index = index_of_text(text)};
		struct random r = random_seeded(seed);

		tap_at("small_trace(%llu, %llu)", (unsigned long long)seed,
		       (unsigned long long)(8 + seed % 10));
		for (int model = 0; model < MODEL_COUNT; model++)
			runs.of[model] = run_new(runs.index, model);
		for (int model = 0; model < MODEL_COUNT; model++)
			check_trace(text, &runs, model, &r, &tally);
		for (int model = 0; model < MODEL_COUNT; model++)
			run_free(runs.of[model]);
		index_free((struct index *)runs.index);
		free(text);
	}
	tap_note("%zu races, %zu deadlocks, %zu stuck; %zu mutants valid for both, %zu for none",
		 tally.findings[BUG_RACE], tally.findings[BUG_DEADLOCK], tally.findings[BUG_STUCK],
		 tally.valid, tally.rejected);
	ASSERT_TRUE(tally.valid > TAP_PART(1000) && tally.rejected > TAP_PART(10000));
	/* the ways to fail that the order of a thread's events does not rule out were all met */
	for (int kind = RUN_MISSING; kind <= RUN_SLEEPER; kind++)
		if (!tally.faults[kind])
			tap_note("never seen: %s", run_fault_text[kind]);
}

/* Both runs stand at the same event: they go on alike. */
static void go_on(const struct index *index, struct run *a, struct run *b, struct random *r)
{
	for (uint32_t i = 0; i < 2 * index->count; i++) {
		uint32_t n = run_next(a, random_below(r, index->thread_count));
		struct run_fault x = {0}, y = {0};

		if (!n)
			continue;
		ASSERT_EQ(run_step(a, n, &x), run_step(b, n, &y));
		ASSERT_EQ(x.kind, y.kind);
		ASSERT_EQ(x.event, y.event);
		ASSERT_EQ(run_changed(a, n), run_changed(b, n));
		ASSERT_EQ(run_complete(a), run_complete(b));
	}
}

TAP_CASE(starts_within_the_trace)
{
	for (uint64_t seed = 1; seed <= TAP_PART(4000); seed++) {
		char *text = small_trace(seed, 20 + seed % 10);
		struct index *index = index_of_text(text);
		struct random r = random_seeded(seed);
		struct run_marks *marks = run_marks_new(index, 1 + random_below(&r, 12));
		int model = random_below(&r, MODEL_COUNT);
		struct run *a = run_new(index, model), *b = run_new(index, model);

		tap_at("small_trace(%llu, %llu)\n%s", (unsigned long long)seed,
		       (unsigned long long)(20 + seed % 10), text);
		for (int i = 0; i < 5 && index->count; i++) {
			uint32_t start = 1 + random_below(&r, index->count);

			run_reset(a);
			for (uint32_t n = 1; n < start; n++)
				ASSERT_TRUE(run_step(a, n, NULL));
			run_start(b, marks, start);
			go_on(index, a, b, &r);
		}
		run_free(a);
		run_free(b);
		run_marks_free(marks);
		index_free(index);
		free(text);
	}
}

TAP_CASE(says_what_is_in_the_way)
{
	struct index *index = index_of_text("sem S 1\n"
					    "t acquire L\n"   /* 1 */
					    "t write x 1\n"   /* 2 */
					    "t release L\n"   /* 3 */
					    "u acquire L\n"   /* 4 */
					    "u read x 1\n"    /* 5 */
					    "u branch\n"      /* 6 */
					    "u sem-wait S\n"  /* 7 */
					    "u sem-fail S\n"  /* 8 */
					    "u free x\n"      /* 9 */
					    "u release L\n"); /* 10 */
	struct run *run = run_new(index, MODEL_PREDICTABLE);
	struct run_fault fault;

	ASSERT_FALSE(run_step(run, 2, &fault));
	ASSERT_EQ(fault.kind, RUN_NOT_NEXT);
	ASSERT_EQ(fault.event, 1);
	ASSERT_TRUE(run_step(run, 1, &fault));
	ASSERT_FALSE(run_step(run, 4, &fault));
	ASSERT_EQ(fault.kind, RUN_LOCKED);
	ASSERT_EQ(fault.event, 1);
	run_reset(run);
	ASSERT_TRUE(run_step(run, 4, &fault));
	ASSERT_TRUE(run_step(run, 5, &fault));
	ASSERT_TRUE(run_changed(run, 5));
	ASSERT_FALSE(run_step(run, 6, &fault));
	ASSERT_EQ(fault.kind, RUN_GUARD);
	ASSERT_EQ(fault.event, 5);
	run_reset(run);
	for (uint32_t n = 1; n <= index->count; n++)
		ASSERT_TRUE(run_step(run, n, &fault));
	ASSERT_TRUE(run_complete(run));
	run_free(run);
	index_free(index);
}
