/* Expressions as terms over 64-bit vectors: SMT-LIB's operators are those of doc/model.md. */
#include "search/smt_parts.h"

bool smt_part_place(const struct smt *s, uint32_t n, uint32_t i, uint32_t *shift, uint64_t *mask)
{
	const struct event *e = smt_event(s, n);
	const struct symbols *symbols = s->index->symbols;
	const struct variable *first = symbols_variable(symbols, e->object);
	const struct variable *v = symbols_variable(symbols, event_part(e, i).variable);

	if (!(v->flags & VARIABLE_MEMORY))
		return false;
	*shift = 8 * (uint32_t)(v->address - first->address);
	*mask = v->size < 8 ? ((uint64_t)1 << 8 * v->size) - 1 : UINT64_MAX;
	return true;
}

/* What read n returned as a whole; the reader lets no expression name one that has no value. */
static void say_whole(struct smt *s, uint32_t n)
{
	uint32_t count = event_part_count(smt_event(s, n)), shift;
	uint64_t mask;

	for (uint32_t i = 1; i < count; i++)
		smt_say(s, "(bvor ");
	for (uint32_t i = 0; i < count; i++) {
		if (smt_part_place(s, n, i, &shift, &mask))
			smt_say(s, "%s(bvshl (bvand v%u_%u %x) %x)%s", i ? " " : "", n, i,
				(int64_t)mask, (int64_t)shift, i ? ")" : "");
		else
			smt_say(s, "v%u_%u", n, i);
	}
}

/* How an operator is written: around its arguments, and between two of them. */
static const struct {
	const char *before; /* for each argument but the first, all in front; one or two: once */
	bool is_test;	    /* gives a Bool */
} forms[OP_COUNT] = {
	[OP_ADD] = {"(bvadd ", false},
	[OP_SUB] = {"(bvsub ", false},
	[OP_MUL] = {"(bvmul ", false},
	[OP_DIV] = {"(bvsdiv ", false},
	[OP_REM] = {"(bvsrem ", false},
	[OP_AND_BITS] = {"(bvand ", false},
	[OP_OR_BITS] = {"(bvor ", false},
	[OP_XOR_BITS] = {"(bvxor ", false},
	[OP_NOT_BITS] = {"(bvnot ", false},
	[OP_SHL] = {"(bvshl ", false},
	[OP_SHR] = {"(bvashr ", false},
	[OP_SHR_U] = {"(bvlshr ", false},
	[OP_LT] = {"(bvslt ", true},
	[OP_LE] = {"(bvsle ", true},
	[OP_GT] = {"(bvsgt ", true},
	[OP_GE] = {"(bvsge ", true},
	[OP_LT_U] = {"(bvult ", true},
	[OP_LE_U] = {"(bvule ", true},
	[OP_GT_U] = {"(bvugt ", true},
	[OP_GE_U] = {"(bvuge ", true},
	[OP_EQ] = {"(= ", true},
	[OP_NE] = {"(distinct ", true},
	[OP_TRUNC8] = {"((_ zero_extend 56) ((_ extract 7 0) ", false},
	[OP_TRUNC16] = {"((_ zero_extend 48) ((_ extract 15 0) ", false},
	[OP_TRUNC32] = {"((_ zero_extend 32) ((_ extract 31 0) ", false},
	[OP_SEXT8] = {"((_ sign_extend 56) ((_ extract 7 0) ", false},
	[OP_SEXT16] = {"((_ sign_extend 48) ((_ extract 15 0) ", false},
	[OP_SEXT32] = {"((_ sign_extend 32) ((_ extract 31 0) ", false},
};

static uint32_t say_node(struct smt *s, const struct expr *expr, uint32_t i);

/* Node i is not 0. */
static uint32_t say_truth(struct smt *s, const struct expr *expr, uint32_t i)
{
	smt_say(s, " (distinct ");
	i = say_node(s, expr, i);
	smt_say(s, " %x)", (int64_t)0);
	return i;
}

/* and, or, not, ite: over truths */
static uint32_t say_logic(struct smt *s, const struct expr *expr, uint32_t i)
{
	const struct expr_node *node = &expr->nodes[i++];

	if (node->op == OP_ITE) {
		smt_say(s, "(ite");
		i = say_truth(s, expr, i);
		smt_say(s, " ");
		i = say_node(s, expr, i);
		smt_say(s, " ");
		i = say_node(s, expr, i);
		smt_say(s, ")");
		return i;
	}
	smt_say(s, "(ite (%s", node->op == OP_AND ? "and" : node->op == OP_OR ? "or" : "not");
	for (uint32_t k = 0; k < node->args; k++)
		i = say_truth(s, expr, i);
	smt_say(s, ") %x %x)", (int64_t)1, (int64_t)0);
	return i;
}

/* More than two arguments: from the left, two at a time. */
static uint32_t say_apply(struct smt *s, const struct expr *expr, uint32_t i)
{
	const struct expr_node *node = &expr->nodes[i++];
	const char *before =
		node->op == OP_SUB && node->args == 1 ? "(bvneg " : forms[node->op].before;
	bool cuts = node->op >= OP_TRUNC8;

	if (forms[node->op].is_test)
		smt_say(s, "(ite ");
	for (uint32_t k = 1; k < node->args || k == 1; k++)
		smt_say(s, "%s", before);
	for (uint32_t k = 0; k < node->args; k++) {
		smt_say(s, "%s", k ? " " : "");
		i = say_node(s, expr, i);
		if (k || node->args == 1)
			smt_say(s, "%s", cuts ? "))" : ")");
	}
	if (forms[node->op].is_test)
		smt_say(s, " %x %x)", (int64_t)1, (int64_t)0);
	return i;
}

/* Returns the node behind it. */
static uint32_t say_node(struct smt *s, const struct expr *expr, uint32_t i)
{
	const struct expr_node *node = &expr->nodes[i];

	switch (node->op) {
	case OP_CONST: smt_say(s, "%x", (int64_t)node->value); return i + 1;
	case OP_READ: say_whole(s, (uint32_t)node->value); return i + 1;
	case OP_AND:
	case OP_OR:
	case OP_NOT:
	case OP_ITE: return say_logic(s, expr, i);
	default: return say_apply(s, expr, i);
	}
}

void smt_say_term(struct smt *s, const struct expr *expr)
{
	say_node(s, expr, 0);
}

static uint32_t node_end(const struct expr *expr, uint32_t i)
{
	uint32_t args = expr->nodes[i++].args;

	while (args--)
		i = node_end(expr, i);
	return i;
}

/* All of them, wherever they stand: an expression has no value if any part has none. */
void smt_say_divisors(struct smt *s, const struct expr *expr)
{
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->nodes[i].op == OP_DIV || expr->nodes[i].op == OP_REM)
			say_truth(s, expr, node_end(expr, i + 1));
}
