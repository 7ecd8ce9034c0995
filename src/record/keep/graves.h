/* SPDX-License-Identifier: MIT */
/*
 * The last large blocks that were freed. Of small ones the survey notes in each granule that it is
 * free. Of a large one it does so only where somebody had touched the block, and nowhere if its
 * memory may be unmapped: this says what was in the other pages.
 */
#ifndef RECORD_KEEP_GRAVES_H
#define RECORD_KEEP_GRAVES_H

#include "record/keep/layout.h"

#include <stdbool.h>

#define GRAVES 256

struct grave {
	struct layout_block block;
	uint64_t size;
	bool unmapped; /* perhaps: then something else may be there, of which there is no record */
};

struct graves {
	struct grave at[GRAVES];
	uint32_t n; /* all that there were; the last ones are kept */
};

void graves_add(struct graves *graves, const struct grave *grave);
/* Whether one of them has a byte in [from, from + size). */
bool graves_meet(const struct graves *graves, uint64_t from, uint64_t size);
/* The last one that holds the address; NULL: none does. */
const struct grave *graves_find(const struct graves *graves, uint64_t address);

#endif
