/* SPDX-License-Identifier: MIT */
/* Deadlocks: threads that wait in a cycle, each for a lock that the next one holds. */
#include "report/bug.h"
#include "report/json.h"

#include <stdio.h>
#include <string.h>

/* What the i-th acquire waits for. */
struct lock_wait {
	uint32_t event;
	uint32_t lock;
	uint32_t holder; /* the next acquire, whose thread holds the lock */
	uint32_t taken;	 /* where it took it */
	bool shared;	 /* as a reader */
};

/* The lock that an acquire, release, wait or woken is about. */
static uint32_t lock_of(const struct event *e)
{
	return e->kind == EV_WOKEN || e->kind == EV_WAIT ? e->more->lock : e->object;
}

static struct lock_wait wait_of(const struct story *s, const struct witness *w, size_t i)
{
	struct lock_wait wait = {
		.event = (uint32_t)w->bug_events.at[i],
		.holder = (uint32_t)w->bug_events.at[(i + 1) % w->bug_events.n],
	};
	const struct section *section;

	wait.lock = lock_of(&s->index->events[wait.event]);
	section = sections_around(s->sections, s->index->events[wait.holder].thread, wait.lock,
				  wait.holder);
	ASSERT(section);
	wait.taken = section->acquire;
	wait.shared = section->shared;
	return wait;
}

/* A deadlock is the set of its waits: where what is held was taken, and where it waits. */
static const char *part_of(struct story *s, const struct finding *f, size_t i)
{
	struct lock_wait wait = wait_of(s, &f->witness, i);
	const char *held = story_place(s, wait.taken).text;
	const char *wanted = story_place(s, wait.holder).text;
	size_t size = strlen(held) + strlen(wanted) + 2;
	char *text = arena_alloc(&s->text, size);

	snprintf(text, size, "%s\n%s", held, wanted);
	return text;
}

static const struct bug_form form = {
	"deadlock",
	{"norn/deadlock", "Deadlock", "Deadlock",
	 "Threads can wait in a cycle, each for a lock that the next one holds.",
	 "The code flow is an execution that ends in the deadlock. Take the locks "
	 "in the same order everywhere."},
};

/* Text */

static void put_subject(struct text *t, const struct finding *f)
{
	output_text(t->out, " of ");
	text_count(t->out, f->witness.bug_events.n, "thread");
}

static const char *lock_name(const struct text *t, uint32_t lock)
{
	return symbols_name(t->story.symbols, CLASS_LOCK, lock);
}

/* `b was taken by thread t2 at b.c:1 in second (event 5)` */
static void put_taken(struct text *t, const struct lock_wait *wait)
{
	const struct event *holder = &t->story.index->events[wait->holder];
	struct place place = story_place(&t->story, wait->taken);

	output_text(t->out, "    ");
	text_put(t->out, lock_name(t, wait->lock));
	output_text(t->out,
		    wait->shared ? " was taken (shared) by thread " : " was taken by thread ");
	text_put(t->out, story_who(&t->story, holder->thread));
	output_text(t->out, " at ");
	text_put(t->out, story_line(&t->story, wait->taken));
	if (place.function) {
		output_text(t->out, " in ");
		text_put(t->out, place.function);
	}
	if (place.file)
		output_format(t->out, " (event %u)", wait->taken);
	output_char(t->out, '\n');
	text_callers(t, wait->taken, "      ");
}

/* `thread t1 waits for m`; a reader says so. */
static void put_wait(struct text *t, const struct lock_wait *wait)
{
	const struct event *e = &t->story.index->events[wait->event];

	text_put(t->out, story_who(&t->story, e->thread));
	output_text(t->out, " waits for ");
	text_put(t->out, lock_name(t, wait->lock));
	output_text(t->out, e->kind == EV_ACQUIRE_SHARED ? " (shared)" : "");
}

static void put_side(struct text *t, const struct lock_wait *wait)
{
	output_text(t->out, "  ");
	text_colour(t, "1;34");
	output_text(t->out, "Thread ");
	put_wait(t, wait);
	output_text(t->out, ", which thread ");
	text_put(t->out, story_who(&t->story, t->story.index->events[wait->holder].thread));
	output_text(t->out, " holds:");
	text_colour(t, "0");
	output_char(t->out, '\n');
	text_frame(t, wait->event);
	put_taken(t, wait);
	text_held(t, wait->event);
}

/* Each waits for what the thread of the one behind it holds. */
static void put_block(struct text *t, const struct finding *f)
{
	const struct witness *w = &f->witness;
	size_t n = w->bug_events.n;

	for (size_t i = 0; i < n; i++) {
		struct lock_wait wait = wait_of(&t->story, w, i);

		output_text(t->out, i ? "\n" : "");
		put_side(t, &wait);
	}
	for (size_t i = 0; i < n; i++)
		text_creation(t, t->story.index->events[w->bug_events.at[i]].thread);
	text_witness(t, w, "each of them waits for the next");
	for (size_t i = 0; i < n; i++) {
		struct lock_wait wait = wait_of(&t->story, w, i);

		output_text(t->out, "  next: thread ");
		put_wait(t, &wait);
		output_text(t->out, " at ");
		text_put(t->out, story_line(&t->story, wait.event));
		output_char(t->out, '\n');
	}
}

/* JSON */

/* Who waits for what, and where the other one took it. */
static void put_waits(struct story *s, struct json *json, const struct finding *f)
{
	const struct witness *w = &f->witness;

	json_open(json, "waits", '[');
	for (size_t i = 0; i < w->bug_events.n; i++) {
		struct lock_wait wait = wait_of(s, w, i);

		json_open(json, NULL, '{');
		json_u64(json, "event", wait.event);
		json_string(json, "lock", symbols_name(s->symbols, CLASS_LOCK, wait.lock));
		story_put_thread(s, json, "held_by", s->index->events[wait.holder].thread);
		json_bool(json, "shared", wait.shared);
		json_u64(json, "taken", wait.taken);
		story_put_place(s, json, "location", wait.taken);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* SARIF */

/* "thread t1 waits for p, which thread t2 holds, at a.c:2" */
static void append_wait(struct sarif *s, characters *text, const struct witness *w, size_t i)
{
	const struct event *events = s->story.index->events;
	struct lock_wait wait = wait_of(&s->story, w, i);

	sarif_append(text, "thread ");
	sarif_append(text, story_who(&s->story, events[wait.event].thread));
	sarif_append(text, " waits for ");
	sarif_append(text, symbols_name(s->story.symbols, CLASS_LOCK, wait.lock));
	sarif_append(text, ", which thread ");
	sarif_append(text, story_who(&s->story, events[wait.holder].thread));
	sarif_append(text, " holds, at ");
	sarif_append(text, story_line(&s->story, wait.event));
}

static void append(struct sarif *s, const struct finding *f, const event_numbers *events,
		   characters *text)
{
	for (size_t i = 0; i < events->n; i++) {
		sarif_append(text, i ? "; " : ": ");
		append_wait(s, text, &f->witness, i);
	}
}

const struct bug_report bug_report_deadlock = {
	.forms = &form,
	.form_count = 1,
	.part = part_of,
	.places_once = true,
	.put_subject = put_subject,
	.put_block = put_block,
	.seen = "the recorded run ended in a deadlock at these places.",
	.put_behind = put_waits,
	.append = append,
};
