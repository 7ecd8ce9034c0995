/* SPDX-License-Identifier: MIT */
#include "record/write/parts.h"

#include "base/sorted.h"

#include <string.h>

static uint64_t beneath_key(uint32_t region, uint64_t granule)
{
	return (uint64_t)region << 45 ^ granule >> 3;
}

/* Cells */

static void clear_cell(void *context, uint64_t address, void *cell)
{
	const struct object *o = context;
	uint32_t *what = cell;

	/* of a granule with several objects, nothing is constant */
	if (layout_bytes(address, o->address, o->size) == 0xff || *what == CELL_CONSTANT)
		*what = CELL_PRIVATE;
}

/* Of an object. */
struct cleared {
	struct writer *w;
	const struct object *object;
};

static void clear_content(void *context, uint64_t address, void *cell)
{
	const struct cleared *cleared = context;
	const struct object *o = cleared->object;
	struct content *c = cell;
	uint8_t bytes = layout_bytes(address, o->address, o->size);

	reach_touch(cleared->w, c, bytes);
	c->written &= (uint8_t)~bytes;
	for (unsigned half = 0; half < 2; half++)
		if (HALF(bytes, half))
			c->given[half] = 0;
}

static void clear(struct writer *w, const struct object *o)
{
	pages_each(&w->cells, o->address, o->size, clear_cell, (void *)o);
	pages_each(&w->contents, o->address, o->size, clear_content, &(struct cleared){w, o});
}

static void install_granule(struct writer *w, size_t number)
{
	const struct layout_granule *g = &w->layout->granules.at[number];
	uint32_t *cell = pages_cell(&w->cells, g->address, true);

	if (*cell == number + CELL_GRANULE)
		return;
	w->siblings[number] = *cell >= CELL_GRANULE ? *cell - CELL_GRANULE + 1 : 0;
	*cell = (uint32_t)number + CELL_GRANULE;
}

static void remove_granule(struct writer *w, size_t number)
{
	uint32_t *cell = pages_cell(&w->cells, w->layout->granules.at[number].address, false);

	if (!cell || *cell < CELL_GRANULE)
		return;
	if (*cell == number + CELL_GRANULE) {
		*cell = w->siblings[number] ? w->siblings[number] - 1 + CELL_GRANULE : CELL_PRIVATE;
		return;
	}
	for (uint32_t g = *cell - CELL_GRANULE; w->siblings[g]; g = w->siblings[g] - 1)
		if (w->siblings[g] == number + 1) {
			w->siblings[g] = w->siblings[number];
			return;
		}
}

static void install_object(struct writer *w, const struct layout_object *p)
{
	for (size_t i = 0; i < p->run_count; i++) {
		const struct layout_run *run = &w->layout->runs.at[p->runs + i];

		for (uint64_t k = 0; k < run->count; k++) {
			uint32_t *cell = pages_cell(&w->cells, run->address + 8 * k, true);

			if (*cell == CELL_PRIVATE)
				*cell = CELL_CONSTANT;
		}
	}
	for (size_t i = 0; i < p->granule_count; i++)
		install_granule(w, p->granules + i);
}

static const struct layout_object *find_object(const struct writer *w, uint32_t id)
{
	const struct layout_object *all = w->layout->objects.at;
	size_t n = w->layout->objects.n;
	size_t at = LOWER_BOUND(i, (size_t)0, n, all[i].object.id < id);

	return at < n && all[at].object.id == id ? &all[at] : NULL;
}

/* Objects */

#define VARIABLES_AN_EVENT 512 /* a line of text has its limits */

/* alloc or free of all its variables. */
static void put_life(struct writer *w, enum event_kind kind, const struct layout_object *p,
		     uint32_t thread, uint32_t location)
{
	uint8_t record = writer_thread(w, thread)->kind;
	bool inserted = record != LOG_ALLOC && record != LOG_FREE; /* a slot, or of a thread */

	if (!p->variable_count || writer_is_silent(w, thread))
		return;
	writer_begin(w, thread, inserted);
	for (uint32_t done = 0; done < p->variable_count;) {
		uint32_t n = p->variable_count - done;
		struct event_more *more = writer_more(w);
		struct event e = {.kind = (uint8_t)kind,
				  .thread = thread,
				  .object = p->variables + done,
				  .location = location};

		n = n < VARIABLES_AN_EVENT ? n : VARIABLES_AN_EVENT;
		struct part *parts = arena_alloc(&w->more, n * sizeof(*parts));

		for (uint32_t i = 1; i < n; i++)
			parts[i - 1] = (struct part){.variable = p->variables + done + i};
		more->parts = parts;
		more->part_count = n - 1;
		writer_put(w, e, n > 1 ? more : NULL, inserted || done);
		done += n;
	}
}

