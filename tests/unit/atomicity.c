/* SPDX-License-Identifier: MIT */
/*
 * Atomicity: what is a violation, by hand; and on random traces with regions the exhaustive engine
 * against brute force, all other engines against that one, and the certifier against its mutants.
 *
 * SOAK=20000	so many random traces
 * SEED=17	this random trace alone
 */
#include "model/regions.h"
#include "predict/minimise.h"
#include "search/engine.h"
#include "search/run.h"
#include "tests/support/explored.h"
#include "tests/support/naive_atomicity.h"
#include "tests/support/random.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"
#include "witness/certify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACES 200
#define EXECUTIONS_MOST 3000

static char *text_of(const struct explore_result *result)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < result->bugs[BUG_ATOMICITY].n; i++) {
		const uint64_t *e = result->bugs[BUG_ATOMICITY].at[i].witness.bug_events.at;

		fprintf(out, "%llu-%llu-%llu ", (unsigned long long)e[0], (unsigned long long)e[1],
			(unsigned long long)e[2]);
	}
	fclose(out);
	return text;
}

/* By hand */

static void expect(const char *trace, enum model model, const char *want)
{
	struct index *index = index_of_text(trace);
	struct explore_result result = explored(index, model);
	char *got = text_of(&result), *naive = naive_atomicity(index, model, 1000000);

	tap_at("%s", trace);
	ASSERT_STR_EQ(got, want);
	ASSERT_STR_EQ(naive, want);
	free(got);
	free(naive);
	explore_result_release(&result);
	index_free(index);
}

#define IN_REGION(first, last) \
	"t1 mark atomic begin\nt1 " first "\nt1 " last "\nt1 mark atomic end\n"

TAP_CASE(there_are_five_patterns)
{
	static const char *const kinds[] = {"read x 0", "write x 0"};
	static const char *const want[] = {"", "2-5-3 ", "",	   "2-5-3 ",
					   "", "2-5-3 ", "2-5-3 ", "2-5-3 "};

	for (int i = 0; i < 8; i++) {
		char trace[200];

		snprintf(trace, sizeof(trace),
			 "t1 mark atomic begin\nt1 %s\nt1 %s\nt1 mark atomic end\nt2 %s\n",
			 kinds[i >> 2 & 1], kinds[i >> 1 & 1], kinds[i & 1]);
		expect(trace, MODEL_VALUES, want[i]);
	}
	/* both at once */
	expect(IN_REGION("rmw x 0 1", "rmw x 1 2") "t2 read x 2\n", MODEL_VALUES, "2-5-3 ");
	expect(IN_REGION("write x 1", "read x 1") "t2 rmw x 1 2\n", MODEL_VALUES, "2-5-3 ");
	/* atomic accesses are accesses */
	expect("volatile x\n" IN_REGION("read x 0 order=relaxed",
					"write x 1 order=relaxed") "t2 write x 1\n",
	       MODEL_VALUES, "2-5-3 ");
	/* and other variables are others */
	expect(IN_REGION("read x 0", "write y 1") "t2 write x 1 y 2\n", MODEL_VALUES, "");
	expect(IN_REGION("read x 0 y 0", "write y 1") "t2 write x 1 y 2\n", MODEL_VALUES, "2-5-3 ");
}

TAP_CASE(regions_begin_and_end)
{
	/* outside, on either side */
	expect("t1 read x 0\nt1 mark atomic begin\nt1 write x 1\nt1 mark atomic end\nt1 write x 2\n"
	       "t2 write x 3\n",
	       MODEL_VALUES, "");
	/* no end, another thread's, or with another word */
	expect("t1 mark atomic begin\nt1 read x 0\nt1 write x 1\nt2 write x 3\n", MODEL_VALUES, "");
	expect("t1 mark atomic begin\nt1 read x 0\nt1 write x 1\nt2 mark atomic end\nt2 write x "
	       "3\n",
	       MODEL_VALUES, "");
	expect("t1 mark atomic a begin\nt1 read x 0\nt1 write x 1\nt1 mark atomic b end\n"
	       "t2 write x 3\n",
	       MODEL_VALUES, "");
	expect("t1 mark atomic a begin\nt1 read x 0\nt1 write x 1\nt1 mark atomic a end\n"
	       "t2 write x 3\n",
	       MODEL_VALUES, "2-5-3 ");
	/* the first was left without an end: the second one begins anew */
	expect("t1 mark atomic begin\nt1 read x 0\nt1 mark atomic begin\nt1 write x 1\n"
	       "t1 write x 2\nt1 mark atomic end\nt2 write x 3\n",
	       MODEL_VALUES, "4-7-5 ");
	/* nested */
	expect("t1 mark atomic begin\nt1 read x 0\nt1 mark atomic begin\nt1 write x 1\n"
	       "t1 mark atomic end\nt1 mark atomic end\nt2 write x 3\n",
	       MODEL_VALUES, "2-7-4 ");
	/* it begins in an arm that the access is not in */
	expect("t3 write y 1\nt1 read y 1\nt1 branch if (= %2 1) scope=1\nt1 mark atomic begin\n"
	       "t1 read x 0\nt1 write x 1\nt1 mark atomic end\nt2 write x 3\n",
	       MODEL_VALUES, "");
}

