/* SPDX-License-Identifier: MIT */
/*
 * What code without hooks can reach: from what it was given, as far as the log shows what memory
 * holds (record/keep/kept.h, record/keep/reached.h).
 */
#include "record/write/parts.h"

/* Objects, by key: those that are born and die by number, others by the address of their symbol */

bool reach_find_static(struct writer *w, uint64_t address, struct object *found)
{
	const struct data_symbol *s = modules_symbol(w->places->modules, address);

	if (!s)
		return false;
	*found = (struct object){.kind = OBJECT_STATIC, .address = s->address, .size = s->size};
	return true;
}

/* Most words are no addresses. */
static bool may_be_address(uint64_t word)
{
	return word >= 4096 && !(word >> (LOG_ADDRESS_BITS - 1));
}

static bool find_object(struct writer *w, uint64_t address, struct object *found)
{
	if (!may_be_address(address))
		return false;
	return objects_find(w->objects, address, found) || reach_find_static(w, address, found);
}

uint64_t reach_key(const struct object *o)
{
	return o->kind == OBJECT_STATIC ? BY_ADDRESS | o->address : o->id;
}

/* From a call */

#define REACH_MOST ((uint64_t)1 << 20) /* granules that are looked at for one call */

struct reach {
	VEC(struct object) queue;
	VEC(uint64_t) seen; /* keys */
	uint64_t looked_at;
	struct module_constant read_only; /* the latest that was found */
};

static bool is_read_only(struct writer *w, struct reach *r, uint64_t address)
{
	return (address >= r->read_only.start && address < r->read_only.end) ||
	       modules_constant(w->places->modules, address, &r->read_only);
}

/* A table of virtual functions, for instance: nothing can be handed over in it, but what it points
 * to is given. */
static bool is_constant(struct writer *w, struct reach *r, const struct object *o)
{
	return o->kind == OBJECT_STATIC && is_read_only(w, r, o->address) &&
	       o->address + o->size <= r->read_only.end;
}

