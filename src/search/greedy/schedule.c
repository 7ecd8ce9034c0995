/* SPDX-License-Identifier: MIT */
#include "search/greedy/schedule.h"

#include <string.h>

void greedy_schedule_init(struct greedy_schedule *s, struct greedy_set *set, struct run *run)
{
	const struct index *index = set->index;
	size_t variables = symbols_count(index->symbols, CLASS_VARIABLE);

	memset(s, 0, sizeof(*s));
	s->set = set;
	s->run = run;
	s->left = mem_alloc_zero(index->parts[index->count + 1] + (size_t)1, sizeof(*s->left));
	s->wanted = mem_alloc_zero(variables, sizeof(*s->wanted));
	s->writer = mem_alloc_zero(variables, sizeof(*s->writer));
}

void greedy_schedule_release(struct greedy_schedule *s)
{
	mem_free(s->left);
	mem_free(s->wanted);
	mem_free(s->writer);
	vec_release(&s->parts);
	vec_release(&s->variables);
	vec_release(&s->heap);
	vec_release(&s->blocked);
}

static bool is_write(const struct event *e)
{
	return event_is(e, EV_STORES) && event_is(e, EV_VALUE);
}

/* The part of the write that is of this variable. */
static uint32_t part_of(const struct index *index, uint32_t write, uint32_t variable)
{
	uint32_t p = index->parts[write];

	while (event_part(&index->events[write], p - index->parts[write]).variable != variable)
		p++;
	return p;
}

static void count(struct greedy_schedule *s, uint32_t read)
{
	const struct index *index = s->set->index;

	for (uint32_t p = index->parts[read]; p < index->parts[read + 1]; p++) {
		uint32_t variable =
			event_part(&index->events[read], p - index->parts[read]).variable;
		uint32_t writer = greedy_set_source(s->set, read, p);

		if (!writer || run_done(s->run, writer)) {
			s->wanted[variable]++;
			vec_push(&s->variables, variable);
		} else {
			uint32_t part = part_of(index, writer, variable);

			s->left[part]++;
			vec_push(&s->parts, part);
		}
	}
}

void greedy_schedule_start(struct greedy_schedule *s, const struct greedy_graph *graph)
{
	s->graph = graph;
	for (size_t i = 0; i < s->parts.n; i++)
		s->left[s->parts.at[i]] = 0;
	for (size_t i = 0; i < s->variables.n; i++)
		s->wanted[s->variables.at[i]] = s->writer[s->variables.at[i]] = 0;
	s->parts.n = s->variables.n = s->heap.n = s->blocked.n = 0;
	for (size_t i = 0; i < s->set->kept_list.n; i++)
		if (greedy_set_has(s->set, s->set->kept_list.at[i]) &&
		    !run_done(s->run, s->set->kept_list.at[i]))
			count(s, s->set->kept_list.at[i]);
}

static void push(struct greedy_schedule *s, uint32_t event)
{
	vec_push(&s->heap, event);
	for (size_t i = s->heap.n - 1; i && s->heap.at[(i - 1) / 2] > s->heap.at[i];
	     i = (i - 1) / 2) {
		s->heap.at[i] = s->heap.at[(i - 1) / 2];
		s->heap.at[(i - 1) / 2] = event;
	}
}

static uint32_t pop(struct greedy_schedule *s)
{
	uint32_t *heap = s->heap.at, least = heap[0];
	size_t i = 0;

	heap[0] = heap[--s->heap.n];
	for (;;) {
		size_t next = i, child = 2 * i + 1;

		if (child < s->heap.n && heap[child] < heap[next])
			next = child;
		if (child + 1 < s->heap.n && heap[child + 1] < heap[next])
			next = child + 1;
		if (next == i)
			return least;
		uint32_t event = heap[i];

		heap[i] = heap[next];
		heap[next] = event;
		i = next;
	}
}

static void push_next(struct greedy_schedule *s, uint32_t thread)
{
	uint32_t next = run_next(s->run, thread);

	if (next && s->set->index->position[next] < s->set->cut[thread])
		push(s, next);
}

static bool writer_came(const struct greedy_schedule *s, uint32_t writer)
{
	return !writer || run_done(s->run, writer);
}

/* The write is to leave what the variable holds already, where models look at values. */
static bool is_same(struct greedy_schedule *s, uint32_t n, uint32_t i)
{
	const struct event *e = &s->set->index->events[n];
	struct part part = event_part(e, i);
	int64_t value;

	return s->set->model != MODEL_PREDICTABLE && run_holds(s->run, part.variable, &value) &&
	       value == (e->kind == EV_RMW ? part.written : part.value);
}