static bool has_life(const struct object *o)
{
	return (o->kind == OBJECT_HEAP || o->kind == OBJECT_MAP || o->kind == OBJECT_STACK) &&
	       !object_is_hidden(o);
}

static void on_born(void *context, struct object *o)
{
	struct writer *w = context;
	const struct layout_object *p = NULL;

	o->note = writer_thread(w, o->thread)->era;
	if (w->kept && writer_thread(w, o->thread)->within)
		reach_made(w, o);

	while (w->next_object < w->layout->objects.n &&
	       w->layout->objects.at[w->next_object].object.id < o->id)
		w->next_object++;
	if (w->next_object < w->layout->objects.n &&
	    w->layout->objects.at[w->next_object].object.id == o->id)
		p = &w->layout->objects.at[w->next_object];
	clear(w, o);
	if (!p)
		return;
	install_object(w, p);
	for (uint32_t x = 0; w->unseen && x < p->variable_count; x++) {
		unseen_born(w->unseen, p->variables + x, w->time);
		if (object_is_hidden(o))
			unseen_accessed(w->unseen, p->variables + x, w->time);
	}
	if (p->variable_count && has_life(o))
		put_life(w, EV_ALLOC, p, o->thread,
			 o->kind == OBJECT_STACK ? places_site(w->places, o->site)
						 : places_call(w->places, o->pc));
}

/* What the region has where the block was. */
static void uncover(void *context, uint64_t address, void *cell)
{
	struct writer *w = context;
	uint32_t region = objects_region(w->objects, address);
	uint64_t found = counts_count(&w->beneath, beneath_key(region, address));

	(void)cell;
	if (found && w->layout->granules.at[found - 1].address == address)
		install_granule(w, found - 1);
}

static void on_dies(void *context, const struct object *o, const struct merged *why)
{
	struct writer *w = context;
	const struct layout_object *p = find_object(w, o->id);

	sync_forget(w->sync, o->address, o->size);
	if (w->kept && p && p->variable_count && why)
		kept_follow_free(w, why->thread, o);
	if (p && p->variable_count && why && has_life(o)) {
		bool stack = o->kind == OBJECT_STACK;

		put_life(w, EV_FREE, p, why->thread,
			 stack ? places_site(w->places, LOG_SITE_OF(*why->w))
			       : places_call(w->places, why->w[2]));
	}
	for (size_t i = 0; p && i < p->granule_count; i++)
		remove_granule(w, p->granules + i);
	clear(w, o);
	if (w->beneath.used && (o->kind == OBJECT_HEAP || o->kind == OBJECT_STACK))
		pages_each(&w->cells, o->address, o->size, uncover, w);
}

static const struct objects_calls calls = {on_born, on_dies};

static void note_beneath(struct writer *w, const struct layout_object *p)
{
	for (size_t i = 0; i < p->granule_count; i++) {
		const struct layout_granule *g = &w->layout->granules.at[p->granules + i];
		uint64_t key = beneath_key(p->object.id, g->address);

		if (!g->beneath || counts_count(&w->beneath, key))
			continue;
		counts_add(&w->beneath, key);
		w->beneath.slots[counts_find(&w->beneath, key)].count =
			(uint64_t)(p->granules + i) + 1;
	}
}

