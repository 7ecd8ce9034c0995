/* SPDX-License-Identifier: MIT */
#include "sat/tune.h"

TUNE_DEFINE(sat, SAT_TUNES)
