/* SPDX-License-Identifier: MIT */
/* Stuck states as clauses (doc/model.md, Bugs): of each thread, where it is in the end. */
#include "search/solver/formula.h"

/* Who holds a lock in the end, by threads: so that each acquire need not name all sections. */
struct holder {
	uint32_t thread;
	lit any, writer;
	VEC(lit) open, open_alone; /* its sections; those that are exclusive */
};

struct holders {
	VEC(struct holder) at;
	bool known;
};

static struct holder *holder_of(struct holders *h, uint32_t thread)
{
	struct holder new = {.thread = thread};

	for (size_t i = 0; i < h->at.n; i++)
		if (h->at.at[i].thread == thread)
			return &h->at.at[i];
	vec_push(&h->at, new);
	return &h->at.at[h->at.n - 1];
}

static lit one_of(struct formula *f, const lit *lits, size_t n)
{
	lit one = sat_variable(f->sat);

	sat_or(f->sat, -one);
	for (size_t i = 0; i < n; i++)
		sat_or(f->sat, lits[i]);
	sat_end(f->sat);
	return one;
}

static void put_section(struct formula *f, struct holders *h, const struct section *s)
{
	bool over = s->release && s->release <= f->cone->low;
	lit taken = formula_happens(f, s->acquire);

	if (over || taken == LIT_FALSE)
		return;
	struct holder *holder = holder_of(h, s->thread);
	lit open = sat_variable(f->sat);

	sat_imply(f->sat, open, taken);
	if (s->release)
		sat_imply(f->sat, open, -formula_happens(f, s->release));
	vec_push(&holder->open, open);
	if (!s->shared)
		vec_push(&holder->open_alone, open);
}

static void find_holders(struct formula *f, struct holders *h, uint32_t lock)
{
	const struct sections *s = f->facts.sections;

	h->known = true;
	for (uint32_t i = s->first[lock]; i < s->first[lock + 1]; i++)
		put_section(f, h, &s->all.at[s->of_lock[i]]);
	for (size_t i = 0; i < h->at.n; i++) {
		struct holder *holder = &h->at.at[i];

		holder->any = one_of(f, holder->open.at, holder->open.n);
		holder->writer = one_of(f, holder->open_alone.at, holder->open_alone.n);
		vec_release(&holder->open);
		vec_release(&holder->open_alone);
	}
}

/* Another thread holds the lock: ends the clause that was begun. */
static void or_taken(struct formula *f, struct holders *locks, uint32_t lock, uint32_t thread,
		     bool shared)
{
	const struct holders *h = &locks[lock];

	for (size_t i = 0; i < h->at.n; i++)
		if (h->at.at[i].thread != thread)
			sat_or(f->sat, shared ? h->at.at[i].writer : h->at.at[i].any);
	sat_end(f->sat);
}

static void put_woken(struct formula *f, struct holders *locks, lit waits, uint32_t event)
{
	const struct event *e = &f->index->events[event];
	uint32_t by = (uint32_t)e->more->by;
	uint32_t wait = f->index->threads[e->thread].events[f->index->position[event] - 1];
	lit missed = by ? formula_before(f, by, wait) : LIT_FALSE;

	sat_or(f->sat, -waits);
	if (by)
		sat_or(f->sat, -formula_happens(f, by));
	sat_or(f->sat, missed);
	or_taken(f, locks, e->more->lock, e->thread, false);
}

static void put_exit(struct formula *f, lit waits, uint32_t event)
{
	const struct index *index = f->index;
	const struct index_list *list = &index->uses[CLASS_BARRIER][index->events[event].object];

	sat_or(f->sat, -waits);
	for (uint32_t i = 0; i < list->count; i++)
		if (index->events[list->events[i]].kind == EV_BARRIER_ENTER &&
		    index->round[list->events[i]] == index->round[event])
			sat_or(f->sat, -formula_happens(f, list->events[i]));
	sat_end(f->sat);
}

static void put_join(struct formula *f, lit waits, uint32_t thread)
{
	const struct index_thread *t = &f->index->threads[thread];

	if (t->fork)
		sat_imply(f->sat, waits, formula_happens(f, t->fork));
	sat_imply(f->sat, waits,
		  t->count ? -formula_happens(f, t->events[t->count - 1]) : LIT_FALSE);
}