void memory_start(struct writer *w)
{
	pages_init(&w->cells, sizeof(uint32_t));
	pages_init(&w->contents, sizeof(struct content));
	origins_init(&w->origins);
	terms_init(&w->terms, &w->symbols->constants);
	counts_init(&w->beneath);
	w->siblings = mem_alloc_zero(w->layout->granules.n + 1, sizeof(*w->siblings));
	w->values = mem_alloc_zero(w->layout->variables.n + 1, sizeof(*w->values));
	for (size_t x = 0; x < w->layout->variables.n; x++)
		w->values[x] = (uint64_t)w->layout->variables.at[x].init;
	w->objects = objects_new(&calls, w);
	for (size_t i = 0; i < w->layout->objects.n; i++)
		note_beneath(w, &w->layout->objects.at[i]);
	if (w->layout->objects.n && !w->layout->objects.at[0].object.id) {
		install_object(w, &w->layout->objects.at[0]);
		w->next_object = 1;
	}
}

void memory_release(struct writer *w)
{
	pages_release(&w->cells);
	pages_release(&w->contents);
	origins_release(&w->origins);
	terms_release(&w->terms);
	vec_release(&w->pieces);
	vec_release(&w->depend.reads.at);
	vec_release(&w->depend.at.at);
	counts_release(&w->beneath);
	mem_free(w->siblings);
	mem_free(w->values);
	objects_free(w->objects);
}

/* Accesses */

struct span {
	uint64_t granule;
	unsigned offset, n; /* bytes of the granule */
	/* what was read or written there; what an rmw wrote: all in their places */
	uint64_t old, new;
};

/* The variables of one granule of the layout that lie in the span, which is `at` that byte of the
 * access; returns the bytes they cover. */
static unsigned add_pieces(struct writer *w, const struct layout_granule *g, const struct span *s,
			   unsigned at, struct access *a)
{
	uint32_t x = g->first;
	unsigned covered = 0;

	for (unsigned b = 0, size; b < s->offset + s->n; b += size) {
		size = layout_piece_size(g->cuts, b);
		if (!(g->bytes >> b & 1))
			continue;
		if (b >= s->offset && b + size <= s->offset + s->n) {
			struct part part = {
				.variable = x,
				.value = (int64_t)raw_low_bytes(s->old >> (8 * b), size),
				.written = (int64_t)raw_low_bytes(s->new >> (8 * b), size)};

			vec_push(&w->parts, part);
			a->kept_at = (uint8_t)(at + b - s->offset);
			a->kept_size = (uint8_t)size;
			covered += size;
		}
		x++;
	}
	return covered;
}

static uint64_t bytes_mask(unsigned offset, unsigned n)
{
	return (n < 8 ? ((uint64_t)1 << (8 * n)) - 1 : UINT64_MAX) << (8 * offset);
}

static uint8_t bytes_of(unsigned offset, unsigned n)
{
	return (uint8_t)(((1u << n) - 1) << offset);
}

/*
 * Whether nobody else can have written there since that era of the thread. Else `changed` is what
 * memory there depends on. What only code can reach that the thread itself has called has not
 * changed since it came back.
 */
static bool is_kept_since(struct writer *w, uint32_t thread, uint64_t address, uint32_t era,
			  struct value *changed)
{
	const struct writer_thread *t = writer_thread(w, thread);
	enum reached_by by = era == t->era ? REACHED_BY_NOBODY : reach_by(w, thread, address);

	*changed = by == REACHED_BY_ITSELF ? value_all(t->called_event) : depend_all(w, thread);
	return by == REACHED_BY_NOBODY || (by == REACHED_BY_ITSELF && era >= t->called);
}

static bool is_kept(struct writer *w, uint32_t thread, uint64_t address, uint32_t era)
{
	struct value changed;

	return is_kept_since(w, thread, address, era, &changed);
}

/* Private bytes that are read: what was written there, if nobody else can have been there since. */
static struct piece find_piece(struct writer *w, uint32_t thread, uint32_t number, uint64_t address)
{
	const struct origin *o = origins_get(&w->origins, number);
	struct piece piece;

	if (!o || o->thread != thread)
		return (struct piece){.value = depend_all(w, thread)};
	if (is_kept_since(w, thread, address, o->era, &piece.value))
		piece = (struct piece){.value = o->value,
				       .origin = number,
				       .size = o->size,
				       .from = (uint8_t)(address - o->base)};
	else
		piece = (struct piece){.value = piece.value};
	depend_settle(w, thread, &piece.value);
	return piece;
}

