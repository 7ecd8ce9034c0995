/* SPDX-License-Identifier: MIT */
/*
 * The trace of the questions about a run (doc/hunt.md, Questions): the run's events, without
 * scopes, and at each choice
 *
 *	branch if GUARD scope=1		its outcome is as recorded:
 *	branch reads=			… and only then this happens (as_recorded)
 *	branch if (not OTHER) scope=1	likewise for an outcome that another run had
 *	branch reads=			(differs)
 *	branch reads=			the thread has come here (come)
 *	branch if GUARD			it goes on with the recorded outcome alone (passed, if
 *behind)
 *
 * A call that tries to lock has `come` alone: its outcome is a matter of the lock. So is who is the
 * first of those that call a function once, and whom a signal wakes. Who was woken at the end, and
 * has not gone on, does so here.
 * A branch has them in front of it, and is `passed` itself; another event that depends on what was
 * read has them in front of it; a read whose own value is asked for has them behind it. Where
 * sources are asked for, each write writes a value that no other write has.
 */
#include "hunt/parts.h"
#include "model/whole.h"

#include <string.h>

#define GUARD_NODES 100000

struct maker {
	struct hunt *h;
	struct hunt_run *r;
	struct hunt_probes *p;
	VEC(struct event) events;
	VEC(uint32_t) of;
	uint32_t *to;	 /* by event of the run: its number here */
	int64_t *tokens; /* by part of a write: what it writes, if sources are asked for */
	struct expr_builder builder;
	struct arena memory;
};

static bool by_source(const struct maker *m)
{
	return m->h->options.equal == HUNT_SOURCES;
}

/* Tokens: small numbers, since a variable may be one byte; not what is there at the start. */
static void make_tokens(struct maker *m)
{
	const struct index *index = m->r->index;
	size_t variables = symbols_count(index->symbols, CLASS_VARIABLE);
	int64_t *last = mem_alloc_zero(variables + 1, sizeof(*last));

	m->tokens = mem_alloc_zero(index->parts[index->count + 1] + 1, sizeof(*m->tokens));
	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		if (!event_is(e, EV_STORES) || !event_is(e, EV_VALUE))
			continue;
		for (uint32_t i = 0; i < event_part_count(e); i++) {
			uint32_t v = event_part(e, i).variable;
			const struct variable *x = symbols_variable(index->symbols, v);

			last[v] += 1 + (last[v] + 1 == x->init);
			if (x->flags & VARIABLE_MEMORY && x->size < 8 && last[v] >> (8 * x->size))
				hunt_add_doubt(m->h,
					       "more writes than one variable can tell apart");
			m->tokens[index->parts[n] + i] = last[v];
		}
	}
	mem_free(last);
}

/* What the write leaves in that variable; 0: what was there. */
static int64_t token_of(const struct maker *m, uint32_t write, uint32_t variable)
{
	const struct index *index = m->r->index;

	for (uint32_t i = 0; write && i < index_part_count(index, write); i++)
		if (event_part(&index->events[write], i).variable == variable)
			return m->tokens[index->parts[write] + i];
	return symbols_variable(index->symbols, variable)->init;
}

static uint32_t put(struct maker *m, struct event e, uint32_t of)
{
	vec_push(&m->events, e);
	vec_push(&m->of, of);
	return (uint32_t)m->events.n - 1;
}

static struct event_more *new_more(struct maker *m, const struct event_more *from)
{
	struct event_more *more = arena_alloc(&m->memory, sizeof(*more));

	if (from)
		*more = *from;
	else
		memset(more, 0, sizeof(*more));
	return more;
}

/* A branch that always happens, if its thread comes to it. */
static uint32_t put_mark(struct maker *m, uint32_t thread)
{
	struct event_more *more = new_more(m, NULL);

	more->reads_given = true;
	return put(m, (struct event){.kind = EV_BRANCH, .thread = thread, .more = more}, 0);
}

static uint32_t put_guard(struct maker *m, uint32_t thread, uint32_t guard, uint32_t scope)
{
	struct event_more *more = new_more(m, NULL);

	more->expr = expr_take(&m->builder, guard, GUARD_NODES, &m->memory);
	more->scope = scope;
	ASSERT(more->expr);
	return put(m, (struct event){.kind = EV_BRANCH, .thread = thread, .more = more}, 0);
}

