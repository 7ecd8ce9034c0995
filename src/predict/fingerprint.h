/* SPDX-License-Identifier: MIT */
/* The fingerprint of a finding: the same for the same bug at the same places, whatever the trace.
 */
#ifndef PREDICT_FINGERPRINT_H
#define PREDICT_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* kind: of the bug; texts: mostly places, and sorted here; once: of equal ones one counts. */
uint64_t fingerprint_of(const char *kind, const char **texts, size_t count, bool once);

#endif
