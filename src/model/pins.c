/* SPDX-License-Identifier: MIT */
#include "model/pins.h"

#include "trace/expr.h"

static bool is_constant(const struct expr *expr, uint32_t node, int64_t *value)
{
	*value = (int64_t)expr->nodes[node].value;
	return expr->nodes[node].op == OP_CONST;
}

static void ask_true(struct pins *p, const struct expr *expr, uint32_t node);

/* The part has this value. */
static void ask_equal(struct pins *p, const struct expr *expr, uint32_t node, int64_t value)
{
	const struct expr_node *n = &expr->nodes[node];
	const uint32_t *args = expr_operands(expr, n);
	int64_t other;

	if (n->op == OP_READ)
		vec_push(&p->reads, (uint32_t)n->value);
	if (n->op != OP_ITE)
		return;
	if (is_constant(expr, args[2], &other) && other != value) {
		ask_true(p, expr, args[0]);
		ask_equal(p, expr, args[1], value);
	} else if (is_constant(expr, args[1], &other) && other != value) {
		ask_equal(p, expr, args[2], value);
	}
}

/* The part is not 0. */
static void ask_true(struct pins *p, const struct expr *expr, uint32_t node)
{
	const struct expr_node *n = &expr->nodes[node];
	const uint32_t *args = expr_operands(expr, n);
	int64_t value;

	switch (n->op) {
	case OP_AND:
		for (uint32_t i = 0; i < n->args; i++)
			ask_true(p, expr, args[i]);
		break;
	case OP_EQ:
		if (is_constant(expr, args[1], &value))
			ask_equal(p, expr, args[0], value);
		else if (is_constant(expr, args[0], &value))
			ask_equal(p, expr, args[1], value);
		break;
	case OP_NE:
		if (is_constant(expr, args[1], &value) && !value)
			ask_true(p, expr, args[0]);
		break;
	case OP_ITE:
		if (is_constant(expr, args[2], &value) && !value) {
			ask_true(p, expr, args[0]);
			ask_true(p, expr, args[1]);
		}
		break;
	default: break;
	}
}

static void ask_branch(const struct event *e, struct pins *p)
{
	const struct event_more *more = e->more;

	if (more && more->expr) {
		for (uint32_t i = 0; i < more->expr->count; i++)
			if (more->expr->nodes[i].op == OP_READ)
				vec_push(&p->named, (uint32_t)more->expr->nodes[i].value);
		ask_true(p, more->expr, more->expr->count - 1);
	} else if (more && more->reads_given) {
		for (uint32_t i = 0; i < more->read_count; i++)
			vec_push(&p->reads, (uint32_t)more->reads[i]);
	} else {
		p->all = true;
	}
}

void pins_of(const struct index *index, uint32_t event, struct pins *p)
{
	const struct event *e = &index->events[event];

	p->reads.n = p->named.n = 0;
	p->all = false;
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		vec_push(&p->reads, (uint32_t)e->more->at[i]);
	if (e->kind == EV_BRANCH)
		ask_branch(e, p);
	for (size_t i = 0; i < p->reads.n; i++)
		vec_push(&p->named, p->reads.at[i]);
}

void pins_release(struct pins *p)
{
	vec_release(&p->reads);
	vec_release(&p->named);
}
