/* SPDX-License-Identifier: MIT */
#include "record/keep/parts.h"

#include <stdlib.h>
#include <string.h>

/* Accesses */

/*
 * The thread comes to half a granule that it, or another one, had before. A read has to come behind
 * the last write, and a write behind that and all reads since: by what handed.h knows.
 */
static void take_over(struct survey *s, struct granule *g, unsigned half, uint16_t thread,
		      bool writes)
{
	struct handed *h = s->handed;
	uint32_t number = thread - 1u, now = handed_time(h, number);
	bool behind = g->thread[half] == thread ||
		      handed_before(h, g->thread[half] - 1u, g->time[half] & HANDED_TIMES, number);

	if (g->thread[half] != thread)
		g->flags |= (uint8_t)(HANDED << half);
	if (thread == SHARED) {
		g->thread[half] = SHARED;
	} else if (writes) {
		behind &= handed_readers_before(h, g->readers[half], number);
		g->thread[half] = behind ? thread : SHARED;
		g->time[half] = (g->time[half] & ~HANDED_TIMES) | now;
		g->readers[half] = 0;
	} else if (!granule_is_of(g, half, thread, now)) {
		uint32_t readers = behind || !(g->written & granule_half(half))
					   ? handed_add_reader(h, g->readers[half], number)
					   : HANDED_NOBODY;

		if (readers == HANDED_NOBODY)
			g->thread[half] = SHARED;
		else
			g->readers[half] = readers;
	}
}

static void touch(struct survey *s, struct granule *g, uint8_t bytes, uint32_t site,
		  uint16_t thread, bool writes)
{
	unsigned first = (unsigned)__builtin_ctz(bytes);
	uint32_t where = site | first << 24;

	for (unsigned half = 0; half < 2; half++) {
		if (!(bytes & granule_half(half)))
			continue;
		if (!g->thread[half]) {
			g->thread[half] = thread;
			g->time[half] |= handed_time(s->handed, thread - 1u);
		} else if (g->thread[half] != SHARED) {
			take_over(s, g, half, thread, writes);
		}
		if (!g->site[half] && site && first / 4 == half)
			g->site[half] = where;
	}
}

static void note_write(struct survey *s, struct granule *g, uint8_t bytes, uint64_t value)
{
	uint64_t mask = granule_mask(bytes & ~g->read);

	g->written |= bytes;
	if (!s->early || bytes & g->read)
		g->flags |= LATE;
	g->value = (g->value & ~mask) | (value & mask);
}

/* Who reads what is not certain is not, either; and what it writes. */
static void follow_certainty(struct survey *s, struct granule *g, uint32_t thread, uint64_t granule,
			     uint8_t bytes, uint8_t kind)
{
	if (thread >= s->handed->threads)
		return;
	bool *uncertain = &s->handed->uncertain[thread];

	if (kind != LOG_WRITE)
		for (unsigned half = 0; half < 2; half++)
			if (bytes & granule_half(half) && g->time[half] & UNCERTAIN)
				*uncertain = true;
	if (kind != LOG_WRITE && handed_is_shared(s->handed, granule))
		*uncertain = true;
	for (unsigned half = 0; kind != LOG_READ && *uncertain && half < 2; half++)
		if (bytes & granule_half(half))
			g->time[half] |= UNCERTAIN;
}

static uint16_t thread_of(const struct merged *r)
{
	return r->thread + 1 < SHARED ? (uint16_t)(r->thread + 1) : SHARED;
}

static void note_unsure(struct survey *s, struct granule *g, uint32_t thread, uint64_t granule,
			uint8_t bytes, uint8_t kind, uint64_t value, uint64_t written)
{
	struct unsure_access a = {.granule = granule,
				  .bytes = bytes,
				  .reads = kind != LOG_WRITE,
				  .value = value,
				  .written = written};

	enum unsure_writer writer = unsure_access(&s->unsure, thread, &a);

	if (writer == UNSURE_OTHERS)
		g->flags |= UNSURE;
	else if (writer == UNSURE_ITSELF)
		g->flags |= CHANGED;
}

