/* SPDX-License-Identifier: MIT */
#define THREADS 50
#include "reorder.h"
