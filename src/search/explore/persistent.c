/* SPDX-License-Identifier: MIT */
#include "search/explore/persistent.h"

#include <string.h>

/* What events do to an object, as far as it makes a difference; a role has a place in `last`. */
enum role {
	/* locks */
	TAKE = 1,  /* acquire, woken */
	SHARE = 2, /* acquire-shared */
	GIVE = 4,
	TRY = 8, /* try-fail */
	/* conditions, barriers, onces */
	SLEEP = 1,
	SIGNAL = 2,
	ENTER = 1,
	BEGIN_ONCE = 1,
	END_ONCE = 2,
	/* semaphores */
	POST = 1,
	DOWN = 2,
	FAIL_DOWN = 4,
	/* variables */
	LOOK = 1,
	STORE = 2,
};

#define ROLES 4

struct object_use {
	enum object_class class;
	uint32_t object;
	uint32_t roles;
};

/* Of a variable's other end, an access may have as many uses as it has parts. */
struct uses {
	VEC(struct object_use) at;
};

struct persistent {
	const struct space *s;
	uint32_t threads;
	/*
	 * last[class][(object * threads + thread) * ROLES + role]: 1 + the position of the
	 * thread's last event that has the role, or 0.
	 */
	uint32_t *last[CLASS_COUNT];
	const bool *heard;    /* or NULL */
	uint32_t *last_heard; /* of each thread: 1 + the position of its last one, or 0 */
	struct uses uses;     /* scratch */
	bool *can;	      /* of each thread, in the state that is looked at */
	bool *set, *best;
	VEC(uint32_t) work; /* threads that came in */
};

static void add_use(struct uses *uses, enum object_class class, uint32_t object, uint32_t roles)
{
	struct object_use use = {class, object, roles};

	vec_push(&uses->at, use);
}

/* It has more than a value: alloc, free and external ask where accesses are. */
static bool has_life(const struct space *s, uint32_t variable)
{
	const struct space_variable *v = &s->variables[variable];

	return v->alloc || v->free || v->external;
}

static bool is_store(const struct event *e)
{
	return event_is(e, EV_STORES) || e->kind == EV_ALLOC;
}

/* What the event is to its objects. */
static void find_roles(struct persistent *p, uint32_t n)
{
	const struct event *e = &p->s->index->events[n];
	struct uses *uses = &p->uses;

	uses->at.n = 0;
	switch ((enum event_kind)e->kind) {
	case EV_ACQUIRE: add_use(uses, CLASS_LOCK, e->object, TAKE); break;
	case EV_ACQUIRE_SHARED: add_use(uses, CLASS_LOCK, e->object, SHARE); break;
	case EV_RELEASE:
	case EV_RELEASE_SHARED: add_use(uses, CLASS_LOCK, e->object, GIVE); break;
	case EV_TRY_FAIL: add_use(uses, CLASS_LOCK, e->object, TRY); break;
	case EV_WAIT:
		add_use(uses, CLASS_LOCK, e->more->lock, GIVE);
		add_use(uses, CLASS_CONDITION, e->object, SLEEP);
		break;
	case EV_WOKEN: add_use(uses, CLASS_LOCK, e->more->lock, TAKE); break;
	case EV_SIGNAL:
	case EV_BROADCAST: add_use(uses, CLASS_CONDITION, e->object, SIGNAL); break;
	case EV_BARRIER_ENTER: add_use(uses, CLASS_BARRIER, e->object, ENTER); break;
	case EV_SEM_POST: add_use(uses, CLASS_SEMAPHORE, e->object, POST); break;
	case EV_SEM_WAIT: add_use(uses, CLASS_SEMAPHORE, e->object, DOWN); break;
	case EV_SEM_FAIL: add_use(uses, CLASS_SEMAPHORE, e->object, FAIL_DOWN); break;
	case EV_ONCE_BEGIN: add_use(uses, CLASS_ONCE, e->object, BEGIN_ONCE); break;
	case EV_ONCE_END: add_use(uses, CLASS_ONCE, e->object, END_ONCE); break;
	default:
		for (uint32_t i = 0; i < event_part_count(e); i++) {
			uint32_t variable = event_part(e, i).variable;
			bool looks = p->s->live[n] || has_life(p->s, variable);

			add_use(uses, CLASS_VARIABLE, variable,
				(looks ? LOOK : 0) | (is_store(e) ? STORE : 0));
		}
	}
}