TAP_CASE(locks_and_order_keep_others_away)
{
	expect("t1 mark atomic begin\nt1 acquire l\nt1 read x 0\nt1 write x 1\nt1 release l\n"
	       "t1 mark atomic end\nt2 acquire l\nt2 write x 3\nt2 release l\n",
	       MODEL_VALUES, "");
	/* two sections: between them is room */
	expect("t1 mark atomic begin\nt1 acquire l\nt1 read x 0 \nt1 release l\nt1 acquire l\n"
	       "t1 write x 1\nt1 release l\nt1 mark atomic end\nt2 acquire l\nt2 write x 3\n"
	       "t2 release l\n",
	       MODEL_VALUES, "3-10-6 ");
	expect("t1 mark atomic begin\nt1 read x 0\nt1 write x 1\nt1 mark atomic end\nt1 fork t2\n"
	       "t2 write x 3\n",
	       MODEL_VALUES, "");
}

TAP_CASE(regions_are_inferred)
{
#define TWO_SECTIONS(write)                                                                   \
	"t1 acquire l\nt1 read x 0\nt1 release l\nt1 acquire l\nt1 " write "\nt1 release l\n" \
	"t2 acquire l\nt2 write x 3 reads=\nt2 release l\n"

	expect(TWO_SECTIONS("write x 1 = (+ %2 1)"), MODEL_VALUES, "2-8-5 ");
	expect(TWO_SECTIONS("write x 1 reads=2"), MODEL_VALUES, "2-8-5 ");
	expect(TWO_SECTIONS("write x 1 reads="), MODEL_VALUES, "");
	expect(TWO_SECTIONS("write x 1"), MODEL_VALUES, ""); /* it is not known to depend on it */
	/* by the branch before it */
	expect("t1 acquire l\nt1 read x 0\nt1 release l\nt1 branch if (= %2 0)\nt1 acquire l\n"
	       "t1 write x 1 reads=\nt1 release l\nt2 acquire l\nt2 write x 3 reads=\nt2 release "
	       "l\n",
	       MODEL_VALUES, "2-9-6 ");
	/* it has looked again */
	expect("t1 acquire l\nt1 read x 0\nt1 release l\nt1 branch if (= %2 0)\nt1 acquire l\n"
	       "t1 read x 0\nt1 write x 1 reads=\nt1 release l\n"
	       "t2 acquire l\nt2 write x 3 reads=\nt2 release l\n",
	       MODEL_VALUES, "");
	/* other locks, and one section */
	expect("t1 acquire l\nt1 read x 0\nt1 release l\nt1 acquire m\nt1 write x 1 reads=2\n"
	       "t1 release m\nt2 write x 3 reads=\n",
	       MODEL_VALUES, "");
	expect("t1 acquire l\nt1 read x 0\nt1 write x 1 reads=2\nt1 release l\nt2 write x 3 "
	       "reads=\n",
	       MODEL_VALUES, "");
	/* in one function, if that is known */
	expect("t1 acquire l\nt1 read x 0 @a.c:1:get\nt1 release l\nt1 acquire l\n"
	       "t1 write x 1 reads=2 @a.c:2:set\nt1 release l\nt2 write x 3 reads= @a.c:3:f\n",
	       MODEL_VALUES, "");
	expect("t1 acquire l\nt1 read x 0 @a.c:1:both\nt1 release l\nt1 acquire l\n"
	       "t1 write x 1 reads=2 @a.c:2:both\nt1 release l\nt2 write x 3 reads= @a.c:3:f\n",
	       MODEL_VALUES, "2-7-5 ");
}

/* Random traces */

struct tally {
	uint64_t traces, compared, violations, mutants, valid;
	uint64_t asked[8], proved[8], undecided[8];
};

