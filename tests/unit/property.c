/* SPDX-License-Identifier: MIT */
/*
 * Properties: random specifications on random traces, the engine against brute force
 * (tests/support/naive_property.h), and what the certifier says of its witnesses, right and
 * changed. SOAK=10000: so many.
 */
#include "property/property.h"
#include "search/explore/stuck.h"
#include "search/engine.h"
#include "search/monitor/product.h"
#include "search/monitor/words.h"
#include "search/solver/slice.h"
#include "search/run.h"
#include "tests/support/explored.h"
#include "tests/support/naive_property.h"
#include "tests/support/random.h"
#include "tests/support/random_trace.h"
#include "tests/support/stuck_trace.h"
#include "tests/support/tap.h"
#include "witness/certify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t rounds(uint64_t usual)
{
	const char *soak = getenv("SOAK");

	return soak ? strtoull(soak, NULL, 10) : TAP_PART(usual);
}

/* A file for the script: the certifier reads it. */
static const char *script_file(const char *text)
{
	static char path[300];
	const char *build = getenv("BUILD");
	FILE *out;

	snprintf(path, sizeof(path), "%s/tests/property-%d.csp", build ? build : "build",
		 (int)getpid());
	out = fopen(path, "w");
	ASSERT_TRUE(out && fputs(text, out) >= 0 && !fclose(out));
	return path;
}

/* Marks a (no field), b (0 or 1) and c (a word), whatever they were. */
static char *with_marks(struct random *r, const char *trace)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (const char *line = trace; *line;) {
		size_t length = strcspn(line, "\n") + 1;
		const char *mark = strstr(line, " mark ");

		if (!mark || mark > line + length) {
			fprintf(out, "%.*s", (int)length, line);
		} else {
			static const char *const marks[] = {"a",   "a",	  "b 0", "b 1",
							    "b 1", "c x", "c y"};

			fprintf(out, "%.*s mark %s\n", (int)(mark - line), line,
				marks[random_below(r, 7)]);
		}
		line += length;
	}
	fclose(out);
	return text;
}

struct random_script {
	struct random *r;
	bool has[3];   /* a, b, c happen */
	bool value[4]; /* b 0, b 1, c x, c y */
	bool absent;   /* b 7, too, which no trace has: in specifications */
	FILE *out;
};

/* One event that the trace has, of any thread or of one; false: none. */
static bool put_letter(struct random_script *s)
{
	if (s->absent && (s->value[0] || s->value[1]) && random_percent(s->r, 6)) {
		fputs(random_percent(s->r, 30) ? "b.0.7" : "b?t!7", s->out);
		return true;
	}
	uint32_t which = random_below(s->r, 5);
	static const char *const names[] = {"a", "b", "b", "c", "c"};
	static const char *const values[] = {"", "0", "1", "x", "y"};
	bool there = which ? s->value[which - 1] : s->has[0];

	if (!there)
		return false;
	if (random_percent(s->r, 30))
		fprintf(s->out, "%s.0", names[which]);
	else
		fprintf(s->out, "%s?t", names[which]);
	if (which)
		fprintf(s->out, "!%s", values[which]);
	return true;
}

static bool put_some_letter(struct random_script *s)
{
	for (int i = 0; i < 20; i++)
		if (put_letter(s))
			return true;
	return false;
}

/* P0 … : each state a choice of some letters. */
static void put_automaton(struct random_script *s, char name)
{
	uint32_t states = 1 + random_below(s->r, 3);

	for (uint32_t i = 0; i < states; i++) {
		uint32_t choices = random_below(s->r, 6);

		fprintf(s->out, "%c%u = STOP", name, i);
		for (uint32_t k = 0; k < choices; k++) {
			fputs(" [] ", s->out);
			if (put_some_letter(s))
				fprintf(s->out, " -> %c%u", name, random_below(s->r, states));
			else
				fputs("STOP", s->out);
		}
		fputc('\n', s->out);
	}
}

static void put_marks(struct random_script *s)
{
	bool any = false;

	fputs("marks = {|", s->out);
	for (int i = 0; i < 3; i++)
		if (s->has[i] && random_percent(s->r, 80)) {
			fprintf(s->out, "%s%c", any ? ", " : "", "abc"[i]);
			any = true;
		}
	fputs(any ? "|}\n" : "endthreads|}\n", s->out);
}

