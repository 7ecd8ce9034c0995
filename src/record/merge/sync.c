/* SPDX-License-Identifier: MIT */
#include "record/merge/sync.h"

#include "base/err.h"
#include "base/counts.h"

#include <string.h>

#define AUXILIARY ((uint64_t)1 << 63)

struct hold {
	uint32_t thread, count;
	uint64_t pc; /* of the first */
};

struct waiter {
	uint32_t thread;
	uint64_t since;
};

struct signal {
	uint64_t at, number;
	uint32_t woken; /* as LOG_SIGNAL says */
	bool broadcast, claimed;
	bool passed; /* another one that slept was woken by a later one */
};

/* The state of an object; what its class needs of it. */
struct state {
	uint32_t writer; /* thread + 1 */
	uint32_t depth;
	uint64_t pc; /* where it took it */
	VEC(struct hold) readers;
	VEC(struct waiter) waiters;
	VEC(struct signal) signals; /* since the oldest of the waiters */
	uint64_t entered;
	int64_t count; /* of a semaphore; in the first pass, below 0 if more is needed at first */
	bool has_count, exited;
	bool missed;		    /* the last signal woke nobody: */
	struct sync_holder missing; /* this one */
	enum { NEW, RUNNING, DONE } once;
};

struct inside {
	uint32_t barrier;
	uint64_t round;
};

struct thread {
	bool ended, waiting;
	uint32_t condition, lock, depth;
	uint64_t since;
	VEC(struct inside) inside;
};

struct sync {
	struct sync_facts *facts;
	bool first;
	bool any_taken_over;	    /* in the facts, for the second pass */
	uint32_t next;		    /* number of the next new object */
	struct counts numbers;	    /* by address and class: number + 1 */
	uint16_t lines[LOG_SHARDS]; /* objects in lines of that shard */
	VEC(struct state) states;
	VEC(struct thread) threads;
	uint64_t now; /* counts records */
	uint64_t misfits;
	struct sync_step *steps;
	size_t step_count;
	uint32_t thread; /* of the record at hand */
	uint64_t pc;
};

/* Objects */

static uint64_t key_of(uint64_t address, uint8_t class)
{
	return address << 3 | class;
}

static struct sync_fact *fact_of(struct sync *s, uint32_t object)
{
	return &s->facts->at.at[object];
}

static uint32_t new_state(struct sync *s, uint64_t key, uint32_t object)
{
	vec_extend(&s->states, (size_t)object + 1);
	s->states.at[object].count = (int64_t)fact_of(s, object)->count;
	counts_add(&s->numbers, key);
	s->numbers.slots[counts_find(&s->numbers, key)].count = (uint64_t)object + 1;
	return object;
}

static uint32_t object_at(struct sync *s, uint64_t address, uint8_t class)
{
	uint64_t key = key_of(address, class), found = counts_count(&s->numbers, key);

	if (found)
		return (uint32_t)found - 1;
	struct sync_fact fact = {.address = address, .pc = s->pc, .class = class};

	s->lines[log_shard(address)]++;
	if (s->first)
		vec_push(&s->facts->at, fact);
	ASSERT(s->next < s->facts->at.n);
	return new_state(s, key, s->next++);
}

static uint32_t auxiliary_of(struct sync *s, uint32_t thread)
{
	uint64_t key = AUXILIARY | thread, found = counts_count(&s->numbers, key);

	if (found)
		return (uint32_t)found - 1;
	struct sync_fact fact = {.address = thread, .class = CLASS_LOCK, .auxiliary = true};

	/* behind all that the first pass found */
	vec_push(&s->facts->at, fact);
	return new_state(s, key, (uint32_t)s->facts->at.n - 1);
}

static void release_state(struct state *state)
{
	vec_release(&state->readers);
	vec_release(&state->waiters);
	vec_release(&state->signals);
}

static void forget_object(struct sync *s, uint64_t address, uint8_t class)
{
	uint64_t key = key_of(address, class), found = counts_count(&s->numbers, key);

	if (!found)
		return;
	s->lines[log_shard(address)]--;
	counts_remove(&s->numbers, counts_find(&s->numbers, key));
	release_state(&s->states.at[found - 1]);
}

static void forget_address(struct sync *s, uint64_t address)
{
	for (int c = CLASS_LOCK; c <= CLASS_ONCE; c++)
		forget_object(s, address, (uint8_t)c);
}

