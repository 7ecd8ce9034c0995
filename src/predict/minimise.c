/* SPDX-License-Identifier: MIT */
#include "predict/minimise_parts.h"
#include "predict/tune.h"

#include <stdlib.h>

/*
 * Steps for trying what may or may not work, on small runs: about a tenth of a second for each of
 * few, and two seconds for all of many.
 */
static uint64_t choose_tries(size_t witnesses)
{
	uint64_t each = predict_tune.minimise_all / (witnesses + 1);
	uint64_t least = predict_tune.minimise_least;

	return each > predict_tune.minimise_steps ? predict_tune.minimise_steps
	       : each < least			  ? least
						  : each;
}

struct minimiser *minimiser_new(const struct index *index, enum model model, size_t witnesses)
{
	struct minimiser *m = mem_alloc_zero(1, sizeof(*m));

	m->index = index;
	m->model = model;
	m->run = run_new(index, model);
	m->needs = needs_new(index);
	m->sections = sections_of(index);
	m->marks = run_marks_new(index, 0);
	m->tries = choose_tries(witnesses);
	m->place = mem_alloc_zero((size_t)index->count + 1, sizeof(*m->place));
	m->flags = mem_alloc_zero((size_t)index->count + 1, sizeof(*m->flags));
	return m;
}

void minimiser_free(struct minimiser *m)
{
	if (!m)
		return;
	run_free(m->run);
	run_marks_free(m->marks);
	needs_free(m->needs);
	mem_free(m->place);
	mem_free(m->flags);
	for (int c = 0; c < CLASS_COUNT; c++) {
		vec_release(&m->last[c].of);
		vec_release(&m->last[c].known);
		vec_release(&m->last[c].touched);
	}
	vec_release(&m->sources);
	vec_release(&m->matters);
	vec_release(&m->tried);
	mem_free(m);
}

size_t minimise_count_switches(const struct index *index, const uint64_t *run, size_t n)
{
	size_t switches = 0;

	for (size_t i = 1; i < n; i++)
		switches += index->events[run[i]].thread != index->events[run[i - 1]].thread;
	return switches;
}

size_t minimise_switches(const struct index *index, const struct witness *w)
{
	return minimise_count_switches(index, w->run.at, w->run.n);
}

/* Candidates */

/* Exchanges the run of the witness for the other one if that is right too. */
static bool adopt(struct minimiser *m, struct witness *w, event_run *other)
{
	event_run old = {w->run.at, w->run.n, w->run.capacity};

	w->run.at = other->at;
	w->run.n = other->n;
	w->run.capacity = other->capacity;
	bool good = run_accepts(m->run, w);

	if (good) {
		*other = old;
		return true;
	}
	w->run.at = old.at;
	w->run.n = old.n;
	w->run.capacity = old.capacity;
	return false;
}

static void set_places(struct minimiser *m, const struct witness *w, bool there)
{
	for (size_t i = 0; i < w->run.n; i++)
		m->place[w->run.at[i]] = there ? (uint32_t)i + 1 : 0;
}

/* Also of what is as recorded, if that leaves little; what was so is then spelled out. */
static bool keep_few(struct minimiser *m, struct witness *w)
{
	uint64_t recorded = w->recorded;

	if (!minimise_keep(m, w, false, predict_tune.minimise_long, &m->tried))
		return false;
	set_places(m, w, false);
	w->recorded = 0;
	if (adopt(m, w, &m->tried))
		return true;
	w->recorded = recorded;
	set_places(m, w, true);
	return false;
}

/* Without what the bug does not need; then m->matters is of the run. */
static bool keep_needed(struct minimiser *m, struct witness *w)
{
	set_places(m, w, true);
	if (w->recorded && keep_few(m, w))
		return true;
	bool found = minimise_keep(m, w, true, predict_tune.minimise_long, &m->tried);

	set_places(m, w, false);
	return found && adopt(m, w, &m->tried);
}

