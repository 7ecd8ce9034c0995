#include "trace/expr.h"

#include "base/err.h"

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

bool expr_apply(enum expr_op op, const int64_t *a, uint32_t n, int64_t *result)
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
		if (!y)
			return false;
		*result = y == -1 ? (int64_t)-ux : x / y;
		return true;
	case OP_REM:
		if (!y)
			return false;
		*result = y == -1 ? 0 : x % y;
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
	case OP_CONST:
	case OP_READ:
	case OP_COUNT: break;
	}
	BUG("not an operator");
}

/* Most expressions are this small: no allocation for these. */
#define FEW 32

static bool apply_node(const struct expr *expr, const struct expr_node *node, const int64_t *values,
		       int64_t *args, int64_t *result)
{
	const uint32_t *operands = expr_operands(expr, node);

	for (uint32_t i = 0; i < node->args; i++)
		args[i] = values[operands[i]];
	return expr_apply(node->op, args, node->args, result);
}

/* Room: a value for each node, then for the arguments of one. */
static bool evaluate(const struct expr *expr, expr_lookup *lookup, void *context, int64_t *values)
{
	for (uint32_t i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];
		bool known = true;

		if (node->op == OP_CONST)
			values[i] = (int64_t)node->value;
		else if (node->op == OP_READ)
			known = lookup(context, node->value, &values[i]);
		else
			known = apply_node(expr, node, values, values + expr->count, &values[i]);
		if (!known)
			return false;
	}
	return true;
}

bool expr_value(const struct expr *expr, expr_lookup *lookup, void *context, int64_t *value)
{
	size_t room = (size_t)expr->count + expr->operand_count;
	int64_t few[FEW], *values = room > FEW ? mem_alloc(room * sizeof(*values)) : few;
	bool known = evaluate(expr, lookup, context, values);

	if (known)
		*value = values[expr->count - 1];
	if (values != few)
		mem_free(values);
	return known;
}
