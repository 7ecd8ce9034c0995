/* SPDX-License-Identifier: MIT */
/*
 * Replay: what `norn replay` tells the runtime, and what the runtime tells it (doc/replay.md).
 * Both include this header, and nothing else of each other.
 *
 * The directory of a replay (environment: NORN_RECORD, as for recording) has `run`, with mode
 * LOG_REPLAY, and two more files, which both sides map:
 *
 *	plan	struct plan; struct plan_thread[threads]; struct plan_step[steps];
 *		struct plan_handler[handlers]
 *	state	struct replay_state; struct replay_thread[plan.threads]; made by norn replay, all 0
 *
 * The first `steps - stops` steps are to be taken in their order; the last `stops` of them are
 * where the threads of the bug shall stand at the end, each before its step. Threads are numbered
 * as the planned LOG_FORKs say, so the numbers are those of the recorded run.
 *
 * Steps of a thread come in the order of their numbers. An event that is no step itself (skip=-: of
 * a library function) may be in the plan too, with the number of the step before it, and behind it:
 * it is taken at the first record of its kind that is no step. If it is a stop of a race, the step
 * itself or the one before it will do, too, and of all these the first at which the two threads
 * meet in memory.
 *
 * Words that are futexes are waited on and woken without FUTEX_PRIVATE_FLAG.
 */
#ifndef RUNTIME_PLAN_H
#define RUNTIME_PLAN_H

#include <stdint.h>

#define PLAN_MAGIC 0x4e504c4eu
#define PLAN_VERSION 4
#define PLAN_NONE UINT32_MAX

/* Which of the stops goes first in the end; or each where it will (deadlock, stuck). */
enum plan_end { PLAN_AB, PLAN_BA, PLAN_ALL };

/* How threads go on behind the plan: freely, or one at a time (runtime/replay/schedule.h). */
enum plan_schedule {
	PLAN_FREE,
	PLAN_STAY,   /* the same thread, until it blocks or spins */
	PLAN_RANDOM, /* any, at each step */
	PLAN_PCT,    /* by random priorities, which change at random steps */
	PLAN_POS,    /* by random priorities of steps */
	PLAN_LISTED, /* as replay_state.decisions say, at each step */
	PLAN_SCHEDULE_COUNT
};

struct plan {
	uint32_t magic, version;
	uint32_t threads, steps, stops;
	uint32_t end;	/* enum plan_end */
	uint32_t hold;	/* 1: stay at the stops until norn replay sets `go` (a debugger attaches) */
	uint32_t grace; /* milliseconds for which nothing moves before threads count as blocked */
	uint32_t handlers;
	uint32_t schedule; /* enum plan_schedule */
	uint32_t first;	   /* who goes first behind the plan, PLAN_NONE: whoever */
	uint32_t fails;	   /* 1: its first step is a call that may fail, and does */
	uint32_t wakes;	   /* 1: its first step is a signal or broadcast, which wakes whom
			      plan_thread.wakes says, and nobody else */
	uint32_t prints;   /* 1: in which order threads print, and what an end cuts off, is told */
	uint32_t depth;	   /* PLAN_PCT: how often priorities change, */
	uint32_t length;   /* within so many steps */
	uint32_t sockets;  /* 1: what sockets gave is given back: nobody is at their other side */
	uint64_t seed;
};

struct plan_thread {
	uint32_t first;	  /* its first step in the plan, PLAN_NONE if it has none */
	uint32_t handler; /* likewise, its first handler; they come in their order */
	uint32_t wakes;	  /* 1: plan.wakes; it waits for the condition of that signal */
	uint32_t reserved;
};

/* A handler of a signal ran in this thread when it had taken so many steps. */
struct plan_handler {
	uint32_t thread, signal;
	uint64_t step;
	uint64_t outside; /* 1: another process had sent it */
};

