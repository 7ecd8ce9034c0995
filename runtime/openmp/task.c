/* SPDX-License-Identifier: MIT */
/* Explicit tasks: a thread each, forked where the task is made. */
#include "runtime/openmp/openmp.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/callback.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/ranges.h"
#include "runtime/openmp/abi.h"

/* More than these are done by who makes them, as libomp does if its queues are full. Then races
 * between them are not seen, and the recording says so (LOG_TASKS). */
#define FORKED_MOST 4096

enum { FLAG_FINAL = 2, FLAG_DESTRUCTORS = 8, FLAG_DETACHABLE = 0x40 };

/* In front of what the program has of a task. */
struct head {
	struct omp_task *task;
	uint32_t size, shareds;
	int32_t flags;
} __attribute__((aligned(16)));

static struct head *head_of(const void *memory)
{
	return (struct head *)memory - 1;
}

struct omp_task *norn_omp_task_of(const void *memory)
{
	return head_of(memory)->task;
}

struct omp_memory *norn_omp_task_alloc(struct omp_task *me, int32_t flags, size_t size,
				       size_t shareds, omp_routine routine, const void *pc)
{
	size_t room = (size + 15) & ~(size_t)15;
	struct head *head = norn_malloc(sizeof *head + room + shareds, pc);
	if (!head) {
		norn_fail("no memory for a task of OpenMP", -1, 0);
		__builtin_trap();
	}
	struct omp_memory *memory = (struct omp_memory *)(head + 1);
	struct omp_task *task = norn_omp_task_new(me, me->team);
	struct omp_memory fresh = {.shareds = shareds ? (char *)memory + room : NULL,
				   .routine = routine};
	head->task = task;
	head->flags = flags;
	head->size = (uint32_t)room;
	head->shareds = (uint32_t)shareds;
	norn_lay(pc, memory, &fresh, sizeof fresh);
	task->memory = memory;
	task->group = me->group;
	task->final = me->final || flags & FLAG_FINAL;
	task->worker = me->worker;
	task->number = me->number;
	task->pc = pc;
	norn_spin_lock(&me->team->lock);
	task->next_made = me->team->tasks;
	me->team->tasks = task;
	norn_spin_unlock(&me->team->lock);
	return memory;
}

struct omp_memory *norn_omp_task_copy(struct omp_task *me, const struct omp_memory *from,
				      const void *pc)
{
	const struct head *head = head_of(from);
	struct omp_memory *copy =
		norn_omp_task_alloc(me, head->flags, head->size, head->shareds, from->routine, pc);
	const size_t own = sizeof copy->shareds;
	norn_copied(pc, (char *)copy + own, (const char *)from + own,
		    head->size + head->shareds - own);
	return copy;
}

void norn_omp_task_drop(struct omp_memory *memory)
{
	norn_omp_task_of(memory)->memory = NULL;
	free(head_of(memory));
}

void *OMP(__kmpc_omp_task_alloc)(omp_where where, int32_t gtid, int32_t flags, size_t size,
				 size_t shareds, omp_routine routine)
{
	(void)where, (void)gtid;
	return norn_omp_task_alloc(norn_omp_self(), flags, size, shareds, routine, OMP_CALLER);
}

void *OMP(__kmpc_omp_target_task_alloc)(omp_where where, int32_t gtid, int32_t flags, size_t size,
					size_t shareds, omp_routine routine, int64_t device)
{
	(void)where, (void)gtid, (void)device;
	return norn_omp_task_alloc(norn_omp_self(), flags, size, shareds, routine, OMP_CALLER);
}

void norn_omp_await_task(struct omp_task *task, const void *pc)
{
	if (task->forked)
		norn_thread_await(&task->thread, pc);
	if (!task->detached)
		return;
	while (!__atomic_load_n(&task->fulfilled, __ATOMIC_ACQUIRE)) {
		norn_long_call();
		norn_omp_sleep(&task->fulfilled, 0);
	}
	norn_waited_for(&task->fulfilled);
}

static void begin_exclusive(struct omp_task *task, const void *pc);
static void end_exclusive(struct omp_task *task, const void *pc);

static bool is_cancelled(struct omp_task *task)
{
	if (!norn_omp_settings()->cancels)
		return false;
	return (task->group && norn_omp_looks_cancelled(&task->group->cancelled, OMP_TASKGROUP)) ||
	       norn_omp_looks_cancelled(&task->team->cancelled, OMP_PARALLEL);
}

/* By its own thread or, inlined, by that of its parent. */
static void run(struct omp_task *task)
{
	struct omp_memory *memory = task->memory;
	int32_t flags = head_of(memory)->flags;
	for (int i = 0; i < task->befores; i++)
		norn_omp_await_task(task->before[i], task->pc);
	norn_omp_become(task);
	begin_exclusive(task, task->pc);
	if (!is_cancelled(task))
		do {
			task->again = false;
			norn_callback((const void *)memory->routine, OMP_ROUTINE);
			memory->routine(task->number, memory);
		} while (task->again);
	if (flags & FLAG_DESTRUCTORS)
		memory->first.destructors(task->number, memory);
	end_exclusive(task, task->pc);
	norn_omp_stand_up(task, task->pc);
	norn_omp_task_drop(memory);
}

