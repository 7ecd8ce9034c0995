/* SPDX-License-Identifier: MIT */
/*
 * Waits that may never end: which events a thread could wait at in a stuck state (doc/model.md,
 * Bugs). A necessary test, linear in the trace: an acquire needs somebody who holds the
 * lock where he may wait himself, a join a thread that may, a barrier a party that may not
 * come, and so on; from that all follows that can be ruled out. Every event of a stuck
 * state of any model is among those that remain.
 */
#ifndef DEADLOCK_WAITS_H
#define DEADLOCK_WAITS_H

#include "model/sections.h"

struct waits {
	VEC(uint32_t) events; /* ascending */
};

/* Refills w, which starts as zero and is released with vec_release(&w.events). */
void waits_find(const struct index *index, const struct sections *sections, struct waits *w);

#endif
