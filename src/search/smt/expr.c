/* SPDX-License-Identifier: MIT */
/*
 * Expressions as terms over 64-bit vectors: SMT-LIB's operators are those of doc/model.md.
 *
 * Floating point is its bits everywhere but within one operator. SMT-LIB has no way from a number
 * to its bits; so these are a constant of their own, of which it is said what number it is.
 */
#include "search/smt/parts.h"

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
		smt_say(s, " (bvor");
	for (uint32_t i = 0; i < count; i++) {
		if (smt_part_place(s, n, i, &shift, &mask))
			smt_say(s, " (bvshl (bvand v%u_%u %x) %x)%s", n, i, (int64_t)mask,
				(int64_t)shift, i ? ")" : "");
		else
			smt_say(s, " v%u_%u", n, i);
	}
}

/* What an operator takes and gives. */
enum sort { WORD, TRUTH, SINGLE, DOUBLE };

/* How an operator is written, before its arguments, and behind them. */
static const struct form {
	const char *before, *after;
	enum sort takes, gives;
} forms[OP_COUNT] = {
	[OP_ADD] = {"(bvadd", ")", WORD, WORD},
	[OP_SUB] = {"(bvsub", ")", WORD, WORD},
	[OP_MUL] = {"(bvmul", ")", WORD, WORD},
	[OP_DIV] = {"(bvsdiv", ")", WORD, WORD},
	[OP_REM] = {"(bvsrem", ")", WORD, WORD},
	[OP_DIV_U] = {"(bvudiv", ")", WORD, WORD},
	[OP_REM_U] = {"(bvurem", ")", WORD, WORD},
	[OP_AND_BITS] = {"(bvand", ")", WORD, WORD},
	[OP_OR_BITS] = {"(bvor", ")", WORD, WORD},
	[OP_XOR_BITS] = {"(bvxor", ")", WORD, WORD},
	[OP_NOT_BITS] = {"(bvnot", ")", WORD, WORD},
	[OP_SHL] = {"(bvshl", ")", WORD, WORD},
	[OP_SHR] = {"(bvashr", ")", WORD, WORD},
	[OP_SHR_U] = {"(bvlshr", ")", WORD, WORD},
	[OP_LT] = {"(bvslt", ")", WORD, TRUTH},
	[OP_LE] = {"(bvsle", ")", WORD, TRUTH},
	[OP_GT] = {"(bvsgt", ")", WORD, TRUTH},
	[OP_GE] = {"(bvsge", ")", WORD, TRUTH},
	[OP_LT_U] = {"(bvult", ")", WORD, TRUTH},
	[OP_LE_U] = {"(bvule", ")", WORD, TRUTH},
	[OP_GT_U] = {"(bvugt", ")", WORD, TRUTH},
	[OP_GE_U] = {"(bvuge", ")", WORD, TRUTH},
	[OP_EQ] = {"(=", ")", WORD, TRUTH},
	[OP_NE] = {"(distinct", ")", WORD, TRUTH},
	[OP_AND] = {"(and", ")", TRUTH, TRUTH},
	[OP_OR] = {"(or", ")", TRUTH, TRUTH},
	[OP_NOT] = {"(not", ")", TRUTH, TRUTH},
	[OP_TRUNC8] = {"((_ zero_extend 56) ((_ extract 7 0)", "))", WORD, WORD},
	[OP_TRUNC16] = {"((_ zero_extend 48) ((_ extract 15 0)", "))", WORD, WORD},
	[OP_TRUNC32] = {"((_ zero_extend 32) ((_ extract 31 0)", "))", WORD, WORD},
	[OP_SEXT8] = {"((_ sign_extend 56) ((_ extract 7 0)", "))", WORD, WORD},
	[OP_SEXT16] = {"((_ sign_extend 48) ((_ extract 15 0)", "))", WORD, WORD},
	[OP_SEXT32] = {"((_ sign_extend 32) ((_ extract 31 0)", "))", WORD, WORD},
	[OP_ADD_F] = {"(fp.add RNE", ")", SINGLE, SINGLE},
	[OP_SUB_F] = {"(fp.sub RNE", ")", SINGLE, SINGLE},
	[OP_MUL_F] = {"(fp.mul RNE", ")", SINGLE, SINGLE},
	[OP_DIV_F] = {"(fp.div RNE", ")", SINGLE, SINGLE},
	[OP_SQRT_F] = {"(fp.sqrt RNE", ")", SINGLE, SINGLE},
	[OP_FMA_F] = {"(fp.fma RNE", ")", SINGLE, SINGLE},
	[OP_LT_F] = {"(fp.lt", ")", SINGLE, TRUTH},
	[OP_LE_F] = {"(fp.leq", ")", SINGLE, TRUTH},
	[OP_EQ_F] = {"(fp.eq", ")", SINGLE, TRUTH},
	[OP_ADD_D] = {"(fp.add RNE", ")", DOUBLE, DOUBLE},
	[OP_SUB_D] = {"(fp.sub RNE", ")", DOUBLE, DOUBLE},
	[OP_MUL_D] = {"(fp.mul RNE", ")", DOUBLE, DOUBLE},
	[OP_DIV_D] = {"(fp.div RNE", ")", DOUBLE, DOUBLE},
	[OP_SQRT_D] = {"(fp.sqrt RNE", ")", DOUBLE, DOUBLE},
	[OP_FMA_D] = {"(fp.fma RNE", ")", DOUBLE, DOUBLE},
	[OP_LT_D] = {"(fp.lt", ")", DOUBLE, TRUTH},
	[OP_LE_D] = {"(fp.leq", ")", DOUBLE, TRUTH},
	[OP_EQ_D] = {"(fp.eq", ")", DOUBLE, TRUTH},
	[OP_F2D] = {"((_ to_fp 11 53) RNE", ")", SINGLE, DOUBLE},
	[OP_D2F] = {"((_ to_fp 8 24) RNE", ")", DOUBLE, SINGLE},
	[OP_S2F] = {"((_ to_fp 8 24) RNE", ")", WORD, SINGLE},
	[OP_U2F] = {"((_ to_fp_unsigned 8 24) RNE", ")", WORD, SINGLE},
	[OP_S2D] = {"((_ to_fp 11 53) RNE", ")", WORD, DOUBLE},
	[OP_U2D] = {"((_ to_fp_unsigned 11 53) RNE", ")", WORD, DOUBLE},
	[OP_F2S] = {"((_ fp.to_sbv 64) RTZ", ")", SINGLE, WORD},
	[OP_F2U] = {"((_ fp.to_ubv 64) RTZ", ")", SINGLE, WORD},
	[OP_D2S] = {"((_ fp.to_sbv 64) RTZ", ")", DOUBLE, WORD},
	[OP_D2U] = {"((_ fp.to_ubv 64) RTZ", ")", DOUBLE, WORD},
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
	for (uint32_t i = 0; i < expr->count; i++) /* an address is said for each byte */
		if (expr_op_loads(expr->nodes[i].op))
			s->parts.at[expr_operands(expr, &expr->nodes[i])[0]].uses++;
	for (uint32_t i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];
		struct smt_part *part = &s->parts.at[i];

		for (uint32_t k = 0; k < node->args; k++) {
			const struct smt_part *below = &s->parts.at[expr_operands(expr, node)[k]];

			if (!below->named && below->height >= part->height)
				part->height = below->height + 1;
		}
		part->named = node->args && (part->uses > 1 || part->height == HEIGHT_MOST ||
					     forms[node->op].gives >= SINGLE);
	}
}

