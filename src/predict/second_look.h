/* SPDX-License-Identifier: MIT */
/*
 * A second look at candidates that are refuted: would they be possible if what the record could not
 * follow did not matter (model/optimistic.h)? Then they are *held back* by that alone. Nothing is
 * proved by it, and the certifier is not asked: such a schedule is for --why, and for a replay that
 * tells what the program really does.
 */
#ifndef PREDICT_SECOND_LOOK_H
#define PREDICT_SECOND_LOOK_H

#include "predict/candidates.h"

/* refuted: of each candidate. Fills p->held and p->not_asked_again, and with options.why, p->why.
 */
int second_look(struct prediction *p, const struct candidates *c, const bool *refuted,
		const struct predict_options *options, struct err *err);

#endif
