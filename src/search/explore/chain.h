/* SPDX-License-Identifier: MIT */
/*
 * Executions of a small trace in which some events happen in a given order, by going through its
 * states. A state does not know the order of what has happened; so of these events none is taken
 * before its turn.
 */
#ifndef SEARCH_EXPLORE_CHAIN_H
#define SEARCH_EXPLORE_CHAIN_H

#include "search/explore/explore.h"

/*
 * found: w, which starts as zero, has model, events and an execution that ends with the last of
 * them; in model said, the rest as well. 0, or ERR_LIMIT: undecided.
 */
int chain_explore(const struct index *index, enum model model, const struct explore_limits *limits,
		  const uint32_t *events, uint32_t count, struct witness *w, bool *found,
		  struct err *err);

#endif
