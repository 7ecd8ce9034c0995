/* SPDX-License-Identifier: MIT */
/*
 * The certifier and the exhaustive engine, written apart, check each other: every witness that
 * the engine finds is certified, mutated ones are judged alike, and both count the same
 * executions.
 */
#include "witness/certify.h"

#include "search/explore/explore.h"
#include "tests/support/random.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"

#include <stdlib.h>
#include <string.h>

static const struct explore_limits limits = {.states = 20000, .bytes = (uint64_t)200 << 20};

static struct reader *open_text(const char *text)
{
	struct err err;
	struct reader *r = reader_open_memory(text, strlen(text), "trace", "text", &err);

	if (!r)
		FAIL("%s", err.message);
	return r;
}

static struct index *index_text(const char *text)
{
	struct err err;
	struct index *index = index_new(open_text(text), &err);

	if (!index)
		FAIL("%s", err.message);
	return index;
}

/* Of the trace that was asked about last: it judges one witness after the other, right or wrong. */
static struct certifier *kept_certifier(const char *text)
{
	static struct certifier *certifier;
	static struct reader *reader;
	static char *of;
	struct err err;

	if (of && !strcmp(of, text))
		return certifier;
	certifier_free(certifier);
	reader_close(reader);
	free(of);
	of = strdup(text);
	reader = open_text(text);
	certifier = certifier_new_marked(reader, 1 + (uint32_t)strlen(text) % 5, &err);
	if (!certifier)
		FAIL("%s", err.message);
	return certifier;
}

/* By one that reads the trace for this witness alone, and by one that keeps it: they agree. */
static bool is_certified(const char *text, const struct witness *w, struct err *err)
{
	struct reader *r = open_text(text);
	struct err kept = {0};

	err->message[0] = '\0';
	int got = certify(r, w, err);

	reader_close(r);
	if (got < 0)
		FAIL("%s", err->message);
	if (!got && !err->message[0])
		FAIL("rejected without a reason");
	ASSERT_EQ(certifier_judge(kept_certifier(text), w, &kept), got);
	if (!got)
		ASSERT_STR_EQ(kept.message, err->message);
	/* what is as recorded may be said in one number, and then starts at a mark */
	struct witness folded = {0};

	witness_copy(&folded, w);
	witness_fold(&folded);
	kept.message[0] = '\0';
	ASSERT_EQ(certifier_judge(kept_certifier(text), &folded, &kept), got);
	if (!got)
		ASSERT_STR_EQ(kept.message, err->message);
	r = open_text(text);
	ASSERT_EQ(certify(r, &folded, &kept), got);
	reader_close(r);
	witness_release(&folded);
	return got;
}

static struct witness parse_witness(const char *text)
{
	struct input *in = input_open_memory(text, strlen(text), "witness");
	struct witness w;
	struct err err;

	if (witness_read(&w, in, &err) < 0)
		FAIL("%s", err.message);
	input_close(in);
	return w;
}

/* For messages. */
static const char *witness_text(const struct witness *w)
{
	static char *text;
	struct memory_output m;

	witness_write(w, memory_output_open(&m));
	free(text);
	text = memory_output_take(&m).at;
	return text;
}

/* By hand: what the certifier says, and the word that a rejection must hold (NULL: certified). */

static const char racy[] = "t1 fork t2\nt1 acquire l\nt1 write x 1\nt1 write y 1\nt1 release l\n"
			   "t2 begin\nt2 acquire l\nt2 read y 1\nt2 release l\nt2 read x 1\n"
			   "t2 branch\nt2 write z 1\nt2 end\nt1 join t2\nt1 read z 1\nt1 branch\n";
static const char locks[] = "t1 fork t2\nt2 begin\nt2 acquire m\nt2 acquire p\nt2 release p\n"
			    "t2 release m\nt1 acquire p\nt1 acquire m\nt1 release m\nt1 release p\n"
			    "t2 end\nt1 join t2\nt1 end\n";
static const char marks[] = "a mark m 1\na write x 1\nb read x 1\nb branch\nb mark m 2\n"
			    "c mark m 3\n";
