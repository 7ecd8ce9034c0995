/* SPDX-License-Identifier: MIT */
/*
 * Atomicity violations by brute force: every proper execution, looked through for accesses in the
 * order of a violation. What a region is, is stated here once more (doc/model.md, Atomicity).
 */
#ifndef SUPPORT_NAIVE_ATOMICITY_H
#define SUPPORT_NAIVE_ATOMICITY_H

#include "model/index.h"
#include "trace/models.h"

/* Is that a violation, if the accesses come in this order? */
bool naive_is_violation(const struct index *index, uint32_t first, uint32_t remote, uint32_t last);

/*
 * The violations of the trace as text, "2-5-3 2-6-3", by their first, their last and their remote
 * accesses; for the caller to free. NULL: there are more than `most` executions.
 */
char *naive_atomicity(const struct index *index, enum model model, uint64_t most);

#endif
