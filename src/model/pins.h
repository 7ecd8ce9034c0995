/* SPDX-License-Identifier: MIT */
/*
 * Which reads have returned what was recorded, once their thread has come past an event: those that
 * its `at=` names, that a branch depends on, or whose value a branch asks for, as in `(= %4 7)`.
 * Model `values`.
 */
#ifndef MODEL_PINS_H
#define MODEL_PINS_H

#include "model/index.h"

#define PINS_NEVER UINT32_MAX

struct pins {
	VEC(uint32_t) reads; /* their values are the recorded ones */
	VEC(uint32_t) named; /* these were not skipped */
	bool all;	     /* all reads before: it stands for the reads */
};

/* Refills p, which starts as zero: of what has happened, or, of a branch with a scope, of its arm.
 */
void pins_of(const struct index *index, uint32_t event, struct pins *p);
void pins_release(struct pins *p);

#endif
