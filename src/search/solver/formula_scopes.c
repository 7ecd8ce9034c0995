/* SPDX-License-Identifier: MIT */
/*
 * Branches that govern some events alone, their *arm* (doc/model.md, scope=): a thread may go past
 * these without any of them happening. So an arm is a chain of its own in the theory of order. What
 * comes behind it needs the branch, and comes behind what happens of the arm.
 */
#include "search/solver/formula.h"

/* Some values that reads of the cone may return, as far as is known, make its guard 0. */
static bool may_go_other(struct formula *f, uint32_t branch)
{
	uint32_t named = formula_only_input(f, branch);
	const struct domain *d = named ? formula_domain(f, named) : NULL;
	int64_t out;

	for (uint32_t i = 0; d && i < d->count; i++)
		if (formula_output(f, branch, d->values[i], &out) && !out)
			return true;
	if (d)
		return !d->closed;
	depends_of(&f->index->events[branch], &f->depends);
	for (size_t i = 0; i < f->depends.named.n; i++)
		if (cone_node(f->cone, f->depends.named.at[i]) != NODE_START)
			return true;
	return false;
}

/* The innermost branch that governs a node and may go the other way in this cone. */
static uint32_t find_arm(const struct formula *f, uint32_t node)
{
	uint32_t branch = f->index->arm[f->cone->event[node]];

	while (branch > f->cone->low && !f->other[cone_node(f->cone, branch)])
		branch = f->index->arm[branch];
	return branch > f->cone->low ? cone_node(f->cone, branch) : 0;
}

uint32_t formula_arm(const struct formula *f, uint32_t node)
{
	return f->arm ? f->arm[node] : 0;
}

bool formula_is_governed(const struct formula *f, uint32_t node, uint32_t branch)
{
	uint32_t arm = formula_arm(f, node);

	while (arm > branch)
		arm = f->arm[arm];
	return arm == branch;
}

bool formula_is_sure(const struct formula *f, uint32_t node, uint32_t other)
{
	for (uint32_t arm = formula_arm(f, node); arm; arm = f->arm[arm])
		if (!formula_is_governed(f, other, arm))
			return false;
	return true;
}

static bool is_first(const struct formula *f, uint32_t node)
{
	return node == f->cone->base[cone_thread(f->cone, node)];
}

static bool begins_chain(const struct formula *f, uint32_t node)
{
	return is_first(f, node) || formula_arm(f, node) != formula_arm(f, node - 1);
}

uint32_t formula_sure_before(const struct formula *f, uint32_t node)
{
	uint32_t before = is_first(f, node) ? 0 : node - 1;

	while (before && !formula_is_sure(f, before, node))
		before = f->arm[before];
	return before;
}

static void find_arms(struct formula *f)
{
	const struct cone *c = f->cone;

	f->arm = mem_alloc_zero((size_t)c->count + 1, sizeof(*f->arm));
	f->other = mem_alloc_zero((size_t)c->count + 1, sizeof(*f->other));
	/* a branch whose arm is not in the cone is the last of its thread there */
	for (uint32_t n = 1; n < c->count; n++)
		if (index_scope(f->index, c->event[n]) && !is_first(f, n + 1) &&
		    may_go_other(f, c->event[n]))
			f->other[n] = LIT_TRUE; /* formula_scope gives it a variable */
	for (uint32_t n = 1; n <= c->count; n++)
		f->arm[n] = find_arm(f, n);
}

static void find_chains(struct formula *f)
{
	f->chain_ends.n = 0;
	for (uint32_t n = 2; n <= f->cone->count; n++)
		if (begins_chain(f, n))
			vec_push(&f->chain_ends, n);
	if (f->cone->count)
		vec_push(&f->chain_ends, f->cone->count + 1);
}

void formula_arms(struct formula *f)
{
	if (f->index->arm && f->facts.model == MODEL_VALUES)
		find_arms(f);
	find_chains(f);
	f->flat = f->arm && f->cone->count * (f->chain_ends.n + 1) > solver_tune.order_most;
	if (!f->flat)
		return;
	mem_free(f->arm);
	f->arm = NULL;
	find_chains(f);
}

/* Behind an arm: behind the branch, and behind what happened last in the arm, if anything did. */
void formula_order_arms(struct formula *f)
{
	for (uint32_t n = 1; f->arm && n <= f->cone->count; n++) {
		uint32_t before = n - 1;

		if (is_first(f, n) || !begins_chain(f, n))
			continue;
		for (; !formula_is_sure(f, before, n); before = f->arm[before])
			precedence_both(f->order, before, n);
		precedence_fix(f->order, before, n);
	}
}

void formula_arrive(struct formula *f, lit when, uint32_t node)
{
	uint32_t before = node - 1;

	if (is_first(f, node))
		return;
	if (formula_arm(f, node) == before && f->arm)
		sat_imply(f->sat, when, -f->other[before]);
	sat_or(f->sat, -when);
	sat_or(f->sat, (lit)before);
	for (; !formula_is_sure(f, before, node); before = f->arm[before])
		sat_or(f->sat, f->other[f->arm[before]]);
	sat_end(f->sat);
}

/* For each value that its only input may have, which way it goes. */
static void put_ways(struct formula *f, uint32_t branch, lit other)
{
	uint32_t named = formula_only_input(f, branch);
	const struct domain *d = named ? formula_domain(f, named) : NULL;

	for (uint32_t i = 0; d && i < d->count; i++) {
		lit in = formula_value_later(f, named, d->values[i]), way = LIT_FALSE;
		int64_t out;

		if (formula_output(f, branch, d->values[i], &out))
			way = out ? -other : other;
		sat_clause(f->sat, (const lit[]){-in, -formula_happens(f, branch), way}, 3);
	}
}

bool formula_has_other(const struct formula *f, uint32_t branch)
{
	return f->arm && f->other[cone_node(f->cone, branch)];
}

void formula_scope(struct formula *f, uint32_t branch)
{
	uint32_t node = cone_node(f->cone, branch);
	lit other = f->other[node] = sat_variable(f->sat);

	sat_imply(f->sat, other, (lit)node);
	sat_imply(f->sat, other, formula_computed(f, branch));
	sat_imply(f->sat, other, -(lit)(node + 1));
	put_ways(f, branch, other);
}