/* Guards */

struct renaming {
	struct maker *m;
	const struct hunt_run *from; /* its reads become those of the run, by their numbers */
	uint32_t thread;	     /* of the run */
};

static uint32_t rename_read(void *context, uint64_t read)
{
	struct renaming *n = context;
	const uint32_t *reads = n->m->r->reads[n->thread];

	if (n->from != n->m->r) {
		for (uint32_t i = n->from->read_number[read]; *reads && i; i--)
			reads++;
		if (!*reads)
			return EXPR_NONE;
		read = *reads;
	}
	return n->m->to[read] ? expr_add_read(&n->m->builder, n->m->to[read]) : EXPR_NONE;
}

static uint32_t branch_guard(struct maker *m, const struct hunt_run *from, uint32_t branch,
			     uint32_t thread)
{
	struct renaming renaming = {m, from, thread};

	return expr_add_all(&m->builder, from->index->events[branch].more->expr, rename_read,
			    &renaming);
}

static uint32_t equals(struct maker *m, uint32_t read, int64_t value)
{
	uint32_t what = expr_add_read(&m->builder, m->to[read]);

	return expr_add2(&m->builder, OP_EQ, what, expr_add_const(&m->builder, value));
}

/* All these reads return what they did in that run. */
static uint32_t pins_guard(struct maker *m, const struct hunt_run *from,
			   const struct hunt_choice *as, uint32_t thread)
{
	struct renaming renaming = {m, from, thread};
	uint32_t all = expr_add_const(&m->builder, 1);

	for (uint32_t i = 0; i < as->pin_count; i++) {
		uint32_t read = rename_read(&renaming, as->pins[i].read);

		if (read == EXPR_NONE)
			return EXPR_NONE;
		uint32_t value = expr_add_const(&m->builder, as->pins[i].value);
		uint32_t same = expr_add2(&m->builder, OP_EQ, read, value);

		all = i ? expr_add2(&m->builder, OP_AND, all, same) : same;
	}
	return all;
}

/* The write of the variable that goes by this name, UINT32_MAX: this run has none. */
static uint32_t write_by_name(const struct hunt_run *r, uint32_t variable, uint64_t name)
{
	const struct index_list *list = &r->index->uses[CLASS_VARIABLE][variable];

	if (!name)
		return 0;
	for (uint32_t i = 0; i < list->count; i++)
		if (r->write_names[list->events[i]] == name)
			return list->events[i];
	return UINT32_MAX;
}

/* What the read returns here if the sources of its parts go by these names. */
static bool value_by_names(const struct maker *m, uint32_t read, const uint64_t *names,
			   int64_t *value)
{
	const struct index *index = m->r->index;
	const struct event *e = &index->events[read];
	uint64_t whole = 0, mask;
	uint32_t shift;

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t variable = event_part(e, i).variable;
		uint32_t write = write_by_name(m->r, variable, names[i]);
		uint64_t token = write == UINT32_MAX ? 0 : (uint64_t)token_of(m, write, variable);

		if (write == UINT32_MAX)
			return false;
		if (whole_place(index->symbols, e, i, &shift, &mask))
			token = (token & mask) << shift;
		whole |= token;
	}
	*value = (int64_t)whole;
	return true;
}

/* The guard that holds exactly if the choice has the outcome that it has in `from`. */
static uint32_t guard_as(struct maker *m, const struct hunt_choice *c, const struct hunt_run *from,
			 const struct hunt_choice *as)
{
	int64_t value = as->value;

	if (c->kind == HUNT_BRANCH)
		return branch_guard(m, from, as->event, m->r->index->events[c->event].thread);
	if (c->pins)
		return pins_guard(m, from, as, m->r->index->events[c->event].thread);
	if (c->kind == HUNT_SOURCE && !value_by_names(m, c->event, as->names, &value))
		return EXPR_NONE;
	return equals(m, c->event, value);
}

/* Choices */

