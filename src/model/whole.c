/* SPDX-License-Identifier: MIT */
#include "model/whole.h"

bool whole_place(const struct symbols *symbols, const struct event *e, uint32_t i, uint32_t *shift,
		 uint64_t *mask)
{
	const struct variable *first = symbols_variable(symbols, e->object);

	for (uint32_t j = 0; j < event_part_count(e); j++) {
		const struct variable *v = symbols_variable(symbols, event_part(e, j).variable);
		uint64_t offset = v->address - first->address;

		if (!(v->flags & VARIABLE_MEMORY) || v->base != first->base || offset > 8 ||
		    v->size > 8 - offset)
			return false;
		if (j == i) {
			*shift = 8 * (uint32_t)offset;
			*mask = v->size < 8 ? ((uint64_t)1 << 8 * v->size) - 1 : UINT64_MAX;
		}
	}
	return true;
}

int64_t whole_recorded(const struct symbols *symbols, const struct event *e)
{
	uint64_t whole = 0, mask;
	uint32_t shift;

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		if (!whole_place(symbols, e, i, &shift, &mask))
			return event_part(e, i).value;
		whole |= ((uint64_t)event_part(e, i).value & mask) << shift;
	}
	return (int64_t)whole;
}

bool whole_part(const struct symbols *symbols, const struct event *e, uint32_t i, int64_t whole,
		int64_t *part)
{
	uint32_t shift;
	uint64_t mask;

	if (whole_place(symbols, e, i, &shift, &mask))
		*part = (int64_t)((uint64_t)whole >> shift & mask);
	else if (event_part_count(e) == 1)
		*part = whole;
	else
		return false;
	return true;
}
