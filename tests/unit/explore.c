/* SPDX-License-Identifier: MIT */
/*
 * The exhaustive engine and the order quick: the conformance table, whole executions, and
 * what must hold of any trace. The rules of the model one by one are in rules.c.
 */
#include "tests/support/explored.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct explore_limits no_limits;

/* The conformance table */

static void check_row(const char *trace, const char *analysis, const char *want)
{
	char path[300];

	tap_at("%s %s", trace, analysis);
	snprintf(path, sizeof(path), "tests/conformance/%s.trace", trace);
	struct index *index = index_of_file(path);

	if (!strcmp(analysis, "quick")) {
		struct order_pairs quick = quick_of(index);

		ASSERT_STR_EQ(quick_text(&quick), want);
		vec_release(&quick.pairs);
	} else {
		bool deadlock = !strcmp(analysis, "deadlock");
		struct explore_result result =
			explored(index, deadlock ? MODEL_VALUES : model_by_name(analysis));

		ASSERT_STR_EQ(deadlock ? deadlocks_text(&result) : races_text(&result), want);
		explore_result_release(&result);
	}
	index_free(index);
}

TAP_CASE(conformance)
{
	FILE *table = fopen("tests/conformance/expected.tsv", "r");
	char line[4096];
	int rows = 0;

	ASSERT_TRUE(table != NULL);
	while (fgets(line, sizeof(line), table)) {
		char *trace = strtok(line, "\t\n"), *analysis = strtok(NULL, "\t\n");
		char *want = strtok(NULL, "\t\n");

		if (line[0] == '#' || !want)
			continue;
		if (model_by_name(analysis) >= 0 || !strcmp(analysis, "quick") ||
		    !strcmp(analysis, "deadlock")) {
			check_row(trace, analysis, want);
			rows++;
		}
	}
	fclose(table);
	ASSERT_EQ(rows, 157 * (MODEL_COUNT + 2));
}

/* The order quick */

static void expect_quick(const char *text, const char *want)
{
	struct index *index = index_of_text(text);
	struct order_pairs quick = quick_of(index);

	ASSERT_STR_EQ(quick_text(&quick), want);
	vec_release(&quick.pairs);
	index_free(index);
}

TAP_CASE(quick_knows_what_always_comes_first)
{
	expect_quick("t1 write x 1\nt2 write x 2\n", "1-2");
	expect_quick("t1 write x 1\nt1 fork t2\nt2 write x 2\nt1 join t2\nt1 write x 3\n", "-");
	/* 3 before 8; that 1 is before 6 is true too, but no edge of MHB as it is defined */
	expect_quick("t1 write x 1\nt1 acquire l\nt2 write x 5\nt1 wait c l\nt2 signal c\n"
		     "t2 write x 2\nt1 woken c l by=5\nt1 write x 3\n",
		     "1-3 1-6 6-8");
	/* by=-: no signal came first */
	expect_quick("t1 acquire l\nt2 write x 2\nt2 signal c\nt1 wait c l\nt1 woken c l by=-\n"
		     "t1 write x 3\n",
		     "2-6");
	expect_quick("barrier b 2\nt1 write x 1\nt1 barrier-enter b\nt2 barrier-enter b\n"
		     "t2 barrier-exit b\nt2 write x 2\nt1 barrier-exit b\nt1 write x 3\n",
		     "5-7");
	expect_quick("t1 once-begin o\nt1 write x 1\nt1 once-end o\nt2 once-pass o\n"
		     "t2 write x 2\nt1 write x 3\n",
		     "5-6");
	/* what comes after an alloc or an external stays there */
	expect_quick("t1 write x 1\nt1 alloc p\nt2 write p 1\nt2 write x 2\n", "-");
	expect_quick("t1 write x 1\nt1 external e 2\nt2 read e 2\nt2 write x 2\n", "-");
}

