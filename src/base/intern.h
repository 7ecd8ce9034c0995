/* SPDX-License-Identifier: MIT */
/*
 * Strings numbered from 0 in the order in which they were first seen. A number
 * and the string behind it stay valid until release.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/mem.h"

#include <stdbool.h>

#define INTERN_NONE UINT32_MAX
#define INTERN_MOST (INTERN_NONE / 4) /* strings in one table */

struct interned {
	const char *text; /* ends with a NUL that length does not count */
	uint32_t length;
	uint32_t hash;
};

struct intern {
	VEC(struct interned) strings;
	uint32_t *slots;     /* hash table */
	uint32_t slot_count; /* a power of two */
	size_t found;	     /* so many strings are in the table */
	struct arena text;
};

uint32_t intern_add(struct intern *table, const char *text, size_t length);
/*
 * For many strings that should all be new: each is added without a look, and found only after
 * intern_check, which is false if any of them was there before.
 */
uint32_t intern_add_unchecked(struct intern *table, const char *text, size_t length);
bool intern_check(struct intern *table);
uint32_t intern_find(const struct intern *table, const char *text, size_t length);
void intern_release(struct intern *table);

static inline const char *intern_text(const struct intern *table, uint32_t number)
{
	return table->strings.at[number].text;
}

#endif
