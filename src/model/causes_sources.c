/* SPDX-License-Identifier: MIT */
/*
 * Where a value comes from. What one write copies has to come from another, and so on, back to one
 * that has it of its own: a copy that no such way leads to does not give it.
 */
#include "model/causes_parts.h"

#include "base/sorted.h"

#include <string.h>

#define COPIES_MOST 64 /* reads that a value is followed back through */

static bool may_return(struct causes *c, uint32_t read, int64_t value);

/* By its place among the writes; its thread is past so many events. */
static bool may_give(struct causes *c, const struct causes_wanted *w, uint32_t place,
		     uint32_t events)
{
	uint32_t fixed = c->writes.fixed.at[place], copied = c->writes.copied.at[place];
	uint32_t thread = c->index->events[c->writes.items.at[place]].thread;

	if (c->writes.values.at[place] == w->part.value)
		return true;
	if (fixed <= events || (c->frame && fixed <= c->frame->least[thread]))
		return false;
	return !copied || may_return(c, copied, w->part.value);
}

/* If both hold a lock, the write's section was over: the last event that came before the read. */
static uint32_t end_of_write(const struct causes *c, const struct causes_wanted *w, uint32_t write)
{
	const struct section *mine = NULL;
	uint32_t end = write;

	while (w->locked && (mine = sections_next(c->sections, w->thread, w->read, mine))) {
		const struct section *other = sections_around(
			c->sections, c->index->events[write].thread, mine->lock, write);

		if (other && sections_exclude(mine, other) && other->release > end)
			end = other->release;
	}
	return end;
}

/* It cannot happen within the frame. */
static bool is_outside(const struct causes *c, uint32_t event, const uint32_t *row)
{
	uint32_t thread = c->index->events[event].thread;

	if (!c->frame)
		return false;
	if (c->index->position[event] >= c->frame->most[thread])
		return true;
	for (uint32_t t = 0; row && t < c->threads; t++)
		if (t != thread && row[t] > c->frame->most[t])
			return true;
	return false;
}

/* One of those that the value may come from; false: it is none, or nothing is known of it. */
static bool add_source(struct causes *c, struct causes_wanted *w, uint32_t place, uint32_t known)
{
	uint32_t write = c->writes.items.at[place], thread = c->index->events[write].thread;
	const uint32_t *row;

	if (c->writes.values.at[place] != w->part.value && !c->writes.fixed.at[place])
		return false;
	uint32_t end = end_of_write(c, w, write), position = c->index->position[end] + 1;

	if (!causes_known_at(c, causes_outermost(c, end), &row) || is_outside(c, end, row) ||
	    !may_give(c, w, place, position > known ? position : known))
		return false;
	w->found = true;
	for (uint32_t t = 0; w->meet && t < c->threads; t++) {
		uint32_t count = t == thread ? position : row ? row[t] : 0;

		w->meet[t] = count < w->meet[t] ? count : w->meet[t];
	}
	return true;
}

/* Another write that has happened before the read came behind this one. */
static bool is_hidden(const struct causes *c, const struct causes_wanted *w, uint32_t write)
{
	uint32_t thread = c->index->events[write].thread;
	const uint32_t *row;

	for (uint32_t t = 0; t < c->threads; t++) {
		uint32_t by = w->last[t];

		if (by && t != thread && causes_known_at(c, by, &row) &&
		    causes_row_count(c, row, by, thread) > c->index->position[write])
			return true;
	}
	return false;
}

static bool find_last(const struct causes *c, struct causes_wanted *w)
{
	uint32_t v = w->part.variable;
	bool any = false;

	memset(w->last, 0, c->threads * sizeof(*w->last));
	for (uint32_t i = c->writes.first[v]; i < c->writes.first[v + 1]; i++) {
		const struct causes_group *g = &c->writes.all.at[i];
		uint32_t known = causes_row_count(c, w->row, w->read, g->thread);
		uint32_t k = causes_count_among(c, &c->writes, g, known);

		for (uint32_t back = 0; k && back < CAUSES_LOOK_BACK; back++) {
			uint32_t write = c->writes.items.at[g->first + --k];

			if (causes_sure_from(c, write) > known &&
			    (g->thread != w->thread || !index_is_sure(c->index, write, w->read)))
				continue;
			w->last[g->thread] = write;
			any = true;
			break;
		}
	}
	return any;
}

