/* SPDX-License-Identifier: MIT */
/*
 * Who waits when the log ends. A thread whose last record is LOG_BLOCKED stands in a call that
 * waits for another one. A circle of such threads, each of which waits for what the next one holds,
 * or for its end, is a deadlock, whatever others still do: none of them can do anything ever again.
 * Without a circle it is known that they are stuck only if nobody moved any more
 * (record/run/hang.h).
 */
#include "record/write/seen.h"
#include "record/write/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NOBODY UINT32_MAX

/* What a blocked thread waits for. */
struct blocked {
	const struct writer_wait *wait; /* NULL: it is not blocked */
	uint32_t object;		/* number of its fact, UINT32_MAX: not known */
	sync_holders holders;		/* threads without which it cannot go on */
	bool told;
};

struct waits {
	struct writer *w;
	VEC(struct blocked) of; /* by thread */
};

static const struct {
	uint8_t log, event, class;
} kinds[] = {
	{LOG_ACQUIRE, EV_ACQUIRE, CLASS_LOCK},
	{LOG_ACQUIRE_SHARED, EV_ACQUIRE_SHARED, CLASS_LOCK},
	{LOG_WOKEN, EV_WOKEN, CLASS_CONDITION},
	{LOG_BARRIER_EXIT, EV_BARRIER_EXIT, CLASS_BARRIER},
	{LOG_SEM_WAIT, EV_SEM_WAIT, CLASS_SEMAPHORE},
	{LOG_ONCE_PASS, EV_ONCE_PASS, CLASS_ONCE},
	{LOG_JOIN, EV_JOIN, CLASS_THREAD},
	{LOG_BLOCKED, EV_COUNT, CLASS_LOCK},
};

static size_t row_of(uint64_t log)
{
	size_t i = 0;

	while (i < sizeof(kinds) / sizeof(*kinds) && kinds[i].log != log)
		i++;
	return i;
}

static void find_holders(const struct writer *w, struct blocked *b)
{
	uint64_t kind = b->wait->kind;
	sync_holders all = {0};

	if (kind == LOG_JOIN && b->wait->object < w->threads.n) {
		struct sync_holder joined = {.thread = (uint32_t)b->wait->object};

		vec_push(&b->holders, joined);
	}
	if (b->object != NOBODY &&
	    (kind == LOG_ACQUIRE || kind == LOG_ACQUIRE_SHARED || kind == LOG_ONCE_PASS))
		sync_held_by(w->sync, b->object, &all);
	for (size_t i = 0; i < all.n; i++)
		if (!all.at[i].shared || kind == LOG_ACQUIRE)
			vec_push(&b->holders, all.at[i]);
	vec_release(&all);
}

/* Its wait for the condition is over: the object is the mutex, which it takes again. */
static bool takes_again(const struct writer *w, const struct writer_thread *t)
{
	return t->kind == LOG_BLOCKED && t->wait.kind == LOG_WOKEN &&
	       sync_find(w->sync, t->wait.object, CLASS_CONDITION) == NOBODY;
}

/* A fact: the thread was woken by that event, or by none of them, and has not gone on. */
static void add_waker(struct writer *w, uint32_t t)
{
	struct writer_thread *thread = &w->threads.at[t];
	bool again = takes_again(w, thread), over = again && thread->wait.over;
	uint64_t by = sync_waits(w->sync, t) && !over ? sync_waker(w->sync, t) : 0;
	char text[400];

	if (again)
		thread->wait.kind = LOG_ACQUIRE;
	if (!by && !again)
		return;
	snprintf(text, sizeof(text), "%s %" PRIu64, symbols_name(w->symbols, CLASS_THREAD, t), by);
	symbols_add_meta(w->symbols, META_WOKEN, strlen(META_WOKEN), text, strlen(text));
}

static void find_waits(struct waits *waits, struct writer *w)
{
	*waits = (struct waits){.w = w};
	vec_extend(&waits->of, w->threads.n);
	for (uint32_t t = 0; t < w->threads.n; t++) {
		const struct writer_thread *thread = &w->threads.at[t];
		struct blocked *b = &waits->of.at[t];
		size_t row = row_of(thread->wait.kind);

		if (thread->kind != LOG_BLOCKED || thread->wait.limited || thread->ended ||
		    row == sizeof(kinds) / sizeof(*kinds))
			continue;
		b->wait = &thread->wait;
		b->object = sync_find(w->sync, thread->wait.object, kinds[row].class);
		if (kinds[row].log == LOG_JOIN || kinds[row].log == LOG_BLOCKED)
			b->object = NOBODY;
		find_holders(w, b);
	}
}

static void release_waits(struct waits *waits)
{
	for (size_t t = 0; t < waits->of.n; t++)
		vec_release(&waits->of.at[t].holders);
	vec_release(&waits->of);
}

/* Telling */

static const char *thread_name(const struct waits *waits, uint32_t thread)
{
	return symbols_name(waits->w->symbols, CLASS_THREAD, thread);
}

static void name_object(struct waits *waits, const struct blocked *b, char *name, size_t room)
{
	struct writer *w = waits->w;
	uint64_t address = b->wait->object;
	struct sync_fact fact = {.address = address,
				 .pc = b->wait->kind == LOG_BLOCKED ? 0 : b->wait->pc,
				 .class = kinds[row_of(b->wait->kind)].class};

	if (b->wait->kind == LOG_JOIN)
		snprintf(name, room, "%s",
			 address < w->threads.n ? thread_name(waits, (uint32_t)address) : "-");
	else if (b->object != NOBODY && b->object < w->sync_symbols.n &&
		 w->sync_symbols.at[b->object])
		snprintf(name, room, "%s",
			 symbols_name(w->symbols, names_sync_class(&w->facts->at.at[b->object]),
				      w->sync_symbols.at[b->object] - 1));
	else
		names_of_sync(w->places, b->object != NOBODY ? &w->facts->at.at[b->object] : &fact,
			      name, room);
}