static void follow_access(struct survey *s, const struct merged *r, const uint64_t *w)
{
	uint8_t kind = LOG_KIND_OF(*w);
	uint64_t address = raw_address(w);
	uint32_t size = raw_size(w), site = raw_is_loose(w) ? 0 : LOG_SITE_OF(*w);
	uint16_t thread = thread_of(r);

	for (unsigned done = 0, n; done < size; done += n) {
		unsigned offset = address & 7, left = size - done;

		n = left < 8 - offset ? left : 8 - offset;
		uint8_t bytes = (uint8_t)(((1u << n) - 1) << offset);
		size_t pages = s->pages.used;
		struct granule *g = pages_cell(&s->pages, address, true);

		if (__builtin_expect(s->pages.used != pages, 0))
			survey_open_page(s, address);
		if (__builtin_expect(g->flags & FREED, 0))
			survey_note_dangling(s, r, g, address, LOG_SITE_OF(*w),
					     r->thread < s->pcs.n ? s->pcs.at[r->thread] : 0);
		touch(s, g, bytes, site, thread, kind != LOG_READ);
		g->cuts |= (uint8_t)((1u << offset | 1u << (offset + n)) & 0xfe);
		uint64_t value = raw_bytes(w + 2, done, n) << (8 * offset);
		uint64_t written =
			kind == LOG_RMW ? raw_bytes(w + 3, done, n) << (8 * offset) : value;

		s->handed->all++;
		s->handed->accesses += granule_may_be_handed(g);
		if (kind != LOG_WRITE) {
			granule_hold(g, bytes, value);
			granule_read(g, bytes, value);
		}
		if (kind != LOG_READ)
			note_write(s, g, bytes, written);
		if (s->marked)
			note_unsure(s, g, r->thread, address - offset, bytes, kind, value, written);
		if (s->handed->second)
			follow_certainty(s, g, r->thread, address - offset, bytes, kind);
		address += n;
		site = 0; /* it names what it starts at */
	}
}

/* Closing: what was known of an object becomes part of the layout, or is forgotten */

static bool half_is_over(const struct survey *s, const struct granule *g, unsigned half)
{
	if (g->thread[half] == SHARED || g->time[half] & UNFIT)
		return false;
	return (g->thread[half] == s->ended_by ||
		handed_before(s->handed, g->thread[half] - 1u, g->time[half] & HANDED_TIMES,
			      s->ended_by - 1u)) &&
	       handed_readers_before(s->handed, g->readers[half], s->ended_by - 1u);
}

/* Whether who gives the closed object back comes behind all accesses to these bytes, in every
 * feasible execution. */
static bool is_over(const struct survey *s, const struct granule *g, uint8_t bytes)
{
	for (unsigned half = 0; !s->ended_alone && half < 2; half++)
		if (bytes & granule_half(half) && !half_is_over(s, g, half))
			return false;
	return true;
}

/* `ended`: somebody gives it back, and others may be using it. */
static bool is_kept(const struct survey *s, const struct granule *g, uint8_t bytes, bool ended)
{
	if (s->keep_all || g->flags & (UNSURE | DANGLED))
		return bytes & (g->read | g->written);
	/* a free is a write of the whole object */
	if (granule_is_constant(g) && !ended)
		return false;
	for (unsigned half = 0; half < 2; half++) {
		uint8_t those = bytes & granule_half(half);
		bool changes = g->flags & CHANGED || ended;

		if ((g->thread[half] == SHARED || g->flags & HANDED << half) &&
		    ((those & g->written) || (those & g->read && changes)))
			return true;
	}
	return false;
}

/*
 * Whether these bytes are only kept because they were handed over, and each read showed what was
 * written: then reads of them are certain if who wrote them was.
 */
static bool is_handed(const struct survey *s, const struct granule *g, uint8_t bytes)
{
	bool fit = !s->keep_all && !s->marked && !(g->read & bytes) &&
		   !(g->flags & (CHANGED | BENEATH | UNSURE | DANGLED));

	for (unsigned half = 0; half < 2; half++)
		fit &= !(bytes & granule_half(half)) ||
		       (g->thread[half] != SHARED && !(g->time[half] & UNFIT));
	return fit;
}

/* Memory that was there before the recording: of modules, and if the program ran before that, any.
 */
static bool is_old(const struct survey *s)
{
	const struct object *o = s->closing;

	return !o->id || (s->layout->has_past && o->kind == OBJECT_THREAD);
}

