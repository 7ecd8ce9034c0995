#include "witness/evaluate.h"

#include "base/err.h"

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
		if (y)
			*value = divide(x, y);
		return y;
	case OP_REM:
		if (y)
			*value = x - divide(x, y) * y;
		return y;
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
	case OP_CONST:
	case OP_READ:
	case OP_COUNT: break;
	}
	BUG("not an operator");
}

/* The value of one node, whose operands have theirs already; args is room for these. */
static bool evaluate(const struct expr *expr, uint32_t i, const uint64_t *values, uint64_t *args,
		     uint64_t *value)
{
	const struct expr_node *node = &expr->nodes[i];

	for (uint32_t k = 0; k < node->args; k++)
		args[k] = values[expr_operands(expr, node)[k]];
	return apply(node->op, args, node->args, value);
}

/* An unknown part makes all of it unknown. */
bool evaluate_expr(const struct expr *expr, expr_lookup *lookup, void *context, int64_t *value)
{
	size_t room = (size_t)expr->count + expr->operand_count;
	uint64_t *values = mem_alloc_zero(room, sizeof(*values));
	bool known = true;

	for (uint32_t i = 0; known && i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];

		if (node->op == OP_CONST)
			values[i] = node->value;
		else if (node->op == OP_READ)
			known = lookup(context, node->value, (int64_t *)&values[i]);
		else
			known = evaluate(expr, i, values, values + expr->count, &values[i]);
	}
	if (known)
		*value = (int64_t)values[expr->count - 1];
	mem_free(values);
	return known;
}