/* A range with more lines than there are objects: look at the objects. */
static void forget_by_objects(struct sync *s, uint64_t address, uint64_t size)
{
	VEC(uint64_t) gone = {0};

	for (size_t i = 0; i <= s->numbers.mask; i++) {
		uint64_t key = s->numbers.slots[i].key;

		if (s->numbers.slots[i].count && !(key & AUXILIARY) && (key >> 3) - address < size)
			vec_push(&gone, key >> 3);
	}
	for (size_t i = 0; i < gone.n; i++)
		forget_address(s, gone.at[i]);
	vec_release(&gone);
}

void sync_forget(struct sync *s, uint64_t address, uint64_t size)
{
	if (!s->numbers.used || !size)
		return;
	if (size / LOG_LINE > s->numbers.used) {
		forget_by_objects(s, address, size);
		return;
	}
	for (uint64_t line = address & ~(uint64_t)(LOG_LINE - 1); line < address + size;
	     line += LOG_LINE) {
		if (!s->lines[log_shard(line)])
			continue;
		for (uint64_t a = line; a < line + LOG_LINE; a += 4)
			if (a - address < size)
				forget_address(s, a);
	}
}

/* Steps */

static struct sync_step *add_step(struct sync *s, uint32_t thread, enum event_kind kind,
				  uint32_t object)
{
	static struct sync_step beyond;
	struct sync_step *step = s->step_count < SYNC_STEPS ? &s->steps[s->step_count++] : &beyond;

	*step = (struct sync_step){.thread = thread, .kind = (uint8_t)kind, .object = object};
	return step;
}

static struct thread *thread_at(struct sync *s, uint32_t thread)
{
	vec_extend(&s->threads, (size_t)thread + 1);
	return &s->threads.at[thread];
}

static bool has_ended(struct sync *s, uint32_t thread)
{
	return thread_at(s, thread)->ended;
}

/* Locks */

static struct hold *find_hold(struct state *state, uint32_t thread)
{
	for (size_t i = 0; i < state->readers.n; i++)
		if (state->readers.at[i].thread == thread)
			return &state->readers.at[i];
	return NULL;
}

/* Somebody takes the lock although a thread holds it: that one is over, or as good as over. */
static void give_up(struct sync *s, uint32_t object, uint32_t thread, enum event_kind kind)
{
	if (has_ended(s, thread))
		fact_of(s, object)->taken_over = true; /* the second pass lets go in time */
	else
		add_step(s, thread, kind, object)->inserted = true;
}

/* Not from a thread that waits on a condition: its next event is that it is woken. */
static bool can_be_freed(struct sync *s, uint32_t object, bool readers_too)
{
	const struct state *state = &s->states.at[object];

	if (state->writer && sync_waits(s, state->writer - 1))
		return false;
	for (size_t i = 0; readers_too && i < state->readers.n; i++)
		if (sync_waits(s, state->readers.at[i].thread))
			return false;
	return true;
}

static void free_writer(struct sync *s, uint32_t object)
{
	struct state *state = &s->states.at[object];

	if (!state->writer)
		return;
	give_up(s, object, state->writer - 1, EV_RELEASE);
	state->writer = 0;
}

static void free_readers(struct sync *s, uint32_t object)
{
	struct state *state = &s->states.at[object];

	for (size_t i = 0; i < state->readers.n; i++)
		for (uint32_t k = 0; k < state->readers.at[i].count; k++)
			give_up(s, object, state->readers.at[i].thread, EV_RELEASE_SHARED);
	state->readers.n = 0;
}

static void take_semaphore(struct sync *s, uint32_t object)
{
	struct state *state = &s->states.at[object];

	if (!s->first && state->count <= 0) {
		s->misfits++;
		return;
	}
	state->count--;
	if (s->first && state->count < 0) { /* it must have been more at first */
		fact_of(s, object)->count++;
		state->count = 0;
	}
	add_step(s, s->thread, EV_SEM_WAIT, object);
}

static void post_semaphore(struct sync *s, uint32_t object)
{
	s->states.at[object].count++;
	add_step(s, s->thread, EV_SEM_POST, object);
}