static bool goes_on(const struct piece *last, const struct piece *next)
{
	if (last->value.kind == VALUE_FIXED)
		return next->value.kind == VALUE_FIXED;
	if (last->value.kind == VALUE_ALL)
		return next->value.kind == VALUE_ALL && next->value.from == last->value.from;
	return last->origin == next->origin && last->from + last->n == next->from;
}

static void add_piece(struct writer *w, struct piece piece, unsigned at, unsigned n)
{
	struct piece *last = w->pieces.n ? &w->pieces.at[w->pieces.n - 1] : NULL;

	if (last && (unsigned)last->at + last->n == at && goes_on(last, &piece)) {
		last->n = (uint8_t)(last->n + n);
		return;
	}
	piece.at = (uint8_t)at;
	piece.n = (uint8_t)n;
	vec_push(&w->pieces, piece);
}

/* Bytes [first, end) of half a granule, which are those `at` that one on of the access. */
static void add_half(struct writer *w, uint32_t thread, uint64_t granule, uint32_t origin,
		     unsigned first, unsigned end, unsigned at)
{
	const struct origin *o = origins_get(&w->origins, origin);
	unsigned n = o && o->split ? 1 : end - first;

	for (; first < end; first += n, at += n) {
		uint32_t number = origins_of_byte(&w->origins, origin, first & 3);

		add_piece(w, find_piece(w, thread, number, granule + first), at, n);
	}
}

/* Whether memory shows what was last written there. */
static bool is_written(const struct content *c, const struct span *s, unsigned offset, unsigned n)
{
	return c && !(bytes_of(offset, n) & ~c->written) &&
	       !((c->value ^ s->old) & bytes_mask(offset, n));
}

/*
 * Bytes of a local that nobody wrote, read together with others that somebody did: what is between
 * the members of a struct. Code without hooks would have written all of it.
 */
static bool is_padding(struct writer *w, uint32_t thread, const struct content *c,
		       const struct span *s, unsigned offset, unsigned n)
{
	struct object found;

	return c && (c->written & bytes_of(s->offset, s->n)) &&
	       !(c->written & bytes_of(offset, n)) &&
	       objects_find(w->objects, s->granule + offset, &found) &&
	       found.kind == OBJECT_STACK && found.thread == thread &&
	       is_kept(w, thread, found.address, 0);
}

/* A block that was 0 when it was allocated: code without hooks has not run since. */
static bool is_zeroed(struct writer *w, uint32_t thread, const struct object *block)
{
	return block->zeroed && is_kept(w, block->thread, block->address, block->note) &&
	       (block->thread == thread || is_kept(w, thread, block->address, 0));
}

/* What the program had there when it began, or the thread, in memory of its own. */
static bool is_initial(struct writer *w, uint32_t thread, uint64_t address, uint64_t shown,
		       unsigned n)
{
	const struct lookups *l = w->lookups;
	uint64_t first, end = writer_thread(w, thread)->tls_end;

	if (modules_tls_hold(l->modules, end - address, &shown, n))
		return true;
	return image_find(l->image, address, n, &first)
		       ? first == shown
		       : modules_hold(l->modules, address, &shown, n);
}

/*
 * Whether memory shows what it had before anything was written there, and nobody can have written
 * there: nobody is seen to, and the thread has run no code without hooks.
 */
static bool is_first(struct writer *w, uint32_t thread, const struct content *c,
		     const struct span *s, unsigned offset, unsigned n)
{
	uint64_t address = s->granule + offset, shown = raw_low_bytes(s->old >> (8 * offset), n);
	struct object found;

	if (c && bytes_of(offset, n) & c->written)
		return false;
	if (objects_find(w->objects, address, &found) && found.pc)
		return !shown && is_zeroed(w, thread, &found);
	return is_kept(w, thread, address, 0) && is_initial(w, thread, address, shown, n);
}

static void add_unknown(struct writer *w, const struct content *c, const struct span *s,
			unsigned first, unsigned n, unsigned at, uint32_t thread)
{
	if (w->kept && c && c->written & bytes_of(first, n))
		reach_changed(w, s->granule + first);
	add_piece(w, (struct piece){.value = depend_all(w, thread)}, at, n);
}

