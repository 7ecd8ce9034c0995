/* SPDX-License-Identifier: MIT */
/*
 * All engines, asked about every pair of accesses that conflict and every ring of two or three
 * acquires, give the answers of the exhaustive one, and witnesses that the certifier accepts.
 *
 * ENGINES=solver,greedy	asks these alone
 * SOAK=20000		so many random traces (slow engines: a part of them, as ever)
 * SEED=17		this random trace alone
 * PART=1		slow engines see every trace, 7: one in 7 of them
 * SOLVER='cvc5 …'	what engine smt starts
 */
#include "model/lockset.h"
#include "search/engine.h"
#include "tests/support/dense.h"
#include "tests/support/explored.h"
#include "tests/support/random_trace.h"
#include "tests/support/section_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"
#include "witness/certify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACES 2000

struct contender {
	const char *name;
	bool decides; /* races: it may not be undecided on traces as small as these */
	bool decides_deadlocks;
	uint32_t part; /* it is asked about one in so many random traces: it is slow */
};

static const struct contender contenders[] = {
	{"explore", true, true, 1}, {"greedy", false, false, 1}, {"solver", true, true, 1},
	{"z3", true, true, 20},	    {"smt", true, true, 100},
};

static const struct contender *contender_of(const struct engine_kind *kind)
{
	for (size_t i = 0; i < sizeof(contenders) / sizeof(*contenders); i++)
		if (!strcmp(contenders[i].name, kind->name))
			return &contenders[i];
	FAIL("no row for engine %s in %s", kind->name, __FILE__);
}

/*
 * Solvers may take for ever to find out which number has this square root: these traces are theirs
 * within a limit.
 */
#define HARD_SECONDS 10

static bool is_hard(const char *text)
{
	static const char *const operators[] = {"(*f", "(/f", "(sqrtf", "(fmaf",
						"(*d", "(/d", "(sqrtd", "(fmad"};

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (strstr(text, operators[i]))
			return true;
	return false;
}

/* Is the word in the list, or is there no list? */
static bool is_wanted(const char *list, const char *word)
{
	size_t length = strlen(word);

	if (!list || !*list)
		return true;
	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

/* What was asked and answered, over all traces of a case. */
struct tally {
	uint64_t queries, proved, refuted;
};

static struct tally tallies[8], in_parts;

static void show_tally(const char *name, const struct tally *t)
{
	if (t->queries)
		tap_note("%s: %llu queries, %llu proved, %llu refuted, %llu undecided", name,
			 (unsigned long long)t->queries, (unsigned long long)t->proved,
			 (unsigned long long)t->refuted,
			 (unsigned long long)(t->queries - t->proved - t->refuted));
}

static void show_tallies(void)
{
	for (size_t i = 0; i < engine_kind_count; i++)
		show_tally(engine_kinds[i]->name, &tallies[i]);
	show_tally("solver, in parts", &in_parts);
}

static bool is_of(const struct witness *w, const struct query *q)
{
	size_t found = 0;

	for (uint32_t i = 0; i < q->count; i++)
		for (size_t k = 0; k < w->bug_events.n; k++)
			found += w->bug_events.at[k] == q->events[i];
	return w->bug == q->bug && w->bug_events.n == q->count && found == q->count;
}

static void check_witness(const char *text, const char *engine, enum model model,
			  const struct query *q, const struct witness *w)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(text, strlen(text), "trace", "text", &err);

	ASSERT_TRUE(r != NULL);
	if (w->model != model || !is_of(w, q))
		FAIL("%s: the witness is not of what was asked: %s", engine,
		     engine_query_text(q, (char[ENGINE_QUERY_TEXT]){0}));
	if (certify(r, w, &err) != 1)
		FAIL("%s, model %s: the witness of %s is rejected: %s", engine, model_text[model],
		     engine_query_text(q, (char[ENGINE_QUERY_TEXT]){0}), err.message);
	reader_close(r);
}

struct asked {
	const char *text;
	const struct index *index;
	enum model model;
	struct engine *yardstick;
	const struct locksets *locks;
	bool in_parts;
};

static void compare(const struct asked *a, struct engine *e, struct tally *t, const struct query *q)
{
	const struct contender *c = contender_of(e->kind);
	struct witness want_w, got_w;
	enum answer want = engine_ask(a->yardstick, q, &want_w);
	enum answer got = engine_ask(e, q, &got_w);
	bool decides = q->bug == BUG_RACE ? c->decides : c->decides_deadlocks;

	if (c->part > 1 && is_hard(a->text))
		decides = false;
	ASSERT_TRUE(want != UNDECIDED);
	t->queries++;
	t->proved += got == PROVED;
	t->refuted += got == REFUTED;
	if (got == UNDECIDED ? decides && !a->in_parts : got != want)
		FAIL("model %s, %s: %s says %s, explore says %s%s%s", model_text[a->model],
		     engine_query_text(q, (char[ENGINE_QUERY_TEXT]){0}), c->name,
		     engine_answer_text[got], engine_answer_text[want],
		     e->why.message[0] ? "\n" : "", e->why.message);
	if (got == PROVED)
		check_witness(a->text, c->name, a->model, q, &got_w);
	witness_release(&want_w);
	witness_release(&got_w);
}

