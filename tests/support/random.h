/* SPDX-License-Identifier: MIT */
/* Random numbers that are the same everywhere: xorshift64*, seeded by splitmix64. */
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline struct random random_seeded(uint64_t seed)
{
	uint64_t z = seed + 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return (struct random){z ? z : 1}; /* 0 would stay 0 */
}

static inline uint64_t random_next(struct random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1d;
}

/* 0 … n - 1 */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
	return (uint32_t)((random_next(r) >> 32) * n >> 32);
}

/* True in that many of 100 calls. */
static inline bool random_percent(struct random *r, uint32_t percent)
{
	return random_below(r, 100) < percent;
}

#endif
