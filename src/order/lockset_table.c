/* SPDX-License-Identifier: MIT */
#include "order/lockset_table.h"

#include <stdlib.h>

#define MASK_BITS 64

struct lockset_lock {
	uint32_t lock;
	uint32_t shared;
};

static int compare_locks(const void *a, const void *b)
{
	const struct lockset_lock *x = a, *y = b;

	return x->lock < y->lock ? -1 : x->lock > y->lock;
}

static void add_mask(struct lockset_table *l, const struct lockset_lock *set, size_t n)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < n; i++) {
		mask |= (uint64_t)1 << set[i].lock % MASK_BITS;
		l->many |= set[i].lock >= MASK_BITS;
		l->any_shared |= set[i].shared;
	}
	vec_push(&l->masks, mask);
}

static uint32_t number_of(struct lockset_table *l, const struct actor *t)
{
	VEC(struct lockset_lock) set = {0};

	for (size_t i = 0; i < t->open.n; i++) {
		struct lockset_lock lock = {t->open.at[i].lock, t->open.at[i].shared};

		vec_push(&set, lock);
	}
	if (set.n)
		qsort(set.at, set.n, sizeof(*set.at), compare_locks);
	uint32_t lockset =
		intern_add(&l->sets, set.n ? (const char *)set.at : "", set.n * sizeof(*set.at));

	if (lockset == l->masks.n)
		add_mask(l, set.at, set.n);
	vec_release(&set);
	return lockset;
}

uint32_t lockset_table_change(struct lockset_table *l, const struct actor *t, uint32_t lock,
			      bool take, bool shared)
{
	uint64_t change = ((uint64_t)lock + 1) << 2 | (uint64_t)take << 1 | (take && shared);
	struct lockset_memo *memo =
		&l->memos[(t->lockset * 31 + change * 0x9e3779b1u) % LOCKSET_MEMOS];

	if (memo->from != t->lockset || memo->change != change)
		*memo = (struct lockset_memo){change, t->lockset, number_of(l, t)};
	return memo->to;
}

bool lockset_table_exclude(const struct lockset_table *l, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return false;
	const struct interned *x = &l->sets.strings.at[a], *y = &l->sets.strings.at[b];
	const struct lockset_lock *i = (const void *)x->text, *k = (const void *)y->text;
	const struct lockset_lock *i_end = i + x->length / sizeof(*i);
	const struct lockset_lock *k_end = k + y->length / sizeof(*k);

	while (i < i_end && k < k_end) {
		if (i->lock == k->lock) {
			if (!i->shared || !k->shared)
				return true;
			i++;
			k++;
		} else if (i->lock < k->lock) {
			i++;
		} else {
			k++;
		}
	}
	return false;
}

uint32_t lockset_table_count(const struct lockset_table *l, uint32_t set)
{
	return l->sets.strings.at[set].length / sizeof(struct lockset_lock);
}

uint64_t lockset_table_beyond(const struct lockset_table *l, uint32_t a, uint32_t b)
{
	const struct lockset_lock *i = (const void *)intern_text(&l->sets, a);
	const struct lockset_lock *k = (const void *)intern_text(&l->sets, b);
	const struct lockset_lock *i_end = i + lockset_table_count(l, a);
	const struct lockset_lock *k_end = k + lockset_table_count(l, b);
	uint64_t mask = 0;

	for (; i < i_end; i++) {
		while (k < k_end && k->lock < i->lock)
			k++;
		if (k == k_end || k->lock != i->lock || (k->shared && !i->shared))
			mask |= (uint64_t)1 << i->lock % MASK_BITS;
	}
	return mask;
}

bool lockset_table_within(const struct lockset_table *l, uint32_t a, uint32_t b)
{
	return !lockset_table_beyond(l, a, b);
}

void lockset_table_init(struct lockset_table *l)
{
	intern_add(&l->sets, "", 0);
	add_mask(l, NULL, 0);
}

void lockset_table_release(struct lockset_table *l)
{
	intern_release(&l->sets);
	vec_release(&l->masks);
}