/* Counts of a lock, in case that it turns out to be a semaphore. */
static void count_lock(struct sync *s, uint32_t object, int step)
{
	struct state *state = &s->states.at[object];

	if (!s->first)
		return;
	state->count += step;
	if (state->count < 0) {
		fact_of(s, object)->count++;
		state->count = 0;
	}
}

static void acquire(struct sync *s, uint32_t object)
{
	struct state *state = &s->states.at[object];

	if (fact_of(s, object)->semaphore && !s->first) {
		take_semaphore(s, object);
		return;
	}
	if (state->writer == s->thread + 1) {
		state->depth++;
		return;
	}
	if (!can_be_freed(s, object, true)) {
		s->misfits++;
		return;
	}
	free_writer(s, object);
	free_readers(s, object);
	state->writer = s->thread + 1;
	state->pc = s->pc;
	state->depth = 1;
	count_lock(s, object, -1);
	add_step(s, s->thread, EV_ACQUIRE, object);
}

static void acquire_shared(struct sync *s, uint32_t object)
{
	struct state *state = &s->states.at[object];
	struct hold *hold = find_hold(state, s->thread);

	if (fact_of(s, object)->semaphore && !s->first) {
		take_semaphore(s, object);
		return;
	}
	if (!can_be_freed(s, object, false)) {
		s->misfits++;
		return;
	}
	free_writer(s, object);
	if (hold) {
		hold->count++;
	} else {
		struct hold first = {s->thread, 1, s->pc};

		vec_push(&state->readers, first);
	}
	count_lock(s, object, -1);
	add_step(s, s->thread, EV_ACQUIRE_SHARED, object);
}

/* Of either kind: whichever the thread has. */
static void release(struct sync *s, uint32_t object)
{
	struct state *state = &s->states.at[object];
	struct hold *hold = find_hold(state, s->thread);

	if (fact_of(s, object)->semaphore && !s->first) {
		post_semaphore(s, object);
	} else if (state->writer == s->thread + 1) {
		if (--state->depth)
			return;
		state->writer = 0;
		count_lock(s, object, 1);
		add_step(s, s->thread, EV_RELEASE, object);
	} else if (hold) {
		if (!--hold->count)
			*hold = state->readers.at[--state->readers.n];
		count_lock(s, object, 1);
		add_step(s, s->thread, EV_RELEASE_SHARED, object);
	} else if (s->first) {
		fact_of(s, object)->semaphore = true;
		count_lock(s, object, 1);
		state->writer = 0;
	}
}

static void try_fail(struct sync *s, uint32_t object)
{
	struct state *state = &s->states.at[object];
	bool other = state->writer && state->writer != s->thread + 1;

	if (fact_of(s, object)->semaphore && !s->first) {
		if (!state->count)
			add_step(s, s->thread, EV_SEM_FAIL, object);
		else
			s->misfits++;
		return;
	}
	for (size_t i = 0; i < state->readers.n; i++)
		other |= state->readers.at[i].thread != s->thread;
	if (other)
		add_step(s, s->thread, EV_TRY_FAIL, object);
	else
		s->misfits++;
}

/* Threads that end, or are joined, with a lock that somebody takes over later. */
static void end_thread(struct sync *s, uint32_t thread)
{
	if (has_ended(s, thread))
		return;
	thread_at(s, thread)->ended = true;
	for (uint32_t l = 0; s->any_taken_over && l < s->next; l++) {
		struct state *state = &s->states.at[l];
		struct hold *hold = find_hold(state, thread);

		if (!fact_of(s, l)->taken_over || sync_waits(s, thread))
			continue;
		if (state->writer == thread + 1) {
			state->writer = 0;
			add_step(s, thread, EV_RELEASE, l)->inserted = true;
		}
		for (uint32_t k = 0; hold && k < hold->count; k++)
			add_step(s, thread, EV_RELEASE_SHARED, l)->inserted = true;
		if (hold)
			*hold = state->readers.at[--state->readers.n];
	}
}

/* Conditions */

static void forget_signals(struct state *c)
{
	uint64_t oldest = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < c->waiters.n; i++)
		if (c->waiters.at[i].since < oldest)
			oldest = c->waiters.at[i].since;
	for (size_t i = 0; i < c->signals.n; i++) {
		const struct signal *signal = &c->signals.at[i];

		if (signal->at > oldest && !signal->claimed)
			c->signals.at[kept++] = *signal;
	}
	c->signals.n = kept;
}

