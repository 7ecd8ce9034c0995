/* SPDX-License-Identifier: MIT */
#include "runtime/late.h"

#include <string.h>

#include "runtime/append.h"
#include "runtime/image.h"
#include "runtime/pthread/locks.h"
#include "runtime/run.h"
#include "runtime/shadow.h"
#include "runtime/shard.h"
#include "runtime/unseen.h"

enum state { RUNS, WAITS, BEGINS };

static struct {
	uint32_t state; /* enum state */
	bool late;	/* it began behind the program */
	struct norn_spin lock;
	struct norn_self *paused;
	uint64_t again; /* time: not to be tried before */
} late;

/* Their addresses stand for objects in the log. */
static uint64_t known, beginning;

/* How long threads may take to come out of their hooks, and then to get on. */
#define PATIENCE_NS 20000000
/* In words: what the quick way of a hook needs, so that positions of before are told apart. */
#define FILLERS (2 * NORN_ROOM / 2)

_Static_assert(LOG_LATE_FIRST == sizeof(struct log_block) / 8 + 2 * FILLERS,
	       "positions of before are below");

void norn_late_begin(bool waits)
{
	late.state = waits ? WAITS : RUNS;
}

void norn_late_in_child(struct norn_self *me)
{
	memset(&late, 0, sizeof late);
	memset(&me->late, 0, sizeof me->late);
}

static enum state state_now(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return (enum state)__atomic_load_n(&late.state, __ATOMIC_SEQ_CST);
}

static void set_state(enum state state)
{
	__atomic_store_n(&late.state, state, __ATOMIC_SEQ_CST);
}

bool norn_late_waits(struct norn_self *me)
{
	for (uint32_t spins = 0; state_now() != RUNS; norn_wait(&spins)) {
		norn_spin_lock(&late.lock);
		bool waits = state_now() == WAITS;
		if (waits) {
			me->late.next = late.paused;
			late.paused = me;
		}
		norn_spin_unlock(&late.lock);
		if (waits)
			return true;
	}
	me->late.passes = late.late;
	return false;
}

void norn_late_forget(struct norn_self *me)
{
	if (me->mode != NORN_PAUSED)
		return;
	norn_spin_lock(&late.lock);
	struct norn_self **link = &late.paused;
	while (*link && *link != me)
		link = &(*link)->late.next;
	if (*link)
		*link = me->late.next;
	norn_spin_unlock(&late.lock);
}

/* What is the case */

/* A record of three words, for any thread. */
static void put(struct norn_self *t, enum log_kind kind, const void *object, const void *pc)
{
	struct norn_shard *shard = norn_shard_of(object);
	if (!norn_blocks_room(t))
		return;
	norn_put3(t, kind, 0, shard->version, (uintptr_t)object, (uintptr_t)pc);
	shard->version += 2;
}

static void put4(struct norn_self *t, enum log_kind kind, struct norn_shard *shard, uint64_t w1,
		 uint64_t w2, uint64_t w3)
{
	if (!norn_blocks_room(t))
		return;
	norn_put4(t, kind, 0, shard->version, w1, w2, w3);
	shard->version += 2;
}

/* Who passes it comes behind this. */
static void put_once(struct norn_self *t, const void *object)
{
	put(t, LOG_ONCE_BEGIN, object, NULL);
	put(t, LOG_ONCE_END, object, NULL);
}

static void put_object(void *context, struct norn_shadow *entry)
{
	struct norn_shard *shard = norn_shard_of((void *)entry->object);
	if (entry->kind == NORN_SEMAPHORE)
		put4(context, LOG_SEM_INIT, shard, entry->object, 0, (uint64_t)entry->count);
	else if (entry->kind == NORN_BARRIER)
		put4(context, LOG_BARRIER_INIT, shard, entry->object, 0, entry->barrier.parties);
	if (entry->kind != NORN_COUNTER)
		return;
	entry->count = 0;
	put4(context, LOG_MAP, &norn_shards[LOG_HEAP], (uintptr_t)&entry->count, 0,
	     sizeof entry->count);
}

static void put_held(void *context, struct norn_shadow *entry)
{
	struct norn_self *t = context;
	if ((entry->kind != NORN_HELD && entry->kind != NORN_HELD_SHARED) ||
	    entry->held.thread != t->number)
		return;
	for (uint32_t depth = 0; depth < entry->held.depth; depth++)
		put(t, entry->kind == NORN_HELD ? LOG_ACQUIRE : LOG_ACQUIRE_SHARED,
		    (void *)entry->object, entry->held.pc);
}

