/* SPDX-License-Identifier: MIT */
#include "trace/event.h"

#include "trace/expr.h"

const char *const event_kind_text[EV_COUNT] = {
#define KIND_ROW(name, text, class, flags) [name] = text,
	EVENT_KINDS(KIND_ROW)
#undef KIND_ROW
};

const uint8_t event_kind_class[EV_COUNT] = {
#define KIND_ROW(name, text, class, flags) [name] = class,
	EVENT_KINDS(KIND_ROW)
#undef KIND_ROW
};

const uint8_t event_kind_flags[EV_COUNT] = {
#define KIND_ROW(name, text, class, flags) [name] = flags,
	EVENT_KINDS(KIND_ROW)
#undef KIND_ROW
};

const char *const object_class_plural[CLASS_COUNT] = {
#define CLASS_ROW(name, plural, singular) [name] = plural,
	OBJECT_CLASSES(CLASS_ROW)
#undef CLASS_ROW
};

const char *const object_class_singular[CLASS_COUNT] = {
#define CLASS_ROW(name, plural, singular) [name] = singular,
	OBJECT_CLASSES(CLASS_ROW)
#undef CLASS_ROW
};

const char *const memory_order_text[ORDER_COUNT] = {
#define ORDER_ROW(name, text) [name] = text,
	MEMORY_ORDERS(ORDER_ROW)
#undef ORDER_ROW
};

struct event event_copy(struct arena *memory, const struct event *e)
{
	struct event copy = *e;

	if (!e->more)
		return copy;
	struct event_more *more = arena_copy(memory, e->more, sizeof(*more));

	more->parts = arena_copy(memory, more->parts, more->part_count * sizeof(*more->parts));
	more->reads = arena_copy(memory, more->reads, more->read_count * sizeof(*more->reads));
	more->at = arena_copy(memory, more->at, more->at_count * sizeof(*more->at));
	if (more->args)
		more->args = arena_copy(memory, more->args, more->args_length + (size_t)1);
	if (more->expr)
		more->expr = arena_copy(memory, more->expr, expr_size(more->expr));
	copy.more = more;
	return copy;
}
