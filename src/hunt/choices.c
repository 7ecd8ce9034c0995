/* SPDX-License-Identifier: MIT */
/* The choices of a run (doc/hunt.md, Choices), and its threads as all runs call them. */
#include "hunt/parts.h"
#include "model/depends.h"
#include "model/whole.h"

const char *const hunt_kind_text[HUNT_KIND_COUNT] = {
#define HUNT_KIND_ROW(name, text, help) [name] = text,
	HUNT_KINDS(HUNT_KIND_ROW)
#undef HUNT_KIND_ROW
};

const char *const hunt_kind_help[HUNT_KIND_COUNT] = {
#define HUNT_KIND_ROW(name, text, help) [name] = help,
	HUNT_KINDS(HUNT_KIND_ROW)
#undef HUNT_KIND_ROW
};

static uint64_t text_hash(const char *text)
{
	uint64_t hash = 1;

	for (; *text; text++)
		hash = hunt_mix(hash, (unsigned char)*text);
	return hash;
}

/* Threads are called by who forked them, and as which: numbers differ from run to run. */
static void name_threads(struct hunt_run *r)
{
	const struct index *index = r->index;
	uint32_t *forks = mem_alloc_zero(index->thread_count + 1, sizeof(*forks));

	r->threads = arena_alloc(&r->memory, (index->thread_count + 1) * sizeof(*r->threads));
	for (uint32_t t = 0; t < index->thread_count; t++) {
		const struct index_thread *thread = &index->threads[t];
		uint32_t last = thread->count ? thread->events[thread->count - 1] : 0;

		r->threads[t] =
			(struct hunt_thread){.ended = last && index->events[last].kind == EV_END};
		if (!thread->fork)
			r->threads[t].id = text_hash(symbols_name(index->symbols, CLASS_THREAD, t));
	}
	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		if (e->kind == EV_FORK)
			r->threads[e->object].id =
				hunt_mix(r->threads[e->thread].id, ++forks[e->thread]);
	}
	mem_free(forks);
}

static uint64_t location_hash(const struct index *index, uint32_t n)
{
	return text_hash(intern_text(&index->symbols->locations, index->events[n].location));
}

/* A write is called by its thread, its place, and how often that thread has come there. */
static void name_writes(struct hunt_run *r)
{
	const struct index *index = r->index;
	struct visit {
		uint64_t key;
		uint64_t times;
	};
	KEYED(struct visit) visits = {0};

	r->write_names = arena_alloc(&r->memory, ((size_t)index->count + 1) * sizeof(uint64_t));
	for (uint32_t n = 0; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		r->write_names[n] = 0;
		if (!n || !event_is(e, EV_STORES))
			continue;
		uint64_t key = hunt_mix(r->threads[e->thread].id, location_hash(index, n)) | 1;
		struct visit *v = keyed_slot(&visits, key);

		if (!v->key) {
			v->key = key;
			visits.n++;
		}
		r->write_names[n] = hunt_mix(key, ++v->times) | 1;
	}
	mem_free(visits.at);
}

/* What no thread accesses in a run, its trace does not say that it is made or freed. */
static void find_solid(struct hunt_run *r)
{
	const struct index *index = r->index;

	r->solid = arena_alloc(&r->memory, (index->thread_count + 1) * sizeof(*r->solid));
	for (uint32_t t = 0; t < index->thread_count; t++) {
		const struct index_thread *thread = &index->threads[t];
		uint32_t n = 0;

		r->solid[t] = arena_alloc(&r->memory, (thread->count + 1) * sizeof(uint32_t));
		for (uint32_t i = 0; i < thread->count; i++) {
			enum event_kind kind = index->events[thread->events[i]].kind;

			if (kind != EV_ALLOC && kind != EV_FREE)
				r->solid[t][n++] = thread->events[i];
		}
		r->threads[t].solid = n;
	}
}

static void number_reads(struct hunt_run *r)
{
	const struct index *index = r->index;

	r->read_number = arena_alloc(&r->memory, ((size_t)index->count + 1) * sizeof(uint32_t));
	r->reads = arena_alloc(&r->memory, (index->thread_count + 1) * sizeof(*r->reads));
	for (uint32_t t = 0; t < index->thread_count; t++) {
		const struct index_thread *thread = &index->threads[t];
		uint32_t count = 0;

		r->reads[t] = arena_alloc(&r->memory, (thread->count + 1) * sizeof(uint32_t));
		for (uint32_t i = 0; i < thread->count; i++) {
			uint32_t n = thread->events[i];

			r->read_number[n] = count;
			if (event_is(&index->events[n], EV_RETURNS))
				r->reads[t][count++] = n;
		}
		r->reads[t][count] = 0;
	}
}

/* What an event depends on */