static const char childless[] = "a fork b\nc join b\nc mark m\n"; /* b has no events */
static const char atomics[] = "volatile v\na write v 1\nb rmw v 1 2\nc free v\n";
/* 4 reads the same whatever 2 reads, if b has a byte: 512 in place of 256 */
static const char byte[] = "memory b m 0 1\ninit b 7\nt1 write k 1\nt2 read k 1\n"
			   "t2 write b 0 = (- 512 (* 256 %2))\nt3 read b 0\nt3 branch\n"
			   "t3 mark m\n";
static const char word[] = "init b 7\nt1 write k 1\nt2 read k 1\n"
			   "t2 write b 256 = (- 512 (* 256 %2))\nt3 read b 256\nt3 branch\n"
			   "t3 mark m\n";
/* hi alone decides that the whole is above 2^32 */
static const char apart[] = "memory lo m 0 1\nmemory hi m 4 1\nt1 write hi 1\nt1 write lo 5\n"
			    "t2 read lo 5 hi 1\nt2 branch if (> %3 4294967295)\nt2 mark m\n";

/* t2 goes past its arm if it has not read 1 */
static const char arm[] = "t1 write x 1\nt1 write k 1\nt2 read k 1\n"
			  "t2 branch if (= %3 1) scope=2\nt2 read y 0\nt2 write z 1\n"
			  "t2 write x 2 reads=\nt2 branch reads=5\nt2 mark m\n";

