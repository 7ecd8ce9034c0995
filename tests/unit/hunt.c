/* SPDX-License-Identifier: MIT */
/*
 * Hunts through small programs against all their schedules: every behaviour that some schedule has
 * is shown by one run, and no run shows what another one has.
 */
#include "hunt/choice.h"
#include "search/run.h"
#include "tests/support/small_program.h"
#include "tests/support/tap.h"
#include "witness/certify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATES_MOST 60000
#define RUNS_MOST 600
#define AT_ONCE 5

struct tally {
	size_t programs, behaviours, runs, asked, large, doubted, cut;
	size_t together;  /* runs that were not alone under way */
	size_t good, bad; /* witnesses */
};

static struct reader *open_text(const char *text)
{
	struct err err;
	struct reader *r = reader_open_memory(text, strlen(text), "small", "text", &err);

	if (!r)
		tap_note("%s", err.message);
	ASSERT_TRUE(r);
	return r;
}

/* A hunt, its runs, and how they came about. */
struct chase {
	const struct small_program *p;
	struct small_histories *h;
	struct hunt *hunt;
	struct random r;
	struct small_behaviours shown, further;
	VEC(char *) texts;
};

/* Names of threads, t0 …, are their numbers. */
static uint32_t thread_of_event(const char *text, uint64_t event)
{
	uint64_t n = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		if (*line != 't' || line[1] < '0' || line[1] > '9')
			continue;
		if (++n == event)
			return (uint32_t)(line[1] - '0');
	}
	return UINT32_MAX;
}

static uint32_t thread_of_symbol(const char *text, uint32_t symbol)
{
	struct err err;
	struct index *index = index_new(open_text(text), &err);

	ASSERT_TRUE(index);
	uint32_t thread = (uint32_t)(symbols_name(index->symbols, CLASS_THREAD, symbol)[1] - '0');

	index_free(index);
	return thread;
}

/* The threads that the event woke, by bits; SMALL_ANY: it is no signal. */
static uint32_t woken_by(const char *text, uint64_t event)
{
	uint32_t wakes = SMALL_ANY, thread;
	uint64_t n = 0;
	unsigned by;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n'), *with = strstr(line, " by=");

		if (sscanf(line, "meta woken t%u %u", &thread, &by) == 2 && by == event)
			wakes |= 1u << thread;
		if (*line != 't' || line[1] < '0' || line[1] > '9')
			continue;
		if (++n == event &&
		    (!strncmp(line + 2, " signal", 7) || !strncmp(line + 2, " broadcast", 10)))
			wakes = 0;
		else if (n == event)
			return SMALL_ANY;
		if (with && with < end && sscanf(with, " by=%u", &by) == 1 && by == event)
			wakes |= 1u << (uint32_t)(line[1] - '0');
	}
	return wakes;
}

/* A step of a run that was made, once more: threads that gave up do so before. */
static void follow_event(struct small_run *run, const char *text, uint64_t event, struct random *r)
{
	uint32_t thread = thread_of_event(text, event), before = small_run_events(run);

	while (small_run_events(run) == before)
		ASSERT_TRUE(small_run_step(run, thread, woken_by(text, event), r));
}

/* Another witness, which may be good or not. */
static void spoil(struct witness *w, uint32_t events, struct random *r)
{
	size_t n = w->run.n;

	switch (random_below(r, 4)) {
	case 0: w->bug_events.at[0] = 1 + random_below(r, events); break;
	case 1: w->run.n -= n > 0; break;
	case 2:
		if (n > 1) {
			size_t i = random_below(r, (uint32_t)n - 1);
			uint64_t event = w->run.at[i];

			w->run.at[i] = w->run.at[i + 1];
			w->run.at[i + 1] = event;
		}
		break;
	default:
		w->run.n = random_below(r, (uint32_t)n + 1);
		w->bug_events.at[0] = 1 + random_below(r, events);
	}
}

/* Certifier and search say the same of a witness and of some that are like it. */
static void judge_witness(const char *text, const struct witness *given, struct random *r,
			  struct tally *tally)
{
	struct err err;
	struct reader *reader = open_text(text);
	struct certifier *certifier = certifier_new(reader, &err);
	struct index *index = index_new(open_text(text), &err);

