/* SPDX-License-Identifier: MIT */
#include "witness/evaluate.h"

#include "base/err.h"

#include <math.h>
#include <string.h>

/* + * & | ^ over all arguments. */
static uint64_t fold(enum expr_op op, const uint64_t *a, uint32_t n)
{
	uint64_t x = a[0];

	for (uint32_t i = 1; i < n; i++)
		x = op == OP_ADD	? x + a[i]
		    : op == OP_MUL	? x * a[i]
		    : op == OP_AND_BITS ? x & a[i]
		    : op == OP_OR_BITS	? x | a[i]
					: x ^ a[i];
	return x;
}

static uint64_t sign_extend(uint64_t x, unsigned bits)
{
	uint64_t sign = (uint64_t)1 << (bits - 1);

	x &= (sign << 1) - 1;
	return (x ^ sign) - sign;
}

/* Signed comparison is unsigned comparison with the sign bits turned. */
static bool less(uint64_t x, uint64_t y)
{
	uint64_t sign = (uint64_t)1 << 63;

	return (x ^ sign) < (y ^ sign);
}

static uint64_t magnitude(uint64_t x)
{
	return x >> 63 ? 0 - x : x;
}

static uint64_t divide(uint64_t x, uint64_t y)
{
	uint64_t quotient = magnitude(x) / magnitude(y);

	return (x ^ y) >> 63 ? 0 - quotient : quotient;
}

static bool is_among(const uint64_t *a, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (a[i] == a[0])
			return true;
	return false;
}

/*
 * Floating point. A float is widened to a double, which is exact; + - * / and the square root
 * of two such, rounded to double and then to float, are rounded right. What is compared or
 * converted to an integer is looked at bit by bit.
 */

#define INFINITE ((uint64_t)0x7ff << 52)

