/* SPDX-License-Identifier: MIT */
/* What can happen in a state, and what it changes: the tables of doc/model.md. */
#include "search/explore/space.h"

#include "model/whole.h"
#include "trace/expr.h"

static uint32_t position_of(const struct space *s, const uint64_t *state, uint32_t thread)
{
	return (uint32_t)field_get(state, s->threads[thread].position);
}

uint32_t space_next(const struct space *s, const uint64_t *state, uint32_t thread)
{
	const struct index_thread *t = &s->index->threads[thread];
	uint32_t position = position_of(s, state, thread);

	return position < t->count ? t->events[position] : 0;
}

bool space_done(const struct space *s, const uint64_t *state, uint32_t event)
{
	return s->index->position[event] < position_of(s, state, s->index->events[event].thread);
}

/* The thread is past the event, and did not skip it. */
static bool has_happened(const struct space *s, const uint64_t *state, uint32_t event)
{
	if (!space_done(s, state, event))
		return false;
	for (uint32_t b = index_arm(s->index, event); b; b = index_arm(s->index, b))
		if (field_get(state, s->skipped[b]))
			return false;
	return true;
}

bool space_complete(const struct space *s, const uint64_t *state)
{
	for (uint32_t t = 0; t < s->index->thread_count; t++)
		if (space_next(s, state, t))
			return false;
	return true;
}

bool space_exists(const struct space *s, const uint64_t *state, uint32_t thread)
{
	uint32_t fork = s->index->threads[thread].fork;

	return !fork || space_done(s, state, fork);
}

bool space_ended(const struct space *s, const uint64_t *state, uint32_t thread)
{
	const struct index_thread *t = &s->index->threads[thread];

	return t->count && !space_next(s, state, thread) &&
	       s->index->events[t->events[t->count - 1]].kind == EV_END;
}

bool space_lost(const struct space *s, const uint64_t *state, uint32_t thread)
{
	if (!space_exists(s, state, thread))
		return false;
	return field_get(state, s->threads[thread].stopped) ||
	       (!space_next(s, state, thread) && !space_ended(s, state, thread));
}

static const struct held_lock *held_by(const struct space *s, const uint64_t *state,
				       uint32_t thread, uint32_t lock)
{
	uint32_t next = space_next(s, state, thread);

	return locksets_find(s->locks, next ? s->locks->before[next] : s->locks->at_end[thread],
			     lock);
}

/* Another thread holds the lock: in any way, or as a writer. */
static bool is_taken(const struct space *s, const uint64_t *state, uint32_t thread, uint32_t lock,
		     bool by_writer)
{
	for (uint32_t t = 0; t < s->index->thread_count; t++) {
		const struct held_lock *held = t == thread ? NULL : held_by(s, state, t, lock);

		if (held && !(by_writer && held->shared))
			return true;
	}
	return false;
}

static const struct index_list *uses_of(const struct space *s, const struct event *e)
{
	return &s->index->uses[event_kind_class[e->kind]][e->object];
}

static bool kind_done(const struct space *s, const uint64_t *state, const struct event *e,
		      enum event_kind kind)
{
	const struct index_list *list = uses_of(s, e);

	for (uint32_t i = 0; i < list->count; i++)
		if (s->index->events[list->events[i]].kind == kind &&
		    space_done(s, state, list->events[i]))
			return true;
	return false;
}

static uint64_t semaphore_count(const struct space *s, const uint64_t *state, const struct event *e)
{
	const struct index_list *list = uses_of(s, e);
	uint64_t count = s->index->symbols->semaphores.at[e->object].count;

	for (uint32_t i = 0; i < list->count; i++) {
		if (!space_done(s, state, list->events[i]))
			continue;
		if (s->index->events[list->events[i]].kind == EV_SEM_POST)
			count++;
		else if (s->index->events[list->events[i]].kind == EV_SEM_WAIT)
			count--;
	}
	return count;
}