/* Event n, an acquire, waits for what the thread of the other holds when it comes to that. */
static bool waits_for(const struct asked *a, uint32_t n, uint32_t other)
{
	const struct event *e = &a->index->events[n], *f = &a->index->events[other];

	if ((e->kind != EV_ACQUIRE && e->kind != EV_ACQUIRE_SHARED && e->kind != EV_WOKEN) ||
	    e->thread == f->thread)
		return false;
	const struct held_lock *held = locksets_find(
		a->locks, a->locks->before[other], e->kind == EV_WOKEN ? e->more->lock : e->object);

	return held && !(held->shared && e->kind == EV_ACQUIRE_SHARED);
}

static void compare_rings(const struct asked *a, struct engine *e, struct tally *t, uint32_t x,
			  uint32_t y)
{
	uint32_t ring[3] = {x, y, 0};

	if (!waits_for(a, x, y))
		return;
	if (x < y && waits_for(a, y, x))
		compare(a, e, t, &(struct query){BUG_DEADLOCK, 2, ring});
	for (uint32_t z = x + 1; x < y && z <= a->index->count; z++) {
		ring[2] = z;
		if (a->index->events[z].thread != a->index->events[x].thread &&
		    waits_for(a, y, z) && waits_for(a, z, x))
			compare(a, e, t, &(struct query){BUG_DEADLOCK, 3, ring});
	}
}

static void compare_all(const struct asked *a, struct engine *e, struct tally *t)
{
	for (uint32_t x = 1; x <= a->index->count; x++) {
		for (uint32_t y = 1; y <= a->index->count; y++) {
			const uint32_t pair[2] = {x, y};

			if (x < y && index_conflict(a->index, x, y))
				compare(a, e, t, &(struct query){BUG_RACE, 2, pair});
			if (x != y)
				compare_rings(a, e, t, x, y);
		}
	}
}

/* As on a long trace: the solver looks at parts of it, and what it does say is right. */
static void compare_in_parts(struct asked *a, struct engine_options options)
{
	struct err err = {0};

	options.cone = 3 + a->index->count * 2 / 3;
	a->in_parts = true;
	struct engine *e = engine_start(&engine_solver, a->index, &options, &err);

	compare_all(a, e, &in_parts);
	engine_finish(e);
}

static struct engine_options options_of(enum model model)
{
	const char *command = getenv("SOLVER");

	return (struct engine_options){
		.model = model,
		.budget = {.bytes = (uint64_t)1 << 30},
		.command = command ? command : "cvc5 --lang smt2 --produce-models",
		.dump = getenv("DUMP"),
	};
}

static bool sees_round(const struct contender *c, uint64_t round)
{
	const char *part = getenv("PART");

	if (getenv("SEED"))
		return true;
	return round % (part && c->part > 1 ? (uint32_t)atoi(part) : c->part) == 0;
}

/* round: of the random traces, of which slow engines see a part; 0: every engine is asked. */
static void compare_engines(const char *text, uint64_t round)
{
	struct index *index = index_of_text(text);
	struct locksets *locks = locksets_new(index);

	for (int m = 0; m < MODEL_COUNT; m++) {
		struct engine_options options = options_of(m);
		struct err err = {0};
		struct asked a = {text,	 index,
				  m,	 engine_start(&engine_explore, index, &options, &err),
				  locks, false};

		for (size_t i = 0; i < engine_kind_count; i++) {
			const struct contender *c = contender_of(engine_kinds[i]);

			if (!is_wanted(getenv("ENGINES"), c->name) || !sees_round(c, round))
				continue;
			options.budget.seconds = c->part > 1 && is_hard(text) ? HARD_SECONDS : 0;
			struct engine *e = engine_start(engine_kinds[i], index, &options, &err);

			if (!e)
				FAIL("%s", err.message);
			compare_all(&a, e, &tallies[i]);
			engine_finish(e);
		}
		if (is_wanted(getenv("ENGINES"), "solver"))
			compare_in_parts(&a, options_of(m));
		engine_finish(a.yardstick);
	}
	locksets_free(locks);
	index_free(index);
}

/* Every trace of the conformance table; what explore says of them is tested in explore.c. */
TAP_CASE(conformance)
{
	FILE *table = fopen("tests/conformance/expected.tsv", "r");
	char line[4096], last[256] = "";
	uint64_t traces = 0;

	ASSERT_TRUE(table != NULL);
	while (fgets(line, sizeof(line), table)) {
		char *trace = strtok(line, "\t\n");
		char path[300];

		if (!trace || *trace == '#' || !strcmp(trace, last))
			continue;
		snprintf(last, sizeof(last), "%s", trace);
		snprintf(path, sizeof(path), "tests/conformance/%s.trace", trace);
		tap_at("%s", path);
		struct bytes text = bytes_of_file(path);

		/* of the random ones among them slow engines see a part as well */
		compare_engines(text.at, strncmp(trace, "random-", 7) ? 0 : traces);
		bytes_release(&text);
		traces++;
	}
	fclose(table);
	ASSERT_EQ(traces, 157);
	show_tallies();
}

