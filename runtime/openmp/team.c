/* SPDX-License-Identifier: MIT */
/* Parallel regions: a thread for each implicit task, forked where the region begins. */
#include "runtime/openmp/openmp.h"

#include <stdarg.h>
#include <string.h>

#include "runtime/callback.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/ranges.h"
#include "runtime/openmp/abi.h"
#include "runtime/sys.h"

static __thread struct omp_task *self;

struct omp_task *norn_omp_task_new(struct omp_task *parent, struct omp_team *team)
{
	struct omp_task *task = norn_omp_get_memory(sizeof *task);
	const struct omp_settings *settings = norn_omp_settings();
	task->parent = parent;
	task->team = team;
	task->threads = parent ? parent->threads : settings->threads[0];
	task->max_levels = parent ? parent->max_levels : settings->max_levels;
	task->kind = parent ? parent->kind : settings->kind;
	task->chunk = parent ? parent->chunk : settings->chunk;
	task->dynamic = parent ? parent->dynamic : settings->dynamic;
	return task;
}

/* A thread that the program has: it is a team of its own. */
static struct omp_task *first_task(void)
{
	struct omp_team *team = norn_omp_get_memory(sizeof *team);
	struct omp_task *task = norn_omp_task_new(NULL, team);
	team->size = team->league_size = 1;
	task->worker = norn_omp_get_memory(sizeof *task->worker);
	task->worker->first =
		NORN_SYS(getpid, 0, 0, 0, 0, 0, 0) == NORN_SYS(gettid, 0, 0, 0, 0, 0, 0);
	task->implicit = true;
	return task;
}

struct omp_task *norn_omp_self(void)
{
	if (NORN_UNLIKELY(!self))
		self = first_task();
	return self;
}

void norn_omp_become(struct omp_task *task)
{
	self = task;
}

bool norn_omp_is_alone(const struct omp_team *team)
{
	return team->size == 1;
}

/* How many threads the next region of this task has. */
static int size_of_region(struct omp_task *me)
{
	const struct omp_settings *settings = norn_omp_settings();
	int n = me->asked_threads ? me->asked_threads : me->threads;
	me->asked_threads = 0;
	if (me->team->active_level >= me->max_levels)
		n = 1;
	n = n < settings->thread_limit ? n : settings->thread_limit;
	return n > 0 ? n : 1;
}

static struct omp_team *make_team(struct omp_task *me, int size)
{
	struct omp_team *team = norn_omp_get_memory(sizeof *team);
	team->outer = me->team;
	team->maker = me;
	team->size = size;
	team->level = me->team->level + 1;
	team->active_level = me->team->active_level + (size > 1);
	team->league = me->team->league;
	team->league_size = me->team->league_size;
	return team;
}

static struct omp_task *make_implicit(struct omp_task *me, struct omp_team *team, int number)
{
	const struct omp_settings *settings = norn_omp_settings();
	struct omp_task *task = norn_omp_task_new(me, team);
	task->implicit = true;
	task->number = number;
	task->final = me->final;
	task->worker = norn_omp_worker_of(me->worker, number);
	if (team->active_level < settings->levels)
		task->threads = settings->threads[team->active_level];
	return task;
}

static void end_team(struct omp_team *team)
{
	if (team->recorded)
		norn_barrier_close(&team->barrier);
	for (struct omp_task *task = team->tasks, *next; task; task = next) {
		next = task->next_made;
		norn_omp_free_task(task);
	}
	norn_omp_forget_seats(team);
	if (norn_omp_settings()->cancels)
		norn_forget(&team->cancelled);
	norn_omp_free_memory(team);
}

/* What the threads of a region run. */
struct region {
	omp_microtask function;
	int32_t n;
	void *arguments[]; /* with room for more than there are: see call */
};

#define FEW 16
#define MANY 256

#define A1(a, i) , (a)[i]
#define A4(a, i) A1(a, i) A1(a, (i) + 1) A1(a, (i) + 2) A1(a, (i) + 3)
#define A16(a, i) A4(a, i) A4(a, (i) + 4) A4(a, (i) + 8) A4(a, (i) + 12)
#define A64(a, i) A16(a, i) A16(a, (i) + 16) A16(a, (i) + 32) A16(a, (i) + 48)