static void keep_variable(struct survey *s, const struct granule *g, uint64_t address, unsigned b,
			  unsigned size)
{
	uint8_t bytes = (uint8_t)(((1u << size) - 1) << b);
	uint32_t site = g->site[b / 4];
	struct layout_variable v = {.address = address + b, .size = (uint8_t)size};

	if (site >> 24 == b)
		v.site = site & 0xffffff;
	uint64_t known = g->value & granule_mask(g->read & bytes);

	if (g->read & bytes) {
		v.init = (int64_t)(known >> (8 * b));
		v.has_init = true;
	} else if (is_old(s) && image_find(s->image, v.address, size, &known) && known) {
		v.init = (int64_t)known;
		v.has_init = true;
	}
	v.benign = spans_meet(&s->benign, v.address, size);
	vec_push(&s->layout->variables, v);
}

static void keep_granule(struct survey *s, const struct granule *g, uint64_t address, uint8_t bytes,
			 bool handed)
{
	uint8_t touched = (g->read | g->written) & bytes;
	struct layout_granule kept = {.address = address,
				      .first = (uint32_t)s->layout->variables.n,
				      .cuts = g->cuts,
				      .beneath = g->flags & BENEATH,
				      .handed = handed};

	for (unsigned b = 0, size; b < 8; b += size) {
		size = layout_piece_size(g->cuts, b);
		if (!(touched >> b & ((1u << size) - 1)))
			continue;
		keep_variable(s, g, address, b, size);
		kept.bytes |= (uint8_t)(((1u << size) - 1) << b);
	}
	vec_push(&s->layout->granules, kept);
}

static void note_constant(struct survey *s, uint64_t address)
{
	struct layout_run *last = s->layout->runs.n > s->closed.runs
					  ? &s->layout->runs.at[s->layout->runs.n - 1]
					  : NULL;

	if (last && last->address + 8 * last->count == address) {
		last->count++;
	} else {
		struct layout_run run = {address, 1};

		vec_push(&s->layout->runs, run);
	}
}

#define MAPPED_FROM (128u << 10)

/*
 * malloc maps large blocks by themselves, a page and a header before them, and unmaps them when
 * they are freed. Who uses such a block then gets a signal; or something else has been mapped
 * there, of which there may be no record.
 */
static bool may_be_unmapped(const struct object *o)
{
	return o->size >= MAPPED_FROM && ((o->address & 0xfff) == 0x10 || !(o->address & 0xff));
}

/*
 * What is read on a stack and was never written was written without a hook: the arguments of a
 * variadic function, which came from anywhere.
 */
static bool is_all_seen(const struct object *o, const struct granule *g, uint8_t touched)
{
	return (o->kind != OBJECT_THREAD && o->kind != OBJECT_STACK) || !(touched & ~g->written);
}

static void close_granule(void *context, uint64_t address, void *cell)
{
	struct survey *s = context;
	struct granule *g = cell;
	uint8_t bytes = layout_bytes(address, s->closing->address, s->closing->size);
	uint8_t touched = (g->read | g->written) & bytes;
	bool heap = s->closing->kind == OBJECT_HEAP && !may_be_unmapped(s->closing);

	if (bytes != 0xff) { /* the rest is another object's */
		g->cuts |= (uint8_t)((bytes ^ bytes << 1) & 0xfe);
		heap = false;
	}
	bool ended = touched && s->ended_by && !is_over(s, g, touched);

	if (ended)
		touch(s, g, touched, 0, s->ended_by, true);
	bool kept = touched && is_kept(s, g, bytes, ended), handed = kept && is_handed(s, g, bytes);

	if (kept && !handed && !s->handed->second)
		handed_note_shared(s->handed, address);
	/* of several objects in a granule none is constant */
	if (handed && bytes == 0xff && s->handed->second &&
	    !((g->time[0] | g->time[1]) & UNCERTAIN))
		note_constant(s, address);
	else if (kept)
		keep_granule(s, g, address, bytes, handed && bytes == 0xff);
	else if (touched && bytes == 0xff && granule_is_constant(g) &&
		 is_all_seen(s->closing, g, touched))
		note_constant(s, address);
	g->read &= (uint8_t)~bytes;
	g->written &= (uint8_t)~bytes;
	g->value &= ~granule_mask(bytes);
	if (!g->read && !g->written)
		memset(g, 0, sizeof(*g));
	if (heap) {
		struct layout_block block = survey_closing_block(s);

		granule_bury(g, &block);
	}
}

