/* SPDX-License-Identifier: MIT */
/*
 * Synchronisation: which object an address is at that time, and what a record becomes in the
 * trace so that the trace is consistent (doc/recording.md, Synchronisation). Both passes follow
 * all records. The first finds the facts of each object that have to be known from its
 * beginning; with them the second gives the same objects the same numbers, and steps to write.
 */
#ifndef RECORD_MERGE_SYNC_H
#define RECORD_MERGE_SYNC_H

#include "record/merge/merge.h"
#include "trace/event.h"

struct sync_fact {
	uint64_t address; /* SYNC_AUXILIARY: number of the thread */
	uint64_t pc;	  /* of its initialisation or first use */
	uint64_t count;	  /* of a semaphore, at first */
	uint32_t parties; /* of a barrier */
	uint8_t class;	  /* enum object_class */
	bool auxiliary;	  /* a lock that stands in for one that is a semaphore, in a wait */
	bool semaphore;	  /* a lock that somebody released who did not hold it */
	bool taken_over;  /* a lock that was held by a thread that had ended */
};

struct sync_facts {
	VEC(struct sync_fact) at;
	bool guesses, unsettled; /* of record_options, record_result */
};

/* An event to write. */
struct sync_step {
	uint32_t thread;
	uint8_t kind;	  /* enum event_kind */
	uint32_t object;  /* number of its fact */
	uint32_t lock;	  /* EV_WAIT, EV_WOKEN */
	uint64_t by;	  /* EV_WOKEN */
	uint64_t *number; /* where its event number goes at once; NULL: nobody asks */
	bool inserted;	  /* there is no record of it */
};

#define SYNC_STEPS 256

struct sync;

/* With first set, facts are gathered; else they are used. They stay the caller's. */
struct sync *sync_new(struct sync_facts *facts, bool first);
void sync_free(struct sync *s);

static inline bool sync_concerns(uint8_t kind)
{
	return (kind >= LOG_ACQUIRE && kind <= LOG_INIT) || kind == LOG_END || kind == LOG_JOIN;
}

/* How many steps the record is, at most SYNC_STEPS. */
size_t sync_follow(struct sync *s, const struct merged *r, struct sync_step *steps);
/* Memory that is gone: what synchronisation objects stood there are no more. */
void sync_forget(struct sync *s, uint64_t address, uint64_t size);

/* A thread that waits on a condition does nothing else, whatever its log says. */
bool sync_waits(const struct sync *s, uint32_t thread);

/* The number of the object of that class that is at that address now; UINT32_MAX: none is known. */
uint32_t sync_find(const struct sync *s, uint64_t address, uint8_t class);

/* Where a thread took a lock, or began what is done once; or a signal that woke nobody. */
struct sync_holder {
	uint32_t thread;
	uint64_t pc;
	bool shared;
};

typedef VEC(struct sync_holder) sync_holders;

/* Adds all who hold it. */
void sync_held_by(const struct sync *s, uint32_t object, sync_holders *holders);
/* The signal or broadcast that has woken the thread, which has not gone on; 0: none. Once. */
uint64_t sync_waker(struct sync *s, uint32_t thread);
/* False: the last signal of the condition woke somebody, or there was none. */
bool sync_missed(const struct sync *s, uint32_t condition, struct sync_holder *signal);

/* Records that fit nothing and were left out. */
uint64_t sync_misfits(const struct sync *s);

#endif
