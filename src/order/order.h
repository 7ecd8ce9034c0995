/* SPDX-License-Identifier: MIT */
/*
 * Orders (doc/model.md, Orders): partial orders that nominate pairs of accesses which
 * may race. They prove nothing. Each is one file and one row of order_kinds.
 *
 * Two ways to use them:
 *
 *	order_pairs	exact: every pair that the definition calls a race, from an
 *			indexed trace
 *	orders_stream	one pass over a trace of any length: the signatures (pairs of
 *			sites) of those pairs, with a few pairs for each
 *
 * Both find the same signatures, unless a limit made the stream forget something; then it
 * finds more, never fewer, and says so. (cp has no linear algorithm: the stream runs it on
 * windows, which can find fewer, and says so.)
 */
#ifndef ORDER_ORDER_H
#define ORDER_ORDER_H

#include "model/index.h"

struct order_kind; /* order/kind.h */

extern const struct order_kind *const order_kinds[];
extern const size_t order_kind_count;

const struct order_kind *order_by_name(const char *name);
const char *order_name(const struct order_kind *kind);
const char *order_title(const struct order_kind *kind);

/* Exact */

struct order_pair {
	uint32_t a, b; /* a < b */
};

struct order_pairs {
	VEC(struct order_pair) pairs; /* ascending, each once */
};

/* ERR_LIMIT, and no pairs, if there are more than limit (0: no limit). */
int order_pairs(const struct order_kind *kind, const struct index *index, uint64_t limit,
		struct order_pairs *result, struct err *err);

/* Streaming */

struct order_limits {
	uint64_t bytes;	 /* for what an order may forget; 0: no limit */
	uint64_t window; /* events, for orders that need one */
	/* events, after which what is of no more use is dropped; 0: when it is worth it */
	uint64_t collect;
	/* sets of locks of a site that are told apart by class (signatures.h); 0: a few */
	uint8_t site_classes;
};

#define SIGNATURE_RANDOM_PAIRS 4

struct event_pair {
	uint64_t a, b; /* a < b */
};

/* Sites are numbered by first appearance; their texts are in the report. */
struct signature {
	uint32_t site[2]; /* ascending */
	uint32_t random_count;
	uint64_t pairs; /* nominated, not all there are: repetitions are skipped */
	struct event_pair first, closest;
	struct event_pair random[SIGNATURE_RANDOM_PAIRS];
};

struct order_report {
	const struct order_kind *kind;
	VEC(struct signature) signatures; /* by their first pair */
	struct intern sites; /* the location, or "THREAD OP VARIABLE" of an event that has none */
	double seconds;
	uint64_t bytes;	    /* the most that the order held */
	const char *forgot; /* what a limit made it forget, or NULL */
};

/*
 * Reads the rest of the trace once for all n kinds; two or more share two threads. Names of
 * variables are read if a report needs them.
 */
int order_stream(struct reader *r, const struct order_kind *const *kinds, size_t n,
		 const struct order_limits *limits, struct order_report *reports, struct err *err);
void order_report_release(struct order_report *report);

#endif
