/* SPDX-License-Identifier: MIT */
#include "order/front.h"

#include <stdlib.h>

/* What a lock hands on: what the last writer knew, and what readers since knew. */
struct hb_lock {
	struct knowledge exclusive, shared;
	uint32_t slot, time; /* of the last exclusive release: who knows it knows all of it */
	bool any_shared;
};

static void add_trait(struct front *f, uint32_t variable, uint8_t trait)
{
	f->traits.at[variable] |= trait;
	f->any_traits.at[variable / TRAITS_TOGETHER] |= trait;
}

static __attribute__((noinline)) void know_traits(struct front *f, uint32_t variable)
{
	size_t known = f->traits.n, end = symbols_described_end(f->symbols);

	vec_extend(&f->traits, (size_t)variable + 1);
	vec_extend(&f->any_traits, (size_t)variable / TRAITS_TOGETHER + 1);
	for (size_t x = known; x <= variable && x < end; x++)
		if (symbols_variable(f->symbols, x)->flags & VARIABLE_VOLATILE)
			add_trait(f, (uint32_t)x, TRAIT_VOLATILE);
}

static inline uint8_t traits_of(struct front *f, uint32_t variable)
{
	if (__builtin_expect(f->traits.n <= variable, 0))
		know_traits(f, variable);
	return f->traits.at[variable];
}

static bool is_atomic(struct front *f, const struct event *e, uint32_t variable)
{
	return e->kind != EV_FREE && e->order != ORDER_WATCH &&
	       (e->kind == EV_RMW || e->order || traits_of(f, variable) & TRAIT_VOLATILE);
}

/* Threads */

static struct knowledge *hard(struct front *f, const struct actor *t)
{
	return &f->mhb.slots.at[t->slot];
}

/* The thread's time, where its own clocks show it. */
static void show_time(struct front *f, const struct actor *t)
{
	clock_set(&hard(f, t)->clock[0], t->slot, t->time);
	if (f->order->kind->clocks)
		clock_set(&order_knows(f->order, t)->clock[0], t->slot, t->time);
}

/* Others have learned of the thread up to here: what comes now is later. */
static void tick(struct front *f, struct actor *t)
{
	ASSERT(t->time < UINT32_MAX);
	t->time++;
	show_time(f, t);
}

/*
 * A slot of a thread that is over can be had by one that starts after it by MHB: whoever
 * knows of the new one then knows of all that the old one did.
 */
static uint32_t free_slot(struct front *f, const struct actor *parent)
{
	bool reuse = parent && f->reuse_from && f->actors.n >= f->reuse_from;

	for (size_t i = 0; reuse && i < f->ended.n; i++) {
		uint32_t slot = f->ended.at[i];

		if (clock_get(&hard(f, parent)->clock[0], slot) >= f->actors.at[slot].time) {
			f->ended.at[i] = f->ended.at[--f->ended.n];
			return slot;
		}
	}
	struct actor fresh = {0};

	ASSERT(f->actors.n < (size_t)1 << ACTOR_SLOT_BITS);
	vec_push(&f->actors, fresh);
	return (uint32_t)f->actors.n - 1;
}

static void start_thread(struct front *f, uint32_t thread, uint32_t parent_slot)
{
	bool forked = parent_slot != UINT32_MAX;
	uint32_t slot = free_slot(f, forked ? &f->actors.at[parent_slot] : NULL);
	struct actor *t = &f->actors.at[slot];

	vec_extend(&f->slot_of, (size_t)thread + 1);
	f->slot_of.at[thread] = slot + 1;
	t->thread = thread;
	t->slot = slot;
	ASSERT(t->time < UINT32_MAX);
	t->start_time = ++t->time;
	t->hard_time = 0;
	t->lockset = 0;
	t->live = true;
	t->open.n = 0;
	clock_table_slot(&f->mhb, slot);
	clock_table_clear(&f->mhb, hard(f, t));
	if (forked)
		clock_table_join(&f->mhb, hard(f, t), &f->mhb.slots.at[parent_slot]);
	struct clock_table *r = &f->order->clock_table;

	clock_table_slot(r, slot);
	clock_table_clear(r, &r->slots.at[slot]);
	if (forked)
		clock_table_join(r, &r->slots.at[slot], &r->slots.at[parent_slot]);
	show_time(f, t);
}

