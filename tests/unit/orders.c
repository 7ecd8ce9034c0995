/* SPDX-License-Identifier: MIT */
/*
 * The orders, exactly: against the conformance table, against a naive fixpoint of their
 * definitions, and against the exhaustive engine.
 */
#include "order/order.h"
#include "tests/support/explored.h"
#include "tests/support/naive_orders.h"
#include "tests/support/random_trace.h"
#include "tests/support/section_trace.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEATURES (RANDOM_EVERYTHING & ~(uint32_t)(RANDOM_SPELLING | RANDOM_META))

static struct order_pairs pairs_by(const struct index *index, enum naive_order order)
{
	const struct order_kind *kind = order_by_name(naive_order_text[order]);
	struct order_pairs result = {0};
	struct err err = {0};

	ASSERT_TRUE(kind != NULL);
	if (order_pairs(kind, index, 0, &result, &err) < 0)
		FAIL("%s", err.message);
	return result;
}

static const char *text_of(const struct order_pairs *pairs)
{
	static char text[65536];

	text[0] = '\0';
	for (size_t i = 0, n = 0; i < pairs->pairs.n && n < sizeof(text) - 40; i++)
		n += (size_t)sprintf(text + n, "%s%u-%u", i ? " " : "", pairs->pairs.at[i].a,
				     pairs->pairs.at[i].b);
	return *text ? text : "-";
}

/* Both lists are ascending, each pair once. */
static void check_same(enum naive_order order, const struct order_pairs *got,
		       const struct naive_races *want)
{
	for (size_t i = 0; i < got->pairs.n || i < want->pairs.n; i++) {
		struct order_pair none = {UINT32_MAX, UINT32_MAX};
		struct order_pair x = i < got->pairs.n ? got->pairs.at[i] : none, y = none;

		if (i < want->pairs.n)
			y = (struct order_pair){want->pairs.at[i].a, want->pairs.at[i].b};
		if (x.a == y.a && x.b == y.b)
			continue;
		if (x.a < y.a || (x.a == y.a && x.b < y.b))
			FAIL("%s: %u-%u is no race by the definition", naive_order_text[order], x.a,
			     x.b);
		FAIL("%s: the race %u-%u is missing", naive_order_text[order], y.a, y.b);
	}
}

static void check_index(const struct index *index)
{
	struct naive_orders *naive = naive_orders_new(index);

	for (int order = 0; order < NAIVE_COUNT; order++) {
		struct order_pairs got = pairs_by(index, order);
		struct naive_races want = naive_races(naive, order);

		check_same(order, &got, &want);
		vec_release(&got.pairs);
		vec_release(&want.pairs);
	}
	naive_orders_free(naive);
}

static void check_text(uint64_t seed, char *text)
{
	tap_at("seed %llu:\n%s", (unsigned long long)seed, text);
	struct index *index = index_of_text(text);

	check_index(index);
	index_free(index);
	free(text);
}

static void check_random(uint64_t seed, uint32_t events, uint32_t features)
{
	struct random_trace knobs = random_trace_knobs(seed, events, features);

	check_text(seed, random_trace_make(&knobs));
}

/* The table of orders */

TAP_CASE(there_is_each_order)
{
	ASSERT_EQ(order_kind_count, NAIVE_COUNT);
	for (size_t i = 0; i < order_kind_count; i++) {
		ASSERT_TRUE(order_by_name(order_name(order_kinds[i])) == order_kinds[i]);
		ASSERT_TRUE(order_title(order_kinds[i])[0] != '\0');
	}
	for (int order = 0; order < NAIVE_COUNT; order++)
		ASSERT_TRUE(order_by_name(naive_order_text[order]) != NULL);
	ASSERT_TRUE(order_by_name("h") == NULL);
	ASSERT_TRUE(order_by_name("") == NULL);
}