/* A kept read other than itself still wants what the write would replace. */
static bool spoils(struct greedy_schedule *s, uint32_t n, struct greedy_schedule_block *block)
{
	const struct index *index = s->set->index;
	const struct event *e = &index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t variable = event_part(e, i).variable, own = 0;

		if (greedy_set_keeps(s->set, n))
			own = writer_came(s, greedy_set_source(s->set, n, index->parts[n] + i));
		if (s->wanted[variable] > own && !is_same(s, n, i)) {
			block->holder = s->writer[variable];
			return true;
		}
	}
	return false;
}

/* A kept read that would change: until the write that it waits for. */
static bool waits_for_value(struct greedy_schedule *s, uint32_t n,
			    struct greedy_schedule_block *block)
{
	const struct index *index = s->set->index;

	if (!greedy_set_keeps(s->set, n) || !run_would_change(s->run, n))
		return false;
	for (uint32_t p = index->parts[n]; p < index->parts[n + 1]; p++) {
		uint32_t writer = greedy_set_source(s->set, n, p);

		if (!writer_came(s, writer))
			block->until = writer;
	}
	return true;
}

static bool waits_for_edge(const struct greedy_schedule *s, uint32_t n,
			   struct greedy_schedule_block *block)
{
	if (!s->graph || !greedy_graph_has(s->graph, n))
		return false;
	for (uint32_t i = s->graph->in.at[greedy_graph_node(s->graph, n)]; i;
	     i = s->graph->edges.at[i - 1].next_in) {
		uint32_t before = s->graph->event.at[s->graph->edges.at[i - 1].from];

		if (!run_done(s->run, before)) {
			block->until = before;
			return true;
		}
	}
	return false;
}

static void read_fault(const struct greedy_schedule *s, const struct run_fault *fault,
		       struct greedy_schedule_block *block)
{
	const struct sections *sections = s->set->facts->sections;

	if (fault->kind == RUN_MISSING)
		block->until = fault->event;
	if (fault->kind != RUN_LOCKED)
		return;
	block->holder = fault->event;
	block->until = sections->all.at[sections->at[fault->event] - 1].release;
}

/* What the event did to those who wait for values. */
static void follow(struct greedy_schedule *s, uint32_t n, const bool *same)
{
	const struct index *index = s->set->index;
	const struct event *e = &index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t p = index->parts[n] + i, variable = event_part(e, i).variable;

		if (greedy_set_keeps(s->set, n)) {
			uint32_t writer = greedy_set_source(s->set, n, p);

			if (writer_came(s, writer) && s->wanted[variable])
				s->wanted[variable]--;
			else if (!writer_came(s, writer))
				s->left[part_of(index, writer, variable)]--;
		}
		if (!is_write(e))
			continue;
		s->wanted[variable] = (same[i] ? s->wanted[variable] : 0) + s->left[p];
		s->writer[variable] = n;
		s->left[p] = 0;
		vec_push(&s->variables, variable);
	}
}

#define PARTS_AT_ONCE 64

static bool take(struct greedy_schedule *s, uint32_t n, struct greedy_schedule_block *block)
{
	const struct event *e = &s->set->index->events[n];
	bool same[PARTS_AT_ONCE] = {false};
	struct run_fault fault;

	*block = (struct greedy_schedule_block){.event = n};
	if (event_part_count(e) > PARTS_AT_ONCE)
		return false;
	if (waits_for_edge(s, n, block) || waits_for_value(s, n, block) ||
	    (is_write(e) && spoils(s, n, block)))
		return false;
	for (uint32_t i = 0; is_write(e) && i < event_part_count(e); i++)
		same[i] = is_same(s, n, i);
	if (!run_step(s->run, n, &fault)) {
		read_fault(s, &fault, block);
		return false;
	}
	follow(s, n, same);
	return true;
}

bool greedy_schedule_take(struct greedy_schedule *s, uint32_t event, struct event_list *list)
{
	struct greedy_schedule_block block;

	if (!take(s, event, &block))
		return false;
	vec_push(&list->at, event);
	return true;
}

/* Those that may be able to go on by now are tried again. */
static void retry(struct greedy_schedule *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->blocked.n; i++) {
		struct greedy_schedule_block *block = &s->blocked.at[i];

		if (block->until && !run_done(s->run, block->until))
			s->blocked.at[kept++] = *block;
		else
			push(s, block->event);
	}
	s->blocked.n = kept;
}

bool greedy_schedule_run(struct greedy_schedule *s, struct event_list *list)
{
	const struct index *index = s->set->index;
	struct greedy_schedule_block block;

	s->heap.n = s->blocked.n = 0;
	for (uint32_t t = 0; t < index->thread_count; t++)
		push_next(s, t);
	while (s->heap.n) {
		uint32_t n = pop(s);

		if (!take(s, n, &block)) {
			vec_push(&s->blocked, block);
			continue;
		}
		vec_push(&list->at, n);
		push_next(s, index->events[n].thread);
		if (s->blocked.n)
			retry(s);
		if (!(list->at.n & 0xffff) && greedy_is_over(s->set->clock))
			return false;
	}
	return !s->blocked.n;
}