static void reach_object(struct writer *w, struct reach *r, uint32_t thread, uint64_t address,
			 bool argument)
{
	struct object found;

	if (!find_object(w, address, &found))
		return;
	uint64_t key = reach_key(&found);

	for (size_t i = 0; i < r->seen.n; i++)
		if (r->seen.at[i] == key)
			return;
	vec_push(&r->seen, key);
	vec_push(&r->queue, found);
	reached_note(&w->unseen->reached, key, thread, w->time);
	if (!is_constant(w, r, &found))
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

static struct walk *walk_of(struct writer *w, uint32_t class)
{
	vec_extend(&w->walks, (size_t) class + 1);
	return &w->walks.at[class];
}

/* Of small objects that share a half, a write is to either. */
static void share_half(struct writer *w, uint32_t class, uint32_t other)
{
	kept_unite(w->kept, other, class);
	walk_of(w, class)->mixed = walk_of(w, other)->mixed = true;
}

/* Its writes that are not in the trace count as well, before and from now on. */
static void give_half(struct writer *w, struct content *c, unsigned half, uint32_t thread,
		      uint32_t class, struct written *last)
{
	if (c->given[half] && c->given[half] != class + 1)
		share_half(w, class, c->given[half] - 1);
	c->given[half] = class + 1;
	if (last && HALF(c->written, half) && c->writer[half] != thread)
		note_written(w, class, last, c->writer[half], c->time[half]);
}

/* All of it; false: there is too much to look at. */
static bool look_through(struct writer *w, struct reach *r, uint32_t thread, const struct object *o,
			 uint32_t class)
{
	uint64_t end = o->address + o->size, value;
	bool shared = kept_is_shared(w->kept, class);
	struct written last = {0};
	uint64_t a = o->address & ~(uint64_t)7;
	const uint32_t *cell = NULL;
	struct content *c = NULL;

	for (; a < end && r->looked_at++ <= REACH_MOST; a += 8) {
		bool next = cell && a % ((uint64_t)1 << PAGE_SHIFT); /* on the same page */

		cell = next ? cell + 1 : pages_cell(&w->cells, a, true);
		c = next ? c + 1 : pages_cell(&w->contents, a, true);
		uint32_t what = *cell;
		bool whole = a >= o->address && end - a >= 8;
		uint8_t bytes = whole ? 0xff : layout_bytes(a, o->address, o->size);

		for (unsigned half = 0; half < 2; half++)
			if (HALF(bytes, half))
				give_half(w, c, half, thread, class,
					  what < CELL_GRANULE ? &last : NULL);
		if (what >= CELL_CONSTANT && !shared && !is_read_only(w, r, a)) {
			shared = true;
			kept_share(w->kept, class);
		}
		if (whole && look_at(w, what, c, a, o->kind == OBJECT_STATIC, &value) &&
		    may_be_address(value))
			vec_push(&walk_of(w, class)->words, value);
	}
	tell_written(w, class, &last);
	return a >= end;
}

/* What a call was given before is looked through again only if something there has changed. */
static void reach_from(struct writer *w, struct reach *r, uint32_t thread, const struct object *o)
{
	uint32_t class = kept_class_of(w->kept, reach_key(o));
	uint64_t granules = (o->size + (o->address & 7) + 7) / 8;
	struct walk *walk = walk_of(w, class);

	if (walk->same && !walk->mixed && walk->thread == thread &&
	    r->looked_at + granules <= REACH_MOST) {
		r->looked_at += granules;
	} else {
		walk->words.n = 0;
		bool all = look_through(w, r, thread, o, class);

		walk = walk_of(w, class);
		walk->same = all;
		walk->thread = thread;
	}
	for (size_t i = 0; i < w->walks.at[class].words.n; i++)
		reach_object(w, r, thread, w->walks.at[class].words.at[i], false);
}

void reach_touch(struct writer *w, const struct content *c, uint8_t bytes)
{
	for (unsigned half = 0; half < 2; half++)
		if (HALF(bytes, half) && c->given[half])
			w->walks.at[c->given[half] - 1].same = false;
}

void reach_touch_variable(struct writer *w, const struct layout_variable *v)
{
	const struct content *c = pages_cell(&w->contents, v->address, false);

	if (c)
		reach_touch(w, c, layout_bytes(v->address & ~(uint64_t)7, v->address, v->size));
}

void reach_write(struct writer *w, uint32_t thread, uint32_t class)
{
	struct walk *walk = &w->walks.at[class];

	walk->same = false;
	if (walk->wrote == w->time) /* by the same record */
		return;
	walk->wrote = w->time;
	kept_write(w->kept, thread, class, w->time);
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

static void give_anything(struct writer *w, uint32_t thread)
{
	kept_give_anything(w->kept, thread);
	reached_note_anything(&w->unseen->reached, w->time);
}

void reach_all(struct writer *w, uint32_t thread, const uint64_t *pointers, size_t n, bool globals)
{
	struct reach r = {0};

	if (globals)
		reach_globals(w, &r, thread);
	for (size_t i = 0; i < n; i++)
		if (pointers[i] == LOG_GIVEN_ANY)
			give_anything(w, thread);
		else
			reach_object(w, &r, thread, pointers[i], true);
	for (size_t i = 0; i < r.queue.n; i++) {
		struct object o = r.queue.at[i];

		reach_from(w, &r, thread, &o);
	}
	if (r.looked_at > REACH_MOST)
		give_anything(w, thread);
	vec_release(&r.queue);
	vec_release(&r.seen);
}

/* All that the program's modules export, a host may have asked the loader for. */
void reach_host(struct writer *w, uint32_t thread)
{
	if (!w->has_globals)
		reach_all(w, thread, NULL, 0, true);
	kept_host_takes(w->kept, thread);
}

/* A host has all that it was ever given, whichever call gave it: what it does next is no call. */
static void takes(struct writer *w, const struct object *o)
{
	if (w->kept->host)
		kept_unite(w->kept, w->kept->host_class, kept_class_of(w->kept, reach_key(o)));
}

/* Later on */

/* What such code gets is news: so is what that holds, as such code elsewhere has it. */
struct news {
	VEC(struct object) queue;
	uint64_t looked_at;
};

static void spread_from(struct writer *w, struct news *n, const struct object *o)
{
	uint64_t end = o->address + o->size, value;
	struct object found;

	for (uint64_t a = (o->address + 7) & ~(uint64_t)7; a + 8 <= end; a += 8) {
		if (n->looked_at++ > REACH_MOST)
			break;
		const uint32_t *cell = pages_cell(&w->cells, a, false);
		const struct content *c = pages_cell(&w->contents, a, false);
		static const struct content none;

		if (!cell && !c && o->kind != OBJECT_STATIC)
			continue;
		if (look_at(w, cell ? *cell : CELL_PRIVATE, c ? c : &none, a,
			    o->kind == OBJECT_STATIC, &value) &&
		    find_object(w, value, &found) &&
		    reached_note_as(&w->unseen->reached, reach_key(&found), reach_key(o),
				    w->time)) {
			takes(w, &found);
			vec_push(&n->queue, found);
		}
	}
}

static void spread(struct writer *w, const struct object *first)
{
	struct news n = {0};

	vec_push(&n.queue, *first);
	for (size_t i = 0; i < n.queue.n; i++) {
		struct object o = n.queue.at[i];

		spread_from(w, &n, &o);
	}
	if (n.looked_at > REACH_MOST)
		reached_note_anything(&w->unseen->reached, w->time);
	vec_release(&n.queue);
}

void reach_get(struct writer *w, uint32_t thread, const uint64_t *pointers, size_t n)
{
	struct object found;

	for (size_t i = 0; i < n; i++)
		if (find_object(w, pointers[i], &found) &&
		    reached_note(&w->unseen->reached, reach_key(&found), thread, w->time)) {
			takes(w, &found);
			spread(w, &found);
		}
}

void reach_made(struct writer *w, const struct object *o)
{
	reached_note(&w->unseen->reached, reach_key(o), o->thread, w->time);
	takes(w, o);
}

/* Nobody has given it to such code, as far as is known. */
void reach_changed(struct writer *w, uint64_t address)
{
	reach_get(w, REACHED_BY_ALL, &address, 1);
}

static bool is_program(struct writer *w, const struct object *o)
{
	struct is_program *known = keyed_slot(&w->programs, o->address);

	if (!known->key) {
		*known = (struct is_program){o->address,
					     libraries_is_program(w->kept->libraries, o->address)};
		w->programs.n++;
	}
	return known->program;
}

/* Memory of no known object may be such code's own, a local of its. */
void reach_put(struct writer *w, uint64_t address, uint64_t value)
{
	struct object found, at;

	if (!find_object(w, value, &found))
		return;
	uint64_t key = reach_key(&found);
	bool known =
		find_object(w, address, &at) && (at.kind != OBJECT_STATIC || is_program(w, &at));

	if (known ? reached_note_as(&w->unseen->reached, key, reach_key(&at), w->time)
		  : reached_note(&w->unseen->reached, key, REACHED_BY_ALL, w->time)) {
		takes(w, &found);
		spread(w, &found);
	}
}

/*
 * Of a host: what it has was there before the recording, or it has allocated it, or it was given
 * it. What lies on a thread's stack may be a local of its own.
 */
bool reach_is_hosts(struct writer *w, uint64_t address)
{
	struct object o;

	if (!w->kept || !w->kept->host)
		return false;
	if (!find_object(w, address, &o) || o.kind == OBJECT_THREAD)
		return true;
	if (o.kind == OBJECT_STATIC && !is_program(w, &o))
		return true;
	return reached_is(&w->unseen->reached, reach_key(&o));
}

/* When it counts */

/* Other processes may have mappings as well. */
enum reached_by reach_by(struct writer *w, uint32_t thread, uint64_t address)
{
	struct object o;

	if (!find_object(w, address, &o) || o.kind == OBJECT_MAP)
		return REACHED_BY_OTHERS;
	return w->unseen ? reached_by(&w->unseen->reached, reach_key(&o), thread, w->time)
			 : REACHED_BY_NOBODY;
}
