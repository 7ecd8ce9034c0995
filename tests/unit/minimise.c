/* SPDX-License-Identifier: MIT */
/* Witnesses made short stay witnesses: judged by the certifier, on random traces. */
#include "predict/minimise_parts.h"
#include "predict/tune.h"
#include "search/explore/explore.h"
#include "tests/support/explored.h"
#include "tests/support/random.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"
#include "witness/certify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_FOR_ENGINES (RANDOM_SPELLING | RANDOM_META | RANDOM_LOCATIONS)

static char *random_text(uint64_t seed, uint32_t events)
{
	struct random_trace knobs =
		random_trace_knobs(seed, events, RANDOM_EVERYTHING & ~NOT_FOR_ENGINES);

	knobs.variables = 1 + (uint32_t)(seed / 3 % 3);
	knobs.locks = 1 + (uint32_t)(seed / 9 % 2);
	if (seed % 3 == 1)
		knobs.features |= RANDOM_LOCKY;
	return random_trace_make(&knobs);
}

static void expect_certified(const char *text, const struct witness *w)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(text, strlen(text), "trace", "text", &err);

	ASSERT_TRUE(r != NULL);
	if (certify(r, w, &err) != 1) {
		witness_write(w, output_open("-", OUTPUT_IN_PLACE, &(struct err){0}));
		FAIL("rejected: %s", err.message);
	}
	reader_close(r);
}

/* Long witnesses */

static bool is_of_bug(const struct witness *w, uint32_t event)
{
	for (size_t i = 0; i < w->bug_events.n; i++)
		if (w->bug_events.at[i] == event)
			return true;
	return false;
}

/*
 * A longer way to the same bug: some steps of anybody, then what is left of the witness. False:
 * it did not work out.
 */
static bool wander(struct random *r, struct run *run, const struct index *index,
		   const struct witness *w, struct witness *longer)
{
	uint32_t steps = random_below(r, index->count);

	witness_copy(longer, w);
	longer->run.n = 0;
	run_reset(run);
	for (uint32_t i = 0; i < steps; i++) {
		uint32_t event = run_next(run, random_below(r, index->thread_count));

		if (event && !is_of_bug(w, event) && run_step(run, event, NULL))
			vec_push(&longer->run, event);
	}
	for (size_t i = 0; i < w->run.n; i++) {
		if (run_done(run, (uint32_t)w->run.at[i]))
			continue;
		if (!run_step(run, (uint32_t)w->run.at[i], NULL))
			return false;
		vec_push(&longer->run, w->run.at[i]);
	}
	return run_accepts(run, longer);
}

struct tally {
	uint64_t witnesses, events, switches, events_left, switches_left, shortest;
};

static void set_places(struct minimiser *m, const uint64_t *run, size_t n, bool there)
{
	for (size_t i = 0; i < n; i++)
		m->place[run[i]] = there ? (uint32_t)i + 1 : 0;
}

/* What comes of each part is accepted, without the check that stands behind it. */
static void check_kept(struct minimiser *m, const struct witness *w, bool whole)
{
	event_run kept = {0}, ordered = {0};
	struct witness copy = {0};

	witness_copy(&copy, w);
	set_places(m, w->run.at, w->run.n, true);
	ASSERT_TRUE(minimise_keep(m, w, whole, SIZE_MAX, &kept));
	/* what there is no room for is not found, and nothing stays behind of the search */
	ASSERT_TRUE(!kept.n || !minimise_keep(m, w, whole, 0, &ordered));
	set_places(m, w->run.at, w->run.n, false);
	copy.recorded = whole ? w->recorded : 0;
	copy.run.n = 0;
	for (size_t i = 0; i < kept.n; i++)
		vec_push(&copy.run, kept.at[i]);
	ASSERT_TRUE(witness_length(&copy) <= witness_length(w));
	ASSERT_TRUE(run_accepts(m->run, &copy));
	ordered.n = 0;
	set_places(m, kept.at, kept.n, true);
	minimise_order(m, &kept, m->matters.at, &ordered);
	set_places(m, kept.at, kept.n, false);
	ASSERT_EQ(ordered.n, kept.n);
	for (size_t i = 0; i < ordered.n; i++)
		copy.run.at[i] = ordered.at[i];
	ASSERT_TRUE(run_accepts(m->run, &copy));
	vec_release(&kept);
	vec_release(&ordered);
	witness_release(&copy);
}