	ASSERT_TRUE(certifier && index);
	struct run *run = run_new(index, MODEL_VALUES);

	ASSERT_EQ(certifier_judge(certifier, given, &err), 1);
	ASSERT_TRUE(run_accepts(run, given));
	for (int i = 0; i < 8; i++) {
		struct witness w = {0};

		witness_copy(&w, given);
		spoil(&w, index->count, r);
		bool good = run_accepts(run, &w);

		if (good != certifier_judge(certifier, &w, &err))
			tap_note("run says %d of choice %llu, run of %zu: %s\n%s", good,
				 (unsigned long long)w.bug_events.at[0], w.run.n, err.message,
				 text);
		ASSERT_EQ(good, certifier_judge(certifier, &w, &err));
		tally->good += good;
		tally->bad += !good;
		witness_release(&w);
	}
	run_free(run);
	index_free(index);
	certifier_free(certifier);
	reader_close(reader);
}

/* A thread that was woken may not have gone on, while one that slept beside it did. */
static bool is_consistent(const char *text)
{
	struct err err;
	struct index *index = index_new(open_text(text), &err);

	if (index)
		index_free(index);
	return index;
}

/* A new run: as the task says, and then on. */
static enum hunt_result run_once(struct chase *c, const struct hunt_task *task)
{
	struct small_run *run = small_run_new(c->p, c->h);
	uint32_t first = UINT32_MAX, wakes = SMALL_ANY, number;
	enum hunt_result result;
	struct err err;

	if (task) {
		const char *text = c->texts.at[task->run];

		ASSERT_EQ(task->witness.recorded, 0);
		for (size_t i = 0; i < task->witness.run.n; i++)
			follow_event(run, text, task->witness.run.at[i], &c->r);
		first = (uint32_t)(task->name[1] - '0');
		wakes = task->kind == HUNT_WAKES ? 0 : SMALL_ANY;
		for (uint32_t i = 0; i < task->wake_count; i++)
			wakes |= 1u << thread_of_symbol(text, task->wakes[i]);
	}
	small_run_on(run, first, wakes, &c->r);
	struct small_behaviour b = small_run_behaviour(run);
	char *text = small_run_trace(run);

	if (!is_consistent(text)) { /* the recorder would guess another one */
		free(text);
		small_run_free(run);
		if (!task)
			return run_once(c, NULL);
		hunt_open(c->hunt, task, "who was woken has not gone on");
		return HUNT_FURTHER;
	}

	int code =
		hunt_add(c->hunt, open_text(text), open_text(text), task, &result, &number, &err);

	if (code)
		tap_note("%s", err.message);
	ASSERT_EQ(code, 0);
	if (result == HUNT_NEW || result == HUNT_FURTHER) {
		ASSERT_EQ(number, c->texts.n);
		vec_push(&c->texts, text);
		if (result == HUNT_NEW)
			vec_push(&c->shown.at, b);
		else
			vec_push(&c->further.at, b);
	} else {
		if ((getenv("HUNT_SHOW") || result == HUNT_DIVERGED) && task) {
			char list[2000] = "";

			for (size_t i = 0; i < task->witness.run.n; i++)
				sprintf(list + strlen(list), " %llu",
					(unsigned long long)task->witness.run.at[i]);
			tap_note("%s: task of run %u, %s at %u:%s\n%s",
				 result == HUNT_KNOWN ? "known" : "diverged", task->run,
				 hunt_kind_text[task->kind], task->event, list, text);
		}
		free(text);
	}
	small_run_free(run);
	return result;
}

static void show(const struct chase *c, uint64_t seed)
{
	tap_note("seed %llu", (unsigned long long)seed);
	for (size_t i = 0; i < c->texts.n && i < 6; i++)
		tap_note("run %zu:\n%s", i, c->texts.at[i]);
}

static bool is_covered(const struct chase *c, const struct small_behaviour *b)
{
	for (size_t i = 0; i < c->shown.at.n; i++)
		if (small_is_within(c->h, b, &c->shown.at.at[i]))
			return true;
	for (size_t i = 0; i < c->further.at.n; i++)
		if (small_is_within(c->h, b, &c->further.at.at[i]))
			return true;
	return false;
}