/* There is one, and that was all the question. */
static bool is_settled(const struct causes_wanted *w)
{
	return w->found && !w->meet;
}

/* The writes of a thread that must have come before the read; false: nothing can be said. */
static bool add_past(struct causes *c, struct causes_wanted *w, const struct causes_group *g)
{
	uint32_t known = causes_row_count(c, w->row, w->read, g->thread);
	uint32_t k = causes_count_among(c, &c->writes, g, known);

	for (uint32_t back = 0; k && back < CAUSES_LOOK_BACK; back++) {
		uint32_t place = g->first + --k, write = c->writes.items.at[place];

		if (!is_hidden(c, w, write)) {
			if (g->thread != w->thread)
				add_source(c, w, place, known);
			else if (may_give(c, w, place, known))
				return false;
		}
		if (write == w->last[g->thread] || is_settled(w))
			return true;
	}
	return !k;
}

/* The write, by its place, comes behind the read in every execution that has it; or all so far. */
static bool is_behind(const struct causes *c, const struct causes_wanted *w, uint32_t place)
{
	const uint32_t *row;

	return !causes_known_at(c, causes_outermost(c, c->writes.items.at[place]), &row) ||
	       (row && row[w->thread] > c->index->position[w->read]);
}

/* Those that may come before it or behind: what is known at the first holds for all. */
static void add_others(struct causes *c, struct causes_wanted *w, const struct causes_group *g)
{
	uint32_t known = causes_row_count(c, w->row, w->read, g->thread);
	uint32_t first = g->first + causes_count_among(c, &c->writes, g, known);
	uint32_t last = g->first + g->count, step = 1;

	while (step < last - first && !is_behind(c, w, first + step))
		step *= 2;
	uint32_t end = step < last - first ? first + step : last;

	end = LOWER_BOUND(i, first, end, !is_behind(c, w, i));
	for (uint32_t k = first; k < end; k++)
		if (add_source(c, w, k, known))
			return;
}

/* False: it may also come from where nothing is known. */
static bool find_sources(struct causes *c, struct causes_wanted *w)
{
	uint32_t v = w->part.variable;

	causes_known_at(c, w->read, &w->row);
	w->locked = sections_next(c->sections, w->thread, w->read, NULL);
	if (!find_last(c, w) && symbols_variable(c->index->symbols, v)->init == w->part.value)
		return false;
	for (uint32_t i = c->writes.first[v]; i < c->writes.first[v + 1]; i++) {
		const struct causes_group *g = &c->writes.all.at[i];

		if (!add_past(c, w, g))
			return false;
		if (g->thread != w->thread && !is_settled(w))
			add_others(c, w, g);
		if (is_settled(w))
			return true;
	}
	return true;
}

/*
 * The read may return the value. Its way back is one in time and meets no read twice: one that was
 * looked at, on this way or on another, needs no second look.
 */
static bool may_return(struct causes *c, uint32_t read, int64_t value)
{
	const struct event *e = &c->index->events[read];
	struct causes_wanted w = {.read = read, .thread = e->thread, .part = event_part(e, 0)};

	for (size_t i = 0; i < c->followed.n; i++)
		if (c->followed.at[i] == read)
			return false;
	if (c->followed.n == COPIES_MOST) {
		c->followed.n = 1;
		return true;
	}
	vec_push(&c->followed, read);
	w.part.value = value;
	w.last = mem_alloc(c->threads * sizeof(*w.last));
	bool may = !find_sources(c, &w) || w.found;

	mem_free(w.last);
	/* all that ask for it on this way do as well, and go no further; others may ask again */
	if (may)
		c->followed.n = 1;
	return may;
}

bool causes_find_common(struct causes *c, uint32_t read, uint32_t part)
{
	const struct event *e = &c->index->events[read];
	struct causes_wanted w = {.read = read,
				  .thread = e->thread,
				  .part = event_part(e, part),
				  .last = c->last,
				  .meet = c->meet};

	c->followed.n = 0;
	vec_push(&c->followed, read);
	memset(c->meet, 0xff, c->threads * sizeof(*c->meet));
	c->open = !find_sources(c, &w);
	return !c->open && w.found;
}

bool causes_of_read(struct causes *c, uint32_t read, uint32_t part,
		    const struct causes_frame *frame, const uint32_t **common)
{
	c->frame = frame;
	*common = causes_find_common(c, read, part) ? c->meet : NULL;
	c->frame = NULL;
	return *common || c->open;
}