/* All of them are pointers, as a rule; where some are not, they count as any value. */
static void announce(const struct region *region)
{
	char types[sizeof OMP_OF_TWO + MANY * (sizeof NORN_GETS_POINTER - 1)] = OMP_OF_TWO;
	char *end = types + sizeof OMP_OF_TWO - 1;
	for (int32_t i = 0; i < region->n; i++) {
		memcpy(end, NORN_GETS_POINTER, sizeof NORN_GETS_POINTER);
		end += sizeof NORN_GETS_POINTER - 1;
	}
	norn_callback((const void *)region->function, types);
}

/* A function does not notice arguments that it does not have. */
static void call(const struct region *region, int32_t *global, int32_t *bound)
{
	void *const *a = region->arguments;
	if (region->n <= FEW)
		((void (*)(int32_t *, int32_t *, void *, ...))region->function)(global,
										bound A16(a, 0));
	else
		((void (*)(int32_t *, int32_t *, void *, ...))region->function)(
			global, bound A64(a, 0) A64(a, 64) A64(a, 128) A64(a, 192));
}

static struct region *region_of(omp_microtask function, int32_t n, va_list list)
{
	size_t room = n <= FEW ? FEW : MANY;
	struct region *region =
		norn_omp_get_memory(sizeof *region + room * sizeof *region->arguments);
	if (n > MANY) {
		norn_fail("a parallel region with more than 256 arguments", -1, 0);
		__builtin_trap();
	}
	region->function = function;
	region->n = n;
	for (int32_t i = 0; i < n; i++)
		region->arguments[i] = va_arg(list, void *);
	return region;
}

/* The function reads its numbers where they are. */
static void run(struct omp_task *task, const struct region *region, const void *pc)
{
	int32_t number = task->number, zero = 0, mine[2] = {0, 0};
	norn_omp_become(task);
	norn_lay(pc, &mine[0], &number, sizeof number);
	norn_lay(pc, &mine[1], &zero, sizeof zero);
	announce(region);
	call(region, &mine[0], &mine[1]);
	norn_omp_wait_tasks(task, NULL, pc);
	norn_omp_stand_up(task, pc);
}

struct worker {
	struct omp_task *task;
	const struct region *region;
	const void *pc;
};

static void *start(void *argument)
{
	struct worker worker = *(struct worker *)argument;
	norn_omp_free_memory(argument);
	norn_self.returned = true; /* nobody asks for its result */
	run(worker.task, worker.region, worker.pc);
	return NULL;
}

static bool fork_worker(struct omp_task *task, uint32_t role, const struct region *region,
			const void *pc)
{
	struct worker *worker = norn_omp_get_memory(sizeof *worker);
	*worker = (struct worker){.task = task, .region = region, .pc = pc};
	if (norn_thread_fork(&task->thread, role, start, worker, pc) == 0)
		return true;
	norn_omp_free_memory(worker);
	return false;
}

static void fork_region(struct omp_task *me, struct region *region, int size, const void *pc)
{
	struct omp_team *team = make_team(me, size);
	struct omp_task **tasks = norn_omp_get_memory((size_t)size * sizeof *tasks);
	int made = 1;
	for (int i = 0; i < size; i++)
		tasks[i] = make_implicit(me, team, i);
	norn_omp_stand_up(me, pc);
	if (size > 1)
		team->recorded = norn_barrier_open(&team->barrier, (unsigned)size, pc);
	while (made < size && fork_worker(tasks[made], LOG_ROLE(LOG_WORKER, made), region, pc))
		made++;
	if (made < size) {
		norn_fail("a thread of an OpenMP region could not be made", -1, 0);
		__builtin_trap();
	}
	run(tasks[0], region, pc);
	for (int i = 1; i < size; i++)
		norn_thread_await(&tasks[i]->thread, pc);
	norn_omp_become(me);
	norn_omp_sit_down(me, pc);
	for (int i = 0; i < size; i++)
		norn_omp_free_task(tasks[i]);
	end_team(team);
	norn_omp_free_memory(tasks);
	norn_omp_free_memory(region);
}

void OMP(__kmpc_fork_call)(omp_where where, int32_t n, omp_microtask function, ...)
{
	struct omp_task *me = norn_omp_self();
	va_list list;
	va_start(list, function);
	struct region *region = region_of(function, n, list);
	va_end(list);
	(void)where;
	fork_region(me, region, size_of_region(me), OMP_CALLER);
}

