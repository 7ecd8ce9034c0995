/* SPDX-License-Identifier: MIT */
/* Which locks can be part of one deadlock: those from each of which the others can be reached. */
#ifndef DEADLOCK_LOCK_COMPONENTS_H
#define DEADLOCK_LOCK_COMPONENTS_H

#include "model/index.h"

/*
 * Of each lock its component, 1 … count. There is a way from a lock to another if some thread
 * holds the one and wants the other; in one component there is a way and a way back. The caller
 * frees the array.
 */
uint32_t *lock_components(const struct index *index, uint32_t *count);

#endif
