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

/* The accesses of a group. */
union last_accesses {
	struct last_access one;
	struct {
		uint32_t n : 26, size : 6; /* size: the logarithm of how many there is room for */
		uint32_t none;		   /* one.time: 0 */
		struct last_access *at;	   /* hash table, by slot */
	} several;
};

#define GROUP_WAYS 4u

struct group_bucket {
	uint32_t class[GROUP_WAYS]; /* 0: none */
	/* nothing was open with so many groups, when that were all the variable had; 0: not known
	 */
	uint32_t settled[GROUP_WAYS];
	union last_accesses accesses[GROUP_WAYS];
};

/* The groups of a variable are a hash table; 1 << size buckets, or NULL. */
struct variable_groups {
	struct group_bucket *buckets;
	uint32_t n : 26, size : 6;
	uint32_t last_class; /* the last access, of whatever class: a copy */
	struct last_access last;
};

static inline uint32_t groups_home(const struct variable_groups *v, uint32_t class)
{
	return (uint32_t)((uint64_t)(class * 0x9e3779b1u) << v->size >> 32);
}

#define SPARE_SIZES 32

/* Arrays of one type, of 1 << size items; what is given back is used again. */
struct array_pool {
	struct arena memory;
	VEC(void *) spare[SPARE_SIZES];
};

struct nominator {
	struct front *front;
	struct order *order;
	const struct relay *race_relay; /* whose clocks decide on races */
	unsigned race_clock;
	struct signatures signatures;
	VEC(struct variable_groups) variables;
	struct array_pool buckets, tables;
	uint64_t bytes;			 /* of all arrays that there are */
	uint64_t used, used_after_sweep; /* of those in use */
	VEC(struct last_access) kept;	 /* while some are dropped */
	uint32_t turn;			 /* counts accesses */
};

void nominator_init(struct nominator *n, struct front *front, struct order *order);
void nominate_access(struct nominator *n, const struct actor *t, uint32_t variable, uint32_t class,
		     uint64_t number);
/* Drops what can race with nothing any more, if there may be much of it. */
void nominator_sweep(struct nominator *n);
uint64_t nominator_bytes(const struct nominator *n);
void nominator_release(struct nominator *n);

/* An access of that variable will come; then, after a while, nearly: probably of that class. */
static inline void nominate_prefetch_variable(const struct nominator *n, uint32_t variable)
{
	__builtin_prefetch(n->variables.at + variable);
}

static inline void nominate_prefetch_group(const struct nominator *n, uint32_t variable,
					   uint32_t class)
{
	if (variable < n->variables.n) {
		const struct variable_groups *v = &n->variables.at[variable];

		const struct group_bucket *b = v->buckets + groups_home(v, class);

		__builtin_prefetch(b);
		__builtin_prefetch((const char *)b + sizeof(*b) - 1);
	}
}

#endif