static uint32_t round_entered(const struct space *s, const uint64_t *state,
			      const struct event *barrier, uint32_t round)
{
	const struct index_list *list = uses_of(s, barrier);
	uint32_t entered = 0;

	for (uint32_t i = 0; i < list->count; i++)
		entered += s->index->events[list->events[i]].kind == EV_BARRIER_ENTER &&
			   s->index->round[list->events[i]] == round &&
			   space_done(s, state, list->events[i]);
	return entered;
}

/* No round but that of event n is half entered. */
static bool can_enter(const struct space *s, const uint64_t *state, uint32_t n)
{
	const struct event *e = &s->index->events[n];
	const struct index_list *list = uses_of(s, e);
	uint32_t parties = s->index->symbols->barriers.at[e->object].parties;

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t round = s->index->round[list->events[i]];

		if (round != s->index->round[n] && space_done(s, state, list->events[i]) &&
		    round_entered(s, state, e, round) < parties)
			return false;
	}
	return true;
}

/* The event that a woken names has happened, while its thread slept. */
static bool is_awake(const struct space *s, const uint64_t *state, const struct event *woken)
{
	return space_done(s, state, (uint32_t)woken->more->by) &&
	       !field_get(state, s->threads[woken->thread].missed);
}

/* The thread sleeps: its wait has happened, and nothing has woken it since. */
static bool sleeps(const struct space *s, const uint64_t *state, uint32_t thread,
		   uint32_t condition, uint64_t *by)
{
	const struct event *next = &s->index->events[space_next(s, state, thread)];

	if (!space_next(s, state, thread) || next->kind != EV_WOKEN || next->object != condition)
		return false;
	*by = next->more->by;
	return *by && !is_awake(s, state, next);
}

static bool can_signal(const struct space *s, const uint64_t *state, uint32_t n)
{
	const struct event *e = &s->index->events[n];
	uint32_t asleep = 0;
	uint64_t by;

	for (uint32_t i = index_first_wake(s->index, n);
	     i < s->index->wake_count && s->index->wakes[i].by == n; i++) {
		uint32_t woken = s->index->wakes[i].woken;

		if (space_next(s, state, s->index->events[woken].thread) == woken)
			asleep++;
		else if (!s->early)
			return false;
	}
	if (e->kind == EV_SIGNAL && asleep)
		return true; /* of those that sleep, the system may choose the one it chose */
	for (uint32_t t = 0; t < s->index->thread_count; t++)
		if (sleeps(s, state, t, e->object, &by) && by != n)
			return false;
	return true;
}

static bool is_external(const struct space *s, uint32_t n)
{
	return s->index->events[n].kind == EV_EXTERNAL;
}

static bool can_access(const struct space *s, const uint64_t *state, uint32_t n)
{
	const struct event *e = &s->index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t number = event_part(e, i).variable;
		const struct space_variable *v = &s->variables[number];
		const struct index_list *list = &s->index->uses[CLASS_VARIABLE][number];

		if (v->free && space_done(s, state, v->free))
			return false;
		if (v->alloc && v->alloc != n && !space_done(s, state, v->alloc))
			return false;
		if (!v->external)
			continue;
		/* nothing moves across an external */
		for (uint32_t j = 0; j < list->count; j++) {
			uint32_t other = list->events[j];
			bool done = has_happened(s, state, other);

			if ((is_external(s, n) || is_external(s, other)) && done != (other < n))
				return false;
		}
	}
	return true;
}