/* A struct that is copied has bytes that nobody wrote: each is looked at by itself then. */
static void add_private(struct writer *w, const struct content *c, const struct span *s,
			unsigned at, uint32_t thread)
{
	unsigned end = s->offset + s->n, most = is_written(c, s, s->offset, s->n) ? 4 : 1;

	for (unsigned first = s->offset, n; first < end; first += n, at += n) {
		n = most - first % most;
		n = n < end - first ? n : end - first;
		if (is_written(c, s, first, n))
			add_half(w, thread, s->granule, c->origin[first / 4], first, first + n, at);
		else if (is_padding(w, thread, c, s, first, n) ||
			 is_first(w, thread, c, s, first, n))
			add_piece(w, (struct piece){.value = value_fixed(0)}, at, n);
		else
			add_unknown(w, c, s, first, n, at, thread);
	}
}

static void add_span(struct writer *w, const struct span *s, unsigned at, struct access *a)
{
	const uint32_t *cell = pages_cell(&w->cells, s->granule, false);
	uint32_t what = cell ? *cell : CELL_PRIVATE;
	unsigned covered = 0;

	if (what >= CELL_GRANULE)
		for (uint32_t g = what - CELL_GRANULE + 1; g; g = w->siblings[g - 1])
			covered += add_pieces(w, &w->layout->granules.at[g - 1], s, at, a);
	if (covered == s->n)
		return;
	a->complete = false;
	if (what == CELL_CONSTANT) {
		a->constant = true;
		if (a->copied)
			add_piece(w, (struct piece){.value = value_fixed(0)}, at, s->n);
	} else {
		a->private = true;
		if (a->reads)
			add_private(w, pages_cell(&w->contents, s->granule, false), s, at,
				    a->thread);
	}
}

void memory_parts(struct writer *w, const uint64_t *record, unsigned before, struct access *a)
{
	uint64_t address = raw_address(record);
	uint32_t size = raw_size(record);
	bool rmw = LOG_KIND_OF(*record) == LOG_RMW;

	for (unsigned done = 0, n; done < size; done += n) {
		unsigned offset = address & 7, left = size - done;
		struct span s = {.granule = address - offset, .offset = offset};

		s.n = n = left < 8 - offset ? left : 8 - offset;
		s.old = raw_bytes(record + 2, done, n) << (8 * offset);
		if (rmw)
			s.new = raw_bytes(record + 3, done, n) << (8 * offset);
		add_span(w, &s, before + done, a);
		address += n;
	}
}

/* Something that depends on all of the pieces, and on the event. */
static struct value depend_on_pieces(struct writer *w, uint64_t event)
{
	struct value v[2] = {0};

	if (event)
		v[0] = value_read(event, 0, false);
	for (size_t i = 0; i < w->pieces.n; i++) {
		v[1] = w->pieces.at[i].value;
		v[0] = terms_apply(&w->terms, NULL, v, 2);
	}
	v[0].exact = v[0].kind == VALUE_FIXED;
	return v[0];
}

/* The pieces put together, in 8 bytes, with what the event has read, which is one variable; false:
 * one of them has no expression. */
static bool join_pieces(struct writer *w, const struct access *a, uint64_t event, uint64_t recorded,
			struct value *v)
{
	uint64_t fixed = recorded;
	bool any = event;

	if (event) {
		struct value kept = value_read(event, (uint64_t)w->parts.at[0].value, true);

		*v = terms_part(&w->terms, kept, a->kept_size, 0, a->kept_size, a->kept_at);
		fixed &= ~bytes_mask(a->kept_at, a->kept_size);
	}
	for (size_t i = 0; i < w->pieces.n; i++) {
		const struct piece *p = &w->pieces.at[i];

		if (p->value.kind == VALUE_FIXED)
			continue;
		if (!p->value.exact || p->size > 8 || p->from + p->n > p->size)
			return false;
		struct value part = terms_part(&w->terms, p->value, p->size, p->from, p->n, p->at);

		*v = any ? terms_join(&w->terms, *v, part) : part;
		any = true;
		fixed &= ~bytes_mask(p->at, p->n);
	}
	if (fixed && any)
		*v = terms_join(&w->terms, *v, value_fixed(fixed));
	return any && v->exact && v->recorded == recorded;
}

