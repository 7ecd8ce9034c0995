/* SPDX-License-Identifier: MIT */
/*
 * What the files of the check share; for check*.c alone. check.c goes through the events and knows
 * the threads, check_values.c has memory and what depends on it, check_sync.c locks and the like.
 * Objects get their state when they are first met. After the first failure no state changes but
 * which event is at fault, since an earlier one may turn out to be.
 */
#ifndef TRACE_CHECK_PARTS_H
#define TRACE_CHECK_PARTS_H

#include "trace/check.h"
#include "trace/reads.h"

struct entered {
	uint32_t barrier;
	uint64_t round;
};

/* A branch that governs the thread's events up to its end, counted in these. */
struct check_scope {
	uint64_t branch, end;
};

struct scope_hold {
	uint32_t lock, depth;
};

struct check_thread {
	uint64_t events;		  /* so far */
	VEC(struct check_scope) scopes;	  /* that are open, the innermost last */
	VEC(struct scope_hold) arm_holds; /* locks taken in them: how many are open around it */
	bool ended, waiting;
	uint32_t condition, lock; /* while waiting */
	uint64_t wait_event;
	uint64_t first_event, first_line; /* 0: it has not started */
	uint64_t forked_by;		  /* 0: nobody */
	uint64_t joined_by, join_line;	  /* the first join, 0: none */
	VEC(struct entered) barriers;	  /* entered and not left */
};

#define CELL_ACCESSED 1
#define CELL_FREED 2
/* How many bits a value in memory has; 0: all 64. */
#define CELL_BITS_SHIFT 8
#define CELL_BITS_TOO_MANY 255

struct cell {
	int64_t value;
	uint64_t flags;
};

struct shared_hold {
	uint32_t thread, count;
};

struct check_lock {
	uint32_t writer; /* thread + 1, 0: none */
	VEC(struct shared_hold) readers;
};

struct waiter {
	uint32_t thread;
	uint64_t wait_event;
};

struct signal {
	uint64_t event, line;
	bool broadcast;
	bool claimed;	   /* a woken names it */
	uint64_t slept_by; /* the woken of one who slept through it: it must have woken another */
};

struct check_condition {
	VEC(struct waiter) waiters;
	VEC(struct signal) signals; /* since the oldest of the waiters */
};

struct check_once {
	enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE } state;
	uint32_t thread;
};

struct check {
	const struct symbols *symbols;
	const char *name;
	struct reads *reads;
	VEC(struct check_thread) threads;
	VEC(struct cell) cells;
	VEC(struct check_lock) locks;
	VEC(struct check_condition) conditions;
	VEC(uint64_t) entered; /* per barrier, how many times in all */
	VEC(uint64_t) semaphores;
	VEC(struct check_once) onces;
	uint64_t failed_at; /* the first event that cannot happen, 0: none so far */
	struct err failure;
};

/* The event at hand, for messages. */
struct here {
	struct check *c;
	const struct event *e;
	uint64_t number, line;
};

/* check.c: notes that this event cannot happen, and why. ERR_INPUT */
int check_fail_at(struct check *c, uint64_t number, uint64_t line, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

#define fail(h, ...) check_fail_at((h)->c, (h)->number, (h)->line, __VA_ARGS__)

static inline const char *name_of(const struct check *c, enum object_class class, uint32_t object)
{
	return symbols_name(c->symbols, class, object);
}

#define THREAD(h) name_of((h)->c, CLASS_THREAD, (h)->e->thread)
#define OBJECT(h) name_of((h)->c, event_kind_class[(h)->e->kind], (h)->e->object)

/*
 * Can the event happen? 0, and it has; else ERR_INPUT, and what is wrong in c->failure. Its thread
 * is there, and goes on.
 */

/* check_values.c */

int check_access(const struct here *h);
/* All that the event names is a read before it, and its expression gives what was recorded. */
int check_dependences(const struct here *h);
/* For the dependences of this event and of later ones. */
void check_note_read(struct check *c, const struct here *h);

/* check_scope.c: may it stand in the scopes that are open, and which one does it open? */
int check_scopes(const struct here *h, struct check_thread *t);

/* check_sync.c */

int check_take_lock(const struct here *h, uint32_t lock);
int check_drop_lock(const struct here *h, uint32_t lock);
int check_take_shared(const struct here *h);
int check_drop_shared(const struct here *h);
int check_try_fail(const struct here *h);
int check_wait(const struct here *h);
int check_woken(const struct here *h);
int check_signal(const struct here *h); /* or broadcast */
int check_barrier(const struct here *h);
int check_semaphore(const struct here *h);
int check_once(const struct here *h);
/* A signal that no open wait is old enough for can no longer be claimed. */
int check_forget_signals(struct check *c, struct check_condition *condition);

#endif
