/* SPDX-License-Identifier: MIT */
/*
 * Atomic regions, and what violates one (doc/model.md, Atomicity). A region is said, by a pair of
 * marks, or inferred: a thread uses in a critical section what it has read in an earlier one.
 */
#ifndef MODEL_REGIONS_H
#define MODEL_REGIONS_H

#include "model/index.h"

/* From one mark of a thread to the other. */
struct region {
	uint32_t begin, end;
};

struct regions {
	VEC(struct region) all; /* by their ends */
	/*
	 * Of each event: where the last region ends that it stands in, if that has begun wherever
	 * the event happens; or 0. NULL: there are no regions.
	 */
	uint32_t *end_of;
};

/*
 * Those that are said, which belong to the index and go with it. They are made when they are first
 * asked for, as sections are.
 */
const struct regions *regions_of(const struct index *index);
/* For index_free; may be NULL. */
void regions_free(struct regions *regions);

/* Between these two accesses of one thread no other may write, as far as can be inferred. */
bool regions_infer(const struct index *index, uint32_t first, uint32_t last);
/* The same, but for what has to be looked up in all that is between them. */
bool regions_may_infer(const struct index *index, uint32_t first, uint32_t last);

/* Both, of one thread, stand in one region, said or inferred. */
bool regions_have(const struct index *index, uint32_t first, uint32_t last);

/* The remote access between the other two makes a pattern that no serial order has. */
bool regions_unserialisable(const struct index *index, uint32_t first, uint32_t remote,
			    uint32_t last);

/* All of it: such a pattern, and a region that is said or inferred. */
bool regions_violated(const struct index *index, uint32_t first, uint32_t remote, uint32_t last);

#endif
