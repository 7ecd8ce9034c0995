/*
 * Branches that govern some events alone, their *arm* (doc/model.md, scope=): a thread may go past
 * these without any of them happening. So an arm is a chain of its own in the theory of order. What
 * comes behind it needs the branch, and comes behind what happens of the arm.
 */
#include "search/formula.h"

/* The branch that governs a node, if it may go the other way in this cone. */
static uint32_t find_arm(const struct formula *f, uint32_t node)
{
	uint32_t branch = f->index->arm[f->cone->event[node]];

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

void formula_arms(struct formula *f)
{
	const struct cone *c = f->cone;

	if (f->index->arm && f->facts.model == MODEL_VALUES && !c->flat) {
		f->arm = mem_alloc_zero((size_t)c->count + 1, sizeof(*f->arm));
		f->other = mem_alloc_zero((size_t)c->count + 1, sizeof(*f->other));
		for (uint32_t n = 1; n <= c->count; n++)
			f->arm[n] = find_arm(f, n);
	}
	for (uint32_t n = 2; n <= c->count; n++)
		if (begins_chain(f, n))
			vec_push(&f->chain_ends, n);
	if (c->count)
		vec_push(&f->chain_ends, c->count + 1);
}

uint32_t formula_chain_count(const struct cone *c, enum model model)
{
	uint32_t chains = 1;

	for (uint32_t t = 0; t < c->index->thread_count; t++)
		chains += c->top[t] > c->start[t];
	for (uint32_t n = 1; model == MODEL_VALUES && c->index->arm && n <= c->count; n++)
		chains += index_scope(c->index, c->event[n]) ? 2 : 0;
	return chains;
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
	uint32_t node = cone_node(f->cone, branch);

	/* a branch whose arm is not in the cone is the last of its thread there */
	return f->arm && index_scope(f->index, branch) &&
	       node + 1 < cone_end(f->cone, cone_thread(f->cone, node));
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
