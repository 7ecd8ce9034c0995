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

/* How an operator is written, before its arguments. */
static const struct {
	const char *before;
	bool is_test; /* gives a Bool */
} forms[OP_COUNT] = {
	[OP_ADD] = {"(bvadd", false},
	[OP_SUB] = {"(bvsub", false},
	[OP_MUL] = {"(bvmul", false},
	[OP_DIV] = {"(bvsdiv", false},
	[OP_REM] = {"(bvsrem", false},
	[OP_AND_BITS] = {"(bvand", false},
	[OP_OR_BITS] = {"(bvor", false},
	[OP_XOR_BITS] = {"(bvxor", false},
	[OP_NOT_BITS] = {"(bvnot", false},
	[OP_SHL] = {"(bvshl", false},
	[OP_SHR] = {"(bvashr", false},
	[OP_SHR_U] = {"(bvlshr", false},
	[OP_LT] = {"(bvslt", true},
	[OP_LE] = {"(bvsle", true},
	[OP_GT] = {"(bvsgt", true},
	[OP_GE] = {"(bvsge", true},
	[OP_LT_U] = {"(bvult", true},
	[OP_LE_U] = {"(bvule", true},
	[OP_GT_U] = {"(bvugt", true},
	[OP_GE_U] = {"(bvuge", true},
	[OP_EQ] = {"(=", true},
	[OP_NE] = {"(distinct", true},
	[OP_TRUNC8] = {"((_ zero_extend 56) ((_ extract 7 0)", false},
	[OP_TRUNC16] = {"((_ zero_extend 48) ((_ extract 15 0)", false},
	[OP_TRUNC32] = {"((_ zero_extend 32) ((_ extract 31 0)", false},
	[OP_SEXT8] = {"((_ sign_extend 56) ((_ extract 7 0)", false},
	[OP_SEXT16] = {"((_ sign_extend 48) ((_ extract 15 0)", false},
	[OP_SEXT32] = {"((_ sign_extend 32) ((_ extract 31 0)", false},
};

/* Terms are nested no deeper than this: solvers read them with recursion. */
#define HEIGHT_MOST 100

/*
 * Parts that are used more than once, and some on long ways down, get names of their own, tN_PART
 * of event N: written out, a graph could be exponentially large.
 */
static void find_named(struct smt *s, const struct expr *expr)
{
	const uint32_t *operands = (const uint32_t *)(expr->nodes + expr->count);
	struct smt_part none = {0};

	s->parts.n = 0;
	for (uint32_t i = 0; i < expr->count; i++)
		vec_push(&s->parts, none);
	for (uint32_t i = 0; i < expr->operand_count; i++)
		s->parts.at[operands[i]].uses++;
	for (uint32_t i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];
		struct smt_part *part = &s->parts.at[i];

		for (uint32_t k = 0; k < node->args; k++) {
			const struct smt_part *below = &s->parts.at[expr_operands(expr, node)[k]];

			if (!below->named && below->height >= part->height)
				part->height = below->height + 1;
		}
		part->named = node->args && (part->uses > 1 || part->height == HEIGHT_MOST);
	}
}

static void say_node(struct smt *s, uint32_t n, uint32_t i);

/* An operand: by its name, if it has one. */
static void say_operand(struct smt *s, uint32_t n, uint32_t i)
{
	if (s->parts.at[i].named)
		smt_say(s, "t%u_%u", n, i);
	else
		say_node(s, n, i);
}

/* Node i is not 0. */
static void say_truth(struct smt *s, uint32_t n, uint32_t i)
{
	smt_say(s, " (distinct ");
	say_operand(s, n, i);
	smt_say(s, " %x)", (int64_t)0);
}

/* and, or, not, ite: over truths */
static void say_logic(struct smt *s, uint32_t n, const struct expr_node *node,
		      const uint32_t *operands)
{
	if (node->op == OP_ITE) {
		smt_say(s, "(ite");
		say_truth(s, n, operands[0]);
		smt_say(s, " ");
		say_operand(s, n, operands[1]);
		smt_say(s, " ");
		say_operand(s, n, operands[2]);
		smt_say(s, ")");
		return;
	}
	smt_say(s, "(ite (%s", node->op == OP_AND ? "and" : node->op == OP_OR ? "or" : "not");
	for (uint32_t k = 0; k < node->args; k++)
		say_truth(s, n, operands[k]);
	smt_say(s, ") %x %x)", (int64_t)1, (int64_t)0);
}

/* All arguments of `bvadd` and so on may stand behind one; the tests have two. */
static void say_apply(struct smt *s, uint32_t n, const struct expr_node *node,
		      const uint32_t *operands)
{
	const char *before =
		node->op == OP_SUB && node->args == 1 ? "(bvneg" : forms[node->op].before;
	bool cuts = node->op >= OP_TRUNC8;

	smt_say(s, "%s%s", forms[node->op].is_test ? "(ite " : "", before);
	for (uint32_t k = 0; k < node->args; k++) {
		smt_say(s, " ");
		say_operand(s, n, operands[k]);
	}
	smt_say(s, "%s", cuts ? "))" : ")");
	if (forms[node->op].is_test)
		smt_say(s, " %x %x)", (int64_t)1, (int64_t)0);
}

static void say_node(struct smt *s, uint32_t n, uint32_t i)
{
	const struct expr *expr = smt_event(s, n)->more->expr;
	const struct expr_node *node = &expr->nodes[i];

	switch (node->op) {
	case OP_CONST: smt_say(s, "%x", (int64_t)node->value); return;
	case OP_READ: say_whole(s, (uint32_t)node->value); return;
	case OP_AND:
	case OP_OR:
	case OP_NOT:
	case OP_ITE: say_logic(s, n, node, expr_operands(expr, node)); return;
	default: say_apply(s, n, node, expr_operands(expr, node));
	}
}

void smt_say_term(struct smt *s, uint32_t n)
{
	const struct expr *expr = smt_event(s, n)->more->expr;

	find_named(s, expr);
	for (uint32_t i = 0; i < expr->count; i++) {
		if (!s->parts.at[i].named)
			continue;
		fprintf(s->declared, "(declare-const t%u_%u (_ BitVec 64))\n", n, i);
		smt_say(s, "(assert (= t%u_%u ", n, i);
		say_node(s, n, i);
		smt_say(s, "))\n");
	}
	smt_say(s, "(assert (= e%u ", n);
	say_operand(s, n, expr->count - 1);
	smt_say(s, "))\n");
}

/* All of them, wherever they stand: an expression has no value if any part has none. */
void smt_say_divisors(struct smt *s, uint32_t n)
{
	const struct expr *expr = smt_event(s, n)->more->expr;

	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->nodes[i].op == OP_DIV || expr->nodes[i].op == OP_REM)
			say_truth(s, n, expr_operands(expr, &expr->nodes[i])[1]);
}
