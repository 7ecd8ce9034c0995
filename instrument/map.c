/* SPDX-License-Identifier: MIT */
#include "instrument/map.h"

#include "base/mem.h"

static struct map_slot *slot_of(const struct map *map, const void *key)
{
	uint64_t hash = ((uintptr_t)key >> 3) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(hash >> 20) & (map->capacity - 1);
	while (map->slots[i].key && map->slots[i].key != key)
		i = (i + 1) & (map->capacity - 1);
	return &map->slots[i];
}

static void grow(struct map *map)
{
	struct map larger = {.capacity = map->capacity ? 2 * map->capacity : 64, .n = map->n};
	larger.slots = mem_alloc_zero(larger.capacity, sizeof(*larger.slots));
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].key)
			*slot_of(&larger, map->slots[i].key) = map->slots[i];
	mem_free(map->slots);
	*map = larger;
}

void map_put(struct map *map, const void *key, uint32_t value)
{
	if (2 * map->n >= map->capacity)
		grow(map);
	struct map_slot *slot = slot_of(map, key);
	map->n += !slot->key;
	slot->key = key;
	slot->value = value;
}

uint32_t map_get(const struct map *map, const void *key)
{
	if (!map->capacity)
		return MAP_NONE;
	const struct map_slot *slot = slot_of(map, key);
	return slot->key ? slot->value : MAP_NONE;
}

bool map_mark(struct map *map, const void *key)
{
	if (map_get(map, key) != MAP_NONE)
		return false;
	map_put(map, key, 1);
	return true;
}

void map_release(struct map *map)
{
	mem_free(map->slots);
	*map = (struct map){0};
}