static const struct {
	const char *trace, *witness, *word;
} rows[] = {
	{arm, "model values\nbug race 1 7\nrun 3 4\n", NULL},
	{arm, "model maximal\nbug race 1 7\nrun 3 4\n", "event 4"},
	{arm, "model values\nbug race 1 7\nrun 3 4 5 6\n", "event 5"}, /* it does skip */
	{arm, "model values\nbug race 1 7\nrun 3\n", "next"},
	{arm, "model values\nbug property 9\nrun 1 2 3 4 5 6 7 8 9\n", NULL},
	{arm, "model values\nbug property\nrun 1 2 3 4 7\n", "event 7"}, /* it does not */
	{arm, "model values\nbug property\nrun 1 3 4 7\n", NULL},
	{arm, "model values\nbug property\nrun 1 3 4 7 8\n", "event 8"},
	{arm, "model values\nbug property\nrun 3 4 5\n", "twice"},
	{racy, "model maximal\nbug race 3 10\nrun 1 6 7 8 9 2\n", NULL},
	{racy, "model values\nbug race 3 10\nrun 1 6 7 8 9 2\n", NULL},
	{racy, "model maximal\nbug race 10 3\nrun 1 6 7\nrun 8 9 2\n", NULL},
	{racy, "model mcm\nbug race 3 10\nrun 1 6 7 8 9 2\n", "read"},
	{racy, "model predictable\nbug race 3 10\nrun 1 6 7 8 9 2\n", NULL},
	{racy, "model maximal\nbug race 12 15\nrun 1 6 7 8 9 2\n", "next"},
	{racy, "model maximal\nbug race 3 9\nrun 1 6 7 8 2\n", "held"},
	{racy, "model maximal\nbug race 2 10\nrun 1 6 7 8 9\n", "conflict"},
	{racy, "model maximal\nbug race 3 10\nrun 6 7 8 9 1 2\n", "fork"},
	{racy, "model maximal\nbug race 3 10\nrun 1 6 7 9 8 2\n", "event 9"},
	{racy, "model maximal\nbug race 3 10\nrun 1 6 7 8 2 9\n", "event 2"},
	{racy, "model maximal\nbug race 3 10\nrun 1 6 7 8 9 2 2\n", "twice"},
	{racy, "model maximal\nbug race 3 10\nrun 1 6 7 8 9 2 17\n", "17"},
	{racy, "model maximal\nbug race 3 10\nrun 1 6 7 8 9 2\nrest 3\n", "rest"},
	{racy, "model maximal\nbug race 10 4\nrun 1 6 7 8 9 2 3\n", "conflict"},
	{racy, "model maximal\nbug race 11 3\nrun 1 6 7 8 9 10 2\n", "event 11"},
	{racy, "model said\nbug race 3 10\nrun 1 2\n", ""},
	{racy, "model maximal\nbug stuck\nrun 1 6 7 8 9 2\n", "wait"},
	{locks, "model maximal\nbug deadlock 4 8\nrun 1 2 3 7\n", NULL},
	{locks, "model said\nbug deadlock 4 8\nrun 1 2 3 7\n", ""},
	{locks, "model mcm\nbug deadlock 8 4\nrun 1 7 2 3\n", NULL},
	{locks, "model maximal\nbug deadlock 4 4\nrun 1 2 3 7\n", ""},
	{locks, "model maximal\nbug deadlock 4 7\nrun 1 2 3\n", ""},
	{locks, "model maximal\nbug deadlock 4 8\nrun 1 2 3\n", ""},
	{locks, "model maximal\nbug stuck\nrun 1 2 3 7\n", NULL},
	{locks, "model maximal\nbug stuck\nrun 1 2 3\n", ""},
	{locks, "model maximal\nbug stuck\nrun 1 2 3 4 5 6 7 8 9 10 11 12 13\n", "ended"},
	/* whose record stops before an end may do anything */
	{"a acquire l\na read x 0\nb begin\nb try-fail l\n",
	 "model values\nbug stuck\nrun 1 2 3 4\n", "recorded"},
	{marks, "model maximal\nbug property 6 1\nrun 6 1\n", NULL},
	{marks, "model maximal\nbug property 1 5\nrun 1 2 3 4 5\n", NULL},
	{marks, "model maximal\nbug property\nrun\n", NULL},
	{marks, "model maximal\nbug property\nrun 3\n", NULL},
	{marks, "model maximal\nbug property 1 6\nrun 6 1\n", "list"},
	{marks, "model maximal\nbug property 6\nrun 6 1\n", "list"},
	{marks, "model maximal\nbug property 6 1 5\nrun 6 1\n", "5"},
	{marks, "model maximal\nbug property 5 1\nrun 3 4 5 1\n", "event 4"},
	{marks, "model maximal\nbug property 2\nrun 1 2\n", "list"},
	{childless, "model values\nbug property 3\nrun 1 2 3\n", NULL},
	{childless, "model values\nbug property 3\nrun 2 3\n", "event 2"},
	{atomics, "model values\nbug race 1 3\nrun\n", NULL},
	{atomics, "model values\nbug race 2 3\nrun 1\n", NULL},
	{atomics, "model values\nbug race 1 2\nrun\n", "conflict"},
	{byte, "model values\nbug property 6\nrun 2 3 4 5 6\n", NULL},
	{byte, "model maximal\nbug property 6\nrun 2 3 4 5 6\n", "event 5"},
	{word, "model values\nbug property 6\nrun 2 3 4 5 6\n", "event 5"},
	{apart, "model values\nbug property 5\nrun 1 3 4 5\n", NULL},
	{apart, "model maximal\nbug property 5\nrun 1 3 4 5\n", "event 4"},
	{apart, "model values\nbug property 5\nrun 3 4 5\n", "event 4"},
};

TAP_CASE(by_hand)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[1000];
		struct err err;

		tap_at("row %zu: %s", i, rows[i].witness);
		snprintf(text, sizeof(text), "norn-witness 1\n%send\n", rows[i].witness);
		struct witness w = parse_witness(text);
		struct index *index = index_text(rows[i].trace);
		bool good = is_certified(rows[i].trace, &w, &err);

		if (!rows[i].word && !good)
			FAIL("rejected: %s", err.message);
		if (rows[i].word && good)
			FAIL("certified");
		if (rows[i].word)
			ASSERT_CONTAINS(err.message, rows[i].word);
		ASSERT_EQ(explore_accepts(index, &w), good);
		index_free(index);
		witness_release(&w);
	}
}