static void *start(void *argument)
{
	struct omp_task *task = argument;
	norn_self.returned = true; /* nobody asks for its result */
	run(task);
	__atomic_store_n(&task->over, 1, __ATOMIC_RELEASE);
	norn_omp_wake(&task->over);
	return NULL;
}

/*
 * A task may be done at once, as by a thread of libomp that has nothing else to do. If it uses what
 * its maker soon leaves, a local of a function that returns, then the record shows that they share
 * it. Later it would be memory of nobody. The log knows nothing of that wait.
 */
#define HEAD_START 10000000 /* ns */
#define HEAD_STARTS_MOST 20 /* that were too short */

static void give_head_start(struct omp_task *task)
{
	static uint32_t failed;
	if (__atomic_load_n(&failed, __ATOMIC_RELAXED) < HEAD_STARTS_MOST &&
	    !norn_omp_sleep_for(&task->over, 0, HEAD_START))
		__atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED);
}

/* Whoever waits for a task that is over has what that has left to be waited for. */
static struct omp_task *end_of(struct omp_task *list)
{
	while (list->next)
		list = list->next;
	return list;
}

static void leave_to(struct omp_task *me, struct omp_task *task)
{
	struct omp_task **lists[] = {&task->children, &task->strays};
	for (int i = 0; i < 2; i++) {
		struct omp_task *list = *lists[i];
		if (!list)
			continue;
		end_of(list)->next = me->strays;
		me->strays = list;
		*lists[i] = NULL;
	}
}

static void run_here(struct omp_task *me, struct omp_task *task, const void *pc)
{
	task->inlined = true;
	norn_omp_stand_up(me, pc);
	run(task);
	norn_omp_become(me);
	norn_omp_sit_down(me, pc);
	leave_to(me, task);
}

static bool may_fork(void)
{
	static uint32_t forked;
	if (__atomic_load_n(&forked, __ATOMIC_RELAXED) < FORKED_MOST &&
	    __atomic_add_fetch(&forked, 1, __ATOMIC_RELAXED) <= FORKED_MOST)
		return true;
	if (norn_run.shared)
		__atomic_store_n(&norn_run.shared->tasks, 1, __ATOMIC_RELAXED);
	return false;
}

/* The workers take turns; no other thing decides which of them a task has, if it asks. */
static void give_number(struct omp_task *me, struct omp_task *task)
{
	const struct omp_task *root = me;
	while (!root->implicit)
		root = root->parent;
	task->number =
		(int)((uint32_t)(me->number + 1 + (int)me->tasks++) % (uint32_t)me->team->size);
	task->worker = norn_omp_worker_of(root->parent->worker, task->number);
}

void norn_omp_task_start(struct omp_task *task, bool inlined, const void *pc)
{
	struct omp_task *me = norn_omp_self();
	if (inlined || me->final || norn_omp_is_alone(me->team) || !may_fork()) {
		run_here(me, task, pc);
		if (task->detached) {
			task->next = me->children;
			me->children = task;
		}
		return;
	}
	norn_omp_stand_up(me, pc);
	give_number(me, task);
	task->forked = true;
	if (norn_thread_fork(&task->thread, LOG_ROLE(LOG_TASK, 0), start, task, pc) != 0) {
		task->forked = false;
		run_here(me, task, pc);
	} else {
		task->next = me->children;
		me->children = task;
		give_head_start(task);
	}
	norn_omp_sit_down(me, pc);
}

static int32_t submit(void *memory, const void *pc)
{
	struct omp_task *task = norn_omp_task_of(memory);
	/* An untied one that is to go on elsewhere. */
	if (task == norn_omp_self())
		task->again = true;
	else
		norn_omp_task_start(task, false, pc);
	return 0;
}

int32_t OMP(__kmpc_omp_task)(omp_where where, int32_t gtid, void *memory)
{
	(void)where, (void)gtid;
	return submit(memory, OMP_CALLER);
}

int32_t OMP(__kmpc_omp_task_parts)(omp_where where, int32_t gtid, void *memory)
{
	(void)where, (void)gtid;
	return submit(memory, OMP_CALLER);
}

/* The parent does it itself, between these two. */
void OMP(__kmpc_omp_task_begin_if0)(omp_where where, int32_t gtid, void *memory)
{
	struct omp_task *task = norn_omp_task_of(memory);
	(void)where, (void)gtid;
	task->inlined = true;
	norn_omp_stand_up(norn_omp_self(), OMP_CALLER);
	norn_omp_become(task);
	begin_exclusive(task, OMP_CALLER);
}

