/*
 * What the certifier has to know of the trace: a copy of each event that the witness
 * names and of the event at which each thread stands when its run ends, with what of
 * the recorded order their steps need. Read in one pass; nothing changes afterwards.
 */
#ifndef WITNESS_FACTS_H
#define WITNESS_FACTS_H

#include "trace/reader.h"
#include "witness/witness.h"

#define NO_FACT UINT32_MAX

/* Of an access, for each variable that it covers. */
struct place {
	uint32_t externals; /* `external` events on the variable recorded before it */
	int32_t shift; /* bits from the right in the value of the whole access; -1: not part of it
			*/
	union {
		uint64_t accesses; /* external: all accesses to it recorded before */
		uint64_t writer;   /* else: the last write recorded before, 0: none */
	};
};

struct woken_thread {
	const struct woken_thread *next;
	uint32_t thread;
	uint64_t position; /* of its `woken` */
};

struct fact {
	struct event event;
	uint64_t number;
	uint64_t position; /* in its thread, from 1 */
	/* there may be millions */
	union {
		struct place *places;		  /* access */
		uint64_t round;			  /* barrier-enter */
		uint64_t waker;			  /* wait: the by= of its woken; 0: by=-, or none */
		const struct woken_thread *wakes; /* signal, broadcast */
	};
};

struct fact_thread {
	uint64_t events;    /* recorded in all */
	uint64_t fork;	    /* the event that forks it, 0: none */
	uint32_t next;	    /* fact of its first event that is not in the run, or NO_FACT */
	uint32_t open_wait; /* while reading: fact of its wait, until the woken */
};

struct fact_variable {
	uint64_t accesses, writer; /* so far, while reading */
	uint32_t externals;	   /* likewise */
	bool has_alloc;
};

struct facts {
	const struct symbols *symbols;
	VEC(struct fact) all;		     /* those of the run come first */
	size_t in_run;			     /* so many */
	VEC(struct fact_thread) threads;     /* one for each thread name */
	VEC(struct fact_variable) variables; /* one for each variable */
	VEC(uint64_t) entered;		     /* while reading: enters of each barrier */
	uint32_t *slots;		     /* by number: fact + 1, 0: none; a hash table, */
	bool direct;			     /* or a place for each number */
	size_t slot_count;
	struct arena memory;
};

/* 1; 0 if the witness names what the trace has not, or twice; negative if it cannot be read. */
int facts_read(struct facts *facts, struct reader *trace, const struct witness *witness,
	       struct err *err);
void facts_release(struct facts *facts);

/* Index into all, or NO_FACT if the witness does not name that event. */
uint32_t facts_find(const struct facts *facts, uint64_t number);

#endif