static void say_node(struct smt *s, uint32_t n, uint32_t i);

/* Node i as a word: by its name, if it has one. */
static void say_operand(struct smt *s, uint32_t n, uint32_t i)
{
	if (s->parts.at[i].named)
		smt_say(s, " t%u_%u", n, i);
	else
		say_node(s, n, i);
}

/* Node i as an operator takes it. A float lies in the low half of its word. */
static void say_as(struct smt *s, uint32_t n, uint32_t i, enum sort sort)
{
	static const char *const before[] = {
		[WORD] = "",
		[TRUTH] = " (distinct",
		[SINGLE] = " ((_ to_fp 8 24) ((_ extract 31 0)",
		[DOUBLE] = " ((_ to_fp 11 53)",
	};
	static const char *const after[] = {
		[WORD] = "", [TRUTH] = " #x0000000000000000)", [SINGLE] = "))", [DOUBLE] = ")"};

	smt_say(s, "%s", before[sort]);
	say_operand(s, n, i);
	smt_say(s, "%s", after[sort]);
}

static void say_ite(struct smt *s, uint32_t n, const uint32_t *operands)
{
	smt_say(s, " (ite");
	say_as(s, n, operands[0], TRUTH);
	say_operand(s, n, operands[1]);
	say_operand(s, n, operands[2]);
	smt_say(s, ")");
}

