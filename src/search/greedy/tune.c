/* SPDX-License-Identifier: MIT */
#include "search/greedy/tune.h"

TUNE_DEFINE(greedy, GREEDY_TUNES)