TAP_CASE(quick_has_a_limit)
{
	static const char text[] = "t1 write x 1 y 1\nt2 write x 2 y 2\nt3 write x 3 y 3\n";
	struct index *index = index_of_text(text);
	struct order_pairs quick = {0};
	struct err err = {0};

	ASSERT_EQ(order_pairs(order_by_name("quick"), index, 3, &quick, &err), 0);
	ASSERT_EQ(quick.pairs.n, 3);
	ASSERT_EQ(order_pairs(order_by_name("quick"), index, 2, &quick, &err), ERR_LIMIT);
	ASSERT_EQ(quick.pairs.n, 0);
	index_free(index);
}

/* Whole executions */

static const char figure_1[] = "t1 acquire l\n"
			       "t1 write x 1\n"
			       "t1 release l\n"
			       "t1 write y 1\n"
			       "t1 acquire l\n"
			       "t1 write x 1\n"
			       "t1 release l\n"
			       "t2 acquire l\n"
			       "t2 read x 1\n"
			       "t2 write y 2\n"
			       "t2 release l\n";

struct listed {
	size_t count;
	size_t wanted; /* stops after so many */
	uint32_t last[64];
	size_t last_length;
	bool sorted;
};

static bool note_execution(void *context, const uint32_t *events, size_t n)
{
	struct listed *l = context;
	size_t i = 0;

	ASSERT_TRUE(n <= 64);
	while (i < n && i < l->last_length && events[i] == l->last[i])
		i++;
	if (l->count && (i == n || i == l->last_length || events[i] < l->last[i]))
		l->sorted = false;
	memcpy(l->last, events, n * sizeof(*events));
	l->last_length = n;
	return ++l->count != l->wanted;
}

static struct listed listed(const struct index *index, enum model model, size_t wanted)
{
	struct listed l = {.wanted = wanted, .sorted = true};
	struct err err = {0};

	ASSERT_EQ(explore_list(index, model, &no_limits, note_execution, &l, &err), 0);
	ASSERT_TRUE(l.sorted);
	return l;
}

TAP_CASE(figure_1_of_the_maximal_causal_models)
{
	struct index *index = index_of_text(figure_1);

	EXPECT_PROPER(figure_1, MODEL_MCM, 7);
	ASSERT_EQ(listed(index, MODEL_MCM, 0).count, 7);
	ASSERT_EQ(listed(index, MODEL_MCM, 3).count, 3);
	index_free(index);
}

TAP_CASE(counts_every_execution)
{
	/* nothing; 1; 2; 1 2; 2 1 */
	struct index *index = index_of_text("t1 write x 1\nt2 write y 1\n");
	struct explore_result result = explored(index, MODEL_VALUES);

	ASSERT_EQ(result.executions, 5);
	ASSERT_EQ(result.proper, 2);
	ASSERT_EQ(result.states, 4);
	explore_result_release(&result);
	index_free(index);
}

TAP_CASE(a_trace_without_events)
{
	struct index *index = index_of_text("init x 1\n");
	struct explore_result result = explored(index, MODEL_SAID);

	ASSERT_EQ(result.executions, 1);
	ASSERT_EQ(result.proper, 1);
	ASSERT_EQ(listed(index, MODEL_VALUES, 0).count, 1);
	explore_result_release(&result);
	index_free(index);
}

TAP_CASE(counts_stop_at_the_largest_number)
{
	char text[4000] = "";

	/* 80! / 10!^8 executions: far more than 2^64 */
	for (int i = 0; i < 80; i++)
		sprintf(text + strlen(text), "t%d write x%d 1\n", i % 8, i % 8);
	struct index *index = index_of_text(text);
	struct explore_limits limits = {.states = 1000};
	struct explore_result result;
	struct err err = {0};

	ASSERT_EQ(explore(index, MODEL_MAXIMAL, &limits, &result, &err), ERR_LIMIT);
	ASSERT_CONTAINS(err.message, "limit on states");
	ASSERT_EQ(result.states, 0);
	limits = (struct explore_limits){.bytes = 100000};
	ASSERT_EQ(explore(index, MODEL_MAXIMAL, &limits, &result, &err), ERR_LIMIT);
	ASSERT_CONTAINS(err.message, "limit on bytes");
	index_free(index);

	text[0] = '\0';
	for (int i = 0; i < 80; i++)
		sprintf(text + strlen(text), "t%d write x%d 1\n", i % 2, i % 2);
	index = index_of_text(text);
	result = explored(index, MODEL_MAXIMAL);
	ASSERT_EQ(result.states, 41 * 41);
	ASSERT_TRUE(result.proper == UINT64_MAX && result.executions == UINT64_MAX);
	explore_result_release(&result);
	index_free(index);
}