static bool is_shown_twice(const struct chase *c)
{
	for (size_t i = 0; i < c->shown.at.n; i++)
		for (size_t k = 0; k < i; k++)
			if (!memcmp(&c->shown.at.at[i], &c->shown.at.at[k],
				    sizeof(c->shown.at.at[i])))
				return true;
	return false;
}

static void judge(struct chase *c, const struct small_behaviours *all, uint64_t seed,
		  struct tally *tally)
{
	struct hunt_counts counts;
	struct hunt_doubt doubt;
	size_t missing = 0;
	bool doubted = hunt_doubt(c->hunt, 0, &doubt);

	hunt_count(c->hunt, &counts);
	for (size_t i = 0; i < all->at.n; i++)
		missing += !is_covered(c, &all->at.at[i]);
	bool bad = (missing && !doubted) || is_shown_twice(c) || counts.waiting ||
		   (!doubted && !c->p->cuts && all->at.n != c->shown.at.n) ||
		   (!doubted && (counts.given_up || counts.undecided));

	if (bad) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		small_print(c->p, out);
		fclose(out);
		show(c, seed);
		tap_note("program:\n%s", text);
		free(text);
		tap_note("%zu behaviours, %zu shown, %zu missing, %llu given up, %llu undecided, "
			 "doubt: %s",
			 all->at.n, c->shown.at.n, missing, (unsigned long long)counts.given_up,
			 (unsigned long long)counts.undecided, doubted ? doubt.reason : "none");
	}
	ASSERT_FALSE(bad);
	tally->programs++;
	tally->behaviours += all->at.n;
	tally->runs += c->shown.at.n;
	tally->asked += counts.asked;
	if (doubted && getenv("HUNT_SHOW"))
		show(c, seed);
	tally->doubted += doubted;
	if (doubted && getenv("HUNT_DOUBTS"))
		tap_note("seed %llu: %s", (unsigned long long)seed, doubt.reason);
	tally->cut += c->p->cuts;
}

/* So many runs at most are under way at the same time: no two of them come to the same. */
static int chase_several(struct chase *c, uint64_t seed, size_t most, struct tally *tally,
			 struct err *err)
{
	struct hunt_task tasks[AT_ONCE];
	size_t n = 0;
	int got = 1;

	while (n < most && (got = hunt_next(c->hunt, &tasks[n], err)) > 0)
		n++;
	for (size_t i = 0; i < n; i++) {
		judge_witness(c->texts.at[tasks[i].run], &tasks[i].witness, &c->r, tally);
		enum hunt_result result = run_once(c, &tasks[i]);

		if (result == HUNT_DIVERGED)
			show(c, seed);
		ASSERT_TRUE(result != HUNT_DIVERGED);
		ASSERT_TRUE(result != HUNT_KNOWN || tasks[i].kind == HUNT_GOES_ON || n == 1);
		hunt_task_release(&tasks[i]);
	}
	tally->together += n > 1 ? n : 0;
	return got < 0 ? got : n > 0;
}

static void chase_one(const struct small_shape *shape, enum hunt_equal equal, uint64_t seed,
		      struct tally *tally)
{
	struct random r = random_seeded(seed);
	struct small_program p;
	struct small_histories h = {.by_source = equal == HUNT_SOURCES};
	struct small_behaviours all = {0};
	struct hunt_options options = {.equal = equal};
	struct chase c = {.p = &p, .h = &h, .r = random_seeded(seed + 1)};
	struct err err;
	int got;

	small_make(&p, shape, &r);
	if (!small_run_all(&p, &h, STATES_MOST, &all) || all.at.n > RUNS_MOST) {
		tally->large++;
		vec_release(&all.at);
		small_histories_release(&h);
		return;
	}
	c.hunt = hunt_new(&options);
	ASSERT_EQ(run_once(&c, NULL), HUNT_NEW);
	do {
		got = chase_several(&c, seed, 1 + (size_t)(seed % AT_ONCE), tally, &err);
		ASSERT_TRUE(c.shown.at.n <= all.at.n + 5);
	} while (got > 0);
	if (got) {
		show(&c, seed);
		tap_note("seed %llu: %s", (unsigned long long)seed, err.message);
	}
	ASSERT_EQ(got, 0);
	judge(&c, &all, seed, tally);
	hunt_free(c.hunt);
	for (size_t i = 0; i < c.texts.n; i++)
		free(c.texts.at[i]);
	vec_release(&c.texts);
	vec_release(&c.shown.at);
	vec_release(&c.further.at);
	vec_release(&all.at);
	small_histories_release(&h);
}