static void put_other(struct maker *m, uint32_t choice, uint32_t node)
{
	const struct hunt_choice *c = &m->r->choices.at[choice];
	const struct hunt_run *from;
	const struct hunt_choice *as = hunt_choice_at(m->h, node, &from);
	struct hunt_other other = {.choice = choice, .outcome = as->outcome, .known = true};
	uint32_t thread = m->r->index->events[c->event].thread;

	if (!hunt_is_of_object(c) && !hunt_are_opposite(m->r, c, from, as)) {
		uint32_t guard = guard_as(m, c, from, as);

		other.known = guard != EXPR_NONE;
		if (other.known) {
			put_guard(m, thread, expr_add1(&m->builder, OP_NOT, guard), 1);
			other.differs = put_mark(m, thread);
		}
	}
	vec_push(&m->p->others, other);
}

/* Of the same thread. */
static uint32_t event_before(const struct index *index, uint32_t n)
{
	return index->threads[index->events[n].thread].events[index->position[n] - 1];
}

static void put_probes(struct maker *m, uint32_t choice)
{
	const struct hunt_choice *c = &m->r->choices.at[choice];
	struct hunt_probe *probe = &m->p->choices[choice];
	uint32_t thread = m->r->index->events[c->event].thread;
	uint32_t parent = m->h->nodes.at[c->node].parent;
	uint32_t guard = hunt_is_of_object(c) ? EXPR_NONE : guard_as(m, c, m->r, c);

	if (guard != EXPR_NONE) {
		put_guard(m, thread, guard, 1);
		probe->as_recorded = put_mark(m, thread);
	}
	for (size_t i = 0; i < m->h->nodes.at[parent].children.n; i++) {
		uint32_t node = m->h->nodes.at[parent].children.at[i];

		if (node != c->node && m->h->nodes.at[node].place == c->place &&
		    m->h->nodes.at[node].runs.n)
			put_other(m, choice, node);
	}
	if (m->r->index->events[c->event].kind ==
	    EV_WOKEN) { /* nothing is between it and its wait */
		probe->come = m->to[event_before(m->r->index, c->event)];
		probe->passed = (uint32_t)m->events.n;
		return;
	}
	probe->come = put_mark(m, thread);
	probe->passed = guard == EXPR_NONE ? probe->come : put_guard(m, thread, guard, 0);
	if (!c->behind)
		probe->passed++; /* the event itself, which is next */
}

/* Events of the run */

static const uint64_t *map_list(struct maker *m, const uint64_t *list, uint32_t n)
{
	uint64_t *copy = arena_alloc(&m->memory, n * sizeof(*copy));

	for (uint32_t i = 0; i < n; i++)
		copy[i] = m->to[list[i]];
	return copy;
}

/* What it writes depends on this alone: an rmw that is pinned is not known if it changes. */
static void depend_on(struct maker *m, struct event_more *more, uint32_t read)
{
	uint64_t *reads = arena_alloc(&m->memory, sizeof(*reads));

	*reads = read;
	more->expr = NULL;
	more->reads_given = true;
	more->read_count = read ? 1 : 0;
	more->reads = reads;
}

static void map_more(struct maker *m, struct event *e, struct event_more *more, uint32_t n)
{
	struct renaming renaming = {m, m->r, e->thread};

	more->scope = 0;
	if (more->by)
		more->by = m->to[more->by];
	more->at = map_list(m, more->at, more->at_count);
	more->reads = map_list(m, more->reads, more->read_count);
	if (e->kind == EV_RMW && m->r->behind[n])
		depend_on(m, more, m->to[n]);
	if (more->expr)
		more->expr = expr_take(
			&m->builder, expr_add_all(&m->builder, more->expr, rename_read, &renaming),
			EXPR_NODES_MAX, &m->memory);
}

/* The same event in a trace that asks for sources: values tell which write it was. */
static void map_values(struct maker *m, struct event *e, struct event_more *more, uint32_t n)
{
	const struct index *index = m->r->index;
	uint32_t count = event_part_count(e);
	struct part *parts = arena_alloc(&m->memory, (count + 1) * sizeof(*parts));

	more->at_count = more->scope = 0;
	depend_on(m, more, e->kind == EV_RMW ? m->to[n] : 0);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t part = index->parts[n] + i;

		parts[i] = event_part(e, i);
		if (event_is(e, EV_RETURNS)) {
			parts[i].value = token_of(m, index->writer[part], parts[i].variable);
			parts[i].written = m->tokens[part];
		} else if (event_is(e, EV_VALUE)) {
			parts[i].value = m->tokens[part];
		}
	}
	if (!count)
		return;
	e->value = parts[0].value;
	more->written = parts[0].written;
	more->parts = parts + 1;
}