/* Bad ones between good ones: each is judged for itself. */
TAP_CASE(one_after_the_other)
{
	struct reader *r = open_text(racy);
	struct err err = {0};
	struct certifier *c = certifier_new(r, &err);
	const struct {
		const char *witness, *word;
	} in_turn[] = {
		{"model maximal\nbug race 3 10\nrun 1 6 7 8 9 2\n", NULL},
		{"model maximal\nbug race 3 10\nrun 1 6 7 8 2\n", "held"},
		{"model maximal\nbug race 3 10\nrun 1 6 7 8 9 2\n", NULL},
		{"model maximal\nbug race 10 4\nrun 1 6 7 8 9 2 3\n", "conflict"},
		{"model maximal\nbug property\nrun 1 6 10\n", "event 10"},
		{"model maximal\nbug property\nrun 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", NULL},
		{"model maximal\nbug property\nrun 1 6 7 8 9 10 11\n", "event 11"},
		{"model maximal\nbug property\nrun 1 2 3 3\n", "twice"},
		{"model mcm\nbug race 3 10\nrun 1 6 7 8 9 2\n", "read"},
		{"model maximal\nbug race 3 10\nrun 1 2 6 17\n", "17"},
		{"model predictable\nbug race 3 10\nrun 1 6 7 8 9 2\n", NULL},
	};

	if (!c)
		FAIL("%s", err.message);
	for (size_t i = 0; i < sizeof(in_turn) / sizeof(*in_turn); i++) {
		char text[1000];

		tap_at("row %zu: %s", i, in_turn[i].witness);
		snprintf(text, sizeof(text), "norn-witness 1\n%send\n", in_turn[i].witness);
		struct witness w = parse_witness(text);

		ASSERT_EQ(certifier_judge(c, &w, &err), !in_turn[i].word);
		if (in_turn[i].word)
			ASSERT_CONTAINS(err.message, in_turn[i].word);
		witness_release(&w);
	}
	certifier_free(c);
	reader_close(r);
}

TAP_CASE(nothing_follows_from_what_is_not_consistent)
{
	struct reader *r = open_text("a write x 1\nb read x 2\na end\n");
	struct err err = {0};

	ASSERT_TRUE(!certifier_new(r, &err));
	ASSERT_CONTAINS(err.message, "event 2 cannot happen");
	reader_close(r);
}

/* Random traces */

#define NOT_FOR_ENGINES (RANDOM_SPELLING | RANDOM_META | RANDOM_LOCATIONS)

static char *small_trace(uint64_t seed, uint32_t events)
{
	struct random_trace knobs =
		random_trace_knobs(seed, events, RANDOM_EVERYTHING & ~NOT_FOR_ENGINES);

	/* few objects, so that the threads meet */
	knobs.threads = 2 + (seed % 3 == 0);
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
	size_t traces, undecided, findings[BUG_COUNT], valid, rejected;
};

static void copy_numbers(uint64_t **at, size_t *n, size_t *capacity, const uint64_t *from,
			 size_t count)
{
	*at = vec_grown(NULL, capacity, count + 4, sizeof(**at));
	if (count)
		memcpy(*at, from, count * sizeof(**at));
	*n = count;
}

#define COPY(to, from) copy_numbers(&(to).at, &(to).n, &(to).capacity, (from).at, (from).n)

static struct witness copy_witness(const struct witness *w)
{
	struct witness copy = {.model = w->model, .bug = w->bug};

	COPY(copy.bug_events, w->bug_events);
	COPY(copy.run, w->run);
	COPY(copy.rest, w->rest);
	return copy;
}

static void drop_number(uint64_t *at, size_t *n, size_t i)
{
	memmove(at + i, at + i + 1, (*n - i - 1) * sizeof(*at));
	--*n;
}

static void swap_numbers(uint64_t *a, uint64_t *b)
{
	uint64_t x = *a;

	*a = *b;
	*b = x;
}

/* The number of some event, now and then of none. */
static uint64_t any_event(struct random *r, const struct index *index)
{
	return 1 + random_below(r, index->count + (random_percent(r, 5) ? 1 : 0));
}