/* The lowest byte is the last of a vector. */
static void say_load(struct smt *s, uint32_t n, uint32_t address, unsigned size)
{
	s->loads = true;
	if (size < 8)
		smt_say(s, " ((_ zero_extend %u)", 64 - 8 * size);
	smt_say(s, "%s", size > 1 ? " (concat" : "");
	for (unsigned i = size; i-- > 0;) {
		smt_say(s, " (select constants (bvadd");
		say_operand(s, n, address);
		smt_say(s, " %x))", (int64_t)i);
	}
	smt_say(s, "%s%s", size > 1 ? ")" : "", size < 8 ? ")" : "");
}

static void say_in(struct smt *s, uint32_t n, const uint32_t *operands, uint32_t count)
{
	smt_say(s, " (ite (or");
	for (uint32_t k = 1; k < count; k++) {
		smt_say(s, " (=");
		say_operand(s, n, operands[0]);
		say_operand(s, n, operands[k]);
		smt_say(s, ")");
	}
	smt_say(s, ") %x %x)", (int64_t)1, (int64_t)0);
}

/* The operator over its arguments, of the sort that it gives. */
static void say_form(struct smt *s, uint32_t n, const struct expr_node *node,
		     const uint32_t *operands)
{
	const struct form *form = &forms[node->op];
	bool negates = node->op == OP_SUB && node->args == 1;

	smt_say(s, " %s", negates ? "(bvneg" : form->before);
	for (uint32_t k = 0; k < node->args; k++)
		say_as(s, n, operands[k], form->takes);
	smt_say(s, "%s", form->after);
}

/* As a word, with a blank before it. */
static void say_node(struct smt *s, uint32_t n, uint32_t i)
{
	const struct expr *expr = smt_event(s, n)->more->expr;
	const struct expr_node *node = &expr->nodes[i];
	const uint32_t *operands = expr_operands(expr, node);

	switch (node->op) {
	case OP_CONST: smt_say(s, " %x", (int64_t)node->value); return;
	case OP_READ: say_whole(s, (uint32_t)node->value); return;
	case OP_ITE: say_ite(s, n, operands); return;
	case OP_IN: say_in(s, n, operands, node->args); return;
	case OP_BELOW: say_operand(s, n, operands[0]); return;
	case OP_LOAD1:
	case OP_LOAD2:
	case OP_LOAD4:
	case OP_LOAD8: say_load(s, n, operands[0], expr_op_loads(node->op)); return;
	default: break;
	}
	bool is_test = forms[node->op].gives == TRUTH;

	smt_say(s, "%s", is_test ? " (ite" : "");
	say_form(s, n, node, operands);
	if (is_test)
		smt_say(s, " %x %x)", (int64_t)1, (int64_t)0);
}

