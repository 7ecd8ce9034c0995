/* SPDX-License-Identifier: MIT */
#include "trace/expr.h"

#include "base/err.h"

#include <math.h>
#include <string.h>

const char *const expr_op_text[OP_COUNT] = {
#define OP_ROW(name, text, least, most) [name] = text,
	EXPR_OPS(OP_ROW)
#undef OP_ROW
};

static const struct {
	uint32_t least, most;
} arity[OP_COUNT] = {
#define OP_ROW(name, text, least, most) [name] = {least, most},
	EXPR_OPS(OP_ROW)
#undef OP_ROW
};

bool expr_arity_fits(enum expr_op op, uint32_t args)
{
	return args >= arity[op].least && args <= arity[op].most;
}

/*
 * Floating point: bits in the low half of a word, or all of it. Not a number is no value: which one
 * it is depends on the order of operands, and that is the compiler's choice.
 */

static float to_float(int64_t word)
{
	uint32_t bits = (uint32_t)word;
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static double to_double(int64_t word)
{
	double x;

	memcpy(&x, &word, sizeof(x));
	return x;
}

static bool give_float(float x, int64_t *result)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	*result = bits;
	return !isnan(x);
}

static bool give_double(double x, int64_t *result)
{
	memcpy(result, &x, sizeof(*result));
	return !isnan(x);
}

static bool give_signed(double x, int64_t *result)
{
	bool fits = x >= -0x1p63 && x < 0x1p63;

	*result = fits ? (int64_t)x : 0;
	return fits;
}

static bool give_unsigned(double x, int64_t *result)
{
	bool fits = x > -1 && x < 0x1p64;

	/* behind the point there may be something, and in front of that -0 */
	*result = fits && x >= 1 ? (int64_t)(uint64_t)x : 0;
	return fits;
}

static bool apply_single(enum expr_op op, const int64_t *a, int64_t *result)
{
	float x = to_float(a[0]);

	switch (op) {
	case OP_ADD_F: return give_float(x + to_float(a[1]), result);
	case OP_SUB_F: return give_float(x - to_float(a[1]), result);
	case OP_MUL_F: return give_float(x * to_float(a[1]), result);
	case OP_DIV_F: return give_float(x / to_float(a[1]), result);
	case OP_SQRT_F: return give_float(sqrtf(x), result);
	case OP_FMA_F: return give_float(fmaf(x, to_float(a[1]), to_float(a[2])), result);
	case OP_LT_F: *result = x < to_float(a[1]); return true;
	case OP_LE_F: *result = x <= to_float(a[1]); return true;
	case OP_EQ_F: *result = x == to_float(a[1]); return true;
	default: BUG("not an operator");
	}
}

static bool apply_double(enum expr_op op, const int64_t *a, int64_t *result)
{
	double x = to_double(a[0]);

	switch (op) {
	case OP_ADD_D: return give_double(x + to_double(a[1]), result);
	case OP_SUB_D: return give_double(x - to_double(a[1]), result);
	case OP_MUL_D: return give_double(x * to_double(a[1]), result);
	case OP_DIV_D: return give_double(x / to_double(a[1]), result);
	case OP_SQRT_D: return give_double(sqrt(x), result);
	case OP_FMA_D: return give_double(fma(x, to_double(a[1]), to_double(a[2])), result);
	case OP_LT_D: *result = x < to_double(a[1]); return true;
	case OP_LE_D: *result = x <= to_double(a[1]); return true;
	case OP_EQ_D: *result = x == to_double(a[1]); return true;
	default: return apply_single(op, a, result);
	}
}

static bool apply_float(enum expr_op op, const int64_t *a, int64_t *result)
{
	switch (op) {
	case OP_F2D: return give_double(to_float(a[0]), result);
	case OP_D2F: return give_float((float)to_double(a[0]), result);
	case OP_S2F: return give_float((float)a[0], result);
	case OP_U2F: return give_float((float)(uint64_t)a[0], result);
	case OP_S2D: return give_double((double)a[0], result);
	case OP_U2D: return give_double((double)(uint64_t)a[0], result);
	case OP_F2S: return give_signed(to_float(a[0]), result);
	case OP_F2U: return give_unsigned(to_float(a[0]), result);
	case OP_D2S: return give_signed(to_double(a[0]), result);
	case OP_D2U: return give_unsigned(to_double(a[0]), result);
	default: return apply_double(op, a, result);
	}
}

