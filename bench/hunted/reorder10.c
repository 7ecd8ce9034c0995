/* SPDX-License-Identifier: MIT */
#define THREADS 10
#include "reorder.h"