/* Says what tN_PART is. */
static void say_named(struct smt *s, uint32_t n, uint32_t i)
{
	const struct expr *expr = smt_event(s, n)->more->expr;
	const struct expr_node *node = &expr->nodes[i];
	enum sort gives = forms[node->op].gives;

	fprintf(s->declared, "(declare-const t%u_%u (_ BitVec 64))\n", n, i);
	smt_say(s, "(assert (= ");
	if (gives < SINGLE) {
		smt_say(s, "t%u_%u", n, i);
		say_node(s, n, i);
		smt_say(s, "))\n");
		return;
	}
	say_as(s, n, i, gives);
	say_form(s, n, node, expr_operands(expr, node));
	smt_say(s, "))\n");
	if (gives == SINGLE)
		smt_say(s, "(assert (= ((_ extract 63 32) t%u_%u) #x00000000))\n", n, i);
}

/* What has no value */

/* An operator whose arguments have values may have none. */
static bool is_partial(enum expr_op op)
{
	enum sort gives = forms[op].gives, takes = forms[op].takes;

	return op == OP_BELOW || (gives >= SINGLE && takes >= SINGLE) ||
	       (gives == WORD && takes >= SINGLE);
}

/* The part is one of those, or made of some. */
static void find_partial(struct smt *s, const struct expr *expr)
{
	for (uint32_t i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];
		struct smt_part *part = &s->parts.at[i];

		part->partial = node->args && is_partial(node->op);
		for (uint32_t k = 0; k < node->args; k++)
			part->partial |= s->parts.at[expr_operands(expr, node)[k]].partial;
	}
}

static void say_has_value(struct smt *s, uint32_t n, uint32_t i)
{
	if (s->parts.at[i].partial)
		smt_say(s, " h%u_%u", n, i);
	else
		smt_say(s, " true");
}

/* What stands before the point fits in a word; its sort is SINGLE or DOUBLE. */
static void say_fits(struct smt *s, uint32_t n, uint32_t i, enum sort sort, bool is_signed)
{
	const char *number = sort == SINGLE ? "((_ to_fp 8 24) " : "((_ to_fp 11 53) ";
	const char *least = is_signed	     ? sort == SINGLE ? "#xdf000000" : "#xc3e0000000000000"
			    : sort == SINGLE ? "#xbf800000"
					     : "#xbff0000000000000";
	const char *most = is_signed	    ? sort == SINGLE ? "#x5f000000" : "#x43e0000000000000"
			   : sort == SINGLE ? "#x5f800000"
					    : "#x43f0000000000000";

	smt_say(s, " (%s %s%s)", is_signed ? "fp.leq" : "fp.lt", number, least);
	say_as(s, n, i, sort);
	smt_say(s, ") (fp.lt");
	say_as(s, n, i, sort);
	smt_say(s, " %s%s))", number, most);
}

/* Over arguments that have values, node i has one. */
static void say_own_value(struct smt *s, uint32_t n, uint32_t i)
{
	const struct expr *expr = smt_event(s, n)->more->expr;
	const struct expr_node *node = &expr->nodes[i];
	const uint32_t *operands = expr_operands(expr, node);
	const struct form *form = &forms[node->op];

	if (node->op == OP_BELOW) {
		smt_say(s, " (bvult");
		say_operand(s, n, operands[0]);
		say_operand(s, n, operands[1]);
		smt_say(s, ")");
	} else if (form->gives >= SINGLE) {
		smt_say(s, " (not (fp.isNaN");
		say_as(s, n, i, form->gives);
		smt_say(s, "))");
	} else {
		say_fits(s, n, operands[0], form->takes, node->op == OP_F2S || node->op == OP_D2S);
	}
}