static void begin_closing(struct survey *s, const struct object *o)
{
	s->closing = o;
	s->closed = (struct layout_object){.object = *o,
					   .granules = s->layout->granules.n,
					   .runs = s->layout->runs.n,
					   .variables = (uint32_t)s->layout->variables.n};
}

static void end_closing(struct survey *s)
{
	struct layout_object *c = &s->closed;

	c->granule_count = s->layout->granules.n - c->granules;
	c->run_count = s->layout->runs.n - c->runs;
	c->variable_count = (uint32_t)s->layout->variables.n - c->variables;
	if (c->granule_count || c->run_count)
		vec_push(&s->layout->objects, *c);
}

/* Regions under blocks */

static void unite(struct granule *to, const struct granule *from)
{
	granule_forget(to);
	to->written |= from->written;
	granule_read(to, from->read, from->value);
	to->cuts |= from->cuts;
	to->flags |= from->flags;
	if (to->written)
		to->flags |= LATE;
	for (unsigned half = 0; half < 2; half++) {
		if (!to->thread[half])
			to->thread[half] = from->thread[half];
		else if (from->thread[half] && from->thread[half] != to->thread[half])
			to->thread[half] = SHARED;
		to->time[half] |= UNFIT;
		if (!to->site[half])
			to->site[half] = from->site[half];
	}
}

static void stash_granule(void *context, uint64_t address, void *cell)
{
	struct survey *s = context;
	struct granule *g = cell;
	uint8_t bytes = layout_bytes(address, s->closing->address, s->closing->size);

	if ((g->read | g->written) & bytes && bytes == 0xff) {
		struct stashed stashed = {objects_region(s->objects, address), address, *g};

		stashed.granule.flags = (stashed.granule.flags & ~FREED) | BENEATH;
		vec_push(&s->stash, stashed);
	}
	if (bytes == 0xff)
		memset(g, 0, sizeof(*g));
	else
		g->flags &= ~FREED; /* the last bytes of a block that was longer */
}

static void bring_back(struct survey *s, uint32_t region)
{
	size_t left = 0;

	for (size_t i = 0; i < s->stash.n; i++) {
		const struct stashed *stashed = &s->stash.at[i];

		if (stashed->region == region)
			unite(pages_cell(&s->pages, stashed->address, true), &stashed->granule);
		else
			s->stash.at[left++] = *stashed;
	}
	s->stash.n = left;
}

static void on_born(void *context, struct object *o)
{
	struct survey *s = context;

	s->closing = o;
	pages_each(&s->pages, o->address, o->size, stash_granule, s);
	if (s->marked)
		unsure_born(&s->unsure, o);
	spans_remove(&s->benign, o->address, o->size);
}

/* Small blocks: all pages are there, to be closed. */
static void open_grave(struct survey *s, const struct object *o)
{
	struct grave grave = {.size = o->size, .unmapped = may_be_unmapped(o)};

	for (uint64_t page = o->address >> PAGE_SHIFT;
	     o->size <= BURIED_WHOLE && page <= (o->address + o->size) >> PAGE_SHIFT; page++) {
		size_t pages = s->pages.used;

		pages_find(&s->pages, page, true);
		if (s->pages.used != pages)
			survey_open_page(s, page << PAGE_SHIFT);
	}
	if (o->size > BURIED_WHOLE && s->freed) {
		grave.block = survey_closing_block(s);
		graves_add(&s->graves, &grave);
	}
}

static void on_dies(void *context, const struct object *o, const struct merged *why)
{
	struct survey *s = context;

	s->ended_by = why ? thread_of(why) : 0;
	s->ended_alone = why && handed_is_alone(s->handed, why->thread);
	s->freed = why ? why->w[2] & (((uint64_t)1 << LOG_ADDRESS_BITS) - 1) : 0;
	if (s->marked)
		unsure_dies(&s->unsure, o);
	sync_forget(s->sync, o->address, o->size);
	if (s->stash.n && (o->kind == OBJECT_THREAD || o->kind == OBJECT_MAP))
		bring_back(s, o->id);
	begin_closing(s, o);
	if (o->kind == OBJECT_HEAP)
		open_grave(s, o);
	pages_each(&s->pages, o->address, o->size, close_granule, s);
	end_closing(s);
	spans_remove(&s->benign, o->address, o->size);
	s->ended_by = 0;
}

