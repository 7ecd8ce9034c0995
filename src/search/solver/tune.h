/* SPDX-License-Identifier: MIT */
/* How much the ordering solver tries (base/tune.h). */
#ifndef SEARCH_SOLVER_TUNE_H
#define SEARCH_SOLVER_TUNE_H

#include "base/tune.h"

/* clang-format off */
#define SOLVER_TUNES(row)                                                                        \
	row(solver, whole_most, 4096, 0, 1000000, "events of a trace that is one cone")          \
	row(solver, cone_most, 20000, 16, 10000000, "events of a cone, unless --window says it") \
	row(solver, window_first, 1000, 16, 1000000, "events of the first window")               \
	row(solver, cone_work, 256, 1, 1000000, "events looked at for each in a cone")           \
	row(solver, order_most, 16777216, 1024, 67108864, "nodes times chains of the order")
/* clang-format on */

TUNE_DECLARE(solver, SOLVER_TUNES)

#endif
