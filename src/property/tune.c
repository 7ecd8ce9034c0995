/* SPDX-License-Identifier: MIT */
#include "property/tune.h"

TUNE_DEFINE(property, PROPERTY_TUNES)
