/* SPDX-License-Identifier: MIT */
#include "search/solver/tune.h"

TUNE_DEFINE(solver, SOLVER_TUNES)
