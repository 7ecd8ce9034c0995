/* SPDX-License-Identifier: MIT */
/* Why a thread that is stuck cannot go on, from how the run went (doc/model.md, Bugs). */
#include "report/story.h"

#include <stdio.h>
#include <string.h>

const char *const blocked_by_text[BLOCKED_COUNT] = {
#define BLOCKED_ROW(name, text) [name] = text,
	BLOCKED_BY(BLOCKED_ROW)
#undef BLOCKED_ROW
};

struct aftermath {
	const struct story *story;
	const struct index *index;
	const struct witness *witness;
	uint32_t *done; /* of each thread: so many of its events have happened */
};

static bool has_happened(const struct aftermath *a, uint32_t event)
{
	return a->index->position[event] < a->done[a->index->events[event].thread];
}

/* Which of the two happened first, or alone. */
static uint32_t first_of(const struct aftermath *a, uint32_t x, uint32_t y)
{
	const struct witness *w = a->witness;

	for (size_t i = 0; i < witness_length(w); i++)
		if (witness_event(w, i) == x || witness_event(w, i) == y)
			return (uint32_t)witness_event(w, i);
	return 0;
}

/* Where another thread took the lock that has it. */
static uint32_t find_holder(const struct aftermath *a, uint32_t lock, uint32_t thread, bool shared)
{
	const struct sections *s = a->story->sections;

	for (uint32_t i = s->first[lock]; i < s->first[lock + 1]; i++) {
		const struct section *section = &s->all.at[s->of_lock[i]];

		if (section->thread != thread && !(shared && section->shared) &&
		    has_happened(a, section->acquire) &&
		    !(section->release && has_happened(a, section->release)))
			return section->acquire;
	}
	return 0;
}

static uint32_t find_missing_party(const struct aftermath *a, uint32_t exit)
{
	const struct index_list *list =
		&a->index->uses[CLASS_BARRIER][a->index->events[exit].object];

	for (uint32_t i = 0; i < list->count; i++)
		if (a->index->events[list->events[i]].kind == EV_BARRIER_ENTER &&
		    a->index->round[list->events[i]] == a->index->round[exit] &&
		    !has_happened(a, list->events[i]))
			return list->events[i];
	return 0;
}

/* Who took the last one, if anybody did. */
static uint32_t find_taker(const struct aftermath *a, uint32_t semaphore)
{
	const struct witness *w = a->witness;

	for (size_t i = witness_length(w); i--;) {
		const struct event *e = &a->index->events[witness_event(w, i)];

		if (e->kind == EV_SEM_WAIT && e->object == semaphore)
			return (uint32_t)witness_event(w, i);
	}
	return 0;
}

static uint32_t find_begin(const struct aftermath *a, uint32_t once)
{
	const struct index_list *list = &a->index->uses[CLASS_ONCE][once];

	for (uint32_t i = 0; i < list->count; i++)
		if (a->index->events[list->events[i]].kind == EV_ONCE_BEGIN)
			return list->events[i];
	return 0;
}

static struct story_block block_of_woken(const struct aftermath *a, uint32_t event)
{
	const struct event *e = &a->index->events[event];
	uint32_t by = (uint32_t)e->more->by;
	uint32_t wait = a->index->threads[e->thread].events[a->index->position[event] - 1];

	if (by && !has_happened(a, by))
		return (struct story_block){event, BLOCKED_SIGNAL, by};
	if (by && first_of(a, by, wait) == by)
		return (struct story_block){event, BLOCKED_MISSED, by};
	return (struct story_block){event, BLOCKED_LOCK,
				    find_holder(a, e->more->lock, e->thread, false)};
}

static struct story_block block_of(const struct aftermath *a, uint32_t event)
{
	const struct event *e = &a->index->events[event];
	struct story_block b = {event, BLOCKED_LOCK, 0};

	switch (e->kind) {
	case EV_WOKEN: return block_of_woken(a, event);
	case EV_JOIN: b.by = BLOCKED_JOIN; break;
	case EV_BARRIER_EXIT:
		b.by = BLOCKED_BARRIER;
		b.other = find_missing_party(a, event);
		break;
	case EV_SEM_WAIT:
		b.by = BLOCKED_SEMAPHORE;
		b.other = find_taker(a, e->object);
		break;
	case EV_ONCE_PASS:
		b.by = BLOCKED_ONCE;
		b.other = find_begin(a, e->object);
		break;
	default: b.other = find_holder(a, e->object, e->thread, e->kind == EV_ACQUIRE_SHARED);
	}
	return b;
}

void story_blocks(const struct story *s, const struct finding *f, story_block_list *blocks)
{
	struct aftermath a = {s, s->index, &f->witness, NULL};
	event_numbers events = {0};

	a.done = mem_alloc_zero(s->index->thread_count, sizeof(*a.done));
	index_come_to(s->index, f->witness.recorded, f->witness.run.at, f->witness.run.n, a.done);
	story_events(s, f, &events);
	blocks->n = 0;
	for (size_t i = 0; i < events.n; i++)
		vec_push(blocks, block_of(&a, events.at[i]));
	vec_release(&events);
	mem_free(a.done);
}

const char *story_block_text(struct story *s, const struct story_block *b)
{
	const struct event *e = &s->index->events[b->event], *o = &s->index->events[b->other];
	const char *object = story_object(s, e), *thread = "", *place = "";
	const char *kind = event_kind_text[o->kind];

	if (e->kind == EV_WOKEN && b->by == BLOCKED_LOCK)
		object = symbols_name(s->symbols, CLASS_LOCK, e->more->lock);
	if (b->other) {
		thread = story_who(s, o->thread);
		place = story_line(s, b->other);
	}
	size_t size = strlen(object) + strlen(thread) + strlen(place) + 100;
	char *text = arena_alloc(&s->text, size);

	switch (b->by) {
	case BLOCKED_LOCK:
		snprintf(text, size, "%s was taken by thread %s at %s", object, thread, place);
		break;
	case BLOCKED_MISSED:
		snprintf(text, size, "the %s by thread %s at %s came before the wait", kind, thread,
			 place);
		break;
	case BLOCKED_SIGNAL:
		snprintf(text, size, "the %s by thread %s at %s does not come", kind, thread,
			 place);
		break;
	case BLOCKED_BARRIER:
		snprintf(text, size, "thread %s does not enter %s at %s", thread, object, place);
		break;
	case BLOCKED_SEMAPHORE:
		if (b->other)
			snprintf(text, size, "%s is 0, it was last decremented by thread %s at %s",
				 object, thread, place);
		else
			snprintf(text, size, "%s is 0", object);
		break;
	case BLOCKED_JOIN: snprintf(text, size, "thread %s does not end", object); break;
	case BLOCKED_ONCE:
		snprintf(text, size, "%s was begun by thread %s at %s and does not end", object,
			 thread, place);
		break;
	case BLOCKED_COUNT: BUG("no reason");
	}
	return text;
}