/* What random traces have too seldom. */
TAP_CASE(traces_by_hand)
{
	static const char *const traces[] = {
		/* the external needs 3, by its second variable, and with that 2 */
		"t1 read x 0\nt1 write z 1\nt1 read y 0\nt2 external x 1 y 1\nt2 write z 2\n",
		/* rounds of a barrier may swap, and never mix */
		"barrier b 2\nt1 write x 1\nt1 barrier-enter b\nt2 barrier-enter b\n"
		"t1 barrier-exit b\nt2 barrier-exit b\nt3 write x 2\nt3 barrier-enter b\n"
		"t4 barrier-enter b\nt3 barrier-exit b\nt4 write x 3\nt4 barrier-exit b\n",
		/* 4 woke nobody: nobody sleeps when it happens */
		"t2 write x 1\nt1 write y 1\nt1 acquire l\nt2 signal c\nt1 wait c l\n"
		"t2 write y 2\nt2 broadcast c\nt1 woken c l by=7\nt1 write x 2\n",
		/* 3 has a value whatever 2 reads, but not if that is 0 */
		"t1 write d 2\nt2 read d 2\nt2 write v 4 = (/ 8 %2)\nt3 read v 4\n"
		"t3 branch if (> %4 3)\nt3 write z 1\nt1 write d 1\nt1 write z 2\n",
	};

	for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++) {
		tap_at("%s", traces[i]);
		compare_engines(traces[i], 0);
	}
	show_tallies();
}

static char *make_dense(uint64_t seed, uint32_t events)
{
	struct dense d = {events, 2 + (uint32_t)(seed % 3), seed};
	struct memory_output memory;
	struct err err = {0};

	ASSERT_EQ(dense_write(&d, memory_output_open(&memory), "text", &err), 0);
	struct bytes text = memory_output_take(&memory);
	char *copy = strndup((const char *)text.at, text.n);

	bytes_release(&text);
	return copy;
}

static char *make_trace(uint64_t seed)
{
	static const uint32_t features[] = {
		RANDOM_EVERYTHING & ~(uint32_t)(RANDOM_SPELLING | RANDOM_META | RANDOM_MARKS),
		RANDOM_READS | RANDOM_EXPRS | RANDOM_AT | RANDOM_ATOMIC | RANDOM_MULTI |
			RANDOM_MEMORY | RANDOM_VALUES,
		RANDOM_LOCKY | RANDOM_READS | RANDOM_SHARED | RANDOM_TRY | RANDOM_CONDITIONS,
		RANDOM_BARRIERS | RANDOM_SEMAPHORES | RANDOM_ONCE | RANDOM_ALLOC | RANDOM_EXTERNAL |
			RANDOM_CONDITIONS | RANDOM_MULTI,
		RANDOM_SCOPES | RANDOM_VALUES | RANDOM_READS | RANDOM_EXPRS | RANDOM_ATOMIC,
		RANDOM_SCOPES | RANDOM_READS | RANDOM_EXPRS | RANDOM_SHARED | RANDOM_TRY |
			RANDOM_ALLOC | RANDOM_EXTERNAL | RANDOM_AT,
	};
	/* 0: none of these, but sections as programs have them; 7: values in few variables;
	 * weights by how often they stand */
	static const uint8_t kinds[] = {1, 2, 1, 3, 5, 1, 4, 0, 7, 6};
	uint8_t kind = kinds[seed % sizeof(kinds)];
	uint32_t events = 10 + (uint32_t)(seed / sizeof(kinds) % 21);

	if (!kind)
		return section_trace_make(seed, events);
	if (kind == 7)
		return make_dense(seed, 2 * events);
	struct random_trace knobs = random_trace_knobs(seed, events, features[kind - 1]);

	/* these change what a trace is made of: not a feature to be left out at times */
	knobs.features |= features[kind - 1] & (RANDOM_VALUES | RANDOM_LOCKY);
	if (kind >= 5)
		knobs.features |= RANDOM_SCOPES | RANDOM_EXPRS | RANDOM_READS;
	return random_trace_make(&knobs);
}

TAP_CASE(random_traces)
{
	const char *soak = getenv("SOAK"), *only = getenv("SEED");
	uint64_t count = soak ? strtoull(soak, NULL, 10) : TAP_PART(TRACES);
	uint64_t first = only ? strtoull(only, NULL, 10) : 0;

	if (soak)
		alarm(0);
	for (uint64_t seed = first; seed < (only ? first + 1 : count); seed++) {
		char *text = make_trace(seed);

		tap_at("SEED=%llu, the trace:\n%s", (unsigned long long)seed, text);
		compare_engines(text, seed);
		free(text);
	}
	show_tallies();
}
