/* SPDX-License-Identifier: MIT */
/* How much prediction tries, around the engines (base/tune.h). */
#ifndef PREDICT_TUNE_H
#define PREDICT_TUNE_H

#include "base/tune.h"

/*
 * The search for one candidate has the budget of the user. The second look at what is refuted
 * (second_look.h) has little: a guess is soon found, or not worth much. The second chance is by
 * replay.
 */
/* clang-format off */
#define PREDICT_TUNES(row)                                                                            \
	row(predict, instances, 65536, 1, 1000000, "instances of a candidate that are looked at")     \
	row(predict, first_instances, 4, 0, 1000000, "instances before others are only refuted")      \
	row(predict, first_share, 3, 1, 1000, "engines before the last have that part of the time")   \
	row(predict, whole_most, 1000000, 0, 1000000000, "bytes of a trace that is read as a whole at once") \
	row(predict, neighbours, 4, 0, 1000000, "accesses to each side, of too many pairs")            \
	row(predict, infer_most, 100000, 1, 1000000000, "events of a thread in an inferred region")   \
	row(predict, cycle_steps, 5000000, 1, 1000000000, "steps in lock graphs, a second or so")     \
	row(predict, signature_steps, 20000, 1, 1000000000, "steps for one signature after that")      \
	row(predict, cycles_most, 256, 1, 1000000, "cycles of a signature that are kept")             \
	row(predict, cycle_signatures, 1000, 1, 1000000, "signatures of cycles that are kept")        \
	row(predict, rings_least, 64, 1, 1000000, "rings of each cycle, where there are too many")    \
	row(predict, minimise_small, 2000, 0, 1000000, "events of a run that is also tried piece by piece") \
	row(predict, minimise_long, 20000, 1, 100000000, "events of a run that are kept at most") \
	row(predict, minimise_most, 50000, 1, 100000000, "events of a run that is shortened at all") \
	row(predict, minimise_steps, 1000000, 1, 1000000000, "steps for one witness") \
	row(predict, minimise_all, 20000000, 1, 1000000000, "steps for all witnesses") \
	row(predict, minimise_least, 20000, 1, 1000000000, "steps for one witness, however many there are") \
	row(predict, look_each, 1, 1, 86400, "second look: seconds for a candidate")                  \
	row(predict, look_least, 10, 0, 86400, "second look: seconds for all, or if that is more")    \
	row(predict, look_share, 2, 1, 1000, "second look: that part of the time of the first")       \
	row(predict, chances, 50, 0, 1000000, "second chance: candidates")                            \
	row(predict, chance_seconds, 60, 0, 86400, "second chance: seconds for all of them")          \
	row(predict, chance_turn, 2, 1, 3600, "second chance: seconds in which nobody moves")         \
	row(predict, chance_around, 4, 0, 1000000, "second chance: runs close to a deadlock")
/* clang-format on */

TUNE_DECLARE(predict, PREDICT_TUNES)

#endif
