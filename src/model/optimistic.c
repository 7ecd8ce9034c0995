/* SPDX-License-Identifier: MIT */
#include "model/optimistic.h"

#include <string.h>

bool optimistic_leaves_out(const struct event *e)
{
	const struct event_more *more = e->more;

	if (!event_is(e, EV_DEPENDS))
		return false;
	if (more && more->expr)
		return more->opaque;
	if (!more || !more->reads_given)
		return true;
	/* a guard that the recorder has inserted says all there is: with other values it is another
	 * address */
	return more->read_count && (more->opaque || e->skip != EVENT_NO_RECORD);
}

bool optimistic_differs(const struct index *index)
{
	for (uint32_t n = 1; n <= index->count; n++)
		if (optimistic_leaves_out(&index->events[n]))
			return true;
	return false;
}

/* The same, but for what it depends on. */
static const struct event_more *on_nothing(struct arena *memory, const struct event_more *more)
{
	static const struct event_more nothing = {.reads_given = true};

	if (!more)
		return &nothing;
	struct event_more *copy = arena_copy(memory, more, sizeof(*more));

	copy->expr = NULL;
	copy->opaque = false;
	copy->reads_given = true;
	copy->reads = NULL;
	copy->read_count = 0;
	return copy;
}

struct index *optimistic_new(const struct index *index)
{
	struct index *view = mem_alloc(sizeof(*view));
	size_t size = ((size_t)index->count + 1) * sizeof(*index->events);

	*view = *index;
	view->memory = (struct arena){0};
	view->events = mem_alloc(size);
	memcpy(view->events, index->events, size);
	for (uint32_t n = 1; n <= view->count; n++) {
		struct event *e = &view->events[n];

		if (optimistic_leaves_out(e))
			e->more = on_nothing(&view->memory, e->more);
	}
	return view;
}

void optimistic_free(struct index *view)
{
	if (!view)
		return;
	mem_free(view->events);
	arena_release(&view->memory);
	mem_free(view);
}