static const struct objects_calls calls = {on_born, on_dies};

/* All */

static void follow_sync(struct survey *s, const struct merged *r)
{
	struct sync_step steps[SYNC_STEPS];
	size_t n = sync_follow(s->sync, r, steps);

	for (size_t i = 0; i < n; i++) {
		if (steps[i].number)
			*steps[i].number = ++s->signals;
		if (steps[i].kind == EV_BARRIER_ENTER)
			handed_enter(s->handed, steps[i].thread, steps[i].object);
		else if (steps[i].kind == EV_BARRIER_EXIT)
			handed_leave(s->handed, steps[i].thread, steps[i].object);
	}
}

/* Threads that nobody forks may have been there from the start. */
static void follow_threads(struct survey *s, const struct merged *r)
{
	if (LOG_KIND_OF(*r->w) == LOG_FORK) {
		if (r->w[1] < s->forked.n)
			s->forked.at[r->w[1]] = true;
		s->forks.at[r->thread] = r->w[2];
		s->early = false;
		handed_fork(s->handed, r->thread, r->w[1]);
	}
	if (r->thread && !s->forked.at[r->thread]) {
		s->layout->foreign = true;
		s->early = false;
	}
}

static void open_barrier(struct survey *s, const struct merged *r)
{
	uint64_t address = r->w[1] & (((uint64_t)1 << LOG_ADDRESS_BITS) - 1);
	uint32_t barrier = sync_find(s->sync, address, CLASS_BARRIER);

	if (barrier != UINT32_MAX)
		handed_open(s->handed, barrier, (uint32_t)r->w[3]);
}

/* Records that are no accesses. */
static void follow_other(struct survey *s, const struct merged *r, uint8_t kind)
{
	if (sync_concerns(kind)) {
		survey_look_at_object(s, r);
		follow_sync(s, r);
	}
	if (kind == LOG_BARRIER_INIT)
		open_barrier(s, r);
	if (kind == LOG_JOIN)
		handed_join(s->handed, r->thread, r->w[1]);
	if (kind == LOG_FREE)
		survey_note_free(s, r);
	if (kind == LOG_CRASH && (uint32_t)r->w[1])
		survey_note_crash(s, r);
	if (objects_concern(kind)) {
		objects_follow(s->objects, r);
	} else if (kind == LOG_BENIGN) {
		spans_add(&s->benign, r->w[1], r->w[2]);
	} else if (kind == LOG_PC) {
		vec_extend(&s->pcs, (size_t)r->thread + 1);
		s->pcs.at[r->thread] = r->w[1];
	}
	if (s->marked && (kind == LOG_UNSEEN || kind == LOG_SEEN || kind == LOG_END))
		unsure_mark(&s->unsure, r->thread, kind == LOG_UNSEEN, s->early);
}

/* What is known of memory is seldom near at hand: it is asked for one access ahead. */
static void look_ahead(struct survey *s, const struct merged *r)
{
	const uint64_t *next = r->w + r->words;

	if (r->position % RAW_BLOCK_WORDS + r->words + 2 <= RAW_BLOCK_WORDS &&
	    (LOG_KIND_OF(*next) == LOG_READ || LOG_KIND_OF(*next) == LOG_WRITE))
		pages_prefetch(&s->pages, raw_address(next));
}

void survey_follow(struct survey *s, const struct merged *r)
{
	uint8_t kind = LOG_KIND_OF(*r->w);

	follow_threads(s, r);
	if (kind < LOG_READ)
		return; /* dependences, branches */
	if (kind > LOG_RMW) {
		follow_other(s, r, kind);
		return;
	}
	look_ahead(s, r);
	follow_access(s, r, r->w);
	if (r->second)
		follow_access(s, r, r->second);
}

/* A plain access, within a granule, by a thread that had it before at this time: there is little to
 * be noted. False: there is more. */
