/* SPDX-License-Identifier: MIT */
/*
 * Guards of branches as all runs call them. Reads are named by their number in their thread. A
 * condition and its opposite are one *question* with two answers, so that `(!= x 0)`, `x` and
 * `(not (= x 0))` are the same answer, and `(= x 0)` the other.
 */
#include "hunt/parts.h"

/* What is asked, and whether the guard holds if the answer is yes. */
struct asked {
	uint64_t question;
	bool yes;
};

/* Operators of which one is true exactly if the other is not; the first is the question. */
static const struct {
	uint8_t yes, no;
} opposites[] = {
	{OP_EQ, OP_NE}, {OP_LT, OP_GE}, {OP_GT, OP_LE}, {OP_LT_U, OP_GE_U}, {OP_GT_U, OP_LE_U}};

/* Operands stand before their operator. */
static uint64_t hash_node(const struct hunt_run *r, const struct expr *expr, uint32_t i, uint8_t op,
			  const uint64_t *hashes)
{
	const struct expr_node *node = &expr->nodes[i];
	uint64_t hash = hunt_mix(op, node->args);

	if (op == OP_READ)
		return hunt_mix(hash, r->read_number[node->value]);
	if (op == OP_CONST)
		return hunt_mix(hash, node->value);
	for (uint32_t k = 0; k < node->args; k++)
		hash = hunt_mix(hash, hashes[expr_operands(expr, node)[k]]);
	return hash;
}

static bool is_zero(const struct expr *expr, uint32_t i)
{
	return expr->nodes[i].op == OP_CONST && !expr->nodes[i].value;
}

static struct asked ask_whole(const struct hunt_run *r, const struct expr *expr,
			      const uint64_t *hashes)
{
	uint32_t i = expr->count - 1;
	bool yes = true;

	for (;;) {
		const struct expr_node *node = &expr->nodes[i];
		const uint32_t *operands = expr_operands(expr, node);
		bool with_zero =
			(node->op == OP_EQ || node->op == OP_NE) && is_zero(expr, operands[1]);

		if (node->op != OP_NOT && !with_zero)
			break;
		yes ^= node->op != OP_NE;
		i = operands[0];
	}
	for (size_t k = 0; k < sizeof(opposites) / sizeof(*opposites); k++)
		if (expr->nodes[i].op == opposites[k].no)
			return (struct asked){hash_node(r, expr, i, opposites[k].yes, hashes),
					      !yes};
	return (struct asked){hash_node(r, expr, i, expr->nodes[i].op, hashes), yes};
}

static struct asked ask_branch(const struct hunt_run *r, uint32_t branch)
{
	const struct expr *expr = r->index->events[branch].more->expr;
	uint64_t *hashes = mem_alloc(expr->count * sizeof(*hashes));

	for (uint32_t i = 0; i < expr->count; i++)
		hashes[i] = hash_node(r, expr, i, expr->nodes[i].op, hashes);
	struct asked asked = ask_whole(r, expr, hashes);

	mem_free(hashes);
	return asked;
}

uint64_t hunt_guard_hash(const struct hunt_run *r, uint32_t branch)
{
	struct asked asked = ask_branch(r, branch);

	return hunt_mix(asked.question, asked.yes);
}

bool hunt_are_opposite(const struct hunt_run *r, const struct hunt_choice *c,
		       const struct hunt_run *other, const struct hunt_choice *as)
{
	if (c->kind != HUNT_BRANCH || as->kind != HUNT_BRANCH)
		return false;
	struct asked a = ask_branch(r, c->event), b = ask_branch(other, as->event);

	return a.question == b.question && a.yes != b.yes;
}