TAP_CASE(conformance)
{
	FILE *table = fopen("tests/conformance/expected.tsv", "r");
	char line[4096];
	int rows = 0;

	ASSERT_TRUE(table != NULL);
	while (fgets(line, sizeof(line), table)) {
		char *trace = strtok(line, "\t\n"), *analysis = strtok(NULL, "\t\n");
		char *want = strtok(NULL, "\t\n"), path[300];

		for (int order = 0; want && line[0] != '#' && order < NAIVE_COUNT; order++) {
			if (strcmp(analysis, naive_order_text[order]) != 0)
				continue;
			tap_at("%s %s", trace, analysis);
			snprintf(path, sizeof(path), "tests/conformance/%s.trace", trace);
			struct index *index = index_of_file(path);
			struct order_pairs got = pairs_by(index, order);

			ASSERT_STR_EQ(text_of(&got), want);
			if (order == 0)
				check_index(index);
			vec_release(&got.pairs);
			index_free(index);
			rows++;
		}
	}
	fclose(table);
	ASSERT_EQ(rows, 157 * NAIVE_COUNT);
}

/* What each kind of event means */

#define ALL(races)                                                     \
	{                                                              \
		races, races, races, races, races, races, races, races \
	}

static const struct example {
	const char *what, *trace;
	const char *races[NAIVE_COUNT];
} examples[] = {
	{"a semaphore is for hb alone",
	 "t1 write x 1\nt1 sem-post s\nt2 sem-wait s\nt2 read x 1\n",
	 {"-", "1-4", "1-4", "1-4", "1-4", "1-4", "1-4", "1-4"}},
	{"a post is for every later wait",
	 "sem s 1\nt1 write x 1\nt1 sem-post s\nt2 sem-wait s\nt3 sem-wait s\nt2 read x 1\n"
	 "t3 read x 1\n",
	 {"-", "1-5 1-6", "1-5 1-6", "1-5 1-6", "1-5 1-6", "1-5 1-6", "1-5 1-6", "1-5 1-6"}},
	{"two readers of a lock have no order",
	 "t1 write x 1\nt1 acquire-shared l\nt1 release-shared l\nt2 acquire-shared l\n"
	 "t2 release-shared l\nt2 read x 1\n",
	 ALL("1-6")},
	{"a reader and a writer have",
	 "t1 write x 1\nt1 acquire-shared l\nt1 read y 0\nt1 release-shared l\nt2 acquire l\n"
	 "t2 write y 1\nt2 release l\nt2 read x 1\n",
	 {"-", "-", "-", "-", "-", "1-8", "-", "1-8"}},
	{"a lock that both hold shared protects nothing",
	 "t1 acquire-shared l\nt1 write x 1\nt1 release-shared l\nt2 acquire-shared l\n"
	 "t2 read x 1\nt2 release-shared l\n",
	 ALL("2-5")},
	{"a lock that one holds shared does",
	 "t1 acquire l\nt1 write x 1\nt1 release l\nt2 acquire-shared l\nt2 read x 1\n"
	 "t2 release-shared l\n",
	 ALL("-")},
	{"held shared twice it is one section, to the last release",
	 "t1 acquire-shared l\nt1 acquire-shared l\nt1 write x 1\nt1 release-shared l\n"
	 "t1 write y 1\nt1 release-shared l\nt2 acquire l\nt2 read x 1\nt2 release l\n"
	 "t2 read y 1\n",
	 {"-", "-", "-", "-", "-", "5-10", "-", "5-10"}},
	{"readers overlap: the end of one tells of the beginning of another",
	 "t2 acquire-shared l\nt2 release-shared l\nt2 acquire-shared l\nt1 acquire-shared l\n"
	 "t1 fork t3\nt2 fork t4\nt4 begin\nt1 join t4\nt1 release-shared l\nt2 write x 1\n"
	 "t2 release-shared l\nt3 acquire l\nt3 release l\nt3 read x 1\n",
	 {"-", "-", "-", "-", "-", "-", "-", "10-14"}},
	{"a section that is never left: cp orders its acquire",
	 "t1 write x 1\nt1 acquire l\nt1 write y 1\nt1 release l\nt2 acquire l\nt2 read x 1\n"
	 "t2 read y 1\n",
	 {"-", "-", "1-6", "1-6", "1-6", "1-6", "1-6", "1-6"}},
	{"a signal comes before who it wakes; its wait, which is as certain, is not told apart",
	 "t2 acquire l\nt2 write y 1\nt2 wait c l\nt1 write x 1\nt1 signal c\n"
	 "t2 woken c l by=5\nt2 read x 1\nt2 release l\nt1 read y 1\n",
	 ALL("2-9")},
	{"nobody woke it",
	 "t2 acquire l\nt2 wait c l\nt1 write x 1\nt1 signal c\nt2 woken c l by=-\nt2 read x 1\n",
	 ALL("3-6")},
	{"wait ends a section and woken begins one",
	 "t1 acquire l\nt1 write y 1\nt1 wait c l\nt2 write x 1\nt2 acquire l\nt2 write y 2\n"
	 "t2 release l\nt1 woken c l by=-\nt1 read y 2\nt1 release l\nt1 read x 1\n",
	 {"-", "-", "-", "-", "-", "4-11", "-", "4-11"}},
	{"barriers: a round at a time",
	 "barrier b 2\nt1 write x 1\nt1 barrier-enter b\nt2 barrier-enter b\nt2 barrier-exit b\n"
	 "t2 read x 1\nt2 write x 2\nt1 barrier-exit b\nt1 read x 2\n",
	 ALL("6-8")},
	{"once-end comes before once-pass",
	 "t1 write y 1\nt1 once-begin o\nt1 write x 1\nt1 once-end o\nt2 read y 1\n"
	 "t2 once-pass o\nt2 read x 1\n",
	 ALL("1-5")},
	{"alloc comes before what it makes",
	 "t1 write y 1\nt1 alloc x\nt2 write x 1\nt2 read y 1\n", ALL("-")},
	{"free is a write", "t1 read x 0\nt2 free x\n", ALL("1-2")},
	{"and never atomic", "volatile x\nt1 read x 0\nt2 free x\n", ALL("1-2")},
	{"a thread is forked before it is joined, although it does nothing",
	 "t1 write x 1\nt1 fork t3\nt2 join t3\nt2 read x 1\n", ALL("-")},
	{"a thread may be joined twice",
	 "t1 write x 1\nt2 join t1\nt2 fork t3\nt4 join t1\nt4 read x 1\n", ALL("-")},
	{"external comes before later accesses, and is no part of a race",
	 "t1 write y 1\nt1 external x 2\nt2 write x 3\nt2 read y 1\n", ALL("-")},
	{"nor does it come after earlier ones", "t1 write x 1\nt2 external x 2\nt3 read x 2\n",
	 ALL("1-3")},
	{"rmw is a read and a write, and a section of its own",
	 "t1 write x 1\nt1 rmw f 0 1\nt2 rmw f 1 2\nt2 read x 1\n",
	 {"-", "-", "-", "-", "-", "1-4", "-", "1-4"}},
	{"a branch that depends on it",
	 "t1 write x 1\nt1 rmw f 0 1\nt2 rmw f 1 2\nt2 branch reads=3\nt2 read x 1\n",
	 {"-", "-", "-", "-", "-", "-", "-", "1-5"}},
	{"a branch that depends on nothing",
	 "t1 write x 1\nt1 rmw f 0 1\nt2 rmw f 1 2\nt2 branch reads=\nt2 read x 1\n",
	 {"-", "-", "-", "-", "-", "1-5", "-", "1-5"}},
	{"two atomic writes: sdp waits for a read",
	 "t1 write x 1\nt1 write f 1 order=relaxed\nt2 write f 2 order=relaxed\nt2 read x 1\n"
	 "t2 read f 2 order=relaxed\nt2 read x 1\n",
	 {"-", "-", "-", "1-4", "-", "1-4 1-6", "1-4", "1-4 1-6"}},
	{"two atomic reads are in the order of hb",
	 "volatile f\nt1 write x 1\nt1 read f 0\nt2 read f 0\nt2 read x 1\n",
	 {"-", "1-4", "1-4", "1-4", "1-4", "1-4", "1-4", "1-4"}},
	{"who joined a thread that keeps a lock comes to nothing under it; drc forgets the lock",
	 "t1 acquire l\nt1 write x 1\nt1 release l\nt2 acquire l\nt3 join t2\nt3 write x 2\n",
	 {"-", "2-6", "2-6", "2-6", "2-6", "2-6", "2-6", "2-6"}},
	{"a read comes before a write that comes after what it read",
	 "t1 write y 1\nt2 write x 1\nt2 read y 1\nt1 write y 2\nt1 write x 2\n",
	 {"1-3 2-5 3-4", "1-3 2-5 3-4", "1-3 2-5 3-4", "1-3 2-5 3-4", "1-3 2-5 3-4", "1-3 2-5 3-4",
	  "1-3 3-4", "1-3 2-5 3-4"}},
	{"an atomic and a plain access race", "t1 write f 1 order=seq_cst\nt2 read f 1\n",
	 ALL("1-2")},
	{"several variables: one pair", "t1 write x 1 y 1 z 1\nt2 write z 2 y 2\n", ALL("1-2")},
	{"several variables, atomic on one of the two that they share",
	 "volatile y\nt1 write x 1 y 1\nt2 read y 1 x 1\n",
	 {"-", "-", "-", "-", "-", "1-2", "1-2", "1-2"}},
};

