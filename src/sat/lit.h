/* SPDX-License-Identifier: MIT */
/* Literals: a variable's number, from 1, or its negative. */
#ifndef SAT_LIT_H
#define SAT_LIT_H

#include "base/mem.h"

#include <stdbool.h>

typedef int32_t lit;

/* Constants, which clauses drop. */
#define LIT_TRUE INT32_MAX
#define LIT_FALSE (-INT32_MAX)

struct lits {
	VEC(lit) at;
};

static inline uint32_t lit_variable(lit l)
{
	return (uint32_t)(l < 0 ? -l : l);
}

#endif
