/* SPDX-License-Identifier: MIT */
/*
 * What comes before what by fork, join and barriers, and sets of readers: against clocks with a
 * place for each thread there ever was.
 */
#include "record/keep/handed.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#include <string.h>

#define THREADS 48
#define CELLS 3
#define STEPS 400
#define RUNS 3000

struct access {
	uint32_t thread, time, stamp;
};

struct world {
	struct random random;
	struct handed handed;
	bool again; /* threads are joined more than once */
	bool lives[THREADS], ended[THREADS];
	uint32_t made, barriers;
	uint32_t clock[THREADS][THREADS];
	struct access accesses[STEPS * 2];
	size_t n;
	struct {
		uint32_t set;
		struct access readers[STEPS * 2];
		size_t n;
	} cells[CELLS];
	bool wrong, missed;
};

static uint32_t any_thread(struct world *w, const bool *of)
{
	uint32_t t;

	do
		t = random_below(&w->random, w->made);
	while (!of[t]);
	return t;
}

static void learn(struct world *w, uint32_t *to, const uint32_t *from)
{
	(void)w;
	for (uint32_t i = 0; i < THREADS; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

static bool is_before(const struct world *w, const struct access *a, uint32_t thread)
{
	return a->thread == thread || w->clock[thread][a->thread] >= a->stamp;
}

static struct access access_now(struct world *w, uint32_t thread)
{
	return (struct access){thread, handed_time(&w->handed, thread), ++w->clock[thread][thread]};
}

static void compare(struct world *w, bool have, bool want)
{
	w->wrong |= have && !want;
	w->missed |= want && !have;
}

static void look(struct world *w, uint32_t thread)
{
	uint32_t c = random_below(&w->random, CELLS);
	struct access now = access_now(w, thread);

	for (unsigned i = 0; w->n && i < 4; i++) {
		const struct access *a = &w->accesses[random_below(&w->random, (uint32_t)w->n)];

		if (a->thread != thread)
			compare(w, handed_before(&w->handed, a->thread, a->time, thread),
				is_before(w, a, thread));
	}
	w->accesses[w->n++] = now;
	bool all = true;

	for (size_t i = 0; i < w->cells[c].n; i++)
		all &= is_before(w, &w->cells[c].readers[i], thread);
	compare(w, handed_readers_before(&w->handed, w->cells[c].set, thread), all);
	if (random_percent(&w->random, 15)) {
		w->cells[c].n = 0;
		w->cells[c].set = 0;
	} else {
		w->cells[c].set = handed_add_reader(&w->handed, w->cells[c].set, thread);
		w->cells[c].readers[w->cells[c].n++] = now;
	}
}

static void fork_one(struct world *w)
{
	uint32_t by = any_thread(w, w->lives), child = w->made;

	if (child == THREADS)
		return;
	w->made++;
	w->lives[child] = true;
	handed_fork(&w->handed, by, child);
	learn(w, w->clock[child], w->clock[by]);
}

static void join_one(struct world *w)
{
	uint32_t by = any_thread(w, w->lives), other = any_thread(w, w->lives);
	bool more = w->again && random_percent(&w->random, 40);

	if (more)
		for (uint32_t i = 0; i < w->made; i++)
			other = w->ended[i] && random_percent(&w->random, 30) ? i : other;
	if (!other || other == by)
		return;
	w->lives[other] = false;
	w->ended[other] = true;
	handed_join(&w->handed, by, other);
	learn(w, w->clock[by], w->clock[other]);
}

/* Some threads pass a barrier a few times. Who is quick enters it again before others have left. */
static void meet(struct world *w)
{
	uint32_t who[4], parties = 0, entered[4] = {0}, left[4] = {0}, all = 0,
			 object = w->barriers++;
	uint32_t known[4][THREADS] = {{0}}, rounds = 1 + random_below(&w->random, 3);

	for (uint32_t t = 0; t < w->made && parties < 4; t++)
		if (w->lives[t] && random_percent(&w->random, 60))
			who[parties++] = t;
	if (!parties)
		return;
	handed_open(&w->handed, object, parties);
	for (uint32_t left_all = 0; left_all < parties * rounds;) {
		uint32_t i = random_below(&w->random, parties), t = who[i];

		if (entered[i] == left[i] && entered[i] < rounds) {
			handed_enter(&w->handed, t, object);
			learn(w, known[entered[i]], w->clock[t]);
			w->clock[t][t]++;
			entered[i]++;
			all++;
		} else if (left[i] < entered[i] && all >= entered[i] * parties) {
			handed_leave(&w->handed, t, object);
			learn(w, w->clock[t], known[left[i]]);
			left[i]++;
			left_all++;
			if (w->n < STEPS && random_percent(&w->random, 50))
				look(w, t);
		}
	}
}

static void one_run(struct world *w, uint64_t seed, bool again)
{
	memset(w, 0, sizeof(*w));
	w->random = random_seeded(seed);
	w->again = again;
	w->made = 1;
	w->lives[0] = true;
	handed_init(&w->handed, THREADS);
	for (unsigned i = 0; i < STEPS / 2; i++) {
		uint32_t what = random_below(&w->random, 100);

		if (what < 18)
			fork_one(w);
		else if (what < 36)
			join_one(w);
		else if (what < 42)
			meet(w);
		else if (w->n < STEPS)
			look(w, any_thread(w, w->lives));
	}
	handed_release(&w->handed);
}

static void run_all(bool again, bool *wrong, bool *missed)
{
	static struct world w;
	uint32_t seats = 0, made = 0;

	*wrong = *missed = false;
	for (uint64_t seed = 1; seed <= TAP_PART(RUNS); seed++) {
		one_run(&w, seed, again);
		*wrong |= w.wrong;
		*missed |= w.missed;
		seats += w.handed.seats;
		made += w.made;
	}
	ASSERT_EQ(seats < made, true);
}

TAP_CASE(what_is_over_is_known)
{
	bool wrong, missed;

	run_all(false, &wrong, &missed);
	ASSERT_EQ(wrong, false);
	ASSERT_EQ(missed, false);
}

/* Something may be forgotten then. */
TAP_CASE(threads_that_several_join)
{
	bool wrong, missed;

	run_all(true, &wrong, &missed);
	ASSERT_EQ(wrong, false);
}
