/* SPDX-License-Identifier: MIT */
/*
 * Order that is kept for code without hooks (record/keep/kept.h): what the log says of it, in a
 * rehearsal, and what the trace says then.
 */
#include "record/write/parts.h"

#include <stdio.h>

static uint64_t key_of_variable(struct writer *w, const struct layout_object *p, uint64_t address)
{
	struct object found;

	if (p->object.id)
		return reach_key(&p->object);
	return reach_find_static(w, address, &found) ? reach_key(&found) : BY_ADDRESS | address;
}

/* The class of each variable of the layout. */
static void find_classes(struct writer *w)
{
	const struct layout *layout = w->layout;

	w->classes = mem_alloc((layout->variables.n + 1) * sizeof(*w->classes));
	for (size_t i = 0; i < layout->objects.n; i++) {
		const struct layout_object *p = &layout->objects.at[i];

		for (uint32_t x = p->variables; x < p->variables + p->variable_count; x++) {
			uint64_t address = layout->variables.at[x].address;

			w->classes[x] =
				!p->object.id && reach_is_hosts(w, address)
					? w->kept->host_class
					: kept_class_of(w->kept, key_of_variable(w, p, address));
		}
	}
}

/* The rehearsal */

#define RETURNS (1 | LOG_RETURNS) /* from a call that no model speaks of */

/* Of a thread that runs such code from its start. What it was given is not known, nor what it gets
 * from such code elsewhere. */
static bool is_start(const struct merged *r, const struct writer_thread *t)
{
	return !r->w[1] && !t->given.n && t->callee_kind != LOG_INLINE;
}

static void begin_stretch(struct writer *w, const struct merged *r, struct writer_thread *t)
{
	uint32_t site = LOG_SITE_OF(*r->w);
	struct kept_model says = {site & LOG_MODEL_HANDS, site & LOG_MODEL_RECEIVES};

	if (w->kept->host)
		reach_host(w, r->thread);
	if (!t->callee) {
		reach_get(w, r->thread, t->given.at, t->given.n);
		t->given.n = 0;
		if (site & RETURNS)
			kept_ends(w->kept, r->thread, true, false, w->time);
		if (site & LOG_MODEL_RUNS)
			kept_modelled_goes_on(w->kept, r->thread, says, w->time);
		else
			kept_goes_on(w->kept, r->thread, w->time);
		return;
	}
	if (t->callee_kind & LOG_MODEL_RUNS || is_start(r, t))
		reached_note_anything(&w->unseen->reached, w->time);
	if (t->callee_kind & LOG_MODEL_RUNS) {
		kept_modelled(w->kept, r->thread, t->callee, says, w->time);
		t->callee = 0;
		return;
	}
	if (t->callee_kind == LOG_INLINE)
		t->callee = KEPT_ITSELF;
	kept_call(w->kept, r->thread, w->time);
	reach_all(w, r->thread, t->given.at, t->given.n, kept_library(w->kept, t->callee)->globals);
	kept_begins(w->kept, r->thread, t->callee, w->time);
	t->callee = 0;
	t->given.n = 0;
}

#define POINTER_LEAST 65536u

/* What was allocated before a recording that began late is no object, so it may be any. */
static void note_given(struct writer *w, struct writer_thread *t, uint64_t given)
{
	struct object found;

	if (w->layout->has_past && given >= POINTER_LEAST && !(given >> LOG_ADDRESS_BITS) &&
	    !objects_find(w->objects, given, &found) && !reach_find_static(w, given, &found))
		given = LOG_GIVEN_ANY;
	vec_push(&t->given, given);
}

void kept_follow(struct writer *w, const struct merged *r)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	struct kept *k = w->kept;

	switch (LOG_KIND_OF(*r->w)) {
	case LOG_FORK: kept_fork(k, r->thread, (uint32_t)r->w[1], w->time); break;
	case LOG_JOIN: kept_join(k, r->thread, (uint32_t)r->w[1], w->time); break;
	case LOG_CALLEE:
		t->callee = r->w[1];
		t->callee_kind = LOG_SITE_OF(*r->w);
		break;
	case LOG_GIVEN: note_given(w, t, r->w[1]); break;
	case LOG_UNSEEN:
		if (!t->asleep) /* else nothing runs, and nothing could be said */
			begin_stretch(w, r, t);
		break;
	case LOG_SEEN:
		kept_ends(k, r->thread, LOG_SITE_OF(*r->w) & RETURNS, r->w[1], w->time);
		break;
	case LOG_END: /* before it: who joins the thread comes behind all that it comes behind */
		kept_ends(k, r->thread, false, true, w->time - 1);
		break;
	case LOG_ACQUIRE: kept_acquire(k, r->thread, r->w[1], false); break;
	case LOG_ACQUIRE_SHARED: kept_acquire(k, r->thread, r->w[1], true); break;
	case LOG_RELEASE:
	case LOG_RELEASE_SHARED: kept_release_lock(k, r->thread, r->w[1], w->time); break;
	case LOG_WAIT:
		t->asleep = true;
		kept_release_lock(k, r->thread, r->w[3], w->time);
		break;
	case LOG_WOKEN:
		t->asleep = false;
		kept_acquire(k, r->thread, r->w[3], false);
		break;
	case LOG_SEM_POST: kept_post(k, r->thread, r->w[1], w->time); break;
	case LOG_SEM_WAIT: kept_wait(k, r->thread, r->w[1], w->time); break;
	}
}