/* Another bug, of as many events as it has to have. */
static void claim_another(struct random *r, const struct index *index, struct witness *w)
{
	if (random_percent(r, 60) && w->bug_events.n) {
		w->bug_events.at[random_below(r, (uint32_t)w->bug_events.n)] = any_event(r, index);
		return;
	}
	w->bug = random_below(r, BUG_CHOICE);
	w->bug_events.n = 0;
	if (w->bug == BUG_PROPERTY) { /* mostly the right marks */
		for (size_t i = 0; i < w->run.n; i++)
			if (w->run.at[i] <= index->count &&
			    index->events[w->run.at[i]].kind == EV_MARK && !random_percent(r, 10))
				vec_push(&w->bug_events, w->run.at[i]);
	} else if (w->bug != BUG_STUCK) {
		vec_push(&w->bug_events, any_event(r, index));
		vec_push(&w->bug_events, any_event(r, index));
	}
}

static void mutate(struct random *r, const struct index *index, struct witness *w)
{
	bool of_rest = w->rest.n && random_percent(r, 40);
	uint64_t *at = of_rest ? w->rest.at : w->run.at;
	size_t *n = of_rest ? &w->rest.n : &w->run.n;
	uint32_t i = *n ? random_below(r, (uint32_t)*n) : 0;
	uint32_t k = *n ? random_below(r, (uint32_t)*n) : 0;

	switch (random_below(r, *n ? 9 : 3)) {
	case 0:
	case 1: claim_another(r, index, w); break;
	case 2: w->model = random_below(r, MODEL_COUNT); break;
	case 3: drop_number(at, n, i); break;
	case 4: swap_numbers(&at[i], &at[k]); break;
	case 5:
		if (i + 1 < *n)
			swap_numbers(&at[i], &at[i + 1]);
		break;
	case 6: at[i] = any_event(r, index); break;
	case 7: *n = i; break;
	case 8: /* copies have room for one more */
		memmove(at + i + 1, at + i, (*n - i) * sizeof(*at));
		at[i] = random_percent(r, 50) ? at[k] : any_event(r, index);
		++*n;
		break;
	}
}

static void assert_agreement(const char *text, const struct index *index, const struct witness *w,
			     struct tally *tally)
{
	struct err err;
	bool certified = is_certified(text, w, &err), accepted = explore_accepts(index, w);

	if (certified != accepted)
		FAIL("the certifier says %s, the engine %s\n%s%s", certified ? "yes" : err.message,
		     accepted ? "yes" : "no", witness_text(w), text);
	tally->valid += certified;
	tally->rejected += !certified;
}

static void check_finding(const char *text, const struct index *index,
			  const struct explore_finding *finding, struct random *r,
			  struct tally *tally)
{
	const struct witness *w = &finding->witness;
	struct err err;

	tally->findings[w->bug]++;
	if (!is_certified(text, w, &err))
		FAIL("rejected: %s\n%s%s", err.message, witness_text(w), text);
	if (!explore_accepts(index, w))
		FAIL("the engine does not accept its own\n%s%s", witness_text(w), text);
	for (int i = 0; i < 6; i++) {
		struct witness mutant = copy_witness(w);

		for (int k = (int)random_below(r, 3); k >= 0; k--)
			mutate(r, index, &mutant);
		assert_agreement(text, index, &mutant, tally);
		witness_release(&mutant);
	}
}

static void check_findings(const char *text, const struct index *index, enum model model,
			   struct random *r, struct tally *tally)
{
	struct explore_result result;
	struct err err;

	tally->traces++;
	if (explore(index, model, &limits, &result, &err) < 0) {
		ASSERT_EQ(err.code, ERR_LIMIT);
		tally->undecided++;
		return;
	}
	for (int bug = 0; bug < BUG_COUNT; bug++)
		for (size_t i = 0; i < result.bugs[bug].n; i++)
			check_finding(text, index, &result.bugs[bug].at[i], r, tally);
	explore_result_release(&result);
}