struct plan_step {
	uint64_t step; /* of its thread, from 1: see doc/replay.md, Steps */
	uint32_t thread;
	uint32_t next;	/* the thread's next in the plan, PLAN_NONE: none */
	uint32_t other; /* LOG_WOKEN: index + 1 of the step that wakes it, 0: it times out.
			   LOG_WAIT: likewise, if its LOG_WOKEN is not in the plan; PLAN_NONE:
			   no step of the plan wakes it; 0: that is not known.
			   LOG_FORK: the thread's number */
	uint8_t kind;	/* enum log_kind */
	uint8_t loose;	/* 1: a record that is no step itself, within that step or behind it */
	uint8_t reserved[2];
	/*
	 * Place: of an access or branch line << 32 | column, 0: not known. The runtime compares it
	 * with the site's own, so that another way through the code is noticed at once.
	 */
	uint64_t place;
};

enum replay_phase {
	REPLAY_FOLLOWS, /* the plan */
	REPLAY_STANDS,	/* all threads with a stop are there */
	REPLAY_GOES,	/* on, without a plan */
	REPLAY_DIVERGED,
};

enum replay_where {
	REPLAY_RUNS,
	REPLAY_WAITS, /* for its turn */
	REPLAY_AT_STOP,
	REPLAY_HELD,	/* it has no more steps in the plan */
	REPLAY_BLOCKED, /* in a call that waits for others */
	REPLAY_ENDED,
};

#define REPLAY_STACK 32

struct replay_thread {
	uint32_t where; /* enum replay_where */
	/* enum log_kind: what it is about to do, or waits in. Of a lock or semaphore that may fail,
	 * LOG_ACQUIRE…; of one that sleeps on a condition or takes its mutex again, LOG_WOKEN; in a
	 * barrier, LOG_BARRIER_EXIT */
	uint32_t kind;
	uint64_t step;		       /* of the thread, that is next or under way */
	uint64_t address, size, value; /* of an access: value before it */
	uint64_t object;	       /* that it is blocked at */
	uint64_t place;
	uint32_t tid; /* the kernel's number */
	uint32_t depth;
	uint32_t handlers;  /* planned ones that have begun */
	uint32_t performed; /* 1: the access was made already, inside a library function */
	uint64_t stack[REPLAY_STACK]; /* return addresses, innermost first: at stops and when
					 blocked */
};

/* How the threads of a scheduled run ended, if they did not by themselves. */
enum replay_rest {
	REPLAY_MOVES,
	REPLAY_STUCK,	/* all are blocked, for ever */
	REPLAY_ENDLESS, /* those that are not look for changes that do not come */
};

/* PLAN_LISTED: who goes, of those that may, by their numbers. Those behind the given ones are 0,
 * and are noted. */
#define REPLAY_DECISIONS 4096
struct replay_decision {
	uint8_t chosen, of;
};

struct replay_state {
	uint32_t phase; /* enum replay_phase; a futex */
	uint32_t turn;	/* index of the step whose turn it is; a futex */
	uint32_t go;	/* set by norn replay: leave the stops; a futex */
	uint32_t moves; /* grows whenever a thread takes a step, planned or not */
	/* REPLAY_DIVERGED: by this thread, which was to do plan step `expected`; what it does
	 * instead is in its replay_thread (kind LOG_END: it ended) */
	uint32_t diverged, expected;
	uint32_t threads; /* that exist or existed */
	uint32_t rest;	  /* enum replay_rest */
	uint32_t lost;	  /* how often a thread waited where the schedule does not see it */
	uint32_t steps;	  /* that were scheduled */
	uint32_t given;	  /* decisions that norn made */
	uint32_t decided; /* all of them */
	uint32_t starved; /* threads that wait for more of a socket than was recorded */
	uint32_t reserved;
	struct replay_decision decisions[REPLAY_DECISIONS];
};
_Static_assert(sizeof(struct replay_state) % 8 == 0, "replay_thread follows it");

#endif
