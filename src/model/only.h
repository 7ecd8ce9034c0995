/* SPDX-License-Identifier: MIT */
/* Expressions that name one read: what comes out is a function of what that returns. */
#ifndef MODEL_ONLY_H
#define MODEL_ONLY_H

#include "model/index.h"

/* The only read that the event's expression names, of one variable; 0: none, or there are others.
 */
uint32_t only_read(const struct index *index, uint32_t event);

/* Of a write of one variable, and its only read: it leaves, byte for byte, what that returns. */
bool only_copies(const struct index *index, uint32_t write, uint32_t read);

/*
 * What becomes of the value `in` of that: what a write leaves in its first part, or whether a
 * guard holds (not 0). False: no value.
 */
bool only_result(const struct index *index, uint32_t event, int64_t in, int64_t *out);

#endif
