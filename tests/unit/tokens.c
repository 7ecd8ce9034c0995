/* SPDX-License-Identifier: MIT */
/*
 * Counting semaphores (deadlock/tokens.h): of random traces full of them, no event is ruled out at
 * which a thread waits in a stuck state, and many are at which none does.
 *
 * SOAK=20000	so many traces
 * SEED=17	this trace alone
 */
#include "deadlock/waits.h"
#include "search/explore/stuck.h"
#include "tests/support/explored.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACES 3000
#define THREADS 4
#define SEMAPHORES 3
#define STEPS 12

/* What a thread does: posts (semaphore + 1), waits (minus that), or forks (FORKS + thread). */
#define FORKS 100

struct program {
	int counts[SEMAPHORES];
	int steps[THREADS][STEPS];
	int lengths[THREADS];
};

static void add_step(struct program *p, int thread, int step)
{
	p->steps[thread][p->lengths[thread]++] = step;
}

/* Each is forked by one before it, at some time; most by the first. */
static void make_program(struct random *random, struct program *p)
{
	int threads = 2 + (int)random_below(random, THREADS - 1), forker[THREADS] = {-1};
	uint32_t semaphores = 1 + random_below(random, SEMAPHORES);

	memset(p, 0, sizeof(*p));
	for (uint32_t s = 0; s < semaphores; s++)
		p->counts[s] = (int)random_below(random, 3);
	for (int t = 1; t < threads; t++)
		forker[t] = random_percent(random, 70) ? 0 : (int)random_below(random, (uint32_t)t);
	for (int t = 0; t < threads; t++) {
		int n = 1 + (int)random_below(random, 5);

		for (int i = 0; i < n; i++) {
			int s = 1 + (int)random_below(random, semaphores);

			add_step(p, t, random_percent(random, 50) ? s : -s);
			for (int other = t + 1; other < threads; other++)
				if (forker[other] == t &&
				    (i == n - 1 || random_percent(random, 30))) {
					add_step(p, t, FORKS + other);
					forker[other] = -1;
				}
		}
	}
}

static void write_step(FILE *out, int thread, int step)
{
	if (step >= FORKS)
		fprintf(out, "T%d fork T%d\nT%d begin\n", thread, step - FORKS, step - FORKS);
	else
		fprintf(out, "T%d sem-%s s%d\n", thread, step > 0 ? "post" : "wait", abs(step) - 1);
}

/* The trace of a run, by chance; NULL if it gets stuck. */
static char *run_program(struct random *random, const struct program *p)
{
	int at[THREADS] = {0}, counts[SEMAPHORES], left = 0;
	bool born[THREADS] = {true};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	memcpy(counts, p->counts, sizeof(counts));
	for (int s = 0; s < SEMAPHORES; s++)
		fprintf(out, "sem s%d %d\n", s, counts[s]);
	for (int t = 0; t < THREADS; t++)
		left += p->lengths[t];
	for (int tries = 0; left && tries < 500; tries++) {
		int t = (int)random_below(random, THREADS);
		int step = born[t] && at[t] < p->lengths[t] ? p->steps[t][at[t]] : 0;

		if (!step || (step < 0 && !counts[-step - 1]))
			continue;
		if (step >= FORKS)
			born[step - FORKS] = true;
		else
			counts[abs(step) - 1] += step > 0 ? 1 : -1;
		write_step(out, t, step);
		at[t]++;
		left--;
	}
	for (int t = THREADS - 1; t >= 0; t--)
		if (born[t] && p->lengths[t])
			fprintf(out, "T%d end\n", t);
	fclose(out);
	if (!left)
		return text;
	free(text);
	return NULL;
}

struct tally {
	size_t traces, stuck, none_nominated;
};

static bool is_nominated(const struct waits *waits, uint64_t event)
{
	for (size_t i = 0; i < waits->events.n; i++)
		if (waits->events.at[i] == event)
			return true;
	return false;
}

static void check_trace(const char *text, struct tally *tally)
{
	struct index *index = index_of_text(text);
	struct stuck_options all_states = {.all = true};
	struct stuck_result found;
	struct waits waits = {0};
	struct err err = {0};

	waits_find(index, sections_of(index), &waits);
	if (stuck_explore(index, MODEL_MAXIMAL, &all_states, &found, &err) < 0)
		FAIL("%s", err.message);
	for (size_t i = 0; i < found.found.n; i++)
		for (size_t k = 0; k < found.found.at[i].witness.bug_events.n; k++)
			if (!is_nominated(&waits, found.found.at[i].witness.bug_events.at[k]))
				FAIL("event %llu is not nominated",
				     (unsigned long long)found.found.at[i]
					     .witness.bug_events.at[k]);
	tally->traces++;
	tally->stuck += found.found.n > 0;
	tally->none_nominated += !waits.events.n;
	stuck_result_release(&found);
	vec_release(&waits.events);
	index_free(index);
}

TAP_CASE(every_stuck_state_is_nominated)
{
	const char *soak = getenv("SOAK"), *only = getenv("SEED");
	uint64_t count = soak ? strtoull(soak, NULL, 10) : TAP_PART(TRACES);
	uint64_t first = only ? strtoull(only, NULL, 10) : 0;
	struct tally t = {0};

	if (soak)
		alarm(0);
	for (uint64_t seed = first; seed < (only ? first + 1 : count); seed++) {
		struct random random = random_seeded(seed);
		struct program p;

		make_program(&random, &p);
		char *text = run_program(&random, &p);

		if (!text)
			continue;
		tap_at("SEED=%llu, the trace:\n%s", (unsigned long long)seed, text);
		check_trace(text, &t);
		free(text);
	}
	tap_note("%zu traces, %zu with stuck states; in %zu nothing is nominated", t.traces,
		 t.stuck, t.none_nominated);
	if (t.traces >= 100)
		ASSERT_TRUE(t.stuck > t.traces / 20 && t.none_nominated > t.traces / 2);
}

/* A producer and a consumer with a bounded buffer never wait for ever. */
static char *bounded_buffer(int items)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "sem places 2\nsem items 0\nT0 fork T1\nT0 fork T2\nT1 begin\nT2 begin\n");
	for (int i = 0; i < items; i++)
		fprintf(out, "T1 sem-wait places\nT1 sem-post items\nT2 sem-wait items\n"
			     "T2 sem-post places\n");
	fprintf(out, "T1 end\nT2 end\nT0 join T1\nT0 join T2\nT0 end\n");
	fclose(out);
	return text;
}

static size_t count_nominated(char *text)
{
	struct index *index = index_of_text(text);
	struct waits waits = {0};

	waits_find(index, sections_of(index), &waits);
	size_t n = waits.events.n;

	vec_release(&waits.events);
	index_free(index);
	free(text);
	return n;
}

TAP_CASE(a_bounded_buffer)
{
	ASSERT_EQ(count_nominated(bounded_buffer(100)), 0);
	ASSERT_EQ(count_nominated(bounded_buffer(3000)), 0);
}

/* One semaphore for both directions: it may take its own post back. */
TAP_CASE(a_producer_that_takes_back)
{
	char *text = strdup("sem s 0\nT0 fork T1\nT1 begin\nT0 sem-post s\nT1 sem-wait s\n"
			    "T1 sem-post s\nT0 sem-wait s\nT1 end\nT0 join T1\nT0 end\n");

	ASSERT_TRUE(count_nominated(text) > 0);
}
