/*
 * Nomination in a stream. Of each variable the accesses that may still race are kept, in
 * groups, one for each class (order/signatures.h) that the variable was accessed by; of a
 * thread the last one. Two groups are of use to each other until a race between their classes is
 * found, at whatever variable: their signature is then known. So a group for which that is so
 * with all others of its variable looks at nothing any more.
 *
 * What is kept of a group is an antichain, or little more. An access that another one of the
 * same class is ordered after is of no more use: whatever it races with later, the other does
 * as well, for orders are transitive (together with MHB, which wcp and sdp compose with). Most
 * often only one is left.
 */
#ifndef ORDER_NOMINATE_H
#define ORDER_NOMINATE_H

#include "order/signatures.h"

struct last_access {
	uint32_t slot, time; /* time 0: none */
	uint64_t number;
};

struct group {
	uint32_t class;	  /* 0: an empty place */
	uint32_t settled; /* nothing was open with so many groups, that is all there were then */
	union {
		struct last_access one;
		struct {
			uint32_t n;
			uint32_t none;		/* one.time: 0 */
			struct last_access *at; /* hash table, by slot */
		} several;
	};
};

/* Groups are in a hash table; the last access is a copy. */
struct variable_groups {
	struct group *groups;
	uint32_t n : 26, size : 6; /* size: the logarithm of how many there is room for */
	uint32_t last_class;
	struct last_access last;
};

#define SPARE_SIZES 32

/* Arrays of one type, of 1 << size items; what is given back is used again. */
struct array_pool {
	struct arena memory;
	VEC(void *) spare[SPARE_SIZES];
};

struct nominator {
	struct front *front;
	struct order *order;
	struct signatures signatures;
	VEC(struct variable_groups) variables;
	struct array_pool groups, accesses;
	uint64_t bytes;			 /* of all arrays that there are */
	uint64_t used, used_after_sweep; /* of those in use */
	VEC(struct last_access) kept;	 /* while some are dropped */
	uint32_t turn;			 /* counts accesses */
};

void nominator_init(struct nominator *n, struct front *front, struct order *order);
void nominate_access(struct nominator *n, const struct actor *t, const struct access *a,
		     uint32_t site, bool atomic);
/* These variables will be accessed: the near one soon, the far one a little later. */
void nominate_prefetch(const struct nominator *n, uint32_t near, uint32_t far);
/* Drops what can race with nothing any more, if there may be much of it. */
void nominator_sweep(struct nominator *n);
uint64_t nominator_bytes(const struct nominator *n);
void nominator_release(struct nominator *n);

#endif