static char *make_trace(uint64_t seed)
{
	static const uint32_t features[] = {
		RANDOM_READS | RANDOM_EXPRS | RANDOM_ATOMIC,
		RANDOM_READS | RANDOM_EXPRS | RANDOM_SHARED | RANDOM_CONDITIONS,
		RANDOM_READS | RANDOM_AT | RANDOM_ATOMIC | RANDOM_MULTI | RANDOM_MEMORY |
			RANDOM_SEMAPHORES | RANDOM_BARRIERS | RANDOM_ALLOC | RANDOM_EXTERNAL,
		RANDOM_EXPRS | RANDOM_READS | RANDOM_ATOMIC | RANDOM_SCOPES,
	};
	uint32_t kind = seed % 4, regions = seed / 4 % 6 ? RANDOM_REGIONS : 0;
	struct random_trace knobs =
		random_trace_knobs(seed, 12 + (uint32_t)(seed / 16 % 19), features[kind]);

	knobs.features |= regions | (kind == 3 ? RANDOM_SCOPES | RANDOM_EXPRS : 0) |
			  (kind == 1 && seed % 8 == 1 ? RANDOM_LOCKY : 0) |
			  (regions ? 0 : RANDOM_READS);
	knobs.variables = 1 + seed / 8 % 2;
	if (knobs.threads > 2 && seed % 3)
		knobs.threads = 2;
	if (knobs.locks > 2)
		knobs.locks = 2;
	return random_trace_make(&knobs);
}

static bool is_certified(const char *text, const struct witness *w, struct err *err)
{
	struct reader *r = reader_open_memory(text, strlen(text), "trace", "text", err);

	ASSERT_TRUE(r != NULL);
	int good = certify(r, w, err);

	ASSERT_TRUE(good >= 0);
	reader_close(r);
	return good;
}

static void expect_certified(const char *text, const struct witness *w, const char *who)
{
	struct err err = {0};

	if (!is_certified(text, w, &err))
		FAIL("%s, model %s: rejected: %s", who, model_text[w->model], err.message);
}

static void mutate(struct random *r, const struct index *index, struct witness *w)
{
	uint32_t n = (uint32_t)w->run.n, i = n ? random_below(r, n) : 0;
	uint64_t any = 1 + random_below(r, index->count);

	switch (random_below(r, n > 1 ? 6 : 2)) {
	case 0: w->bug_events.at[random_below(r, 3)] = any; break;
	case 1: w->model = random_below(r, MODEL_COUNT); break;
	case 2:
		memmove(w->run.at + i, w->run.at + i + 1, (n - i - 1) * sizeof(*w->run.at));
		w->run.n--;
		break;
	case 3:
		i = random_below(r, n - 1);
		any = w->run.at[i];
		w->run.at[i] = w->run.at[i + 1];
		w->run.at[i + 1] = any;
		break;
	case 4: w->run.at[i] = any; break;
	case 5: w->run.n = i; break;
	}
}

/* The engine's own steps, the run and the certifier are of one mind. */
static void compare_mutants(const char *text, const struct index *index, const struct witness *w,
			    struct random *r, struct tally *t)
{
	for (int i = 0; i < 4; i++) {
		struct witness mutant = {0};
		struct err err = {0};

		witness_copy(&mutant, w);
		for (int k = (int)random_below(r, 2); k >= 0; k--)
			mutate(r, index, &mutant);
		struct run *run = run_new(index, mutant.model);
		bool good = is_certified(text, &mutant, &err);

		if (good != explore_accepts(index, &mutant) || good != run_accepts(run, &mutant))
			FAIL("the certifier says %s", good ? "yes" : err.message);
		t->mutants++;
		t->valid += good;
		run_free(run);
		witness_release(&mutant);
	}
}

static void check_minimised(const char *text, const struct index *index, const struct witness *w)
{
	struct minimiser *m = minimiser_new(index, w->model, 1);
	struct witness small = {0};

	witness_copy(&small, w);
	minimise(m, &small);
	expect_certified(text, &small, "minimise");
	ASSERT_TRUE(witness_length(&small) <= witness_length(w));
	witness_release(&small);
	minimiser_free(m);
}

static bool is_among(const struct explore_result *all, const uint32_t *events)
{
	for (size_t i = 0; i < all->bugs[BUG_ATOMICITY].n; i++) {
		const uint64_t *e = all->bugs[BUG_ATOMICITY].at[i].witness.bug_events.at;

		if (e[0] == events[0] && e[1] == events[1] && e[2] == events[2])
			return true;
	}
	return false;
}

static void ask(const char *text, struct engine *e, const uint32_t *events, bool is, bool decides,
		size_t number, struct tally *t)
{
	struct query q = {BUG_ATOMICITY, 3, events};
	struct witness w;
	enum answer answer = engine_ask(e, &q, &w);

	t->asked[number]++;
	t->proved[number] += answer == PROVED;
	t->undecided[number] += answer == UNDECIDED;
	if (answer == UNDECIDED ? decides : answer != (is ? PROVED : REFUTED))
		FAIL("%s, model %s: %s of %u-%u-%u, which is %s one: %s", e->kind->name,
		     model_text[e->options.model], engine_answer_text[answer], events[0], events[1],
		     events[2], is ? "" : "not", e->why.message);
	if (answer == PROVED)
		expect_certified(text, &w, e->kind->name);
	witness_release(&w);
}

