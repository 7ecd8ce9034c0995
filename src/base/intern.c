/* SPDX-License-Identifier: MIT */
#include "base/intern.h"

#include "base/err.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#define AHEAD 32 /* strings, whose slots are prefetched */

/*
 * A slot is the number of a string, counted from 1, and above it what the place of the slot does
 * not tell of its hash; 0: empty. There are at least twice as many slots as strings, so both have
 * room.
 */
static uint32_t slot_of(const struct intern *table, uint32_t number, uint32_t hash)
{
	return (number + 1) | (hash & ~(table->slot_count - 1));
}

static size_t find_slot(const struct intern *table, const char *text, size_t length, uint32_t hash)
{
	uint32_t mask = table->slot_count - 1, slot = hash & mask;

	for (; table->slots[slot]; slot = (slot + 1) & mask) {
		if ((table->slots[slot] ^ hash) & ~mask)
			continue;
		const struct interned *s = &table->strings.at[(table->slots[slot] & mask) - 1];

		if (s->hash == hash && s->length == length && !memcmp(s->text, text, length))
			break;
	}
	return slot;
}

/*
 * The slot of a string to come is on its way while the one at hand is looked at. Were it not always
 * inlined, gcc would drop it.
 */
static inline __attribute__((always_inline)) void prefetch_slot(const struct intern *table,
								size_t number)
{
	if (number < table->strings.n)
		__builtin_prefetch(
			&table->slots[table->strings.at[number].hash & (table->slot_count - 1)], 1);
}

/* Makes room in the table for so many strings. */
static void grow(struct intern *table, size_t strings)
{
	size_t count = table->slot_count ? table->slot_count : 64;

	while (strings * 2 > count)
		count *= 2;
	mem_free(table->slots);
	table->slots = mem_alloc_zero(count, sizeof(*table->slots));
	table->slot_count = (uint32_t)count;
	for (size_t i = 0; i < table->found; i++) {
		uint32_t hash = table->strings.at[i].hash, slot = hash & (table->slot_count - 1);

		prefetch_slot(table, i + AHEAD);
		while (table->slots[slot])
			slot = (slot + 1) & (table->slot_count - 1);
		table->slots[slot] = slot_of(table, (uint32_t)i, hash);
	}
}

uint32_t intern_find(const struct intern *table, const char *text, size_t length)
{
	if (!table->slot_count)
		return INTERN_NONE;
	size_t slot = find_slot(table, text, length, (uint32_t)XXH3_64bits(text, length));

	return (table->slots[slot] & (table->slot_count - 1)) - 1; /* empty: INTERN_NONE */
}

/* Behind the others; not yet in the table. */
static uint32_t push(struct intern *table, const char *text, size_t length, uint32_t hash)
{
	ASSERT(table->strings.n < INTERN_MOST);
	char *copy = arena_alloc(&table->text, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	struct interned s = {.text = copy, .length = (uint32_t)length, .hash = hash};

	vec_push(&table->strings, s);
	return (uint32_t)table->strings.n - 1;
}

uint32_t intern_add(struct intern *table, const char *text, size_t length)
{
	uint32_t hash = (uint32_t)XXH3_64bits(text, length);

	if ((table->strings.n + 1) * 2 > table->slot_count)
		grow(table, table->strings.n + 1);
	uint32_t *slot = &table->slots[find_slot(table, text, length, hash)];

	if (*slot)
		return (*slot & (table->slot_count - 1)) - 1;
	ASSERT(table->found == table->strings.n);
	table->found++;
	uint32_t number = push(table, text, length, hash);

	*slot = slot_of(table, number, hash);
	return number;
}

uint32_t intern_add_unchecked(struct intern *table, const char *text, size_t length)
{
	return push(table, text, length, (uint32_t)XXH3_64bits(text, length));
}

bool intern_check(struct intern *table)
{
	size_t n = table->strings.n;

	if (n * 2 > table->slot_count)
		grow(table, n);
	for (; table->found < n; table->found++) {
		const struct interned *s = &table->strings.at[table->found];

		prefetch_slot(table, table->found + AHEAD);
		uint32_t *slot = &table->slots[find_slot(table, s->text, s->length, s->hash)];

		if (*slot)
			return false;
		*slot = slot_of(table, (uint32_t)table->found, s->hash);
	}
	return true;
}

void intern_release(struct intern *table)
{
	vec_release(&table->strings);
	mem_free(table->slots);
	arena_release(&table->text);
	table->slots = NULL;
	table->slot_count = table->found = 0;
}
