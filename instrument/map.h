/* SPDX-License-Identifier: MIT */
/* From pointers to numbers: an open hash table. Nothing is removed before the release. */
#ifndef INSTRUMENT_MAP_H
#define INSTRUMENT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	struct map_slot {
		const void *key;
		uint32_t value;
	} * slots;
	size_t capacity, n; /* capacity is 0 or a power of two */
};

#define MAP_NONE UINT32_MAX

void map_put(struct map *map, const void *key, uint32_t value); /* replaces */
uint32_t map_get(const struct map *map, const void *key);	/* MAP_NONE: not there */
bool map_mark(struct map *map, const void *key); /* true the first time, for use as a set */
void map_release(struct map *map);

#endif