/* Somebody is in it. */
static void put_pass(struct formula *f, lit waits, uint32_t event)
{
	const struct index_list *list = &f->index->uses[CLASS_ONCE][f->index->events[event].object];

	for (uint32_t i = 0; i < list->count; i++) {
		enum event_kind kind = f->index->events[list->events[i]].kind;

		if (kind == EV_ONCE_BEGIN)
			sat_imply(f->sat, waits, formula_happens(f, list->events[i]));
		if (kind == EV_ONCE_END)
			sat_imply(f->sat, waits, -formula_happens(f, list->events[i]));
	}
}

/* The event, one that can, blocks. */
static void put_block(struct formula *f, struct holders *locks, lit waits, uint32_t event)
{
	const struct event *e = &f->index->events[event];
	bool takes = e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED || e->kind == EV_WOKEN;
	uint32_t lock = e->kind == EV_WOKEN ? e->more->lock : e->object;

	if (takes && !locks[lock].known)
		find_holders(f, &locks[lock], lock);
	switch (e->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED:
		sat_or(f->sat, -waits);
		or_taken(f, locks, lock, e->thread, e->kind == EV_ACQUIRE_SHARED);
		break;
	case EV_WOKEN: put_woken(f, locks, waits, event); break;
	case EV_BARRIER_EXIT: put_exit(f, waits, event); break;
	case EV_SEM_WAIT: sat_imply(f->sat, waits, f->empty[cone_node(f->cone, event)]); break;
	case EV_JOIN: put_join(f, waits, e->object); break;
	case EV_ONCE_PASS: put_pass(f, waits, event); break;
	default: BUG("an event that cannot block");
	}
}

static void put_waits(struct formula *f, struct holders *locks, uint32_t node)
{
	uint32_t event = f->cone->event[node], thread = cone_thread(f->cone, node);
	lit waits = f->waits[node] = sat_variable(f->sat);

	formula_arrive(f, waits, node);
	if (!f->index->position[event] && f->index->threads[thread].fork)
		sat_imply(f->sat, waits, formula_happens(f, f->index->threads[thread].fork));
	sat_imply(f->sat, waits, -(lit)node);
	formula_path(f, waits, event);
	put_block(f, locks, waits, event);
}

/* It has ended, does not exist, or waits; one whose record stops elsewhere may do anything. */
static void put_thread(struct formula *f, struct holders *locks, uint32_t thread)
{
	const struct index_thread *t = &f->index->threads[thread];
	uint32_t last = t->count ? t->events[t->count - 1] : 0;
	const struct cone *c = f->cone;

	for (uint32_t n = c->base[thread]; n < cone_end(c, thread); n++)
		if (event_blocks(&f->index->events[c->event[n]]))
			put_waits(f, locks, n);
	for (uint32_t n = c->base[thread]; n < cone_end(c, thread); n++)
		if (f->waits[n])
			sat_or(f->sat, f->waits[n]);
	if (t->fork)
		sat_or(f->sat, -formula_happens(f, t->fork));
	if (last && f->index->events[last].kind == EV_END)
		sat_or(f->sat, formula_happens(f, last));
	sat_end(f->sat);
}

void formula_stuck(struct formula *f)
{
	size_t locks = symbols_count(f->index->symbols, CLASS_LOCK);
	struct holders *holders = mem_alloc_zero(locks, sizeof(*holders));
	VEC(lit) all = {0};

	for (uint32_t t = 0; t < f->index->thread_count; t++)
		put_thread(f, holders, t);
	/* some thread has not ended */
	for (uint32_t n = 1; n <= f->cone->count; n++)
		if (f->waits[n])
			vec_push(&all, f->waits[n]);
	sat_clause(f->sat, all.at, all.n);
	vec_release(&all);
	for (size_t l = 0; l < locks; l++)
		vec_release(&holders[l].at);
	mem_free(holders);
}

lit formula_waits(struct formula *f, uint32_t event)
{
	uint32_t node = cone_node(f->cone, event);

	return node == NODE_START || node == NODE_NONE || !f->waits[node] ? LIT_FALSE
									  : f->waits[node];
}