/* By which roles of other threads, before it, the event would have another effect or none. */
static void find_conflicts(struct persistent *p, uint32_t n)
{
	const struct event *e = &p->s->index->events[n];
	struct uses *uses = &p->uses;

	uses->at.n = 0;
	switch ((enum event_kind)e->kind) {
	case EV_ACQUIRE: add_use(uses, CLASS_LOCK, e->object, TAKE | SHARE | TRY); break;
	case EV_WOKEN: add_use(uses, CLASS_LOCK, e->more->lock, TAKE | SHARE | TRY); break;
	case EV_ACQUIRE_SHARED: add_use(uses, CLASS_LOCK, e->object, TAKE | TRY); break;
	case EV_TRY_FAIL: add_use(uses, CLASS_LOCK, e->object, TAKE | SHARE | GIVE | TRY); break;
	case EV_RELEASE:
	case EV_RELEASE_SHARED: add_use(uses, CLASS_LOCK, e->object, TRY); break;
	case EV_WAIT:
		add_use(uses, CLASS_LOCK, e->more->lock, TRY);
		add_use(uses, CLASS_CONDITION, e->object, SIGNAL);
		break;
	/* signals end sleep, and less sleep never is in the way of another signal */
	case EV_SIGNAL:
	case EV_BROADCAST: add_use(uses, CLASS_CONDITION, e->object, SLEEP); break;
	case EV_BARRIER_ENTER: add_use(uses, CLASS_BARRIER, e->object, ENTER); break;
	case EV_SEM_POST: add_use(uses, CLASS_SEMAPHORE, e->object, FAIL_DOWN); break;
	case EV_SEM_WAIT: add_use(uses, CLASS_SEMAPHORE, e->object, DOWN | FAIL_DOWN); break;
	case EV_SEM_FAIL: add_use(uses, CLASS_SEMAPHORE, e->object, DOWN | POST); break;
	case EV_ONCE_BEGIN: add_use(uses, CLASS_ONCE, e->object, BEGIN_ONCE); break;
	default:
		for (uint32_t i = 0; i < event_part_count(e); i++) {
			uint32_t variable = event_part(e, i).variable;

			if (has_life(p->s, variable) ||
			    (is_store(e) && p->s->variables[variable].live))
				add_use(uses, CLASS_VARIABLE, variable, LOOK | STORE);
			else if (p->s->live[n])
				add_use(uses, CLASS_VARIABLE, variable, STORE);
		}
	}
}

/* The roles without which the event, which cannot happen now, never can; by objects alone. */
static void find_enabling(struct persistent *p, uint32_t n)
{
	const struct event *e = &p->s->index->events[n];
	struct uses *uses = &p->uses;

	uses->at.n = 0;
	switch ((enum event_kind)e->kind) {
	case EV_TRY_FAIL: add_use(uses, CLASS_LOCK, e->object, TAKE | SHARE); break;
	case EV_SIGNAL:
	case EV_BROADCAST: add_use(uses, CLASS_CONDITION, e->object, SLEEP | SIGNAL); break;
	case EV_BARRIER_ENTER:
	case EV_BARRIER_EXIT: add_use(uses, CLASS_BARRIER, e->object, ENTER); break;
	case EV_SEM_WAIT: add_use(uses, CLASS_SEMAPHORE, e->object, POST); break;
	case EV_SEM_FAIL: add_use(uses, CLASS_SEMAPHORE, e->object, DOWN); break;
	case EV_ONCE_PASS: add_use(uses, CLASS_ONCE, e->object, END_ONCE); break;
	default:
		for (uint32_t i = 0; i < event_part_count(e); i++)
			add_use(uses, CLASS_VARIABLE, event_part(e, i).variable, LOOK | STORE);
	}
}

static void put_in(struct persistent *p, uint32_t thread)
{
	if (p->set[thread])
		return;
	p->set[thread] = true;
	vec_push(&p->work, thread);
}

/* All threads come in that may still use the objects in this way. */
static void put_users_in(struct persistent *p, const uint64_t *state, uint32_t thread)
{
	for (size_t i = 0; i < p->uses.at.n; i++) {
		const struct object_use *use = &p->uses.at.at[i];
		const uint32_t *last =
			p->last[use->class] + (size_t)use->object * p->threads * ROLES;

		for (uint32_t t = 0; t < p->threads; t++) {
			uint64_t position = field_get(state, p->s->threads[t].position);
			bool stopped = field_get(state, p->s->threads[t].stopped);

			for (uint32_t r = 0; r < ROLES && t != thread && !stopped; r++)
				if (use->roles >> r & 1 && last[t * ROLES + r] > position)
					put_in(p, t);
		}
	}
}

/* All threads come in that may still do what is heard, if the event is. */
static void put_heard_in(struct persistent *p, const uint64_t *state, uint32_t n)
{
	for (uint32_t t = 0; p->heard && p->heard[n] && t < p->threads; t++)
		if (p->last_heard[t] > field_get(state, p->s->threads[t].position) &&
		    !field_get(state, p->s->threads[t].stopped))
			put_in(p, t);
}