/* Inline: evaluation spends most of its time here. */
static inline __attribute__((always_inline)) bool apply(enum expr_op op, const int64_t *a,
							uint32_t n, int64_t *result)
{
	int64_t x = n ? a[0] : 0, y = n > 1 ? a[1] : 0;
	uint64_t ux = (uint64_t)x, uy = (uint64_t)y;

	switch (op) {
	case OP_ADD:
		for (uint32_t i = 1; i < n; i++)
			ux += (uint64_t)a[i];
		*result = (int64_t)ux;
		return true;
	case OP_SUB: *result = (int64_t)(n == 1 ? -ux : ux - uy); return true;
	case OP_MUL:
		for (uint32_t i = 1; i < n; i++)
			ux *= (uint64_t)a[i];
		*result = (int64_t)ux;
		return true;
	case OP_DIV:
	case OP_REM:
		if (!y || (y == -1 && x == INT64_MIN))
			return false;
		*result = op == OP_DIV ? x / y : x % y;
		return true;
	case OP_DIV_U:
	case OP_REM_U:
		if (!y)
			return false;
		*result = (int64_t)(op == OP_DIV_U ? ux / uy : ux % uy);
		return true;
	case OP_BELOW: *result = x; return ux < uy;
	case OP_IN:
		*result = 0;
		for (uint32_t i = 1; i < n; i++)
			*result |= x == a[i];
		return true;
	case OP_AND_BITS:
		for (uint32_t i = 1; i < n; i++)
			x &= a[i];
		*result = x;
		return true;
	case OP_OR_BITS:
		for (uint32_t i = 1; i < n; i++)
			x |= a[i];
		*result = x;
		return true;
	case OP_XOR_BITS:
		for (uint32_t i = 1; i < n; i++)
			x ^= a[i];
		*result = x;
		return true;
	case OP_NOT_BITS: *result = ~x; return true;
	case OP_SHL: *result = uy < 64 ? (int64_t)(ux << uy) : 0; return true;
	case OP_SHR: *result = x >> (uy < 64 ? uy : 63); return true;
	case OP_SHR_U: *result = uy < 64 ? (int64_t)(ux >> uy) : 0; return true;
	case OP_LT: *result = x < y; return true;
	case OP_LE: *result = x <= y; return true;
	case OP_GT: *result = x > y; return true;
	case OP_GE: *result = x >= y; return true;
	case OP_LT_U: *result = ux < uy; return true;
	case OP_LE_U: *result = ux <= uy; return true;
	case OP_GT_U: *result = ux > uy; return true;
	case OP_GE_U: *result = ux >= uy; return true;
	case OP_EQ: *result = x == y; return true;
	case OP_NE: *result = x != y; return true;
	case OP_AND:
		*result = 1;
		for (uint32_t i = 0; i < n; i++)
			*result &= a[i] != 0;
		return true;
	case OP_OR:
		*result = 0;
		for (uint32_t i = 0; i < n; i++)
			*result |= a[i] != 0;
		return true;
	case OP_NOT: *result = !x; return true;
	case OP_ITE: *result = x ? y : a[2]; return true;
	case OP_TRUNC8: *result = (uint8_t)ux; return true;
	case OP_TRUNC16: *result = (uint16_t)ux; return true;
	case OP_TRUNC32: *result = (uint32_t)ux; return true;
	case OP_SEXT8: *result = (int8_t)ux; return true;
	case OP_SEXT16: *result = (int16_t)ux; return true;
	case OP_SEXT32: *result = (int32_t)ux; return true;
	default: return apply_float(op, a, result);
	}
}

bool expr_apply(enum expr_op op, const int64_t *a, uint32_t n, int64_t *result)
{
	return apply(op, a, n, result);
}

/* Most expressions are this small: no allocation for these. */
#define FEW 32

/* What evaluation needs for each node, and for the arguments of one. */
struct values {
	int64_t *of, *args;
	bool *has; /* a value */
};

/* Has node i a value? ite looks at the arm that it takes alone. */
static bool apply_node(const struct expr *expr, uint32_t i, const struct values *v)
{
	const struct expr_node *node = &expr->nodes[i];
	const uint32_t *operands = expr_operands(expr, node);
	bool has = true;

	if (node->op == OP_ITE) {
		uint32_t arm = operands[v->of[operands[0]] ? 1 : 2];

		v->of[i] = v->of[arm];
		return v->has[operands[0]] && v->has[arm];
	}
	for (uint32_t k = 0; k < node->args; k++) {
		v->args[k] = v->of[operands[k]];
		has &= v->has[operands[k]];
	}
	if (has && expr_op_loads(node->op))
		return constants_load(expr->constants, (uint64_t)v->args[0],
				      expr_op_loads(node->op), (uint64_t *)&v->of[i]);
	return has && expr_apply(node->op, v->args, node->args, &v->of[i]);
}

/* From node i on; those before have values, but for what `has` says. */
static bool evaluate_from(const struct expr *expr, uint32_t i, expr_lookup *lookup, void *context,
			  const struct values *v)
{
	for (; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];

		v->has[i] = true;
		if (node->op == OP_CONST) {
			v->of[i] = (int64_t)node->value;
		} else if (node->op == OP_READ) {
			if (!lookup(context, node->value, &v->of[i]))
				return false;
		} else {
			v->of[i] = 0;
			v->has[i] = apply_node(expr, i, v);
			if (!v->has[i] && expr_op_traps(node->op))
				return false;
		}
	}
	return v->has[expr->count - 1];
}

/* Mostly all nodes have values, and no operator is special. */
static bool evaluate(const struct expr *expr, expr_lookup *lookup, void *context,
		     const struct values *v)
{
	uint32_t i;

	for (i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];

		if (node->op == OP_CONST) {
			v->of[i] = (int64_t)node->value;
		} else if (node->op == OP_READ) {
			if (!lookup(context, node->value, &v->of[i]))
				return false;
		} else {
			const uint32_t *operands = expr_operands(expr, node);

			if (node->op == OP_ITE || expr_op_loads(node->op))
				break;
			for (uint32_t k = 0; k < node->args; k++)
				v->args[k] = v->of[operands[k]];
			if (!apply(node->op, v->args, node->args, &v->of[i]))
				break;
		}
	}
	if (i == expr->count)
		return true;
	memset(v->has, true, i);
	return evaluate_from(expr, i, lookup, context, v);
}

bool expr_value(const struct expr *expr, expr_lookup *lookup, void *context, int64_t *value)
{
	size_t words = (size_t)expr->count + expr->operand_count;
	int64_t few[FEW];
	bool few_have[FEW], fits = words <= FEW;
	struct values v;

	v.of = fits ? few : mem_alloc(words * sizeof(*v.of) + expr->count);
	v.args = v.of + expr->count;
	v.has = fits ? few_have : (bool *)(v.of + words);
	bool known = evaluate(expr, lookup, context, &v);

	if (known)
		*value = v.of[expr->count - 1];
	if (!fits)
		mem_free(v.of);
	return known;
}