/* matters may be NULL: all do. */
static void put_in_order(struct minimiser *m, struct witness *w, const bool *matters)
{
	event_run run = {w->run.at, w->run.n, w->run.capacity}, ordered = {0};

	set_places(m, w, true);
	minimise_order(m, &run, matters, &ordered);
	set_places(m, w, false);
	adopt(m, w, &ordered);
	vec_release(&ordered);
}

/* Each thread as far as it can go */

/* A thread with events in the run. */
struct runner {
	uint32_t thread;
	uint32_t end;	      /* position behind the last */
	uint32_t first, last; /* their places */
	bool by_first;	      /* how they are sorted */
};

static int compare_runners(const void *a, const void *b)
{
	const struct runner *x = a, *y = b;
	uint32_t p = x->by_first ? x->first : x->last, q = y->by_first ? y->first : y->last;

	return (p > q) - (p < q);
}

typedef VEC(struct runner) runners;

static void find_runners(const struct minimiser *m, const struct witness *w, runners *found)
{
	uint32_t *number = mem_alloc_zero(m->index->thread_count + 1, sizeof(*number)); /* + 1 */

	for (uint32_t i = 0; i < w->run.n; i++) {
		uint32_t thread = m->index->events[w->run.at[i]].thread;
		struct runner new = {.thread = thread, .first = i};

		if (!number[thread]) {
			vec_push(found, new);
			number[thread] = (uint32_t)found->n;
		}
		found->at[number[thread] - 1].last = i;
		found->at[number[thread] - 1].end = m->index->position[w->run.at[i]] + 1;
	}
	mem_free(number);
}

/* One runner after the other goes as far as it can; false: they are stuck, or it takes too long. */
static bool run_in_turn(struct minimiser *m, const struct witness *w, const runners *all,
			event_run *result)
{
	uint64_t asked = 0;
	size_t before = SIZE_MAX, n = w->run.n;

	run_start(m->run, m->base, (uint32_t)w->recorded + 1);
	result->n = 0;
	while (result->n < n && result->n != before && asked < 4 * n + 1000) {
		before = result->n;
		for (size_t i = 0; i < all->n; i++, asked++) {
			uint32_t next;

			while ((next = run_next(m->run, all->at[i].thread)) &&
			       m->index->position[next] < all->at[i].end &&
			       run_step(m->run, next, NULL))
				vec_push(result, next);
		}
	}
	return result->n == n;
}

/*
 * Sections may come in another order, and reads may see other writes, as long as it works. It
 * often does, and then nothing beats it; who ends first in the run goes first, or who begins.
 */
static void run_on(struct minimiser *m, struct witness *w)
{
	runners all = {0};
	event_run run = {0};

	find_runners(m, w, &all);
	for (int by_first = 0; by_first < 2 && all.n > 1; by_first++) {
		for (size_t i = 0; i < all.n; i++)
			all.at[i].by_first = by_first;
		qsort(all.at, all.n, sizeof(*all.at), compare_runners);
		if (run_in_turn(m, w, &all, &run) &&
		    minimise_count_switches(m->index, run.at, run.n) <
			    minimise_switches(m->index, w))
			adopt(m, w, &run);
	}
	vec_release(&all);
	vec_release(&run);
}

/* Small runs: try */

struct trial {
	struct minimiser *m;
	struct witness *w;
	event_run run;	/* what is tried */
	uint64_t steps; /* left */
};

static bool can_try(const struct trial *t)
{
	return t->steps > t->w->run.n + 1;
}

static void begin_trial(struct trial *t)
{
	t->steps -= t->w->run.n + 1;
	t->run.n = 0;
}

static bool try_run(struct trial *t)
{
	return adopt(t->m, t->w, &t->run);
}

static uint32_t thread_at(const struct trial *t, size_t i)
{
	return t->m->index->events[t->w->run.at[i]].thread;
}

/* Without the last `drop` events of the thread. */
static bool try_drop(struct trial *t, uint32_t thread, size_t drop, size_t count)
{
	size_t seen = 0;

	begin_trial(t);
	for (size_t i = 0; i < t->w->run.n; i++) {
		if (thread_at(t, i) == thread && seen++ >= count - drop)
			continue;
		vec_push(&t->run, t->w->run.at[i]);
	}
	return try_run(t);
}