bool space_can(const struct space *s, const uint64_t *state, uint32_t thread)
{
	uint32_t n = space_next(s, state, thread);
	const struct event *e = &s->index->events[n];

	if (!n || field_get(state, s->threads[thread].stopped) || !space_exists(s, state, thread))
		return false;
	switch ((enum event_kind)e->kind) {
	case EV_FORK: return !position_of(s, state, e->object);
	case EV_JOIN: {
		uint32_t fork = s->index->threads[e->object].fork;

		return (!fork || space_done(s, state, fork)) && !space_next(s, state, e->object);
	}
	case EV_ACQUIRE: return !is_taken(s, state, thread, e->object, false);
	case EV_ACQUIRE_SHARED: return !is_taken(s, state, thread, e->object, true);
	case EV_TRY_FAIL: return is_taken(s, state, thread, e->object, false);
	case EV_WOKEN:
		return (!e->more->by || is_awake(s, state, e)) &&
		       !is_taken(s, state, thread, e->more->lock, false);
	case EV_SIGNAL:
	case EV_BROADCAST: return can_signal(s, state, n);
	case EV_BARRIER_ENTER: return can_enter(s, state, n);
	case EV_BARRIER_EXIT:
		return round_entered(s, state, e, s->index->round[n]) ==
		       s->index->symbols->barriers.at[e->object].parties;
	case EV_SEM_WAIT: return semaphore_count(s, state, e) > 0;
	case EV_SEM_FAIL: return semaphore_count(s, state, e) == 0;
	case EV_ONCE_BEGIN: return !kind_done(s, state, e, EV_ONCE_BEGIN);
	case EV_ONCE_PASS: return kind_done(s, state, e, EV_ONCE_END);
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_ALLOC:
	case EV_FREE:
	case EV_EXTERNAL: return can_access(s, state, n);
	/* a guard that does not hold has stopped the thread */
	case EV_BRANCH:
	/* the thread's own events see to these: it has the lock, it began the once */
	case EV_RELEASE:
	case EV_RELEASE_SHARED:
	case EV_WAIT:
	case EV_ONCE_END:
	case EV_BEGIN:
	case EV_END:
	case EV_SEM_POST:
	case EV_MARK: return true;
	case EV_COUNT: break;
	}
	BUG("not an event");
}

bool space_waits(const struct space *s, const uint64_t *state, uint32_t thread)
{
	uint32_t n = space_next(s, state, thread);
	const struct event *e = &s->index->events[n];

	if (!n || !event_blocks(e) || field_get(state, s->threads[thread].stopped) ||
	    !space_exists(s, state, thread) || space_can(s, state, thread))
		return false;
	switch (e->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED:
	case EV_WOKEN:
	case EV_BARRIER_EXIT:
	case EV_SEM_WAIT: return true;
	case EV_JOIN: /* if it is not forked yet, there is nothing to join */
		return !s->index->threads[e->object].fork ||
		       space_done(s, state, s->index->threads[e->object].fork);
	case EV_ONCE_PASS: return kind_done(s, state, e, EV_ONCE_BEGIN);
	default: return false;
	}
}

bool space_waits_for(const struct space *s, const uint64_t *state, uint32_t thread, uint32_t other)
{
	const struct event *e = &s->index->events[space_next(s, state, thread)];
	const struct held_lock *held;

	if (thread == other)
		return false;
	switch (e->kind) {
	case EV_ACQUIRE: return held_by(s, state, other, e->object);
	case EV_ACQUIRE_SHARED:
		held = held_by(s, state, other, e->object);
		return held && !held->shared;
	case EV_WOKEN:
		return (!e->more->by || is_awake(s, state, e)) &&
		       held_by(s, state, other, e->more->lock);
	default: return false;
	}
}

/* What the variable of part i holds; without a field it is what every read expects. */
static uint32_t held_token(const struct space *s, const uint64_t *state, uint32_t n, uint32_t i)
{
	const struct space_variable *v =
		&s->variables[event_part(&s->index->events[n], i).variable];

	return v->token.mask ? (uint32_t)field_get(state, v->token)
			     : s->expected[s->index->parts[n] + i];
}

/* The value of read n as a whole, as recorded or (now) as it would be now; false: unknown. */
static bool whole_value(const struct space *s, const uint64_t *state, uint32_t n, bool now,
			int64_t *value)
{
	const struct event *e = &s->index->events[n];
	uint64_t whole = 0;

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		int64_t part = event_part(e, i).value;
		uint32_t shift;
		uint64_t mask;

		if (now) {
			uint32_t token = held_token(s, state, n, i);

			if (!token)
				return false;
			part = space_token_value(s, token);
		}
		if (!whole_place(s->index->symbols, e, i, &shift, &mask)) {
			*value = part;
			return true;
		}
		whole |= ((uint64_t)part & mask) << shift;
	}
	*value = (int64_t)whole;
	return true;
}

