/* SPDX-License-Identifier: MIT */
/*
 * Stuck states that are told already. One stuck state answers for all the places at which its
 * threads wait: of these one is reported, with all waits. And where a thread waits for nobody but
 * those of a deadlock that is reported, the stuck state is not: it is how that deadlock ends.
 */
#ifndef PREDICT_STUCK_TOLD_H
#define PREDICT_STUCK_TOLD_H

struct prediction;

/* As in struct predict_kind. */
void stuck_told_merge(struct prediction *p);

#endif
