/*
 * Nomination in a stream: of each variable the accesses that may still race are kept, the
 * last one for each thread, site, set of locks and kind. (If an earlier one of the same
 * is unordered with what comes, then so is the last.) Pairs are gathered by signature.
 */
#ifndef ORDER_NOMINATE_H
#define ORDER_NOMINATE_H

#include "order/records.h"

struct group {
	uint32_t thread, slot, time, lockset, site;
	bool writes, atomic;
	uint32_t partner; /* the site of the last signature found with it, + 1 */
	uint32_t partner_signature;
	uint64_t number;
};

struct groups {
	uint32_t n, capacity;
	struct group *at;
	uint32_t last_thread; /* that accessed the variable, + 1 */
};

struct nominator {
	struct front *front;
	struct order *order;
	VEC(struct groups) variables;
	VEC(struct signature) signatures;
	uint32_t *slots; /* hash table of signatures by their sites: number + 1 */
	size_t slot_count;
	uint64_t random;
	uint64_t group_count;
};

void nominate_access(struct nominator *n, const struct actor *t, const struct access *a,
		     uint32_t site, bool atomic);
void nominate_pair(struct nominator *n, uint32_t site_a, uint32_t site_b, uint64_t a, uint64_t b);
void nominator_release(struct nominator *n);

#endif