void kept_follow_parts(struct writer *w, uint32_t thread)
{
	if (!w->classes)
		find_classes(w);
	for (size_t i = 0; i < w->parts.n; i++)
		if (!i ||
		    w->classes[w->parts.at[i].variable] != w->classes[w->parts.at[i - 1].variable])
			kept_write(w->kept, thread, w->classes[w->parts.at[i].variable], w->time);
	for (size_t i = 0; i < w->parts.n; i++) {
		const struct layout_variable *v = &w->layout->variables.at[w->parts.at[i].variable];

		reach_touch_variable(w, v);
		if (v->size != 8)
			continue;
		reach_put(w, v->address, (uint64_t)w->parts.at[i].value);
		reach_put(w, v->address, (uint64_t)w->parts.at[i].written); /* of an rmw */
	}
}

void kept_follow_free(struct writer *w, uint32_t thread, const struct object *o)
{
	kept_write(w->kept, thread, kept_class_of(w->kept, reach_key(o)), w->time);
}

/* And when it counts */

static void put(struct writer *w, uint32_t thread, enum event_kind kind, uint32_t object,
		uint8_t order)
{
	struct event e = {.kind = (uint8_t)kind,
			  .order = order,
			  .thread = thread,
			  .object = object,
			  .location = writer_place_of_call(w, thread)};

	writer_put(w, e, NULL, true);
}

/* A thread that can write nothing now makes no promise, and nobody relies on it. */
static void put_from(struct writer *w, struct kept_order *o, uint32_t number, uint32_t thread)
{
	char name[32];

	if (writer_is_silent(w, thread))
		return;
	int length = snprintf(name, sizeof(name), SYMBOL_ORDER "%u", number);
	uint32_t symbol = symbols_add(w->symbols, CLASS_ONCE, name, (size_t)length);

	o->symbols[number] = symbol + 1;
	put(w, thread, EV_ONCE_BEGIN, symbol, 0);
	put(w, thread, EV_ONCE_END, symbol, 0);
}

static void put_to(struct writer *w, const struct kept_order *o, uint32_t number, uint32_t thread)
{
	if (o->symbols[number])
		put(w, thread, EV_ONCE_PASS, o->symbols[number] - 1, EVENT_TRIES);
}

/* One that waits on a condition passes when it is woken. */
static void put_later(struct writer *w, struct kept_order *o)
{
	size_t left = 0;

	for (size_t i = 0; i < o->waiting.n; i++) {
		const struct kept_due *d = &o->waiting.at[i];

		if (writer_thread(w, d->to.thread)->waits)
			o->waiting.at[left++] = *d;
		else if (!writer_is_silent(w, d->to.thread))
			put_to(w, o, d->number, d->to.thread);
	}
	o->waiting.n = left;
}

/* What such code does depends on what it reads. */
void kept_decide(struct writer *w, uint32_t thread)
{
	struct kept_order *o = w->order;

	while (o->next_deciding < o->deciding.n && o->deciding.at[o->next_deciding] < w->time)
		o->next_deciding++;
	if (o->next_deciding == o->deciding.n || o->deciding.at[o->next_deciding] != w->time)
		return;
	writer_begin(w, thread, true);
	writer_settle(w, thread, writer_place_of_call(w, thread));
}

void kept_put_due(struct writer *w)
{
	struct kept_order *o = w->order;

	for (; o->next_from < o->n && o->edges[o->next_from].from.time <= w->time; o->next_from++) {
		size_t i = o->next_from;

		if (!i || kept_compare(&o->edges[i - 1].from, &o->edges[i].from))
			put_from(w, o, ++o->begun, o->edges[i].from.thread);
	}
	if (o->waiting.n)
		put_later(w, o);
	for (; o->next_to < o->n && o->due[o->next_to].to.time <= w->time; o->next_to++) {
		const struct kept_due *d = &o->due[o->next_to];

		if (writer_thread(w, d->to.thread)->waits)
			vec_push(&o->waiting, *d);
		else if (!writer_is_silent(w, d->to.thread))
			put_to(w, o, d->number, d->to.thread);
	}
}
