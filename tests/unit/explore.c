/*
 * The exhaustive engine and the order quick: the conformance table, one small trace for each
 * rule of doc/model.md, and what must hold of any trace.
 */
#include "order/quick.h"
#include "search/explore.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct explore_limits no_limits;

static struct index *index_of(const char *text)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(text, strlen(text), "test", "text", &err);
	struct index *index = r ? index_new(r, &err) : NULL;

	if (!index)
		FAIL("%s in\n%s", err.message, text);
	return index;
}

/* Text that lives until the next call but three. */
static char *next_buffer(void)
{
	static char buffers[4][4096];
	static unsigned next;
	char *buffer = buffers[next++ % 4];

	buffer[0] = '\0';
	return buffer;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The events of one finding, ascending, with this between them. */
static void put_finding(char *text, const struct witness *w, char between)
{
	uint64_t events[16];
	size_t n = w->bug_events.n;

	ASSERT_TRUE(n <= 16);
	memcpy(events, w->bug_events.at, n * sizeof(*events));
	qsort(events, n, sizeof(*events), compare_numbers);
	if (*text)
		strcat(text, " ");
	for (size_t i = 0; i < n; i++) {
		if (i)
			strncat(text, &between, 1);
		sprintf(text + strlen(text), "%llu", (unsigned long long)events[i]);
	}
	ASSERT_TRUE(strlen(text) < 4000);
}

static const char *races_text(const struct explore_result *result)
{
	char *text = next_buffer();

	for (size_t i = 0; i < result->races.n; i++)
		put_finding(text, &result->races.at[i].witness, '-');
	return *text ? text : "-";
}

static const char *deadlocks_text(const struct explore_result *result)
{
	char *text = next_buffer();

	for (size_t i = 0; i < result->deadlocks.n; i++)
		put_finding(text, &result->deadlocks.at[i].witness, ',');
	return *text ? text : "-";
}

static const char *quick_text(const struct quick_pairs *quick)
{
	char *text = next_buffer();

	for (size_t i = 0; i < quick->pairs.n; i++)
		sprintf(text + strlen(text), "%s%u-%u", i ? " " : "", quick->pairs.at[i].a,
			quick->pairs.at[i].b);
	return *text ? text : "-";
}

static void check_witnesses(const struct index *index, const struct explore_finding *findings,
			    size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!explore_accepts(index, &findings[i].witness))
			FAIL("the engine rejects its own %s",
			     bug_kind_text[findings[i].witness.bug]);
}

static struct quick_pairs quick_of(const struct index *index)
{
	struct quick_pairs quick = {0};
	struct err err = {0};

	ASSERT_EQ(quick_find(index, 0, &quick, &err), 0);
	return quick;
}

static bool is_among(const struct witness *race, const struct quick_pairs *quick)
{
	for (size_t i = 0; i < quick->pairs.n; i++)
		if (quick->pairs.at[i].a == race->bug_events.at[0] &&
		    quick->pairs.at[i].b == race->bug_events.at[1])
			return true;
	return false;
}

/* Explores, and checks what holds of every result. */
static struct explore_result explored(const struct index *index, enum model model)
{
	struct explore_result result;
	struct err err = {0};
	struct quick_pairs quick = quick_of(index);

	if (explore(index, model, &no_limits, &result, &err) < 0)
		FAIL("%s", err.message);
	check_witnesses(index, result.races.at, result.races.n);
	check_witnesses(index, result.deadlocks.at, result.deadlocks.n);
	check_witnesses(index, result.stuck.at, result.stuck.n);
	for (size_t i = 0; i < result.races.n; i++)
		ASSERT_TRUE(is_among(&result.races.at[i].witness, &quick));
	ASSERT_TRUE(result.proper >= 1 && result.proper <= result.executions);
	vec_release(&quick.pairs);
	return result;
}

