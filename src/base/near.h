/* SPDX-License-Identifier: MIT */
/*
 * "Did you mean": the candidate nearest to a mistyped word.
 *
 *	struct near near = {.word = typed};
 *	near_try(&near, "check"); near_try(&near, "show"); …
 *	near.best is one of them, or NULL if none is near
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

struct near {
	const char *word;
	const char *best;
	size_t distance; /* of best */
};

void near_try(struct near *near, const char *candidate);

#endif
