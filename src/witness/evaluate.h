/* SPDX-License-Identifier: MIT */
/* Expressions, evaluated for the certifier alone: it shares nothing with the engines. */
#ifndef WITNESS_EVALUATE_H
#define WITNESS_EVALUATE_H

#include "trace/expr.h"

/* As expr_value in trace/expr.h. */
bool evaluate_expr(const struct expr *expr, expr_lookup *lookup, void *context, int64_t *value);

#endif