void memory_value(struct writer *w, const struct access *a, uint64_t event, uint64_t recorded,
		  struct value *v)
{
	if (!event && w->pieces.n == 1 && w->pieces.at[0].value.kind == VALUE_FIXED) {
		*v = value_fixed(recorded);
		return;
	}
	if ((event && w->parts.n != 1) || a->size > 8 || !join_pieces(w, a, event, recorded, v))
		*v = depend_on_pieces(w, event);
	v->recorded = recorded;
	v->known = a->size <= 8;
	v->exact &= v->known;
}

struct value memory_content(struct writer *w, uint32_t thread, uint64_t granule,
			    const struct content *c, unsigned first, unsigned n, bool *known)
{
	struct span s = {.granule = granule, .offset = first, .n = n, .old = c->value};
	struct access a = {.size = n};
	struct value v;

	*known = !(bytes_of(first, n) & ~c->written);
	w->pieces.n = 0;
	add_private(w, c, &s, 0, thread);
	memory_value(w, &a, 0, raw_low_bytes(c->value >> (8 * first), n), &v);
	return v;
}

static void follow_half(struct writer *w, uint32_t thread, uint64_t address, struct content *c,
			unsigned half)
{
	c->writer[half] = thread;
	c->time[half] = w->time;
	if (c->given[half])
		reach_write(w, thread, c->given[half] - 1);
	else if (reach_is_hosts(w, address))
		kept_write(w->kept, thread, w->kept->host_class, w->time);
}

static void set_origin(struct writer *w, struct content *c, uint8_t bytes, uint32_t origin)
{
	for (unsigned half = 0; half < 2; half++)
		if (HALF(bytes, half))
			c->origin[half] = HALF(c->written & ~bytes, half)
						  ? origins_mix(&w->origins, c->origin[half],
								origin, HALF(bytes, half))
						  : origin;
}

static void write_content(struct writer *w, uint32_t thread, const struct span *s, uint32_t origin)
{
	struct content *c = pages_cell(&w->contents, s->granule, true);
	uint8_t bytes = bytes_of(s->offset, s->n);
	uint64_t mask = bytes_mask(s->offset, s->n);

	if (writer_thread(w, thread)->arms.open.n)
		arm_follow_write(w, thread, s->granule, c, bytes);
	set_origin(w, c, bytes, origin);
	c->written |= bytes;
	c->value = (c->value & ~mask) | (s->old & mask);
	for (unsigned half = 0; w->kept && half < 2; half++)
		if (HALF(bytes, half))
			follow_half(w, thread, s->granule + 4 * half, c, half);
	if (w->kept && c->written == 0xff)
		reach_put(w, s->granule, c->value);
}

/* Bytes [from, to) of the record. */
static void write_bytes(struct writer *w, uint32_t thread, const uint64_t *record, unsigned from,
			unsigned to, uint32_t origin)
{
	const uint64_t *bytes = record + (LOG_KIND_OF(*record) == LOG_RMW ? 3 : 2);

	for (unsigned done = from, n; done < to; done += n) {
		uint64_t address = raw_address(record) + done;
		unsigned offset = address & 7, left = to - done;
		struct span s = {.granule = address - offset, .offset = offset};

		s.n = n = left < 8 - offset ? left : 8 - offset;
		s.old = raw_bytes(bytes, done, n) << (8 * offset);
		write_content(w, thread, &s, origin);
	}
}

static uint32_t add_origin(struct writer *w, uint32_t thread, const struct value *value,
			   uint64_t base, unsigned size)
{
	struct origin origin = {.value = *value,
				.base = base,
				.thread = thread,
				.era = writer_thread(w, thread)->era,
				.size = (uint8_t)size};

	return origins_add(&w->origins, &origin);
}

void memory_set_origin(struct writer *w, uint32_t thread, uint64_t granule, unsigned first,
		       unsigned n, const struct value *value)
{
	set_origin(w, pages_cell(&w->contents, granule, true), bytes_of(first, n),
		   add_origin(w, thread, value, granule + first, n));
}

