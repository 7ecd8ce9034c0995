/* SPDX-License-Identifier: MIT */
#include "record/merge/ahead.h"

#define ROOM_MOST (1u << 22) /* of all shards that have grown: a damaged log may say anything */

void ahead_init(struct ahead *a)
{
	a->used = a->grown = 0;
	for (size_t i = 0; i <= LOG_SHARDS; i++) {
		a->shards[i] = (struct ahead_shard){.room = AHEAD_FIRST};
		a->shards[i].counts = a->shards[i].first;
	}
	counts_init(&a->far);
}

void ahead_release(struct ahead *a)
{
	for (size_t i = 0; i <= LOG_SHARDS; i++)
		if (a->shards[i].room > AHEAD_FIRST)
			mem_free(a->shards[i].counts);
	counts_release(&a->far);
}

static void grow(struct ahead *a, struct ahead_shard *s, uint32_t current, uint32_t room)
{
	uint32_t *counts = mem_alloc_zero(room, sizeof(*counts));

	for (uint32_t i = 0; i < s->room; i++) {
		uint32_t version = current / 2 + i;

		counts[version & (room - 1)] = s->counts[version & (s->room - 1)];
	}
	if (s->room > AHEAD_FIRST)
		mem_free(s->counts);
	a->grown += room - s->room;
	s->counts = counts;
	s->room = room;
}

void ahead_add_far(struct ahead *a, uint32_t shard, uint32_t current, uint32_t version)
{
	struct ahead_shard *s = &a->shards[shard];
	uint32_t distance = version - current, room = s->room;

	while (room < ROOM_MOST && distance / 2 >= room)
		room *= 2;
	if (distance & 1 || distance / 2 >= room || a->grown + room > ROOM_MOST) {
		size_t used = a->far.used;

		counts_add(&a->far, ahead_key(shard, version));
		a->used += a->far.used - used;
		return;
	}
	grow(a, s, current, room);
	ahead_add(a, shard, current, version);
}

bool ahead_drop_far(struct ahead *a, uint32_t shard, uint32_t version)
{
	uint64_t key = ahead_key(shard, version);

	if (!counts_count(&a->far, key))
		return false; /* never: what is merged was loaded */
	bool last = counts_drop(&a->far, key);

	a->used -= last;
	return last;
}