/* Of functions that pthread_once runs, the outermost first. */
static void put_running(struct norn_self *t, const struct norn_once *once)
{
	if (!once)
		return;
	put_running(t, once->outer);
	if (once->ran && !once->over)
		put(t, LOG_ONCE_BEGIN, once->control, once->pc);
}

/* Calls of functions with hooks that are under way, of which no more is known. */
static void put_calls(struct norn_self *t)
{
	for (uint64_t i = 0; i < t->calls && norn_blocks_room(t); i++)
		norn_commit(t, t->at, LOG_ENTER_WORD(0), 1);
}

/* Code without hooks, which may be any, and have been given anything. */
static void put_unseen(struct norn_self *t)
{
	if (!t->unseen || !norn_blocks_room(t))
		return;
	norn_put2(t, LOG_CALLEE, 0, 1);
	norn_put2(t, LOG_UNSEEN, ++norn_marks.count, 0);
	norn_run.shared->marks = 1;
	t->noted = norn_marks.count;
}

static void put_begin(struct norn_self *t)
{
	put4(t, LOG_BEGIN, &norn_shards[LOG_HEAP], (uintptr_t)t->late.stack, t->late.size,
	     (uintptr_t)t->late.pointer);
	if (t->late.tls_size)
		put4(t, LOG_MAP, &norn_shards[LOG_HEAP], (uintptr_t)t->late.tls, 0,
		     t->late.tls_size);
	put_calls(t);
}

/* Of a thread that waits on a condition, or at a barrier, this is the last that it does. */
static void put_waiting(struct norn_self *t)
{
	struct norn_shard *condition = norn_shard_of(t->late.condition);
	struct norn_shard *lock = norn_shard_of(&t->late.lock);
	if (!norn_blocks_room(t))
		return;
	if (!t->late.condition) {
		put(t, LOG_BARRIER_ENTER, t->late.barrier, t->late.pc);
		return;
	}
	uint64_t *at = t->at;
	at[1] = (uintptr_t)t->late.condition;
	at[2] = (uintptr_t)t->late.pc;
	at[3] = (uintptr_t)&t->late.lock;
	at[4] = lock->version;
	norn_commit(t, at, LOG_WORD(LOG_WAIT, 0, condition->version), 5);
	condition->version += 2;
	if (lock != condition)
		lock->version += 2;
}

static void find_waits(struct norn_self *t)
{
	struct norn_late *l = &t->late;
	const struct norn_shadow *barrier =
		l->barrier
			? norn_shadow_find(norn_shard_of(l->barrier), l->barrier, NORN_BARRIER, 0)
			: NULL;
	l->passed = barrier && barrier->barrier.round != l->round;
	l->waited = l->condition;
	l->passes = l->waited || (barrier && !l->passed);
}

/* Before all else: who holds what, and who waits for what. */
static void put_first(struct norn_self *t)
{
	put_begin(t);
	put(t, LOG_ONCE_PASS, &known, NULL);
	put_running(t, t->once);
	norn_shadow_each(put_held, t);
	if (t->late.waited)
		put(t, LOG_ACQUIRE, &t->late.lock, NULL);
	put_unseen(t);
	put_once(t, &t->late.came);
	if (t->late.passes)
		put_waiting(t);
}

#define FOR_EACH(t) for (struct norn_self *t = late.paused; t; t = t->late.next)

static void put_all(struct norn_self *me)
{
	put_begin(me);
	norn_shadow_each(put_object, me);
	put_once(me, &known);
	FOR_EACH(t)
	{
		find_waits(t);
		if (t != me && t->late.begun)
			put_first(t);
	}
	put_running(me, me->once);
	norn_shadow_each(put_held, me);
	FOR_EACH(t)
	{
		if (t == me || !t->late.begun)
			continue;
		put(me, LOG_ONCE_PASS, &t->late.came, NULL);
		if (t->late.waited) {
			put(me, LOG_ACQUIRE, &t->late.lock, NULL);
			put(me, LOG_RELEASE, &t->late.lock, NULL);
		}
	}
	put_unseen(me);
	put_once(me, &beginning);
	FOR_EACH(t)
	{
		if (!t->late.begun)
			t->late.passes = true;
		else if (t != me && !t->late.passes)
			put(t, LOG_ONCE_PASS, &beginning, NULL);
	}
}

