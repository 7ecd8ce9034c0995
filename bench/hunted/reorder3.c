/* SPDX-License-Identifier: MIT */
#define THREADS 3
#include "reorder.h"
