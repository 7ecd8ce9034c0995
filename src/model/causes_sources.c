/* SPDX-License-Identifier: MIT */
/*
 * Where a value comes from. What one write computes from one read needs a value there, which comes
 * from another write, and so on, back to one that has it of its own: a write that no such way leads
 * to does not give it, and what all ways go through came before.
 */
#include "model/causes_parts.h"

#include "base/sorted.h"
#include "model/only.h"
#include "trace/expr.h"

#include <string.h>

#define FOLLOWED_MOST 64 /* reads that a value is followed back through */
#define DEPTH_MOST 2	 /* of these, with something computed between */
#define WAYS_MOST 32	 /* writes of which all ways are looked at, for one question */
#define TRIED_MOST 4096	 /* values of which something is computed, for one question */

static bool may_return(struct causes *c, uint32_t read, const struct causes_test *test);

static bool is_fulfilled(const struct causes *c, const struct causes_test *test, int64_t value)
{
	for (; test->event; test = test->next) {
		if (!only_result(c->index, test->event, value, &value))
			return false;
		if (!test->next)
			return value;
	}
	return value == test->value;
}

/* What would take too long is taken to be so. */
static bool will_do(const struct causes *c, struct causes_wanted *w, int64_t value)
{
	return (w->test->event && w->tried++ >= TRIED_MOST) || is_fulfilled(c, w->test, value);
}

/* What the write's input has to be; NULL: that is too deep. */
static const struct causes_test *test_input(struct causes *c, const struct causes_test *test,
					    uint32_t write, uint32_t input,
					    struct causes_test *room)
{
	if (only_copies(c->index, write, input))
		return test;
	*room = (struct causes_test){
		.event = write, .next = test, .depth = test->depth + 1, .number = ++c->tests};
	return room->depth > DEPTH_MOST ? NULL : room;
}

/*
 * By its place among the writes, of which the recorded value will do or not; its thread is past so
 * many events.
 */