static void signal_condition(struct sync *s, uint32_t object, enum event_kind kind, uint64_t woken)
{
	struct state *c = &s->states.at[object];
	struct sync_step *step = add_step(s, s->thread, kind, object);
	struct signal signal = {
		.at = s->now, .woken = (uint32_t)woken, .broadcast = kind == EV_BROADCAST};

	c->missed = !c->waiters.n;
	c->missing = (struct sync_holder){.thread = s->thread, .pc = s->pc};
	if (!c->waiters.n)
		return;
	vec_push(&c->signals, signal);
	step->number = &c->signals.at[c->signals.n - 1].number;
}

/* The earliest after its wait that has not woken another. */
static uint64_t find_waker(struct state *c, uint32_t thread, uint64_t since, bool guesses)
{
	size_t i = 0;

	while (i < c->signals.n &&
	       (c->signals.at[i].at <= since || c->signals.at[i].claimed ||
		(c->signals.at[i].woken && !guesses && c->signals.at[i].woken != thread + 1)))
		i++;
	if (i == c->signals.n)
		return 0;
	for (size_t k = 0; k < i; k++)
		c->signals.at[k].passed |= c->signals.at[k].at > since;
	c->signals.at[i].claimed = !c->signals.at[i].broadcast;
	return c->signals.at[i].number;
}

static void wait_on(struct sync *s, uint32_t condition, uint32_t lock)
{
	struct thread *t = thread_at(s, s->thread);
	struct state *l = &s->states.at[lock];
	uint32_t depth = 1;

	if (fact_of(s, lock)->semaphore && !s->first) {
		uint32_t auxiliary = auxiliary_of(s, s->thread);

		post_semaphore(s, lock);
		add_step(s, s->thread, EV_ACQUIRE, auxiliary)->inserted = true;
		lock = auxiliary;
	} else if (l->writer == s->thread + 1) {
		depth = l->depth;
		l->writer = 0;
		count_lock(s, lock, 1);
	} else { /* only in the first pass */
		fact_of(s, lock)->semaphore = true;
		count_lock(s, lock, 1);
	}
	add_step(s, s->thread, EV_WAIT, condition)->lock = lock;
	*t = (struct thread){.waiting = true,
			     .condition = condition,
			     .lock = lock,
			     .depth = depth,
			     .since = s->now,
			     .inside = t->inside};
	struct waiter waiter = {s->thread, s->now};

	vec_push(&s->states.at[condition].waiters, waiter);
}

static void woken(struct sync *s, uint32_t condition, uint32_t lock, bool timed_out)
{
	struct thread *t = thread_at(s, s->thread);
	struct state *c = &s->states.at[condition];

	if (!t->waiting) {
		s->misfits++;
		acquire(s, lock);
		return;
	}
	bool auxiliary = fact_of(s, t->lock)->auxiliary;

	if (t->condition != condition || (!auxiliary && t->lock != lock) ||
	    (!auxiliary && !can_be_freed(s, lock, true))) {
		s->misfits++;
		return;
	}
	t->waiting = false;
	for (size_t i = 0; i < c->waiters.n; i++)
		if (c->waiters.at[i].thread == s->thread) {
			c->waiters.at[i] = c->waiters.at[--c->waiters.n];
			break;
		}
	uint64_t by = timed_out ? 0 : find_waker(c, s->thread, t->since, s->facts->guesses);

	forget_signals(c);
	if (auxiliary) {
		struct sync_step *step = add_step(s, s->thread, EV_WOKEN, condition);

		step->lock = t->lock;
		step->by = by;
		add_step(s, s->thread, EV_RELEASE, t->lock)->inserted = true;
		take_semaphore(s, lock);
		return;
	}
	free_writer(s, lock);
	free_readers(s, lock);
	struct sync_step *step = add_step(s, s->thread, EV_WOKEN, condition);

	step->lock = lock;
	step->by = by;
	s->states.at[lock].writer = s->thread + 1;
	s->states.at[lock].pc = s->pc;
	s->states.at[lock].depth = t->depth;
	count_lock(s, lock, -1);
}

/* Barriers, once */

