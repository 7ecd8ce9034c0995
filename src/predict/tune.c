/* SPDX-License-Identifier: MIT */
#include "predict/tune.h"

TUNE_DEFINE(predict, PREDICT_TUNES)
