/* SPDX-License-Identifier: MIT */
/* omp.h: what a program asks for and sets. Locks are in lock.c. */
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "runtime/libc/ranges.h"
#include "runtime/libc/replaced.h"
#include "runtime/openmp/abi.h"
#include "runtime/openmp/openmp.h"

void OMP(omp_set_num_threads)(int n)
{
	if (n > 0)
		omp_self()->threads = n;
}

int OMP(omp_get_num_threads)(void)
{
	return omp_self()->team->size;
}

int OMP(omp_get_max_threads)(void)
{
	return omp_self()->threads;
}

int OMP(omp_get_thread_num)(void)
{
	return omp_seat(omp_self(), OMP_CALLER);
}

int OMP(omp_get_num_procs)(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int OMP(omp_in_parallel)(void)
{
	return omp_self()->team->active_level > 0;
}

int OMP(omp_in_final)(void)
{
	return omp_self()->final;
}

void OMP(omp_set_dynamic)(int dynamic)
{
	omp_self()->dynamic = dynamic;
}

int OMP(omp_get_dynamic)(void)
{
	return omp_self()->dynamic;
}

void OMP(omp_set_nested)(int nested)
{
	omp_self()->max_levels = nested ? INT_MAX : 1;
}

int OMP(omp_get_nested)(void)
{
	return omp_self()->max_levels > 1;
}

void OMP(omp_set_max_active_levels)(int n)
{
	if (n >= 0)
		omp_self()->max_levels = n;
}

int OMP(omp_get_max_active_levels)(void)
{
	return omp_self()->max_levels;
}

int OMP(omp_get_active_level)(void)
{
	return omp_self()->team->active_level;
}

int OMP(omp_get_level)(void)
{
	return omp_self()->team->level;
}

/* The task of this level that the caller is in; null: there is none. */
static struct omp_task *ancestor(int level)
{
	struct omp_task *task = omp_self();
	if (level < 0 || level > task->team->level)
		return NULL;
	while (task && task->team->level > level)
		task = task->team->maker;
	return task;
}

int OMP(omp_get_ancestor_thread_num)(int level)
{
	struct omp_task *task = ancestor(level);
	return task ? omp_seat(task, OMP_CALLER) : -1;
}

int OMP(omp_get_team_size)(int level)
{
	const struct omp_task *task = ancestor(level);
	return task ? task->team->size : -1;
}

int OMP(omp_get_thread_limit)(void)
{
	return omp_settings()->thread_limit;
}

/* omp_sched_t: 1 static, 2 dynamic, 3 guided, 4 auto. */
void OMP(omp_set_schedule)(uint32_t kind, int chunk)
{
	struct omp_task *me = omp_self();
	static const int kinds[] = {OMP_STATIC, OMP_STATIC, OMP_DYNAMIC, OMP_GUIDED, OMP_AUTO};
	kind &= 0x7fffffff;
	me->kind = kind < sizeof kinds / sizeof *kinds ? kinds[kind] : OMP_STATIC;
	me->chunk = chunk;
}

void OMP(omp_get_schedule)(uint32_t *kind, int *chunk)
{
	const struct omp_task *me = omp_self();
	uint32_t is = (uint32_t)(me->kind - OMP_STATIC + 1);
	norn_lay(OMP_CALLER, kind, &is, sizeof is);
	norn_lay(OMP_CALLER, chunk, &me->chunk, sizeof me->chunk);
}

double OMP(omp_get_wtime)(void)
{
	return (double)__norn__ZNSt6chrono3_V212steady_clock3nowEv() / 1e9;
}

double OMP(omp_get_wtick)(void)
{
	return 1e-9;
}

int OMP(omp_get_cancellation)(void)
{
	return omp_settings()->cancels;
}

int OMP(omp_get_num_teams)(void)
{
	return omp_self()->team->league_size;
}

int OMP(omp_get_team_num)(void)
{
	return omp_self()->team->league;
}

#define CONSTANT(name, value) \
	int OMP(name)(void)   \
	{                     \
		return value; \
	}
CONSTANT(omp_get_max_task_priority, 0)
CONSTANT(omp_get_proc_bind, 0)
CONSTANT(omp_get_num_places, 0)
CONSTANT(omp_get_place_num, -1)
CONSTANT(omp_get_num_devices, 0)
CONSTANT(omp_get_default_device, 0)
CONSTANT(omp_is_initial_device, 1)
CONSTANT(omp_get_initial_device, 0)
CONSTANT(omp_get_device_num, 0)
CONSTANT(omp_get_supported_active_levels, INT_MAX)

void OMP(omp_set_default_device)(int device)
{
	(void)device;
}