void memory_write_private(struct writer *w, const struct merged *r, const struct value *value)
{
	unsigned size = raw_size(r->w), rest = r->second ? raw_size(r->second) : 0;
	uint32_t origin = add_origin(w, r->thread, value, raw_address(r->w), size + rest);

	write_bytes(w, r->thread, r->w, 0, size, origin);
	if (r->second)
		write_bytes(w, r->thread, r->second, 0, rest, origin);
}

void memory_write_fixed(struct writer *w, uint32_t thread, const uint64_t *record)
{
	uint32_t size = raw_size(record);

	write_bytes(w, thread, record, 0, size,
		    add_origin(w, thread, &(struct value){0}, raw_address(record), size));
}

void memory_copy_private(struct writer *w, const struct merged *r, uint64_t from,
			 const struct value *value)
{
	uint64_t to = raw_address(r->w);
	unsigned size = raw_size(r->w);
	struct access a = {.thread = r->thread, .reads = true, .copied = true};
	/* as if the bytes had been read there: this finds the pieces */
	uint64_t read[2 + LOG_LINE / 8];

	read[0] = LOG_WORD(LOG_READ, 0, 0);
	read[1] = LOG_ACCESS(from, size, 0);
	memcpy(read + 2, r->w + 2, (size + 7) / 8 * 8);
	w->pieces.n = 0;
	memory_parts(w, read, 0, &a);
	write_bytes(w, r->thread, r->w, 0, size, add_origin(w, r->thread, value, to, size));
	for (size_t i = 0; i < w->pieces.n; i++) {
		const struct piece *p = &w->pieces.at[i];
		uint32_t origin =
			add_origin(w, r->thread, &p->value, to + p->at - p->from, p->size);

		write_bytes(w, r->thread, r->w, p->at, p->at + p->n, origin);
	}
}

/* Collecting */

static void each_content(struct writer *w, pages_visit *visit)
{
	pages_each(&w->contents, 0, UINT64_MAX, visit, w);
}

static void mark_content(void *context, uint64_t address, void *at)
{
	struct writer *w = context;
	struct content *c = at;

	(void)address;
	for (unsigned half = 0; half < 2; half++)
		if (HALF(c->written, half))
			origins_mark(&w->origins, c->origin[half]);
		else
			c->origin[half] = ORIGIN_UNKNOWN;
}

static void move_content(void *context, uint64_t address, void *at)
{
	struct writer *w = context;
	struct content *c = at;

	(void)address;
	for (unsigned half = 0; half < 2; half++)
		c->origin[half] = origins_moved(&w->origins, c->origin[half]);
}

static void collect_origins(struct writer *w)
{
	origins_collect_begin(&w->origins);
	each_content(w, mark_content);
	origins_collect_end(&w->origins);
	each_content(w, move_content);
}

typedef void on_value(struct terms *t, struct value *value);

static void each_value(struct writer *w, on_value *visit)
{
	struct value *value;

	for (size_t i = 0; i < w->origins.at.n; i++)
		visit(&w->terms, &w->origins.at.at[i].value);
	for (size_t i = 0; i < w->threads.n; i++)
		for (uint32_t next = 0; (value = window_each(&w->threads.at[i].values, &next));)
			visit(&w->terms, value);
	for (size_t i = 0; i < w->threads.n; i++)
		visit(&w->terms, &w->threads.at[i].owed);
}

static void mark_value(struct terms *t, struct value *value)
{
	terms_mark(t, value);
}

static void move_value(struct terms *t, struct value *value)
{
	terms_move(t, value);
}

static void forget_terms(struct writer_thread *t)
{
	memset(t->guarded, 0, sizeof(t->guarded));
	memset(t->latest_guarded, 0, sizeof(t->latest_guarded));
	memset(t->looked_up, 0, sizeof(t->looked_up));
}

static void collect_terms(struct writer *w)
{
	terms_collect_begin(&w->terms);
	each_value(w, mark_value);
	terms_collect_end(&w->terms, w->next_number);
	each_value(w, move_value);
	for (size_t i = 0; i < w->threads.n; i++) /* these have numbers of terms */
		forget_terms(&w->threads.at[i]);
}

void memory_collect(struct writer *w)
{
	bool terms = terms_are_many(&w->terms);

	arm_forget(w);
	if (terms || origins_are_many(&w->origins))
		collect_origins(w);
	if (terms)
		collect_terms(w);
}
