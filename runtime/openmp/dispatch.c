/* SPDX-License-Identifier: MIT */
/*
 * Loops whose threads ask for their next iterations. Of each round of as many chunks as there are
 * threads each thread has one, whoever asks first: so each has its share also in a short run, and
 * nobody learns from its chunks how far the others are. Where a round begins follows from its
 * number, and no simple way: iterations that touch the same memory now and then would else always
 * be of the same thread. Each thread has its chunks in ascending order.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/ranges.h"
#include "runtime/openmp/abi.h"
#include "runtime/openmp/openmp.h"
#include "runtime/pthread/locks.h"

/* Threads come to the loops of a team in the same order, but not at the same time. */
struct omp_loop *norn_omp_loop_enter(struct omp_task *me, const void *pc)
{
	struct omp_team *team = me->team;
	uint32_t index = me->loops++;
	norn_spin_lock(&team->lock);
	struct omp_loop *loop = team->loops;
	while (loop && loop->index != index)
		loop = loop->next;
	if (!loop) {
		loop = norn_omp_get_memory(sizeof *loop);
		loop->index = index;
		loop->left = team->size;
		loop->next = team->loops;
		team->loops = loop;
		norn_log_init(&loop->order, pc);
	}
	norn_spin_unlock(&team->lock);
	return loop;
}

void norn_omp_loop_leave(struct omp_task *me, struct omp_loop *loop)
{
	struct omp_team *team = me->team;
	norn_spin_lock(&team->lock);
	bool over = --loop->left == 0;
	for (struct omp_loop **at = &team->loops; over && *at; at = &(*at)->next)
		if (*at == loop) {
			*at = loop->next;
			break;
		}
	norn_spin_unlock(&team->lock);
	if (!over)
		return;
	for (uint64_t i = 0; i < loop->iterations; i++)
		norn_forget(&loop->posted[i]);
	norn_forget(loop);
	norn_log_destroy(&loop->order);
	norn_omp_free_memory(loop->bounds);
	norn_omp_free_memory(loop->posted);
	norn_omp_free_memory(loop);
}

static uint64_t iterations(bool is_unsigned, int64_t lower, int64_t upper, int64_t step)
{
	bool none = is_unsigned ? (step > 0 ? (uint64_t)upper < (uint64_t)lower
					    : (uint64_t)lower < (uint64_t)upper)
				: (step > 0 ? upper < lower : lower < upper);
	if (none)
		return 0;
	return step > 0 ? ((uint64_t)upper - (uint64_t)lower) / (uint64_t)step + 1
			: ((uint64_t)lower - (uint64_t)upper) / (uint64_t)-step + 1;
}

static void begin(int32_t schedule, bool is_unsigned, int64_t lower, int64_t upper, int64_t step,
		  int64_t chunk, const void *pc)
{
	struct omp_task *me = norn_omp_self();
	struct omp_chunks *c = &me->chunks;
	schedule &= ~OMP_MODIFIERS;
	if (schedule >= OMP_UNMERGED)
		schedule -= OMP_UNMERGED;
	*c = (struct omp_chunks){.lower = lower, .step = step};
	c->ordered = schedule >= OMP_ORDERED_FIRST && schedule <= OMP_ORDERED_LAST;
	if (c->ordered)
		schedule -= OMP_ORDERED;
	if (schedule == OMP_RUNTIME) {
		schedule = me->kind;
		chunk = me->chunk;
		if (schedule == OMP_STATIC && chunk > 0)
			schedule = OMP_STATIC_CHUNKED;
	}
	c->kind = schedule;
	c->count = iterations(is_unsigned, lower, upper, step);
	c->chunk = chunk > 0 ? (uint64_t)chunk : 1;
	if (schedule == OMP_STATIC || schedule == OMP_AUTO)
		c->chunk = (c->count + (uint64_t)me->team->size - 1) / (uint64_t)me->team->size;
	if (!c->chunk)
		c->chunk = 1;
	if (c->ordered)
		c->shared = norn_omp_loop_enter(me, pc);
}

static uint64_t length_at(const struct omp_chunks *c, uint64_t size)
{
	uint64_t left = c->count - c->at, length = c->chunk;
	if (c->kind == OMP_GUIDED || c->kind == OMP_TRAPEZOIDAL) {
		uint64_t share = (left + 2 * size - 1) / (2 * size);
		length = share > length ? share : length;
	}
	return length < left ? length : left;
}

static uint64_t owner_of(uint64_t chunk, uint64_t size)
{
	uint64_t round = chunk / size;
	return (chunk + (round * 0x9e3779b97f4a7c15u >> 33)) % size;
}

