/* SPDX-License-Identifier: MIT */
/* depend: a task waits for those of its siblings that OpenMP names, each by its address. */
#include <stdlib.h>
#include <string.h>

#include "runtime/libc/libc.h"
#include "runtime/libc/ranges.h"
#include "runtime/openmp/abi.h"
#include "runtime/openmp/openmp.h"

struct list {
	struct omp_task **at;
	int n, room;
};

/* What tasks have said of an address: those that write it, together, and what came before them;
 * those that read it since then. */
struct omp_address {
	struct omp_address *next;
	intptr_t address;
	int kind; /* of the writers */
	struct list before, writers, readers;
};

static void push(struct list *list, struct omp_task *task)
{
	if (list->n == list->room) {
		int room = list->room ? 2 * list->room : 4;
		struct omp_task **larger = norn_omp_get_memory((size_t)room * sizeof *larger);
		if (list->n)
			memcpy(larger, list->at, (size_t)list->n * sizeof *larger);
		norn_omp_free_memory(list->at);
		list->at = larger;
		list->room = room;
	}
	list->at[list->n++] = task;
}

static void push_all(struct list *list, const struct list *from, const struct omp_task *but)
{
	for (int i = 0; i < from->n; i++)
		if (from->at[i] != but)
			push(list, from->at[i]);
}

static struct omp_address *address_of(struct omp_task *me, intptr_t address)
{
	struct omp_address *at = me->addresses;
	while (at && at->address != address)
		at = at->next;
	if (at)
		return at;
	at = norn_omp_get_memory(sizeof *at);
	at->address = address;
	at->next = me->addresses;
	me->addresses = at;
	return at;
}

/* task: NULL if it is only waited for. */
static void note(struct omp_address *a, int kind, struct omp_task *task, struct list *before)
{
	if (kind == OMP_IN) {
		push_all(before, &a->writers, task);
		if (task)
			push(&a->readers, task);
		return;
	}
	bool together = kind != OMP_OUT && kind == a->kind && !a->readers.n;
	if (!together) {
		struct list *latest = a->readers.n ? &a->readers : &a->writers;
		if (!task) {
			push_all(before, latest, NULL);
			return;
		}
		a->before.n = 0;
		push_all(&a->before, latest, task);
		a->writers.n = a->readers.n = 0;
		a->kind = kind;
	}
	push_all(before, &a->before, task);
	if (task)
		push(&a->writers, task);
}

static int kind_of(const struct omp_depend *d)
{
	if (d->flags & OMP_MUTEX)
		return OMP_MUTEX;
	if (d->flags & OMP_SET)
		return OMP_SET;
	return d->flags & OMP_OUT ? OMP_OUT : OMP_IN;
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (void *const *)a, y = (uintptr_t) * (void *const *)b;
	return x < y ? -1 : x > y;
}

static void add_exclusive(struct omp_task *task, const void *address, int most)
{
	if (!task->exclusive)
		task->exclusive = norn_omp_get_memory((size_t)most * sizeof *task->exclusive);
	for (int i = 0; i < task->exclusives; i++)
		if (task->exclusive[i] == address)
			return;
	task->exclusive[task->exclusives++] = address;
	qsort(task->exclusive, (size_t)task->exclusives, sizeof *task->exclusive, by_address);
}

static void note_all(struct omp_task *me, struct omp_task *task, int32_t n,
		     const struct omp_depend *of, struct list *before, const void *pc)
{
	for (int32_t i = 0; i < n; i++) {
		struct omp_depend d;
		norn_decide_by(pc, &d.address, &of[i].address, sizeof d.address);
		norn_decide_by(pc, &d.flags, &of[i].flags, sizeof d.flags);
		int kind = kind_of(&d);
		note(address_of(me, d.address), kind, task, before);
		if (task && kind == OMP_MUTEX)
			add_exclusive(task, (const void *)d.address, n);
	}
}

int32_t OMP(__kmpc_omp_task_with_deps)(omp_where where, int32_t gtid, void *memory, int32_t n,
				       const struct omp_depend *of, int32_t more,
				       const struct omp_depend *others)
{
	struct omp_task *me = norn_omp_self(), *task = norn_omp_task_of(memory);
	struct list before = {0};
	(void)where, (void)gtid;
	note_all(me, task, n, of, &before, OMP_CALLER);
	note_all(me, task, more, others, &before, OMP_CALLER);
	task->before = before.at;
	task->befores = before.n;
	norn_omp_task_start(task, false, OMP_CALLER);
	return 0;
}

void OMP(__kmpc_omp_wait_deps)(omp_where where, int32_t gtid, int32_t n,
			       const struct omp_depend *of, int32_t more,
			       const struct omp_depend *others)
{
	struct omp_task *me = norn_omp_self();
	struct list before = {0};
	(void)where, (void)gtid;
	note_all(me, NULL, n, of, &before, OMP_CALLER);
	note_all(me, NULL, more, others, &before, OMP_CALLER);
	norn_omp_stand_up(me, OMP_CALLER);
	for (int i = 0; i < before.n; i++)
		norn_omp_await_task(before.at[i], OMP_CALLER);
	norn_omp_sit_down(me, OMP_CALLER);
	norn_omp_free_memory(before.at);
}

void norn_omp_free_task(struct omp_task *task)
{
	for (struct omp_address *a = task->addresses, *next; a; a = next) {
		next = a->next;
		norn_omp_free_memory(a->before.at);
		norn_omp_free_memory(a->writers.at);
		norn_omp_free_memory(a->readers.at);
		norn_omp_free_memory(a);
	}
	norn_omp_free_memory(task->before);
	norn_omp_free_memory(task->exclusive);
	if (task->detached)
		norn_forget(&task->fulfilled);
	norn_omp_free_memory(task);
}
