/* SPDX-License-Identifier: MIT */
#include "base/keyed.h"

#include <string.h>

void *keyed_resize(void *at, size_t element, size_t size, size_t new_size)
{
	void *new = mem_alloc_zero(new_size, element);

	for (size_t i = 0; i < size; i++) {
		const char *entry = (const char *)at + i * element;
		uint64_t key = *(const uint64_t *)entry;

		if (key)
			memcpy(keyed_place(new, element, new_size, key), entry, element);
	}
	mem_free(at);
	return new;
}