/* Where it waits; then who holds that, `holder` or all; or the signal that it missed. */
static void tell_wait(struct waits *waits, struct seen_line *line, uint32_t thread, uint32_t holder)
{
	struct blocked *b = &waits->of.at[thread];
	struct places *p = waits->w->places;
	uint8_t event = kinds[row_of(b->wait->kind)].event;
	struct sync_holder signal;
	char name[1000];

	b->told = true;
	name_object(waits, b, name, sizeof(name));
	seen_step(line, thread_name(waits, thread),
		  event == EV_COUNT ? "futex-wait" : event_kind_text[event], name,
		  places_call(p, b->wait->pc));
	for (size_t i = 0; i < b->holders.n; i++) {
		const struct sync_holder *h = &b->holders.at[i];

		if (b->wait->kind == LOG_JOIN || (holder != NOBODY && h->thread != holder))
			continue;
		seen_step(line, thread_name(waits, h->thread), h->shared ? "holds-shared" : "holds",
			  name, places_call(p, h->pc));
	}
	if (b->wait->kind == LOG_WOKEN && b->object != NOBODY &&
	    sync_missed(waits->w->sync, b->object, &signal))
		seen_step(line, thread_name(waits, signal.thread), "signal", name,
			  places_call(p, signal.pc));
}

/* Circles */

/* The shortest way from the thread back to itself; before[t]: who waits for t on it. */
static bool find_circle(const struct waits *waits, uint32_t from, uint32_t *before)
{
	VEC(uint32_t) queue = {0};
	bool found = false;

	for (size_t t = 0; t < waits->of.n; t++)
		before[t] = NOBODY;
	vec_push(&queue, from);
	for (size_t i = 0; i < queue.n && !found; i++) {
		const struct blocked *b = &waits->of.at[queue.at[i]];

		for (size_t k = 0; k < b->holders.n && !found; k++) {
			uint32_t next = b->holders.at[k].thread;

			if (!waits->of.at[next].wait || before[next] != NOBODY)
				continue;
			before[next] = queue.at[i];
			found = next == from;
			vec_push(&queue, next);
		}
	}
	vec_release(&queue);
	return found;
}

static bool is_of_locks(const struct waits *waits, uint32_t from, const uint32_t *before)
{
	uint32_t t = from;

	do {
		uint64_t kind = waits->of.at[t].wait->kind;

		if (kind != LOG_ACQUIRE && kind != LOG_ACQUIRE_SHARED)
			return false;
		t = before[t];
	} while (t != from);
	return true;
}

static void tell_circle(struct waits *waits, uint32_t from, const uint32_t *before)
{
	VEC(uint32_t) circle = {0};
	struct seen_line line;

	for (uint32_t t = from; !circle.n || t != from; t = before[t])
		vec_push(&circle, t);
	seen_begin(&line, waits->w->places,
		   is_of_locks(waits, from, before) ? "deadlock" : "stuck");
	/* each waits for the one that is told next */
	tell_wait(waits, &line, from, circle.at[circle.n - 1]);
	for (size_t i = circle.n - 1; i > 0; i--)
		tell_wait(waits, &line, circle.at[i], circle.at[i - 1]);
	seen_end(&line);
	vec_release(&circle);
}

static bool tell_circles(struct waits *waits)
{
	uint32_t *before = mem_alloc((waits->of.n + 1) * sizeof(*before));
	bool any = false;

	for (uint32_t t = 0; t < waits->of.n; t++)
		if (waits->of.at[t].wait && !waits->of.at[t].told &&
		    find_circle(waits, t, before)) {
			tell_circle(waits, t, before);
			any = true;
		}
	mem_free(before);
	return any;
}

static void tell_all(struct waits *waits)
{
	struct seen_line line;
	bool any = false;

	seen_begin(&line, waits->w->places, "stuck");
	for (uint32_t t = 0; t < waits->of.n; t++) {
		if (!waits->of.at[t].wait)
			continue;
		any = true;
		tell_wait(waits, &line, t, NOBODY);
	}
	if (any)
		seen_end(&line);
}

/* Facts: THREAD OP OBJECT, for each that waited when the process ended. */
static void add_facts(struct waits *waits)
{
	char name[1000], text[1400];

	for (uint32_t t = 0; t < waits->of.n; t++) {
		const struct blocked *b = &waits->of.at[t];

		if (!b->wait)
			continue;
		uint8_t event = kinds[row_of(b->wait->kind)].event;

		name_object(waits, b, name, sizeof(name));
		snprintf(text, sizeof(text), "%s %s %s", thread_name(waits, t),
			 event == EV_COUNT ? "futex-wait" : event_kind_text[event],
			 *name ? name : "-");
		symbols_add_meta(waits->w->symbols, META_WAITS, strlen(META_WAITS), text,
				 strlen(text));
	}
}

void writer_note_broken_off(struct writer *w, uint64_t event)
{
	char text[32];

	if (writer_rehearses(w))
		return;
	int length = snprintf(text, sizeof(text), "%" PRIu64, event);

	symbols_add_meta(w->symbols, META_BROKEN_OFF, strlen(META_BROKEN_OFF), text,
			 (size_t)length);
}

void writer_add_waits(struct writer *w, bool hung, bool scheduled)
{
	struct waits waits;

	for (uint32_t t = 0; scheduled && t < w->threads.n; t++)
		add_waker(w, t);
	find_waits(&waits, w);
	add_facts(&waits);
	if (!tell_circles(&waits) && hung)
		tell_all(&waits);
	release_waits(&waits);
}
