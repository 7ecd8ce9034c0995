/* SPDX-License-Identifier: MIT */
#include "search/solver/formula.h"

#include <string.h>

lit formula_happens(const struct formula *f, uint32_t event)
{
	uint32_t node = cone_node(f->cone, event);

	if (node == NODE_START)
		return LIT_TRUE;
	return node == NODE_NONE ? LIT_FALSE : (lit)node;
}

/* In every execution in which both happen. */
static bool precedes(const struct formula *f, uint32_t node, uint32_t other)
{
	const struct cone *c = f->cone;
	uint32_t thread = cone_thread(c, node);

	if (thread == cone_thread(c, other))
		return node < other;
	return f->reach[(size_t)other * f->reach_threads + f->reach_thread[thread]] >
	       node - c->base[thread];
}

/* In every execution in which the second happens. */
static bool must_precede(const struct formula *f, uint32_t node, uint32_t other)
{
	bool same = cone_thread(f->cone, node) == cone_thread(f->cone, other);

	return precedes(f, node, other) &&
	       (same ? formula_is_sure(f, node, other) : !formula_arm(f, node));
}

/* Of two that do not both happen, anything can be said. */
static lit order_of(struct formula *f, uint32_t event, uint32_t other)
{
	uint32_t from = cone_node(f->cone, event), to = cone_node(f->cone, other);

	if (from == NODE_NONE || to == NODE_NONE)
		return LIT_TRUE;
	if (to == NODE_START)
		return from == NODE_START && event < other ? LIT_TRUE : LIT_FALSE;
	if (from == NODE_START || precedes(f, from, to))
		return LIT_TRUE;
	return precedes(f, to, from) ? LIT_FALSE : precedence_literal(f->order, from, to);
}

lit formula_before(struct formula *f, uint32_t event, uint32_t other)
{
	uint32_t key[2] = {event, other};
	lit order = order_of(f, event, other);
	lit first = formula_happens(f, event), second = formula_happens(f, other);

	if (first == LIT_FALSE || second == LIT_FALSE || order == LIT_FALSE)
		return LIT_FALSE;
	if (order == LIT_TRUE && (first == LIT_TRUE || formula_must_precede(f, event, other)))
		return second;
	uint32_t number = intern_add(&f->before_keys, (const char *)key, sizeof(key));

	if (number == f->before_lits.n) {
		lit before = sat_variable(f->sat);

		vec_push(&f->before_lits, before);
		sat_imply(f->sat, before, first);
		sat_imply(f->sat, before, second);
		sat_imply(f->sat, before, order);
	}
	return f->before_lits.at[number];
}

bool formula_must_precede(const struct formula *f, uint32_t event, uint32_t other)
{
	uint32_t from = cone_node(f->cone, event), to = cone_node(f->cone, other);

	if (from == NODE_NONE || to == NODE_NONE)
		return false;
	if (from == NODE_START || to == NODE_START)
		return from == NODE_START && (to != NODE_START || event < other);
	return from != to && must_precede(f, from, to);
}

bool formula_precedes(const struct formula *f, uint32_t event, uint32_t other)
{
	uint32_t from = cone_node(f->cone, event), to = cone_node(f->cone, other);

	if (from == NODE_NONE || to == NODE_NONE)
		return false;
	if (from == NODE_START || to == NODE_START)
		return from == NODE_START && (to != NODE_START || event < other);
	return from != to && precedes(f, from, to);
}

void formula_exclude(struct formula *f, const struct section *a, const struct section *b)
{
	order_of(f, a->acquire, b->acquire);
}

void formula_seal(struct formula *f, uint32_t read, uint32_t write)
{
	order_of(f, write, read);
}

/* By what is fixed, happening follows: what is needed comes before CUT, too. */
static void put_needs(struct formula *f)
{
	const struct needs *needs = f->facts.needs;
	const struct cone *c = f->cone;
	VEC(uint32_t) fixed = {0};

	f->fixed_first = mem_alloc(((size_t)c->count + 2) * sizeof(*f->fixed_first));
	f->fixed_first[0] = 0;
	for (uint32_t n = 1; n <= c->count; n++) {
		uint32_t event = c->event[n];

		f->fixed_first[n] = (uint32_t)fixed.n;
		for (uint32_t i = needs->first[event]; i < needs->first[event + 1]; i++) {
			uint32_t node = cone_node(c, needs->events[i]);

			if (node == NODE_NONE)
				sat_fact(f->sat, -(lit)n);
			else if (node != NODE_START)
				vec_push(&fixed, node);
		}
	}
	f->fixed_first[c->count + 1] = (uint32_t)fixed.n;
	f->fixed = fixed.at;
}