/* The same run in all forms: spelled out, and with as much as there is, or less, as recorded. */
static void check_parts(struct random *r, struct minimiser *m, const struct witness *w)
{
	struct witness folded = {0};

	if (w->bug == BUG_STUCK || w->model == MODEL_SAID)
		return;
	check_kept(m, w, false);
	if (w->bug == BUG_PROPERTY)
		return;
	witness_copy(&folded, w);
	witness_fold(&folded);
	uint64_t less = random_below(r, (uint32_t)folded.recorded + 1);

	ASSERT_TRUE(run_accepts(m->run, &folded));
	run_use_marks(m->run, m->marks);
	for (int i = 0; i < 2; i++) {
		ASSERT_TRUE(run_accepts(m->run, &folded));
		check_kept(m, &folded, false);
		check_kept(m, &folded, true);
		witness_spell(&folded);
		ASSERT_EQ(folded.run.n, w->run.n);
		ASSERT_TRUE(!w->run.n ||
			    !memcmp(folded.run.at, w->run.at, w->run.n * sizeof(*w->run.at)));
		folded.recorded = less;
		folded.run.n -= less;
		if (less && folded.run.n)
			memmove(folded.run.at, folded.run.at + less,
				folded.run.n * sizeof(*folded.run.at));
	}
	run_use_marks(m->run, NULL);
	witness_release(&folded);
}

static void check_witness(struct random *r, const char *text, struct minimiser *m,
			  struct witness *w, const struct witness *shortest, struct tally *t)
{
	size_t events = w->run.n, switches = minimise_switches(m->index, w);

	check_parts(r, m, w);
	minimise(m, w);
	expect_certified(text, w);
	size_t switches_left = minimise_switches(m->index, w);

	ASSERT_TRUE(w->run.n <= events);
	ASSERT_TRUE(switches_left <= switches);
	t->witnesses++;
	t->events += events;
	t->switches += switches;
	t->events_left += w->run.n;
	t->switches_left += switches_left;
	t->shortest += shortest->run.n;
}

static void check_finding(struct random *r, const char *text, const struct index *index,
			  const struct witness *shortest, struct tally *t)
{
	struct minimiser *m = minimiser_new(index, shortest->model, 1);

	for (int i = 0; i < 3; i++) {
		struct witness w = {0};

		if (!i)
			witness_copy(&w, shortest);
		if (!i || (shortest->model != MODEL_SAID && wander(r, m->run, index, shortest, &w)))
			check_witness(r, text, m, &w, shortest, t);
		witness_release(&w);
	}
	minimiser_free(m);
}

/* Any run shows its own marks. */
static void check_marks(struct random *r, const char *text, const struct index *index,
			enum model model, struct tally *t)
{
	struct minimiser *m = minimiser_new(index, model, 1);
	struct witness w = {.model = model, .bug = BUG_PROPERTY};

	for (uint32_t i = 0; i < 2 * index->count; i++) {
		uint32_t event = run_next(m->run, random_below(r, index->thread_count));

		if (!event || !run_step(m->run, event, NULL))
			continue;
		vec_push(&w.run, event);
		if (index->events[event].kind == EV_MARK)
			vec_push(&w.bug_events, event);
	}
	struct witness as_it_was = {0};

	witness_copy(&as_it_was, &w);
	check_witness(r, text, m, &w, &as_it_was, t);
	witness_release(&as_it_was);
	witness_release(&w);
	minimiser_free(m);
}