/* hN_PART: the part has a value. */
static void say_partial(struct smt *s, uint32_t n, uint32_t i)
{
	const struct expr *expr = smt_event(s, n)->more->expr;
	const struct expr_node *node = &expr->nodes[i];
	const uint32_t *operands = expr_operands(expr, node);

	fprintf(s->declared, "(declare-const h%u_%u Bool)\n", n, i);
	smt_say(s, "(assert (= h%u_%u (and true", n, i);
	if (node->op == OP_ITE) {
		say_has_value(s, n, operands[0]);
		smt_say(s, " (ite");
		say_as(s, n, operands[0], TRUTH);
		say_has_value(s, n, operands[1]);
		say_has_value(s, n, operands[2]);
		smt_say(s, ")");
	} else {
		for (uint32_t k = 0; k < node->args; k++)
			if (s->parts.at[operands[k]].partial)
				say_has_value(s, n, operands[k]);
		if (is_partial(node->op))
			say_own_value(s, n, i);
	}
	smt_say(s, ")))\n");
}

void smt_say_term(struct smt *s, uint32_t n)
{
	const struct expr *expr = smt_event(s, n)->more->expr;

	find_named(s, expr);
	find_partial(s, expr);
	for (uint32_t i = 0; i < expr->count; i++) {
		if (s->parts.at[i].named)
			say_named(s, n, i);
		if (s->parts.at[i].partial)
			say_partial(s, n, i);
	}
	smt_say(s, "(assert (= e%u", n);
	say_operand(s, n, expr->count - 1);
	smt_say(s, "))\n");
}

/* The machine does not trap there. */
static void say_division(struct smt *s, uint32_t n, enum expr_op op, const uint32_t *operands)
{
	say_as(s, n, operands[1], TRUTH);
	say_has_value(s, n, operands[0]);
	say_has_value(s, n, operands[1]);
	if (op == OP_DIV_U || op == OP_REM_U)
		return;
	smt_say(s, " (or (distinct");
	say_operand(s, n, operands[0]);
	smt_say(s, " %x) (distinct", INT64_MIN);
	say_operand(s, n, operands[1]);
	smt_say(s, " %x))", (int64_t)-1);
}

/* So many bytes from the address of a load on are declared. */
static void say_declared(struct smt *s, uint32_t n, uint32_t address, unsigned size)
{
	const struct constants *c = &s->index->symbols->constants;

	say_has_value(s, n, address);
	smt_say(s, " (or false");
	for (size_t i = 0, next; i < c->by_address.n; i = next) {
		uint64_t first = c->by_address.at[i].address, end = first;

		/* what touches is one */
		for (next = i; next < c->by_address.n && c->by_address.at[next].address == end;
		     next++)
			end += c->by_address.at[next].size;
		if (end - first < size)
			continue;
		smt_say(s, " (bvule (bvsub");
		say_operand(s, n, address);
		smt_say(s, " %x) %x)", (int64_t)first, (int64_t)(end - first - size));
	}
	smt_say(s, ")");
}

void smt_say_constants(struct smt *s)
{
	const struct constants *c = &s->index->symbols->constants;

	fputs("(declare-const constants (Array (_ BitVec 64) (_ BitVec 8)))\n", s->declared);
	for (size_t i = 0; i < c->by_address.n; i++)
		for (uint32_t k = 0; k < c->by_address.at[i].size; k++)
			smt_say(s, "(assert (= (select constants %x) ((_ extract 7 0) %x)))\n",
				(int64_t)(c->by_address.at[i].address + k),
				(int64_t)c->by_address.at[i].bytes[k]);
}

void smt_say_has_value(struct smt *s, uint32_t n)
{
	const struct expr *expr = smt_event(s, n)->more->expr;

	say_has_value(s, n, expr->count - 1);
	for (uint32_t i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];

		if (expr_op_loads(node->op))
			say_declared(s, n, expr_operands(expr, node)[0], expr_op_loads(node->op));
		else if (expr_op_traps(node->op))
			say_division(s, n, node->op, expr_operands(expr, node));
	}
}
