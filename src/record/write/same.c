/* SPDX-License-Identifier: MIT */
#include "record/write/same.h"

#define NODES_MOST 30 /* of a template; the rest is never longer */

static bool is_const(const struct expr *e, uint32_t node)
{
	return e->nodes[node].op == OP_CONST;
}

/* No value of the node is larger. */
static uint64_t largest(const struct expr *e, uint32_t node)
{
	const struct expr_node *n = &e->nodes[node];
	const uint32_t *operands = expr_operands(e, n);
	uint64_t most = UINT64_MAX;

	switch (n->op) {
	case OP_AND_BITS:
		for (uint32_t i = 0; i < n->args; i++)
			if (is_const(e, operands[i]) && e->nodes[operands[i]].value < most)
				most = e->nodes[operands[i]].value;
		return most;
	case OP_REM_U: return is_const(e, operands[1]) ? e->nodes[operands[1]].value - 1 : most;
	case OP_TRUNC8:
	case OP_LOAD1: return UINT8_MAX;
	case OP_TRUNC16:
	case OP_LOAD2: return UINT16_MAX;
	case OP_TRUNC32:
	case OP_LOAD4: return UINT32_MAX;
	default: return most;
	}
}

/* The operand of a sum or product that is not constant, with the others taken together; false:
 * there is another such. */
static bool find_rest(const struct expr *e, const struct expr_node *n, uint32_t *rest,
		      uint64_t *constant)
{
	const uint32_t *operands = expr_operands(e, n);
	unsigned others = 0;

	*constant = n->op == OP_MUL;
	for (uint32_t i = 0; i < n->args; i++) {
		uint64_t value = e->nodes[operands[i]].value;

		if (!is_const(e, operands[i])) {
			*rest = operands[i];
			others++;
		} else if (n->op == OP_MUL) {
			*constant *= value;
		} else {
			*constant += value;
		}
	}
	return others == 1;
}

/* Takes one operator away; false: it says more. A product is the same for one factor alone only if
 * none of them is too large. */
static bool peel(const struct expr *e, uint32_t *node, struct same *s)
{
	const struct expr_node *n = &e->nodes[*node];
	uint64_t constant;
	uint32_t rest;

	if ((n->op != OP_ADD && n->op != OP_MUL) || !find_rest(e, n, &rest, &constant))
		return false;
	if (n->op == OP_ADD && s->times != 1)
		return false;
	if (n->op == OP_ADD)
		s->add += constant;
	else if (!constant || largest(e, rest) > UINT64_MAX / constant / s->times)
		return false;
	else
		s->times *= constant;
	*node = rest;
	return true;
}

static uint32_t add_part(struct expr_builder *b, const struct expr *e, uint32_t node)
{
	const struct expr_node *n = &e->nodes[node];
	uint32_t parts[NODES_MOST];

	if (n->op == OP_CONST)
		return expr_add_const(b, (int64_t)n->value);
	if (n->op == OP_READ)
		return expr_add_read(b, n->value);
	for (uint32_t i = 0; i < n->args; i++)
		parts[i] = add_part(b, e, expr_operands(e, n)[i]);
	return expr_add(b, n->op, parts, n->args);
}

static struct same make(const struct expr *e, struct expr_builder *b, struct arena *memory)
{
	struct same s = {.key = (uintptr_t)e, .times = 1};
	uint32_t rest = e->count - 1;

	if (e->count > NODES_MOST || e->operand_count > NODES_MOST)
		return s;
	for (uint32_t i = 0; i < e->count; i++)
		if (e->nodes[i].op == OP_READ)
			s.named |= (uint8_t)(1u << e->nodes[i].value);
	while (peel(e, &rest, &s))
		;
	expr_builder_reset(b);
	s.expr = expr_take(
		b, expr_add2(b, OP_EQ, add_part(b, e, rest), expr_add_read(b, SAME_RECORDED)),
		EXPR_NODES_MAX, memory);
	return s;
}

const struct same *same_of(struct sames *s, const struct expr *template, struct expr_builder *b,
			   struct arena *memory)
{
	struct same *known = keyed_slot(&s->at, (uintptr_t) template);

	if (!known->key) {
		*known = make(template, b, memory);
		s->at.n++;
	}
	return known;
}