static struct actor *actor_of(struct front *f, uint32_t thread)
{
	if (thread >= f->slot_of.n || !f->slot_of.at[thread])
		start_thread(f, thread, UINT32_MAX);
	return &f->actors.at[f->slot_of.at[thread] - 1];
}

static void join_thread(struct front *f, struct actor *t, uint32_t thread)
{
	if (thread >= f->slot_of.n || !f->slot_of.at[thread])
		return; /* it did nothing, and nobody forked it */
	struct actor *child = &f->actors.at[f->slot_of.at[thread] - 1];

	if (child->thread != thread) {
		/* who joined it first knows all of it, but t may not */
		f->order->forgot = "what a thread knew that is joined once more";
		return;
	}
	clock_table_join(&f->mhb, hard(f, t), hard(f, child));
	clock_table_join(&f->order->clock_table, order_knows(f->order, t),
			 order_knows(f->order, child));
	if (f->order->kind->learned)
		f->order->kind->learned(f->order, t);
	if (child->live) {
		child->live = false;
		vec_push(&f->ended, child->slot);
	}
}

/* Channels */

static uint32_t new_channel(struct front *f)
{
	if (f->free_channels.n)
		return f->free_channels.at[--f->free_channels.n];
	return f->channel_count++;
}

static void drop_channel(struct front *f, uint32_t channel)
{
	clock_table_clear(&f->mhb, clock_table_channel(&f->mhb, channel));
	clock_table_clear(&f->order->clock_table,
			  clock_table_channel(&f->order->clock_table, channel));
	vec_push(&f->free_channels, channel);
}

/* The channel of an object, made when it is first asked for. */
static uint32_t channel_of(struct front *f, struct object_channels *channels, uint32_t object)
{
	vec_extend(&channels->v, (size_t)object + 1);
	if (!channels->v.at[object])
		channels->v.at[object] = new_channel(f) + 1;
	return channels->v.at[object] - 1;
}

/* hard: an edge of MHB; else one of HB alone */
static void put(struct front *f, struct actor *t, uint32_t channel, bool is_hard)
{
	if (is_hard) {
		clock_table_join(&f->mhb, clock_table_channel(&f->mhb, channel), hard(f, t));
		t->hard_time = t->time;
	}
	struct clock_table *r = &f->order->clock_table;

	if (is_hard || f->order->kind->hb)
		clock_table_join(r, clock_table_channel(r, channel), &r->slots.at[t->slot]);
	tick(f, t);
}

static void get(struct front *f, struct actor *t, uint32_t channel, bool is_hard)
{
	if (is_hard)
		clock_table_join(&f->mhb, hard(f, t), clock_table_channel(&f->mhb, channel));
	struct clock_table *r = &f->order->clock_table;

	if (is_hard || f->order->kind->hb)
		clock_table_join(r, &r->slots.at[t->slot], clock_table_channel(r, channel));
	if (is_hard && f->order->kind->learned)
		f->order->kind->learned(f->order, t);
}

/* Locks */

static __attribute__((noinline)) void number_lock(struct front *f, struct lock_numbers *numbers,
						  uint32_t object)
{
	vec_extend(&numbers->v, (size_t)object + 1);
	numbers->v.at[object] = ++f->lock_count;
}

static inline uint32_t lock_number(struct front *f, struct lock_numbers *numbers, uint32_t object)
{
	if (object >= numbers->v.n || !numbers->v.at[object])
		number_lock(f, numbers, object);
	return numbers->v.at[object] - 1;
}

