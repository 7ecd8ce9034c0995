/* SPDX-License-Identifier: MIT */
#include "search/monitor/tune.h"

TUNE_DEFINE(monitor, MONITOR_TUNES)
