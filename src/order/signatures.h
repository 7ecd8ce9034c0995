/* SPDX-License-Identifier: MIT */
/*
 * Signatures: what the nominated pairs of accesses have in common, their sites; and classes of
 * accesses: those with one site, one set of locks held and one kind. What two accesses mean for
 * each other, but for whether they are ordered, is known by their classes.
 *
 * There may be as many sets of locks as accesses. So where a site has been reached with more than a
 * few, all that follow are of one class, of LOCKSET_ANY. If it matters which set it was (see enum
 * order_locksets), that class is mixed: its accesses are kept with their sets.
 */
#ifndef ORDER_SIGNATURES_H
#define ORDER_SIGNATURES_H

#include "base/keyed.h"
#include "order/front.h"

#define CLASS_WRITES 1u
#define CLASS_ATOMIC 2u
#define CLASS_MIXED 4u
#define CLASS_FLAGS (CLASS_WRITES | CLASS_ATOMIC | CLASS_MIXED)
#define CLASS_FLAG_BITS 3 /* bits of a class that are such flags; the rest counts from 1 */

#define LOCKSET_ANY UINT32_MAX

/* What its number tells of a class, beside the flags. */
struct class_facts {
	uint32_t site, lockset;
	uint32_t thread; /* + 1, if all are of that one; else 0 */
};

struct class_slot {
	uint64_t key; /* site + 1, flags and set of locks */
	uint32_t class;
};

/* Two classes. closest: of their pairs noted so far, but PAIR_OPEN, PAIR_NEVER. */
struct class_pair {
	uint64_t key; /* both classes, the lower one in the upper half */
	uint32_t signature;
	uint32_t closest;
};

#define PAIR_NEVER 0	     /* they cannot race: nothing is closer */
#define PAIR_OPEN UINT32_MAX /* no race has been found: everything is */

struct signature_slot {
	uint64_t key;	 /* both sites, + 1 */
	uint32_t number; /* of the signature */
};

struct signatures {
	struct front *front;
	VEC(struct signature) all;
	KEYED(struct signature_slot) slots;
	KEYED(struct class_slot) classes;
	VEC(struct class_facts) facts; /* of each class */
	KEYED(struct class_pair) pairs;
	uint64_t *closed; /* bits, of pairs of classes in a square: not open; else perhaps */
	uint64_t random;
};

/* Classes up to here have their row in the square, and behind it a bit that is never set. */
#define CLOSED_CLASSES 4096u
#define CLOSED_ROW (CLOSED_CLASSES / 64 + 1)

/* NULL: there is none. */
static inline const uint64_t *signatures_closed_row(const struct signatures *s, uint32_t class)
{
	uint32_t number = class >> CLASS_FLAG_BITS;

	return number < CLOSED_CLASSES && s->closed ? s->closed + (size_t)number * CLOSED_ROW
						    : NULL;
}

static inline uint32_t signatures_in_row(const uint64_t *row, uint32_t class)
{
	uint32_t number = class >> CLASS_FLAG_BITS;

	number = number < CLOSED_CLASSES ? number : CLOSED_CLASSES;
	return row[number / 64] >> number % 64 & 1;
}

/* As the facts say. */
uint32_t signatures_class(struct signatures *s, const struct class_facts *facts, uint32_t flags);

static inline const struct class_facts *signatures_facts(const struct signatures *s, uint32_t class)
{
	return &s->facts.at[(class >> CLASS_FLAG_BITS) - 1];
}

/* The pair of both; signatures_pair, if that is not at its first place. */
struct class_pair *signatures_find_pair(struct signatures *s, uint64_t classes);

/* Both, the lower one in the upper half. */
static inline uint64_t signatures_both(uint32_t a, uint32_t b)
{
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Valid until the next call. */
static inline struct class_pair *signatures_pair(struct signatures *s, uint32_t a, uint32_t b)
{
	uint64_t both = signatures_both(a, b);
	struct class_pair *home = s->pairs.at + (keyed_hash(both) & (s->pairs.size - 1));

	return s->pairs.size && home->key == both ? home : signatures_find_pair(s, both);
}

/*
 * Of a pair with any set of locks: if other classes of the same sites had a race meanwhile, it is
 * open no more. There are too many sets to look for a race of each.
 */
void signatures_close_known(struct signatures *s, struct class_pair *pair);
/* A race of such accesses, with these event numbers. */
void signatures_note(struct signatures *s, struct class_pair *pair, uint64_t a, uint64_t b);
/* The same for accesses that have no class. */
void signatures_add(struct signatures *s, uint32_t site_a, uint32_t site_b, uint64_t a, uint64_t b);

uint64_t signatures_bytes(const struct signatures *s);
void signatures_release(struct signatures *s);

#endif
