/*
 * The order `quick` (doc/model.md, Orders), exactly: every pair of conflicting
 * accesses with no common lock held and unordered by MHB. Every race of every model
 * is among them.
 */
#ifndef ORDER_QUICK_H
#define ORDER_QUICK_H

#include "model/index.h"

struct quick_pair {
	uint32_t a, b; /* a < b */
};

struct quick_pairs {
	VEC(struct quick_pair) pairs; /* ascending, each once; released by the caller */
};

/* ERR_LIMIT, and no pairs, if there are more than limit (0: no limit). */
int quick_find(const struct index *index, uint64_t limit, struct quick_pairs *result,
	       struct err *err);

#endif