static bool put_fork_in(struct persistent *p, const uint64_t *state, uint32_t thread)
{
	uint32_t fork = p->s->index->threads[thread].fork;

	if (space_exists(p->s, state, thread))
		return false;
	put_in(p, p->s->index->events[fork].thread);
	return true;
}

/* Of those that hold the lock each has to give it back, so that one will do. */
static void put_holder_in(struct persistent *p, const uint64_t *state, uint32_t thread)
{
	for (uint32_t t = 0; t < p->threads; t++) {
		if (!space_waits_for(p->s, state, thread, t))
			continue;
		put_in(p, t);
		return;
	}
}

/* Some of what has to happen before the thread's next event can. */
static void put_enablers_in(struct persistent *p, const uint64_t *state, uint32_t thread)
{
	uint32_t n = space_next(p->s, state, thread);
	const struct event *e = &p->s->index->events[n];

	if (!n || field_get(state, p->s->threads[thread].stopped) || put_fork_in(p, state, thread))
		return;
	switch (e->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED: put_holder_in(p, state, thread); break;
	case EV_WOKEN:
		if (e->more->by && !space_done(p->s, state, (uint32_t)e->more->by))
			put_in(p, p->s->index->events[e->more->by].thread);
		else
			put_holder_in(p, state, thread); /* or it missed its signal: nobody */
		break;
	case EV_JOIN:
		if (!put_fork_in(p, state, e->object))
			put_in(p, e->object);
		break;
	default: find_enabling(p, n); put_users_in(p, state, thread);
	}
}

/* The least set with this thread in it; returns how many of its threads can move. */
static uint32_t close_set(struct persistent *p, const uint64_t *state, uint32_t thread)
{
	uint32_t count = 0;

	memset(p->set, 0, p->threads * sizeof(*p->set));
	put_in(p, thread);
	while (p->work.n) {
		uint32_t t = p->work.at[--p->work.n];

		count += p->can[t];
		if (p->can[t]) {
			find_conflicts(p, space_next(p->s, state, t));
			put_users_in(p, state, t);
			put_heard_in(p, state, space_next(p->s, state, t));
		} else {
			put_enablers_in(p, state, t);
		}
	}
	return count;
}

const bool *persistent_choose(struct persistent *p, const uint64_t *state)
{
	uint32_t least = UINT32_MAX;

	memset(p->best, 0, p->threads * sizeof(*p->best));
	for (uint32_t t = 0; t < p->threads; t++)
		p->can[t] = space_can(p->s, state, t);
	for (uint32_t t = 0; t < p->threads && least > 1; t++) {
		uint32_t count = p->can[t] ? close_set(p, state, t) : UINT32_MAX;

		if (count >= least)
			continue;
		least = count;
		memcpy(p->best, p->set, p->threads * sizeof(*p->best));
	}
	return p->best;
}

struct persistent *persistent_new(const struct space *s, const bool *heard)
{
	struct persistent *p = mem_alloc_zero(1, sizeof(*p));
	const struct index *index = s->index;

	p->s = s;
	p->threads = index->thread_count;
	for (int class = 0; class < CLASS_COUNT; class ++)
		p->last[class] = mem_alloc_zero(
			symbols_count(index->symbols, class) * p->threads * ROLES + 1,
			sizeof(*p->last[class]));
	p->heard = heard;
	p->last_heard = mem_alloc_zero(p->threads + 1, sizeof(*p->last_heard));
	p->can = mem_alloc_zero(p->threads, sizeof(*p->can));
	p->set = mem_alloc_zero(p->threads, sizeof(*p->set));
	p->best = mem_alloc_zero(p->threads, sizeof(*p->best));
	for (uint32_t n = 1; n <= index->count; n++) {
		uint32_t thread = index->events[n].thread;

		if (heard && heard[n])
			p->last_heard[thread] = index->position[n] + 1;
		find_roles(p, n);
		for (size_t i = 0; i < p->uses.at.n; i++) {
			const struct object_use *use = &p->uses.at.at[i];
			uint32_t *last = p->last[use->class] +
					 ((size_t)use->object * p->threads + thread) * ROLES;

			for (uint32_t r = 0; r < ROLES; r++)
				if (use->roles >> r & 1)
					last[r] = index->position[n] + 1;
		}
	}
	return p;
}

void persistent_free(struct persistent *p)
{
	if (!p)
		return;
	for (int class = 0; class < CLASS_COUNT; class ++)
		mem_free(p->last[class]);
	mem_free(p->last_heard);
	mem_free(p->can);
	mem_free(p->set);
	mem_free(p->best);
	vec_release(&p->uses.at);
	vec_release(&p->work);
	mem_free(p);
}
