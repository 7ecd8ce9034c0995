/* SPDX-License-Identifier: MIT */
#include "record/keep/layout.h"

void layout_release(struct layout *layout)
{
	vec_release(&layout->objects);
	vec_release(&layout->granules);
	vec_release(&layout->variables);
	vec_release(&layout->runs);
	vec_release(&layout->dangling);
	vec_release(&layout->crashes);
}

uint8_t layout_bytes(uint64_t granule, uint64_t from, uint64_t size)
{
	unsigned bytes = 0xff;

	if (granule < from)
		bytes &= 0xffu << (from - granule);
	if (size < granule + 8 - from)
		bytes &= (1u << (from + size - granule)) - 1;
	return (uint8_t)bytes;
}
