/* SPDX-License-Identifier: MIT */
/* The witness as steps of one thread each, and what is worth saying of them. */
#include "report/story.h"

#include <stdlib.h>

/* Of each variable its last writer so far; of those that were met, 1 + it. */
static uint32_t *last_writer(const struct index *index, const struct witness *w, uint32_t *last,
			     uint32_t variable)
{
	if (!last[variable])
		last[variable] = 1 + index_writer_by(index, variable, w->recorded);
	return &last[variable];
}

/* Reads that see another write: the run is followed with the last writer of each variable. */
static void find_changed(const struct index *index, const struct witness *w, size_t i,
			 uint32_t *last, struct steps *steps)
{
	uint32_t n = (uint32_t)witness_event(w, i), count = index_part_count(index, n);
	const struct event *e = &index->events[n];

	for (uint32_t k = 0; k < count; k++) {
		uint32_t variable = k ? event_part(e, k).variable : e->object;
		uint32_t *writer = last_writer(index, w, last, variable);
		struct changed_read changed = {i, variable, *writer - 1,
					       index->writer[index->parts[n] + k]};

		if (event_is(e, EV_RETURNS) && changed.writer != changed.recorded)
			vec_push(&steps->changed, changed);
		if (event_is(e, EV_STORES) && event_is(e, EV_VALUE))
			*writer = n + 1;
	}
}

/* The event goes on with the last step, or begins one. */
static void add_event(const struct story *s, const struct witness *w, size_t i, struct steps *steps)
{
	struct step step = {s->index->events[witness_event(w, i)].thread, i, i + 1};

	if (steps->ascending == i && (!i || witness_event(w, i - 1) < witness_event(w, i)))
		steps->ascending++;
	if (steps->all.n && steps->all.at[steps->all.n - 1].thread == step.thread)
		steps->all.at[steps->all.n - 1].end++;
	else
		vec_push(&steps->all, step);
}

/* The event comes next in its thread: behind the scope of the branch before it, or in it? */
static void find_other(const struct index *index, const struct witness *w, size_t *last,
		       uint64_t event, struct steps *steps)
{
	size_t before = last[index->events[event].thread]; /* 1 + its place */
	uint32_t branch = before ? (uint32_t)witness_event(w, before - 1) : 0;

	if (branch && index_scope(index, branch) &&
	    index->position[event] > index->position[branch] + 1)
		vec_push(&steps->others, before - 1);
}

static int compare_places(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static void find_others(const struct index *index, const struct witness *w, struct steps *steps)
{
	size_t *last = mem_alloc_zero(index->thread_count + 1, sizeof(*last));

	for (uint32_t t = 0; w->recorded && t < index->thread_count; t++) {
		uint32_t come = index_come_by(index, t, w->recorded);

		last[t] = come ? index->threads[t].events[come - 1] : 0; /* its place and number */
	}
	for (size_t i = w->recorded; i < witness_length(w); i++) {
		find_other(index, w, last, witness_event(w, i), steps);
		last[index->events[witness_event(w, i)].thread] = i + 1;
	}
	for (size_t i = 0; !bug_facts[w->bug].past && i < w->bug_events.n; i++)
		find_other(index, w, last, w->bug_events.at[i], steps);
	if (steps->others.n)
		qsort(steps->others.at, steps->others.n, sizeof(*steps->others.at), compare_places);
	mem_free(last);
}

static uint32_t count_threads(const struct story *s, const struct witness *w,
			      const struct steps *steps)
{
	bool *seen = mem_alloc_zero(s->index->thread_count + 1, sizeof(*seen));
	uint32_t count = 0;

	for (uint32_t t = 0; w->recorded && t < s->index->thread_count; t++)
		count += seen[t] = index_come_by(s->index, t, w->recorded);
	for (size_t i = 0; i < steps->all.n; i++) {
		count += !seen[steps->all.at[i].thread];
		seen[steps->all.at[i].thread] = true;
	}
	mem_free(seen);
	return count;
}

void story_steps(const struct story *s, const struct witness *w, struct steps *steps)
{
	uint32_t *last =
		mem_alloc_zero(symbols_count(s->symbols, CLASS_VARIABLE) + 1, sizeof(*last));

	*steps = (struct steps){.ascending = w->recorded};
	for (size_t i = w->recorded; i < witness_length(w); i++) {
		add_event(s, w, i, steps);
		find_changed(s->index, w, i, last, steps);
	}
	if (s->index->arm)
		find_others(s->index, w, steps);
	steps->threads = count_threads(s, w, steps);
	mem_free(last);
}

void steps_release(struct steps *steps)
{
	vec_release(&steps->all);
	vec_release(&steps->changed);
	vec_release(&steps->others);
}

static bool is_of_interest(const struct event *e)
{
	switch (e->kind) {
	case EV_BEGIN:
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_BRANCH:
	case EV_EXTERNAL: return false;
	default: return true;
	}
}

static bool is_noted(const struct story *s, const struct step_notes *notes, const struct event *e)
{
	for (uint32_t i = 0; i < notes->count; i++) {
		const struct event *at = &s->index->events[notes->events[i]];

		if (at->kind == e->kind && at->object == e->object)
			return true;
	}
	return false;
}

void story_notes(const struct story *s, const struct witness *w, const struct step *step,
		 struct step_notes *notes)
{
	*notes = (struct step_notes){0};
	for (size_t i = step->first; i < step->end; i++) {
		const struct event *e = &s->index->events[witness_event(w, i)];

		if (!is_of_interest(e) || is_noted(s, notes, e))
			continue;
		if (notes->count < STEP_NOTES_MAX)
			notes->events[notes->count++] = (uint32_t)witness_event(w, i);
		else
			notes->more++;
	}
}