static const char *const contexts[] = {
	"PROGRAM |\\ marks",
	"PROGRAM |\\ marks",
	"(PROGRAM [| marks |] Q0) |\\ marks",
	"(PROGRAM |\\ marks) ||| Q0",
	"(PROGRAM |\\ marks) /\\ Q0",
	"(PROGRAM |\\ marks) [| marks |> Q0",
	"((PROGRAM |\\ marks) |~| Q0)",
	"((PROGRAM |\\ marks) [] Q0)",
	"(Q0 ; PROGRAM) |\\ marks",
	"(PROGRAM [| {endthreads} |> Q0) |\\ marks",
	"PROGRAM |\\ union(marks, {endthreads})",
	"PROGRAM |\\ union(marks, {|lock, unlock|})",
	"PROGRAM \\ diff(Events, marks)",
	"(PROGRAM [[ e <- endthreads | e <- marks ]]) |\\ {endthreads}",
};

/* Some are parts in parallel, of which some can be asked one by one. */
static const char *const specifications[] = {
	"P0",
	"P0",
	"P0 ||| R0",
	"P0 [| marks |] R0",
	"(P0 \\ aa) [| marks |] R0",
	"(P0 |\\ inter(marks, aa)) ||| (R0 \\ aa)",
	"(P0 [| marks |] R0) [| marks |] (Q0 ||| STOP)",
};

#define SPECIFICATIONS (sizeof(specifications) / sizeof(*specifications))

#define CONTEXTS (sizeof(contexts) / sizeof(*contexts))

static char *random_script_make(struct random *r, const char *trace, const char *model)
{
	char *text;
	size_t size;
	struct random_script s = {.r = r,
				  .has = {strstr(trace, "mark a\n"), strstr(trace, "mark b"),
					  strstr(trace, "mark c")},
				  .value = {strstr(trace, "mark b 0"), strstr(trace, "mark b 1"),
					    strstr(trace, "mark c x"), strstr(trace, "mark c y")},
				  .absent = *model == 'T',
				  .out = open_memstream(&text, &size)};
	uint32_t context = random_below(r, CONTEXTS + 1);

	put_automaton(&s, 'P');
	put_automaton(&s, 'R');
	s.absent = false;
	put_automaton(&s, 'Q');
	put_marks(&s);
	fprintf(s.out, "aa = %s\n", s.has[0] ? "{|a|}" : "{}");
	if (context < CONTEXTS) {
		fprintf(s.out, "assert %s [%s= %s\n",
			specifications[random_below(r, SPECIFICATIONS)], model, contexts[context]);
	} else {
		fputs("ERR = ", s.out);
		for (int i = 0; i < 2 && put_some_letter(&s); i++)
			fputs(" -> ", s.out);
		fprintf(s.out,
			"SKIP\nassert STOP [%s= (PROGRAM [| marks |] WD(ERR, marks)) |\\ {error}\n",
			model);
	}
	fclose(s.out);
	return text;
}

/* One random question. */
struct question {
	char *trace, *script;
	struct index *index;
	struct properties *all;
	struct monitor *monitor;
	enum model model;
};

static void question_release(struct question *q)
{
	properties_free(q->all);
	index_free(q->index);
	free(q->trace);
	free(q->script);
}

static bool question_make(struct question *q, uint64_t seed, const char *model, uint32_t features)
{
	struct random r = random_seeded(seed);
	struct random_trace knobs = random_trace_knobs(seed, 6 + random_below(&r, 10), features);
	struct err err = {0};

	memset(q, 0, sizeof(*q));
	knobs.features |= RANDOM_MARKS;
	char *plain = random_trace_make(&knobs);

	q->trace = with_marks(&r, plain);
	free(plain);
	q->model =
		random_percent(&r, 70) ? MODEL_VALUES : (enum model)random_below(&r, MODEL_COUNT);
	q->script = random_script_make(&r, q->trace, model);
	tap_at("seed %llu, model %s\n%s\n%s", (unsigned long long)seed, model_text[q->model],
	       q->trace, q->script);
	if (!strstr(q->trace, " mark "))
		return false;
	q->index = index_of_text(q->trace);
	q->all = properties_new(q->index, 0, &err);
	if (!q->all || properties_add(q->all, script_file(q->script), &err) < 0) {
		/* a context may be the same with PROGRAM or without it */
		if (strstr(err.message, "does not speak of PROGRAM"))
			return false;
		FAIL("%s", err.message);
	}
	q->monitor = properties_at(q->all, 0)->monitor;
	return true;
}

