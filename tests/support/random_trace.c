/* SPDX-License-Identifier: MIT */
#include "tests/support/random_trace_parts.h"

#include <stdlib.h>

static bool step_mark(struct world *w, struct thread *t)
{
	static const char *const args[] = {"",	    " 1",   " 1 2", " x =", " @odd reads=3",
					   " if (", " é -7"};
	static const char *const plain_args[] = {"", " 1", " 1 2"};

	random_print_op(w, t, "mark");
	random_print_named(w, 'm', below(w, 3));
	bool spell = has(w, RANDOM_SPELLING);

	fputs(spell ? args[below(w, 7)] : plain_args[below(w, 3)], w->out);
	random_print_skip(w);
	if (has(w, RANDOM_LOCATIONS) && percent(w, 60))
		fputs(" @m.c:5", w->out);
	random_print_line_end(w);
	return true;
}

/* Mostly in pairs; with and without a word. */
static bool step_region(struct world *w, struct thread *t)
{
	bool begins = t->regions ? percent(w, 8) : percent(w, 95);

	random_print_op(w, t, "mark");
	random_print_word(w, "atomic");
	if (percent(w, 6))
		random_print_word(w, "a");
	random_print_word(w, begins ? "begin" : "end");
	random_print_line_end(w);
	t->regions += begins ? 1 : t->regions ? -1 : 0;
	return true;
}

/* Threads */

static bool step_fork(struct world *w, struct thread *t)
{
	struct thread *other = &w->threads[below(w, (int)w->knobs.threads)];

	if (other == t || !other->needs_fork || other->forked)
		return false;
	other->forked = true;
	random_print_op(w, t, "fork");
	random_print_word(w, other->name);
	random_print_rest(w, t);
	return true;
}

static bool step_join(struct world *w, struct thread *t)
{
	struct thread *other = &w->threads[below(w, (int)w->knobs.threads)];
	bool exists = !other->needs_fork || other->forked; /* but may have no events */
	bool idle = exists && !other->waiting && other->barrier < 0;

	if (other == t || !(other->finished || (idle && percent(w, 10))))
		return false;
	other->finished = true;
	random_print_op(w, t, "join");
	random_print_word(w, other->name);
	random_print_rest(w, t);
	return true;
}

static bool step_end(struct world *w, struct thread *t)
{
	/* long traces shall not lose their threads early */
	if (w->events + 12 < w->knobs.events && (random_others_running(w, t) < 2 || percent(w, 95)))
		return false;
	/* not too often with locks held */
	for (int l = 0; l < (int)w->knobs.locks; l++)
		if (w->locks[l].owner == thread_number(w, t) && percent(w, 90))
			return false;
	t->finished = true;
	random_print_op(w, t, "end");
	random_print_rest(w, t);
	return true;
}

static bool step_begin(struct world *w, struct thread *t)
{
	random_print_op(w, t, "begin");
	random_print_rest(w, t);
	return true;
}

/* What a running thread may do, how often, and the feature that it belongs to (0: plain). */
static const struct {
	random_step *take;
	int weight;
	uint32_t feature;
} steps[] = {
	{random_step_read, 22, 0},
	{random_step_write, 18, 0},
	{random_step_branch, 6, 0},
	{random_step_acquire, 14, 0},
	{random_step_release, 18, 0},
	{step_fork, 10, 0},
	{step_join, 6, 0},
	{step_end, 2, 0},
	{random_step_rmw, 10, RANDOM_ATOMIC},
	{random_step_acquire_shared, 9, RANDOM_SHARED},
	{random_step_release_shared, 12, RANDOM_SHARED},
	{random_step_try_fail, 6, RANDOM_TRY},
	{random_step_wait, 20, RANDOM_CONDITIONS},
	{random_step_signal, 8, RANDOM_CONDITIONS},
	{random_step_broadcast, 4, RANDOM_CONDITIONS},
	{random_step_barrier_enter, 6, RANDOM_BARRIERS},
	{random_step_semaphore, 8, RANDOM_SEMAPHORES},
	{random_step_once, 8, RANDOM_ONCE},
	{random_step_alloc, 10, RANDOM_ALLOC},
	{random_step_free, 5, RANDOM_ALLOC},
	{random_step_external, 5, RANDOM_EXTERNAL},
	{step_mark, 5, RANDOM_MARKS},
	{step_region, 24, RANDOM_REGIONS},
};

#define STEPS ((int)(sizeof(steps) / sizeof(*steps)))