static void chase_many(const struct small_shape *shape, enum hunt_equal equal, uint64_t rounds)
{
	const char *only = getenv("HUNT_SEED"), *many = getenv("HUNT_ROUNDS");
	struct tally tally = {0};

	rounds *= many ? strtoull(many, NULL, 10) : 1;
	for (uint64_t seed = 0; seed < rounds; seed++)
		if (!only || strtoull(only, NULL, 10) == seed) {
			tap_at("seed %llu", (unsigned long long)seed);
			chase_one(shape, equal, seed, &tally);
		}
	tap_note("%zu programs, %zu behaviours, %zu runs, %zu questions; %zu too large, %zu in "
		 "doubt, "
		 "%zu cut; %zu runs beside others; %zu witnesses good, %zu bad",
		 tally.programs, tally.behaviours, tally.runs, tally.asked, tally.large,
		 tally.doubted, tally.cut, tally.together, tally.good, tally.bad);
}

TAP_CASE(branches)
{
	chase_many(&(struct small_shape){.threads = 3, .ops = 5}, HUNT_PATHS, TAP_PART(600));
}

TAP_CASE(what_is_not_told)
{
	chase_many(&(struct small_shape){.threads = 3, .ops = 5, .untold = true}, HUNT_PATHS,
		   TAP_PART(600));
}

TAP_CASE(locks)
{
	chase_many(&(struct small_shape){.threads = 3, .ops = 6, .locks = true, .untold = true},
		   HUNT_PATHS, TAP_PART(600));
}

TAP_CASE(ends_and_threads_that_start_late)
{
	chase_many(
		&(struct small_shape){
			.threads = 4, .ops = 4, .asserts = true, .exits = true, .late_forks = true},
		HUNT_PATHS, TAP_PART(600));
}

TAP_CASE(locks_that_are_tried)
{
	chase_many(&(struct small_shape){.threads = 3, .ops = 6, .locks = true, .tries = true},
		   HUNT_PATHS, TAP_PART(600));
}

TAP_CASE(signals)
{
	chase_many(&(struct small_shape){.threads = 3, .ops = 5, .locks = true, .waits = true},
		   HUNT_PATHS, TAP_PART(600));
}

TAP_CASE(signals_among_four)
{
	chase_many(&(struct small_shape){.threads = 4, .ops = 3, .locks = true, .waits = true},
		   HUNT_PATHS, TAP_PART(300));
}

TAP_CASE(semaphores)
{
	chase_many(&(struct small_shape){.threads = 3, .ops = 5, .semaphores = true}, HUNT_PATHS,
		   TAP_PART(600));
}

TAP_CASE(signals_and_all_else)
{
	chase_many(&(struct small_shape){.threads = 3,
					 .ops = 4,
					 .locks = true,
					 .tries = true,
					 .untold = true,
					 .waits = true,
					 .semaphores = true},
		   HUNT_PATHS, TAP_PART(600));
}

TAP_CASE(signals_by_sources)
{
	chase_many(&(struct small_shape){.threads = 3,
					 .ops = 3,
					 .locks = true,
					 .tries = true,
					 .waits = true,
					 .semaphores = true},
		   HUNT_SOURCES, TAP_PART(600));
}

TAP_CASE(all_of_it)
{
	chase_many(&(struct small_shape){.threads = 3,
					 .ops = 4,
					 .locks = true,
					 .tries = true,
					 .untold = true,
					 .asserts = true,
					 .exits = true,
					 .late_forks = true},
		   HUNT_PATHS, TAP_PART(600));
}

TAP_CASE(all_of_it_by_sources)
{
	chase_many(&(struct small_shape){.threads = 3,
					 .ops = 3,
					 .locks = true,
					 .tries = true,
					 .untold = true,
					 .asserts = true,
					 .exits = true,
					 .late_forks = true},
		   HUNT_SOURCES, TAP_PART(600));
}

TAP_CASE(sources)
{
	chase_many(&(struct small_shape){.threads = 3, .ops = 4, .untold = true}, HUNT_SOURCES,
		   TAP_PART(600));
}