/* Witnesses */

static bool accepts(const struct index *index, enum model model, enum bug_kind bug,
		    const char *bug_events, const char *run, const char *rest)
{
	const char *texts[3] = {bug_events, run, rest};
	struct witness w = {.model = model, .bug = bug};

	for (int i = 0; i < 3; i++) {
		char *end;

		for (const char *at = texts[i]; *at; at = end) {
			uint64_t event = strtoull(at, &end, 10);

			if (i == 0)
				vec_push(&w.bug_events, event);
			else if (i == 1)
				vec_push(&w.run, event);
			else
				vec_push(&w.rest, event);
		}
	}
	bool good = explore_accepts(index, &w);

	witness_release(&w);
	return good;
}

TAP_CASE(accepts_races_that_are_there)
{
	struct index *index = index_of_text(figure_1);

	ASSERT_TRUE(accepts(index, MODEL_MCM, BUG_RACE, "4 10", "1 2 3 8 9", ""));
	ASSERT_TRUE(accepts(index, MODEL_MCM, BUG_RACE, "10 4", "1 2 3 8 9", ""));
	ASSERT_FALSE(accepts(index, MODEL_MCM, BUG_RACE, "4 10", "1 2 3 8", ""));   /* not next */
	ASSERT_FALSE(accepts(index, MODEL_MCM, BUG_RACE, "4 10", "1 2 8 3 9", "")); /* taken */
	ASSERT_FALSE(accepts(index, MODEL_MCM, BUG_RACE, "4 10", "1 3 2 8 9", "")); /* order */
	ASSERT_FALSE(accepts(index, MODEL_MCM, BUG_RACE, "4", "1 2 3 8 9", ""));
	ASSERT_FALSE(accepts(index, MODEL_MCM, BUG_RACE, "4 12", "1 2 3 8 9", ""));
	ASSERT_FALSE(accepts(index, MODEL_MCM, BUG_RACE, "4 10", "1 2 3 8 9 0", ""));
	ASSERT_FALSE(accepts(index, MODEL_MCM, BUG_DEADLOCK, "4 10", "1 2 3 8 9", ""));
	/* said wants the rest, the accesses first */
	ASSERT_TRUE(accepts(index, MODEL_SAID, BUG_RACE, "4 10", "1 2 3 8 9", "10 4 11 5 6 7"));
	ASSERT_FALSE(accepts(index, MODEL_SAID, BUG_RACE, "4 10", "1 2 3 8 9", "10 11 4 5 6 7"));
	ASSERT_FALSE(accepts(index, MODEL_SAID, BUG_RACE, "4 10", "1 2 3 8 9", "10 4 11 5 6"));
	ASSERT_FALSE(accepts(index, MODEL_SAID, BUG_RACE, "4 10", "1 2 3 8 9", ""));
	/* 9 would read 0: a race, but not of said; and mcm lets t2 go no further */
	ASSERT_FALSE(accepts(index, MODEL_MCM, BUG_RACE, "4 10", "8 9 1 2 3", ""));
	index_free(index);
}