/* The trace is one of the orders that keep all that is fixed, so one pass along it will do. */
static void find_reach(struct formula *f)
{
	const struct cone *c = f->cone;

	f->reach_thread = mem_alloc_zero(f->index->thread_count, sizeof(*f->reach_thread));
	for (uint32_t t = 0; t < f->index->thread_count; t++)
		if (c->top[t] > c->start[t])
			f->reach_thread[t] = f->reach_threads++;
	uint32_t threads = f->reach_threads;

	f->reach = mem_alloc_zero((size_t)threads * (c->count + 1), sizeof(*f->reach));
	for (uint32_t k = 0; k < c->count; k++) {
		uint32_t n = c->by_trace[k], thread = cone_thread(c, n);
		uint32_t *row = f->reach + (size_t)n * threads;

		uint32_t before = formula_sure_before(f, n);

		if (before)
			memcpy(row, f->reach + (size_t)before * threads, threads * sizeof(*row));
		for (uint32_t i = f->fixed_first[n]; i < f->fixed_first[n + 1]; i++) {
			const uint32_t *other = f->reach + (size_t)f->fixed[i] * threads;

			for (uint32_t t = 0; t < threads; t++)
				if (row[t] < other[t])
					row[t] = other[t];
		}
		row[f->reach_thread[thread]] = n - c->base[thread] + 1;
	}
}

/* An access to what is freed comes before; but the free may happen without it. */
static void put_free(struct formula *f, uint32_t n, uint32_t variable)
{
	const struct index_list *list = &f->index->uses[CLASS_VARIABLE][variable];

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t node = cone_node(f->cone, list->events[i]);

		if (node != NODE_START && node != NODE_NONE && node != n &&
		    cone_thread(f->cone, node) != cone_thread(f->cone, n))
			precedence_both(f->order, node, n);
	}
}

/* The event before it in its thread, if it is in the cone and may return something else. */
static uint32_t read_before(const struct formula *f, uint32_t event)
{
	const struct index_thread *t = &f->index->threads[f->index->events[event].thread];
	uint32_t position = f->index->position[event];
	uint32_t before = position ? t->events[position - 1] : 0;

	return before > f->cone->low && event_is(&f->index->events[before], EV_RETURNS) ? before
											: 0;
}

void formula_path(struct formula *f, lit when, uint32_t event)
{
	const struct event *e = &f->index->events[event];
	uint32_t before = read_before(f, event);

	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		sat_imply(f->sat, when, formula_keep(f, (uint32_t)e->more->at[i]));
	if (f->facts.model == MODEL_MCM && before)
		sat_imply(f->sat, when, formula_keep(f, before));
}

lit formula_ready(struct formula *f, uint32_t event)
{
	const struct needs *needs = f->facts.needs;
	const struct event *e = &f->index->events[event];
	uint32_t node = cone_node(f->cone, event);

	if (node == NODE_START || node == NODE_NONE)
		return LIT_FALSE;
	if (f->ready[node])
		return f->ready[node];
	lit ready = f->ready[node] = sat_variable(f->sat);

	formula_arrive(f, ready, node);
	sat_imply(f->sat, ready, -(lit)node);
	for (uint32_t i = needs->first[event]; i < needs->first[event + 1]; i++)
		sat_imply(f->sat, ready, formula_happens(f, needs->events[i]));
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t freed = needs->free[event_part(e, i).variable];

		if (freed && freed != event)
			sat_imply(f->sat, ready, -formula_happens(f, freed));
	}
	formula_path(f, ready, event);
	formula_settle(f);
	return ready;
}

