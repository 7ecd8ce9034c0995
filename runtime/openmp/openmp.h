/* SPDX-License-Identifier: MIT */
/*
 * OpenMP, in place of libomp: what clang makes of its directives are calls of __kmpc_NAME, and the
 * instrumenter turns them to __norn___kmpc_NAME, here (known_openmp.h). So the program's directives
 * become events that every other part of Norn knows already:
 *
 * - A parallel region forks a thread for each implicit task but its first one, which is the thread
 *   that came to the region, and joins them at its end. Threads are not used again.
 * - An explicit task of a team is a thread of its own. Who has to wait for it (taskwait, taskgroup,
 *   a barrier, a task that depends on it) joins it. So two tasks are as far apart as the program
 *   says, whatever worker would have run both.
 * - Barriers are barriers of the team; critical, reductions, locks and mutexinoutset are locks.
 * - What iterations a thread has, and which one is `single`, is decided by the numbers of thread
 * and construct alone: no thread learns anything from it of another one.
 * - ordered, doacross and cancellation are counters (norn_comes_before), by which their order
 * stays.
 *
 * What is said of the program's memory goes through libc/ranges.h. The rest is memory of our own.
 */
#ifndef RUNTIME_OPENMP_OPENMP_H
#define RUNTIME_OPENMP_OPENMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/pthread/sync.h"
#include "runtime/run.h"

/* For norn_callback: functions of two pointers, and of tasks. */
#define OMP_OF_TWO "0:0 " NORN_GETS_POINTER NORN_GETS_POINTER
#define OMP_ROUTINE NORN_INT "a" NORN_INT NORN_GETS_POINTER

#define OMP_CALLER __builtin_return_address(0)

struct omp_settings {
	int threads[8]; /* OMP_NUM_THREADS, by level */
	int levels;	/* of these */
	int thread_limit, max_levels;
	int kind, chunk; /* OMP_SCHEDULE */
	bool dynamic, cancels;
};

/* What a thread has for good, whatever OS thread it is: copies of threadprivate variables. Number k
 * of a team that it makes is always the same one. */
struct omp_worker {
	struct omp_worker **others;
	int n;
	struct omp_copy *copies;
	bool first; /* of the program's first thread: it has the variables themselves */
};

/* Of a loop that several threads share: ordered, doacross. */
struct omp_loop {
	struct omp_loop *next;
	uint32_t index; /* of the team's loops */
	int left;	/* threads that are done with it */
	uint32_t turn;	/* a futex: changes when an iteration is done */
	uint32_t order; /* a lock that ordered parts hold: whose turn it is, is no matter for it */
	int64_t iteration;
	/* doacross */
	int dims;
	int64_t (*bounds)[3]; /* lower, upper, step */
	uint8_t *posted;
	uint64_t iterations; /* flags in `posted` */
};

struct omp_team {
	struct omp_team *outer;
	struct omp_task *maker; /* the task that came to the region */
	int size, level, active_level;
	int league, league_size; /* omp_get_team_num */
	bool recorded;		 /* its barrier is */
	char barrier;		 /* its address stands for it */
	uint32_t came, round;	 /* of the barrier, if it is not recorded */
	uint32_t cancelled;	 /* the construct, 0: none */
	void *copied;		 /* copyprivate */
	struct norn_spin lock;	 /* of what follows, and of tasks of the team */
	struct omp_loop *loops;
	struct omp_task *tasks;	   /* all that were made, to be given back */
	struct omp_seat *seats;	   /* who has which number: seat.c */
	struct omp_tg *reductions; /* of the region: taskloop.c */
};

/* Iterations that a thread has of a loop: dispatch.c. */
struct omp_chunks {
	int64_t lower, step; /* as the source has them */
	uint64_t count;	     /* iterations */
	uint64_t chunk, at;  /* next chunk: its first iteration */
	uint64_t index;	     /* and its number */
	int kind;
	bool wide, is_unsigned, ordered, in_order;
	uint64_t now; /* the iteration that the thread is in, of an ordered loop */
	struct omp_loop *shared;
};

/* A taskgroup, or what has reductions of tasks. */
struct omp_tg {
	struct omp_tg *outer;
	uint32_t cancelled;
	struct omp_reductions *reductions;
};

struct omp_task {
	struct omp_task *parent; /* null: of the first thread of a program's thread */
	struct omp_team *team;
	struct omp_worker *worker;
	int number; /* in the team; of an explicit task, once it was asked for */
	bool implicit, final, inlined;
	bool sits; /* it has asked for its number: seat.c */
	bool has_seat;
	int threads, max_levels, kind, chunk; /* ICVs */
	bool dynamic;
	int asked_threads, asked_teams; /* by a clause of the next region; 0: none */
	uint32_t singles, loops, tasks; /* that it has come to */
	struct omp_chunks chunks;
	struct omp_loop *doacross;