/* Of how many traces slow engines see one. */
static uint64_t slow_part(const struct engine_kind *kind)
{
	return (kind == &engine_z3 ? 20 : 100) * (getenv("SOAK") ? 20 : 1);
}

static void compare_engines(const char *text, const struct index *index, enum model model,
			    const struct explore_result *all, uint64_t seed, struct tally *t)
{
	struct engine_options options = {.model = model,
					 .budget = {.bytes = (uint64_t)1 << 30},
					 .command = "cvc5 --lang smt2 --produce-models"};
	struct err err = {0};

	for (size_t i = 0; i <= engine_kind_count; i++) {
		bool in_parts = i == engine_kind_count;
		const struct engine_kind *kind = in_parts ? &engine_solver : engine_kinds[i];
		bool slow = !strcmp(kind->name, "z3") || !strcmp(kind->name, "smt");

		if (slow && seed % slow_part(kind) && !getenv("SEED"))
			continue;
		options.cone = in_parts ? 3 + index->count * 2 / 3 : 0;
		options.budget.seconds = slow ? 1 : 0;
		struct engine *e = engine_start(kind, index, &options, &err);

		ASSERT_TRUE(e != NULL);
		for (uint32_t a = 1; a <= index->count; a++)
			for (uint32_t b = a + 1; b <= index->count; b++)
				for (uint32_t r = 1; r <= index->count; r++) {
					uint32_t events[3] = {a, r, b};

					if (regions_unserialisable(index, a, r, b) &&
					    regions_violated(index, a, r, b))
						ask(text, e, events, is_among(all, events),
						    !slow && !in_parts && kind != &engine_greedy, i,
						    t);
				}
		engine_finish(e);
	}
}

static void compare(const char *text, const struct index *index, enum model model, uint64_t seed,
		    struct tally *t)
{
	const struct explore_limits limits = {.bytes = (uint64_t)256 << 20, .states = 50000};
	struct random r = random_seeded(seed);
	struct explore_result all;
	struct err err = {0};

	if (explore(index, model, &limits, &all, &err) < 0)
		return;
	char *got = text_of(&all), *naive = naive_atomicity(index, model, EXECUTIONS_MOST);

	t->compared += naive != NULL;
	if (naive)
		ASSERT_STR_EQ(got, naive);
	for (size_t i = 0; i < all.bugs[BUG_ATOMICITY].n; i++) {
		const struct witness *w = &all.bugs[BUG_ATOMICITY].at[i].witness;

		expect_certified(text, w, "explore");
		ASSERT_TRUE(explore_accepts(index, w));
		compare_mutants(text, index, w, &r, t);
		check_minimised(text, index, w);
	}
	t->violations += all.bugs[BUG_ATOMICITY].n;
	compare_engines(text, index, model, &all, seed, t);
	free(got);
	free(naive);
	explore_result_release(&all);
}

TAP_CASE(random_traces)
{
	const char *soak = getenv("SOAK"), *only = getenv("SEED");
	uint64_t count = soak ? strtoull(soak, NULL, 10) : TRACES;
	uint64_t first = only ? strtoull(only, NULL, 10) : 0;
	struct tally t = {0};

	if (soak)
		alarm(0);
	for (uint64_t seed = first; seed < (only ? first + 1 : count); seed++) {
		char *text = make_trace(seed);
		struct index *index = index_of_text(text);

		tap_at("SEED=%llu, the trace:\n%s", (unsigned long long)seed, text);
		t.traces++;
		for (int model = 0; model < MODEL_COUNT; model++)
			compare(text, index, model, seed, &t);
		index_free(index);
		free(text);
	}
	tap_note("%llu traces, %llu times brute force, %llu violations; %llu mutants, %llu valid",
		 (unsigned long long)t.traces, (unsigned long long)t.compared,
		 (unsigned long long)t.violations, (unsigned long long)t.mutants,
		 (unsigned long long)t.valid);
	for (size_t i = 0; i <= engine_kind_count; i++)
		tap_note("%s: %llu asked, %llu proved, %llu undecided",
			 i < engine_kind_count ? engine_kinds[i]->name : "solver in parts",
			 (unsigned long long)t.asked[i], (unsigned long long)t.proved[i],
			 (unsigned long long)t.undecided[i]);
	if (!only)
		ASSERT_TRUE(t.violations > t.traces && t.compared > t.traces);
}
