/* SPDX-License-Identifier: MIT */
/*
 * What is kept of the accesses to a variable: groups, one for each class (order/signatures.h),
 * and in a group of each slot the last access, but for those that another one stands for.
 *
 * There may be millions of variables, and they are reached at random: so that much of it stays in
 * the cache, a variable takes 32 bytes as long as two accesses are all that is of use, one of them
 * ordered after the other, and then a line of the cache for four groups, if they have one access
 * each.
 */
#ifndef ORDER_GROUPS_H
#define ORDER_GROUPS_H

#include "base/err.h"
#include "order/lockset_table.h"
#include "order/pool.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Who made an access, and its number in the trace. */
#define WHO_SLOT_BITS 20
#define WHO_NUMBER_BITS 43

/* Of a group, beside who: nothing is open with any other group of the variable; else perhaps. */
#define SETTLED ((uint64_t)1 << 63)

/* An address, of 1 << size items. */
#define ARRAY_ADDRESS_BITS 45 /* of addresses, 48: some machines use them all */
#define ARRAY_ALIGNMENT 8

static inline void *array_at(uint64_t array)
{
	return (void *)(uintptr_t)((array & (((uint64_t)1 << ARRAY_ADDRESS_BITS) - 1)) *
				   ARRAY_ALIGNMENT);
}

static inline uint64_t array_of(const void *address, uint32_t size)
{
	uint64_t units = (uintptr_t)address / ARRAY_ALIGNMENT;

	ASSERT(units >> ARRAY_ADDRESS_BITS == 0);
	return units | (uint64_t)size << ARRAY_ADDRESS_BITS;
}

static inline uint32_t array_size(uint64_t array)
{
	return array >> ARRAY_ADDRESS_BITS & 31;
}

/* The access of a slot, in a group that has several: a hash table. There may be many of them. */
struct __attribute__((packed, aligned(4))) slot_access {
	uint32_t time; /* 0: none */
	uint64_t who;
};

#define LINE_WAYS 4u

/*
 * Groups; who: of the only access, or if time is 0 an array of struct slot_access, or of a mixed
 * group (order/mixed.h) its list; and SETTLED.
 */
struct line {
	uint32_t classes[LINE_WAYS]; /* 0: none */
	uint32_t times[LINE_WAYS];
	uint64_t who[LINE_WAYS];
};

_Static_assert(sizeof(struct line) == 64, "one line of the cache");

/* An access; class 0: none. */
struct own_access {
	uint32_t class, time;
	uint64_t who;
};

#define OWN_ACCESSES 2

/*
 * All zero: nothing. Else accesses of different classes. Or groups: then own[0] has no class and as
 * who an array of lines, a hash table by class; own[1].who is that of the last access.
 */
struct variable_groups {
	struct own_access own[OWN_ACCESSES];
};

_Static_assert(sizeof(struct variable_groups) == 32, "none lies in two lines of the cache");

/* The access at hand, and what its thread knows. */
struct now {
	const struct clock *clock, *mhb; /* mhb: NULL if clock knows that too */
	uint32_t class, slot, time, lockset;
	uint64_t number;
};

static inline uint64_t who_of(const struct now *now)
{
	return now->number << WHO_SLOT_BITS | now->slot;
}

static inline uint32_t who_slot(uint64_t who)
{
	return who & (((uint64_t)1 << WHO_SLOT_BITS) - 1);
}

static inline uint64_t who_number(uint64_t who)
{
	return (who & ~SETTLED) >> WHO_SLOT_BITS;
}

/* Accesses of that slot up to this time are ordered before. */
static inline uint32_t known_of(const struct now *now, uint32_t slot)
{
	uint32_t time = clock_get(now->clock, slot);

	if (now->mhb && clock_get(now->mhb, slot) > time)
		time = clock_get(now->mhb, slot);
	return time;
}

/* A thread knows its own time, so those of its slot (its own, or before it by MHB) never are. */
static inline bool unordered(const struct now *now, uint32_t time, uint64_t who)
{
	return time > known_of(now, who_slot(who));
}

/* Lines */

static inline bool has_groups(const struct variable_groups *v)
{
	return !v->own[0].class && v->own[0].who;
}

static inline struct line *groups_lines(const struct variable_groups *v)
{
	return array_at(v->own[0].who);
}

static inline uint32_t groups_line_count(const struct variable_groups *v)
{
	return has_groups(v) ? 1u << array_size(v->own[0].who) : 0;
}

static inline uint32_t groups_home(const struct variable_groups *v, uint32_t class)
{
	return (uint32_t)((uint64_t)(class * 0x9e3779b1u) << array_size(v->own[0].who) >> 32);
}