	/* Explicit tasks */
	struct norn_thread thread;
	void *memory; /* kmp_task */
	const void *pc;
	bool again; /* an untied one has to be called once more */
	bool forked;
	uint32_t over;	    /* a futex; for give_head_start alone */
	uint32_t fulfilled; /* of a detached one, a futex: 0: it waits, 1: is done */
	bool detached;
	struct omp_task **before; /* that it depends on */
	int befores;
	const void **exclusive; /* mutexinoutset */
	int exclusives;
	struct omp_address *addresses; /* on which its children depend */
	struct omp_tg *group;
	struct omp_task *next_made; /* of the team */
	struct omp_task *children,
		*next;		 /* to be waited for; after its end, whoever waits has them */
	struct omp_task *strays; /* children of those that were waited for */
};

/* What clang calls kmp_task_t; private variables follow, then pointers to what is shared. */
struct omp_memory {
	void *shareds;
	int32_t (*routine)(int32_t, void *);
	int32_t part;
	union {
		int32_t priority;
		int32_t (*destructors)(int32_t, void *);
	} first, second;
};

enum omp_cancel { OMP_PARALLEL = 1, OMP_LOOP, OMP_SECTIONS, OMP_TASKGROUP };

/* settings.c */
NORN_HIDDEN const struct omp_settings *norn_omp_settings(void);

/* memory.c: zeros. */
NORN_HIDDEN void *norn_omp_get_memory(size_t size);
NORN_HIDDEN void norn_omp_free_memory(void *p);

/* team.c: of the thread that runs. */
NORN_HIDDEN struct omp_task *norn_omp_self(void);
NORN_HIDDEN void norn_omp_become(struct omp_task *task);
NORN_HIDDEN struct omp_task *norn_omp_task_new(struct omp_task *parent, struct omp_team *team);
NORN_HIDDEN bool norn_omp_is_alone(const struct omp_team *team);

/* sync.c: all threads of the team, with its tasks. */
NORN_HIDDEN void norn_omp_barrier(struct omp_task *me, const void *pc);
/* A futex that others change. */
NORN_HIDDEN void norn_omp_sleep(const uint32_t *futex, uint32_t value);
/* Whether it changed, in so many nanoseconds. */
NORN_HIDDEN bool norn_omp_sleep_for(const uint32_t *futex, uint32_t value, long nanoseconds);
NORN_HIDDEN void norn_omp_wake(const uint32_t *futex);
NORN_HIDDEN bool norn_omp_looks_cancelled(uint32_t *flag, uint32_t which);

/* lock.c */
NORN_HIDDEN void norn_omp_lock(uint32_t *word, const void *object, const void *pc);
NORN_HIDDEN bool norn_omp_lock_try(uint32_t *word, const void *object, const void *pc);
NORN_HIDDEN void norn_omp_unlock(uint32_t *word, const void *object, const void *pc);
/* A lock for an object that is none. */
NORN_HIDDEN uint32_t *norn_omp_word_of(const void *object);

/* dispatch.c */
NORN_HIDDEN struct omp_loop *norn_omp_loop_enter(struct omp_task *me, const void *pc);
NORN_HIDDEN void norn_omp_loop_leave(struct omp_task *me, struct omp_loop *loop);

/* task.c: those whom the task has to wait for; with `group`, of this one alone. */
NORN_HIDDEN void norn_omp_wait_tasks(struct omp_task *me, const struct omp_tg *group,
				     const void *pc);
NORN_HIDDEN struct omp_memory *norn_omp_task_alloc(struct omp_task *me, int32_t flags, size_t size,
						   size_t shareds,
						   int32_t (*routine)(int32_t, void *),
						   const void *pc);
/* As that one, with all that is in it. One that will not run is dropped. */
NORN_HIDDEN struct omp_memory *norn_omp_task_copy(struct omp_task *me,
						  const struct omp_memory *from, const void *pc);
NORN_HIDDEN void norn_omp_task_drop(struct omp_memory *memory);
NORN_HIDDEN struct omp_task *norn_omp_task_of(const void *memory);
NORN_HIDDEN void norn_omp_task_start(struct omp_task *task, bool inlined, const void *pc);
NORN_HIDDEN void norn_omp_group_begin(struct omp_task *me);
NORN_HIDDEN void norn_omp_group_end(struct omp_task *me, const void *pc);
NORN_HIDDEN void norn_omp_await_task(struct omp_task *task, const void *pc);

/* depend.c */
NORN_HIDDEN void norn_omp_free_task(struct omp_task *task);

/* taskloop.c: of the innermost group that is over. */
NORN_HIDDEN void norn_omp_reduce_tasks(struct omp_tg *group, const void *pc);

/* private.c */
NORN_HIDDEN struct omp_worker *norn_omp_worker_of(struct omp_worker *maker, int number);

/*
 * seat.c. The number of an explicit task is that of the worker that runs it, and no two tasks have
 * the same worker at a time, but where they wait. So tasks that have asked for the same number come
 * one after the other from then on, except where tasks may be scheduled, and their order stays.
 * Tasks that do not ask know nothing of that.
 */
NORN_HIDDEN int norn_omp_seat(struct omp_task *me, const void *pc);
NORN_HIDDEN void norn_omp_stand_up(struct omp_task *me, const void *pc);
NORN_HIDDEN void norn_omp_sit_down(struct omp_task *me, const void *pc);
NORN_HIDDEN void norn_omp_forget_seats(struct omp_team *team);

#endif
