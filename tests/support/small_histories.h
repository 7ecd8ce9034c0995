/* SPDX-License-Identifier: MIT */
/* What threads of small programs have learnt, as trees. Only for small_program.c. */
#ifndef SUPPORT_SMALL_HISTORIES_H
#define SUPPORT_SMALL_HISTORIES_H

#include "tests/support/small_program.h"

/* The history of `node`, and then that. */
uint32_t small_grow(struct small_histories *h, uint32_t node, uint64_t what);
uint64_t small_mix(uint64_t a, uint64_t b);

#endif