/* The ways with this class, as bits. Which one it is, is hard to predict: so no jumps. */
static inline uint32_t matching_ways(const struct line *l, uint32_t class)
{
#ifdef __SSE2__
	__m128i classes = _mm_load_si128((const __m128i *)l->classes);

	return (uint32_t)_mm_movemask_ps(
		(__m128)_mm_cmpeq_epi32(classes, _mm_set1_epi32((int)class)));
#else
	return (l->classes[0] == class) | (l->classes[1] == class) << 1 |
	       (l->classes[2] == class) << 2 | (l->classes[3] == class) << 3;
#endif
}

/* The ways whose class is odd, as bits. */
static inline uint32_t odd_ways(const struct line *l)
{
#ifdef __SSE2__
	__m128i classes = _mm_load_si128((const __m128i *)l->classes);

	return (uint32_t)_mm_movemask_ps((__m128)_mm_slli_epi32(classes, 31));
#else
	return (l->classes[0] & 1) | (l->classes[1] & 1) << 1 | (l->classes[2] & 1) << 2 |
	       (l->classes[3] & 1) << 3;
#endif
}

/* Where a group stands. */
struct place {
	struct line *line; /* NULL: nowhere */
	uint32_t way;
};

/* A group without accesses, if the line has room. */
static inline struct place line_add(struct line *l, uint32_t class)
{
	uint32_t free = matching_ways(l, 0), way = (uint32_t)__builtin_ctz(free | 1u << LINE_WAYS);

	if (!free)
		return (struct place){0};
	l->classes[way] = class;
	l->times[way] = 0;
	l->who[way] = 0;
	return (struct place){l, way};
}

/* There are groups. */
static inline struct place find_group(const struct variable_groups *v, uint32_t class)
{
	uint32_t mask = (1u << array_size(v->own[0].who)) - 1, home = groups_home(v, class);

	for (uint32_t i = 0; i <= mask; i++) {
		struct line *l = &groups_lines(v)[(home + i) & mask];
		uint32_t found = matching_ways(l, class);

		if (found)
			return (struct place){l, (uint32_t)__builtin_ctz(found)};
		if (matching_ways(l, 0))
			break; /* it would be here */
	}
	return (struct place){0};
}

/* The memory of many variables. */
struct groups_memory {
	struct pool lines, tables, mixed;
	VEC(struct slot_access) kept; /* while some are dropped */
	const struct lockset_table *locksets;
	bool filter; /* LOCKSETS_FILTER */
	bool unsure; /* of accesses under many locks: see order/mixed.h */
};

void groups_init(struct groups_memory *m, const struct lockset_table *locksets, bool filter);
void groups_release(struct groups_memory *m);

static inline uint64_t groups_used(const struct groups_memory *m)
{
	return m->lines.used + m->tables.used + m->mixed.used;
}

/* Would one more group need more memory? */
bool groups_full(const struct variable_groups *v);
/* A group of a class that there is none of; without accesses, which is for the caller to mend. */
struct place groups_add(struct groups_memory *m, struct variable_groups *v, uint32_t class);
/* From own accesses to groups of them. */
void groups_start(struct groups_memory *m, struct variable_groups *v);
/* Drops all groups. */
void groups_forget(struct groups_memory *m, struct variable_groups *v);
/* Of groups, drops all that has no access later than these times, by slot. */
void groups_sweep(struct groups_memory *m, struct variable_groups *v, const struct clock *known);

/* Notes the access at hand. */
void groups_note(struct groups_memory *m, struct place p, const struct now *now);
/* Of several, keeps those that the access at hand is not ordered after, and it. */
void groups_renew(struct groups_memory *m, struct place p, const struct now *now);
/* The number of the last one that is unordered with the access at hand, or 0. */
uint64_t groups_unordered(struct groups_memory *m, const struct line *l, uint32_t way,
			  const struct now *now);

/* Of an array of accesses: where that slot is looked for first. */
static inline struct slot_access *accesses_place(uint64_t array, uint32_t slot)
{
	return (struct slot_access *)array_at(array) + (slot & ((1u << array_size(array)) - 1));
}

/*
 * accesses_note if that is simple, as it most often is; else false. An access takes the place of
 * one that it is ordered after, if that stands where it is looked for; should there be an older one
 * of its slot elsewhere, that does no harm.
 */
static inline bool accesses_note_simply(struct place p, const struct now *now)
{
	uint64_t *who = &p.line->who[p.way];
	uint32_t *time = &p.line->times[p.way];

	if (*time) {
		if (unordered(now, *time, *who))
			return false;
		*time = now->time;
		*who = who_of(now) | (*who & SETTLED);
		return true;
	}
	struct slot_access *a = accesses_place(*who, now->slot);

	if (!a->time || unordered(now, a->time, a->who))
		return false;
	*a = (struct slot_access){now->time, who_of(now)};
	return true;
}

#endif
