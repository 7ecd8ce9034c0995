/* SPDX-License-Identifier: MIT */
/* What the value of a write, or the guard of a branch, depends on (doc/model.md). */
#ifndef MODEL_DEPENDS_H
#define MODEL_DEPENDS_H

#include "trace/event.h"

struct depends {
	bool on_all;	     /* earlier reads of the thread; for an rmw its own too */
	VEC(uint32_t) named; /* or these; an expression may name one twice */
};

/* Refills d, which starts as zero and is released with vec_release(&d.named). */
void depends_of(const struct event *e, struct depends *d);

#endif
