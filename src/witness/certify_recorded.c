/* SPDX-License-Identifier: MIT */
/*
 * Witnesses that start as recorded. The certifier takes the recorded run once, by its own rules,
 * and keeps how all stands at some points of it: a mark every so many events. A witness starts from
 * the last mark before it leaves the recorded order, and goes through the events from there on, for
 * all but memory; what a variable holds is seen from the last access to it.
 */
#include "witness/certify_parts.h"

#include "base/sorted.h"

#include <string.h>

struct mark_lock {
	uint32_t lock;
	struct lock_state state;
};

struct mark_barrier {
	uint32_t barrier;
	struct barrier_state state;
};

/* What is not as at the start. */
struct mark {
	struct thread_state *threads;
	struct once_state *onces;
	uint64_t *semaphores;
	VEC(struct mark_lock) locks;
	VEC(struct mark_barrier) barriers;
};

struct certify_marks {
	uint32_t every;
	uint64_t good; /* so many events of the trace can happen as recorded */
	VEC(struct mark) at;
	/* Of each variable its accesses, as facts: all[first[v]] … all[first[v + 1] - 1]. */
	uint32_t *first, *all;
};

/* Lists of the accesses to each variable: counted, and then filled in. */
static void list_accesses(struct certifier *c, struct certify_marks *m)
{
	size_t variables = symbols_count(c->symbols, CLASS_VARIABLE);

	m->first = mem_alloc_zero(variables + 2, sizeof(*m->first));
	for (int fill = 0; fill < 2; fill++) {
		for (size_t i = 0; i < c->facts.all.n; i++) {
			const struct event *e = &c->facts.all.at[i].event;

			for (uint32_t k = 0; event_is(e, EV_ACCESS) && k < event_part_count(e);
			     k++) {
				uint32_t *first = &m->first[event_part(e, k).variable + 1];

				if (fill)
					m->all[(*first)++] = (uint32_t)i;
				else
					first[1]++;
			}
		}
		for (size_t v = 1; !fill && v <= variables; v++)
			m->first[v + 1] += m->first[v];
		if (!fill)
			m->all = mem_alloc(((size_t)m->first[variables + 1] + 1) * sizeof(*m->all));
	}
}

/* As the recorded events before the base left it. */
void certify_recall_variable(struct certifier *c, uint32_t variable, struct variable_state *v)
{
	const struct certify_marks *m = c->marks;
	uint32_t from = m->first[variable];
	uint32_t end = LOWER_BOUND(i, from, m->first[variable + 1], m->all[i] < c->base);

	if (end == from)
		return;
	const struct fact *f = &c->facts.all.at[m->all[end - 1]];
	const struct event *e = &f->event;
	uint32_t k = 0;

	while (event_part(e, k).variable != variable)
		k++;
	struct part part = event_part(e, k);
	bool stores = event_is(e, EV_STORES) && e->kind != EV_FREE;

	v->accesses = end - from;
	v->externals = fact_place(f, k)->externals + (e->kind == EV_EXTERNAL);
	v->allocated = true; /* else it could not have been accessed */
	v->freed = e->kind == EV_FREE;
	v->last_writer = stores ? f->number : fact_place(f, k)->writer;
	if (event_is(e, EV_VALUE))
		v->value = e->kind == EV_RMW ? part.written : part.value;
}

static void copy_readers(struct lock_state *to, const struct lock_state *from)
{
	to->writer = from->writer;
	to->readers.n = 0;
	for (size_t i = 0; i < from->readers.n; i++)
		vec_push(&to->readers, from->readers.at[i]);
}

static void copy_entered(struct barrier_state *to, const struct barrier_state *from)
{
	to->round = from->round;
	to->entered.n = 0;
	for (size_t i = 0; i < from->entered.n; i++)
		vec_push(&to->entered, from->entered.at[i]);
}

static void *copy(const void *from, size_t n, size_t size)
{
	void *to = mem_alloc(n * size + 1);

	if (n)
		memcpy(to, from, n * size);
	return to;
}

