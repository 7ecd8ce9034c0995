/* Which events of a run its bug needs. */
#include "model/depends.h"
#include "predict/minimise_parts.h"

#define READ_MATTERS 1
#define CHAINED 2
#define VALUE_MATTERS 4

struct keeper {
	const struct minimiser *m;
	const struct index *index;
	const struct witness *w;
	/* of each thread: so many of its events are kept; the reads before that position matter */
	uint32_t *kept, *covered;
	uint32_t *open; /* of each lock: the last kept acquire in the run; those before it end */
	/* of each place in the run */
	uint8_t *flags;
	uint32_t *
		before; /* 1 + the place of the event before of the same object; see link_objects */
	uint32_t
		*writer; /* of the first part: the event in the run that wrote what is read, or 0 */
	uint32_t **more_writers; /* of further parts, or NULL */
	VEC(uint32_t) fresh;	 /* kept, and not looked at yet */
	VEC(uint32_t) values;	 /* writes whose value matters, and that were not looked at yet */
	struct depends depends;
	struct arena memory;
	bool failed;
};

/* Facts of the run */

static void find_writers(struct keeper *k)
{
	size_t variables = symbols_count(k->index->symbols, CLASS_VARIABLE);
	uint32_t *last = mem_alloc_zero(variables + 1, sizeof(*last));

	for (size_t i = 0; i < k->w->run.n; i++) {
		const struct event *e = &k->index->events[k->w->run.at[i]];
		uint32_t parts = event_part_count(e);
		bool writes = event_is(e, EV_STORES) && event_is(e, EV_VALUE);

		if (parts > 1)
			k->more_writers[i] =
				arena_alloc(&k->memory, parts * sizeof(**k->more_writers));
		for (uint32_t p = 0; p < parts; p++) {
			uint32_t variable = event_part(e, p).variable;

			*(p ? &k->more_writers[i][p] : &k->writer[i]) = last[variable];
			if (writes)
				last[variable] = (uint32_t)k->w->run.at[i];
		}
	}
	mem_free(last);
}

/* Of semaphores, barriers and conditions what came before counts; of the rest it does not. */
static bool is_chained(enum object_class class)
{
	return class == CLASS_SEMAPHORE || class == CLASS_BARRIER || class == CLASS_CONDITION;
}

static void link_objects(struct keeper *k)
{
	uint32_t *last[CLASS_COUNT] = {0};

	for (int c = 0; c < CLASS_COUNT; c++)
		if (is_chained(c))
			last[c] = mem_alloc_zero(symbols_count(k->index->symbols, c) + 1,
						 sizeof(*last[c]));
	for (size_t i = 0; i < k->w->run.n; i++) {
		const struct event *e = &k->index->events[k->w->run.at[i]];
		enum object_class class = event_kind_class[e->kind];

		if (!is_chained(class))
			continue;
		k->before[i] = last[class][e->object];
		last[class][e->object] = (uint32_t)i + 1;
	}
	for (int c = 0; c < CLASS_COUNT; c++)
		mem_free(last[c]);
}

/* `before` of a try-fail is an acquire of who holds the lock. */
static void link_holders(struct keeper *k)
{
	const struct sections *sections = k->m->sections;
	VEC(uint32_t) open = {0}; /* places of the acquires */

	for (size_t i = 0; i < k->w->run.n; i++) {
		uint32_t n = (uint32_t)k->w->run.at[i], at = sections->at[n];
		const struct event *e = &k->index->events[n];

		if (at && sections->all.at[at - 1].acquire == n) {
			vec_push(&open, (uint32_t)i);
		} else if (at) {
			size_t o = 0;

			while (o < open.n &&
			       k->w->run.at[open.at[o]] != sections->all.at[at - 1].acquire)
				o++;
			if (o < open.n)
				open.at[o] = open.at[--open.n];
		}
		for (size_t o = 0; e->kind == EV_TRY_FAIL && o < open.n; o++) {
			uint32_t acquire = (uint32_t)k->w->run.at[open.at[o]];
			const struct section *s = &sections->all.at[sections->at[acquire] - 1];

			if (s->lock == e->object && s->thread != e->thread)
				k->before[i] = open.at[o] + 1;
		}
	}
	vec_release(&open);
}

static bool has_try_fail(const struct keeper *k)
{
	for (size_t i = 0; i < k->w->run.n; i++)
		if (k->index->events[k->w->run.at[i]].kind == EV_TRY_FAIL)
			return true;
	return false;
}

/* What has to be kept */

/* The event and all of its thread before it. */
static void keep(struct keeper *k, uint32_t event)
{
	const struct index_thread *t = &k->index->threads[k->index->events[event].thread];
	uint32_t *kept = &k->kept[k->index->events[event].thread];

	while (*kept <= k->index->position[event]) {
		uint32_t next = t->events[(*kept)++];

		if (k->m->place[next])
			vec_push(&k->fresh, next);
		else
			k->failed = true;
	}
}

static void keep_needs(struct keeper *k, uint32_t event)
{
	const struct needs *needs = k->m->needs;

	for (uint32_t i = needs->first[event]; i < needs->first[event + 1]; i++)
		keep(k, needs->events[i]);
}

/* The read returns what it does in the run. */
static void read_matters(struct keeper *k, uint32_t read)
{
	uint32_t place = k->m->place[read];
	const struct event *e = &k->index->events[read];

	if (!place || k->flags[place - 1] & READ_MATTERS || !event_is(e, EV_RETURNS))
		return;
	k->flags[place - 1] |= READ_MATTERS;
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t writer = i ? k->more_writers[place - 1][i] : k->writer[place - 1];

		if (!writer)
			continue;
		keep(k, writer);
		vec_push(&k->values, writer);
	}
}

