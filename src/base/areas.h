/* SPDX-License-Identifier: MIT */
/*
 * In which areas of 4 GiB of the address space there is anything. Most words that are no addresses
 * lie in none of those few: so much is seen at once.
 */
#ifndef BASE_AREAS_H
#define BASE_AREAS_H

#include <stdbool.h>
#include <stdint.h>

#define AREA_SHIFT 32
#define AREAS ((uint64_t)1 << (48 - AREA_SHIFT))

struct areas {
	uint64_t bits[AREAS / 64];
};

static inline void areas_add(struct areas *areas, uint64_t address, uint64_t size)
{
	uint64_t most = size > UINT64_MAX - address ? UINT64_MAX : address + size;

	for (uint64_t a = address >> AREA_SHIFT; a <= most >> AREA_SHIFT && a < AREAS; a++)
		areas->bits[a / 64] |= (uint64_t)1 << a % 64;
}

static inline bool areas_have(const struct areas *areas, uint64_t address)
{
	uint64_t a = address >> AREA_SHIFT;

	return a < AREAS && areas->bits[a / 64] >> a % 64 & 1;
}

#endif