static bool divides_safely(const struct expr *expr, const struct expr_node *node)
{
	const struct expr_node *by = &expr->nodes[expr_operands(expr, node)[1]];

	return by->op == OP_CONST && by->value && (int64_t)by->value != -1;
}

/* It has a value, whatever the reads return. */
static bool is_total(const struct expr *expr)
{
	for (uint32_t i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];

		if (node->op == OP_DIV || node->op == OP_REM || node->op == OP_DIV_U ||
		    node->op == OP_REM_U) {
			if (!divides_safely(expr, node))
				return false;
		} else if (node->op == OP_BELOW || node->op >= OP_ADD_F) {
			return false; /* floats may be no number, loads may not be constant */
		}
	}
	return true;
}

/* What it writes, or where the thread goes, is known whatever its reads return. */
static bool is_computed(const struct index *index, const struct event *e)
{
	int64_t part;

	if (!e->more || !e->more->expr || !is_total(e->more->expr))
		return false;
	return e->kind == EV_BRANCH || whole_part(index->symbols, e, 0, 0, &part);
}

/* Its value can be asked for as a whole. */
static bool has_whole(const struct index *index, const struct event *e)
{
	uint32_t shift;
	uint64_t mask;

	return event_part_count(e) == 1 || whole_place(index->symbols, e, 0, &shift, &mask);
}

bool hunt_is_constant(const struct index *index, const struct event *e)
{
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		const struct index_list *uses =
			&index->uses[CLASS_VARIABLE][event_part(e, i).variable];

		for (uint32_t k = 0; k < uses->count; k++)
			if (event_is(&index->events[uses->events[k]], EV_STORES))
				return false;
	}
	return true;
}

/* Finding choices, along one thread after the other. */
struct finder {
	struct hunt *h;
	struct hunt_run *r;
	bool *pinned; /* by event: a choice so far tells what the read returned */
	struct depends depends;
	VEC(struct hunt_pin) pins; /* of the event at hand */
	bool on_itself;		   /* it depends on what it returns itself */
};

static void pin(struct finder *f, uint32_t n, uint32_t read)
{
	const struct event *e = &f->r->index->events[read];
	struct hunt_pin new = {read, whole_recorded(f->r->index->symbols, e)};

	if (read == n) {
		f->on_itself = true;
	} else if (!f->pinned[read]) {
		f->pinned[read] = true;
		vec_push(&f->pins, new);
	}
}

/* Reads that have to return what they did, since what follows otherwise was not recorded. */
static void find_pins(struct finder *f, uint32_t n)
{
	const struct index *index = f->r->index;
	const struct event *e = &index->events[n];
	const uint32_t *events = index->threads[e->thread].events;

	f->pins.n = 0;
	f->on_itself = false;
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		pin(f, n, (uint32_t)e->more->at[i]);
	if (!event_is(e, EV_DEPENDS) || is_computed(index, e))
		return;
	depends_of(e, &f->depends);
	for (size_t i = 0; i < f->depends.named.n; i++)
		pin(f, n, f->depends.named.at[i]);
	for (uint32_t i = 0; f->depends.on_all && i <= index->position[n]; i++)
		if (event_is(&index->events[events[i]], EV_RETURNS))
			pin(f, n, events[i]);
}

/* Its outcome does not follow from what is pinned. */
static bool is_free(const struct finder *f, uint32_t branch)
{
	const struct event *e = &f->r->index->events[branch];
	const struct expr *expr = e->more ? e->more->expr : NULL;

	if (e->kind != EV_BRANCH || !expr || !is_computed(f->r->index, e))
		return false;
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->nodes[i].op == OP_READ && !f->pinned[expr->nodes[i].value])
			return true;
	return false;
}

/* The choices themselves */

static void add_choice(struct finder *f, struct hunt_choice c)
{
	c.place = hunt_mix(location_hash(f->r->index, c.event), 2u * c.kind + c.behind + 1);
	vec_push(&f->r->choices, c);
}

static bool has_given_up(const struct event *e)
{
	return e->kind == EV_TRY_FAIL || e->kind == EV_SEM_FAIL ||
	       (e->kind == EV_WOKEN && !(e->more && e->more->by));
}

bool hunt_is_tried(const struct event *e)
{
	return has_given_up(e) || ((e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED ||
				    e->kind == EV_SEM_WAIT || e->kind == EV_WOKEN) &&
				   e->order == EVENT_TRIES);
}

bool hunt_is_of_object(const struct hunt_choice *c)
{
	return c->kind == HUNT_TRY || c->kind == HUNT_ONCE || c->kind == HUNT_WAKES;
}

/* A function that is called once: by this thread, or by another one before it. */
static bool is_once(const struct index *index, const struct event *e)
{
	return (e->kind == EV_ONCE_BEGIN || e->kind == EV_ONCE_PASS) &&
	       !symbols_is_order(index->symbols, e->object);
}

