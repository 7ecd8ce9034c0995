/* SPDX-License-Identifier: MIT */
/*
 * Order that is kept for code without hooks (record/keep/kept.h): what the log says of it, in a
 * rehearsal, and what the trace says then.
 */
#include "record/write/parts.h"

#include <stdio.h>

/* Objects, by key: those that are born and die by number, others by the address of their symbol */

#define BY_ADDRESS ((uint64_t)1 << 63)

static bool find_static(struct writer *w, uint64_t address, struct object *found)
{
	const struct data_symbol *s = modules_symbol(w->places->modules, address);

	if (!s)
		return false;
	*found = (struct object){.kind = OBJECT_STATIC, .address = s->address, .size = s->size};
	return true;
}

static bool find_object(struct writer *w, uint64_t address, struct object *found)
{
	/* most words are no addresses */
	if (address < 4096 || address >> (LOG_ADDRESS_BITS - 1))
		return false;
	return objects_find(w->objects, address, found) || find_static(w, address, found);
}

static uint64_t key_of(const struct object *o)
{
	return o->kind == OBJECT_STATIC ? BY_ADDRESS | o->address : o->id;
}

static uint64_t key_of_variable(struct writer *w, const struct layout_object *p, uint64_t address)
{
	struct object found;

	if (p->object.id)
		return key_of(&p->object);
	return find_static(w, address, &found) ? key_of(&found) : BY_ADDRESS | address;
}

/* The class of each variable of the layout. */
static void find_classes(struct writer *w)
{
	const struct layout *layout = w->layout;

	w->classes = mem_alloc((layout->variables.n + 1) * sizeof(*w->classes));
	for (size_t i = 0; i < layout->objects.n; i++) {
		const struct layout_object *p = &layout->objects.at[i];

		for (uint32_t x = p->variables; x < p->variables + p->variable_count; x++)
			w->classes[x] = kept_class_of(
				w->kept, key_of_variable(w, p, layout->variables.at[x].address));
	}
}

/* What can be reached from a pointer, as far as the log shows what memory holds. */

#define REACH_MOST ((uint64_t)1 << 20) /* granules that are looked at for one call */

struct reach {
	VEC(struct object) queue;
	VEC(uint64_t) seen; /* keys */
	uint64_t looked_at;
};

static void reach_object(struct writer *w, struct reach *r, uint32_t thread, uint64_t address,
			 bool argument)
{
	struct object found;

	if (!find_object(w, address, &found))
		return;
	uint64_t key = key_of(&found);

	for (size_t i = 0; i < r->seen.n; i++)
		if (r->seen.at[i] == key)
			return;
	vec_push(&r->seen, key);
	vec_push(&r->queue, found);
	kept_give(w->kept, thread, kept_class_of(w->kept, key), argument);
}

static bool look_at(struct writer *w, uint32_t what, const struct content *c, uint64_t address,
		    bool is_static, uint64_t *value)
{
	if (what < CELL_GRANULE && is_static && !c->written)
		return image_find(w->unseen->image, address, 8, value);
	if (what < CELL_GRANULE) {
		*value = c->value;
		return c->written == 0xff;
	}
	const struct layout_granule *g = &w->layout->granules.at[what - CELL_GRANULE];

	*value = w->values[g->first];
	return g->bytes == 0xff && !g->cuts;
}

/* The latest of some writes of one thread. */
struct written {
	uint32_t thread;
	uint64_t time;
};

static void tell_written(struct writer *w, uint32_t class, struct written *last)
{
	if (last->time)
		kept_wrote(w->kept, last->thread, class, last->time);
	last->time = 0;
}

static void note_written(struct writer *w, uint32_t class, struct written *last, uint32_t thread,
			 uint64_t time)
{
	if (last->thread != thread)
		tell_written(w, class, last);
	last->thread = thread;
	if (last->time < time)
		last->time = time;
}

/* Its writes that are not in the trace count as well, before and from now on. */
static void give_half(struct writer *w, struct content *c, unsigned half, uint32_t thread,
		      uint32_t class, struct written *last)
{
	/* of small objects that share it, a write is to either */
	if (c->given[half] && c->given[half] != class + 1)
		kept_unite(w->kept, c->given[half] - 1, class);
	c->given[half] = class + 1;
	if (last && HALF(c->written, half) && c->writer[half] != thread)
		note_written(w, class, last, c->writer[half], c->time[half]);
}