static void expect(const char *file, int line, const char *trace, enum model model,
		   const char *races, const char *deadlocks, bool stuck)
{
	struct index *index = index_of(trace);
	struct explore_result result = explored(index, model);

	tap_str_eq(file, line, "races", races_text(&result), races);
	tap_str_eq(file, line, "deadlocks", deadlocks_text(&result), deadlocks);
	tap_eq(file, line, "stuck", (intmax_t)result.stuck.n, stuck);
	explore_result_release(&result);
	index_free(index);
}

#define EXPECT(trace, model, races, deadlocks, stuck)                                              \
	expect(__FILE__, __LINE__, trace, model, races, deadlocks, stuck)
#define EXPECT_RACES(trace, model, races) EXPECT(trace, model, races, "-", false)

static void expect_proper(const char *file, int line, const char *trace, enum model model,
			  uint64_t proper)
{
	struct index *index = index_of(trace);
	struct explore_result result = explored(index, model);

	tap_eq(file, line, "proper executions", (intmax_t)result.proper, (intmax_t)proper);
	explore_result_release(&result);
	index_free(index);
}

#define EXPECT_PROPER(trace, model, proper) expect_proper(__FILE__, __LINE__, trace, model, proper)

/* The conformance table */

static void check_row(const char *trace, const char *analysis, const char *want)
{
	char path[300];
	struct err err = {0};

	tap_at("%s %s", trace, analysis);
	snprintf(path, sizeof(path), "tests/conformance/%s.trace", trace);
	struct reader *r = reader_open(path, NULL, &err);
	struct index *index = r ? index_new(r, &err) : NULL;

	if (!index)
		FAIL("%s", err.message);
	if (!strcmp(analysis, "quick")) {
		struct quick_pairs quick = quick_of(index);

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
	struct index *index = index_of(figure_1);

	EXPECT_PROPER(figure_1, MODEL_MCM, 7);
	ASSERT_EQ(listed(index, MODEL_MCM, 0).count, 7);
	ASSERT_EQ(listed(index, MODEL_MCM, 3).count, 3);
	index_free(index);
}

TAP_CASE(counts_every_execution)
{
	/* nothing; 1; 2; 1 2; 2 1 */
	struct index *index = index_of("t1 write x 1\nt2 write y 1\n");
	struct explore_result result = explored(index, MODEL_VALUES);

	ASSERT_EQ(result.executions, 5);
	ASSERT_EQ(result.proper, 2);
	ASSERT_EQ(result.states, 4);
	explore_result_release(&result);
	index_free(index);
}

TAP_CASE(a_trace_without_events)
{
	struct index *index = index_of("init x 1\n");
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
	struct index *index = index_of(text);
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
	index = index_of(text);
	result = explored(index, MODEL_MAXIMAL);
	ASSERT_EQ(result.states, 41 * 41);
	ASSERT_TRUE(result.proper == UINT64_MAX && result.executions == UINT64_MAX);
	explore_result_release(&result);
	index_free(index);
}

/* Locks */

TAP_CASE(a_writer_waits_for_readers)
{
	static const char text[] = "t1 acquire-shared a\n"
				   "t1 acquire b\n" /* 2 */
				   "t1 release b\n"
				   "t1 release-shared a\n"
				   "t1 end\n"
				   "t2 acquire b\n"
				   "t2 acquire a\n" /* 7 */
				   "t2 release a\n"
				   "t2 release b\n"
				   "t2 end\n";

	EXPECT(text, MODEL_VALUES, "-", "2,7", true);
	EXPECT(text, MODEL_SAID, "-", "-", false);
}

TAP_CASE(readers_do_not_wait_for_readers)
{
	EXPECT("t1 acquire-shared a\n"
	       "t1 acquire b\n"
	       "t1 release b\n"
	       "t1 release-shared a\n"
	       "t2 acquire b\n"
	       "t2 acquire-shared a\n",
	       MODEL_VALUES, "-", "-", false);
}

TAP_CASE(a_writer_waits_for_each_of_two_readers)
{
	EXPECT("t1 acquire-shared a\n"
	       "t2 acquire-shared a\n"
	       "t1 acquire b\n" /* 3 */
	       "t1 release b\n"
	       "t1 release-shared a\n"
	       "t2 acquire b\n" /* 6 */
	       "t2 release b\n"
	       "t2 release-shared a\n"
	       "t3 acquire b\n"
	       "t3 acquire a\n", /* 10 */
	       MODEL_VALUES, "-", "3,10 6,10", true);
}

TAP_CASE(a_lock_held_shared_by_both_does_not_order)
{
	static const char text[] = "t1 acquire-shared a\n"
				   "t1 acquire-shared a\n"
				   "t1 release-shared a\n"
				   "t1 write x 1\n" /* 4, still under a */
				   "t1 release-shared a\n"
				   "t2 acquire-shared a\n"
				   "t2 write x 2\n" /* 7 */
				   "t2 release-shared a\n"
				   "t3 acquire a\n"
				   "t3 write x 3\n"
				   "t3 release a\n";

	EXPECT_RACES(text, MODEL_VALUES, "4-7");
}

TAP_CASE(try_fail_needs_another_holder)
{
	/* the write of t2 happens only while t1 is between its acquire and its release */
	EXPECT_RACES("t1 write y 1\n"
		     "t1 acquire l\n"
		     "t1 write x 1\n" /* 3 */
		     "t2 try-fail l\n"
		     "t2 write x 2\n" /* 5 */
		     "t2 write y 2\n"
		     "t1 release l\n",
		     MODEL_VALUES, "3-5");
}

/* Threads */

TAP_CASE(fork_and_join_order)
{
	EXPECT_RACES("t1 write x 1\n"
		     "t1 fork t2\n"
		     "t1 write y 1\n" /* 3 */
		     "t2 write x 2\n"
		     "t2 write y 2\n" /* 5 */
		     "t1 join t2\n"
		     "t1 write x 3\n"
		     "t1 write y 3\n",
		     MODEL_VALUES, "3-5");
}

TAP_CASE(stuck_at_a_join)
{
	/* t2 waits for the lock that t1 holds while it joins t2 */
	static const char text[] = "t1 fork t2\n"
				   "t2 acquire l\n"
				   "t2 release l\n"
				   "t2 end\n"
				   "t1 acquire l\n"
				   "t1 join t2\n"
				   "t1 release l\n";

	EXPECT(text, MODEL_VALUES, "-", "-", true);
}

TAP_CASE(a_thread_without_end_is_not_stuck)
{
	/* as above, but t3 may still do something about it */
	EXPECT("t1 fork t2\n"
	       "t3 mark m\n"
	       "t2 acquire l\n"
	       "t2 release l\n"
	       "t2 end\n"
	       "t1 acquire l\n"
	       "t1 join t2\n"
	       "t1 release l\n",
	       MODEL_VALUES, "-", "-", false);
}

TAP_CASE(a_thread_at_a_branch_is_not_stuck)
{
	/* when t1 and t2 wait for each other, t3 has read 0 where it read 2 */
	static const char text[] = "t1 fork t2\n"
				   "t2 acquire l\n"
				   "t2 write x 2\n" /* 3 */
				   "t2 release l\n"
				   "t2 end\n"
				   "t1 fork t3\n"
				   "t3 read x 2\n" /* 7 */
				   "t3 %s\n"
				   "t3 end\n"
				   "t1 acquire l\n"
				   "t1 join t2\n"
				   "t1 end\n";
	char with[400];

	sprintf(with, text, "branch");
	EXPECT(with, MODEL_VALUES, "3-7", "-", false);
	sprintf(with, text, "mark m");
	EXPECT(with, MODEL_VALUES, "3-7", "-", true);
	EXPECT(with, MODEL_MCM, "3-7", "-", false);
}

/* Conditions */

TAP_CASE(a_signal_waits_for_its_sleeper)
{
	/* 4 needs 3, so 5 cannot race with 2 */
	EXPECT_RACES("t1 acquire l\n"
		     "t1 write x 1\n"
		     "t1 wait c l\n"
		     "t2 signal c\n"
		     "t2 write x 2\n" /* 5 */
		     "t1 woken c l by=4\n"
		     "t1 write x 3\n" /* 7 */
		     "t1 release l\n",
		     MODEL_VALUES, "5-7");
}

TAP_CASE(two_sleepers_and_one_signal)
{
	/* the signal for t1 may find t2 asleep or not yet; that for t2 only finds t2 */
	static const char text[] = "t1 acquire l\n"
				   "t1 wait c l\n"
				   "t2 acquire l\n"
				   "t2 wait c l\n"
				   "t3 signal c\n" /* 5, for t1 */
				   "t1 woken c l by=5\n"
				   "t1 write x 1\n" /* 7 */
				   "t1 release l\n"
				   "t3 signal c\n" /* 9, for t2 */
				   "t2 woken c l by=9\n"
				   "t2 write x 2\n"
				   "t2 release l\n"
				   "t3 write x 3\n"; /* 13 */

	EXPECT_RACES(text, MODEL_VALUES, "7-13 11-13");
	/* without the second signal t2 sleeps unnoticed: nothing is known of it */
	EXPECT_PROPER("t1 acquire l\n"
		      "t1 wait c l\n"
		      "t2 signal c\n"
		      "t1 woken c l by=3\n",
		      MODEL_VALUES, 1);
}

TAP_CASE(a_broadcast_wakes_all_who_sleep)
{
	/* 2 woke nobody, so nobody may sleep: 1 2 3 4 5, 2 1 3 4 5; after 1 3 nobody can move */
	EXPECT_PROPER("t1 acquire l\n"
		      "t2 broadcast c\n"
		      "t1 wait c l\n"
		      "t2 broadcast c\n"
		      "t1 woken c l by=4\n",
		      MODEL_VALUES, 3);
}

TAP_CASE(a_spurious_waking_needs_the_lock_only)
{
	/* and counts as an acquire: t1 holds a and wants l, t2 holds l and wants a */
	EXPECT("t1 acquire a\n"
	       "t1 acquire l\n"
	       "t1 wait c l\n"
	       "t1 woken c l by=-\n" /* 4 */
	       "t1 release l\n"
	       "t1 release a\n"
	       "t1 end\n"
	       "t2 acquire l\n"
	       "t2 acquire a\n" /* 9 */
	       "t2 end\n",
	       MODEL_VALUES, "-", "2,9 4,9", true);
}

/* Barriers, semaphores, once */

TAP_CASE(barrier_rounds_may_swap_but_not_mix)
{
	static const char text[] = "barrier b 2\n"
				   "t1 barrier-enter b\n"
				   "t2 barrier-enter b\n"
				   "t3 barrier-enter b\n"
				   "t4 barrier-enter b\n";

	/* 2 orders of the rounds, 2 within each */
	EXPECT_PROPER(text, MODEL_VALUES, 8);
}

TAP_CASE(barriers_order)
{
	EXPECT_RACES("barrier b 2\n"
		     "t1 write x 1\n" /* 1 */
		     "t2 write x 2\n" /* 2 */
		     "t1 barrier-enter b\n"
		     "t2 barrier-enter b\n"
		     "t2 barrier-exit b\n"
		     "t1 barrier-exit b\n"
		     "t2 write x 3\n" /* 7 */
		     "t1 write x 4\n", /* 8 */
		     MODEL_VALUES, "1-2 7-8");
}

TAP_CASE(stuck_at_a_barrier)
{
	/* if t3 takes the lock first, t2 never comes to the barrier */
	EXPECT("barrier b 2\n"
	       "t1 barrier-enter b\n"
	       "t2 acquire l\n"
	       "t2 barrier-enter b\n"
	       "t2 barrier-exit b\n"
	       "t2 release l\n"
	       "t2 end\n"
	       "t1 barrier-exit b\n"
	       "t1 end\n"
	       "t3 acquire l\n"
	       "t3 end\n",
	       MODEL_VALUES, "-", "-", true);
}

TAP_CASE(semaphores)
{
	static const char text[] = "t1 write x 1\n"
				   "t1 sem-post s\n"
				   "t2 sem-wait s\n"
				   "t2 write x 2\n"
				   "t2 end\n"
				   "t1 end\n";
	char with_count[300];

	EXPECT_RACES(text, MODEL_VALUES, "-");
	sprintf(with_count, "sem s 1\n%s", text);
	EXPECT_RACES(with_count, MODEL_VALUES, "1-4");
	/* each has one of the two that it needs */
	EXPECT("sem s 2\n"
	       "t1 sem-wait s\n"
	       "t1 sem-wait s\n"
	       "t1 sem-post s\n"
	       "t1 sem-post s\n"
	       "t1 end\n"
	       "t2 sem-wait s\n"
	       "t2 sem-wait s\n"
	       "t2 end\n",
	       MODEL_VALUES, "-", "-", true);
}

TAP_CASE(sem_fail_needs_zero)
{
	/* only between 2 and 6 */
	EXPECT_RACES("sem s 1\n"
		     "t1 write x 1\n"
		     "t1 sem-wait s\n"
		     "t2 sem-fail s\n"
		     "t2 write x 2\n" /* 4 */
		     "t1 write x 3\n" /* 5 */
		     "t1 sem-post s\n",
		     MODEL_VALUES, "4-5");
	/* a thread before a sem-fail that cannot happen does not wait */
	EXPECT("sem s 1\n"
	       "t1 sem-wait s\n"
	       "t2 sem-fail s\n"
	       "t2 end\n"
	       "t1 sem-post s\n"
	       "t1 end\n",
	       MODEL_VALUES, "-", "-", false);
}

TAP_CASE(once)
{
	/* 5 comes after 2, but not always after 6 */
	EXPECT_RACES("t1 once-begin o\n"
		     "t1 write x 1\n"
		     "t1 once-end o\n"
		     "t2 once-pass o\n"
		     "t2 read x 1\n"
		     "t1 write x 2\n", /* 6 */
		     MODEL_VALUES, "5-6");
	/* t1 waits in the once for a lock that t2 holds while it waits for the once */
	EXPECT("t1 once-begin o\n"
	       "t1 acquire l\n"
	       "t1 release l\n"
	       "t1 once-end o\n"
	       "t1 end\n"
	       "t2 acquire l\n"
	       "t2 once-pass o\n"
	       "t2 release l\n"
	       "t2 end\n",
	       MODEL_VALUES, "-", "-", true);
}

/* Memory */

TAP_CASE(atomic_accesses_do_not_race_with_each_other)
{
	EXPECT_RACES("volatile v\n"
		     "t1 write v 1\n"
		     "t1 write x 1 order=release\n" /* 2 */
		     "t1 rmw y 0 1\n"               /* 3 */
		     "t2 write v 2\n"
		     "t2 read x 1 order=acquire\n"
		     "t2 rmw y 1 2\n"
		     "t2 read x 1\n"  /* 7 */
		     "t2 write y 3\n", /* 8 */
		     MODEL_VALUES, "2-7 3-8");
}

TAP_CASE(an_rmw_depends_on_itself)
{
	/* t1 at 3 while t3 has read 2: the sections took the other order, both still added 1 */
	static const char text[] = "t1 acquire l\n"
				   "t1 rmw x 0 1%s\n" /* 2 */
				   "t1 write y 1\n"   /* 3 */
				   "t1 release l\n"
				   "t2 acquire l\n"
				   "t2 rmw x 1 2%s\n" /* 6 */
				   "t2 release l\n"
				   "t3 read x 2\n" /* 8 */
				   "t3 branch\n"
				   "t3 write y 2\n"; /* 10 */
	char with[400];

	sprintf(with, text, " = (+ %2 1)", " = (+ %6 1)");
	EXPECT_RACES(with, MODEL_VALUES, "2-8 3-10 6-8");
	EXPECT_RACES(with, MODEL_MAXIMAL, "2-8 6-8");
	sprintf(with, text, "", "");
	EXPECT_RACES(with, MODEL_VALUES, "2-8 6-8");
	/* exchanges: t2 leaves 2 whatever it read, and t3 sees that before t1 comes */
	sprintf(with, text, " reads=", " reads=");
	EXPECT_RACES(with, MODEL_MAXIMAL, "2-8 3-10 6-8");
}

TAP_CASE(use_after_free)
{
	static const char text[] = "t1 alloc p\n"
				   "t2 write p 1\n"
				   "t1 free p\n";

	/* the alloc is no race; without it 2 cannot happen, after the free neither */
	EXPECT_RACES(text, MODEL_VALUES, "2-3");
	EXPECT_PROPER(text, MODEL_VALUES, 2);
	EXPECT_RACES("t1 alloc p\n"
		     "t1 fork t2\n"
		     "t2 read p 0\n"
		     "t1 join t2\n"
		     "t1 free p\n",
		     MODEL_VALUES, "-");
}

TAP_CASE(external_stays_in_its_place)
{
	/* neither can it move before 1, nor 3 before it */
	static const char text[] = "t1 write x 1\n"
				   "t2 external x 5\n"
				   "t1 read x 5\n"
				   "t1 branch\n";

	EXPECT_RACES(text, MODEL_VALUES, "-");
	EXPECT_PROPER(text, MODEL_VALUES, 1);
}

TAP_CASE(at_guards_an_access)
{
	static const char text[] = "t1 write a 8\n" /* 1 */
				   "t1 write i 1\n" /* 2 */
				   "t2 read i 1\n"  /* 3 */
				   "t2 write a 7%s\n"; /* 4 */
	char with[200];

	sprintf(with, text, "");
	EXPECT_RACES(with, MODEL_VALUES, "1-4 2-3");
	sprintf(with, text, " at=3");
	EXPECT_RACES(with, MODEL_VALUES, "2-3");
}

TAP_CASE(at_guards_a_wait_in_a_deadlock)
{
	static const char text[] = "t1 acquire a\n"
				   "t1 acquire b\n" /* 2 */
				   "t1 write i 1\n" /* 3 */
				   "t1 release b\n"
				   "t1 release a\n"
				   "t2 read i 1\n" /* 6 */
				   "t2 acquire b\n"
				   "t2 acquire a%s\n"; /* 8 */
	char with[300];

	sprintf(with, text, "");
	EXPECT(with, MODEL_VALUES, "3-6", "2,8", true);
	sprintf(with, text, " at=6");
	EXPECT(with, MODEL_VALUES, "3-6", "-", false);
}

TAP_CASE(accesses_of_several_variables)
{
	/* 6 needs both values that 4 read, so it comes after 3 */
	EXPECT_RACES("t1 write a 1\n"
		     "t1 write c 2\n"
		     "t1 write b 1\n"
		     "t2 read a 1 b 1\n"
		     "t2 branch\n"
		     "t2 write c 1\n",
		     MODEL_VALUES, "1-4 3-4");
	/* atomic on one of them is not enough */
	EXPECT_RACES("volatile y\n"
		     "t1 write x 1 y 1\n"
		     "t2 write y 2\n"
		     "t2 write y 3 x 3\n",
		     MODEL_VALUES, "1-3");
}

TAP_CASE(the_value_of_several_variables)
{
	/* hi alone decides that the whole is above 255 */
	static const char text[] = "memory lo m 0 1\n"
				   "memory hi m 1 1\n"
				   "t1 write hi 1\n" /* 1 */
				   "t1 write y 1\n"  /* 2 */
				   "t1 write lo 5\n" /* 3 */
				   "t2 read lo 5 hi 1\n"
				   "t2 branch if (> %4 255)\n"
				   "t2 write y 2\n"; /* 6 */
	/* t3 comes to 11 before t1 has read what t2 wrote: the expression gave 256, not 257 */
	static const char store[] = "memory word m 0 2\n"
				    "memory hi m 1 1\n"
				    "t2 acquire l\n"
				    "t2 write y 2\n" /* 2 */
				    "t2 write k 1\n"
				    "t2 release l\n"
				    "t1 acquire l\n"
				    "t1 read k 1\n"
				    "t1 write word 257 = (+ %6 256)\n" /* 7 */
				    "t1 release l\n"
				    "t3 read hi 1\n" /* 9 */
				    "t3 branch\n"
				    "t3 write y 1\n"; /* 11 */

	EXPECT_RACES(text, MODEL_VALUES, "1-4 2-6 3-4");
	EXPECT_RACES(text, MODEL_MAXIMAL, "1-4 3-4");
	EXPECT_RACES(store, MODEL_VALUES, "2-11 7-9");
	EXPECT_RACES(store, MODEL_MAXIMAL, "7-9");
}

/* More information never removes a prediction: nothing < reads= < expression. */
TAP_CASE(unknown_values)
{
	/* t1 at 4 while t3 has read both 1s: t1 read 1 at 2; what did it write at 3? */
	static const char text[] = "t1 acquire l\n"
				   "t1 read x 0\n"
				   "t1 write y 1%s\n" /* 3 */
				   "t1 write w 1\n"   /* 4 */
				   "t1 release l\n"
				   "t2 acquire l\n"
				   "t2 write x 1\n" /* 7 */
				   "t2 release l\n"
				   "t3 read x 1\n"  /* 9 */
				   "t3 read y 1\n"  /* 10 */
				   "t3 branch\n"
				   "t3 write w 3\n"; /* 12 */
	char with[400];

	sprintf(with, text, "");
	EXPECT_RACES(with, MODEL_VALUES, "3-10 7-9");
	sprintf(with, text, " reads=");
	EXPECT_RACES(with, MODEL_VALUES, "3-10 4-12 7-9");
	EXPECT_RACES(with, MODEL_MAXIMAL, "3-10 4-12 7-9");
	EXPECT_RACES(with, MODEL_PREDICTABLE, "3-10 4-12 7-9");
	/* t1 comes to 3 before t3 has read 1 at 9, or not at all */
	EXPECT_RACES(with, MODEL_MCM, "7-9");
	EXPECT_RACES(with, MODEL_SAID, "7-9");
	sprintf(with, text, " = (+ 1 (* 0 %2))");
	EXPECT_RACES(with, MODEL_VALUES, "3-10 4-12 7-9");
	EXPECT_RACES(with, MODEL_MAXIMAL, "3-10 7-9");
	sprintf(with, text, " = (+ 1 %2)"); /* that is 2 */
	EXPECT_RACES(with, MODEL_VALUES, "3-10 7-9");
	sprintf(with, text, " = (/ 1 (- 1 %2))"); /* division by zero */
	EXPECT_RACES(with, MODEL_VALUES, "3-10 7-9");
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
	struct index *index = index_of(figure_1);

	ASSERT_TRUE(accepts(index, MODEL_MCM, BUG_RACE, "4 10", "1 2 3 8 9", ""));
	ASSERT_TRUE(accepts(index, MODEL_MCM, BUG_RACE, "10 4", "1 2 3 8 9", ""));
	ASSERT_FALSE(accepts(index, MODEL_MCM, BUG_RACE, "4 10", "1 2 3 8", "")); /* not next */
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
	struct index *index = index_of("t1 acquire a\nt1 acquire b\nt1 release b\nt1 release a\n"
				       "t2 acquire b\nt2 acquire c\nt2 release c\nt2 release b\n"
				       "t3 acquire c\nt3 acquire a\nt3 mark m\n");

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
	for (size_t i = 0; i < a->races.n; i++) {
		bool found = false;

		for (size_t j = 0; j < b->races.n && !found; j++)
			found = !memcmp(a->races.at[i].witness.bug_events.at,
					b->races.at[j].witness.bug_events.at, 2 * sizeof(uint64_t));
		if (!found)
			FAIL("%s has a race that %s has not", model_text[small],
			     model_text[large]);
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
		struct index *index = index_of(text);

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
