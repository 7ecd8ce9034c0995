/* SPDX-License-Identifier: MIT */
/* critical, locks and reductions: locks as any others, by the address that the program has. */
#include "runtime/blocked.h"
#include "runtime/openmp/abi.h"
#include "runtime/openmp/openmp.h"
#include "runtime/pthread/locks.h"

/*
 * Who comes first gets it first, as with libomp: a thread that takes it again and again must not
 * keep the others out. The upper half of the word counts who came, the lower half who has left.
 */
#define ONE_MORE 0x10000u
#define LEFT 0xffffu

static bool take(uint32_t *word)
{
	uint32_t is = __atomic_load_n(word, __ATOMIC_RELAXED);
	return is >> 16 == (is & LEFT) &&
	       __atomic_compare_exchange_n(word, &is, is + ONE_MORE, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static void queue_up(uint32_t *word)
{
	uint32_t mine = __atomic_fetch_add(word, ONE_MORE, __ATOMIC_ACQUIRE) >> 16, is;
	while (((is = __atomic_load_n(word, __ATOMIC_ACQUIRE)) & LEFT) != mine)
		norn_omp_sleep(word, is);
}

static void leave(uint32_t *word)
{
	uint32_t is = __atomic_load_n(word, __ATOMIC_RELAXED), next;
	do
		next = (is & ~LEFT) | ((is + 1) & LEFT);
	while (!__atomic_compare_exchange_n(word, &is, next, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
	if (next >> 16 != (next & LEFT))
		norn_omp_wake(word);
}

static void taken(const void *object, const void *pc, uint32_t tries, struct norn_step *step)
{
	norn_log_acquire(object, pc, false, false, tries);
	norn_end_step(step, true);
}

void norn_omp_lock(uint32_t *word, const void *object, const void *pc)
{
	struct norn_step step = norn_begin_step(LOG_ACQUIRE, object, pc);
	if (!take(word)) {
		norn_log_time(&norn_self);
		norn_blocks(LOG_ACQUIRE, object, pc, NORN_FOR_EVER);
		queue_up(word);
		norn_runs(true);
	}
	taken(object, pc, 0, &step);
}

bool norn_omp_lock_try(uint32_t *word, const void *object, const void *pc)
{
	struct norn_step step = norn_begin_try(LOG_ACQUIRE, object, pc);
	if (norn_step_fails(&step))
		return norn_log_planned_failure(object, pc, &step, 0);
	for (uint32_t tries = 0;;) {
		if (take(word)) {
			taken(object, pc, LOG_TRIES, &step);
			return true;
		}
		if (norn_log_try_failed(object, pc, false, &tries, &step) == NORN_FAILED)
			return false;
	}
}

void norn_omp_unlock(uint32_t *word, const void *object, const void *pc)
{
	struct norn_step step = norn_begin_step(LOG_RELEASE, object, pc);
	bool logged = norn_log_release(object, pc, true);
	leave(word);
	norn_end_step(&step, logged);
}

/* Locks of mutexinoutset, one for each address that was named; none is given back. */
#define ROWS 1024

struct named {
	struct named *next;
	const void *object;
	uint32_t word;
};

uint32_t *norn_omp_word_of(const void *object)
{
	static struct norn_spin lock;
	static struct named *rows[ROWS];
	struct named **row = &rows[(uintptr_t)object / 8 % ROWS];
	norn_spin_lock(&lock);
	struct named *at = *row;
	while (at && at->object != object)
		at = at->next;
	if (!at) {
		at = norn_omp_get_memory(sizeof *at);
		at->object = object;
		at->next = *row;
		*row = at;
	}
	norn_spin_unlock(&lock);
	return &at->word;
}

void OMP(__kmpc_critical)(omp_where where, int32_t gtid, uint32_t *lock)
{
	(void)where, (void)gtid;
	norn_omp_lock(lock, lock, OMP_CALLER);
}

void OMP(__kmpc_critical_with_hint)(omp_where where, int32_t gtid, uint32_t *lock, uint32_t hint)
{
	(void)where, (void)gtid, (void)hint;
	norn_omp_lock(lock, lock, OMP_CALLER);
}

void OMP(__kmpc_end_critical)(omp_where where, int32_t gtid, uint32_t *lock)
{
	(void)where, (void)gtid;
	norn_omp_unlock(lock, lock, OMP_CALLER);
}

/* Each thread adds its part itself, under the lock that the compiler has made for it. The teams of
 * a league have one thread each, and add to the same variable. */
enum { ADDS_ITSELF = 1 };

static bool adds_alone(const struct omp_task *me)
{
	return norn_omp_is_alone(me->team) && me->team->league_size == 1;
}

int32_t OMP(__kmpc_reduce_nowait)(omp_where where, int32_t gtid, int32_t n, size_t size, void *data,
				  void (*combine)(void *, void *), uint32_t *lock)
{
	(void)where, (void)gtid, (void)n, (void)size, (void)data, (void)combine;
	if (!adds_alone(norn_omp_self()))
		norn_omp_lock(lock, lock, OMP_CALLER);
	return ADDS_ITSELF;
}

void OMP(__kmpc_end_reduce_nowait)(omp_where where, int32_t gtid, uint32_t *lock)
{
	(void)where, (void)gtid;
	if (!adds_alone(norn_omp_self()))
		norn_omp_unlock(lock, lock, OMP_CALLER);
}

int32_t OMP(__kmpc_reduce)(omp_where where, int32_t gtid, int32_t n, size_t size, void *data,
			   void (*combine)(void *, void *), uint32_t *lock)
{
	(void)where, (void)gtid, (void)n, (void)size, (void)data, (void)combine;
	if (!adds_alone(norn_omp_self()))
		norn_omp_lock(lock, lock, OMP_CALLER);
	return ADDS_ITSELF;
}

void OMP(__kmpc_end_reduce)(omp_where where, int32_t gtid, uint32_t *lock)
{
	struct omp_task *me = norn_omp_self();
	(void)where, (void)gtid;
	if (!adds_alone(me))
		norn_omp_unlock(lock, lock, OMP_CALLER);
	norn_omp_barrier(me, OMP_CALLER);
}

/* For updates that the machine cannot do in one step. */
static uint32_t atomic_lock;

void OMP(__kmpc_atomic_start)(void)
{
	norn_omp_lock(&atomic_lock, &atomic_lock, OMP_CALLER);
}

void OMP(__kmpc_atomic_end)(void)
{
	norn_omp_unlock(&atomic_lock, &atomic_lock, OMP_CALLER);
}

void OMP(omp_init_lock)(uint32_t *lock)
{
	*lock = 0;
	norn_log_init(lock, OMP_CALLER);
}

void OMP(omp_init_lock_with_hint)(uint32_t *lock, int hint)
{
	(void)hint;
	*lock = 0;
	norn_log_init(lock, OMP_CALLER);
}

void OMP(omp_set_lock)(uint32_t *lock)
{
	norn_omp_lock(lock, lock, OMP_CALLER);
}

void OMP(omp_unset_lock)(uint32_t *lock)
{
	norn_omp_unlock(lock, lock, OMP_CALLER);
}

void OMP(omp_destroy_lock)(uint32_t *lock)
{
	norn_log_destroy(lock);
}

int OMP(omp_test_lock)(uint32_t *lock)
{
	return norn_omp_lock_try(lock, lock, OMP_CALLER);
}

/* Nested ones belong to tasks. Inner calls are no events: nobody else can notice them. */
struct omp_nest {
	uint32_t word;
	int depth;
	const struct omp_task *owner;
};

void OMP(omp_init_nest_lock)(struct omp_nest **lock)
{
	*lock = norn_omp_get_memory(sizeof **lock);
	norn_log_init(lock, OMP_CALLER);
}

void OMP(omp_init_nest_lock_with_hint)(struct omp_nest **lock, int hint)
{
	(void)hint;
	*lock = norn_omp_get_memory(sizeof **lock);
	norn_log_init(lock, OMP_CALLER);
}

static bool is_mine(const struct omp_nest *nest)
{
	return __atomic_load_n(&nest->owner, __ATOMIC_RELAXED) == norn_omp_self();
}

static int nested(struct omp_nest *nest)
{
	__atomic_store_n(&nest->owner, norn_omp_self(), __ATOMIC_RELAXED);
	return ++nest->depth;
}

void OMP(omp_set_nest_lock)(struct omp_nest **lock)
{
	if (!is_mine(*lock))
		norn_omp_lock(&(*lock)->word, lock, OMP_CALLER);
	nested(*lock);
}

void OMP(omp_unset_nest_lock)(struct omp_nest **lock)
{
	struct omp_nest *nest = *lock;
	if (--nest->depth)
		return;
	__atomic_store_n(&nest->owner, NULL, __ATOMIC_RELAXED);
	norn_omp_unlock(&nest->word, lock, OMP_CALLER);
}

void OMP(omp_destroy_nest_lock)(struct omp_nest **lock)
{
	norn_log_destroy(lock);
	norn_omp_free_memory(*lock);
}

int OMP(omp_test_nest_lock)(struct omp_nest **lock)
{
	if (!is_mine(*lock) && !norn_omp_lock_try(&(*lock)->word, lock, OMP_CALLER))
		return 0;
	return nested(*lock);
}