void OMP(__kmpc_omp_task_complete_if0)(omp_where where, int32_t gtid, void *memory)
{
	struct omp_task *task = norn_omp_task_of(memory), *me = task->parent;
	(void)where, (void)gtid;
	if (head_of(memory)->flags & FLAG_DESTRUCTORS)
		((struct omp_memory *)memory)->first.destructors(task->number, memory);
	end_exclusive(task, OMP_CALLER);
	norn_omp_become(me);
	norn_omp_sit_down(me, OMP_CALLER);
	leave_to(me, task);
	norn_omp_task_drop(memory);
}

/* In the order in which they were made. */
static struct omp_task *reversed(struct omp_task *list)
{
	struct omp_task *result = NULL, *next;
	for (; list; list = next) {
		next = list->next;
		list->next = result;
		result = list;
	}
	return result;
}

/* Takes those of the group out of the list; with none, all. */
static struct omp_task *taken(struct omp_task **list, const struct omp_tg *group)
{
	struct omp_task *result = NULL;
	for (struct omp_task **at = list; *at;) {
		struct omp_task *task = *at;
		if (group && task->group != group) {
			at = &task->next;
			continue;
		}
		*at = task->next;
		task->next = result;
		result = task;
	}
	return result;
}

static void await_list(struct omp_task *me, struct omp_task *list, const void *pc)
{
	for (struct omp_task *next; list; list = next) {
		next = list->next;
		list->next = NULL;
		norn_omp_await_task(list, pc);
		leave_to(me, list);
	}
}

void norn_omp_wait_tasks(struct omp_task *me, const struct omp_tg *group, const void *pc)
{
	for (;;) {
		struct omp_task *list = taken(&me->children, group);
		if (!list)
			list = reversed(taken(&me->strays, group));
		if (!list)
			return;
		await_list(me, list, pc);
	}
}

int32_t OMP(__kmpc_omp_taskwait)(omp_where where, int32_t gtid)
{
	struct omp_task *me = norn_omp_self();
	(void)where, (void)gtid;
	norn_omp_stand_up(me, OMP_CALLER);
	await_list(me, taken(&me->children, NULL), OMP_CALLER);
	norn_omp_sit_down(me, OMP_CALLER);
	return 0;
}

int32_t OMP(__kmpc_omp_taskyield)(omp_where where, int32_t gtid, int end)
{
	struct omp_task *me = norn_omp_self();
	(void)where, (void)gtid, (void)end;
	norn_omp_stand_up(me, OMP_CALLER);
	norn_omp_sit_down(me, OMP_CALLER);
	return 0;
}

void norn_omp_group_begin(struct omp_task *me)
{
	struct omp_tg *group = norn_omp_get_memory(sizeof *group);
	group->outer = me->group;
	me->group = group;
}

void norn_omp_group_end(struct omp_task *me, const void *pc)
{
	struct omp_tg *group = me->group;
	if (!group)
		return;
	norn_omp_stand_up(me, pc);
	norn_omp_wait_tasks(me, group, pc);
	norn_omp_sit_down(me, pc);
	norn_omp_reduce_tasks(group, pc);
	me->group = group->outer;
	if (norn_omp_settings()->cancels)
		norn_forget(&group->cancelled);
	norn_omp_free_memory(group);
}

void OMP(__kmpc_taskgroup)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
	norn_omp_group_begin(norn_omp_self());
}

void OMP(__kmpc_end_taskgroup)(omp_where where, int32_t gtid)
{
	(void)where, (void)gtid;
	norn_omp_group_end(norn_omp_self(), OMP_CALLER);
}

/* Detached tasks are over when somebody says so. */
void *OMP(__kmpc_task_allow_completion_event)(omp_where where, int32_t gtid, void *memory)
{
	struct omp_task *task = norn_omp_task_of(memory);
	(void)where, (void)gtid;
	task->detached = true;
	return task;
}

void OMP(omp_fulfill_event)(void *event)
{
	struct omp_task *task = event;
	norn_comes_before(&task->fulfilled);
	__atomic_store_n(&task->fulfilled, 1, __ATOMIC_RELEASE);
	norn_omp_wake(&task->fulfilled);
}

int32_t OMP(__kmpc_omp_reg_task_with_affinity)(omp_where where, int32_t gtid, void *memory,
					       int32_t n, void *list)
{
	(void)where, (void)gtid, (void)memory, (void)n, (void)list;
	return 0;
}

/* mutexinoutset: a lock for each address, in ascending order. */
static void begin_exclusive(struct omp_task *task, const void *pc)
{
	for (int i = 0; i < task->exclusives; i++)
		norn_omp_lock(norn_omp_word_of(task->exclusive[i]), task->exclusive[i], pc);
}

static void end_exclusive(struct omp_task *task, const void *pc)
{
	for (int i = task->exclusives; i-- > 0;)
		norn_omp_unlock(norn_omp_word_of(task->exclusive[i]), task->exclusive[i], pc);
}
