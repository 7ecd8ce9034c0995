/* A hash table of counts; those that are 0 take no room. */
#ifndef RECORD_PENDING_H
#define RECORD_PENDING_H

#include "base/mem.h"

struct pending_slot {
	uint64_t key;	/* of pending_key, or the user's own */
	uint64_t count; /* 0: empty */
};

struct pending {
	struct pending_slot *slots;
	size_t mask, used;
};

void pending_init(struct pending *p);
void pending_release(struct pending *p);
void pending_grow(struct pending *p);
/* Closes the gap at slot i. */
void pending_remove(struct pending *p, size_t i);

static inline uint64_t pending_key(uint32_t shard, uint32_t version)
{
	return (uint64_t)shard << 32 | version;
}

static inline size_t pending_find(const struct pending *p, uint64_t key)
{
	size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & p->mask;

	while (p->slots[i].count && p->slots[i].key != key)
		i = (i + 1) & p->mask;
	return i;
}

static inline void pending_add(struct pending *p, uint64_t key)
{
	size_t i = pending_find(p, key);

	if (p->slots[i].count++)
		return;
	p->slots[i].key = key;
	if (++p->used * 2 > p->mask)
		pending_grow(p);
}

/* True if that was the last one. */
static inline int pending_drop(struct pending *p, uint64_t key)
{
	size_t i = pending_find(p, key);

	if (p->slots[i].count != 1)
		return p->slots[i].count-- == 0; /* never: what is merged was loaded */
	pending_remove(p, i);
	return 1;
}

static inline uint64_t pending_count(const struct pending *p, uint64_t key)
{
	return p->slots[pending_find(p, key)].count;
}

#endif
