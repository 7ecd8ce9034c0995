/* SPDX-License-Identifier: MIT */
/* taskloop, and reductions of tasks: each task has copies of its own, which its group adds up. */
#include <stdlib.h>
#include <string.h>

#include "runtime/callback.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/ranges.h"
#include "runtime/openmp/abi.h"
#include "runtime/openmp/openmp.h"
#include "runtime/real.h"

/* If the program does not say how many. */
#define TASKS_EACH 2u

enum { BY_GRAIN = 1, BY_NUMBER = 2 };

static uint64_t number_of_tasks(struct omp_task *me, uint64_t count, int schedule, uint64_t grain)
{
	uint64_t n = TASKS_EACH * (uint64_t)me->team->size;
	if (schedule == BY_GRAIN)
		n = grain && count / grain ? count / grain : 1;
	else if (schedule == BY_NUMBER)
		n = grain ? grain : 1;
	return n < count ? n : count;
}

struct taskloop {
	struct omp_memory *pattern;
	uint64_t *lower, *upper; /* in the pattern */
	uint64_t from, count;
	int64_t step;
	bool inlined;
	void (*copy)(void *, void *, int32_t);
	const void *pc;
};

static void set(const struct taskloop *loop, struct omp_memory *task, const uint64_t *which,
		uint64_t value)
{
	size_t offset = (size_t)((const char *)which - (const char *)loop->pattern);
	norn_lay(loop->pc, (char *)task + offset, &value, sizeof value);
}

/* Iterations first to last. */
static void make_one(struct omp_task *me, const struct taskloop *loop, uint64_t first,
		     uint64_t last)
{
	struct omp_memory *task = omp_task_copy(me, loop->pattern, loop->pc);
	set(loop, task, loop->lower, loop->from + first * (uint64_t)loop->step);
	set(loop, task, loop->upper, loop->from + last * (uint64_t)loop->step);
	if (loop->copy) {
		norn_callback((const void *)loop->copy,
			      "0:0 " NORN_GETS_POINTER NORN_GETS_POINTER "a" NORN_INT);
		loop->copy(task, loop->pattern, last == loop->count - 1);
	}
	omp_task_start(omp_task_of(task), loop->inlined, loop->pc);
}

static void make_all(struct taskloop *loop, bool without_group, int schedule, uint64_t grain)
{
	struct omp_task *me = omp_self();
	uint64_t upper;
	norn_decide_by(loop->pc, &loop->from, loop->lower, sizeof loop->from);
	norn_decide_by(loop->pc, &upper, loop->upper, sizeof upper);
	if (loop->step > 0 ? (int64_t)upper >= (int64_t)loop->from
			   : (int64_t)upper <= (int64_t)loop->from)
		loop->count = loop->step > 0 ? (upper - loop->from) / (uint64_t)loop->step + 1
					     : (loop->from - upper) / (uint64_t)-loop->step + 1;
	uint64_t n = number_of_tasks(me, loop->count, schedule, grain);
	if (!without_group)
		omp_group_begin(me);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t each = loop->count / n, more = loop->count % n;
		uint64_t first = i * each + (i < more ? i : more);
		make_one(me, loop, first, first + each + (i < more) - 1);
	}
	if (!without_group)
		omp_group_end(me, loop->pc);
	omp_task_drop(loop->pattern);
}

void OMP(__kmpc_taskloop)(omp_where where, int32_t gtid, void *task, int condition, uint64_t *lower,
			  uint64_t *upper, int64_t step, int without_group, int schedule,
			  uint64_t grain, void *copy)
{
	struct taskloop loop = {.pattern = task,
				.lower = lower,
				.upper = upper,
				.step = step,
				.inlined = !condition,
				.copy = copy,
				.pc = OMP_CALLER};
	(void)where, (void)gtid;
	make_all(&loop, without_group, schedule, grain);
}

void OMP(__kmpc_taskloop_5)(omp_where where, int32_t gtid, void *task, int condition,
			    uint64_t *lower, uint64_t *upper, int64_t step, int without_group,
			    int schedule, uint64_t grain, int modifier, void *copy)
{
	struct taskloop loop = {.pattern = task,
				.lower = lower,
				.upper = upper,
				.step = step,
				.inlined = !condition,
				.copy = copy,
				.pc = OMP_CALLER};
	(void)where, (void)gtid, (void)modifier;
	make_all(&loop, without_group, schedule, grain);
}

/* Reductions */

struct own {
	struct own *next;
	const struct omp_task *task;
	void *memory;
};

struct item {
	struct omp_reduction of;
	bool old;
	struct own *owns;
};

struct omp_reductions {
	struct omp_reductions *next;
	int n;
	struct norn_spin lock;
	struct item items[];
};

static struct omp_reductions *new_reductions(struct omp_task *me, int32_t n)
{
	struct omp_reductions *r =
		omp_get_memory(sizeof *r + (size_t)(n > 0 ? n : 0) * sizeof *r->items);
	if (!me->group)
		omp_group_begin(me);
	r->n = n;
	r->next = me->group->reductions;
	me->group->reductions = r;
	return r;
}