static inline bool follow_again(struct survey *s, const uint64_t *w, uint32_t number,
				uint16_t thread, uint32_t time)
{
	uint64_t address = raw_address(w);
	unsigned offset = address & 7, size = raw_size(w);
	uint8_t bytes = (uint8_t)(((1u << size) - 1) << offset);
	struct granule *g = offset + size <= 8 ? pages_cell(&s->pages, address, false) : NULL;

	if (!g || g->flags & FREED ||
	    !granule_is_had(g, s->handed, bytes, thread, time, LOG_KIND_OF(*w) != LOG_READ) ||
	    (!g->site[offset / 4] && LOG_SITE_OF(*w)))
		return false;
	uint64_t value = raw_low_bytes(w[2], size) << (8 * offset);

	g->cuts |= (uint8_t)((1u << offset | 1u << (offset + size)) & 0xfe);
	s->handed->all++;
	s->handed->accesses += granule_may_be_handed(g);
	if (LOG_KIND_OF(*w) == LOG_READ) {
		granule_hold(g, bytes, value);
		granule_read(g, bytes, value);
	} else {
		note_write(s, g, bytes, value);
	}
	if (s->handed->second)
		follow_certainty(s, g, number, address - offset, bytes, LOG_KIND_OF(*w));
	return true;
}

/* Of what merge_take gives. */
static inline const uint64_t *next_plain(const uint64_t *w, const uint64_t *end)
{
	while (w < end && !merge_is_plain(w))
		w += LOG_KIND_OF(*w) == LOG_FIXED ? 2 : 1;
	return w;
}

void survey_pass(struct survey *s, const struct stretch *stretch)
{
	struct merged r = {.thread = stretch->thread, .words = 3};
	uint16_t thread = thread_of(&r);
	uint32_t time = handed_time(s->handed, thread - 1u);
	const uint64_t *end = stretch->end, *w = next_plain(stretch->w, end);

	for (; w < end; w = next_plain(w + 3, end)) {
		if (!s->marked && follow_again(s, w, r.thread, thread, time))
			continue;
		r.w = w;
		r.position = stretch->position + (uint64_t)(w - stretch->w);
		follow_access(s, &r, w);
	}
}

static int compare_objects(const void *a, const void *b)
{
	const struct layout_object *x = a, *y = b;

	return x->object.id < y->object.id ? -1 : x->object.id > y->object.id;
}

void survey_finish(struct survey *s)
{
	const struct object rest = {.kind = OBJECT_STATIC, .size = UINT64_MAX};

	objects_finish(s->objects);
	bring_back(s, 0);
	begin_closing(s, &rest);
	uint64_t *numbers = pages_sorted(&s->pages);

	for (size_t i = 0; i < s->pages.used; i++)
		pages_each(&s->pages, numbers[i] << PAGE_SHIFT, (uint64_t)1 << PAGE_SHIFT,
			   close_granule, s);
	mem_free(numbers);
	end_closing(s);
	if (s->layout->objects.n)
		qsort(s->layout->objects.at, s->layout->objects.n, sizeof(*s->layout->objects.at),
		      compare_objects);
}

struct survey *survey_new(struct layout *layout, struct sync_facts *facts, uint32_t threads,
			  bool keep_all, bool early, struct modules *marked,
			  const struct image *image, struct handed *handed)
{
	struct survey *s = mem_alloc_zero(1, sizeof(*s));

	s->layout = layout;
	s->image = image;
	s->handed = handed;
	s->keep_all = keep_all;
	s->early = early;
	s->marked = marked;
	if (marked)
		unsure_init(&s->unsure, threads, marked);
	vec_extend(&s->forked, threads);
	vec_extend(&s->forks, threads);
	pages_init(&s->pages, sizeof(struct granule));
	s->objects = objects_new(&calls, s);
	s->sync = sync_new(facts, true);
	return s;
}

void survey_free(struct survey *s)
{
	if (!s)
		return;
	pages_release(&s->pages);
	if (s->marked)
		unsure_release(&s->unsure);
	spans_release(&s->benign);
	objects_free(s->objects);
	sync_free(s->sync);
	vec_release(&s->stash);
	vec_release(&s->pcs);
	vec_release(&s->again);
	vec_release(&s->forked);
	vec_release(&s->forks);
	mem_free(s);
}
