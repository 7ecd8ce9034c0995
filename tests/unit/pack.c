/* SPDX-License-Identifier: MIT */
/* Blocks of a log, packed: whatever their words are, they come out as they went in. */
#include "runtime/pack.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#include <stdlib.h>

#define WORDS (LOG_BLOCK / 8)

static struct pack pack;
static uint64_t words[WORDS], back[WORDS + 4];
static uint8_t bytes[LOG_BLOCK + 2 * LOG_PADDING];

static uint32_t pack_all(uint32_t n)
{
	memset(bytes, 0xa5, sizeof(bytes));
	return pack_words(&pack, words, n, bytes, sizeof(bytes));
}

static void come_back(uint32_t n, uint32_t size)
{
	memset(back, 0x5a, sizeof(back));
	ASSERT_EQ(pack_unpack(&pack, bytes, size, back, n), n);
	ASSERT_TRUE(!memcmp(back, words, 8 * (size_t)n));
	for (unsigned i = 0; i < 4; i++)
		ASSERT_EQ(back[n + i], 0x5a5a5a5a5a5a5a5au);
}

static uint64_t some_value(struct random *r, uint64_t before)
{
	switch (random_below(r, 9)) {
	case 0: return before;
	case 1: return before + random_below(r, 300) - 150;
	case 2: return before + random_below(r, 100000) - 50000;
	case 3: return before ^ random_next(r) >> 32;
	case 4: return before ^ random_next(r) << 48;
	case 5: return random_below(r, 100);
	case 6: return random_next(r) >> 32;
	case 7: return 0;
	default: return random_next(r);
	}
}

/* Loops over few places: accesses of all sizes, what they depend on, and anything else. */
static void make_records(struct random *r, uint32_t n, uint32_t places)
{
	uint64_t address[16] = {0}, value = 0;
	uint32_t at = 0, version = 0;

	while (at + 3 <= n) {
		uint32_t place = (uint32_t)random_below(r, places);
		uint64_t *w = words + at;

		version += (uint32_t)random_below(r, 3);
		if (random_below(r, 20) == 0)
			address[place] = some_value(r, address[place]);
		if (place % 3 == 2) {
			w[0] = some_value(r, random_below(r, 2) ? words[at ? at - 1 : 0]
								: LOG_DEPENDS);
			at++;
		} else if (place % 7 == 6) {
			w[0] = LOG_WORD(place % 2 ? LOG_BRANCH : LOG_DEPENDS, place,
					random_next(r) >> 44);
			at++;
		} else {
			value = some_value(r, value);
			address[place] += 4 * place;
			w[0] = LOG_WORD(place % 2 ? LOG_READ : LOG_WRITE, place, version);
			w[1] = LOG_ACCESS(address[place] & 0xffffffffffff, random_below(r, 12),
					  random_below(r, 50) ? 0 : LOG_PART);
			w[2] = value;
			at += 3;
		}
	}
	for (; at < n; at++)
		words[at] = random_next(r);
}

TAP_CASE(what_is_packed_comes_back)
{
	for (uint64_t seed = 1; seed <= TAP_PART(2000); seed++) {
		struct random r = random_seeded(seed);
		uint32_t n = (uint32_t)random_below(&r, seed % 10 ? 300 : WORDS + 1);

		tap_at("seed %llu", (unsigned long long)seed);
		make_records(&r, n, 1 + (uint32_t)random_below(&r, 16));
		uint32_t size = pack_all(n);

		if (n && !size) /* it would have been longer than a block */
			continue;
		come_back(n, size);
	}
}

TAP_CASE(anything_comes_back_or_is_too_long)
{
	unsigned packed = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(300); seed++) {
		struct random r = random_seeded(seed);
		uint32_t n = 1 + (uint32_t)random_below(&r, WORDS), size;

		for (uint32_t i = 0; i < n; i++)
			words[i] = random_next(&r) >> random_below(&r, 64);
		size = pack_all(n);
		if (size)
			come_back(n, size);
		packed += !!size;
	}
	ASSERT_TRUE(packed);
	for (uint32_t i = 0; i < WORDS; i++) /* places that never come again */
		words[i] = (i + 1) * 0x9e3779b97f4a7c15u;
	ASSERT_EQ(pack_all(WORDS - 4), 0);
}

/* What a loop does takes a few bytes a round: a and b are read, and c is computed. */
TAP_CASE(loops_are_short)
{
	uint32_t n = 0;

	for (uint32_t i = 0; n + 7 <= WORDS; i++, n += 7) {
		words[n] = LOG_WORD(LOG_READ, 7, 16);
		words[n + 1] = LOG_ACCESS(0x7f0000001000 + 8 * i, 8, 0);
		words[n + 2] = UINT64_C(0x4010) << 48 | (uint64_t)(i % 17) << 48;
		words[n + 3] = LOG_WORD(LOG_READ, 8, 16 + i % 5);
		words[n + 4] = LOG_ACCESS(0x7f0000101000 + 2000 * i, 8, 0);
		words[n + 5] = UINT64_C(0x4010) << 48;
		words[n + 6] = LOG_WORD(LOG_VALUE, 9, LOG_TRIPLE_OF(3, 6, 7));
	}
	uint32_t size = pack_all(n);

	come_back(n, size);
	ASSERT_TRUE(size < n / 7 * 8 + 100);
}

/* Damage: no more is read or written than there is. */
TAP_CASE(bytes_that_make_no_sense)
{
	for (uint64_t seed = 1; seed <= TAP_PART(2000); seed++) {
		struct random r = random_seeded(seed);
		uint32_t n = 1 + (uint32_t)random_below(&r, 300), size, most;

		tap_at("seed %llu", (unsigned long long)seed);
		make_records(&r, n, 1 + (uint32_t)random_below(&r, 16));
		size = pack_all(n);
		ASSERT_TRUE(size);
		most = (uint32_t)random_below(&r, size + 1);
		for (unsigned i = 0; i < 3; i++)
			bytes[random_below(&r, size)] = (uint8_t)random_next(&r);
		/* as it is in a file: the padding, and then nothing */
		uint8_t *copy = malloc(most + LOG_PADDING);

		memcpy(copy, bytes, most);
		memset(copy + most, 0xff, LOG_PADDING);
		memset(back, 0x5a, sizeof(back));
		ASSERT_TRUE(pack_unpack(&pack, copy, most, back, n) <= n);
		for (unsigned i = 0; i < 4; i++)
			ASSERT_EQ(back[n + i], 0x5a5a5a5a5a5a5a5au);
		free(copy);
	}
}