/* A league: each team begins with one thread, and all of them are joined at the end. */
void OMP(__kmpc_fork_teams)(omp_where where, int32_t n, omp_microtask function, ...)
{
	struct omp_task *me = norn_omp_self();
	const void *pc = OMP_CALLER;
	int size = me->asked_teams > 0 ? me->asked_teams : 1;
	struct omp_task **tasks = norn_omp_get_memory((size_t)size * sizeof *tasks);
	va_list list;
	va_start(list, function);
	struct region *region = region_of(function, n, list);
	va_end(list);
	(void)where;
	me->asked_teams = 0;
	for (int i = 0; i < size; i++) {
		struct omp_team *team = make_team(me, 1);
		team->league = i;
		team->league_size = size;
		tasks[i] = make_implicit(me, team, 0);
		tasks[i]->worker = norn_omp_worker_of(me->worker, i);
		team->level--;
		if (me->asked_threads)
			tasks[i]->threads = me->asked_threads;
	}
	me->asked_threads = 0;
	for (int i = 1; i < size; i++)
		if (!fork_worker(tasks[i], LOG_ROLE(LOG_TEAM, i), region, pc)) {
			norn_fail("a team of OpenMP could not be made", -1, 0);
			__builtin_trap();
		}
	run(tasks[0], region, pc);
	for (int i = 1; i < size; i++)
		norn_thread_await(&tasks[i]->thread, pc);
	norn_omp_become(me);
	for (int i = 0; i < size; i++) {
		end_team(tasks[i]->team);
		norn_omp_free_task(tasks[i]);
	}
	norn_omp_free_memory(tasks);
	norn_omp_free_memory(region);
}

void OMP(__kmpc_push_num_threads)(omp_where where, int32_t gtid, int32_t n)
{
	(void)where, (void)gtid;
	norn_omp_self()->asked_threads = n > 0 ? n : 0;
}

void OMP(__kmpc_push_num_teams)(omp_where where, int32_t gtid, int32_t teams, int32_t limit)
{
	struct omp_task *me = norn_omp_self();
	(void)where, (void)gtid;
	me->asked_teams = teams;
	me->asked_threads = limit > 0 ? limit : 0;
}

void OMP(__kmpc_push_num_teams_51)(omp_where where, int32_t gtid, int32_t least, int32_t most,
				   int32_t limit)
{
	OMP(__kmpc_push_num_teams)(where, gtid, most > 0 ? most : least, limit);
}

void OMP(__kmpc_push_proc_bind)(omp_where where, int32_t gtid, int bind)
{
	(void)where, (void)gtid, (void)bind;
}

/* A region of one thread, whose code stands in the function itself. */
void OMP(__kmpc_serialized_parallel)(omp_where where, int32_t gtid)
{
	struct omp_task *me = norn_omp_self();
	(void)where, (void)gtid;
	me->asked_threads = 0;
	norn_omp_stand_up(me, OMP_CALLER);
	norn_omp_become(make_implicit(me, make_team(me, 1), 0));
}

void OMP(__kmpc_end_serialized_parallel)(omp_where where, int32_t gtid)
{
	struct omp_task *me = norn_omp_self();
	(void)where, (void)gtid;
	if (!me->parent || me->team->size != 1 || !me->implicit)
		return;
	norn_omp_wait_tasks(me, NULL, OMP_CALLER);
	norn_omp_become(me->parent);
	norn_omp_sit_down(me->parent, OMP_CALLER);
	end_team(me->team);
	norn_omp_free_task(me);
}

int32_t OMP(__kmpc_global_thread_num)(omp_where where)
{
	(void)where;
	return norn_omp_self()->number;
}

int32_t OMP(__kmpc_bound_thread_num)(omp_where where)
{
	(void)where;
	return norn_omp_seat(norn_omp_self(), OMP_CALLER);
}

int32_t OMP(__kmpc_global_num_threads)(omp_where where)
{
	(void)where;
	return norn_omp_self()->team->size;
}

int32_t OMP(__kmpc_bound_num_threads)(omp_where where)
{
	(void)where;
	return norn_omp_self()->team->size;
}

int32_t OMP(__kmpc_in_parallel)(omp_where where)
{
	(void)where;
	return norn_omp_self()->team->active_level > 0;
}

int32_t OMP(__kmpc_ok_to_fork)(omp_where where)
{
	(void)where;
	return 1;
}

void OMP(__kmpc_begin)(omp_where where, int32_t flags)
{
	(void)where, (void)flags;
}

void OMP(__kmpc_end)(omp_where where)
{
	(void)where;
}