TAP_CASE(what_the_events_mean)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		struct index *index = index_of_text(examples[i].trace);

		for (int order = 0; order < NAIVE_COUNT; order++) {
			tap_at("%s, %s:\n%s", examples[i].what, naive_order_text[order],
			       examples[i].trace);
			struct order_pairs got = pairs_by(index, order);

			ASSERT_STR_EQ(text_of(&got), examples[i].races[order]);
			vec_release(&got.pairs);
		}
		check_index(index);
		index_free(index);
	}
}

TAP_CASE(limits)
{
	static const char text[] = "t1 write x 1 y 1\nt1 read x 1 y 1\nt2 write y 2 x 2\n";
	struct index *index = index_of_text(text);

	for (size_t i = 0; i < order_kind_count; i++) {
		struct order_pairs pairs = {0};
		struct err err = {0};

		ASSERT_EQ(order_pairs(order_kinds[i], index, 2, &pairs, &err), 0);
		ASSERT_STR_EQ(text_of(&pairs), "1-3 2-3");
		vec_release(&pairs.pairs);
		ASSERT_EQ(order_pairs(order_kinds[i], index, 1, &pairs, &err), ERR_LIMIT);
		ASSERT_EQ(pairs.pairs.n, 0);
		vec_release(&pairs.pairs);
	}
	index_free(index);
	check_text(0, strdup("init x 1\n"));
}