/* The next chunk of this thread; false: there is none. */
static bool next_chunk(struct omp_task *me, uint64_t *first, uint64_t *length)
{
	struct omp_chunks *c = &me->chunks;
	uint64_t size = (uint64_t)me->team->size;
	while (c->at < c->count) {
		*first = c->at;
		*length = length_at(c, size);
		c->at += *length;
		if (owner_of(c->index++, size) == (uint64_t)me->number) {
			c->now = *first;
			return true;
		}
	}
	if (c->shared)
		norn_omp_loop_leave(me, c->shared);
	c->shared = NULL;
	return false;
}

static bool is_cancelled(struct omp_task *me)
{
	uint32_t *flag = &me->team->cancelled;
	return norn_omp_settings()->cancels && (norn_omp_looks_cancelled(flag, OMP_LOOP) ||
						norn_omp_looks_cancelled(flag, OMP_SECTIONS));
}

#define DISPATCH_ROW(name, type, signed_type)                                                      \
	void OMP(__kmpc_dispatch_init_##name)(omp_where where, int32_t gtid, int32_t schedule,     \
					      type lower, type upper, signed_type increment,       \
					      signed_type chunk)                                   \
	{                                                                                          \
		(void)where, (void)gtid;                                                           \
		begin(schedule, (type)-1 > 0, (int64_t)lower, (int64_t)upper, increment, chunk,    \
		      OMP_CALLER);                                                                 \
	}                                                                                          \
                                                                                                   \
	int32_t OMP(__kmpc_dispatch_next_##name)(omp_where where, int32_t gtid, int32_t * last,    \
						 type * lower, type * upper, signed_type * stride) \
	{                                                                                          \
		struct omp_task *me = norn_omp_self();                                             \
		const struct omp_chunks *c = &me->chunks;                                          \
		const void *pc = OMP_CALLER;                                                       \
		uint64_t first, length;                                                            \
		(void)where, (void)gtid;                                                           \
		if (is_cancelled(me) || !next_chunk(me, &first, &length))                          \
			return 0;                                                                  \
		type low = (type)((uint64_t)c->lower + first * (uint64_t)c->step);                 \
		type up = (type)((uint64_t)c->lower + (first + length - 1) * (uint64_t)c->step);   \
		signed_type step = (signed_type)c->step;                                           \
		int32_t is_last = first + length == c->count;                                      \
		norn_lay(pc, lower, &low, sizeof low);                                             \
		norn_lay(pc, upper, &up, sizeof up);                                               \
		if (stride)                                                                        \
			norn_lay(pc, stride, &step, sizeof step);                                  \
		if (last)                                                                          \
			norn_lay(pc, last, &is_last, sizeof is_last);                              \
		return 1;                                                                          \
	}                                                                                          \
                                                                                                   \
	void OMP(__kmpc_dispatch_fini_##name)(omp_where where, int32_t gtid)                       \
	{                                                                                          \
		(void)where, (void)gtid;                                                           \
		end_iteration(norn_omp_self());                                                    \
	}

/* ordered: iterations come one after the other, in every execution. */
static void await_turn(struct omp_chunks *c)
{
	struct omp_loop *loop = c->shared;
	for (;;) {
		uint32_t turn = __atomic_load_n(&loop->turn, __ATOMIC_ACQUIRE);
		if (__atomic_load_n(&loop->iteration, __ATOMIC_ACQUIRE) == (int64_t)c->now)
			break;
		norn_long_call();
		norn_omp_sleep(&loop->turn, turn);
	}
	norn_waited_for(loop);
}

static void give_turn(struct omp_chunks *c)
{
	struct omp_loop *loop = c->shared;
	norn_comes_before(loop);
	__atomic_store_n(&loop->iteration, (int64_t)c->now + 1, __ATOMIC_RELEASE);
	__atomic_add_fetch(&loop->turn, 1, __ATOMIC_RELEASE);
	norn_omp_wake(&loop->turn);
}

/* Each iteration of an ordered loop ends here; it may not have come to its ordered part. */
static void end_iteration(struct omp_task *me)
{
	struct omp_chunks *c = &me->chunks;
	if (!c->shared)
		return;
	if (!c->in_order) {
		await_turn(c);
		give_turn(c);
	}
	c->in_order = false;
	c->now++;
}

OMP_COUNTERS(DISPATCH_ROW)

void OMP(__kmpc_ordered)(omp_where where, int32_t gtid)
{
	struct omp_chunks *c = &norn_omp_self()->chunks;
	(void)where, (void)gtid;
	if (!c->shared)
		return;
	await_turn(c);
	norn_omp_lock(&c->shared->order, &c->shared->order, OMP_CALLER);
}

void OMP(__kmpc_end_ordered)(omp_where where, int32_t gtid)
{
	struct omp_chunks *c = &norn_omp_self()->chunks;
	(void)where, (void)gtid;
	if (!c->shared)
		return;
	norn_omp_unlock(&c->shared->order, &c->shared->order, OMP_CALLER);
	give_turn(c);
	c->in_order = true;
}
