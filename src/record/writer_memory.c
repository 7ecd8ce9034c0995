#include "record/writer_parts.h"

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
	if (plan_bytes(address, o->address, o->size) == 0xff || *what == CELL_CONSTANT)
		*what = CELL_PRIVATE;
}

static void clear_content(void *context, uint64_t address, void *cell)
{
	const struct object *o = context;
	struct content *c = cell;
	uint8_t bytes = plan_bytes(address, o->address, o->size);

	c->written &= (uint8_t)~bytes;
	for (unsigned half = 0; half < 2; half++)
		if (HALF(bytes, half))
			c->given[half] = 0;
}

static void clear(struct writer *w, const struct object *o)
{
	pages_each(&w->cells, o->address, o->size, clear_cell, (void *)o);
	pages_each(&w->contents, o->address, o->size, clear_content, (void *)o);
}

static void install_granule(struct writer *w, size_t number)
{
	const struct plan_granule *g = &w->plan->granules.at[number];
	uint32_t *cell = pages_cell(&w->cells, g->address, true);

	if (*cell == number + CELL_GRANULE)
		return;
	w->siblings[number] = *cell >= CELL_GRANULE ? *cell - CELL_GRANULE + 1 : 0;
	*cell = (uint32_t)number + CELL_GRANULE;
}

static void remove_granule(struct writer *w, size_t number)
{
	uint32_t *cell = pages_cell(&w->cells, w->plan->granules.at[number].address, false);

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

static void install_object(struct writer *w, const struct plan_object *p)
{
	for (size_t i = 0; i < p->run_count; i++) {
		const struct plan_run *run = &w->plan->runs.at[p->runs + i];

		for (uint64_t k = 0; k < run->count; k++) {
			uint32_t *cell = pages_cell(&w->cells, run->address + 8 * k, true);

			if (*cell == CELL_PRIVATE)
				*cell = CELL_CONSTANT;
		}
	}
	for (size_t i = 0; i < p->granule_count; i++)
		install_granule(w, p->granules + i);
}

static const struct plan_object *find_object(const struct writer *w, uint32_t id)
{
	size_t low = 0, high = w->plan->objects.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (w->plan->objects.at[middle].object.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < w->plan->objects.n && w->plan->objects.at[low].object.id == id)
		return &w->plan->objects.at[low];
	return NULL;
}

/* Objects */

#define VARIABLES_AN_EVENT 512 /* a line of text has its limits */

/* alloc or free of all its variables. */
static void put_life(struct writer *w, enum event_kind kind, const struct plan_object *p,
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
		writer_put(w, &e, n > 1 ? more : NULL, inserted || done);
		done += n;
	}
}

static bool has_life(const struct object *o)
{
	return (o->kind == OBJECT_HEAP || o->kind == OBJECT_MAP || o->kind == OBJECT_STACK) &&
	       !object_is_hidden(o);
}

static void on_born(void *context, const struct object *o)
{
	struct writer *w = context;
	const struct plan_object *p = NULL;

	while (w->next_object < w->plan->objects.n &&
	       w->plan->objects.at[w->next_object].object.id < o->id)
		w->next_object++;
	if (w->next_object < w->plan->objects.n &&
	    w->plan->objects.at[w->next_object].object.id == o->id)
		p = &w->plan->objects.at[w->next_object];
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
	uint64_t found = pending_count(&w->beneath, beneath_key(region, address));

	(void)cell;
	if (found && w->plan->granules.at[found - 1].address == address)
		install_granule(w, found - 1);
}

