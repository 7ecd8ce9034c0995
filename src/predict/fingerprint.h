/* SPDX-License-Identifier: MIT */
/* The fingerprint of a finding: the same for the same bug at the same places, whatever the trace.
 */
#ifndef PREDICT_FINGERPRINT_H
#define PREDICT_FINGERPRINT_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* kind: of the bug; texts: mostly places, and sorted here; once: of equal ones one counts. */
uint64_t fingerprint_of(const char *kind, const char **texts, size_t count, bool once);

/*
 * For a fingerprint that stays when lines move: what an operation is without lines and numbers, as
 * the file's name without directories, the function, the operation and the object. location and
 * object may be NULL. In the arena.
 */
const char *fingerprint_likeness(struct arena *arena, const char *location, const char *op,
				 const char *object);

#endif
