#include "base/intern.h"

#include "base/err.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

static size_t find_slot(const struct intern *table, const char *text, size_t length, uint32_t hash)
{
	size_t mask = table->slot_count - 1;
	size_t slot = hash & mask;

	for (; table->slots[slot]; slot = (slot + 1) & mask) {
		const struct interned *s = &table->strings.at[table->slots[slot] - 1];

		if (s->hash == hash && s->length == length && !memcmp(s->text, text, length))
			break;
	}
	return slot;
}

static void grow(struct intern *table)
{
	mem_free(table->slots);
	table->slot_count = table->slot_count ? table->slot_count * 2 : 64;
	table->slots = mem_alloc_zero(table->slot_count, sizeof(*table->slots));
	for (size_t i = 0; i < table->strings.n; i++) {
		size_t slot = table->strings.at[i].hash & (table->slot_count - 1);

		while (table->slots[slot])
			slot = (slot + 1) & (table->slot_count - 1);
		table->slots[slot] = (uint32_t)i + 1;
	}
}

uint32_t intern_find(const struct intern *table, const char *text, size_t length)
{
	if (!table->slot_count)
		return INTERN_NONE;
	size_t slot = find_slot(table, text, length, (uint32_t)XXH3_64bits(text, length));

	return table->slots[slot] ? table->slots[slot] - 1 : INTERN_NONE;
}

uint32_t intern_add(struct intern *table, const char *text, size_t length)
{
	uint32_t hash = (uint32_t)XXH3_64bits(text, length);

	if (table->strings.n * 2 >= table->slot_count)
		grow(table);
	size_t slot = find_slot(table, text, length, hash);

	if (!table->slots[slot]) {
		ASSERT(table->strings.n < INTERN_NONE - 1);
		char *copy = arena_alloc(&table->text, length + 1);

		memcpy(copy, text, length);
		copy[length] = '\0';
		struct interned s = {.text = copy, .length = (uint32_t)length, .hash = hash};
		vec_push(&table->strings, s);
		table->slots[slot] = (uint32_t)table->strings.n;
	}
	return table->slots[slot] - 1;
}

void intern_release(struct intern *table)
{
	vec_release(&table->strings);
	mem_free(table->slots);
	arena_release(&table->text);
	table->slots = NULL;
	table->slot_count = 0;
}
