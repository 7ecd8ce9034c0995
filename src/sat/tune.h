/* SPDX-License-Identifier: MIT */
/* How much the SAT solver tries (base/tune.h). */
#ifndef SAT_TUNE_H
#define SAT_TUNE_H

#include "base/tune.h"

/* clang-format off */
#define SAT_TUNES(row)                                                                             \
	row(sat, restart_interval, 100, 1, 1000000, "conflicts to a restart, times Luby's")        \
	row(sat, reduce_first, 2000, 1, 100000000, "conflicts before learned clauses are reduced") \
	row(sat, reduce_step, 300, 0, 1000000, "so many more each time")                           \
	row(sat, reduce_glue, 2, 0, 1000, "learned clauses of so many levels always stay")         \
	row(sat, minimise_depth, 500, 0, 5000, "reasons of reasons, to minimise a clause")         \
	row(sat, decay, 95, 50, 99, "hundredths of an activity after a conflict")                  \
	row(sat, poll_interval, 256, 1, 1000000, "steps before the budget is looked at")
/* clang-format on */

TUNE_DECLARE(sat, SAT_TUNES)

#endif