static int step_weight(const struct world *w, int i)
{
	random_step *take = steps[i].take;
	bool locks = take == random_step_acquire || take == random_step_release ||
		     take == random_step_acquire_shared || take == random_step_release_shared ||
		     take == random_step_wait;

	if (steps[i].feature && !has(w, steps[i].feature))
		return 0;
	if (has(w, RANDOM_VALUES) && take != random_step_read && take != random_step_write &&
	    take != random_step_rmw && take != step_region)
		return take == random_step_branch ? 3 * steps[i].weight : 0;
	return has(w, RANDOM_LOCKY) && locks ? 8 * steps[i].weight : steps[i].weight;
}

static bool take_step(struct world *w, struct thread *t, bool ending)
{
	int total = 0;

	if (t->finished || (t->needs_fork && !t->forked))
		return false;
	if (t->waiting)
		return random_step_woken(w, t);
	if (t->barrier >= 0)
		return random_step_barrier_exit(w, t);
	if (!t->started && !has(w, RANDOM_VALUES) && percent(w, 50))
		return step_begin(w, t);
	if (ending && !has(w, RANDOM_VALUES) && percent(w, 40))
		return step_end(w, t);
	if (has(w, RANDOM_SCOPES) && t->read_count > t->tested) {
		t->tested = t->read_count;
		if (percent(w, 60))
			return random_step_branch(w, t);
	}
	for (int i = 0; i < STEPS; i++)
		total += step_weight(w, i);
	int pick = below(w, total);

	for (int i = 0; i < STEPS; i++) {
		pick -= step_weight(w, i);
		if (pick < 0)
			return steps[i].take(w, t);
	}
	return false;
}

/* Setting up */

static void set_up(struct world *w)
{
	static const char *const plain_names[] = {"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"};
	static const char *const odd_names[] = {"main", "T1", "1", "read", "%1", "(", "é", "t-8"};
	bool odd = has(w, RANDOM_SPELLING) && percent(w, 50);

	if (has(w, RANDOM_META)) {
		fputs("meta program a.out --with args\n", w->out);
		fputs("meta empty\n", w->out);
		fputs("meta program again  two blanks # no comment\n", w->out);
	}
	if (has(w, RANDOM_EXPRS))
		fputs(TERM_CONSTANT, w->out);
	for (int i = 0; i < (int)w->knobs.threads; i++) {
		struct thread *t = &w->threads[i];

		t->name = odd ? odd_names[i] : plain_names[i];
		t->needs_fork = i > 0 && !has(w, RANDOM_VALUES) && percent(w, 50);
		t->barrier = -1;
		t->condition = -1;
	}
	for (int i = 0; i < RANDOM_LOCKS_MAX; i++)
		w->locks[i].owner = -1;
	for (int i = 0; i < OTHERS; i++) {
		w->parties[i] = 1 + below(w, (int)w->knobs.threads);
		w->count[i] = below(w, 3);
		w->once_thread[i] = -1;
		if (!has(w, RANDOM_SPELLING) || percent(w, 50)) {
			if (has(w, RANDOM_BARRIERS))
				random_declare_barrier(w, i);
			if (has(w, RANDOM_SEMAPHORES))
				random_declare_semaphore(w, i);
		}
	}
	random_set_up_variables(w);
}

char *random_trace_make(const struct random_trace *knobs)
{
	struct world *w = calloc(1, sizeof(*w));
	char *text = NULL;
	size_t size = 0;

	w->knobs = *knobs;
	w->r = random_seeded(knobs->seed);
	w->out = open_memstream(&text, &size);
	set_up(w);
	/* all may wait for each other: then the trace ends */
	for (int fails = 0; w->events < knobs->events && fails < 500; fails++) {
		struct thread *t = &w->threads[below(w, (int)knobs->threads)];
		bool ending = w->events + knobs->threads + 2 >= knobs->events;

		if (take_step(w, t, ending))
			fails = 0;
	}
	fclose(w->out);
	for (int i = 0; i < RANDOM_THREADS_MAX; i++) {
		free(w->threads[i].reads);
		free(w->threads[i].values);
	}
	free(w);
	return knobs->features & RANDOM_SCOPES ? random_add_scopes(text, knobs->seed) : text;
}

struct random_trace random_trace_knobs(uint64_t seed, uint32_t events, uint32_t allowed)
{
	struct random r = random_seeded(seed ^ 0x6b6e6f6273); /* apart from the trace's own */
	struct random_trace knobs = {
		.seed = seed,
		.threads = 2 + random_below(&r, 3),
		.events = events,
		.variables = 1 + random_below(&r, 5),
		.locks = 1 + random_below(&r, 3),
		.features = allowed,
	};

	if (!random_percent(&r, 12))
		knobs.features &= (uint32_t)random_next(&r);
	return knobs;
}
