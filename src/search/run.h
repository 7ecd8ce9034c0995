/* SPDX-License-Identifier: MIT */
/*
 * One execution, taken event by event on the index (doc/model.md, Feasible executions): for
 * long ones. A step costs constant time, give or take the readers of a lock and the logarithm
 * of a list; run_reset costs what was touched since the last one. It is a third statement of
 * the rules beside the exhaustive engine's and the certifier's, and is tested against them.
 *
 * A fault says why an event cannot happen next and names the event in the way, so that whoever
 * builds an execution knows what to put before it or to leave out.
 */
#ifndef SEARCH_RUN_H
#define SEARCH_RUN_H

#include "search/engine.h"

/* clang-format off */
#define RUN_FAULTS(row) \
	row(RUN_FINE, "it can happen") \
	row(RUN_NOT_NEXT, "it is not the next event of its thread") /* event: the next, or 0 */ \
	row(RUN_MISSING, "an event that it needs has not happened") /* event: that one */ \
	row(RUN_LOCKED, "the lock is held") /* event: with which the holder took it */ \
	row(RUN_NOT_LOCKED, "nobody else holds the lock") \
	row(RUN_GUARD, "a read that it depends on has changed") /* event: the read; 0: some */ \
	row(RUN_CHANGED, "every read has to keep its value") /* model said */ \
	row(RUN_SEMAPHORE, "the semaphore has another count") \
	row(RUN_BARRIER, "another round of the barrier is half entered") \
	row(RUN_SLEEPER, "another thread sleeps on the condition") /* event: its woken */ \
	row(RUN_MISSED, "what shall wake its thread came before the wait") /* event: that one */ \
	row(RUN_AWAKE, "a thread that it woke is past its wait") /* event: its woken */ \
	row(RUN_FREED, "the variable was freed") /* event: the free */ \
	row(RUN_ACCESSED, "the variable was accessed before its alloc") \
	row(RUN_EXTERNAL, "it would move across an external change") /* event: the external */ \
	row(RUN_BEGUN, "the once has begun before") \
	row(RUN_STARTED, "the thread has started before")
/* clang-format on */

enum run_fault_kind {
#define FAULT_ROW(name, text) name,
	RUN_FAULTS(FAULT_ROW)
#undef FAULT_ROW
		RUN_FAULT_COUNT
};

extern const char *const run_fault_text[RUN_FAULT_COUNT];

struct run_fault {
	enum run_fault_kind kind;
	uint32_t event; /* in the way, or 0 */
};

struct run;

/* The index outlives the run. */
struct run *run_new(const struct index *index, enum model model);
void run_free(struct run *run);

/* Back to the start. */
void run_reset(struct run *run);
/* Signals may come early from here on, or no longer (doc/model.md, Conditions). And resets. */
void run_allow_early(struct run *run, bool early);

/*
 * What a run would be at some points along the trace, of all but memory (that is found when it is
 * asked for): a run can start at any event in the time of some thousand steps.
 */
struct run_marks;

/* every: so many events there is one; 0: as it likes */
struct run_marks *run_marks_new(const struct index *index, uint32_t every);
/* One alone, at this event or later: a run that starts there does so at once. */
struct run_marks *run_marks_at(struct run *run, const struct run_marks *marks, uint32_t event);
void run_marks_free(struct run_marks *marks);
/* The first acquire of the locks that the event's thread holds when it comes to it; else itself. */
uint32_t run_marks_first_hold(const struct run_marks *marks, uint32_t event);

/* As if the events before this one had happened as recorded. */
void run_start(struct run *run, const struct run_marks *marks, uint32_t event);

/* Takes the event if it can happen next, else leaves all as it was; fault may be NULL. */
bool run_step(struct run *run, uint32_t event, struct run_fault *fault);
/* The same question alone. (In model said a read that would change can happen, for bugs.) */
bool run_can(struct run *run, uint32_t event, struct run_fault *fault);

/* The i-th section of the lock that is open, by the event that began it; 0: there are not so many.
 */
uint32_t run_open(const struct run *run, uint32_t lock, size_t i);
/* 1 + the round of the barrier that is half entered, or 0. */
uint32_t run_half_entered(const struct run *run, uint32_t barrier);
/* The thread's next event, 0 if none is left; whether it can happen is another matter. */
uint32_t run_next(const struct run *run, uint32_t thread);
bool run_done(const struct run *run, uint32_t event);
/* Its thread went past it: a branch, in whose scope it stands, went the other way. */
bool run_skipped(const struct run *run, uint32_t event);
/* A read that happened and returned something else than recorded, or that was skipped. */
bool run_changed(const struct run *run, uint32_t read);
/* Would the read, if it came now, return something else than recorded? */
bool run_would_change(struct run *run, uint32_t read);
/* What the variable holds now (model predictable: the event that wrote it); false: unknown. */
bool run_holds(struct run *run, uint32_t variable, int64_t *value);
/* Every event has happened. */
bool run_complete(const struct run *run);

/* Does the bug stand here? (Of model said: with what follows it is another matter.) */
bool run_shows(struct run *run, const struct query *q);

/* For run_accepts: where witnesses are as recorded, it may start within the trace. */
void run_use_marks(struct run *run, const struct run_marks *marks);
/* From the start: is the witness right? Its model has to be the run's. */
bool run_accepts(struct run *run, const struct witness *w);

#endif
