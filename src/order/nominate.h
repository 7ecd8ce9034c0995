/*
 * Nomination in a stream. Of each variable the accesses that may still race are kept, in
 * groups: the last one for each thread, site, set of locks and kind. (If an earlier one of
 * a group is unordered with what comes, then so is the last.) Pairs are gathered by signature.
 *
 * When a group has met another one unordered, their signature is known; if it was ordered
 * after the other's last access, only a later access of the other can change that. So what
 * is news to others is a new group, and a new access of a group that something was ordered
 * after. Each variable counts its news. Without any since it last met all others, a group has
 * nothing to nominate; else it looks at those that were news since then.
 */
#ifndef ORDER_NOMINATE_H
#define ORDER_NOMINATE_H

#include "order/records.h"

struct group {
	uint32_t site, lockset, time;
	bool writes, atomic;
	uint32_t newer, older; /* groups of the bucket, by their last access; or NO_GROUP */
	uint32_t news;	       /* of the variable, when it last met all others */
	uint32_t partner;      /* the site of the last signature found with it, + 1 */
	uint32_t partner_signature;
	uint64_t number;
	uint64_t fresh; /* the access with which it was last news */
	uint64_t met;	/* the access with which it last met all others */
};

#define NO_GROUP UINT32_MAX

/* The groups of one thread. Behind them stands a hash table, of twice as many places + 1. */
struct bucket {
	struct group *at;
	uint64_t fresh; /* when one of its groups was last news */
	uint32_t thread;
	uint32_t newest;
	uint32_t n;
	uint32_t size; /* the logarithm of how many there is room for */
};

/* What most looks at a bucket need: those of a variable lie side by side. */
struct glance {
	uint32_t slot;
	uint32_t time;	 /* of the last access */
	uint32_t passed; /* something is ordered after what was accessed up to this time */
};

struct buckets {
	struct bucket *at;
	struct glance *glances; /* behind the buckets */
	uint32_t n, size;	/* size: the logarithm of how many there is room for, + 1 */
	uint32_t news;
	uint32_t last; /* the bucket of the last access */
};

#define SPARE_SIZES 32

/* Arrays of one type, of 1 << size items; what is given back is used again. */
struct array_pool {
	struct arena memory;
	VEC(void *) spare[SPARE_SIZES];
};

struct signature_slot {
	uint64_t sites;
	uint32_t number; /* of the signature, + 1; 0: empty */
};

struct nominator {
	struct front *front;
	struct order *order;
	VEC(struct buckets) variables;
	VEC(struct signature) signatures;
	struct signature_slot *slots; /* hash table */
	size_t slot_count;
	uint64_t random;
	struct array_pool groups, buckets;
	uint64_t bytes;			 /* of all arrays that there are */
	uint64_t used, used_after_sweep; /* of those in use */
};

void nominate_access(struct nominator *n, const struct actor *t, const struct access *a,
		     uint32_t site, bool atomic);
/* These variables will be accessed: the near one soon, the far one a little later. */
void nominate_prefetch(const struct nominator *n, uint32_t near, uint32_t far);
void nominate_pair(struct nominator *n, uint32_t site_a, uint32_t site_b, uint64_t a, uint64_t b);
/* Drops what can race with nothing any more, if there may be much of it. */
void nominator_sweep(struct nominator *n);
void nominator_release(struct nominator *n);

#endif
