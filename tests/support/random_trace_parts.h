/* SPDX-License-Identifier: MIT */
/*
 * What the files of random_trace.c share: the little model of the threads, and its steps. Every
 * random number comes from w->r, in the order in which things are printed: who draws one more, or
 * one earlier, changes the trace of every seed.
 */
#ifndef SUPPORT_RANDOM_TRACE_PARTS_H
#define SUPPORT_RANDOM_TRACE_PARTS_H

#include "tests/support/random_trace.h"
#include "tests/support/term.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define OTHERS 2      /* conditions, barriers, semaphores, onces: so many of each */
#define BASES 2	      /* of memory */
#define BASE_BYTES 20 /* of each */
#define SIGNALS_MAX 4096

/* A variable without a place in memory is one cell; one with, a cell a byte. */
struct cell {
	int64_t value;
	bool accessed, needs_alloc, allocated, freed;
};

struct variable {
	const char *name;
	int size, base, offset; /* size 0: not in memory */
	struct cell *cells;
	bool is_volatile, has_init;
	bool declared; /* printed, or nothing to print */
};

struct lock {
	int owner; /* a thread, or -1 */
	int shared[RANDOM_THREADS_MAX];
};

/* A signal that chose its thread: no later sleeper wakes before that one's `woken` is printed. */
struct chosen {
	uint64_t event;
	int condition, thread;
	bool printed;
};

struct thread {
	const char *name;
	bool needs_fork, forked, started, finished;
	size_t tested; /* RANDOM_SCOPES: its reads that a branch may have followed */
	struct term_read *reads, *values; /* values: those that an expression can name */
	size_t read_count, value_count;
	/* between wait and woken; by 0 and not spurious: nobody woke it yet */
	bool waiting, spurious, passed_over;
	int condition, lock;
	uint64_t wait, by;
	int barrier; /* between enter and exit, else -1 */
	int round;
	int regions; /* that it is in */
};

struct world {
	struct random_trace knobs;
	struct random r;
	FILE *out;
	uint64_t events; /* printed */
	struct thread threads[RANDOM_THREADS_MAX];
	struct variable variables[RANDOM_VARIABLES_MAX];
	struct cell single[RANDOM_VARIABLES_MAX];
	struct cell memory[BASES][BASE_BYTES];
	struct lock locks[RANDOM_LOCKS_MAX];
	int parties[OTHERS], entered[OTHERS], round[OTHERS]; /* barriers */
	int count[OTHERS];				     /* semaphores */
	bool semaphore_declared[OTHERS], barrier_declared[OTHERS];
	int once_thread[OTHERS]; /* who began it, or -1 */
	bool once_done[OTHERS];
	struct chosen chosen[SIGNALS_MAX];
	size_t chosen_count;
};

static inline bool has(const struct world *w, enum random_feature feature)
{
	return w->knobs.features & feature;
}

static inline int below(struct world *w, int n)
{
	return (int)random_below(&w->r, (uint32_t)n);
}

static inline bool percent(struct world *w, uint32_t of_100)
{
	return random_percent(&w->r, of_100);
}

static inline int thread_number(const struct world *w, const struct thread *t)
{
	return (int)(t - w->threads);
}

/* random_trace_print.c */

void random_declare_variable(struct world *w, struct variable *v); /* unless it was */
void random_declare_semaphore(struct world *w, int s);
void random_declare_barrier(struct world *w, int b);
/* Starts the line of the next event. */
void random_print_op(struct world *w, struct thread *t, const char *op);
void random_print_word(struct world *w, const char *word);
void random_print_named(struct world *w, char letter, int number);
void random_print_number(struct world *w, int64_t value);
/* Some of these reads, behind that word. */
void random_print_reads(struct world *w, const char *word, const struct term_read *reads, size_t of,
			bool may_be_empty);
void random_print_order(struct world *w);
void random_print_skip(struct world *w);
/* Ends the line of an event. */
void random_print_rest(struct world *w, struct thread *t);
void random_print_line_end(struct world *w);
/* All of an event on one object. */
void random_print_simple(struct world *w, struct thread *t, const char *op, char letter,
			 int number);

/* Prints one event, if that can happen now. */
typedef bool random_step(struct world *w, struct thread *t);

/* random_scopes.c: the text with scopes for some of its branches; frees the other one */
char *random_add_scopes(char *text, uint64_t seed);

/* random_trace_memory.c */

void random_set_up_variables(struct world *w);
int64_t random_variable_value(const struct variable *v);
random_step random_step_read, random_step_write, random_step_rmw, random_step_external,
	random_step_alloc, random_step_free, random_step_branch;

/* random_trace_sync.c */

/* How many other threads could go on: so that not every trace ends early with all asleep. */
int random_others_running(const struct world *w, const struct thread *t);
random_step random_step_acquire, random_step_release, random_step_acquire_shared,
	random_step_release_shared, random_step_try_fail, random_step_wait, random_step_signal,
	random_step_broadcast, random_step_woken, random_step_barrier_enter,
	random_step_barrier_exit, random_step_semaphore, random_step_once;

#endif