TAP_CASE(random_witnesses)
{
	struct explore_limits limits = {.states = 20000, .bytes = (uint64_t)200 << 20};
	struct tally t = {0}, marks = {0};

	for (uint64_t seed = 1; seed <= TAP_PART(3000); seed++) {
		char *text = random_text(seed, 14 + seed % 20);
		struct index *index = index_of_text(text);
		enum model model = seed % MODEL_COUNT;
		struct explore_result all = {0};
		struct err err = {0};
		struct random r = random_seeded(seed);

		tap_at("seed %llu, model %s:\n%s", (unsigned long long)seed, model_text[model],
		       text);
		explore(index, model, &limits, &all, &err);
		for (size_t i = 0; i < all.bugs[BUG_RACE].n && i < 6; i++)
			check_finding(&r, text, index, &all.bugs[BUG_RACE].at[i].witness, &t);
		for (size_t i = 0; i < all.bugs[BUG_DEADLOCK].n && i < 3; i++)
			check_finding(&r, text, index, &all.bugs[BUG_DEADLOCK].at[i].witness, &t);
		for (size_t i = 0; i < all.bugs[BUG_STUCK].n; i++)
			check_finding(&r, text, index, &all.bugs[BUG_STUCK].at[i].witness, &t);
		if (model != MODEL_SAID)
			check_marks(&r, text, index, model, &marks);
		explore_result_release(&all);
		index_free(index);
		free(text);
	}
	tap_note("%llu witnesses, %llu events became %llu (the shortest have %llu), "
		 "%llu switches became %llu",
		 (unsigned long long)t.witnesses, (unsigned long long)t.events,
		 (unsigned long long)t.events_left, (unsigned long long)t.shortest,
		 (unsigned long long)t.switches, (unsigned long long)t.switches_left);
	ASSERT_TRUE(t.witnesses > TAP_PART(3000));
	ASSERT_TRUE(t.events_left < t.events && t.switches_left < t.switches);
	ASSERT_TRUE(marks.events_left < marks.events && marks.switches_left < marks.switches);
}

/*
 * Four threads count under three locks, in some order; two of them race in the end. Of the run as
 * recorded all can go but those two, if nothing depends on what they read.
 */
static char *long_text(uint32_t rounds, bool branches)
{
	size_t size = (size_t)rounds * 120 + 100, used = 0;
	char *text = malloc(size);
	struct random r = random_seeded(1);
	uint32_t counts[3] = {0};

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t t = random_below(&r, 4), l = random_below(&r, 3);

		used += (size_t)snprintf(
			text + used, size - used,
			"t%u acquire l%u\nt%u read c%u %u\n%s%s%st%u write c%u %u\n"
			"t%u release l%u\n",
			t, l, t, l, counts[l], branches ? "t" : "",
			branches ? (const char *[]){"0", "1", "2", "3"}[t] : "",
			branches ? " branch\n" : "", t, l, counts[l] + 1, t, l);
		counts[l]++;
	}
	snprintf(text + used, size - used, "t0 write x 1\nt1 write x 2\n");
	return text;
}

static void check_long(uint32_t rounds, bool branches)
{
	char *text = long_text(rounds, branches);
	struct index *index = index_of_text(text);
	struct minimiser *m = minimiser_new(index, MODEL_MAXIMAL, 1);
	struct witness w = {.model = MODEL_MAXIMAL, .bug = BUG_RACE}, shortest = {0};
	uint32_t own = index->threads[index->events[index->count - 1].thread].count +
		       index->threads[index->events[index->count].thread].count - 2;
	struct tally t = {0};

	vec_push(&w.bug_events, index->count - 1);
	vec_push(&w.bug_events, index->count);
	for (uint32_t i = 1; i < index->count - 1; i++)
		vec_push(&w.run, i);
	struct random r = random_seeded(rounds);

	check_witness(&r, text, m, &w, &shortest, &t);
	if (!branches && own <= predict_tune.minimise_long) {
		ASSERT_EQ(w.recorded, 0);
		ASSERT_EQ(w.run.n, own);
		ASSERT_EQ(t.switches_left, 1);
	} else if (own > predict_tune.minimise_long) {
		ASSERT_EQ(w.recorded, index->count - 2);
		ASSERT_EQ(w.run.n, 0);
	} else {
		ASSERT_TRUE(t.switches_left < t.switches);
	}
	witness_release(&w);
	minimiser_free(m);
	index_free(index);
	free(text);
}

TAP_CASE(long_witnesses)
{
	check_long(5000, false);
	check_long(5000, true);
	check_long(predict_tune.minimise_long / 2 + 5000, false);
}
