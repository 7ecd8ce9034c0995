/* SPDX-License-Identifier: MIT */
#include "trace/constants.h"

#include "base/sorted.h"

#include <string.h>

void constants_release(struct constants *c)
{
	vec_release(&c->ranges);
	vec_release(&c->by_address);
	arena_release(&c->bytes);
}

/* How many ranges begin at or before the address. */
static size_t count_before(const struct constants *c, uint64_t address)
{
	return LOWER_BOUND(i, 0, c->by_address.n, c->by_address.at[i].address <= address);
}

const struct constant *constants_find(const struct constants *c, uint64_t address)
{
	size_t before = c ? count_before(c, address) : 0;
	const struct constant *range = before ? &c->by_address.at[before - 1] : NULL;

	return range && address - range->address < range->size ? range : NULL;
}

bool constants_add(struct constants *c, uint64_t address, const uint8_t *bytes, size_t size)
{
	if (!size || size > CONSTANT_SIZE_MAX || address + (size - 1) < address)
		return false;
	size_t place = count_before(c, address), count = c->by_address.n;

	if (constants_find(c, address) ||
	    (place < count && c->by_address.at[place].address - address < size))
		return false;
	struct constant range = {address, (uint32_t)size, arena_copy(&c->bytes, bytes, size)};

	vec_push(&c->ranges, range);
	vec_push(&c->by_address, range);
	memmove(c->by_address.at + place + 1, c->by_address.at + place,
		(count - place) * sizeof(range));
	c->by_address.at[place] = range;
	return true;
}

bool constants_load(const struct constants *c, uint64_t address, unsigned size, uint64_t *value)
{
	*value = 0;
	for (unsigned i = 0; i < size; i++) {
		const struct constant *range = constants_find(c, address + i);

		if (!range)
			return false;
		*value |= (uint64_t)range->bytes[address + i - range->address] << 8 * i;
	}
	return true;
}