/* Against the definitions */

TAP_CASE(plain_traces)
{
	for (uint64_t seed = 0; seed < TAP_PART(6000); seed++)
		check_random(seed, 12 + (uint32_t)(seed % 29),
			     seed % 2 ? RANDOM_READS : RANDOM_READS | RANDOM_LOCKY);
}

TAP_CASE(traces_of_sections)
{
	for (uint64_t seed = 0; seed < TAP_PART(6000); seed++)
		check_text(seed, section_trace_make(seed, 12 + (uint32_t)(seed % 60)));
}

TAP_CASE(traces_with_everything)
{
	for (uint64_t seed = 0; seed < TAP_PART(6000); seed++)
		check_random(seed, 12 + (uint32_t)(seed % 49),
			     seed % 3 ? FEATURES : FEATURES | RANDOM_LOCKY);
}

TAP_CASE(features_one_by_one)
{
	for (uint32_t i = 0; i < 15; i++)
		for (uint64_t seed = 0; seed < TAP_PART(200); seed++)
			check_random(seed, 40, (uint32_t)1 << i);
}

TAP_CASE(longer_traces)
{
	for (uint64_t seed = 0; seed < TAP_PART(200); seed++) {
		check_random(seed, 200, RANDOM_READS);
		check_random(seed, 200, FEATURES);
		check_text(seed, section_trace_make(seed, 200));
	}
}

