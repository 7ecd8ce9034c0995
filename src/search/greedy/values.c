/* SPDX-License-Identifier: MIT */
#include "search/greedy/set.h"

#include "model/whole.h"
#include "trace/expr.h"

struct trial {
	const struct index *index;
	uint32_t read;
	int64_t value; /* that it returns; the others return what was recorded */
};

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	const struct trial *t = context;
	const struct event *e = &t->index->events[read];
	uint32_t shift;
	uint64_t mask;

	*value = whole_recorded(t->index->symbols, e);
	if (read != t->read)
		return true;
	*value = t->value;
	if (whole_place(t->index->symbols, e, 0, &shift, &mask))
		*value = (int64_t)((uint64_t)t->value & mask);
	return true;
}

static bool names(const uint64_t *reads, uint32_t n, uint32_t read)
{
	for (uint32_t i = 0; i < n; i++)
		if (reads[i] == read)
			return true;
	return false;
}

static bool expr_names(const struct expr *expr, uint32_t read)
{
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->nodes[i].op == OP_READ && expr->nodes[i].value == read)
			return true;
	return false;
}

/* The event can still happen. */
static bool still_can(const struct trial *t, const struct event *e)
{
	int64_t value;

	if (e->more && names(e->more->at, e->more->at_count, t->read))
		return false;
	if (e->kind != EV_BRANCH)
		return true;
	if (!e->more || (!e->more->expr && !e->more->reads_given))
		return false; /* it depends on all reads */
	if (!e->more->expr)
		return !names(e->more->reads, e->more->read_count, t->read);
	return !expr_names(e->more->expr, t->read) ||
	       (expr_value(e->more->expr, look_up, (void *)t, &value) && value);
}

/* The branches that name the read. */
static void find_branches(const struct greedy_set *s, struct greedy_set_trial *t, uint32_t read)
{
	const struct event *e = &s->index->events[read];
	const struct index_thread *thread = &s->index->threads[e->thread];
	uint32_t first = s->index->position[read] + 1, end = s->cut[e->thread];
	struct trial as_recorded = {s->index, read, e->value};

	t->read = read;
	t->branches.n = 0;
	t->never = event_part_count(e) != 1;
	if (end > first + greedy_tune.events_most)
		end = first + greedy_tune.events_most;
	for (uint32_t i = first; i < end && !t->never; i++) {
		const struct event *later = &s->index->events[thread->events[i]];

		t->never = !still_can(&as_recorded, later);
		if (later->kind == EV_BRANCH && later->more && later->more->expr &&
		    expr_names(later->more->expr, read))
			vec_push(&t->branches, thread->events[i]);
	}
}

bool greedy_set_value_does(const struct greedy_set *s, uint32_t read, int64_t value)
{
	struct greedy_set_trial *known = s->trial;
	struct trial t = {s->index, read, value};

	if (s->model != MODEL_VALUES)
		return false;
	if (known->read != read)
		find_branches(s, known, read);
	for (size_t i = 0; i < known->branches.n && !known->never; i++)
		if (!still_can(&t, &s->index->events[known->branches.at[i]]))
			return false;
	return !known->never;
}
