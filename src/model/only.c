/* SPDX-License-Identifier: MIT */
#include "model/only.h"

#include "model/whole.h"
#include "trace/expr.h"

uint32_t only_read(const struct index *index, uint32_t event)
{
	const struct event *e = &index->events[event];
	const struct expr *expr = e->more ? e->more->expr : NULL;
	uint32_t only = 0;

	for (uint32_t i = 0; expr && i < expr->count; i++) {
		if (expr->nodes[i].op != OP_READ)
			continue;
		if (only && only != expr->nodes[i].value)
			return 0;
		only = (uint32_t)expr->nodes[i].value;
	}
	return only && event_part_count(&index->events[only]) == 1 ? only : 0;
}

bool only_copies(const struct index *index, uint32_t write, uint32_t read)
{
	const struct event *e = &index->events[write];
	const struct variable *to = symbols_variable(index->symbols, event_part(e, 0).variable);
	const struct variable *from =
		symbols_variable(index->symbols, event_part(&index->events[read], 0).variable);

	return e->more->expr->count == 1 &&
	       (to->flags & VARIABLE_MEMORY) == (from->flags & VARIABLE_MEMORY) &&
	       (!(to->flags & VARIABLE_MEMORY) || to->size == from->size);
}

struct only_input {
	const struct index *index;
	int64_t value;
};

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	const struct only_input *input = context;
	const struct index *index = input->index;
	uint32_t shift;
	uint64_t mask;

	*value = input->value;
	if (whole_place(index->symbols, &index->events[read], 0, &shift, &mask))
		*value = (int64_t)(((uint64_t)input->value & mask) << shift);
	return true;
}

bool only_result(const struct index *index, uint32_t event, int64_t in, int64_t *out)
{
	const struct event *e = &index->events[event];
	struct only_input input = {index, in};

	return expr_value(e->more->expr, look_up, &input, out) &&
	       (e->kind == EV_BRANCH || whole_part(index->symbols, e, 0, *out, out));
}
