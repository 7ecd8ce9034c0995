/* SPDX-License-Identifier: MIT */
#include "runtime/pthread/misuse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/append.h"
#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/real.h"
#include "runtime/replay/schedule.h"
#include "runtime/run.h"
#include "runtime/shard.h"
#include "runtime/sys.h"

enum state { NOT_MADE, MADE, DESTROYED };

/* Of each mutex, while there is room. Threads go one at a time, so that no lock is needed. */
#define MUTEXES 4096u
#define THREADS 65536u

static struct known {
	const pthread_mutex_t *mutex;
	uint64_t state;
	uint32_t user; /* 1 + the thread that had it last, since it was made; 0: none */
} known[MUTEXES];

static uint32_t joined[THREADS / 32];

static struct known *find(const pthread_mutex_t *mutex)
{
	uint64_t hash = (uintptr_t)mutex * UINT64_C(0x9e3779b97f4a7c15);
	for (uint32_t i = 0; i < 64; i++) {
		struct known *k = &known[((hash >> 40) + i) % MUTEXES];
		if (!k->mutex)
			k->mutex = mutex;
		if (k->mutex == mutex)
			return k;
	}
	return NULL;
}

static struct known *find_scheduled(const pthread_mutex_t *mutex)
{
	return norn_turn_scheduled() && norn_run.state == NORN_RECORDS ? find(mutex) : NULL;
}

static void set(struct known *k, enum state state)
{
	if (norn_tells_words())
		norn_tell_word(&k->state, state, false);
	else
		k->state = state;
}

static void say(const char *what)
{
	static const char before[] = "norn: misuse: ", after[] = "\n";
	NORN_SYS(write, 2, before, sizeof before - 1, 0, 0, 0);
	NORN_SYS(write, 2, what, strlen(what), 0, 0, 0);
	NORN_SYS(write, 2, after, 1, 0, 0, 0);
}

static __attribute__((noreturn)) void end(const char *what)
{
	say(what);
	abort();
}

/* Elsewhere, another object may have been at this address, without an end that could be seen. */
static bool is_static(const void *p)
{
	extern char __data_start[] __attribute__((weak)), _end[] __attribute__((weak));
	return __data_start && (const char *)p >= __data_start && (const char *)p < _end;
}

static bool was_joined(uint32_t user)
{
	uint32_t number = user - 1;
	return number < THREADS && joined[number / 32] & 1u << number % 32;
}

static bool is_held_by_others(const void *mutex)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return false;
	struct norn_shard *shard = norn_shard_of(mutex);
	norn_hold(me, shard);
	bool held = norn_shadow_other_holds(shard, mutex, me->number, true);
	norn_release_unchanged(me, shard);
	norn_leave(me);
	return held;
}

void norn_misuse_joined(uint32_t number)
{
	if (norn_turn_scheduled() && number < THREADS)
		joined[number / 32] |= 1u << number % 32;
}

/* Of a record of the runtime's own, which is no step: behind the plan, a point of the schedule. */
static struct norn_step begin_loosely(enum log_kind kind, const void *object, const void *pc)
{
	struct norn_step step = {.index = PLAN_NONE};
	norn_step_wait(&step, &(struct norn_what){.kind = kind,
						  .tries = kind == LOG_ACQUIRE,
						  .access = kind == LOG_RMW,
						  .loose = true,
						  .object = object,
						  .size = 8,
						  .pc = pc});
	if (!step.taken)
		norn_replay_point(object);
	return step;
}

void norn_misuse_remade(const pthread_mutex_t *mutex)
{
	struct known *k = find_scheduled(mutex);
	if (k && norn_tells_words()) /* its word will be told when it is made, in the same turn */
		begin_loosely(LOG_RMW, &k->state, NULL);
	if (!k || !is_static(mutex) || !k->user || k->user == norn_self.number + 1 ||
	    was_joined(k->user))
		return;
	if (is_held_by_others(mutex))
		end("a mutex is initialized while another thread holds it");
	say("a mutex is initialized after another thread has used it");
}

void norn_misuse_made(const pthread_mutex_t *mutex)
{
	struct known *k = find_scheduled(mutex);
	if (!k)
		return;
	k->user = 0;
	set(k, MADE);
}

bool norn_misuse_is_gone(const void *mutex, int result)
{
	const struct known *k = result == EINVAL ? find_scheduled(mutex) : NULL;
	return k && k->state == DESTROYED;
}

void norn_misuse_taken(const pthread_mutex_t *mutex, int result)
{
	struct known *k = find_scheduled(mutex);
	bool gone = norn_misuse_is_gone(mutex, result);
	if (!k || !(result == 0 || result == EOWNERDEAD || gone))
		return;
	if (norn_tells_words()) {
		k->user = norn_self.number + 1;
		norn_look_at_word(&k->state);
	}
	if (gone)
		end("a mutex is used after it was destroyed");
}

/* Destroying */

/* A record of the runtime's own, which is no step: of what it says, the order alone counts. */
static void log_loosely(enum log_kind kind, const void *mutex, const void *pc)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter_sync(me, pc))
		return;
	struct norn_shard *shard = norn_shard_of(mutex);
	norn_hold(me, shard);
	if (kind == LOG_ACQUIRE)
		norn_shadow_take(shard, mutex, me->number, NORN_HELD, pc);
	if (kind == LOG_RELEASE)
		norn_shadow_give(shard, mutex, me->number, NORN_HELD);
	norn_put3(me, kind, kind == LOG_ACQUIRE ? LOG_TRIES : 0, norn_version(shard),
		  (uintptr_t)mutex, (uintptr_t)pc);
	norn_release(me, shard);
	norn_leave(me);
}

/* To destroy it is to try to take it: it can be destroyed if nobody holds it. */
int norn_misuse_destroy(pthread_mutex_t *mutex, const void *pc)
{
	struct known *k = find_scheduled(mutex);
	if (!k || !norn_tells_words())
		return NORN_REAL(pthread_mutex_destroy)(mutex);
	struct norn_step step = begin_loosely(LOG_ACQUIRE, mutex, pc);
	bool others = is_held_by_others(mutex);
	int result = NORN_REAL(pthread_mutex_destroy)(mutex);
	if (result == EBUSY && others)
		log_loosely(LOG_TRY_FAIL, mutex, pc);
	if (result == 0)
		log_loosely(LOG_ACQUIRE, mutex, pc);
	norn_end_step(&step, true);
	if (result == EBUSY)
		say("a mutex is destroyed while a thread holds it");
	if (result != 0)
		return result;
	k->user = 0;
	set(k, DESTROYED);
	step = begin_loosely(LOG_RELEASE, mutex, pc);
	log_loosely(LOG_RELEASE, mutex, pc);
	norn_end_step(&step, true);
	return result;
}