static struct hb_lock *hb_lock(struct order *o, uint32_t lock)
{
	if (lock >= o->lock_count) {
		size_t grown = lock < 16 ? 16 : (size_t)lock * 2;

		o->locks = mem_resize(o->locks, grown * sizeof(*o->locks));
		memset(o->locks + o->lock_count, 0, (grown - o->lock_count) * sizeof(*o->locks));
		o->lock_count = grown;
	}
	return &o->locks[lock];
}

static void hb_acquire(struct order *o, struct actor *t, const struct open_section *h)
{
	struct hb_lock *l = hb_lock(o, h->lock);
	struct knowledge *k = order_knows(o, t);

	if (clock_get(&k->clock[0], l->slot) < l->time)
		clock_table_join(&o->clock_table, k, &l->exclusive);
	if (!h->shared && l->any_shared) {
		clock_table_join(&o->clock_table, k, &l->shared);
		clock_table_clear(&o->clock_table, &l->shared);
		l->any_shared = false;
	}
}

static void hb_release(struct order *o, struct actor *t, const struct open_section *h)
{
	struct hb_lock *l = hb_lock(o, h->lock);
	struct knowledge *k = order_knows(o, t);

	if (h->shared) {
		clock_table_join(&o->clock_table, &l->shared, k);
		l->any_shared = true;
		return;
	}
	/* it knew all that the lock had handed on when it took it: replace */
	for (unsigned i = 0; i < o->clock_table.clocks; i++)
		clock_copy(&l->exclusive.clock[i], &k->clock[i]);
	if (k->extra)
		o->clock_table.copy_extra(&l->exclusive.extra, k->extra);
	l->slot = t->slot;
	l->time = t->time;
}

static struct open_section *find_held(struct actor *t, uint32_t lock)
{
	for (size_t i = 0; i < t->open.n; i++)
		if (t->open.at[i].lock == lock)
			return &t->open.at[i];
	return NULL;
}

/* False if it held the lock already. */
static bool acquire(struct front *f, struct actor *t, uint32_t lock, bool shared)
{
	struct open_section *held = find_held(t, lock);

	if (held) { /* shared, once more */
		held->depth++;
		return false;
	}
	struct open_section h = {.lock = lock,
				 .depth = 1,
				 .acquire_time = t->time,
				 .number = f->section_count++,
				 .shared = shared};

	vec_push(&t->open, h);
	held = &t->open.at[t->open.n - 1];
	if (f->order->kind->hb)
		hb_acquire(f->order, t, held);
	if (f->order->kind->acquire)
		f->order->kind->acquire(f->order, t, held);
	return true;
}

static void leave(struct front *f, struct actor *t, struct open_section *held)
{
	if (f->order->kind->leave)
		f->order->kind->leave(f->order, t, held);
}

/* Ends the section; others may learn of it, so the caller ticks. */
static void end_section(struct front *f, struct actor *t, struct open_section *held)
{
	if (f->order->kind->release)
		f->order->kind->release(f->order, t, held);
	if (f->order->kind->hb)
		hb_release(f->order, t, held);
	for (struct open_section *last = &t->open.at[--t->open.n]; held < last; held++)
		*held = held[1];
}

/* False if it still holds the lock, or did not. */
static bool release(struct front *f, struct actor *t, uint32_t lock)
{
	struct open_section *held = find_held(t, lock);

	if (!held || --held->depth)
		return false;
	leave(f, t, held);
	end_section(f, t, held);
	if (f->order->kind->clocks) /* MHB has no edge from here */
		tick(f, t);
	return true;
}

static void step_lock(struct front *f, struct actor *t, uint32_t lock, bool take, bool shared)
{
	uint32_t number = lock_number(f, &f->locks, lock);

	if (take ? acquire(f, t, number, shared) : release(f, t, number))
		t->lockset = lockset_table_change(&f->locksets, t, number, take, shared);
}

/* Accesses */

/*
 * An atomic access is all there is in the sections of its variables. What follows for one
 * may follow for another: as many rounds as there are settle all.
 */
