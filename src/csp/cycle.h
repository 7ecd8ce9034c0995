/* SPDX-License-Identifier: MIT */
/* Which declarations of the script use which: a module may not use what an instance of it makes. */
#ifndef CSP_CYCLE_H
#define CSP_CYCLE_H

#include "csp/tree.h"

struct csp_use {
	uint32_t decl, slot;
};

/* In the arena. */
struct csp_uses {
	struct csp_use *at;
	size_t n, capacity;
};

void csp_uses_add(struct csp *csp, struct csp_uses *uses, uint32_t decl, uint32_t slot);
void csp_refuse_cycles(struct csp *csp, struct csp_uses *uses);

#endif
