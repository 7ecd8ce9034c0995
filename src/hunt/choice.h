/* SPDX-License-Identifier: MIT */
/*
 * A hunt: the runs of a program that were made so far, and which run to make next so that it is a
 * new one (doc/hunt.md). Who hunts adds the trace of each run that was made (hunt_add), and asks
 * for the next (hunt_next): a certified witness of one of these traces, at whose end a thread
 * leaves what was recorded. A program that follows the witness, and then runs on in any way that is
 * its own, shows a behaviour that no run has shown so far.
 *
 * The event behind a witness of BUG_CHOICE, bug_events[0], is the choice. If it is not in the run,
 * it comes next: its thread stands before it, and something else follows than what was recorded. If
 * it is in the run, it is the last event of its thread there: a read that returned something else,
 * or the last recorded event of a thread that has not ended and may go on; or it is the fork of a
 * thread that has no events in the trace, and that may begin.
 */
#ifndef HUNT_CHOICE_H
#define HUNT_CHOICE_H

#include "base/budget.h"
#include "base/err.h"
#include "trace/reader.h"
#include "witness/witness.h"

/* Which runs are the same behaviour. */
enum hunt_equal {
	HUNT_PATHS,   /* each thread takes the same path */
	HUNT_SOURCES, /* each read reads what the same write wrote ("rf") */
};

/* clang-format off */
#define HUNT_KINDS(row) \
	row(HUNT_BRANCH, "branch", "goes the other way") \
	row(HUNT_READ, "read", "has read another value") \
	row(HUNT_SOURCE, "source", "reads from another write") \
	row(HUNT_TRY, "try", "ends otherwise") \
	row(HUNT_ONCE, "once", "is first, and does it itself") \
	row(HUNT_WAKES, "wakes", "wakes other threads") \
	row(HUNT_GOES_ON, "goes-on", "goes on")
/* clang-format on */

enum hunt_kind {
#define HUNT_KIND_ROW(name, text, help) name,
	HUNT_KINDS(HUNT_KIND_ROW)
#undef HUNT_KIND_ROW
		HUNT_KIND_COUNT
};

extern const char *const hunt_kind_text[HUNT_KIND_COUNT];
extern const char *const hunt_kind_help[HUNT_KIND_COUNT];

struct hunt_options {
	enum hunt_equal equal;
	struct budget budget; /* of one question */
};

struct hunt;

#define HUNT_WAKES_MOST 64

struct hunt *hunt_new(const struct hunt_options *options);
void hunt_free(struct hunt *h);

/* The run to make next: of which run, its choice, and how to come there. */
struct hunt_task {
	uint32_t run; /* as hunt_add numbered it */
	enum hunt_kind kind;
	uint32_t event;	  /* the choice, in the trace of that run */
	uint32_t thread;  /* whose choice it is, as the symbols of that trace number it */
	const char *name; /* of that thread; as long as the hunt lives */
	struct witness witness;
	/* HUNT_WAKES: these threads, and no others; who waits there with a time limit, and would
	 * have to be woken, has given up. */
	uint32_t wakes[HUNT_WAKES_MOST];
	uint32_t wake_count;
	uint32_t question; /* for the hunt itself */
};

enum hunt_result {
	HUNT_NEW,      /* a new behaviour */
	HUNT_FURTHER,  /* none, but a thread has come further, as its task says; it is kept, too */
	HUNT_KNOWN,    /* the run of another schedule that shows nothing new; not kept */
	HUNT_DIVERGED, /* it is not what its task says: the program or its record is at fault */
};

/*
 * The trace of a run that was made. A fact `meta waits THREAD OP OBJECT` in it (`join T2`, `acquire
 * L`) says what a thread waited for when the process ended; without such facts a hunt may not know
 * that it has shown all. Twice the same trace, from its start: one reader for the
 * search and one for the certifier; takes both. task: which one it was made for; NULL: none, any
 * run of the program. *number: of the run, from 0, if it is kept; else UINT32_MAX. Negative: the
 * trace cannot be read.
 */
int hunt_add(struct hunt *h, struct reader *trace, struct reader *again,
	     const struct hunt_task *task, enum hunt_result *result, uint32_t *number,
	     struct err *err);

/*
 * 1: a run to make, whose result hunt_add gets, or hunt_open. 0: there is none while those that are
 * under way are not there; and if none is, every question is answered, or open. The runs of tasks
 * that are under way at the same time show different behaviours. Negative: an error.
 */
int hunt_next(struct hunt *h, struct hunt_task *task, struct err *err);
void hunt_task_release(struct hunt_task *task);

/* The task's run could not be made, or diverged: its question stays open, and the reason is kept.
 */
void hunt_open(struct hunt *h, const struct hunt_task *task, const char *reason);

/* The task's run was not made: its question is asked again. */
void hunt_put_back(struct hunt *h, const struct hunt_task *task);

/* Why it may not be said that all behaviours were shown, with a count. */
struct hunt_doubt {
	const char *reason;
	uint64_t count;
};

struct hunt_counts {
	uint64_t runs;	    /* behaviours shown */
	uint64_t questions; /* of these runs */
	uint64_t asked;	    /* of the engines */
	uint64_t refuted;   /* no such run, for good */
	uint64_t proved;    /* a run was made */
	uint64_t undecided; /* the engine's budget was used up */
	uint64_t given_up;  /* hunt_open */
	uint64_t waiting;   /* not asked so far */
};

void hunt_count(const struct hunt *h, struct hunt_counts *counts);
/* The i-th, from 0; false: there are no more. None at all, and nothing is waiting: all is shown. */
bool hunt_doubt(const struct hunt *h, size_t i, struct hunt_doubt *doubt);

#endif
