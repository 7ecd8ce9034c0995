#include "base/intern.h"

#include "base/err.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#define CHECK_AHEAD 16 /* strings, whose slots are prefetched */

static size_t find_slot(const struct intern *table, const char *text, size_t length, uint32_t hash)
{
	size_t mask = table->slot_count - 1;
	size_t slot = hash & mask;

	for (; table->slots[slot].number; slot = (slot + 1) & mask) {
		if (table->slots[slot].hash != hash)
			continue;
		const struct interned *s = &table->strings.at[table->slots[slot].number - 1];

		if (s->length == length && !memcmp(s->text, text, length))
			break;
	}
	return slot;
}

/* Makes room in the table for so many strings. */
static void grow(struct intern *table, size_t strings)
{
	struct intern_slot *old = table->slots;
	size_t old_count = table->slot_count;

	table->slot_count = old_count ? old_count : 64;
	while (strings * 2 > table->slot_count)
		table->slot_count *= 2;
	size_t mask = table->slot_count - 1;

	table->slots = mem_alloc_zero(table->slot_count, sizeof(*table->slots));
	/* in the order of the old table, new places are near each other */
	for (size_t i = 0; i < old_count; i++) {
		size_t slot = old[i].hash & mask;

		if (!old[i].number)
			continue;
		while (table->slots[slot].number)
			slot = (slot + 1) & mask;
		table->slots[slot] = old[i];
	}
	mem_free(old);
}

uint32_t intern_find(const struct intern *table, const char *text, size_t length)
{
	if (!table->slot_count)
		return INTERN_NONE;
	size_t slot = find_slot(table, text, length, (uint32_t)XXH3_64bits(text, length));

	return table->slots[slot].number ? table->slots[slot].number - 1 : INTERN_NONE;
}

static uint32_t push(struct intern *table, const char *text, size_t length, uint32_t hash)
{
	ASSERT(table->strings.n < INTERN_NONE - 1);
	char *copy = arena_alloc(&table->text, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	struct interned s = {.text = copy, .length = (uint32_t)length, .hash = hash};

	vec_push(&table->strings, s);
	return (uint32_t)table->strings.n;
}

uint32_t intern_add(struct intern *table, const char *text, size_t length)
{
	uint32_t hash = (uint32_t)XXH3_64bits(text, length);

	if ((table->strings.n + 1) * 2 > table->slot_count)
		grow(table, table->strings.n + 1);
	struct intern_slot *slot = &table->slots[find_slot(table, text, length, hash)];

	if (!slot->number) {
		ASSERT(table->found == table->strings.n);
		*slot = (struct intern_slot){push(table, text, length, hash), hash};
		table->found++;
	}
	return slot->number - 1;
}

uint32_t intern_add_unchecked(struct intern *table, const char *text, size_t length)
{
	return push(table, text, length, (uint32_t)XXH3_64bits(text, length)) - 1;
}

bool intern_check(struct intern *table)
{
	size_t n = table->strings.n;

	if (n * 2 > table->slot_count)
		grow(table, n);
	for (; table->found < n; table->found++) {
		const struct interned *s = &table->strings.at[table->found];

		if (table->found + CHECK_AHEAD < n)
			__builtin_prefetch(
				&table->slots[s[CHECK_AHEAD].hash & (table->slot_count - 1)], 1);
		struct intern_slot *slot =
			&table->slots[find_slot(table, s->text, s->length, s->hash)];

		if (slot->number)
			return false;
		*slot = (struct intern_slot){(uint32_t)table->found + 1, s->hash};
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
