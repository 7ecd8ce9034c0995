/* SPDX-License-Identifier: MIT */
/*
 * Schedules that come close to a state in which threads wait for each other, and get past it: one
 * of them is held back before it takes what another one waits for. The trace of a run that ends in
 * such a state has no event for a lock that nobody got; that of a run along one of these has.
 */
#ifndef PREDICT_AROUND_H
#define PREDICT_AROUND_H

#include "model/index.h"
#include "witness/witness.h"

struct schedules {
	VEC(struct witness) at; /* without events of a bug; the closest first */
};

/* Of the witness of a deadlock or stuck state; out starts as zero. */
void around_list(const struct index *index, const struct witness *w, struct schedules *out);
void schedules_release(struct schedules *s);

#endif