static bool may_give(struct causes *c, const struct causes_wanted *w, uint32_t place,
		     uint32_t events, bool recorded)
{
	uint32_t fixed = c->writes.fixed.at[place], input = c->writes.inputs.at[place];
	uint32_t write = c->writes.items.at[place], thread = c->index->events[write].thread;
	struct causes_test room;

	if (recorded)
		return true;
	if (fixed <= events || (c->frame && fixed <= c->frame->least[thread]))
		return false;
	const struct causes_test *test = input ? test_input(c, w->test, write, input, &room) : NULL;

	return !test || may_return(c, input, test);
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

static bool find_sources(struct causes *c, struct causes_wanted *w);

/*
 * What all ways have in common by which the write comes to a value that will do; the caller frees
 * it, NULL: nothing is known. False: there is none.
 */
static bool find_ways(struct causes *c, struct causes_wanted *w, uint32_t place, uint32_t events,
		      uint32_t **common)
{
	uint32_t input = c->writes.inputs.at[place], write = c->writes.items.at[place];
	struct causes_test room;
	const struct causes_test *test;

	if (!input || c->path > DEPTH_MOST || c->writes.fixed.at[place] <= events ||
	    w->ways++ >= WAYS_MOST || !(test = test_input(c, w->test, write, input, &room)))
		return true;
	const struct event *e = &c->index->events[input];
	struct causes_wanted way = {.read = input,
				    .thread = e->thread,
				    .variable = event_part(e, 0).variable,
				    .test = test};

	way.last = mem_alloc(c->threads * sizeof(*way.last));
	way.meet = mem_alloc(c->threads * sizeof(*way.meet));
	memset(way.meet, 0xff, c->threads * sizeof(*way.meet));
	c->followed.n = c->path++;
	vec_push(&c->followed, ((struct causes_followed){input, test->number}));
	bool open = !find_sources(c, &way);

	c->followed.n = --c->path;
	mem_free(way.last);
	if (!open && way.found)
		*common = way.meet;
	else
		mem_free(way.meet);
	return open || way.found;
}

/* False: there is no room for it. */
static bool put_source(struct causes_wanted *w, uint32_t write)
{
	struct causes_list *list = w->list;

	list->full |= list->count == CAUSES_LIST_MOST;
	if (!list->full)
		list->writes[list->count++] = write;
	return !list->full;
}

/*
 * One of those that the value may come from, if it is one. True: what is known of it holds for all
 * later ones of its thread; or there is no room for more.
 */
static bool add_source(struct causes *c, struct causes_wanted *w, uint32_t place, uint32_t known)
{
	uint32_t write = c->writes.items.at[place], thread = c->index->events[write].thread;
	const uint32_t *row;

	bool recorded = will_do(c, w, c->writes.values.at[place]);

	if (!recorded && !c->writes.fixed.at[place])
		return false;
	uint32_t end = end_of_write(c, w, write), position = c->index->position[end] + 1;
	uint32_t events = position > known ? position : known, *more = NULL;

	if (!causes_known_at(c, causes_outermost(c, end), &row) || is_outside(c, end, row) ||
	    !may_give(c, w, place, events, recorded) ||
	    ((w->meet || w->list) && !find_ways(c, w, place, events, &more)))
		return false;
	w->found = true;
	if (w->list) {
		mem_free(more);
		return !put_source(w, write);
	}
	for (uint32_t t = 0; w->meet && t < c->threads; t++) {
		uint32_t count = t == thread ? position : row ? row[t] : 0;

		if (more && t != thread && more[t] > count)
			count = more[t];
		w->meet[t] = count < w->meet[t] ? count : w->meet[t];
	}
	bool all = !more;

	mem_free(more);
	return all;
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
	uint32_t v = w->variable;
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
	return w->list ? w->list->full : w->found && !w->meet;
}

/* The writes of a thread that must have come before the read; false: nothing can be said. */
static bool add_past(struct causes *c, struct causes_wanted *w, const struct causes_group *g)
{
	uint32_t known = causes_row_count(c, w->row, w->read, g->thread);
	uint32_t k = causes_count_among(c, &c->writes, g, known);

	for (uint32_t back = 0; k && back < CAUSES_LOOK_BACK; back++) {
		uint32_t place = g->first + --k, write = c->writes.items.at[place];

		if (!is_hidden(c, w, write)) {
			if (g->thread != w->thread || w->list)
				add_source(c, w, place, known);
			else if (may_give(c, w, place, known,
					  will_do(c, w, c->writes.values.at[place])))
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
	uint32_t v = w->variable;

	causes_known_at(c, w->read, &w->row);
	w->locked = sections_next(c->sections, w->thread, w->read, NULL);
	if (!find_last(c, w) && will_do(c, w, symbols_variable(c->index->symbols, v)->init) &&
	    (!w->list || !put_source(w, 0)))
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
 * The read may return a value that will do. Of all ways that a value may have come by, one meets no
 * question twice: one that was asked, on this way or on another, needs no second answer.
 */
static bool may_return(struct causes *c, uint32_t read, const struct causes_test *test)
{
	const struct event *e = &c->index->events[read];
	struct causes_wanted w = {.read = read,
				  .thread = e->thread,
				  .variable = event_part(e, 0).variable,
				  .test = test};

	for (size_t i = 0; i < c->followed.n; i++)
		if (c->followed.at[i].read == read && c->followed.at[i].test == test->number)
			return false;
	if (c->followed.n >= c->path + FOLLOWED_MOST) {
		c->followed.n = c->path;
		return true;
	}
	vec_push(&c->followed, ((struct causes_followed){read, test->number}));
	w.last = mem_alloc(c->threads * sizeof(*w.last));
	bool may = !find_sources(c, &w) || w.found;

	mem_free(w.last);
	/* all that ask for it on this way do as well, and go no further; others may ask again */
	if (may)
		c->followed.n = c->path;
	return may;
}

bool causes_find_common(struct causes *c, uint32_t read, uint32_t part, uint32_t branch)
{
	const struct event *e = &c->index->events[read];
	struct part p = event_part(e, part);
	struct causes_test test = {.event = branch, .value = p.value};
	struct causes_wanted w = {.read = read,
				  .thread = e->thread,
				  .variable = p.variable,
				  .test = &test,
				  .last = c->last,
				  .meet = c->meet};

	c->followed.n = c->tests = 0;
	c->path = 1;
	vec_push(&c->followed, ((struct causes_followed){read, 0}));
	memset(c->meet, 0xff, c->threads * sizeof(*c->meet));
	c->open = !find_sources(c, &w);
	return !c->open && w.found;
}

bool causes_sources(struct causes *c, uint32_t read, uint32_t part,
		    const struct causes_frame *frame, struct causes_list *list)
{
	const struct event *e = &c->index->events[read];
	struct part p = event_part(e, part);
	struct causes_test test = {.value = p.value};
	struct causes_wanted w = {.read = read,
				  .thread = e->thread,
				  .variable = p.variable,
				  .test = &test,
				  .last = c->last,
				  .list = list};

	list->count = 0;
	list->full = false;
	c->followed.n = c->tests = 0;
	c->path = 1;
	vec_push(&c->followed, ((struct causes_followed){read, 0}));
	c->frame = frame;
	bool closed = find_sources(c, &w);

	c->frame = NULL;
	return closed && !list->full;
}

bool causes_of_read(struct causes *c, uint32_t read, uint32_t part,
		    const struct causes_frame *frame, const uint32_t **common)
{
	c->frame = frame;
	*common = causes_find_common(c, read, part, 0) ? c->meet : NULL;
	c->frame = NULL;
	return *common || c->open;
}

uint32_t causes_guarded(const struct causes *c, uint32_t event)
{
	return c->index->events[event].kind == EV_BRANCH ? only_read(c->index, event) : 0;
}

bool causes_of_guard(struct causes *c, uint32_t branch, const struct causes_frame *frame,
		     const uint32_t **common)
{
	uint32_t read = causes_guarded(c, branch);

	*common = NULL;
	if (!read)
		return true;
	c->frame = frame;
	*common = causes_find_common(c, read, 0, branch) ? c->meet : NULL;
	c->frame = NULL;
	return *common || c->open;
}
