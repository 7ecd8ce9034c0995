/* SPDX-License-Identifier: MIT */
/* Iterations that wait for others by name: depend(sink) comes after that iteration's
 * depend(source). */
#include "runtime/libc/libc.h"
#include "runtime/libc/ranges.h"
#include "runtime/openmp/abi.h"
#include "runtime/openmp/openmp.h"

#define DIMS_MOST 64

static uint64_t length_of(const int64_t bounds[3])
{
	int64_t lower = bounds[0], upper = bounds[1], step = bounds[2];
	if (step > 0 ? upper < lower : lower < upper || !step)
		return 0;
	return step > 0 ? ((uint64_t)upper - (uint64_t)lower) / (uint64_t)step + 1
			: ((uint64_t)lower - (uint64_t)upper) / (uint64_t)-step + 1;
}

void OMP(__kmpc_doacross_init)(omp_where where, int32_t gtid, int32_t n, const int64_t (*bounds)[3])
{
	struct omp_task *me = norn_omp_self();
	struct omp_loop *loop = norn_omp_loop_enter(me, OMP_CALLER);
	int64_t mine[DIMS_MOST][3];
	uint64_t total = 1;
	(void)where, (void)gtid;
	me->doacross = loop;
	if (n > DIMS_MOST)
		norn_fail("a doacross loop with more than 64 dimensions", -1, 0);
	for (int i = 0; i < n && i < DIMS_MOST; i++) {
		norn_decide_by(OMP_CALLER, mine[i], bounds[i], sizeof mine[i]);
		total *= length_of(mine[i]);
	}
	norn_spin_lock(&me->team->lock);
	if (!loop->bounds) {
		loop->dims = n < DIMS_MOST ? n : DIMS_MOST;
		loop->bounds = norn_omp_get_memory((size_t)loop->dims * sizeof *loop->bounds + 1);
		for (int i = 0; i < loop->dims; i++)
			for (int j = 0; j < 3; j++)
				loop->bounds[i][j] = mine[i][j];
		loop->posted = norn_omp_get_memory(total + 1);
		loop->iterations = total;
	}
	norn_spin_unlock(&me->team->lock);
}

/* Null: there is no such iteration. */
static uint8_t *flag_of(const struct omp_loop *loop, const int64_t *at, const void *pc)
{
	uint64_t index = 0;
	for (int i = 0; i < loop->dims; i++) {
		int64_t mine, *bounds = loop->bounds[i];
		norn_decide_by(pc, &mine, &at[i], sizeof mine);
		uint64_t length = length_of(bounds);
		uint64_t far =
			bounds[2] > 0
				? ((uint64_t)mine - (uint64_t)bounds[0]) / (uint64_t)bounds[2]
				: ((uint64_t)bounds[0] - (uint64_t)mine) / (uint64_t)-bounds[2];
		bool before = bounds[2] > 0 ? mine < bounds[0] : mine > bounds[0];
		if (before || far >= length)
			return NULL;
		index = index * length + far;
	}
	return &loop->posted[index];
}

void OMP(__kmpc_doacross_post)(omp_where where, int32_t gtid, const int64_t *at)
{
	struct omp_loop *loop = norn_omp_self()->doacross;
	uint8_t *flag = flag_of(loop, at, OMP_CALLER);
	(void)where, (void)gtid;
	if (!flag)
		return;
	norn_comes_before(flag);
	__atomic_store_n(flag, 1, __ATOMIC_RELEASE);
	__atomic_add_fetch(&loop->turn, 1, __ATOMIC_RELEASE);
	norn_omp_wake(&loop->turn);
}

void OMP(__kmpc_doacross_wait)(omp_where where, int32_t gtid, const int64_t *at)
{
	struct omp_loop *loop = norn_omp_self()->doacross;
	uint8_t *flag = flag_of(loop, at, OMP_CALLER);
	(void)where, (void)gtid;
	if (!flag)
		return;
	for (;;) {
		uint32_t turn = __atomic_load_n(&loop->turn, __ATOMIC_ACQUIRE);
		if (__atomic_load_n(flag, __ATOMIC_ACQUIRE))
			break;
		norn_long_call();
		norn_omp_sleep(&loop->turn, turn);
	}
	norn_waited_for(flag);
}

void OMP(__kmpc_doacross_fini)(omp_where where, int32_t gtid)
{
	struct omp_task *me = norn_omp_self();
	(void)where, (void)gtid;
	norn_omp_loop_leave(me, me->doacross);
	me->doacross = NULL;
}
