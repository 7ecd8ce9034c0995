/* SPDX-License-Identifier: MIT */
/* Barriers, and what one thread of a team does for all: single, masked, copyprivate, cancel. */
#include <limits.h>
#include <linux/futex.h>

#include "runtime/callback.h"
#include "runtime/libc/libc.h"
#include "runtime/openmp/abi.h"
#include "runtime/openmp/openmp.h"
#include "runtime/sys.h"

void norn_omp_sleep(const uint32_t *futex, uint32_t value)
{
	NORN_SYS(futex, futex, FUTEX_WAIT_PRIVATE, value, 0, 0, 0);
}

bool norn_omp_sleep_for(const uint32_t *futex, uint32_t value, long nanoseconds)
{
	struct timespec time = {.tv_nsec = nanoseconds};
	NORN_SYS(futex, futex, FUTEX_WAIT_PRIVATE, value, &time, 0, 0);
	return __atomic_load_n(futex, __ATOMIC_ACQUIRE) != value;
}

void norn_omp_wake(const uint32_t *futex)
{
	NORN_SYS(futex, futex, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
}

/* Of a team that is not recorded. */
static void pass(struct omp_team *team)
{
	uint32_t round = __atomic_load_n(&team->round, __ATOMIC_ACQUIRE);
	if (__atomic_add_fetch(&team->came, 1, __ATOMIC_ACQ_REL) == (uint32_t)team->size) {
		__atomic_store_n(&team->came, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&team->round, round + 1, __ATOMIC_RELEASE);
		norn_omp_wake(&team->round);
		return;
	}
	while (__atomic_load_n(&team->round, __ATOMIC_ACQUIRE) == round)
		norn_omp_sleep(&team->round, round);
}

void norn_omp_barrier(struct omp_task *me, const void *pc)
{
	struct omp_team *team = me->team;
	bool last;
	norn_omp_stand_up(me, pc);
	norn_omp_wait_tasks(me, NULL, pc);
	if (!norn_omp_is_alone(team) &&
	    (!team->recorded || !norn_barrier_pass(&team->barrier, pc, &last)))
		pass(team);
	norn_omp_sit_down(me, pc);
}

void OMP(__kmpc_barrier)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
	norn_omp_barrier(norn_omp_self(), OMP_CALLER);
}

/* Cancellation. Who looks depends on what it sees: the flag's counter has the order. */
bool norn_omp_looks_cancelled(uint32_t *flag, uint32_t which)
{
	uint32_t is;
	norn_comes_after(flag);
	is = __atomic_load_n(flag, __ATOMIC_ACQUIRE);
	return is == which || is == OMP_PARALLEL;
}

static uint32_t *flag_of(struct omp_task *me, int32_t kind)
{
	if (kind == OMP_TASKGROUP)
		return me->group ? &me->group->cancelled : NULL;
	return &me->team->cancelled;
}

int32_t OMP(__kmpc_cancel)(omp_where where, int32_t gtid, int32_t kind)
{
	uint32_t *flag = norn_omp_settings()->cancels ? flag_of(norn_omp_self(), kind) : NULL;
	uint32_t none = 0;
	(void)where, (void)gtid;
	if (!flag)
		return 0;
	__atomic_compare_exchange_n(flag, &none, (uint32_t)kind, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
	norn_comes_before(flag);
	return 1;
}

int32_t OMP(__kmpc_cancellationpoint)(omp_where where, int32_t gtid, int32_t kind)
{
	uint32_t *flag = norn_omp_settings()->cancels ? flag_of(norn_omp_self(), kind) : NULL;
	(void)where, (void)gtid;
	return flag && norn_omp_looks_cancelled(flag, (uint32_t)kind);
}

int32_t OMP(__kmpc_cancel_barrier)(omp_where where, int32_t gtid)
{
	struct omp_task *me = norn_omp_self();
	struct omp_team *team = me->team;
	(void)where, (void)gtid;
	norn_omp_barrier(me, OMP_CALLER);
	if (!norn_omp_settings()->cancels)
		return 0;
	uint32_t cancelled = __atomic_load_n(&team->cancelled, __ATOMIC_ACQUIRE);
	if (cancelled != OMP_LOOP && cancelled != OMP_SECTIONS)
		return cancelled == OMP_PARALLEL;
	/* The construct is over: for the next one. */
	norn_omp_barrier(me, OMP_CALLER);
	__atomic_store_n(&team->cancelled, 0, __ATOMIC_RELEASE);
	norn_omp_barrier(me, OMP_CALLER);
	return 0;
}

/* All memory is sequentially consistent here. */
void OMP(__kmpc_flush)(omp_where where)
{
	(void)where;
}

int32_t OMP(__kmpc_master)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
	return norn_omp_self()->number == 0;
}

void OMP(__kmpc_end_master)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
}

int32_t OMP(__kmpc_masked)(omp_where where, int32_t gtid, int32_t filter)
{
	(void)where, (void)gtid;
	return norn_omp_self()->number == filter;
}

void OMP(__kmpc_end_masked)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
}

/* OpenMP does not say which thread it is. So it is another one each time, whoever comes first:
 * nobody learns from it that another one was here. */
int32_t OMP(__kmpc_single)(omp_where where, int32_t gtid)
{
	struct omp_task *me = norn_omp_self();
	(void)where, (void)gtid;
	return ((uint32_t)me->number + ++me->singles) % (uint32_t)me->team->size == 0;
}

void OMP(__kmpc_end_single)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
}

void OMP(__kmpc_copyprivate)(omp_where where, int32_t gtid, size_t size, void *data,
			     void (*copy)(void *, void *), int32_t mine)
{
	struct omp_task *me = norn_omp_self();
	const void *pc = OMP_CALLER;
	(void)where, (void)gtid, (void)size;
	if (mine)
		me->team->copied = data;
	norn_omp_barrier(me, pc);
	if (!mine) {
		norn_callback((const void *)copy, OMP_OF_TWO);
		copy(data, me->team->copied);
	}
	norn_omp_barrier(me, pc);
}

int32_t OMP(__kmpc_barrier_master)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
	norn_omp_barrier(norn_omp_self(), OMP_CALLER);
	return norn_omp_self()->number == 0;
}

void OMP(__kmpc_end_barrier_master)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
	norn_omp_barrier(norn_omp_self(), OMP_CALLER);
}

int32_t OMP(__kmpc_barrier_master_nowait)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
	norn_omp_barrier(norn_omp_self(), OMP_CALLER);
	return norn_omp_self()->number == 0;
}
