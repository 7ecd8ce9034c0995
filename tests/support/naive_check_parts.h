/* SPDX-License-Identifier: MIT */
/* What the two files of naive_check.h have in common. */
#ifndef SUPPORT_NAIVE_CHECK_PARTS_H
#define SUPPORT_NAIVE_CHECK_PARTS_H

#include "tests/support/naive_check.h"
#include "tests/support/term.h"

#define TOKENS_MAX 64
#define NAMES_MAX 64
#define EVENTS_MAX 4096
#define CELLS_MAX 512
#define NONE (-1)

enum class { THREAD, VARIABLE, LOCK, CONDITION, BARRIER, SEMAPHORE, ONCE, BASE, CLASSES };

struct cell {
	int base; /* NONE - variable: the variable has no place in memory */
	uint64_t address;
	int64_t value;
	bool accessed, freed;
};

struct variable {
	int base;
	uint64_t address, size;
};

struct thread {
	bool ended, forked, waiting;
	uint64_t events;
	uint64_t first, first_line; /* event */
	uint64_t first_join, first_join_line;
	int condition, lock;
	uint64_t wait;
	struct term_read *reads, *values; /* values: those that were one */
	size_t read_count, value_count;
	int64_t entered_round[NAMES_MAX]; /* by barrier, NONE: not inside */
};

struct lock {
	int owner;
	int shared[NAMES_MAX];
};

/* What is kept of each event for later: which wait it ended, and by whom. */
struct past {
	char op[20];
	uint64_t line;
	int object;
	uint64_t wait, by; /* of a woken */
	int thread;
	uint64_t position; /* in its thread, from 1 */
	uint64_t scope;	   /* of a branch */
	char first[32];	   /* operand */
};

struct naive_state {
	struct naive_verdict verdict;
	char *names[CLASSES][NAMES_MAX];
	uint64_t known_since[CLASSES][NAMES_MAX]; /* the event at or behind its first mention */
	int name_count[CLASSES];
	bool in_event;
	struct thread threads[NAMES_MAX];
	struct variable variables[NAMES_MAX];
	struct cell cells[CELLS_MAX];
	int cell_count;
	struct lock locks[NAMES_MAX];
	int64_t parties[NAMES_MAX], entered[NAMES_MAX];
	int64_t semaphores[NAMES_MAX];
	int once_thread[NAMES_MAX];
	bool once_done[NAMES_MAX];
	struct past past[EVENTS_MAX];
	/* the event at hand */
	uint64_t number, line;
	struct thread *t;
	int thread;
	char *tokens[TOKENS_MAX];
	int token_count;
	int next; /* token */
};

struct naive_access;

/* Only the first counts. */
void naive_set_why(struct naive_state *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* An earlier event turns out to be impossible. */
void naive_set_earlier(struct naive_state *s, uint64_t event, uint64_t line, const char *why);

void naive_set_unreadable(struct naive_state *s);

char *naive_next_token(struct naive_state *s);
int naive_next_name(struct naive_state *s, enum class class);
uint64_t naive_number_of(const char *text);
/* The annotations; `a` is the access that has them, NULL for all else. */
void naive_check_annotations(struct naive_state *s, const struct naive_access *a, bool rmw);

/* Events that synchronise: naive_check_sync.c */
void naive_step_lock(struct naive_state *s, const char *op);
void naive_step_wait(struct naive_state *s);
void naive_step_woken(struct naive_state *s);
void naive_step_barrier(struct naive_state *s, const char *op);
void naive_step_semaphore(struct naive_state *s, const char *op);
void naive_step_once(struct naive_state *s, const char *op);
void naive_step_thread(struct naive_state *s, const char *op);

#endif
