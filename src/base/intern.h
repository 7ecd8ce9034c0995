/*
 * Strings numbered from 0 in the order in which they were first seen. A number
 * and the string behind it stay valid until release.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/mem.h"

#define INTERN_NONE UINT32_MAX

struct interned {
	const char *text; /* ends with a NUL that length does not count */
	uint32_t length;
	uint32_t hash;
};

struct intern {
	VEC(struct interned) strings;
	uint32_t *slots; /* number + 1, or 0 for empty; a power of two of them */
	size_t slot_count;
	struct arena text;
};

uint32_t intern_add(struct intern *table, const char *text, size_t length);
uint32_t intern_find(const struct intern *table, const char *text, size_t length);
void intern_release(struct intern *table);

static inline const char *intern_text(const struct intern *table, uint32_t number)
{
	return table->strings.at[number].text;
}

#endif
