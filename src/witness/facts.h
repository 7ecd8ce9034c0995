/* SPDX-License-Identifier: MIT */
/*
 * What the certifier has to know of the trace: a copy of its events, with what of the recorded
 * order their steps need. If it is for one witness alone, only of those that this names, of those
 * that it may skip, and of the event at which each thread stands when its run ends. Read in one
 * pass, and checked in it; nothing changes afterwards, so that processes can share it.
 */
#ifndef WITNESS_FACTS_H
#define WITNESS_FACTS_H

#include "trace/reader.h"
#include "witness/witness.h"

/* Of an access, for each variable that it covers. */
struct place {
	uint32_t externals; /* `external` events on the variable recorded before it */
	int32_t shift; /* bits from the right in the whole access's value; -1: not part of it */
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
	/* there are as many as events: a line of the cache each */
	union {
		struct place place;		  /* access to one variable */
		struct place *places;		  /* … to several */
		uint64_t round;			  /* barrier-enter */
		uint64_t waker;			  /* wait: the by= of its woken; 0: by=-, or none */
		const struct woken_thread *wakes; /* signal, broadcast */
	};
};

_Static_assert(sizeof(struct fact) == 64, "see above");

static inline const struct place *fact_place(const struct fact *f, uint32_t i)
{
	return event_part_count(&f->event) > 1 ? &f->places[i] : &f->place;
}

struct fact_thread {
	uint64_t events;    /* recorded in all */
	uint64_t fork;	    /* the event that forks it, 0: none */
	uint64_t first;	    /* of its events, 0: it has none */
	uint32_t open_wait; /* while reading: 1 + fact of its wait, until the woken */
	bool left;	    /* likewise: one was kept since the last that the witness names */
	uint32_t keep;	    /* likewise: so many more are kept, in a scope and behind it */
};

struct fact_variable {
	uint64_t accesses, writer; /* so far, while reading */
	uint32_t externals;	   /* likewise */
	bool has_alloc;
};

/* Of a thread, from one mark to the other: the positions of both. */
struct fact_region {
	uint64_t begin, end; /* 0: it has no end so far */
	uint32_t thread;
	uint32_t words; /* of its marks */
};

/* Which of 64 events in a row are kept, and how many before these. */
struct fact_block {
	uint64_t kept;
	size_t before;
};

struct facts {
	const struct symbols *symbols;
	VEC(struct fact) all;		     /* by their numbers */
	VEC(struct fact_block) blocks;	     /* of all events */
	VEC(struct fact_thread) threads;     /* one for each thread name */
	VEC(struct fact_variable) variables; /* one for each variable */
	VEC(uint64_t) entered;		     /* while reading: enters of each barrier */
	struct intern marks; /* each mark with its arguments: its number, then the text */
	/* Atomic regions that have ended; while reading, those that have not are in `open`. */
	VEC(struct fact_region) regions, open;
	struct intern words; /* of their marks */
	struct arena memory;
};

/*
 * only: the witness that it is for, or NULL. Negative: the trace cannot be read or is not
 * consistent. The reader outlives the facts.
 */
int facts_read(struct facts *facts, struct reader *trace, const struct witness *only,
	       struct err *err);
void facts_release(struct facts *facts);

/* NULL: the trace has no such event, or it was not kept. */
const struct fact *facts_find(const struct facts *facts, uint64_t number);

#endif