/* The engine; or, if all, without reduction and without parts. */
static enum answer ask(const struct question *q, bool all, struct witness *w)
{
	const struct product_options product = {.all = true};
	const struct engine_options options = {.model = q->model, .monitor = q->monitor};
	struct err err = {0};
	struct engine *e = engine_start(&engine_monitor, q->index, &options, &err);
	enum answer answer;

	if (all) {
		memset(w, 0, sizeof(*w));
		answer = product_search(q->index, q->model, q->monitor, &product, w, &err);
	} else {
		answer = engine_ask(e, &(struct query){.bug = BUG_PROPERTY}, w);
		err = e->why;
	}
	engine_finish(e);
	if (answer == UNDECIDED)
		FAIL("%s", err.message);
	if (answer == PROVED)
		witness_set_breaks(w, properties_at(q->all, 0)->script, 0);
	return answer;
}

/* By the orders of what is heard, and the solver: the same answer. */
static enum answer ask_words(const struct question *q, bool at_once, struct witness *w)
{
	const struct engine_options options = {.model = q->model};
	struct err err = {0};
	struct needs *needs = needs_new(q->index);
	struct past *past = past_new(q->index, needs);
	struct words_options words = {.order =
					      engine_start(&engine_order, q->index, &options, &err),
				      .past = past,
				      .asked_most = 400,
				      .model = q->model};

	words.order->options.monitor = q->monitor;
	words.realiser =
		at_once ? realiser_new(q->index, q->model, &(struct realise_limits){64, 1000000})
			: NULL;
	memset(w, 0, sizeof(*w));
	enum answer answer = words_search(q->index, q->monitor, &words, w, &err);

	engine_finish(words.order);
	realiser_free(words.realiser);
	past_free(past);
	needs_free(needs);
	return answer;
}

/* Where the monitor is after the run, as far as it can be run. */
static bool comes_to_bad(const struct question *q, const struct witness *w)
{
	struct run *run = run_new(q->index, q->model);
	uint32_t state = monitor_start(q->monitor);
	struct err err = {0};
	bool good = true;

	for (size_t i = 0; good && i < w->run.n && state != MONITOR_BAD; i++)
		good = run_step(run, (uint32_t)w->run.at[i], NULL) &&
		       !monitor_after(q->monitor, state, (uint32_t)w->run.at[i], &state, &err);
	run_free(run);
	return good && state == MONITOR_BAD;
}

static int certified(const struct question *q, const struct witness *w, struct err *err)
{
	struct reader *r = reader_open_memory(q->trace, strlen(q->trace), "trace", "text", err);
	int good = certify(r, w, err);

	reader_close(r);
	return good;
}

/* Whether some execution breaks it at all, whatever stands in the witness. */
static bool is_broken(const struct question *q, const struct witness *w)
{
	struct witness end = {0};
	struct run *run = run_new(q->index, q->model);
	bool broken = false;

	witness_copy(&end, w);
	end.rest.n = 0;
	for (size_t n = w->run.n + 1; !broken && n-- > 0;) {
		end.run.n = n;
		end.bug_events.n = 0;
		broken = run_accepts(run, &end);
		if (!broken && n) {
			vec_push(&end.bug_events, end.run.at[n - 1]);
			broken = run_accepts(run, &end);
		}
	}
	run_free(run);
	witness_release(&end);
	return broken;
}

static void change(struct random *r, struct witness *w)
{
	size_t n = w->run.n;

	switch (random_below(r, 5)) {
	case 0:
		if (n)
			w->run.n--;
		break;
	case 1:
		if (n > 1) {
			size_t i = random_below(r, (uint32_t)n - 1);
			uint64_t event = w->run.at[i];

			w->run.at[i] = w->run.at[i + 1];
			w->run.at[i + 1] = event;
		}
		break;
	case 2:
		if (n)
			w->run.at[random_below(r, (uint32_t)n)] = 1 + random_below(r, 24);
		break;
	case 3:
		if (w->bug_events.n)
			w->bug_events.at[0] = 1 + random_below(r, 24);
		break;
	default:
		if (n) {
			size_t i = random_below(r, (uint32_t)n);

			memmove(w->run.at + i, w->run.at + i + 1, (n - 1 - i) * sizeof(*w->run.at));
			w->run.n--;
		}
	}
	if (w->bug_events.n && w->run.n && random_percent(r, 50))
		w->bug_events.at[0] = w->run.at[w->run.n - 1];
}

