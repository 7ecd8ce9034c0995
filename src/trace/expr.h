/* SPDX-License-Identifier: MIT */
/*
 * Expressions over what reads returned: 64-bit words (doc/model.md).
 * A graph whose parts may be shared: operands stand before their operator, and the last node is
 * the whole, so that evaluation runs once over one array. trace/expr_build.h makes them.
 */
#ifndef TRACE_EXPR_H
#define TRACE_EXPR_H

#include "trace/constants.h"

#include <stdbool.h>
#include <stdint.h>

/* Arity: at least, at most. The order is the binary format's: new ones go at the end. */
/* clang-format off */
#define EXPR_OPS(row) \
	row(OP_CONST, "", 0, 0) \
	row(OP_READ, "", 0, 0) \
	row(OP_ADD, "+", 2, EXPR_ARGS_MAX) \
	row(OP_SUB, "-", 1, 2) \
	row(OP_MUL, "*", 2, EXPR_ARGS_MAX) \
	row(OP_DIV, "/", 2, 2) \
	row(OP_REM, "%", 2, 2) \
	row(OP_AND_BITS, "&", 2, EXPR_ARGS_MAX) \
	row(OP_OR_BITS, "|", 2, EXPR_ARGS_MAX) \
	row(OP_XOR_BITS, "^", 2, EXPR_ARGS_MAX) \
	row(OP_NOT_BITS, "~", 1, 1) \
	row(OP_SHL, "<<", 2, 2) \
	row(OP_SHR, ">>", 2, 2) \
	row(OP_SHR_U, ">>u", 2, 2) \
	row(OP_LT, "<", 2, 2) \
	row(OP_LE, "<=", 2, 2) \
	row(OP_GT, ">", 2, 2) \
	row(OP_GE, ">=", 2, 2) \
	row(OP_LT_U, "<u", 2, 2) \
	row(OP_LE_U, "<=u", 2, 2) \
	row(OP_GT_U, ">u", 2, 2) \
	row(OP_GE_U, ">=u", 2, 2) \
	row(OP_EQ, "=", 2, 2) \
	row(OP_NE, "!=", 2, 2) \
	row(OP_AND, "and", 2, EXPR_ARGS_MAX) \
	row(OP_OR, "or", 2, EXPR_ARGS_MAX) \
	row(OP_NOT, "not", 1, 1) \
	row(OP_ITE, "ite", 3, 3) \
	row(OP_TRUNC8, "trunc8", 1, 1) \
	row(OP_TRUNC16, "trunc16", 1, 1) \
	row(OP_TRUNC32, "trunc32", 1, 1) \
	row(OP_SEXT8, "sext8", 1, 1) \
	row(OP_SEXT16, "sext16", 1, 1) \
	row(OP_SEXT32, "sext32", 1, 1) \
	row(OP_DIV_U, "/u", 2, 2) \
	row(OP_REM_U, "%u", 2, 2) \
	row(OP_BELOW, "below", 2, 2) \
	row(OP_IN, "in", 2, EXPR_ARGS_MAX) \
	row(OP_ADD_F, "+f", 2, 2) \
	row(OP_SUB_F, "-f", 2, 2) \
	row(OP_MUL_F, "*f", 2, 2) \
	row(OP_DIV_F, "/f", 2, 2) \
	row(OP_SQRT_F, "sqrtf", 1, 1) \
	row(OP_FMA_F, "fmaf", 3, 3) \
	row(OP_LT_F, "<f", 2, 2) \
	row(OP_LE_F, "<=f", 2, 2) \
	row(OP_EQ_F, "=f", 2, 2) \
	row(OP_ADD_D, "+d", 2, 2) \
	row(OP_SUB_D, "-d", 2, 2) \
	row(OP_MUL_D, "*d", 2, 2) \
	row(OP_DIV_D, "/d", 2, 2) \
	row(OP_SQRT_D, "sqrtd", 1, 1) \
	row(OP_FMA_D, "fmad", 3, 3) \
	row(OP_LT_D, "<d", 2, 2) \
	row(OP_LE_D, "<=d", 2, 2) \
	row(OP_EQ_D, "=d", 2, 2) \
	row(OP_F2D, "f2d", 1, 1) \
	row(OP_D2F, "d2f", 1, 1) \
	row(OP_S2F, "s2f", 1, 1) \
	row(OP_U2F, "u2f", 1, 1) \
	row(OP_S2D, "s2d", 1, 1) \
	row(OP_U2D, "u2d", 1, 1) \
	row(OP_F2S, "f2s", 1, 1) \
	row(OP_F2U, "f2u", 1, 1) \
	row(OP_D2S, "d2s", 1, 1) \
	row(OP_D2U, "d2u", 1, 1) \
	row(OP_LOAD1, "load1", 1, 1) \
	row(OP_LOAD2, "load2", 1, 1) \
	row(OP_LOAD4, "load4", 1, 1) \
	row(OP_LOAD8, "load8", 1, 1)
/* clang-format on */

enum expr_op {
#define OP_ROW(name, text, least, most) name,
	EXPR_OPS(OP_ROW)
#undef OP_ROW
		OP_COUNT
};

/* Against files that ask for absurd amounts of memory; no expression of a program comes near. */
#define EXPR_NODES_MAX (1u << 20)
#define EXPR_ARGS_MAX EXPR_NODES_MAX

struct expr_node {
	uint8_t op;
	uint32_t args;
	/* OP_CONST: the number; OP_READ: the event number of the read; else: where its operands
	 * stand in the array behind the nodes */
	uint64_t value;
};

struct expr {
	uint32_t count, operand_count;
	const struct constants *constants; /* what the loads look at; or NULL */
	struct expr_node nodes[];	   /* then uint32_t[operand_count]: numbers of nodes */
};

extern const char *const expr_op_text[OP_COUNT];

static inline const uint32_t *expr_operands(const struct expr *expr, const struct expr_node *node)
{
	return (const uint32_t *)(expr->nodes + expr->count) + (node->args ? node->value : 0);
}

static inline size_t expr_size(const struct expr *expr)
{
	return sizeof(*expr) + expr->count * sizeof(*expr->nodes) +
	       expr->operand_count * sizeof(uint32_t);
}

bool expr_arity_fits(enum expr_op op, uint32_t args);

/* An operator, no load, over its arguments; false: no value. */
bool expr_apply(enum expr_op op, const int64_t *args, uint32_t n, int64_t *result);

/* How many bytes the operator loads; 0 if it is another. */
static inline unsigned expr_op_loads(enum expr_op op)
{
	return op >= OP_LOAD1 && op <= OP_LOAD8 ? 1u << (op - OP_LOAD1) : 0;
}

/* The machine may trap where it has no value: then no part of the expression has one. */
static inline bool expr_op_traps(enum expr_op op)
{
	return op == OP_DIV || op == OP_REM || op == OP_DIV_U || op == OP_REM_U ||
	       expr_op_loads(op);
}

/*
 * Evaluates with lookup(context, N, &v) giving what read N returned. False if one of them is
 * unknown, a division traps, or the whole has no value (doc/model.md).
 */
typedef bool expr_lookup(void *context, uint64_t read, int64_t *value);
bool expr_value(const struct expr *expr, expr_lookup *lookup, void *context, int64_t *value);

#endif
