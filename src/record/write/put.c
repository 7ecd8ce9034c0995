/* SPDX-License-Identifier: MIT */
/* Events: what they say of steps and dependences, and how they come to the sink. */
#include "record/write/parts.h"

int writer_flush(struct writer *w)
{
	struct batch batch = {
		.at = w->events.at, .n = w->events.n, .first = w->next_number - w->events.n};

	arm_give_up_all(w); /* what their branches say is written now */
	if (w->events.n && !w->code && w->sink)
		w->code = w->sink->ops->put(w->sink, &batch, &w->err);
	w->events.n = 0;
	arena_reset(&w->more);
	return w->code;
}

struct event_more *writer_more(struct writer *w)
{
	struct event_more *more = arena_alloc(&w->more, sizeof(*more));

	/* one by one: as values_clear */
	more->written = 0;
	more->expr = NULL;
	more->by = 0;
	more->lock = more->part_count = 0;
	more->parts = NULL;
	more->reads_given = more->opaque = false;
	more->scope = more->read_count = more->at_count = more->args_length = 0;
	more->reads = more->at = NULL;
	more->args = NULL;
	return more;
}

/* A branch that says nothing stands for a step that was dropped, and for those before it. */
static void put_filler(struct writer *w, uint32_t thread, uint64_t skipped)
{
	static const struct event_more nothing = {.reads_given = true};
	struct event e = {.kind = EV_BRANCH, .thread = thread, .skip = (uint16_t)skipped};

	writer_append(w, e, &nothing);
}

/* So that at most `most` steps are left to be told of: more than skip= can say, or any at all. */
static void put_fillers(struct writer *w, uint32_t thread, uint64_t most)
{
	struct writer_thread *t = writer_thread(w, thread);

	while (t->skipped > most) {
		uint64_t n = t->skipped < EVENT_SKIP_MOST + 1 ? t->skipped : EVENT_SKIP_MOST + 1;

		put_filler(w, thread, n - 1);
		t->skipped -= n;
	}
}

void writer_tell_steps(struct writer *w, uint32_t thread)
{
	struct writer_thread *t = writer_thread(w, thread);

	t->skipped += t->stands_for_step;
	t->stands_for_step = false;
	put_fillers(w, thread, 0);
}

void writer_begin_late(struct writer *w, uint32_t thread, uint64_t most)
{
	put_fillers(w, thread, most);
	if (writer_thread(w, thread)->unsure) { /* all that was read may be behind it */
		writer_thread(w, thread)->unsure = false;
		writer_settle(w, thread, writer_place_of_call(w, thread));
	}
}

uint32_t writer_place_of_call(struct writer *w, uint32_t thread)
{
	uint64_t call = writer_thread(w, thread)->call;

	return call ? places_call(w->places, call) : 0;
}

void writer_settle(struct writer *w, uint32_t thread, uint32_t location)
{
	struct event e = {.kind = EV_BRANCH, .thread = thread, .location = location};

	if (writer_thread(w, thread)->unsettled)
		writer_settled(w, thread, writer_put(w, e, NULL, true));
}

void writer_settled(struct writer *w, uint32_t thread, uint64_t event)
{
	struct writer_thread *t = writer_thread(w, thread);

	t->unsettled = false;
	t->settled = event;
}

static const uint64_t *copy_reads(struct writer *w, const struct read_set *set)
{
	return set->at.n ? arena_copy(&w->more, set->at.at, set->at.n * sizeof(*set->at.at)) : NULL;
}

struct event_more *writer_more_of(struct writer *w, const struct depend *d)
{
	if (d->reads.all && !d->expr && !d->at.at.n)
		return NULL;
	struct event_more *more = writer_more(w);

	more->expr = d->expr;
	more->opaque = d->opaque;
	if (!d->reads.all && !d->expr) {
		more->reads_given = true;
		more->reads = copy_reads(w, &d->reads);
		more->read_count = (uint32_t)d->reads.at.n;
	}
	if (d->at.at.n) {
		more->at = copy_reads(w, &d->at);
		more->at_count = (uint32_t)d->at.at.n;
	}
	return more;
}

void writer_put_guard(struct writer *w, uint32_t thread, const struct depend *d)
{
	writer_put(w, (struct event){.kind = EV_BRANCH, .thread = thread}, writer_more_of(w, d),
		   true);
}
