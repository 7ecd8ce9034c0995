/* What the files of the writer share. */
#ifndef RECORD_WRITER_PARTS_H
#define RECORD_WRITER_PARTS_H

#include "record/pages.h"
#include "record/unseen.h"
#include "record/window.h"
#include "record/writer.h"

#define DEPENDS 4 /* dependences that a record can have: 0, 1, 2; room for one that is damaged */

/* What a cell of the pages says: nothing (private), constant, or a granule of the plan. */
#define CELL_PRIVATE 0
#define CELL_CONSTANT 1
#define CELL_GRANULE 2 /* + its number */

/* LOG_BLOCKED. */
struct writer_wait {
	uint64_t kind; /* enum log_kind of what it waits for */
	uint64_t object, pc;
	bool limited;
};

struct writer_thread {
	struct window reads;
	uint64_t depend[DEPENDS]; /* positions, for the next record; UINT64_MAX: none */
	bool has_depends;
	bool begun, ended, forked;
	bool unsettled;		 /* it read something since the last branch that depends on all */
	bool goes_on;		 /* the last record was a part, and the next one belongs to it */
	uint64_t pc;		 /* LOG_PC */
	uint64_t call;		 /* LOG_UNSEEN: where it went into code without hooks */
	uint64_t steps;		 /* so far */
	uint64_t skipped;	 /* of these, dropped since the last event that was one */
	bool stands_for_step;	 /* the next event is the first of a step */
	uint8_t kind;		 /* of its record */
	struct writer_wait wait; /* if that is LOG_BLOCKED */
};

struct writer {
	struct places *places;
	struct symbols *symbols;
	const struct plan *plan;
	struct sync_facts *facts;
	struct sync *sync;
	struct objects *objects;
	struct sink *sink;
	struct pages cells;	/* uint32_t */
	uint32_t *siblings;	/* by granule of the plan: the next one in the same 8 bytes, + 1 */
	struct pending beneath; /* region and granule: granule of the plan + 1 */
	size_t next_object;	/* of the plan, to be born */
	uint64_t *values;	/* of each variable, now */
	VEC(struct writer_thread) threads;
	VEC(uint32_t) sync_symbols; /* + 1 */
	uint64_t next_number;
	uint64_t handlers;     /* of signals, that began */
	struct unseen *unseen; /* NULL: the run has no marks */
	uint64_t time;	       /* records so far */
	bool forked;	       /* some thread was */
	VEC(struct event) events;
	VEC(struct part) parts;
	struct arena more;
	struct writer_counts counts;
	struct err err;
	int code;
};

/* Memory: writer_memory.c */

struct access {
	uint64_t address;
	uint32_t size;
	bool complete; /* every byte belongs to a kept variable of one object */
	bool private, constant;
};

void memory_start(struct writer *w);
void memory_release(struct writer *w);
/* Adds the kept variables of the bytes to w->parts; values from the records. */
void memory_parts(struct writer *w, const uint64_t *record, struct access *a);

/* Dependences: writer_depend.c */

struct depend {
	bool all; /* on every earlier read */
	uint32_t read_count, at_count;
	uint64_t reads[DEPENDS], at[DEPENDS];
	const struct expr *expr;
};

/* Of a write or rmw that wrote `written` as a whole; `whole`: it can have an expression. */
void depend_of_access(struct writer *w, const struct merged *r, struct site_info *info, bool whole,
		      uint64_t old, uint64_t written, struct depend *d);
/* Of a branch; false: it says nothing and is dropped. */
bool depend_of_branch(struct writer *w, const struct merged *r, struct site_info *info,
		      struct depend *d);

/* Code without hooks: writer_unseen.c. In a rehearsal: */
void unseen_follow(struct writer *w, const struct merged *r);
/* w->parts are accessed, and have not become an event yet. */
void unseen_follow_parts(struct writer *w, bool reads);
/* And when it counts: what may have been changed by now. */
void unseen_put_due(struct writer *w);

/* Events: writer.c */

/* Changes are looked for, and nothing is written. */
static inline bool writer_rehearses(const struct writer *w)
{
	return !w->sink;
}

struct writer_thread *writer_thread(struct writer *w, uint32_t thread);
/* Nothing can be written of a thread that is over or waits on a condition. */
bool writer_is_silent(const struct writer *w, uint32_t thread);
/*
 * Before the events of a record, and before the number of the first one is used. What is no step
 * belongs to the step before; if that was dropped, it is told of now.
 */
void writer_begin(struct writer *w, uint32_t thread, bool inserted);
/* With nothing in it, to be filled in for an event that is put next. */
struct event_more *writer_more(struct writer *w);
/*
 * Sets what the caller cannot know of e, its skip, and `more`: NULL, or of writer_more. The event
 * is copied.
 */
uint64_t writer_put(struct writer *w, struct event *e, const struct event_more *more,
		    bool inserted);
/* The parts [from, from + n) of w->parts as one event. Sets its object and value as well. */
uint64_t writer_put_parts(struct writer *w, struct event *e, struct event_more *more, size_t from,
			  size_t n, bool inserted);
/* A branch that depends on all, where one is needed and no record stands for it. */
void writer_settle(struct writer *w, uint32_t thread);

#endif