TAP_CASE(findings_and_their_mutants)
{
	struct tally tally = {0};

	for (uint64_t seed = 1; seed <= TAP_PART(6000); seed++) {
		char *text = small_trace(seed, 8 + seed % 10);
		struct index *index = index_text(text);
		struct random r = random_seeded(seed);

		tap_at("small_trace(%llu, %llu)", (unsigned long long)seed,
		       (unsigned long long)(8 + seed % 10));
		for (int model = 0; model < MODEL_COUNT; model++)
			check_findings(text, index, model, &r, &tally);
		index_free(index);
		free(text);
	}
	tap_note("%zu races, %zu deadlocks and %zu stuck in %zu explorations, %zu undecided",
		 tally.findings[BUG_RACE], tally.findings[BUG_DEADLOCK], tally.findings[BUG_STUCK],
		 tally.traces, tally.undecided);
	tap_note("%zu mutants: %zu rejected by both, %zu valid for both",
		 tally.rejected + tally.valid, tally.rejected, tally.valid);
	ASSERT_TRUE(tally.findings[BUG_RACE] > TAP_PART(5000) &&
		    tally.findings[BUG_DEADLOCK] > TAP_PART(100) &&
		    tally.findings[BUG_STUCK] > TAP_PART(500));
	ASSERT_TRUE(tally.rejected > TAP_PART(20000) && tally.valid > TAP_PART(2000));
	ASSERT_TRUE(tally.undecided * 10 < tally.traces);
}

/* Properties: marks along the executions that the engine lists. */

struct lister {
	const char *text;
	const struct index *index;
	struct random *r;
	struct tally *tally;
	enum model model;
	int left;
};

static bool visit_execution(void *context, const uint32_t *events, size_t n)
{
	struct lister *l = context;
	struct witness w = {.model = l->model, .bug = BUG_PROPERTY};
	struct err err;

	for (size_t i = 0; i < n; i++) {
		vec_push(&w.run, events[i]);
		if (l->index->events[events[i]].kind == EV_MARK)
			vec_push(&w.bug_events, events[i]);
	}
	l->tally->findings[BUG_PROPERTY]++;
	if (!is_certified(l->text, &w, &err))
		FAIL("rejected: %s\n%s%s", err.message, witness_text(&w), l->text);
	for (int i = 0; i < 4; i++) {
		struct witness mutant = copy_witness(&w);

		mutate(l->r, l->index, &mutant);
		assert_agreement(l->text, l->index, &mutant, l->tally);
		witness_release(&mutant);
	}
	witness_release(&w);
	return --l->left > 0;
}

TAP_CASE(marks_of_executions)
{
	struct tally tally = {0};

	for (uint64_t seed = 1; seed <= TAP_PART(1500); seed++) {
		struct random_trace knobs =
			random_trace_knobs(seed, 10, RANDOM_EVERYTHING & ~NOT_FOR_ENGINES);
		struct random r = random_seeded(seed);
		struct err err;

		knobs.features |= RANDOM_MARKS;
		char *text = random_trace_make(&knobs);
		struct index *index = index_text(text);

		tap_at("seed %llu", (unsigned long long)seed);
		/* said has executions with a rest alone */
		for (int model = 0; model < MODEL_SAID; model++) {
			struct lister l = {text, index, &r, &tally, model, 5};

			if (explore_list(index, model, &limits, visit_execution, &l, &err) < 0)
				ASSERT_EQ(err.code, ERR_LIMIT);
		}
		index_free(index);
		free(text);
	}
	tap_note("%zu executions, %zu mutants rejected by both, %zu valid for both",
		 tally.findings[BUG_PROPERTY], tally.rejected, tally.valid);
	ASSERT_TRUE(tally.findings[BUG_PROPERTY] > TAP_PART(10000) &&
		    tally.rejected > TAP_PART(10000) && tally.valid > TAP_PART(2000));
}

/* All executions, found by asking the certifier for every next event. */

struct counter {
	const char *text;
	const struct index *index;
	struct witness w;
	uint64_t executions, proper, left;
};

static void count_from(struct counter *c)
{
	bool goes_on = false;
	struct err err;

	c->executions++;
	for (uint32_t n = 1; n <= c->index->count && c->left; n++) {
		bool mark = c->index->events[n].kind == EV_MARK;

		vec_push(&c->w.run, n);
		if (mark)
			vec_push(&c->w.bug_events, n);
		c->left--;
		if (is_certified(c->text, &c->w, &err)) {
			goes_on = true;
			count_from(c);
		}
		c->w.run.n--;
		c->w.bug_events.n -= mark;
	}
	c->proper += !goes_on;
}