static void leave_atomics(struct front *f, struct actor *t, size_t first)
{
	for (size_t round = first; round < t->open.n; round++)
		for (size_t i = first; i < t->open.n; i++)
			leave(f, t, &t->open.at[i]);
}

static __attribute__((noinline)) void order_access(struct order *o, struct actor *t,
						   const struct event *e, uint64_t number)
{
	struct access a = {.number = number,
			   .variable = e->object,
			   .reads = e->kind == EV_READ,
			   .writes = e->kind == EV_WRITE,
			   .counts = true};

	o->kind->access(o, t, &a);
	if (o->kind->access_end)
		o->kind->access_end(o, t);
}

static inline void step_plain(struct front *f, struct actor *t, const struct event *e,
			      uint64_t number)
{
	front_is_governed(t);
	if (f->order->kind->access)
		order_access(f->order, t, e, number);
	f->accessed(f->context, t, e, e->object, number, false);
	if (f->order->kind->access_end)
		tick(f, t);
}

/* All its variables go through each of the stages together: it is one event. */
static void step_access(struct front *f, struct actor *t, const struct event *e, uint64_t number,
			bool governed)
{
	bool counts = e->kind != EV_ALLOC && e->kind != EV_EXTERNAL;
	struct access a = {.number = number,
			   .reads = event_is(e, EV_RETURNS),
			   .writes = event_is(e, EV_STORES),
			   .counts = counts};
	uint32_t n = event_part_count(e);
	size_t first_atomic = t->open.n;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = event_part(e, i).variable;

		/* a thread that skips it comes to what is behind without the alloc */
		if (x < f->variables.v.n && f->variables.v.at[x] &&
		    !(governed && f->order->kind->skips))
			get(f, t, f->variables.v.at[x] - 1, true);
		if (counts && is_atomic(f, e, x))
			acquire(f, t, lock_number(f, &f->variable_locks, x), false);
	}
	for (uint32_t i = 0; f->order->kind->access && i < n; i++) {
		a.variable = event_part(e, i).variable;
		f->order->kind->access(f->order, t, &a);
	}
	if (f->order->kind->access_end)
		f->order->kind->access_end(f->order, t);
	if (first_atomic < t->open.n)
		leave_atomics(f, t, first_atomic);
	for (uint32_t i = 0; counts && e->order != ORDER_WATCH && i < n; i++) {
		uint32_t x = event_part(e, i).variable;

		f->accessed(f->context, t, e, x, number, is_atomic(f, e, x));
	}
	bool told = first_atomic < t->open.n || f->order->kind->access_end;

	while (first_atomic < t->open.n)
		end_section(f, t, &t->open.at[t->open.n - 1]);
	if (told)
		tick(f, t);
	for (uint32_t i = 0; !counts && i < n; i++) {
		uint32_t x = event_part(e, i).variable;

		if (!(traits_of(f, x) & TRAIT_CHANNEL))
			add_trait(f, x, TRAIT_CHANNEL);
		put(f, t, channel_of(f, &f->variables, x), true);
	}
}

/* Conditions, barriers, once, semaphores */

static struct front_condition *condition_at(struct front *f, uint32_t condition)
{
	vec_extend(&f->conditions, (size_t)condition + 1);
	return &f->conditions.at[condition];
}

static void step_wait(struct front *f, struct actor *t, const struct event *e, uint64_t number)
{
	struct front_waiter waiter = {e->thread, number};

	step_lock(f, t, e->more->lock, false, false);
	vec_push(&condition_at(f, e->object)->waiters, waiter);
}

static void step_signal(struct front *f, struct actor *t, const struct event *e, uint64_t number)
{
	struct front_condition *c = condition_at(f, e->object);

	if (!c->waiters.n)
		return; /* nobody will say that it woke him */
	struct front_signal signal = {number, new_channel(f)};

	vec_push(&c->signals, signal);
	put(f, t, signal.channel, true);
}