/* Inclusions */

static bool is_among(const struct order_pairs *pairs, uint64_t a, uint64_t b)
{
	size_t low = 0, high = pairs->pairs.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct order_pair p = pairs->pairs.at[middle];

		if (p.a == a && p.b == b)
			return true;
		if (p.a < a || (p.a == a && p.b < b))
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static const struct {
	enum naive_order small, large;
} inclusions[] = {
	{NAIVE_HB, NAIVE_CP},	{NAIVE_CP, NAIVE_WCP},	  {NAIVE_WCP, NAIVE_SDP},
	{NAIVE_SDP, NAIVE_WDP}, {NAIVE_WDP, NAIVE_QUICK}, {NAIVE_WCP, NAIVE_DC},
	{NAIVE_DC, NAIVE_WDP},
};

#define INCLUSIONS (sizeof(inclusions) / sizeof(*inclusions))

/* Counts in differ[] where the larger is larger, so that the test can say that it is one. */
static void check_inclusions(uint64_t seed, char *text, int *differ)
{
	tap_at("seed %llu:\n%s", (unsigned long long)seed, text);
	struct index *index = index_of_text(text);
	struct order_pairs pairs[NAIVE_COUNT];

	for (int order = 0; order < NAIVE_COUNT; order++)
		pairs[order] = pairs_by(index, order);
	for (size_t i = 0; i < INCLUSIONS; i++) {
		const struct order_pairs *small = &pairs[inclusions[i].small];
		const struct order_pairs *large = &pairs[inclusions[i].large];

		for (size_t k = 0; k < small->pairs.n; k++)
			if (!is_among(large, small->pairs.at[k].a, small->pairs.at[k].b))
				FAIL("%u-%u is a race by %s and none by %s", small->pairs.at[k].a,
				     small->pairs.at[k].b, naive_order_text[inclusions[i].small],
				     naive_order_text[inclusions[i].large]);
		differ[i] += small->pairs.n < large->pairs.n;
	}
	for (int order = 0; order < NAIVE_COUNT; order++)
		vec_release(&pairs[order].pairs);
	index_free(index);
	free(text);
}

static void check_random_inclusions(uint64_t seed, uint32_t features, int *differ)
{
	struct random_trace knobs = random_trace_knobs(seed, 20 + (uint32_t)(seed % 181), features);

	check_inclusions(seed, random_trace_make(&knobs), differ);
}

TAP_CASE(orders_lie_within_each_other)
{
	int differ[INCLUSIONS] = {0};

	for (uint64_t seed = 0; seed < TAP_PART(1000); seed++) {
		check_random_inclusions(seed, RANDOM_READS, differ);
		check_random_inclusions(seed, FEATURES, differ);
		check_inclusions(seed, section_trace_make(seed, 20 + (uint32_t)(seed % 181)),
				 differ);
	}
	for (size_t i = 0; i < INCLUSIONS; i++)
		ASSERT_TRUE(differ[i] > TAP_PART(100));
}

/* Against the exhaustive engine */

static const struct {
	enum model model;
	enum naive_order order;
} promises[] = {
	{MODEL_PREDICTABLE, NAIVE_WDP},
	{MODEL_MAXIMAL, NAIVE_QUICK},
	{MODEL_VALUES, NAIVE_QUICK},
};

static void check_promises(uint64_t seed, char *text, size_t *races)
{
	tap_at("seed %llu:\n%s", (unsigned long long)seed, text);
	struct index *index = index_of_text(text);

	for (size_t i = 0; i < sizeof(promises) / sizeof(*promises); i++) {
		const struct explore_limits limits = {.states = 200000};
		struct order_pairs pairs = pairs_by(index, promises[i].order);
		struct explore_result result;
		struct err err = {0};

		if (explore(index, promises[i].model, &limits, &result, &err) == 0) {
			for (size_t k = 0; k < result.bugs[BUG_RACE].n; k++) {
				const uint64_t *race =
					result.bugs[BUG_RACE].at[k].witness.bug_events.at;

				if (!is_among(&pairs, race[0], race[1]))
					FAIL("%s has the race %u-%u, %s has not",
					     model_text[promises[i].model], (unsigned)race[0],
					     (unsigned)race[1],
					     naive_order_text[promises[i].order]);
			}
			*races += result.bugs[BUG_RACE].n;
			explore_result_release(&result);
		}
		vec_release(&pairs.pairs);
	}
	index_free(index);
	free(text);
}

TAP_CASE(no_race_is_pruned)
{
	size_t races = 0;

	for (uint64_t seed = 0; seed < TAP_PART(4000); seed++) {
		struct random_trace knobs =
			random_trace_knobs(seed, 10 + (uint32_t)(seed % 9),
					   seed % 3 ? FEATURES : FEATURES | RANDOM_LOCKY);

		check_promises(seed, random_trace_make(&knobs), &races);
		check_promises(seed, section_trace_make(seed, 10 + (uint32_t)(seed % 13)), &races);
	}
	ASSERT_TRUE(races > TAP_PART(10000));
}

struct kept {
	const struct index *index;
	const struct naive_orders *naive;
	enum naive_order order;
	size_t executions; /* that may still be looked at */
};

static bool check_kept(void *context, const uint32_t *events, size_t n)
{
	struct kept *kept = context;
	bool happened[100] = {false}, happens[100] = {false};

	for (size_t i = 0; i < n; i++)
		happens[events[i]] = true;
	for (size_t i = 0; i < n; i++) {
		for (uint32_t a = 1; a < events[i]; a++)
			if (!happened[a] && (happens[a] || !index_arm(kept->index, a)) &&
			    naive_before(kept->naive, kept->order, a, events[i]))
				FAIL("%s: %u comes before %u, but not in every execution",
				     naive_order_text[kept->order], a, events[i]);
		happened[events[i]] = true;
	}
	return --kept->executions > 0;
}

/*
 * More than that no race is lost: MHB holds in every execution of model values, wdp in every
 * one of predictable. The definitions are at stake here; that the orders follow them is tested
 * above.
 */
static void check_executions(uint64_t seed, char *text)
{
	static const struct explore_limits no_limits;

	tap_at("seed %llu:\n%s", (unsigned long long)seed, text);
	struct index *index = index_of_text(text);
	struct naive_orders *naive = naive_orders_new(index);
	struct kept mhb = {index, naive, NAIVE_QUICK, 1000}, wdp = {index, naive, NAIVE_WDP, 1000};
	struct err err = {0};

	explore_list(index, MODEL_VALUES, &no_limits, check_kept, &mhb, &err);
	explore_list(index, MODEL_PREDICTABLE, &no_limits, check_kept, &wdp, &err);
	naive_orders_free(naive);
	index_free(index);
	free(text);
}

TAP_CASE(executions_keep_mhb_and_wdp)
{
	for (uint64_t seed = 0; seed < TAP_PART(3000); seed++) {
		struct random_trace knobs =
			random_trace_knobs(seed, 13, seed % 3 ? FEATURES : FEATURES | RANDOM_LOCKY);

		check_executions(seed, random_trace_make(&knobs));
		if (seed % 2)
			check_executions(seed, section_trace_make(seed, 16));
	}
}
