/* SPDX-License-Identifier: MIT */
#include "deadlock/tune.h"

TUNE_DEFINE(deadlock, DEADLOCK_TUNES)
