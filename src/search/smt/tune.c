/* SPDX-License-Identifier: MIT */
#include "search/smt/tune.h"

TUNE_DEFINE(smt, SMT_TUNES)