static void put_mark(struct certifier *c)
{
	struct mark mark = {0};

	mark.threads = copy(c->threads, c->facts.threads.n, sizeof(*c->threads));
	mark.onces = copy(c->onces, symbols_count(c->symbols, CLASS_ONCE), sizeof(*c->onces));
	mark.semaphores = copy(c->semaphores, c->symbols->semaphores.n, sizeof(*c->semaphores));
	for (uint32_t i = 0; i < symbols_count(c->symbols, CLASS_LOCK); i++) {
		struct mark_lock lock = {.lock = i};

		if (!c->locks[i].writer && !c->locks[i].readers.n)
			continue;
		copy_readers(&lock.state, &c->locks[i]);
		vec_push(&mark.locks, lock);
	}
	for (uint32_t i = 0; i < c->symbols->barriers.n; i++) {
		struct mark_barrier barrier = {.barrier = i};

		if (!c->barriers[i].entered.n)
			continue;
		copy_entered(&barrier.state, &c->barriers[i]);
		vec_push(&mark.barriers, barrier);
	}
	vec_push(&c->marks->at, mark);
}

/* Takes the recorded run for as far as it goes: all of it, unless a rule here is stricter. */
void certify_make_marks(struct certifier *c, uint32_t every)
{
	struct certify_marks *m = mem_alloc_zero(1, sizeof(*m));
	struct witness recorded = {.model = MODEL_VALUES, .bug = BUG_RACE};
	struct err err = {0};

	m->every = every;
	c->witness = &recorded;
	c->bug = certify_bug(recorded.bug);
	c->err = &err;
	c->base = 0;
	certify_start(c);
	list_accesses(c, m);
	c->marks = m;
	while (m->good < c->facts.all.n) {
		uint64_t next = m->good + 1;

		if (!(m->good % every))
			put_mark(c);
		if (!certify_run(c, &next, 1) || c->changes.n)
			break;
		m->good++;
	}
	c->witness = NULL;
	c->err = NULL;
}

void certify_free_marks(struct certifier *c)
{
	struct certify_marks *m = c->marks;

	for (size_t i = 0; m && i < m->at.n; i++) {
		struct mark *mark = &m->at.at[i];

		mem_free(mark->threads);
		mem_free(mark->onces);
		mem_free(mark->semaphores);
		for (size_t k = 0; k < mark->locks.n; k++)
			vec_release(&mark->locks.at[k].state.readers);
		for (size_t k = 0; k < mark->barriers.n; k++)
			vec_release(&mark->barriers.at[k].state.entered);
		vec_release(&mark->locks);
		vec_release(&mark->barriers);
	}
	if (!m)
		return;
	vec_release(&m->at);
	mem_free(m->first);
	mem_free(m->all);
	mem_free(m);
	c->marks = NULL;
}

static void load_mark(struct certifier *c, const struct mark *mark)
{
	memcpy(c->threads, mark->threads, c->facts.threads.n * sizeof(*c->threads));
	if (symbols_count(c->symbols, CLASS_ONCE))
		memcpy(c->onces, mark->onces,
		       symbols_count(c->symbols, CLASS_ONCE) * sizeof(*c->onces));
	if (c->symbols->semaphores.n)
		memcpy(c->semaphores, mark->semaphores,
		       c->symbols->semaphores.n * sizeof(*c->semaphores));
	for (size_t i = 0; i < mark->locks.n; i++)
		copy_readers(&c->locks[mark->locks.at[i].lock], &mark->locks.at[i].state);
	for (size_t i = 0; i < mark->barriers.n; i++)
		copy_entered(&c->barriers[mark->barriers.at[i].barrier],
			     &mark->barriers.at[i].state);
}

uint64_t certify_recall(struct certifier *c, uint64_t recorded)
{
	if (!c->marks || !recorded || recorded > c->marks->good)
		return 0;
	uint64_t mark = (recorded - 1) / c->marks->every;

	c->base = recorded;
	load_mark(c, &c->marks->at.at[mark]);
	for (uint64_t i = mark * c->marks->every; i < recorded; i++)
		certify_take_recorded(c, &c->facts.all.at[i]);
	return recorded;
}