static const struct space_result *result_of(const struct space *s, uint32_t read)
{
	return &s->results.at[s->result_of[read] - 1];
}

struct lookup {
	const struct space *s;
	const uint64_t *state;
	uint32_t n; /* the event whose expression it is */
};

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	const struct lookup *l = context;

	if (read == l->n)
		return whole_value(l->s, l->state, l->n, true, value);
	const struct space_result *r = result_of(l->s, (uint32_t)read);

	if (!field_get(l->state, r->changed))
		return whole_value(l->s, NULL, r->read, false, value);
	uint32_t token = (uint32_t)field_get(l->state, r->token);

	if (token)
		*value = space_token_value(l->s, token);
	return token;
}

static bool evaluate(const struct space *s, const uint64_t *state, uint32_t n, int64_t *value)
{
	const struct event *e = &s->index->events[n];
	struct lookup l = {s, state, n};

	return s->model == MODEL_VALUES && e->more && e->more->expr &&
	       expr_value(e->more->expr, look_up, &l, value);
}

/* Has a read changed that event n depends on? own: event n itself has. */
static bool depends_on_changed(const struct space *s, const uint64_t *state, uint32_t n, bool own)
{
	const struct space_depends *d = &s->depends[n];

	if (d->on_all && (own || field_get(state, s->threads[s->index->events[n].thread].changed)))
		return true;
	for (uint32_t i = 0; i < d->count; i++)
		if (d->named[i] == n ? own : field_get(state, result_of(s, d->named[i])->changed))
			return true;
	return false;
}

static bool guard_holds(const struct space *s, const uint64_t *state, uint32_t n)
{
	const struct event *e = &s->index->events[n];
	int64_t value;

	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		if (field_get(state, result_of(s, (uint32_t)e->more->at[i])->changed))
			return false;
	return e->kind != EV_BRANCH || !depends_on_changed(s, state, n, false) ||
	       (evaluate(s, state, n, &value) && (value || index_scope(s->index, n)));
}

/* How many events the thread skips behind event n, which can happen. */
static uint32_t skips(const struct space *s, const uint64_t *state, uint32_t n)
{
	uint32_t scope = index_scope(s->index, n);
	int64_t value;

	if (!scope || !depends_on_changed(s, state, n, false))
		return 0;
	return evaluate(s, state, n, &value) && !value ? scope : 0;
}

static bool has_changed(const struct space *s, const uint64_t *state, uint32_t n)
{
	const struct event *e = &s->index->events[n];

	if (s->live[n])
		for (uint32_t i = 0; i < event_part_count(e); i++)
			if (held_token(s, state, n, i) != s->expected[s->index->parts[n] + i])
				return true;
	return false;
}

static void note_changed(const struct space *s, uint64_t *state, uint32_t n)
{
	field_set(state, s->threads[s->index->events[n].thread].changed, 1);
	field_set(state, result_of(s, n)->changed, 1);
}

/* What a changed read returned, for those who ask later. */
static void keep_changed(struct space *s, uint64_t *state, uint32_t n)
{
	const struct space_result *r = result_of(s, n);
	int64_t value;

	note_changed(s, state, n);
	if (r->token.mask && whole_value(s, state, n, true, &value))
		field_set(state, r->token, space_value_token(s, value));
}

static void store(struct space *s, uint64_t *state, uint32_t n, bool own)
{
	const struct event *e = &s->index->events[n];
	bool changed = depends_on_changed(s, state, n, own);
	int64_t value;
	bool known = changed && evaluate(s, state, n, &value);

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t token = changed ? 0 : s->written[s->index->parts[n] + i];
		int64_t part;

		if (known && whole_part(s->index->symbols, e, i, value, &part))
			token = space_value_token(s, part);
		field_set(state, s->variables[event_part(e, i).variable].token, token);
	}
}