/* Cuts off the thread's end, in large pieces first; returns whether any went. */
static bool drop_ends(struct trial *t, uint32_t thread)
{
	size_t count = 0;
	bool any = false;

	for (size_t i = 0; i < t->w->run.n; i++)
		count += thread_at(t, i) == thread;
	for (size_t drop = count; drop && can_try(t); drop = drop < count ? drop : count) {
		if (try_drop(t, thread, drop, count)) {
			count -= drop;
			any = true;
		} else {
			drop /= 2;
		}
	}
	return any;
}

static size_t block_end(const struct trial *t, size_t first)
{
	size_t end = first;

	while (end < t->w->run.n && thread_at(t, end) == thread_at(t, first))
		end++;
	return end;
}

/* With run[first…end) in front of what stands at `to`. */
static bool try_move(struct trial *t, size_t first, size_t end, size_t to)
{
	if (!can_try(t))
		return false;
	begin_trial(t);
	for (size_t i = 0; i <= t->w->run.n; i++) {
		for (size_t k = first; i == to && k < end; k++)
			vec_push(&t->run, t->w->run.at[k]);
		if (i < t->w->run.n && (i < first || i >= end))
			vec_push(&t->run, t->w->run.at[i]);
	}
	return minimise_count_switches(t->m->index, t->run.at, t->run.n) <
		       minimise_switches(t->m->index, t->w) &&
	       try_run(t);
}

/* Where the thread of the block that starts there has its next one; n if it has none. */
static size_t next_block(const struct trial *t, size_t first)
{
	size_t i = block_end(t, first);

	while (i < t->w->run.n && thread_at(t, i) != thread_at(t, first))
		i++;
	return i;
}

/* Joins blocks of one thread: the later one moves up, or the earlier one down. */
static bool join_blocks(struct trial *t)
{
	bool any = false;

	for (size_t i = 0; i < t->w->run.n && can_try(t);) {
		size_t end = block_end(t, i), next = next_block(t, i);

		if (next < t->w->run.n &&
		    (try_move(t, next, block_end(t, next), end) || try_move(t, i, end, next))) {
			any = true;
			continue; /* the place is the start of a block still, or nearly so */
		}
		i = end;
	}
	return any;
}

static void try_small(struct minimiser *m, struct witness *w)
{
	struct trial t = {.m = m, .w = w, .steps = m->tries};
	bool drops = w->model != MODEL_SAID;

	for (bool any = true; any && can_try(&t);) {
		any = false;
		for (uint32_t thread = 0; drops && thread < m->index->thread_count; thread++)
			any |= drop_ends(&t, thread);
		any |= join_blocks(&t);
	}
	vec_release(&t.run);
}

void minimise(struct minimiser *m, struct witness *w)
{
	/* said needs all events somewhere; nobody knows what a bug of all threads needs */
	bool ends = w->monitor && !w->bug_events.n; /* it is about where all threads stand */
	bool all = w->model == MODEL_SAID || bug_facts[w->bug].everyone || ends;

	ASSERT(w->model == m->model);
	if (bug_facts[w->bug].past || bug_facts[w->bug].everyone ||
	    witness_length(w) <= predict_tune.minimise_long)
		witness_spell(w);
	else
		witness_fold(w);
	run_allow_early(m->run, bug_facts[w->bug].early || ends);
	m->base = w->recorded ? run_marks_at(m->run, m->marks, (uint32_t)w->recorded + 1) : NULL;
	run_use_marks(m->run, m->base);
	bool kept = !all && w->run.n <= predict_tune.minimise_most && keep_needed(m, w);

	if (w->run.n <= predict_tune.minimise_long) {
		put_in_order(m, w, kept ? m->matters.at : NULL);
		run_on(m, w);
	}
	if (w->run.n <= predict_tune.minimise_small)
		try_small(m, w);
	run_use_marks(m->run, NULL);
	run_marks_free(m->base);
	m->base = NULL;
}