static void depend(struct keeper *k, uint32_t event)
{
	const struct event *e = &k->index->events[event];
	uint32_t end = k->index->position[event] + (e->kind == EV_RMW);

	depends_of(e, &k->depends);
	for (size_t i = 0; i < k->depends.named.n; i++)
		read_matters(k, k->depends.named.at[i]);
	for (uint32_t *at = &k->covered[e->thread]; k->depends.on_all && *at < end; ++*at)
		read_matters(k, k->index->threads[e->thread].events[*at]);
}

static void keep_address(struct keeper *k, const struct event *e)
{
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		read_matters(k, (uint32_t)e->more->at[i]);
}

static void close_section(struct keeper *k, uint32_t acquire)
{
	uint32_t release = k->m->sections->all.at[k->m->sections->at[acquire] - 1].release;

	if (release && k->m->place[release])
		keep(k, release);
}

/* Of the kept sections of a lock only the last may stay open; shared ones are taken as if not. */
static void keep_section(struct keeper *k, uint32_t event)
{
	uint32_t at = k->m->sections->at[event];

	if (!at || k->m->sections->all.at[at - 1].acquire != event)
		return;
	uint32_t *open = &k->open[k->m->sections->all.at[at - 1].lock];

	if (!*open) {
		*open = event;
	} else if (k->m->place[*open] < k->m->place[event]) {
		close_section(k, *open);
		*open = event;
	} else {
		close_section(k, event);
	}
}

/* All that the run did to the object before. */
static void keep_chain(struct keeper *k, uint32_t place)
{
	while (place && !(k->flags[place - 1] & CHAINED)) {
		k->flags[place - 1] |= CHAINED;
		keep(k, (uint32_t)k->w->run.at[place - 1]);
		place = k->before[place - 1];
	}
}

static void look_at(struct keeper *k, uint32_t event)
{
	const struct event *e = &k->index->events[event];
	uint32_t place = k->m->place[event];

	keep_needs(k, event);
	keep_address(k, e);
	keep_section(k, event);
	if (k->m->model == MODEL_MCM)
		read_matters(k, event);
	switch (e->kind) {
	case EV_BRANCH: depend(k, event); break;
	case EV_TRY_FAIL:
		if (k->before[place - 1])
			keep(k, (uint32_t)k->w->run.at[k->before[place - 1] - 1]);
		break;
	case EV_SEM_WAIT:
	case EV_SEM_FAIL:
	case EV_BARRIER_ENTER:
	case EV_BARRIER_EXIT:
	case EV_SIGNAL:
	case EV_BROADCAST: keep_chain(k, place); break;
	default: break;
	}
}

/* The bug itself: its events come next, so all before them in their threads has happened. */
static void keep_bug(struct keeper *k)
{
	for (size_t i = 0; i < k->w->bug_events.n; i++) {
		uint32_t n = (uint32_t)k->w->bug_events.at[i], position = k->index->position[n];
		const struct event *e = &k->index->events[n];

		if (k->w->bug == BUG_PROPERTY) {
			keep(k, n);
			continue;
		}
		if (position)
			keep(k, k->index->threads[e->thread].events[position - 1]);
		keep_needs(k, n);
		keep_address(k, e);
	}
}

static void close_over(struct keeper *k)
{
	while (k->fresh.n || k->values.n) {
		if (k->fresh.n) {
			look_at(k, k->fresh.at[--k->fresh.n]);
			continue;
		}
		uint32_t write = k->values.at[--k->values.n];
		uint8_t *flags = &k->flags[k->m->place[write] - 1];

		if (!(*flags & VALUE_MATTERS))
			depend(k, write);
		*flags |= VALUE_MATTERS;
	}
}

static void take_kept(const struct keeper *k, event_run *kept, bool *matters)
{
	for (size_t i = 0; i < k->w->run.n; i++) {
		uint32_t n = (uint32_t)k->w->run.at[i];

		if (k->index->position[n] >= k->kept[k->index->events[n].thread])
			continue;
		matters[kept->n] = k->flags[i] & READ_MATTERS;
		vec_push(kept, n);
	}
}

bool minimise_keep(const struct minimiser *m, const struct witness *w, event_run *kept,
		   bool **matters)
{
	const struct index *index = m->index;
	size_t locks = symbols_count(index->symbols, CLASS_LOCK), n = w->run.n;
	struct keeper k = {.m = m, .index = index, .w = w};

	k.kept = mem_alloc_zero(index->thread_count + 1, sizeof(*k.kept));
	k.covered = mem_alloc_zero(index->thread_count + 1, sizeof(*k.covered));
	k.open = mem_alloc_zero(locks + 1, sizeof(*k.open));
	k.flags = mem_alloc_zero(n + 1, sizeof(*k.flags));
	k.before = mem_alloc_zero(n + 1, sizeof(*k.before));
	k.writer = mem_alloc_zero(n + 1, sizeof(*k.writer));
	k.more_writers = mem_alloc_zero(n + 1, sizeof(*k.more_writers));
	find_writers(&k);
	link_objects(&k);
	if (has_try_fail(&k))
		link_holders(&k);
	keep_bug(&k);
	close_over(&k);
	*matters = mem_alloc_zero(n + 1, sizeof(**matters));
	if (!k.failed)
		take_kept(&k, kept, *matters);
	mem_free(k.kept);
	mem_free(k.covered);
	mem_free(k.open);
	mem_free(k.flags);
	mem_free(k.before);
	mem_free(k.writer);
	mem_free(k.more_writers);
	vec_release(&k.fresh);
	vec_release(&k.values);
	vec_release(&k.depends.named);
	arena_release(&k.memory);
	return !k.failed;
}