struct tally {
	uint64_t asked, proved, changed, rejected, too_many, by_words;
};

static void compare_words(const struct question *q, enum answer want, struct tally *tally)
{
	struct witness w;

	if (q->model == MODEL_SAID || monitor_minds_stuck(q->monitor))
		return;
	for (int at_once = 0; at_once < 2; at_once++) {
		enum answer answer = ask_words(q, at_once, &w);

		tally->by_words += at_once && answer != UNDECIDED;
		if (answer == PROVED)
			ASSERT_TRUE(comes_to_bad(q, &w));
		if (answer != UNDECIDED)
			ASSERT_EQ(answer, want);
		witness_release(&w);
	}
}

/* What is right stays so; what is wrong is rejected. Model said has a rest, which is no run. */
static void try_changes(const struct question *q, const struct witness *w, uint64_t seed,
			struct tally *tally)
{
	struct random r = random_seeded(seed);
	struct run *run = run_new(q->index, q->model);

	for (int i = 0; i < 6 && q->model != MODEL_SAID; i++) {
		struct witness other = {0};
		struct err err = {0};

		witness_copy(&other, w);
		change(&r, &other);
		int good = certified(q, &other, &err);

		tally->changed++;
		tally->rejected += good <= 0;
		if (run_accepts(run, &other) && good <= 0)
			FAIL("the certifier rejects what is right: %s", err.message);
		if (good > 0 && !is_broken(q, &other))
			FAIL("the certifier accepts what is wrong");
		witness_release(&other);
	}
	run_free(run);
}

static void check_proved(const struct question *q, const struct witness *w, uint64_t seed,
			 struct tally *tally)
{
	struct run *run = run_new(q->index, q->model);
	struct err err = {0};

	tally->proved++;
	ASSERT_TRUE(run_accepts(run, w));
	run_free(run);
	if (certified(q, w, &err) <= 0)
		FAIL("the certifier rejects the witness: %s", err.message);
	if (seed % 4 == 0)
		try_changes(q, w, seed, tally);
}

#define ALL_FEATURES \
	(RANDOM_EVERYTHING & ~(uint32_t)(RANDOM_SPELLING | RANDOM_META | RANDOM_LOCATIONS))

TAP_CASE(the_engine_agrees_with_brute_force)
{
	struct tally tally = {0};

	for (uint64_t seed = 0; seed < rounds(2000); seed++) {
		struct question q;

		if (question_make(&q, seed, "T", ALL_FEATURES)) {
			int want = naive_property(q.index, q.model, q.all, q.script, 5000);
			struct witness w;
			enum answer answer = ask(&q, false, &w);

			tally.asked++;
			tally.too_many += want < 0;
			if (want >= 0)
				ASSERT_EQ(answer == PROVED, want);
			compare_words(&q, answer, &tally);
			if (answer == PROVED)
				check_proved(&q, &w, seed, &tally);
			witness_release(&w);
		}
		question_release(&q);
	}
	tap_note("%llu asked, %llu proved, %llu by words, %llu too large; %llu witnesses changed, "
		 "%llu rejected",
		 (unsigned long long)tally.asked, (unsigned long long)tally.proved,
		 (unsigned long long)tally.by_words, (unsigned long long)tally.too_many,
		 (unsigned long long)tally.changed, (unsigned long long)tally.rejected);
	ASSERT_TRUE(tally.proved > tally.asked / 4 && tally.proved < tally.asked * 9 / 10);
	ASSERT_TRUE(tally.by_words > tally.asked / 2);
	ASSERT_TRUE(tally.rejected > tally.changed / 4 && tally.rejected < tally.changed);
}