static void put_event(struct maker *m, uint32_t n)
{
	struct event e = m->r->index->events[n];
	bool needs_more = e.more || (by_source(m) && event_is(&e, EV_ACCESS | EV_DEPENDS)) ||
			  (e.kind == EV_RMW && m->r->behind[n]);

	m->to[n] = (uint32_t)m->events.n;
	if (needs_more) {
		struct event_more *more = new_more(m, e.more);

		if (by_source(m))
			map_values(m, &e, more, n);
		else
			map_more(m, &e, more, n);
		if (by_source(m) && more->by)
			more->by = m->to[more->by];
		e.more = more;
	}
	put(m, e, n);
}

/* Those of an event, which follow each other from the first (1 + its number; 0: there are none). */
static void put_probes_of(struct maker *m, uint32_t first, uint32_t n, bool behind)
{
	const struct hunt_run *r = m->r;

	for (uint32_t i = first - 1; first && i < r->choices.n && r->choices.at[i].event == n; i++)
		if (r->choices.at[i].behind == behind)
			put_probes(m, i);
}

static uint32_t put_woken(struct maker *m, const struct hunt_wait *w)
{
	const struct event *wait = &m->r->index->events[w->wait];
	struct event_more *more = new_more(m, NULL);

	more->lock = wait->more->lock;
	more->by = w->by ? m->to[w->by] : 0;
	return put(m,
		   (struct event){.kind = EV_WOKEN,
				  .thread = wait->thread,
				  .object = wait->object,
				  .more = more},
		   0);
}

static struct hunt_probes *make(struct maker *m, const uint32_t *choice_of)
{
	const struct index *index = m->r->index;
	struct engine_options options = {
		.model = MODEL_VALUES, .endless = true, .budget = m->h->options.budget};
	struct err err;

	vec_extend(&m->events, 1);
	vec_extend(&m->of, 1);
	for (uint32_t n = 1; n <= index->count; n++) {
		put_probes_of(m, choice_of[n], n, false);
		put_event(m, n);
		put_probes_of(m, choice_of[n], n, true);
	}
	for (size_t i = 0; i < m->r->waits.n; i++) {
		struct hunt_wait *w = &m->r->waits.at[i];

		w->end = w->woken ? m->to[w->woken] : w->by || w->over ? put_woken(m, w) : 0;
	}
	m->p->of = m->of.at;
	m->p->index = index_derive(index, m->events.at, (uint32_t)m->events.n - 1, m->memory);
	m->p->engine = engine_start(&engine_order, m->p->index, &options, &err);
	m->p->run = run_new(m->p->index, MODEL_VALUES);
	return m->p;
}

struct hunt_probes *hunt_probes_new(struct hunt *h, struct hunt_run *r)
{
	struct maker m = {.h = h, .r = r, .builder = {.constants = &r->index->symbols->constants}};
	uint32_t *choice_of = mem_alloc_zero((size_t)r->index->count + 1, sizeof(*choice_of));

	m.p = mem_alloc_zero(1, sizeof(*m.p));
	m.p->choices = mem_alloc_zero(r->choices.n + 1, sizeof(*m.p->choices));
	m.to = mem_alloc_zero((size_t)r->index->count + 1, sizeof(*m.to));
	for (size_t i = r->choices.n; i--;)
		choice_of[r->choices.at[i].event] = (uint32_t)i + 1;
	if (by_source(&m))
		make_tokens(&m);
	make(&m, choice_of);
	m.p->to = m.to;
	mem_free(m.tokens);
	mem_free(choice_of);
	expr_builder_release(&m.builder);
	return m.p;
}

void hunt_probes_free(struct hunt_probes *p)
{
	if (!p)
		return;
	run_free(p->run);
	engine_finish(p->engine);
	index_free(p->index);
	mem_free(p->of);
	mem_free(p->to);
	mem_free(p->choices);
	vec_release(&p->others);
	mem_free(p);
}

const struct hunt_other *hunt_find_other(const struct hunt_probes *p, uint32_t choice,
					 uint64_t outcome)
{
	for (size_t i = 0; i < p->others.n; i++)
		if (p->others.at[i].choice == choice && p->others.at[i].outcome == outcome)
			return &p->others.at[i];
	return NULL;
}
