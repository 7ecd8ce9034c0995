/* SPDX-License-Identifier: MIT */
/*
 * Reads that are loaded and not yet merged: how many there are at each version of each shard. A
 * write at that version waits until there are none.
 *
 * Counts of versions near the shard's current one stand in a row, by version; so neighbours in the
 * log are neighbours here. What is far ahead, or makes no sense, is in a hash table. A version's
 * count is the sum of both: it may have come nearer since. Callers say which version is current;
 * counts of those before it are 0.
 */
#ifndef RECORD_MERGE_AHEAD_H
#define RECORD_MERGE_AHEAD_H

#include "base/counts.h"
#include "runtime/log.h"

#include <stdbool.h>

#define AHEAD_FIRST 8

/* All that an access asks for, so that it is found together. */
struct ahead_shard {
	uint32_t *counts; /* of version v: at (v / 2) % room, for room versions from now */
	uint32_t room;	  /* a power of 2 */
	uint32_t version; /* the current one, and who waits for a change: the caller's */
	uint32_t waiting;
	uint32_t first[AHEAD_FIRST]; /* the counts, until there have to be more */
};

struct ahead {
	struct ahead_shard shards[LOG_SHARDS + 1];
	struct counts far;
	size_t used;  /* versions with reads */
	size_t grown; /* counts beyond the first ones */
};

void ahead_init(struct ahead *a);
void ahead_release(struct ahead *a);
/* Of a version that has no place in the row. */
void ahead_add_far(struct ahead *a, uint32_t shard, uint32_t current, uint32_t version);
bool ahead_drop_far(struct ahead *a, uint32_t shard, uint32_t version);

static inline uint64_t ahead_key(uint32_t shard, uint32_t version)
{
	return (uint64_t)shard << 32 | version;
}

/* Where the count of this version is; NULL: not in the row. */
static inline uint32_t *ahead_place(const struct ahead *a, uint32_t shard, uint32_t current,
				    uint32_t version)
{
	const struct ahead_shard *s = &a->shards[shard];
	uint32_t distance = version - current;

	if (distance & 1 || distance / 2 >= s->room)
		return NULL;
	return &s->counts[version / 2 & (s->room - 1)];
}

static inline void ahead_add(struct ahead *a, uint32_t shard, uint32_t current, uint32_t version)
{
	uint32_t *count = ahead_place(a, shard, current, version);

	if (count)
		a->used += !(*count)++;
	else
		ahead_add_far(a, shard, current, version);
}

static inline bool ahead_any(const struct ahead *a, uint32_t shard, uint32_t current)
{
	const struct ahead_shard *s = &a->shards[shard];

	return s->counts[current / 2 & (s->room - 1)] ||
	       (a->far.used && counts_count(&a->far, ahead_key(shard, current)));
}

/* A read at the current version is merged; true if that was the last one. */
static inline bool ahead_drop(struct ahead *a, uint32_t shard, uint32_t current)
{
	const struct ahead_shard *s = &a->shards[shard];
	uint32_t *count = &s->counts[current / 2 & (s->room - 1)];

	if (!*count)
		return ahead_drop_far(a, shard, current);
	if (--*count)
		return false;
	a->used--;
	return !a->far.used || !counts_count(&a->far, ahead_key(shard, current));
}

#endif