static void barrier_enter(struct sync *s, uint32_t object)
{
	struct thread *t = thread_at(s, s->thread);
	struct sync_fact *fact = fact_of(s, object);
	struct state *state = &s->states.at[object];
	struct inside inside = {object, 0};

	for (size_t i = 0; i < t->inside.n; i++)
		if (t->inside.at[i].barrier == object) {
			s->misfits++;
			return;
		}
	/* one that was made before the recording began: whoever came before the first left */
	if (s->first && !state->has_count && !state->exited)
		fact->parties++;
	inside.round = fact->parties ? state->entered / fact->parties : 0;
	state->entered++;
	vec_push(&t->inside, inside);
	add_step(s, s->thread, EV_BARRIER_ENTER, object);
}

static void barrier_exit(struct sync *s, uint32_t object)
{
	struct thread *t = thread_at(s, s->thread);
	struct state *state = &s->states.at[object];
	uint64_t parties = fact_of(s, object)->parties;

	state->exited = true;
	for (size_t i = 0; i < t->inside.n; i++) {
		if (t->inside.at[i].barrier != object)
			continue;
		if (!s->first && state->entered < (t->inside.at[i].round + 1) * parties)
			break;
		t->inside.at[i] = t->inside.at[--t->inside.n];
		add_step(s, s->thread, EV_BARRIER_EXIT, object);
		return;
	}
	s->misfits++;
}

static void once(struct sync *s, uint32_t object, uint8_t kind)
{
	struct state *state = &s->states.at[object];

	if (kind == LOG_ONCE_BEGIN && state->once == NEW) {
		state->once = RUNNING;
		state->writer = s->thread + 1;
		state->pc = s->pc;
		add_step(s, s->thread, EV_ONCE_BEGIN, object);
	} else if (kind == LOG_ONCE_END && state->once == RUNNING &&
		   state->writer == s->thread + 1) {
		state->once = DONE;
		add_step(s, s->thread, EV_ONCE_END, object);
	} else if (kind == LOG_ONCE_PASS && state->once == DONE) {
		add_step(s, s->thread, EV_ONCE_PASS, object);
	} else {
		s->misfits++;
	}
}

static void init_barrier(struct sync *s, uint64_t address, uint32_t parties)
{
	forget_object(s, address, CLASS_BARRIER);
	uint32_t object = object_at(s, address, CLASS_BARRIER);

	s->states.at[object].has_count = parties;
	if (s->first)
		fact_of(s, object)->parties = parties <= INT32_MAX ? parties : 0;
}

static void init_semaphore(struct sync *s, uint64_t address, uint32_t count)
{
	forget_object(s, address, CLASS_SEMAPHORE);
	uint32_t object = object_at(s, address, CLASS_SEMAPHORE);

	if (s->first) {
		fact_of(s, object)->count = count <= INT32_MAX ? count : INT32_MAX;
		s->states.at[object].count = (int64_t)fact_of(s, object)->count;
	}
}