static void step_woken(struct front *f, struct actor *t, const struct event *e)
{
	struct front_condition *c = condition_at(f, e->object);
	uint64_t oldest = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; e->more->by && i < c->signals.n; i++)
		if (c->signals.at[i].event == e->more->by)
			get(f, t, c->signals.at[i].channel, true);
	for (size_t i = 0; i < c->waiters.n; i++) {
		if (c->waiters.at[i].thread == e->thread)
			continue;
		if (c->waiters.at[i].wait_event < oldest)
			oldest = c->waiters.at[i].wait_event;
		c->waiters.at[kept++] = c->waiters.at[i];
	}
	c->waiters.n = kept;
	kept = 0;
	for (size_t i = 0; i < c->signals.n; i++)
		if (c->signals.at[i].event > oldest)
			c->signals.at[kept++] = c->signals.at[i];
		else
			drop_channel(f, c->signals.at[i].channel);
	c->signals.n = kept;
	step_lock(f, t, e->more->lock, true, false);
}

static void step_barrier(struct front *f, struct actor *t, const struct event *e)
{
	vec_extend(&f->barriers, (size_t)e->object + 1);
	struct front_barrier *b = &f->barriers.at[e->object];
	uint32_t parties = f->symbols->barriers.at[e->object].parties;

	if (!parties)
		return; /* not declared: the trace was not checked */
	if (e->kind == EV_BARRIER_ENTER) {
		uint64_t round = b->entered++ / parties;

		if (!b->rounds.n || b->rounds.at[b->rounds.n - 1].round != round) {
			struct front_round fresh = {round, new_channel(f), parties};

			vec_push(&b->rounds, fresh);
		}
		struct front_round inside = {round, 0, e->thread};

		vec_push(&b->inside, inside);
		put(f, t, b->rounds.at[b->rounds.n - 1].channel, true);
		return;
	}
	for (size_t i = 0; i < b->inside.n; i++) {
		if (b->inside.at[i].left != e->thread)
			continue;
		for (size_t r = 0; r < b->rounds.n; r++) {
			if (b->rounds.at[r].round != b->inside.at[i].round)
				continue;
			get(f, t, b->rounds.at[r].channel, true);
			if (!--b->rounds.at[r].left) {
				drop_channel(f, b->rounds.at[r].channel);
				memmove(&b->rounds.at[r], &b->rounds.at[r + 1],
					(b->rounds.n - r - 1) * sizeof(*b->rounds.at));
				b->rounds.n--;
			}
			break;
		}
		b->inside.at[i] = b->inside.at[--b->inside.n];
		return;
	}
}

static __attribute__((noinline)) void step_other(struct front *f, const struct event *e,
						 uint64_t number)
{
	struct actor *t = actor_of(f, e->thread);
	bool governed = front_is_governed(t);

	switch ((enum event_kind)e->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_ALLOC:
	case EV_FREE:
	case EV_EXTERNAL: step_access(f, t, e, number, governed); break;
	case EV_ACQUIRE: step_lock(f, t, e->object, true, false); break;
	case EV_ACQUIRE_SHARED: step_lock(f, t, e->object, true, true); break;
	case EV_RELEASE:
	case EV_RELEASE_SHARED: step_lock(f, t, e->object, false, false); break;
	case EV_FORK:
		if (e->object >= f->slot_of.n || !f->slot_of.at[e->object]) {
			uint32_t slot = t->slot;

			start_thread(f, e->object, slot);
			t = &f->actors.at[slot];
		}
		t->hard_time = t->time;
		tick(f, t);
		break;
	case EV_JOIN: join_thread(f, t, e->object); break;
	case EV_WAIT: step_wait(f, t, e, number); break;
	case EV_WOKEN: step_woken(f, t, e); break;
	case EV_SIGNAL:
	case EV_BROADCAST: step_signal(f, t, e, number); break;
	case EV_BARRIER_ENTER:
	case EV_BARRIER_EXIT: step_barrier(f, t, e); break;
	case EV_ONCE_END: put(f, t, channel_of(f, &f->onces, e->object), true); break;
	case EV_ONCE_PASS: get(f, t, channel_of(f, &f->onces, e->object), true); break;
	case EV_SEM_POST: put(f, t, channel_of(f, &f->semaphores, e->object), false); break;
	case EV_SEM_WAIT: get(f, t, channel_of(f, &f->semaphores, e->object), false); break;
	case EV_BRANCH:
		if (t->arm < event_scope(e))
			t->arm = event_scope(e);
		if (f->order->kind->branch)
			f->order->kind->branch(f->order, t, e);
		break;
	case EV_BEGIN:
	case EV_END:
	case EV_TRY_FAIL:
	case EV_SEM_FAIL:
	case EV_ONCE_BEGIN:
	case EV_MARK:
	case EV_COUNT: break;
	}
}