static double double_of(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static uint64_t bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static double widened(uint64_t word)
{
	uint32_t bits = (uint32_t)word;
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static bool is_nan(uint64_t bits)
{
	return bits << 1 > INFINITE << 1;
}

/* As a double, or cut to a float. Not a number has no value. */
static bool give(double x, bool single, uint64_t *value)
{
	float narrow = (float)x;
	uint32_t bits;

	memcpy(&bits, &narrow, sizeof(bits));
	*value = single ? bits : bits_of(x);
	return !is_nan(bits_of(x));
}

/* Numbers in their order: negative ones count down from zero, and both zeros are one. */
static uint64_t rank(uint64_t bits)
{
	uint64_t sign = (uint64_t)1 << 63;

	return bits & sign ? sign - (bits ^ sign) : sign + bits;
}

static bool compare(enum expr_op op, double left, double right)
{
	uint64_t x = bits_of(left), y = bits_of(right);

	if (is_nan(x) || is_nan(y))
		return false;
	x = rank(x);
	y = rank(y);
	return op == OP_LT_F || op == OP_LT_D	? x < y
	       : op == OP_LE_F || op == OP_LE_D ? x <= y
						: x == y;
}

/* What stands before the point, if 64 bits hold it. */
static bool integer_of(uint64_t bits, bool is_signed, uint64_t *value)
{
	bool negative = bits >> 63;
	int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	uint64_t digits = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
	uint64_t whole = exponent < 0	  ? 0
			 : exponent <= 52 ? digits >> (52 - exponent)
			 : exponent <= 63 ? digits << (exponent - 52)
					  : 0;
	uint64_t limit = negative ? (uint64_t)1 << 63 : ((uint64_t)1 << 63) - 1;

	*value = negative ? 0 - whole : whole;
	if (exponent > 63)
		return false;
	return is_signed ? whole <= limit : !negative || !whole;
}

/* A word in two halves, each exact: the sum is rounded once. */
static double double_from(uint64_t word, bool is_signed)
{
	double high = is_signed ? (double)(int32_t)(word >> 32) : (double)(word >> 32);

	return high * 0x1p32 + (double)(uint32_t)word;
}

/* A long double holds every word. */
static double float_from(uint64_t word, bool is_signed)
{
	return is_signed ? (float)(long double)(int64_t)word : (float)(long double)word;
}

static bool convert(enum expr_op op, uint64_t x, uint64_t *value)
{
	switch (op) {
	case OP_F2D: return give(widened(x), false, value);
	case OP_D2F: return give(double_of(x), true, value);
	case OP_S2F:
	case OP_U2F: return give(float_from(x, op == OP_S2F), true, value);
	case OP_S2D:
	case OP_U2D: return give(double_from(x, op == OP_S2D), false, value);
	case OP_F2S:
	case OP_F2U: return integer_of(bits_of(widened(x)), op == OP_F2S, value);
	case OP_D2S:
	case OP_D2U: return integer_of(x, op == OP_D2S, value);
	default: BUG("not an operator");
	}
}

/* op: of doubles */
static bool compute(enum expr_op op, bool single, const double *x, uint64_t *value)
{
	switch (op) {
	case OP_ADD_D: return give(x[0] + x[1], single, value);
	case OP_SUB_D: return give(x[0] - x[1], single, value);
	case OP_MUL_D: return give(x[0] * x[1], single, value);
	case OP_DIV_D: return give(x[0] / x[1], single, value);
	case OP_SQRT_D: return give(sqrt(x[0]), single, value);
	case OP_FMA_D:
		return give(single ? fmaf((float)x[0], (float)x[1], (float)x[2])
				   : fma(x[0], x[1], x[2]),
			    single, value);
	default: *value = compare(op, x[0], x[1]); return true;
	}
}

static bool apply_floating(enum expr_op op, const uint64_t *a, uint64_t *value)
{
	bool single = op < OP_ADD_D;
	double x[3];

	if (op >= OP_F2D)
		return convert(op, a[0], value);
	for (int i = 0; i < 3; i++)
		x[i] = single ? widened(a[i]) : double_of(a[i]);
	return compute(single ? op + (OP_ADD_D - OP_ADD_F) : op, single, x, value);
}

static bool apply(enum expr_op op, const uint64_t *a, uint32_t n, uint64_t *value)
{
	uint64_t x = a[0], y = n > 1 ? a[1] : 0;
	uint32_t trues = 0;

	for (uint32_t i = 0; i < n; i++)
		trues += a[i] != 0;
	switch (op) {
	case OP_ADD:
	case OP_MUL:
	case OP_AND_BITS:
	case OP_OR_BITS:
	case OP_XOR_BITS: *value = fold(op, a, n); return true;
	case OP_SUB: *value = n == 1 ? 0 - x : x - y; return true;
	case OP_DIV:
	case OP_REM:
		if (!y || (x == (uint64_t)1 << 63 && y == UINT64_MAX))
			return false;
		*value = op == OP_DIV ? divide(x, y) : x - divide(x, y) * y;
		return true;
	case OP_DIV_U:
	case OP_REM_U:
		if (y)
			*value = op == OP_DIV_U ? x / y : x - x / y * y;
		return y;
	case OP_BELOW: *value = x; return x < y;
	case OP_IN: *value = is_among(a, n); return true;
	case OP_NOT_BITS: *value = ~x; return true;
	case OP_SHL: *value = y > 63 ? 0 : x << y; return true;
	case OP_SHR_U: *value = y > 63 ? 0 : x >> y; return true;
	case OP_SHR: /* shift the complement of a negative number, which shifts zeros in */
		y = y > 63 ? 63 : y;
		*value = x >> 63 ? ~(~x >> y) : x >> y;
		return true;
	case OP_LT: *value = less(x, y); return true;
	case OP_LE: *value = !less(y, x); return true;
	case OP_GT: *value = less(y, x); return true;
	case OP_GE: *value = !less(x, y); return true;
	case OP_LT_U: *value = x < y; return true;
	case OP_LE_U: *value = x <= y; return true;
	case OP_GT_U: *value = x > y; return true;
	case OP_GE_U: *value = x >= y; return true;
	case OP_EQ: *value = x == y; return true;
	case OP_NE: *value = x != y; return true;
	case OP_AND: *value = trues == n; return true;
	case OP_OR: *value = trues > 0; return true;
	case OP_NOT: *value = trues == 0; return true;
	case OP_ITE: *value = x ? y : a[2]; return true;
	case OP_TRUNC8: *value = x & 0xff; return true;
	case OP_TRUNC16: *value = x & 0xffff; return true;
	case OP_TRUNC32: *value = x & 0xffffffff; return true;
	case OP_SEXT8: *value = sign_extend(x, 8); return true;
	case OP_SEXT16: *value = sign_extend(x, 16); return true;
	case OP_SEXT32: *value = sign_extend(x, 32); return true;
	default: return apply_floating(op, a, value);
	}
}

/* What is known of a part. */
enum known { NO_VALUE, VALUE, TRAPPED };

struct part_value {
	enum known known;
	uint64_t value;
};

static bool loads(enum expr_op op)
{
	return op == OP_LOAD1 || op == OP_LOAD2 || op == OP_LOAD4 || op == OP_LOAD8;
}

/* A division that fails, or a load of who knows what, ends the thread. */
static bool may_trap(enum expr_op op)
{
	return op == OP_DIV || op == OP_REM || op == OP_DIV_U || op == OP_REM_U || loads(op);
}

/* The bytes of a load, one by one. */
static bool load(const struct expr *expr, uint64_t address, unsigned size, uint64_t *value)
{
	for (unsigned i = size; i-- > 0;) {
		const struct constant *range = constants_find(expr->constants, address + i);

		if (!range)
			return false;
		*value = *value << 8 | range->bytes[address + i - range->address];
	}
	return true;
}

/* One operator, whose operands were looked at already; args is room for their values. */
static struct part_value evaluate(const struct expr *expr, const struct expr_node *node,
				  const struct part_value *parts, uint64_t *args)
{
	const uint32_t *operands = expr_operands(expr, node);
	struct part_value result = {VALUE, 0};

	if (node->op == OP_ITE) {
		struct part_value test = parts[operands[0]];

		return test.known == VALUE ? parts[operands[test.value ? 1 : 2]] : test;
	}
	for (uint32_t k = 0; k < node->args; k++) {
		args[k] = parts[operands[k]].value;
		if (parts[operands[k]].known != VALUE)
			result.known = NO_VALUE;
	}
	if (result.known == VALUE &&
	    !(loads(node->op) ? load(expr, args[0], 1u << (node->op - OP_LOAD1), &result.value)
			      : apply(node->op, args, node->args, &result.value)))
		result.known = NO_VALUE;
	if (result.known != VALUE && may_trap(node->op))
		result.known = TRAPPED;
	return result;
}

static struct part_value look_at(const struct expr_node *node, expr_lookup *lookup, void *context)
{
	int64_t read = 0;

	if (node->op == OP_CONST)
		return (struct part_value){VALUE, node->value};
	/* an unknown read makes all of it unknown, as a trap does */
	if (!lookup(context, node->value, &read))
		return (struct part_value){TRAPPED, 0};
	return (struct part_value){VALUE, (uint64_t)read};
}

bool evaluate_expr(const struct expr *expr, expr_lookup *lookup, void *context, int64_t *value)
{
	struct part_value *parts = mem_alloc_zero(expr->count, sizeof(*parts));
	uint64_t *args = mem_alloc_zero((size_t)expr->operand_count + 3, sizeof(*args));
	bool known = true;

	for (uint32_t i = 0; known && i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];

		parts[i] = node->args ? evaluate(expr, node, parts, args)
				      : look_at(node, lookup, context);
		known = parts[i].known != TRAPPED;
	}
	known = known && parts[expr->count - 1].known == VALUE;
	if (known)
		*value = (int64_t)parts[expr->count - 1].value;
	mem_free(parts);
	mem_free(args);
	return known;
}
