/* SPDX-License-Identifier: MIT */
/*
 * What there is to tell of a finding, worked out once for every kind of report: names, places in
 * the source, locks held and where they were taken, and the witness as steps of one thread each.
 */
#ifndef REPORT_STORY_H
#define REPORT_STORY_H

#include "model/sections.h"
#include "report/callers.h"
#include "report/report.h"

struct story {
	const struct prediction *prediction;
	const struct index *index;
	const struct symbols *symbols;
	const struct sections *sections;
	struct callers callers;
	uint64_t caller_bytes; /* of them in the JSON report so far */
	struct arena text;     /* of what the functions below return */
	struct {
		const char *who, *given;
	} * threads;	    /* of each, once somebody has asked: who is not NULL */
	struct arena names; /* of these */
};

void story_init(struct story *s, const struct prediction *p);
void story_release(struct story *s);
/* The trace of the finding, which all below is about from here on; NULL: of the prediction. */
void story_turn_to(struct story *s, const struct finding *f);

/* Places */

struct place {
	uint32_t event;
	const char *text;      /* the location as recorded, or THREAD OP OBJECT if there is none */
	const char *file;      /* NULL: no location */
	uint32_t line, column; /* 0: not known */
	const char *function;  /* or NULL */
};

struct place story_place(struct story *s, uint32_t event);
/* Of a location that is none of an event. */
struct place story_place_of(struct story *s, const char *location);

/* FILE:LINE, or `event N` */
const char *story_line(struct story *s, uint32_t event);

/* Objects */

const char *story_thread(const struct story *s, uint32_t thread);
/* For people: with the name that the program gave it, "worker-3 (T4)". */
const char *story_who(struct story *s, uint32_t thread);
/* Members KEY and, if the program gave it a name, KEY_name. */
void story_put_thread(struct story *s, struct json *json, const char *key, uint32_t thread);
/* Of an event; "" if it has none. */
const char *story_object(const struct story *s, const struct event *e);

/* Of a block of the heap, the event that allocated it before this one; 0: it is none, or that is
 * not known. */
uint32_t story_allocation(const struct story *s, uint32_t variable, uint32_t event);

/* What there is to know of a variable that threads race on; NULL: its name says all. */
const char *story_advice(struct story *s, uint32_t variable);

/* "takes", "writes": what the thread does to the object. */
const char *story_verb(const struct event *e);

struct story_lock {
	uint32_t lock;
	uint32_t acquire; /* where it was taken */
	bool shared;
};

typedef VEC(struct story_lock) story_locks;

/* What its thread holds when it comes to the event, as it was taken; refills held. */
void story_held(const struct story *s, uint32_t event, story_locks *held);

/* Findings */

/*
 * The events that the report shows: the accesses; the acquires of a deadlock; what the threads
 * wait at that are stuck; the marks. Refills events.
 */
typedef VEC(uint32_t) event_numbers;
void story_events(const struct story *s, const struct finding *f, event_numbers *events);
/* clang-format off */
/* Why a thread is stuck, and which other event of a block tells more; 0: none does. */
/* clang-format off */
#define BLOCKED_BY(row) \
	row(BLOCKED_LOCK, "lock") /* where the lock was taken */ \
	row(BLOCKED_MISSED, "missed-signal") /* the signal that came before the wait */ \
	row(BLOCKED_SIGNAL, "signal") /* the signal that does not come */ \
	row(BLOCKED_BARRIER, "barrier") /* with which another thread would enter */ \
	row(BLOCKED_SEMAPHORE, "semaphore") /* the wait that took the last */ \
	row(BLOCKED_JOIN, "join") \
	row(BLOCKED_ONCE, "once") /* where it was begun */
/* clang-format on */
/* clang-format on */

enum blocked_by {
#define BLOCKED_ROW(name, text) name,
	BLOCKED_BY(BLOCKED_ROW)
#undef BLOCKED_ROW
		BLOCKED_COUNT
};

extern const char *const blocked_by_text[BLOCKED_COUNT];

struct story_block {
	uint32_t event;
	enum blocked_by by;
	uint32_t other;
};

typedef VEC(struct story_block) story_block_list;

/* Of stuck threads: one for each of story_events, in that order. Refills blocks. */
void story_blocks(const struct story *s, const struct finding *f, story_block_list *blocks);
/* "l was taken by thread t2 at a.c:3"; in the memory of the story. */
const char *story_block_text(struct story *s, const struct story_block *b);
/* Functions that were called and are not known, one after the other, from *at = 0 on; NULL: there
 * are no more. */
const char *story_unknown(const struct story *s, size_t *at);
/* The same of what a conditional finding may rely on: these, and what else the record lacks. */
const char *story_relies_on(const struct story *s, size_t *at);
/* What is not known of a branch or write that holds candidates back; in the memory of the story. */
const char *story_unfollowed(struct story *s, uint32_t event);
/* The same for the same signature, whatever the trace: of the kind of bug and the places. */
uint64_t story_fingerprint(struct story *s, const struct finding *f);
/* The same when lines move, of the files' names, functions, operations and objects; findings that
 * are alike have the same. */
uint64_t story_likeness(struct story *s, const struct finding *f);

/* Of each finding of the prediction its group, alike.h; turns to the prediction again. */
void story_groups(struct story *s, uint32_t *groups);

/* The witness */

/* Events of one thread in a row: run[first] … run[end - 1]. */
struct step {
	uint32_t thread;
	size_t first, end;
};

/* A read that sees another write than it did in the trace; 0: what was there at the start. */
struct changed_read {
	size_t at; /* in run */
	uint32_t variable, writer, recorded;
};

/* Behind what the witness has as recorded, which is one step that needs no words. */
struct steps {
	VEC(struct step) all;
	VEC(struct changed_read) changed; /* by their places in the run */
	VEC(size_t) others; /* branches that go the other way, by their places in the run */
	size_t ascending;   /* so many events at the start are in the order of the trace */
	uint32_t threads;   /* that take part */
};

void story_steps(const struct story *s, const struct witness *w, struct steps *steps);
void steps_release(struct steps *steps);

/* What a step does that others can notice, each once: events whose story_verb is of interest. */
#define STEP_NOTES_MAX 6

struct step_notes {
	uint32_t events[STEP_NOTES_MAX];
	uint32_t count;
	uint64_t more; /* that were left out */
};

void story_notes(const struct story *s, const struct witness *w, const struct step *step,
		 struct step_notes *notes);

/* Counts */

struct counts {
	uint64_t signatures, proved, shown, suppressed, refuted, undecided;
	uint64_t conditional; /* of those undecided */
	uint64_t unseen;      /* candidates that nobody looked at */
	uint64_t held;	      /* refuted only because of dependences that were not followed */
	/* Every candidate is decided, none of them held back, of a trace that has all of its run.
	 */
	bool complete;
};

/* Reason i why the trace has not all of the run that was recorded, from 0; NULL: no more. */
const char *story_lost(const struct prediction *p, size_t i);
/* Places where the record keeps the order as it was. */
uint64_t story_kept(const struct prediction *p);

/* Of one kind of bug; BUG_COUNT: of all. */
struct counts story_counts(const struct prediction *p, enum bug_kind bug);

#endif
