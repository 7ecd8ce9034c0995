/* SPDX-License-Identifier: MIT */
/* How much is left to Z3 (base/tune.h). */
#ifndef SEARCH_SMT_TUNE_H
#define SEARCH_SMT_TUNE_H

#include "base/tune.h"

/* clang-format off */
#define SMT_TUNES(row) \
	row(smt, distances_most, 2000, 0, 1000000, "events, of which Z3 keeps all distances")
/* clang-format on */

TUNE_DECLARE(smt, SMT_TUNES)

#endif