/* Their number, or 0 if there are too many. */
static uint64_t compare_counts(const char *text, enum model model)
{
	struct index *index = index_text(text);
	struct counter c = {.text = text,
			    .index = index,
			    .w = {.model = model, .bug = BUG_PROPERTY},
			    .left = 4000};
	struct explore_result result;
	struct err err;

	count_from(&c);
	ASSERT_EQ(explore(index, model, &limits, &result, &err), 0);
	if (c.left && (result.executions != c.executions || result.proper != c.proper))
		FAIL("%llu executions, %llu proper; certified %llu, %llu\n%s",
		     (unsigned long long)result.executions, (unsigned long long)result.proper,
		     (unsigned long long)c.executions, (unsigned long long)c.proper, text);
	explore_result_release(&result);
	witness_release(&c.w);
	index_free(index);
	return c.left ? c.executions : 0;
}

TAP_CASE(executions_counted_alike)
{
	size_t compared = 0;
	uint64_t executions = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(3000); seed++) {
		char *text = small_trace(seed, 4 + seed % 4);
		enum model model = seed % MODEL_SAID;

		tap_at("small_trace(%llu, %llu), model %s", (unsigned long long)seed,
		       (unsigned long long)(4 + seed % 4), model_text[model]);
		uint64_t count = compare_counts(text, model);

		compared += count > 0;
		executions += count;
		free(text);
	}
	tap_note("%llu executions of %zu traces", (unsigned long long)executions, compared);
	ASSERT_TRUE(compared > TAP_PART(2000));
}

static uint64_t executions_of(const char *text, enum model model)
{
	struct index *index = index_text(text);
	struct explore_result result;
	struct err err;

	ASSERT_EQ(explore(index, model, &limits, &result, &err), 0);
	uint64_t executions = result.executions;

	explore_result_release(&result);
	index_free(index);
	return executions;
}

/* What expressions give, of variables that take their bytes of it, decides how many there are. */
TAP_CASE(values_counted_alike)
{
	size_t compared = 0, differ = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(2500); seed++) {
		struct random_trace knobs = {.seed = seed,
					     .threads = 2,
					     .events = 5 + seed % 4,
					     .variables = 1 + seed % 3,
					     .locks = 1,
					     .features = RANDOM_VALUES | RANDOM_EXPRS |
							 RANDOM_ATOMIC | RANDOM_MEMORY};

		if (knobs.variables > 1)
			knobs.features |= RANDOM_MULTI;
		char *text = random_trace_make(&knobs);

		tap_at("seed %llu", (unsigned long long)seed);
		uint64_t count = compare_counts(text, MODEL_VALUES);

		compared += count > 0;
		differ += count > executions_of(text, MODEL_MAXIMAL);
		free(text);
	}
	tap_note("%zu traces, %zu have more executions than in model maximal", compared, differ);
	ASSERT_TRUE(compared > TAP_PART(2000) && differ > TAP_PART(100));
}

static void remove_scopes(char *text)
{
	for (char *at; (at = strstr(text, " scope="));) {
		size_t length = 7 + strspn(at + 7, "0123456789");

		memmove(at, at + length, strlen(at + length) + 1);
	}
}

/* The same trace has more executions with scopes than without. */
TAP_CASE(scopes_counted_alike)
{
	size_t compared = 0, differ = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(1500); seed++) {
		struct random_trace knobs = {.seed = seed,
					     .threads = 2,
					     .events = 7 + seed % 3,
					     .variables = 1 + seed % 2,
					     .locks = 1,
					     .features = RANDOM_EXPRS | RANDOM_ATOMIC |
							 RANDOM_READS | RANDOM_SCOPES};

		knobs.features |= seed % 3 ? RANDOM_VALUES : RANDOM_ALLOC | RANDOM_EXTERNAL;
		char *text = random_trace_make(&knobs);

		tap_at("seed %llu", (unsigned long long)seed);
		uint64_t count = compare_counts(text, MODEL_VALUES);

		remove_scopes(text);
		compared += count > 0;
		differ += count > executions_of(text, MODEL_VALUES);
		free(text);
	}
	tap_note("%zu traces, %zu have more executions than without scopes", compared, differ);
	ASSERT_TRUE(compared > TAP_PART(1200) && differ > TAP_PART(50));
}
