/* SPDX-License-Identifier: MIT */
/* How much the search for deadlocks and waits tries (base/tune.h). */
#ifndef DEADLOCK_TUNE_H
#define DEADLOCK_TUNE_H

#include "base/tune.h"

/* clang-format off */
#define DEADLOCK_TUNES(row)                                                                     \
	row(deadlock, rounds_most, 16, 1, 1000000, "rounds in which waits are ruled out")       \
	row(deadlock, sums_most, 1048576, 1, 268435456, "sums of tokens that are kept")         \
	row(deadlock, work_most, 134217728, 1, 1073741824, "sums of tokens that are looked at") \
	row(deadlock, near, 2, 0, 1000, "acquires to each side, of too many rings")             \
	row(deadlock, rings_a_place, 16, 1, 1000000, "rings around one acquire, likewise")
/* clang-format on */

TUNE_DECLARE(deadlock, DEADLOCK_TUNES)

#endif
