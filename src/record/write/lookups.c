/* SPDX-License-Identifier: MIT */
#include "record/write/lookups.h"

#include <string.h>

/* A table that is larger is not declared: traces have to stay small. */
#define OBJECT_MOST 8192
#define DECLARED_MOST (4 * OBJECT_MOST)
/* Of what no symbol tells the bounds of, such as a string. */
#define BEFORE 64
#define BEHIND 256

/* The bytes, as they are all the time; false: they are not known. */
static bool find_bytes(const struct lookups *l, const struct module_constant *in, uint64_t address,
		       size_t size, uint8_t *to)
{
	if (in->bytes) {
		memcpy(to, in->bytes + (address - in->start), size);
		return true;
	}
	for (size_t done = 0, n; done < size; done += n) {
		uint64_t value;

		n = size - done < 8 ? size - done : 8;
		if (!image_find(l->image, address + done, (unsigned)n, &value))
			return false;
		memcpy(to + done, &value, n);
	}
	return true;
}

/* Those that are not declared yet. */
static void declare_bytes(struct lookups *l, uint64_t address, const uint8_t *bytes, size_t size)
{
	for (size_t first = 0, end; first < size; first = end) {
		end = first + 1;
		if (constants_find(l->to, address + first))
			continue;
		while (end < size && end - first < CONSTANT_SIZE_MAX &&
		       !constants_find(l->to, address + end))
			end++;
		constants_add(l->to, address + first, bytes + first, end - first);
		l->declared += end - first;
	}
}

/* What surrounds the address, inside [in->start, in->end). */
static void find_bounds(const struct lookups *l, const struct module_constant *in, uint64_t address,
			uint64_t *start, uint64_t *end)
{
	const struct data_symbol *symbol = modules_symbol(l->modules, address);

	if (symbol) {
		*start = symbol->address;
		*end = symbol->address + symbol->size;
	} else {
		*start = address - BEFORE;
		*end = address + BEHIND;
	}
	*start = *start < in->start || *start > address ? in->start : *start;
	*end = *end > in->end ? in->end : *end;
}

static void declare_around(struct lookups *l, uint64_t address, unsigned beyond)
{
	struct module_constant in;
	uint64_t start, end;

	if (!modules_constant(l->modules, address, &in) || in.code)
		return;
	find_bounds(l, &in, address, &start, &end);
	lookups_declare(l, start, end - start, beyond);
}

void lookups_declare(struct lookups *l, uint64_t address, uint64_t size, unsigned beyond)
{
	struct module_constant in;
	uint8_t bytes[OBJECT_MOST];

	if (!size || size > OBJECT_MOST || l->declared + size > DECLARED_MOST ||
	    !modules_constant(l->modules, address, &in) || size > in.end - address ||
	    !find_bytes(l, &in, address, size, bytes))
		return;
	declare_bytes(l, address, bytes, size);
	for (size_t i = -address & 7; beyond && i + 8 <= size; i += 8) {
		uint64_t pointer;

		memcpy(&pointer, bytes + i, 8);
		declare_around(l, pointer, beyond - 1);
	}
}

static bool is_declared(const struct lookups *l, uint64_t address, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		if (!constants_find(l->to, address + i))
			return false;
	return true;
}

bool lookups_declare_at(struct lookups *l, uint64_t address, unsigned size)
{
	if (!is_declared(l, address, size))
		declare_around(l, address, 0);
	return is_declared(l, address, size);
}