void front_step(struct front *f, const struct event *e, uint64_t number)
{
	struct actor *t = front_plain(f, e);

	if (t)
		step_plain(f, t, e, number);
	else
		step_other(f, e, number);
}

void front_collect(struct front *f, bool all_started)
{
	struct order *o = f->order;
	const struct clock_table *r = o->kind->clocks ? &o->clock_table : &f->mhb;

	o->known_to_all.n = 0;
	for (uint32_t slot = 0; all_started && slot < f->actors.n; slot++) {
		uint32_t lowest = UINT32_MAX;

		for (size_t t = 0; t < f->actors.n; t++) {
			const struct clock *c = &r->slots.at[t].clock[o->kind->race_clock];

			if (t != slot && f->actors.at[t].live && clock_get(c, slot) < lowest)
				lowest = clock_get(c, slot);
		}
		clock_set(&o->known_to_all, slot, lowest == UINT32_MAX ? 0 : lowest);
	}
	if (o->kind->collect)
		o->kind->collect(o);
}

void front_init(struct front *f, const struct symbols *symbols, struct order *order)
{
	memset(f, 0, sizeof(*f));
	f->symbols = symbols;
	f->mhb.clocks = 1;
	f->order = order;
	order->front = f;
	lockset_table_init(&f->locksets);
}

void front_release(struct front *f)
{
	for (size_t i = 0; i < f->actors.n; i++)
		vec_release(&f->actors.at[i].open);
	for (size_t i = 0; i < f->conditions.n; i++) {
		vec_release(&f->conditions.at[i].waiters);
		vec_release(&f->conditions.at[i].signals);
	}
	for (size_t i = 0; i < f->barriers.n; i++) {
		vec_release(&f->barriers.at[i].rounds);
		vec_release(&f->barriers.at[i].inside);
	}
	clock_table_release(&f->mhb);
	vec_release(&f->actors);
	vec_release(&f->slot_of);
	vec_release(&f->ended);
	vec_release(&f->locks.v);
	vec_release(&f->variable_locks.v);
	vec_release(&f->traits);
	vec_release(&f->any_traits);
	vec_release(&f->variables.v);
	vec_release(&f->onces.v);
	vec_release(&f->semaphores.v);
	vec_release(&f->conditions);
	vec_release(&f->barriers);
	vec_release(&f->free_channels);
	lockset_table_release(&f->locksets);
}

struct order *order_new(const struct order_kind *kind, const struct order_limits *limits)
{
	struct order *o = mem_alloc_zero(1, kind->size);

	o->kind = kind;
	o->limits = *limits;
	o->clock_table.clocks = kind->clocks;
	if (kind->start)
		kind->start(o);
	return o;
}

void order_free(struct order *o)
{
	if (o->kind->finish)
		o->kind->finish(o);
	for (size_t i = 0; i < o->lock_count; i++) {
		struct knowledge *both[] = {&o->locks[i].exclusive, &o->locks[i].shared};

		for (int k = 0; k < 2; k++) {
			clock_table_clear(&o->clock_table, both[k]);
			for (int c = 0; c < CLOCK_TABLE_CLOCKS; c++)
				clock_release(&both[k]->clock[c]);
		}
	}
	mem_free(o->locks);
	clock_table_release(&o->clock_table);
	clock_release(&o->known_to_all);
	mem_free(o);
}