TAP_CASE(accepts_deadlocks_in_cyclic_order)
{
	static const char text[] = "t1 acquire a\nt1 acquire b\nt1 release b\nt1 release a\n"
				   "t2 acquire b\nt2 acquire c\nt2 release c\nt2 release b\n"
				   "t3 acquire c\nt3 acquire a\nt3 mark m\n";
	struct index *index = index_of_text(text);

	ASSERT_TRUE(accepts(index, MODEL_VALUES, BUG_DEADLOCK, "2 6 10", "1 5 9", ""));
	ASSERT_TRUE(accepts(index, MODEL_VALUES, BUG_DEADLOCK, "6 10 2", "9 5 1", ""));
	ASSERT_FALSE(accepts(index, MODEL_VALUES, BUG_DEADLOCK, "2 10 6", "1 5 9", ""));
	ASSERT_FALSE(accepts(index, MODEL_VALUES, BUG_DEADLOCK, "2 6", "1 5 9", ""));
	ASSERT_FALSE(accepts(index, MODEL_VALUES, BUG_DEADLOCK, "2 6 10", "1 5", ""));
	ASSERT_FALSE(accepts(index, MODEL_VALUES, BUG_DEADLOCK, "2 6 10 2 6 10", "1 5 9", ""));
	ASSERT_FALSE(accepts(index, MODEL_VALUES, BUG_DEADLOCK, "", "1 5 9", ""));
	ASSERT_FALSE(accepts(index, MODEL_VALUES, BUG_STUCK, "", "1 5", ""));
	ASSERT_TRUE(accepts(index, MODEL_VALUES, BUG_STUCK, "", "1 5 9", ""));
	ASSERT_TRUE(accepts(index, MODEL_VALUES, BUG_PROPERTY, "11", "9 10 11", ""));
	ASSERT_FALSE(accepts(index, MODEL_VALUES, BUG_PROPERTY, "", "9 10 11", ""));
	ASSERT_FALSE(accepts(index, MODEL_VALUES, BUG_PROPERTY, "11", "9 10", ""));
	index_free(index);
}

/* Any trace */

static void check_within(const struct explore_result *all, enum model small, enum model large)
{
	const struct explore_result *a = &all[small], *b = &all[large];

	if (a->executions > b->executions)
		FAIL("%s has more executions than %s", model_text[small], model_text[large]);
	for (size_t i = 0; i < a->bugs[BUG_RACE].n; i++) {
		bool found = false;

		for (size_t j = 0; j < b->bugs[BUG_RACE].n && !found; j++)
			found = !memcmp(a->bugs[BUG_RACE].at[i].witness.bug_events.at,
					b->bugs[BUG_RACE].at[j].witness.bug_events.at,
					2 * sizeof(uint64_t));
		if (!found)
			FAIL("%s has a race that %s has not", model_text[small], model_text[large]);
	}
}

TAP_CASE(models_lie_within_each_other)
{
	for (uint64_t seed = 0; seed < 500; seed++) {
		uint32_t plain = RANDOM_EVERYTHING & ~(uint32_t)RANDOM_SPELLING;
		struct random_trace knobs = random_trace_knobs(seed, 14, plain);
		char *text = random_trace_make(&knobs);
		struct explore_result results[MODEL_COUNT];

		tap_at("seed %llu:\n%s", (unsigned long long)seed, text);
		struct index *index = index_of_text(text);

		for (int m = 0; m < MODEL_COUNT; m++) {
			results[m] = explored(index, m);
			if (results[m].proper < 1000)
				ASSERT_EQ(listed(index, m, 0).count, results[m].proper);
		}
		check_within(results, MODEL_MAXIMAL, MODEL_VALUES);
		check_within(results, MODEL_PREDICTABLE, MODEL_MAXIMAL);
		check_within(results, MODEL_MCM, MODEL_MAXIMAL);
		check_within(results, MODEL_SAID, MODEL_MCM);
		check_within(results, MODEL_SAID, MODEL_MAXIMAL);
		for (int m = 0; m < MODEL_COUNT; m++)
			explore_result_release(&results[m]);
		index_free(index);
		free(text);
	}
}