static void on_dies(void *context, const struct object *o, const struct merged *why)
{
	struct writer *w = context;
	const struct plan_object *p = find_object(w, o->id);

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

static void note_beneath(struct writer *w, const struct plan_object *p)
{
	for (size_t i = 0; i < p->granule_count; i++) {
		const struct plan_granule *g = &w->plan->granules.at[p->granules + i];
		uint64_t key = beneath_key(p->object.id, g->address);

		if (!g->beneath || pending_count(&w->beneath, key))
			continue;
		pending_add(&w->beneath, key);
		w->beneath.slots[pending_find(&w->beneath, key)].count =
			(uint64_t)(p->granules + i) + 1;
	}
}

void memory_start(struct writer *w)
{
	pages_init(&w->cells, sizeof(uint32_t));
	pages_init(&w->contents, sizeof(struct content));
	pending_init(&w->beneath);
	w->siblings = mem_alloc_zero(w->plan->granules.n + 1, sizeof(*w->siblings));
	w->values = mem_alloc_zero(w->plan->variables.n + 1, sizeof(*w->values));
	for (size_t x = 0; x < w->plan->variables.n; x++)
		w->values[x] = (uint64_t)w->plan->variables.at[x].init;
	w->objects = objects_new(&calls, w);
	for (size_t i = 0; i < w->plan->objects.n; i++)
		note_beneath(w, &w->plan->objects.at[i]);
	if (w->plan->objects.n && !w->plan->objects.at[0].object.id) {
		install_object(w, &w->plan->objects.at[0]);
		w->next_object = 1;
	}
}

void memory_release(struct writer *w)
{
	pages_release(&w->cells);
	pages_release(&w->contents);
	origins_release(&w->origins);
	pending_release(&w->beneath);
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

/* The variables of one granule of the plan that lie in the span; returns the bytes they cover. */
static unsigned add_pieces(struct writer *w, const struct plan_granule *g, const struct span *s)
{
	uint32_t x = g->first;
	unsigned covered = 0;

	for (unsigned b = 0, size; b < s->offset + s->n; b += size) {
		size = plan_piece_size(g->cuts, b);
		if (!(g->bytes >> b & 1))
			continue;
		if (b >= s->offset && b + size <= s->offset + s->n) {
			struct part part = {
				.variable = x,
				.value = (int64_t)raw_low_bytes(s->old >> (8 * b), size),
				.written = (int64_t)raw_low_bytes(s->new >> (8 * b), size)};

			vec_push(&w->parts, part);
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

static void add_origin(struct writer *w, struct access *a, uint32_t origin)
{
	if (!a->has_origin) {
		a->has_origin = true;
		a->origin = origin;
	} else if (a->origin != origin) {
		const struct origin_clock *now = &writer_thread(w, a->thread)->clock;
		struct read_set both;

		read_set_clear(&both);
		origins_gather(&w->origins, a->origin, now, &both);
		origins_gather(&w->origins, origin, now, &both);
		a->origin = origins_add(&w->origins, now, &both);
	}
}

/* If it shows what was last written there. */
static void add_origins(struct writer *w, const struct span *s, struct access *a)
{
	const struct content *c = pages_cell(&w->contents, s->granule, false);
	uint8_t bytes = bytes_of(s->offset, s->n);

	if (!c || bytes & ~c->written || (c->value ^ s->old) & bytes_mask(s->offset, s->n)) {
		add_origin(w, a, ORIGIN_UNKNOWN);
		return;
	}
	for (unsigned half = 0; half < 2; half++)
		if (HALF(bytes, half))
			add_origin(w, a, c->origin[half]);
}

static void add_span(struct writer *w, const struct span *s, struct access *a)
{
	const uint32_t *cell = pages_cell(&w->cells, s->granule, false);
	uint32_t what = cell ? *cell : CELL_PRIVATE;
	unsigned covered = 0;

	if (what >= CELL_GRANULE)
		for (uint32_t g = what - CELL_GRANULE + 1; g; g = w->siblings[g - 1])
			covered += add_pieces(w, &w->plan->granules.at[g - 1], s);
	if (covered == s->n)
		return;
	a->complete = false;
	if (what == CELL_CONSTANT) {
		a->constant = true;
	} else {
		a->private = true;
		if (a->reads)
			add_origins(w, s, a);
	}
}

void memory_parts(struct writer *w, const uint64_t *record, struct access *a)
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
		add_span(w, &s, a);
		address += n;
	}
}

/* A half that keeps some of its bytes is from where either was from. */
static uint32_t mixed_origin(struct writer *w, uint32_t thread, const struct content *c,
			     unsigned half, uint32_t origin)
{
	struct access both = {.thread = thread};

	add_origin(w, &both, c->origin[half]);
	add_origin(w, &both, origin);
	return both.origin;
}

static void follow_half(struct writer *w, uint32_t thread, struct content *c, unsigned half)
{
	c->writer[half] = thread;
	c->time[half] = w->time;
	if (c->given[half])
		kept_write(w->kept, thread, c->given[half] - 1, w->time);
}

static void write_content(struct writer *w, uint32_t thread, struct content *c,
			  const struct span *s, uint32_t origin)
{
	uint8_t bytes = bytes_of(s->offset, s->n);
	uint64_t mask = bytes_mask(s->offset, s->n);

	for (unsigned half = 0; half < 2; half++)
		if (HALF(bytes, half))
			c->origin[half] = HALF(c->written & ~bytes, half)
						  ? mixed_origin(w, thread, c, half, origin)
						  : origin;
	c->written |= bytes;
	c->value = (c->value & ~mask) | (s->old & mask);
	for (unsigned half = 0; w->kept && half < 2; half++)
		if (HALF(bytes, half))
			follow_half(w, thread, c, half);
}

void memory_write_private(struct writer *w, uint32_t thread, const uint64_t *record,
			  uint32_t origin)
{
	uint64_t address = raw_address(record);
	uint32_t size = raw_size(record);
	const uint64_t *bytes = record + (LOG_KIND_OF(*record) == LOG_RMW ? 3 : 2);

	for (unsigned done = 0, n; done < size; done += n) {
		unsigned offset = address & 7, left = size - done;
		struct span s = {.granule = address - offset, .offset = offset};

		s.n = n = left < 8 - offset ? left : 8 - offset;
		s.old = raw_bytes(bytes, done, n) << (8 * offset);
		write_content(w, thread, pages_cell(&w->contents, s.granule, true), &s, origin);
		address += n;
	}
}
