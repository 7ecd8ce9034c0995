/*
 * What is kept of the accesses to a variable: groups, one for each class (order/signatures.h),
 * and in a group of each slot the last access, but for those that another one stands for.
 */
#ifndef ORDER_GROUPS_H
#define ORDER_GROUPS_H

#include "base/clock.h"
#include "order/pool.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

#define GROUP_WAYS 3u

/* One line of the cache. */
struct group_bucket {
	uint32_t classes[GROUP_WAYS]; /* 0: none */
	uint8_t settled[4]; /* by way: nothing is open with any other group; else perhaps */
	union last_accesses accesses[GROUP_WAYS];
};

_Static_assert(sizeof(struct group_bucket) == 64, "one line of the cache");

/*
 * The groups of a variable are a hash table; 1 << size buckets. There is none as long as the last
 * access is all that is of use.
 */
struct variable_groups {
	struct group_bucket *buckets;
	uint32_t n : 26, size : 6;
	uint32_t last_class;
	struct last_access last; /* of whatever class: a copy, if there are groups */
};

static inline uint32_t groups_home(const struct variable_groups *v, uint32_t class)
{
	return (uint32_t)((uint64_t)(class * 0x9e3779b1u) << v->size >> 32);
}

/* The access at hand, and what its thread knows. */
struct now {
	const struct clock *clock, *mhb; /* mhb: NULL if clock knows that too */
	uint32_t class;
	struct last_access access;
};

/* Accesses of that slot up to this time are ordered before. */
static inline uint32_t known_of(const struct now *now, uint32_t slot)
{
	uint32_t time = clock_get(now->clock, slot);

	if (now->mhb && clock_get(now->mhb, slot) > time)
		time = clock_get(now->mhb, slot);
	return time;
}

/* A thread knows its own time, so those of its slot (its own, or before it by MHB) never are. */
static inline bool unordered(const struct now *now, const struct last_access *a)
{
	return a->time > known_of(now, a->slot);
}

/* The memory of the groups of many variables. */
struct groups_memory {
	struct pool buckets, tables;
	VEC(struct last_access) kept; /* while some are dropped */
};

void groups_init(struct groups_memory *m);
void groups_release(struct groups_memory *m);

static inline uint64_t groups_used(const struct groups_memory *m)
{
	return m->buckets.used + m->tables.used;
}

/* Where a group stands. */
struct place {
	struct group_bucket *bucket; /* NULL: nowhere */
	uint32_t way;
};

/* The ways with this class, as bits. Which one it is, is hard to predict: so no jumps. */
static inline uint32_t matching_ways(const struct group_bucket *b, uint32_t class)
{
#ifdef __SSE2__
	__m128i classes = _mm_load_si128((const __m128i *)b);

	return (uint32_t)_mm_movemask_ps(
		       (__m128)_mm_cmpeq_epi32(classes, _mm_set1_epi32((int)class))) &
	       ((1u << GROUP_WAYS) - 1);
#else
	return (b->classes[0] == class) | (b->classes[1] == class) << 1 |
	       (b->classes[2] == class) << 2;
#endif
}

static inline struct place find_group(const struct variable_groups *v, uint32_t class)
{
	uint32_t mask = (1u << v->size) - 1, home = groups_home(v, class);

	for (uint32_t i = 0; v->buckets && i <= mask; i++) {
		struct group_bucket *b = &v->buckets[(home + i) & mask];
		uint32_t found = matching_ways(b, class);

		if (found)
			return (struct place){b, (uint32_t)__builtin_ctz(found)};
		if (matching_ways(b, 0))
			break; /* it would be here */
	}
	return (struct place){0};
}

/* Would one more make the table grow? */
bool groups_full(const struct variable_groups *v);
/* A group of a class that there is none of; without accesses, which is for the caller to mend. */
struct place groups_add(struct groups_memory *m, struct variable_groups *v, uint32_t class);
/* So far there was one access, or several of which only the last is of use: v->last. */
void groups_start(struct groups_memory *m, struct variable_groups *v);
void groups_forget(struct groups_memory *m, struct variable_groups *v);
/* Drops all that has no access later than these times, by slot. */
void groups_sweep(struct groups_memory *m, struct variable_groups *v, const struct clock *known);

/* Notes the access at hand. */
void accesses_note(struct groups_memory *m, union last_accesses *all, const struct now *now);
/* Of several, keeps those that the access at hand is not ordered after, and it. */
void accesses_renew(struct groups_memory *m, union last_accesses *all, const struct now *now);
/* The last one that is unordered with the access at hand, or NULL. */
const struct last_access *accesses_unordered(const union last_accesses *all, const struct now *now);

/*
 * accesses_note if that is simple, as it most often is; else false. An access takes the place of
 * one that it is ordered after, if that stands where it is looked for; should there be an older one
 * of its slot elsewhere, that does no harm.
 */
static inline bool accesses_note_simply(union last_accesses *all, const struct now *now)
{
	struct last_access *a =
		all->one.time
			? &all->one
			: &all->several.at[now->access.slot & ((1u << all->several.size) - 1)];

	if (!a->time || unordered(now, a))
		return false;
	*a = now->access;
	return true;
}

#endif
