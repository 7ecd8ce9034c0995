/* SPDX-License-Identifier: MIT */
#include "runtime/openmp/openmp.h"

#include "runtime/libc/libc.h"
#include "runtime/shard.h"

struct omp_seat {
	uint32_t taken;
	uint32_t shared; /* an explicit task has had it */
} __attribute__((aligned(64)));

/* No program waits for a number: a thread that does not get it in that time goes on without. */
#define TRIES 20000

static struct omp_seat *seat_of(struct omp_task *me)
{
	struct omp_team *team = me->team;
	norn_spin_lock(&team->lock);
	if (!team->seats)
		team->seats = norn_omp_get_memory((size_t)team->size * sizeof *team->seats);
	norn_spin_unlock(&team->lock);
	return &team->seats[me->number];
}

void norn_omp_sit_down(struct omp_task *me, const void *pc)
{
	(void)pc;
	if (NORN_LIKELY(!me->sits) || me->has_seat)
		return;
	struct omp_seat *seat = seat_of(me);
	for (uint32_t tries = 0; tries < TRIES && !me->has_seat; norn_wait(&tries))
		me->has_seat = !__atomic_exchange_n(&seat->taken, 1, __ATOMIC_ACQUIRE);
	if (!me->implicit)
		seat->shared = 1;
	if (seat->shared)
		norn_comes_after(seat);
}

void norn_omp_stand_up(struct omp_task *me, const void *pc)
{
	(void)pc;
	if (NORN_LIKELY(!me->has_seat))
		return;
	struct omp_seat *seat = seat_of(me);
	norn_comes_before(seat);
	me->has_seat = false;
	__atomic_store_n(&seat->taken, 0, __ATOMIC_RELEASE);
}

int norn_omp_seat(struct omp_task *me, const void *pc)
{
	if (!me->sits && !norn_omp_is_alone(me->team) && !me->inlined) {
		me->sits = true;
		norn_omp_sit_down(me, pc);
	}
	return me->number;
}

void norn_omp_forget_seats(struct omp_team *team)
{
	for (int i = 0; team->seats && i < team->size; i++)
		norn_forget(&team->seats[i]);
	norn_omp_free_memory(team->seats);
}