/* Beginning. What a thread notices of it before it is over is that it is to be parked. */

static void start_log(struct norn_self *t)
{
	norn_blocks_start(t);
	t->round = t->spin = 0;
	for (unsigned i = 0; i < FILLERS && t->late.logs; i++)
		norn_put2(t, LOG_TIME, 0, ((struct log_block *)t->tail)->time);
}

static void begin_at(struct norn_self *me)
{
	for (uint32_t s = 0; s <= LOG_SHARDS; s++)
		norn_shards[s].version = 0;
	norn_marks.count = 0;
	norn_write_memory();
	FOR_EACH(t)
	start_log(t);
	put_all(me);
	late.paused = NULL;
	late.late = true;
	norn_run.shared->begin = LOG_LATE;
}

/* Those that come to a hook from here on are parked. */
static bool all_are_outside(struct norn_self *me)
{
	bool outside = true;
	norn_spin_lock(&late.lock);
	FOR_EACH(t)
	outside &= t == me || !__atomic_load_n(&t->busy, __ATOMIC_SEQ_CST) ||
		   __atomic_load_n(&t->late.parked, __ATOMIC_SEQ_CST);
	norn_spin_unlock(&late.lock);
	return outside;
}

static void begin(struct norn_self *me)
{
	norn_spin_lock(&late.lock);
	bool mine = state_now() == WAITS && norn_now() >= late.again;
	if (mine)
		set_state(BEGINS);
	norn_spin_unlock(&late.lock);
	if (!mine)
		return;
	uint64_t until = norn_now() + PATIENCE_NS;
	bool outside = false;
	for (uint32_t spins = 0; !(outside = all_are_outside(me)) && norn_now() < until;)
		norn_wait(&spins);
	if (outside)
		begin_at(me);
	late.again = norn_now() + PATIENCE_NS;
	set_state(outside ? RUNS : WAITS);
}

static void count_hook(struct log_run *run)
{
	if (__atomic_load_n(&run->skip, __ATOMIC_RELAXED) &&
	    __atomic_sub_fetch(&run->skip, 1, __ATOMIC_RELAXED) == 0)
		__atomic_store_n(&run->wanted, 1, __ATOMIC_RELAXED);
}

void norn_late_look(struct norn_self *me)
{
	struct log_run *run = norn_run.shared;
	bool waits = me->late.condition || me->late.barrier;
	count_hook(run);
	/* not by a thread in a wait: others come behind what the one that begins logs first */
	if (state_now() == WAITS && !waits && __atomic_load_n(&run->wanted, __ATOMIC_RELAXED) &&
	    !__atomic_load_n(&run->stop, __ATOMIC_RELAXED))
		begin(me);
	while (state_now() == BEGINS) {
		__atomic_store_n(&me->late.parked, true, __ATOMIC_SEQ_CST);
		for (uint32_t spins = 0; state_now() == BEGINS;)
			norn_wait(&spins);
		__atomic_store_n(&me->late.parked, false, __ATOMIC_SEQ_CST);
	}
	if (state_now() == RUNS)
		norn_blocks_go_on(me);
}

void norn_late_begun(struct norn_self *me, void *stack, uint64_t size)
{
	me->late.stack = stack;
	me->late.size = size;
	me->late.pointer = __builtin_thread_pointer();
	me->late.begun = true;
	norn_late_pass(me);
}

void norn_late_pass(struct norn_self *me)
{
	if (NORN_LIKELY(!me->late.passes))
		return;
	me->late.passes = false;
	struct norn_shard *shard = norn_shard_of(&beginning);
	norn_hold(me, shard);
	norn_put3(me, LOG_ONCE_PASS, 0, norn_version(shard), (uintptr_t)&beginning, 0);
	norn_release(me, shard);
}

void norn_late_woken(struct norn_self *me)
{
	struct norn_shard *shard = norn_shard_of(&me->late.lock);
	me->late.waited = false;
	norn_hold(me, shard);
	norn_shadow_give(shard, &me->late.lock, me->number, NORN_HELD);
	norn_put3(me, LOG_RELEASE, 0, norn_version(shard), (uintptr_t)&me->late.lock, 0);
	norn_release(me, shard);
	norn_late_pass(me);
}
