#include "witness/evaluate.h"

#include "base/err.h"

struct evaluation {
	const struct expr_node *next;
	expr_lookup *lookup;
	void *context;
};

/* + * & | ^ over all arguments. */
static uint64_t fold(enum expr_op op, const uint64_t *a, uint8_t n)
{
	uint64_t x = a[0];

	for (uint8_t i = 1; i < n; i++)
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

static bool apply(enum expr_op op, const uint64_t *a, uint8_t n, uint64_t *value)
{
	uint64_t x = a[0], y = n > 1 ? a[1] : 0;
	uint8_t trues = 0;

	for (uint8_t i = 0; i < n; i++)
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

/* The expression that starts at e->next; an unknown argument makes it unknown. */
static bool evaluate(struct evaluation *e, uint64_t *value)
{
	const struct expr_node *node = e->next++;
	uint64_t args[EXPR_ARGS_MAX] = {0};
	int64_t read = 0;
	bool known = true;

	if (node->op == OP_READ) {
		known = e->lookup(e->context, node->value, &read);
		*value = (uint64_t)read;
		return known;
	}
	if (node->op == OP_CONST) {
		*value = node->value;
		return true;
	}
	for (uint8_t i = 0; i < node->args; i++)
		known &= evaluate(e, &args[i]);
	return known && apply(node->op, args, node->args, value);
}

bool evaluate_expr(const struct expr *expr, expr_lookup *lookup, void *context, int64_t *value)
{
	struct evaluation e = {expr->nodes, lookup, context};
	uint64_t result;
	bool known = evaluate(&e, &result);

	if (known)
		*value = (int64_t)result;
	return known;
}