static void *init(struct omp_task *me, int32_t n, const struct omp_reduction *of, const void *pc)
{
	struct omp_reductions *r = new_reductions(me, n);
	for (int32_t i = 0; i < n; i++)
		norn_decide_by(pc, &r->items[i].of, &of[i], sizeof of[i]);
	return me->group;
}

static void *init_old(struct omp_task *me, int32_t n, const struct omp_old_reduction *of,
		      const void *pc)
{
	struct omp_reductions *r = new_reductions(me, n);
	for (int32_t i = 0; i < n; i++) {
		struct omp_old_reduction old;
		norn_decide_by(pc, &old, &of[i], sizeof old);
		r->items[i].old = true;
		r->items[i].of = (struct omp_reduction){.shared = old.shared,
							.original = old.shared,
							.size = old.size,
							.init = old.init,
							.fini = old.fini,
							.combine = old.combine};
	}
	return me->group;
}

void *OMP(__kmpc_taskred_init)(int32_t gtid, int32_t n, const struct omp_reduction *of)
{
	(void)gtid;
	return init(omp_self(), n, of, OMP_CALLER);
}

void *OMP(__kmpc_task_reduction_init)(int32_t gtid, int32_t n, const struct omp_old_reduction *of)
{
	(void)gtid;
	return init_old(omp_self(), n, of, OMP_CALLER);
}

/* Each thread of the region or loop has a group of its own. */
void *OMP(__kmpc_taskred_modifier_init)(omp_where where, int32_t gtid, int shares, int32_t n,
					const struct omp_reduction *of)
{
	(void)where, (void)gtid, (void)shares;
	omp_group_begin(omp_self());
	return init(omp_self(), n, of, OMP_CALLER);
}

void *OMP(__kmpc_task_reduction_modifier_init)(omp_where where, int32_t gtid, int shares, int32_t n,
					       const struct omp_old_reduction *of)
{
	(void)where, (void)gtid, (void)shares;
	omp_group_begin(omp_self());
	return init_old(omp_self(), n, of, OMP_CALLER);
}

void OMP(__kmpc_task_reduction_modifier_fini)(omp_where where, int32_t gtid, int shares)
{
	(void)where, (void)gtid, (void)shares;
	omp_group_end(omp_self(), OMP_CALLER);
}

static bool is_of(const struct item *item, const void *data)
{
	if (item->of.shared == data || item->of.original == data)
		return true;
	for (const struct own *own = item->owns; own; own = own->next)
		if (own->memory == data)
			return true;
	return false;
}

static void call_two(void *function, void *a, void *b)
{
	norn_callback(function, OMP_OF_TWO);
	((void (*)(void *, void *))function)(a, b);
}

static void call_one(void *function, void *a)
{
	norn_callback(function, "0:0 " NORN_GETS_POINTER);
	((void (*)(void *))function)(a);
}

static void *own_of(struct omp_task *me, struct omp_reductions *r, struct item *item,
		    const void *pc)
{
	norn_spin_lock(&r->lock);
	struct own *own = item->owns;
	while (own && own->task != me)
		own = own->next;
	norn_spin_unlock(&r->lock);
	if (own)
		return own->memory;
	own = omp_get_memory(sizeof *own);
	own->task = me;
	own->memory = norn_malloc(item->of.size, pc);
	if (!item->of.init)
		norn_fill(pc, own->memory, 0, item->of.size);
	else if (item->old)
		call_one(item->of.init, own->memory);
	else
		call_two(item->of.init, own->memory, item->of.original);
	norn_spin_lock(&r->lock);
	own->next = item->owns;
	item->owns = own;
	norn_spin_unlock(&r->lock);
	return own->memory;
}

void *OMP(__kmpc_task_reduction_get_th_data)(int32_t gtid, void *group, void *data)
{
	struct omp_task *me = omp_self();
	(void)gtid;
	for (struct omp_tg *at = group ? group : me->group; at; at = at->outer)
		for (struct omp_reductions *r = at->reductions; r; r = r->next)
			for (int i = 0; i < r->n; i++) {
				norn_spin_lock(&r->lock);
				bool is = is_of(&r->items[i], data);
				norn_spin_unlock(&r->lock);
				if (is)
					return own_of(me, r, &r->items[i], OMP_CALLER);
			}
	return data;
}

static void add_up(struct item *item)
{
	for (struct own *own = item->owns, *next; own; own = next) {
		next = own->next;
		call_two(item->of.combine, item->of.shared, own->memory);
		if (item->of.fini)
			call_one(item->of.fini, own->memory);
		free(own->memory);
		NORN_REAL(free)(own);
	}
}

void omp_reduce_tasks(struct omp_tg *group, const void *pc)
{
	(void)pc;
	for (struct omp_reductions *r = group->reductions, *next; r; r = next) {
		next = r->next;
		for (int i = 0; i < r->n; i++)
			add_up(&r->items[i]);
		NORN_REAL(free)(r);
	}
}
