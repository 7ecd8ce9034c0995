/* SPDX-License-Identifier: MIT */
/* A hash table of counts; those that are 0 take no room. */
#ifndef BASE_COUNTS_H
#define BASE_COUNTS_H

#include "base/mem.h"

struct counts_slot {
	uint64_t key;
	uint64_t count; /* 0: empty */
};

struct counts {
	struct counts_slot *slots;
	size_t mask, used;
};

void counts_init(struct counts *p);
void counts_release(struct counts *p);
void counts_grow(struct counts *p);
/* Closes the gap at slot i. */
void counts_remove(struct counts *p, size_t i);

static inline size_t counts_find(const struct counts *p, uint64_t key)
{
	size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & p->mask;

	while (p->slots[i].count && p->slots[i].key != key)
		i = (i + 1) & p->mask;
	return i;
}

static inline void counts_add(struct counts *p, uint64_t key)
{
	size_t i = counts_find(p, key);

	if (p->slots[i].count++)
		return;
	p->slots[i].key = key;
	if (++p->used * 2 > p->mask)
		counts_grow(p);
}

/* True if that was the last one. */
static inline int counts_drop(struct counts *p, uint64_t key)
{
	size_t i = counts_find(p, key);

	if (p->slots[i].count != 1)
		return p->slots[i].count-- == 0; /* never: what is merged was loaded */
	counts_remove(p, i);
	return 1;
}

static inline uint64_t counts_count(const struct counts *p, uint64_t key)
{
	return p->slots[counts_find(p, key)].count;
}

#endif