static void put_event(struct formula *f, uint32_t n)
{
	uint32_t event = f->cone->event[n];
	const struct event *e = &f->index->events[event];

	formula_path(f, (lit)n, event);
	if (n > f->cone->base[e->thread] && formula_arm(f, n) != formula_arm(f, n - 1))
		formula_arrive(f, (lit)n, n);
	switch (e->kind) {
	case EV_BRANCH: formula_guard(f, event); break;
	case EV_FREE:
		for (uint32_t i = 0; i < event_part_count(e); i++)
			put_free(f, n, event_part(e, i).variable);
		break;
	case EV_TRY_FAIL: formula_try_fail(f, event); break;
	case EV_SIGNAL:
	case EV_BROADCAST:
		if (!f->facts.early) /* else what a schedule gets wrong will do */
			formula_signal(f, event);
		break;
	case EV_WOKEN:
		if (f->facts.early)
			formula_woken(f, event);
		break;
	default: break;
	}
	if (f->facts.model == MODEL_SAID) {
		sat_fact(f->sat, (lit)n);
		if (event_is(e, EV_RETURNS))
			sat_fact(f->sat, formula_keep(f, event));
	}
}

/* Of each node the last read of its thread, up to it. */
static void find_reads(struct formula *f)
{
	const struct cone *c = f->cone;

	for (uint32_t n = 1; n <= c->count; n++) {
		bool first = n == c->base[cone_thread(c, n)];

		f->last_read[n] = event_is(&f->index->events[c->event[n]], EV_RETURNS) ? n
				  : first					       ? 0
					  : f->last_read[n - 1];
	}
}

static struct precedence *new_order(const struct formula *f)
{
	VEC(uint32_t) ends = {0};

	for (size_t i = 0; i < f->chain_ends.n; i++)
		vec_push(&ends, f->chain_ends.at[i]);
	vec_push(&ends, f->cone->count + 3);
	struct precedence *order = precedence_new(ends.at, (uint32_t)ends.n, f->cone->event);

	vec_release(&ends);
	return order;
}

static lit *new_lits(const struct cone *c)
{
	return mem_alloc_zero((size_t)c->count + 1, sizeof(lit));
}

struct formula *formula_new(const struct cone_facts *facts, const struct cone *cone, bool limited)
{
	struct formula *f = mem_alloc_zero(1, sizeof(*f));

	f->facts = *facts;
	f->index = facts->index;
	f->cone = cone;
	formula_domains(f);
	formula_arms(f);
	f->order = new_order(f);
	struct cdcl_theory theory = precedence_theory(f->order);

	f->sat = sat_new(cone->count, &theory, limited);
	precedence_serve(f->order, sat_core(f->sat));
	f->other_source = sat_variable(f->sat);
	f->computing = sat_variable(f->sat);
	f->keep = new_lits(cone);
	f->used = new_lits(cone);
	f->all_kept = new_lits(cone);
	f->known = new_lits(cone);
	f->ready = new_lits(cone);
	f->waits = new_lits(cone);
	f->empty = new_lits(cone);
	f->needed = new_lits(cone);
	f->computed = new_lits(cone);
	f->good = new_lits(cone);
	f->last_read = mem_alloc_zero((size_t)cone->count + 1, sizeof(*f->last_read));
	find_reads(f);
	put_needs(f);
	find_reach(f);
	formula_rules(f);
	/* what is governed asks which way its branch goes */
	for (uint32_t n = 1; f->arm && n <= cone->count; n++)
		if (formula_has_other(f, cone->event[n]))
			formula_scope(f, cone->event[n]);
	for (uint32_t n = 1; n <= cone->count; n++)
		put_event(f, n);
	formula_semaphores(f);
	formula_barriers(f);
	if (f->facts.stuck)
		formula_stuck(f);
	formula_settle(f);
	return f;
}

void formula_free(struct formula *f)
{
	if (!f)
		return;
	sat_free(f->sat);
	precedence_free(f->order);
	intern_release(&f->before_keys);
	vec_release(&f->before_lits);
	mem_free(f->fixed_first);
	mem_free(f->fixed);
	mem_free(f->reach);
	mem_free(f->reach_thread);
	mem_free(f->keep);
	mem_free(f->used);
	mem_free(f->all_kept);
	mem_free(f->known);
	mem_free(f->ready);
	mem_free(f->waits);
	mem_free(f->empty);
	mem_free(f->needed);
	mem_free(f->computed);
	mem_free(f->good);
	mem_free(f->last_read);
	mem_free(f->arm);
	mem_free(f->other);
	vec_release(&f->chain_ends);
	intern_release(&f->source_keys);
	vec_release(&f->sources);
	intern_release(&f->values);
	vec_release(&f->value_keys);
	vec_release(&f->value_lits);
	mem_free(f->domains);
	mem_free(f->only_input);
	mem_free(f->outputs);
	vec_release(&f->pending);
	vec_release(&f->depends.named);
	mem_free(f);
}