static uint64_t source_outcome(struct hunt_run *r, uint32_t n, struct hunt_choice *c)
{
	const struct index *index = r->index;
	uint32_t parts = index_part_count(index, n);
	uint64_t *names = arena_alloc(&r->memory, parts * sizeof(*names)), hash = 1;

	for (uint32_t i = 0; i < parts; i++) {
		names[i] = r->write_names[index->writer[index->parts[n] + i]];
		hash = hunt_mix(hash, names[i]);
	}
	c->names = names;
	return hash;
}

/* What the read itself returns. */
static void add_behind(struct finder *f, uint32_t n, enum hunt_kind kind)
{
	const struct event *e = &f->r->index->events[n];
	struct hunt_choice c = {.event = n, .kind = kind, .behind = true};

	f->r->behind[n] = f->pinned[n] = true;
	if (!has_whole(f->r->index, e)) {
		if (!hunt_is_constant(f->r->index, e))
			hunt_add_doubt(f->h, "a read of several variables at once decides");
		return;
	}
	c.value = whole_recorded(f->r->index->symbols, e);
	c.outcome =
		kind == HUNT_SOURCE ? source_outcome(f->r, n, &c) : hunt_mix(1, (uint64_t)c.value);
	add_choice(f, c);
}

/* What reads before it returned. */
static void add_pins(struct finder *f, uint32_t n)
{
	struct hunt_choice c = {.event = n, .kind = HUNT_READ, .outcome = 1};

	size_t kept = 0;

	for (size_t i = 0; i < f->pins.n; i++) {
		const struct event *read = &f->r->index->events[f->pins.at[i].read];

		if (has_whole(f->r->index, read)) {
			c.outcome = hunt_mix(c.outcome, (uint64_t)f->pins.at[i].value);
			f->pins.at[kept++] = f->pins.at[i];
		} else if (!hunt_is_constant(f->r->index, read)) {
			hunt_add_doubt(f->h, "a read of several variables at once decides");
			return;
		}
	}
	f->pins.n = kept;
	if (!kept)
		return;
	c.pin_count = (uint32_t)f->pins.n;
	c.pins = arena_copy(&f->r->memory, f->pins.at, f->pins.n * sizeof(*f->pins.at));
	add_choice(f, c);
}

static void find_at(struct finder *f, uint32_t n)
{
	const struct event *e = &f->r->index->events[n];

	if (hunt_is_tried(e)) {
		add_choice(f, (struct hunt_choice){.event = n,
						   .kind = HUNT_TRY,
						   .outcome = 1 + has_given_up(e)});
		return;
	}
	if (is_once(f->r->index, e)) {
		add_choice(f, (struct hunt_choice){.event = n,
						   .kind = HUNT_ONCE,
						   .outcome = 1 + (e->kind == EV_ONCE_PASS)});
		return;
	}
	if (e->kind == EV_SIGNAL || e->kind == EV_BROADCAST) {
		add_choice(f, (struct hunt_choice){.event = n,
						   .kind = HUNT_WAKES,
						   .outcome = hunt_wakes(f->r, n)});
		return;
	}
	if (f->h->options.equal == HUNT_SOURCES) {
		if (event_is(e, EV_RETURNS) && e->order != ORDER_WATCH)
			add_behind(f, n, HUNT_SOURCE);
		return;
	}
	if (is_free(f, n)) {
		add_choice(f, (struct hunt_choice){.event = n,
						   .kind = HUNT_BRANCH,
						   .outcome = hunt_guard_hash(f->r, n)});
		return;
	}
	find_pins(f, n);
	if (f->pins.n)
		add_pins(f, n);
	if (f->on_itself)
		add_behind(f, n, HUNT_READ);
}

void hunt_find_choices(struct hunt *h, struct hunt_run *r)
{
	const struct index *index = r->index;
	struct finder f = {.h = h, .r = r};

	name_threads(r);
	name_writes(r);
	hunt_find_waits(r);
	number_reads(r);
	find_solid(r);
	r->behind = mem_alloc_zero((size_t)index->count + 1, sizeof(*r->behind));
	f.pinned = mem_alloc_zero((size_t)index->count + 1, sizeof(*f.pinned));
	for (uint32_t t = 0; t < index->thread_count; t++) {
		r->threads[t].first = (uint32_t)r->choices.n;
		for (uint32_t i = 0; i < index->threads[t].count; i++)
			find_at(&f, index->threads[t].events[i]);
		r->threads[t].count = (uint32_t)r->choices.n - r->threads[t].first;
	}
	mem_free(f.pinned);
	vec_release(&f.depends.named);
	vec_release(&f.pins);
}