size_t sync_follow(struct sync *s, const struct merged *r, struct sync_step *steps)
{
	const uint64_t *w = r->w;
	uint8_t kind = LOG_KIND_OF(*w);
	uint64_t mask = ((uint64_t)1 << LOG_ADDRESS_BITS) - 1;
	uint64_t address = kind == LOG_END ? 0 : w[1] & mask;

	s->steps = steps;
	s->step_count = 0;
	s->thread = r->thread;
	s->now++;
	if (kind != LOG_END)
		s->pc = w[2];
	if (has_ended(s, r->thread) ||
	    (kind != LOG_WOKEN && kind != LOG_END && sync_waits(s, r->thread))) {
		s->misfits++;
		return 0;
	}
	switch (kind) {
	case LOG_ACQUIRE: acquire(s, object_at(s, address, CLASS_LOCK)); break;
	case LOG_ACQUIRE_SHARED: acquire_shared(s, object_at(s, address, CLASS_LOCK)); break;
	case LOG_RELEASE:
	case LOG_RELEASE_SHARED: release(s, object_at(s, address, CLASS_LOCK)); break;
	case LOG_TRY_FAIL:
	case LOG_TRY_FAIL_SHARED: try_fail(s, object_at(s, address, CLASS_LOCK)); break;
	case LOG_WAIT: {
		uint32_t condition = object_at(s, address, CLASS_CONDITION);

		wait_on(s, condition, object_at(s, w[3] & mask, CLASS_LOCK));
		break;
	}
	case LOG_WOKEN: {
		uint32_t condition = object_at(s, address, CLASS_CONDITION);

		woken(s, condition, object_at(s, w[3] & mask, CLASS_LOCK), w[5]);
		break;
	}
	case LOG_SIGNAL:
		signal_condition(s, object_at(s, address, CLASS_CONDITION), EV_SIGNAL, w[3]);
		break;
	case LOG_BROADCAST:
		signal_condition(s, object_at(s, address, CLASS_CONDITION), EV_BROADCAST, 0);
		break;
	case LOG_BARRIER_INIT: init_barrier(s, address, (uint32_t)w[3]); break;
	case LOG_BARRIER_ENTER: barrier_enter(s, object_at(s, address, CLASS_BARRIER)); break;
	case LOG_BARRIER_EXIT: barrier_exit(s, object_at(s, address, CLASS_BARRIER)); break;
	case LOG_SEM_INIT: init_semaphore(s, address, (uint32_t)w[3]); break;
	case LOG_SEM_POST: post_semaphore(s, object_at(s, address, CLASS_SEMAPHORE)); break;
	case LOG_SEM_WAIT: take_semaphore(s, object_at(s, address, CLASS_SEMAPHORE)); break;
	case LOG_SEM_FAIL: {
		uint32_t object = object_at(s, address, CLASS_SEMAPHORE);

		if (s->states.at[object].count)
			s->misfits++;
		else
			add_step(s, s->thread, EV_SEM_FAIL, object);
		break;
	}
	case LOG_ONCE_BEGIN:
	case LOG_ONCE_END:
	case LOG_ONCE_PASS: once(s, object_at(s, address, CLASS_ONCE), kind); break;
	case LOG_INIT:
		forget_object(s, address, CLASS_LOCK);
		forget_object(s, address, CLASS_CONDITION);
		forget_object(s, address, CLASS_ONCE);
		break;
	case LOG_END: end_thread(s, s->thread); break;
	case LOG_JOIN:
		/* of a thread that is not known here there is nothing to end */
		if (w[1] < s->threads.n && w[1] != r->thread)
			end_thread(s, (uint32_t)w[1]);
		break;
	}
	return s->step_count;
}

bool sync_waits(const struct sync *s, uint32_t thread)
{
	return thread < s->threads.n && s->threads.at[thread].waiting;
}

uint64_t sync_waker(struct sync *s, uint32_t thread)
{
	const struct thread *t = &s->threads.at[thread];

	if (!sync_waits(s, thread))
		return 0;
	struct state *c = &s->states.at[t->condition];
	uint64_t by = find_waker(c, thread, t->since, s->facts->guesses);

	for (size_t i = 0; i < c->signals.n; i++)
		s->facts->unsettled |= c->signals.at[i].number == by && c->signals.at[i].passed;
	return by;
}

uint32_t sync_find(const struct sync *s, uint64_t address, uint8_t class)
{
	return (uint32_t)counts_count(&s->numbers, key_of(address, class)) - 1;
}

void sync_held_by(const struct sync *s, uint32_t object, sync_holders *holders)
{
	const struct state *state = &s->states.at[object];

	if (state->writer && state->once != DONE) {
		struct sync_holder holder = {state->writer - 1, state->pc, false};

		vec_push(holders, holder);
	}
	for (size_t i = 0; i < state->readers.n; i++) {
		const struct hold *hold = &state->readers.at[i];
		struct sync_holder holder = {hold->thread, hold->pc, true};

		vec_push(holders, holder);
	}
}

bool sync_missed(const struct sync *s, uint32_t condition, struct sync_holder *signal)
{
	*signal = s->states.at[condition].missing;
	return s->states.at[condition].missed;
}

uint64_t sync_misfits(const struct sync *s)
{
	return s->misfits;
}

struct sync *sync_new(struct sync_facts *facts, bool first)
{
	struct sync *s = mem_alloc_zero(1, sizeof(*s));

	s->facts = facts;
	s->first = first;
	for (size_t i = 0; !first && i < facts->at.n; i++)
		s->any_taken_over |= facts->at.at[i].taken_over;
	counts_init(&s->numbers);
	return s;
}

void sync_free(struct sync *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->states.n; i++)
		release_state(&s->states.at[i]);
	for (size_t i = 0; i < s->threads.n; i++)
		vec_release(&s->threads.at[i].inside);
	vec_release(&s->states);
	vec_release(&s->threads);
	counts_release(&s->numbers);
	mem_free(s);
}