TAP_CASE(reduction_loses_nothing_and_refusals_are_certified)
{
	struct tally tally = {0};

	for (uint64_t seed = 0; seed < rounds(2000); seed++) {
		struct question q;

		if (question_make(&q, 5000000 + seed, "F",
				  seed % 2
					  ? ALL_FEATURES
					  : RANDOM_CONDITIONS | RANDOM_SEMAPHORES | RANDOM_LOCKY)) {
			struct witness w, other;
			enum answer answer = ask(&q, false, &w), all = ask(&q, true, &other);

			tally.asked++;
			ASSERT_EQ(answer, all);
			if (answer == PROVED)
				check_proved(&q, &w, seed, &tally);
			witness_release(&w);
			witness_release(&other);
		}
		question_release(&q);
	}
	tap_note("%llu asked, %llu proved", (unsigned long long)tally.asked,
		 (unsigned long long)tally.proved);
	ASSERT_TRUE(tally.proved > tally.asked / 8);
}

/* Deadlock freedom of the program is that nothing is stuck. */
TAP_CASE(deadlock_freedom_is_that_nothing_is_stuck)
{
	uint64_t stuck_count = 0;

	for (uint64_t seed = 0; seed < rounds(1500); seed++) {
		struct question q = {.trace = stuck_trace_make(seed), .model = MODEL_VALUES};
		struct stuck_options options = {.first = true};
		struct stuck_result stuck;
		struct err err = {0};
		struct witness w;

		tap_at("seed %llu\n%s", (unsigned long long)seed, q.trace);
		q.index = index_of_text(q.trace);
		q.all = properties_new(q.index, 0, &err);
		if (!q.all) { /* marks with different fields */
			question_release(&q);
			continue;
		}
		ASSERT_EQ(properties_add(q.all, script_file("assert PROGRAM :[deadlock free]\n"),
					 &err),
			  0);
		q.monitor = properties_at(q.all, 0)->monitor;
		ASSERT_EQ(stuck_explore(q.index, q.model, &options, &stuck, &err), 0);
		ASSERT_EQ(ask(&q, false, &w) == PROVED, stuck.found.n > 0);
		stuck_count += stuck.found.n > 0;
		if (stuck.found.n)
			ASSERT_EQ(certified(&q, &w, &err), 1);
		stuck_result_release(&stuck);
		witness_release(&w);
		question_release(&q);
	}
	ASSERT_TRUE(stuck_count > 10);
}

/* Slices */

struct sliced {
	const struct question *q;
	struct run *run;
	const bool *in;
	uint64_t left, dropped;
};

/* An execution without what is not in the slice is one, too. */
static bool check_sliced(void *context, const uint32_t *events, size_t n)
{
	struct sliced *s = context;

	run_reset(s->run);
	for (size_t i = 0; i < n; i++) {
		struct run_fault fault;

		s->dropped += !s->in[events[i]];
		ASSERT_TRUE(s->in[events[i]] || !monitor_hears(s->q->monitor, events[i]));
		if (s->in[events[i]] && !run_step(s->run, events[i], &fault))
			FAIL("event %u cannot happen without the others: %s", events[i],
			     run_fault_text[fault.kind]);
	}
	return --s->left > 0;
}

/* All that is heard of an execution is then heard of one within the slice: the same answer. */
TAP_CASE(what_is_not_in_the_slice_does_not_matter)
{
	const struct explore_limits limits = {.bytes = (uint64_t)256 << 20};
	uint64_t asked = 0, dropped = 0;

	for (uint64_t seed = 0; seed < rounds(1500); seed++) {
		struct question q;

		if (question_make(&q, 9000000 + seed, "T", ALL_FEATURES) && q.model != MODEL_SAID) {
			bool *in = mem_alloc_zero((size_t)q.index->count + 1, sizeof(*in));
			struct sliced s = {&q, run_new(q.index, q.model), in, 2000, 0};
			struct err err = {0};

			slice_add(q.index, q.model, q.monitor, in);
			ASSERT_EQ(explore_list(q.index, q.model, &limits, check_sliced, &s, &err),
				  0);
			asked++;
			dropped += s.dropped > 0;
			run_free(s.run);
			mem_free(in);
		}
		question_release(&q);
	}
	tap_note("%llu asked, %llu smaller", (unsigned long long)asked,
		 (unsigned long long)dropped);
	ASSERT_TRUE(asked > rounds(1500) / 10 && dropped > asked / 10);
}
