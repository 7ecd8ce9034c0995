/* SPDX-License-Identifier: MIT */
/* Sets of locks that threads hold, numbered as they come; 0 is the empty one. */
#ifndef ORDER_LOCKSET_TABLE_H
#define ORDER_LOCKSET_TABLE_H

#include "base/intern.h"
#include "order/kind.h"

/* What becomes of a set when a lock is taken or left: some that were asked for. */
struct lockset_memo {
	uint64_t change;
	uint32_t from, to;
};

#define LOCKSET_MEMOS 1024

struct lockset_table {
	struct intern sets;    /* of struct lockset_lock, ascending */
	VEC(uint64_t) masks;   /* of each set: a bit for each lock, several may have the same one */
	bool many, any_shared; /* more locks than bits; some are held shared */
	struct lockset_memo memos[LOCKSET_MEMOS];
};

void lockset_table_init(struct lockset_table *l);
void lockset_table_release(struct lockset_table *l);

/* The set of what t holds, after this lock was added to t->lockset or taken from it. */
uint32_t lockset_table_change(struct lockset_table *l, const struct actor *t, uint32_t lock,
			      bool take, bool shared);
/* Is there a lock in both that not both hold shared? */
bool lockset_table_exclude(const struct lockset_table *l, uint32_t a, uint32_t b);
/* Does b exclude all that a excludes? */
bool lockset_table_within(const struct lockset_table *l, uint32_t a, uint32_t b);
uint32_t lockset_table_count(const struct lockset_table *l, uint32_t set); /* of locks */
/* Of locks in a that one may take who is not excluded by b: their bits. None: a is within b. */
uint64_t lockset_table_beyond(const struct lockset_table *l, uint32_t a, uint32_t b);

/* The same, but most often without a call. */
static inline bool lockset_table_excludes(const struct lockset_table *l, uint32_t a, uint32_t b)
{
	uint64_t common = l->masks.at[a] & l->masks.at[b];

	return common && ((!l->many && !l->any_shared) || lockset_table_exclude(l, a, b));
}

static inline bool lockset_table_is_within(const struct lockset_table *l, uint32_t a, uint32_t b)
{
	uint64_t missing = l->masks.at[a] & ~l->masks.at[b];

	return !missing && ((!l->many && !l->any_shared) || lockset_table_within(l, a, b));
}

#endif
