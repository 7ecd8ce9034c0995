/*
 * Candidates: signatures that may have a race, and the pairs of accesses behind each, on an
 * index. An order says which signatures; the pairs are those that conflict with no lock in
 * common, the closest first.
 */
#ifndef PREDICT_CANDIDATES_H
#define PREDICT_CANDIDATES_H

#include "model/lockset.h"
#include "order/order.h"

struct candidate {
	uint32_t site[2];
	bool pruned; /* an order has refuted it */
	struct event_pair first;
	uint64_t pairs; /* nominated */
};

/* Accesses of one site, in order. */
struct site_events {
	VEC(uint32_t) events;
};

struct candidates {
	const struct index *index;
	struct locksets *locks;
	VEC(struct candidate) all;	/* by their first pairs */
	struct intern sites;		/* keys of sites that some candidate has */
	VEC(struct site_events) events; /* of each site */
};

/*
 * What `nominated` names, each signature once; of it those are pruned that `kept` (NULL: no
 * such order) does not name.
 */
void candidates_init(struct candidates *c, const struct index *index,
		     const struct order_report *nominated, const struct order_report *kept);
void candidates_release(struct candidates *c);

struct candidate_pairs {
	VEC(struct order_pair) at; /* the closest first */
	bool all;		   /* there are no others */
};

/* At most `most` of them. */
void candidates_pairs(const struct candidates *c, const struct candidate *candidate, size_t most,
		      struct candidate_pairs *pairs);

#endif