static bool is_read_only(struct writer *w, uint64_t address)
{
	struct module_constant found;

	return modules_constant(w->places->modules, address, &found);
}

static void reach_from(struct writer *w, struct reach *r, uint32_t thread, const struct object *o)
{
	uint64_t end = o->address + o->size, value;
	uint32_t class = kept_class_of(w->kept, key_of(o));
	struct written last = {0};

	for (uint64_t a = o->address & ~(uint64_t)7; a < end; a += 8) {
		if (r->looked_at++ > REACH_MOST)
			break;
		uint32_t what = *(const uint32_t *)pages_cell(&w->cells, a, true);
		struct content *c = pages_cell(&w->contents, a, true);
		uint8_t bytes = layout_bytes(a, o->address, o->size);

		for (unsigned half = 0; half < 2; half++)
			if (HALF(bytes, half))
				give_half(w, c, half, thread, class,
					  what < CELL_GRANULE ? &last : NULL);
		if (what >= CELL_CONSTANT && !is_read_only(w, a))
			kept_share(w->kept, class);
		if (bytes == 0xff && look_at(w, what, c, a, o->kind == OBJECT_STATIC, &value))
			reach_object(w, r, thread, value, false);
	}
	tell_written(w, class, &last);
}

static void find_globals(struct writer *w)
{
	size_t n;
	const struct data_symbol *all = modules_symbols(w->places->modules, &n);

	w->has_globals = true;
	for (size_t i = 0; i < n; i++)
		if (all[i].global && libraries_is_program(w->kept->libraries, all[i].address))
			vec_push(&w->globals, all[i].address);
}

static void reach_globals(struct writer *w, struct reach *r, uint32_t thread)
{
	if (!w->has_globals)
		find_globals(w);
	for (size_t i = 0; i < w->globals.n; i++)
		reach_object(w, r, thread, w->globals.at[i], false);
}

static void reach_all(struct writer *w, uint32_t thread, const uint64_t *pointers, size_t n,
		      bool globals)
{
	struct reach r = {0};

	if (globals)
		reach_globals(w, &r, thread);
	for (size_t i = 0; i < n; i++)
		if (pointers[i] == LOG_GIVEN_ANY)
			kept_give_anything(w->kept, thread);
		else
			reach_object(w, &r, thread, pointers[i], true);
	for (size_t i = 0; i < r.queue.n; i++) {
		struct object o = r.queue.at[i];

		reach_from(w, &r, thread, &o);
	}
	if (r.looked_at > REACH_MOST)
		kept_give_anything(w->kept, thread);
	vec_release(&r.queue);
	vec_release(&r.seen);
}

/* The rehearsal */

#define RETURNS (1 | LOG_RETURNS) /* from a call that no model speaks of */

static void begin_stretch(struct writer *w, const struct merged *r, struct writer_thread *t)
{
	uint32_t site = LOG_SITE_OF(*r->w);
	struct kept_model says = {site & LOG_MODEL_HANDS, site & LOG_MODEL_RECEIVES};

	if (!t->callee) {
		if (site & RETURNS)
			kept_ends(w->kept, r->thread, true, false, w->time);
		if (site & LOG_MODEL_RUNS)
			kept_modelled_goes_on(w->kept, r->thread, says, w->time);
		else
			kept_goes_on(w->kept, r->thread, w->time);
		return;
	}
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
	case LOG_GIVEN: vec_push(&t->given, r->w[1]); break;
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
}

void kept_follow_free(struct writer *w, uint32_t thread, const struct object *o)
{
	kept_write(w->kept, thread, kept_class_of(w->kept, key_of(o)), w->time);
}

/* And when it counts */

static uint32_t place_of_call(struct writer *w, uint32_t thread)
{
	uint64_t call = writer_thread(w, thread)->call;

	return call ? places_call(w->places, call) : 0;
}

static void put(struct writer *w, uint32_t thread, enum event_kind kind, uint32_t object,
		uint8_t order)
{
	struct event e = {.kind = (uint8_t)kind,
			  .order = order,
			  .thread = thread,
			  .object = object,
			  .location = place_of_call(w, thread)};

	writer_put(w, &e, NULL, true);
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

		if (sync_waits(w->sync, d->to.thread))
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
	writer_settle(w, thread);
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

		if (sync_waits(w->sync, d->to.thread))
			vec_push(&o->waiting, *d);
		else if (!writer_is_silent(w, d->to.thread))
			put_to(w, o, d->number, d->to.thread);
	}
}