/* Nobody who may still read the variable makes a difference between its token and unknown. */
static void forget_value(const struct space *s, uint64_t *state, const struct space_variable *v)
{
	uint64_t token = field_get(state, v->token);

	if (!token)
		return;
	for (uint32_t i = 0; i < v->read_count; i++) {
		uint32_t n = v->reads[i];
		const struct event *e = &s->index->events[n];

		if (space_done(s, state, n) || field_get(state, s->threads[e->thread].stopped))
			continue;
		if (s->value_used[n])
			return;
		for (uint32_t j = 0; j < event_part_count(e); j++)
			if (&s->variables[event_part(e, j).variable] == v &&
			    s->expected[s->index->parts[n] + j] == token)
				return;
	}
	field_set(state, v->token, 0);
}

static void forget_parts(const struct space *s, uint64_t *state, uint32_t n)
{
	const struct event *e = &s->index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++)
		forget_value(s, state, &s->variables[event_part(e, i).variable]);
}

/* Clears what no step can look at any more, now that the thread is past event n. */
static void forget(const struct space *s, uint64_t *state, uint32_t n)
{
	const struct event *e = &s->index->events[n];
	const struct space_thread *t = &s->threads[e->thread];
	uint32_t position = position_of(s, state, e->thread);
	bool stopped = field_get(state, t->stopped);

	if (stopped || position >= t->changed_end)
		field_set(state, t->changed, 0);
	for (uint32_t i = t->first_result; i < t->result_end; i++) {
		const struct space_result *r = &s->results.at[i];

		if (stopped || position >= r->end)
			field_set(state, r->changed, 0);
		if (stopped || position >= r->value_end)
			field_set(state, r->token, 0);
	}
	if (stopped)
		for (size_t v = 0; v < s->variable_count; v++)
			forget_value(s, state, &s->variables[v]);
	else
		for (uint32_t i = s->index->position[n]; i < position; i++)
			forget_parts(s, state, s->index->threads[e->thread].events[i]);
}

void space_start(const struct space *s, uint64_t *state)
{
	for (uint32_t i = 0; i < s->words; i++)
		state[i] = 0;
	for (size_t v = 0; v < s->variable_count; v++) {
		field_set(state, s->variables[v].token, s->variables[v].start);
		forget_value(s, state, &s->variables[v]);
	}
}

/* A wait: has that happened already which shall wake it? */
static bool comes_late(const struct space *s, const uint64_t *state, uint32_t wait, uint32_t next)
{
	const struct event *woken = &s->index->events[next];

	return s->index->events[wait].kind == EV_WAIT && next && woken->more->by &&
	       space_done(s, state, (uint32_t)woken->more->by);
}

/* The thread is past event n, and past those in its scope if it skips them. */
static void move_on(const struct space *s, uint64_t *state, uint32_t n)
{
	const struct index_thread *t = &s->index->threads[s->index->events[n].thread];
	uint32_t position = s->index->position[n] + 1, end = position + skips(s, state, n);

	if (position < end)
		field_set(state, s->skipped[n], 1);
	/* skipped reads returned nothing */
	for (; position < end; position++)
		if (s->live[t->events[position]])
			note_changed(s, state, t->events[position]);
	field_set(state, s->threads[s->index->events[n].thread].position, position);
}

bool space_step(struct space *s, uint64_t *state, uint32_t thread)
{
	uint32_t n = space_next(s, state, thread), next;
	const struct event *e = &s->index->events[n];
	bool own = event_is(e, EV_RETURNS) && has_changed(s, state, n);

	if (own && s->model == MODEL_SAID)
		return false;
	if (own)
		keep_changed(s, state, n);
	if (event_is(e, EV_STORES) && event_is(e, EV_VALUE))
		store(s, state, n, own);
	move_on(s, state, n);
	next = space_next(s, state, thread);
	if (comes_late(s, state, n, next))
		field_set(state, s->threads[thread].missed, 1);
	if (next && ((own && s->model == MODEL_MCM) || !guard_holds(s, state, next)))
		field_set(state, s->threads[thread].stopped, 1);
	forget(s, state, n);
	return true;
}
