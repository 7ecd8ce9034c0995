/* SPDX-License-Identifier: MIT */
/* What the files of the writer share. */
#ifndef RECORD_WRITE_PARTS_H
#define RECORD_WRITE_PARTS_H

#include "record/keep/kept.h"
#include "record/write/lookups.h"
#include "record/write/origins.h"
#include "record/write/past.h"
#include "record/write/stacks.h"
#include "base/keyed.h"
#include "base/pages.h"
#include "record/keep/unseen.h"
#include "record/write/window.h"
#include "record/write/writer.h"
#include "trace/expr_build.h"

#define GUARDED 64
#define LOOKED_UP 16
#define NO_POSITION UINT64_MAX
#define HERE_POSITION (UINT64_MAX - 1)
#define DEPENDS 4 /* dependences that a record can have: 0, 1, 2; room for one that is damaged */

/* What a cell of the pages says: nothing (private), constant, or a granule of the layout. */
#define CELL_PRIVATE 0
#define CELL_CONSTANT 1
#define CELL_GRANULE 2 /* + its number */

/* Of the bytes of a granule, those of its lower or upper half: threads share memory by the half. */
#define HALF(bytes, half) ((bytes) >> (4 * (half)) & 0xf)

/* What is known of 8 private bytes; apart, since most accesses are to others. */
struct content {
	/* those that were written, what is there, where each half is from */
	uint8_t written;
	uint32_t origin[2];
	uint64_t value;
	/* in a rehearsal, of each half: who wrote private bytes last, and when; the class of the
	 * object + 1, if code without hooks was given it */
	uint64_t time[2];
	uint32_t writer[2];
	uint32_t given[2];
};

/* An object that was looked through for code without hooks, in a rehearsal. */
struct walk {
	uint32_t thread;     /* for the one that it was given to last */
	bool same;	     /* nothing in it has changed since */
	bool mixed;	     /* it shares a half with another */
	uint64_t wrote;	     /* when somebody last wrote private bytes of it */
	VEC(uint64_t) words; /* that may be addresses */
};

/* LOG_BLOCKED. */
struct writer_wait {
	uint64_t kind; /* enum log_kind of what it waits for */
	uint64_t object, pc;
	bool limited;
	bool over; /* it has waited for a condition, and its time is over */
};

/* A look-up that a guard has said to lead somewhere. */
struct looked_up {
	const struct expr *template;
	struct value args[SITE_DEPENDS_MAX];
	struct value value;
	uint64_t since; /* as struct guarded */
};

/* A value that an event says is as recorded, and how often that had changed by then. */
struct guarded {
	struct value value;
	uint64_t since;
};

/* What private memory held, and which bytes of it were written since. */
struct arm_write {
	uint64_t granule;
	struct content before;
	uint8_t bytes;
};

/* A lock that was taken, or left, in an arm. */
struct arm_lock {
	uint32_t lock;
	uint8_t kind; /* enum event_kind */
};

/* An arm that a thread is in, of a branch that may govern no more than that (sites.h: SITE_ARM). */
struct arm {
	uint64_t position; /* of the branch's record */
	struct event_more *branch;
	struct value guard;
	uint64_t events; /* of the thread, with the branch */
	uint64_t settled, guards;
	uint32_t era;
	uint32_t writes, locks; /* what the thread had of these */
};

/* Those that it is in, from the outermost on, and what was done in them. */
struct arms {
	VEC(struct arm) open;
	VEC(struct arm_write) writes;
	VEC(struct arm_lock) locks;
	/* the branch of the latest arm that is over, and its guard if it governs no more than that
	 */
	uint64_t left;
	bool governed;
	struct value guard;
};

struct writer_thread {
	struct window values;
	uint64_t depend[DEPENDS]; /* positions, for the next record; UINT64_MAX: none */
	uint64_t first;		  /* position: what was read before is fixed */
	uint32_t here[DEPENDS];	  /* HERE_POSITION: the value itself */
	bool has_depends;
	bool begun, ended, forked;
	bool waits;	 /* on a condition: its next event is that it is woken */
	uint32_t era;	 /* record/write/origins.h */
	uint32_t called; /* likewise, when it was in code without hooks the last time */
	uint64_t called_event;
	uint64_t tls_end; /* LOG_BEGIN: of the program's own thread-local memory */
	uint64_t settled; /* record/write/terms.h */
	bool within;	  /* what it logs is done by code without hooks */
	bool unsure;	  /* what it does next is done, or decided, by such code */
	uint64_t events;
	struct arms arms;
	bool asleep;	/* in a rehearsal: it waits on a condition */
	bool unsettled; /* it read something since the last branch that depends on all */
	struct past past;
	struct guarded guarded[GUARDED];	/* the latest ones */
	uint64_t latest_guarded[VALUE_ALL + 1]; /* by kind: none has a larger number */
	struct looked_up looked_up[LOOKED_UP];	/* the latest ones */
	uint64_t guards;			/* how often that has changed */
	/* the latest read, if it was one record: what a copy copies */
	uint64_t read_position, read_address;
	uint32_t read_size;
	struct value owed;	 /* what a library function has seen, if it goes on: LOG_STEPS */
	bool goes_on;		 /* the last record was a part, and the next one belongs to it */
	uint64_t spun;		 /* its next read stands for others behind this one: LOG_SPIN */
	uint64_t pc;		 /* LOG_PC */
	uint64_t callee;	 /* LOG_CALLEE, for the next LOG_UNSEEN; 0: none */
	uint32_t callee_kind;	 /* likewise: its flags, LOG_INLINE or 0 */
	VEC(uint64_t) given;	 /* LOG_GIVEN, likewise */
	uint64_t call;		 /* LOG_UNSEEN: where it went into code without hooks */
	uint64_t steps;		 /* so far */
	uint64_t skipped;	 /* of these, dropped since the last event that was one */
	bool stands_for_step;	 /* the next event is the first of a step */
	uint8_t kind;		 /* of its record */
	uint32_t site;		 /* likewise, of an access; 0: its place is a pc, */
	uint64_t place;		 /* which is this one */
	struct writer_wait wait; /* if that is LOG_BLOCKED */
};

/* Bytes of private memory that are bytes of one value: `n` of them, `from` that one on, are those
 * `at` that one on of the access. */
struct piece {
	struct value value;
	uint32_t origin;
	uint8_t size, from, n, at;
};

/* What an event says that it depends on. */
struct depend {
	struct read_set reads, at;
	const struct expr *expr;
	bool opaque; /* a branch asks for recorded values, and nobody knows what others would do */
};

/* An address that a mark has named. */
struct named_address {
	uint64_t key;	 /* it */
	uint32_t object; /* that was there last */
	uint32_t number; /* of those before it */
};

/* Whether a symbol is one of the program's own file. */
struct is_program {
	uint64_t key; /* its address */
	bool program;
};

struct writer {
	struct places *places;
	struct stacks stacks;
	struct lookups *lookups;
	struct symbols *symbols;
	const struct layout *layout;
	struct sync_facts *facts;
	struct sync *sync;
	struct objects *objects;
	struct sink *sink;
	const struct merge *merge; /* that it follows, as far as it passes by */
	struct pages cells;	   /* uint32_t: CELL_… */
	struct pages contents;	   /* struct content */
	struct origins origins;
	struct terms terms;
	VEC(struct piece) pieces; /* of private memory, in the access at hand */
	struct depend depend;	  /* of the event at hand */
	uint32_t *siblings;    /* by granule of the layout: the next one in the same 8 bytes, + 1 */
	struct counts beneath; /* region and granule: granule of the layout + 1 */
	size_t next_object;    /* of the layout, to be born */
	uint64_t *values;      /* of each variable, now */
	VEC(struct writer_thread) threads;
	VEC(uint32_t) sync_symbols; /* + 1 */
	uint64_t next_number;
	uint64_t arms;			   /* that are open, of all threads: events are held back */
	uint64_t handlers;		   /* of signals, that began */
	struct unseen *unseen;		   /* NULL: the run has no marks */
	struct kept *kept;		   /* in a rehearsal */
	uint32_t *classes;		   /* likewise, of variables, once they are needed */
	VEC(struct walk) walks;		   /* likewise, by class */
	KEYED(struct is_program) programs; /* likewise */
	VEC(uint64_t) globals; /* likewise: addresses of those that other code can name */
	bool has_globals;
	struct kept_order *order;
	bool passes;	/* stretches are passed by: pass.c */
	uint8_t *loose; /* by site: SITE_LOOSE */
	uint32_t loose_count;
	uint64_t time; /* records so far */
	bool forked;   /* some thread was */
	uint32_t threads_forked;
	KEYED(struct named_address) named; /* in marks, so far */
	VEC(bool) volatiles;		   /* by variable: that it is one is told */
	VEC(struct event) events;
	VEC(struct part) parts;
	struct arena more;
	struct writer_counts counts;
	struct err err;
	int code;
};

static inline struct writer_thread *writer_thread(struct writer *w, uint32_t thread)
{
	return &w->threads.at[thread];
}

/* Memory: memory.c */

struct access {
	uint64_t address;
	uint32_t size;
	bool complete; /* every byte belongs to a kept variable of one object */
	bool private, constant;
	uint32_t thread;
	bool reads, copied;
	uint8_t kept_at, kept_size; /* bytes of the latest kept variable, in the access */
};

void memory_start(struct writer *w);
void memory_release(struct writer *w);
/* Adds the kept variables of the bytes to w->parts, and what is read of private ones to w->pieces;
 * values from the records. `done`: bytes of the access in the record before. */
void memory_parts(struct writer *w, const uint64_t *record, unsigned done, struct access *a);
/* What the access has read, with w->pieces. `event`: the read of its kept variables, 0: none. */
void memory_value(struct writer *w, const struct access *a, uint64_t event, uint64_t recorded,
		  struct value *v);
/* A write, of this value, for its private bytes. */
void memory_write_private(struct writer *w, const struct merged *r, const struct value *value);
/* A write of something that depends on nothing, in one granule and one record. */
void memory_write_fixed(struct writer *w, uint32_t thread, const uint64_t *record);
/* What was read at one place is written to another, both of one size: each byte keeps its origin.
 * `value` is that of what is not private there. */
void memory_copy_private(struct writer *w, const struct merged *r, uint64_t from,
			 const struct value *value);
/* Bytes [first, first + n) of 8 private ones with this content; `known`: all were written. */
struct value memory_content(struct writer *w, uint32_t thread, uint64_t granule,
			    const struct content *c, unsigned first, unsigned n, bool *known);
/* They come from this now, and are what they were. */
void memory_set_origin(struct writer *w, uint32_t thread, uint64_t granule, unsigned first,
		       unsigned n, const struct value *value);
/* Forgets what nothing refers to any more, if that is much. */
void memory_collect(struct writer *w);

/* Dependences: depend.c */

/* What dependence i of the record at hand is now. One that is not there depends on nothing. */
void depend_source(struct writer *w, uint32_t thread, unsigned i, struct value *to);

/* Of a write or rmw that wrote `written` as a whole; `whole`: it can have an expression. `old`:
 * what an rmw has read. */
void depend_of_access(struct writer *w, const struct merged *r, struct site_info *info, bool whole,
		      uint64_t old, uint64_t written, struct depend *d);
/* What it wrote, for its private bytes; `old` likewise, NULL: it has read nothing. */
void depend_write_private(struct writer *w, const struct merged *r, struct site_info *info,
			  const struct value *old, uint64_t written);
/* What depends on every read of the thread so far. */
struct value depend_all(struct writer *w, uint32_t thread);
/* It is fixed if events so far say that it is as recorded. */
void depend_settle_it(struct writer *w, uint32_t thread, struct value *value);
static inline void depend_settle(struct writer *w, uint32_t thread, struct value *value)
{
	if (value->kind != VALUE_FIXED)
		depend_settle_it(w, thread, value);
}
/*
 * An access that is dropped happens at this address only if the reads that the address came from
 * return what they did: a guard says so.
 */
void depend_guard(struct writer *w, const struct merged *r, struct site_info *info);
/* A guard says that what was read at this position is as recorded. */
void depend_guard_read(struct writer *w, uint32_t thread, uint64_t position);
/* What the address of the record depends on; how many there are. */
unsigned depend_of_address(struct writer *w, uint32_t thread, const struct site *site,
			   struct value *to);
/* A value that is told, */
struct value depend_compute(struct writer *w, const struct merged *r);
/* which becomes what later records may depend on; and so does one that is fixed. */
void depend_of_value(struct writer *w, const struct merged *r);
void depend_of_fixed(struct writer *w, const struct merged *r);
/* A library function has seen this, and goes on because of it, if it does. Then: a guard says so.
 */
void depend_owe(struct writer *w, uint32_t thread, const struct value *seen);
void depend_pay(struct writer *w, uint32_t thread);
/* Of a branch; false: it says nothing and is dropped. `guard`: what its expression is, if it may
 * govern its arm alone; else it is fixed. */
bool depend_of_branch(struct writer *w, const struct merged *r, struct site_info *info,
		      struct depend *d, struct value *guard);

/* Marks: mark.c */

void mark_follow(struct writer *w, const struct merged *r);

/* Arms: arm.c */

/* The branch was written, and governs the arm that begins here if that comes to its end. */
void arm_begin(struct writer *w, const struct merged *r, const struct value *guard,
	       struct event_more *branch);
/* LOG_REJOIN, and LOG_EITHER. */
void arm_end(struct writer *w, const struct merged *r);
void arm_either(struct writer *w, const struct merged *r);
/* The branches of the arms that the thread is in govern all that follows. */
void arm_give_up(struct writer *w, uint32_t thread);
void arm_give_up_all(struct writer *w);
/* Likewise, and guards are forgotten: terms and origins have other numbers from here on. */
void arm_forget(struct writer *w);
/* An event is put, of a thread that is in one. */
void arm_follow_event(struct writer *w, const struct event *e);
/* These bytes of private memory are about to be written, likewise. */
void arm_follow_write(struct writer *w, uint32_t thread, uint64_t granule, const struct content *c,
		      uint8_t bytes);

/* Stretches that are passed by: pass.c */

/* LOG_VALUE and LOG_FIXED, by themselves; false: it is not. */
bool pass_value(struct writer *w, const struct merged *r);
/* A value there, by its position; NULL: it is not there. */
const struct value *pass_find(struct writer *w, uint32_t thread, uint64_t position);

/* Look-ups: look.c */

/* The expression of the site, with the constants that it looks into declared. */
const struct expr *look_template(struct writer *w, struct site_info *info);
/*
 * Of a read that is dropped, since nobody writes there: what is read is known for other addresses
 * as well, so that only a guard is needed that these lead to a constant. False: it is not.
 */
bool look_up_constant(struct writer *w, const struct merged *r, struct site_info *info,
		      struct value *v);
/*
 * Of a read: its address as one value, if other values of what it is computed from may lead there
 * as well (`table[x & 3]`): then it is enough to say that the address is this one.
 */
bool look_address(struct writer *w, const struct merged *r, struct site_info *info,
		  struct value *v);

/* Times that a thread did the same again: spin.c */
void spin_follow(struct writer *w, const struct merged *r);
/* The read at hand is the last time, and this what it read. */
void spin_join(struct writer *w, uint32_t thread, struct value *v);

/* Code without hooks: unseen.c. In a rehearsal: */
void unseen_follow(struct writer *w, const struct merged *r);
/* w->parts are accessed, and have not become an event yet. */
void unseen_follow_parts(struct writer *w, bool reads);
/* And when it counts: what may have been changed by now. */
void unseen_put_due(struct writer *w);

/* What code without hooks can reach: reach.c */

#define BY_ADDRESS ((uint64_t)1 << 63) /* in keys of objects that are never born */
bool reach_find_static(struct writer *w, uint64_t address, struct object *found);
uint64_t reach_key(const struct object *o);
/* In a rehearsal. A call is given these, and if it can name globals, all of those. */
void reach_all(struct writer *w, uint32_t thread, const uint64_t *pointers, size_t n, bool globals);
/* Such code gets these otherwise; or it makes this object; or this memory has changed. */
/* Code of a host begins in that thread; whether it has this memory (kept_host). */
void reach_host(struct writer *w, uint32_t thread);
bool reach_is_hosts(struct writer *w, uint64_t address);
void reach_get(struct writer *w, uint32_t thread, const uint64_t *pointers, size_t n);
void reach_made(struct writer *w, const struct object *o);
void reach_changed(struct writer *w, uint64_t address);
/* What these bytes of a granule hold is about to change, or they are another object's. */
void reach_touch(struct writer *w, const struct content *c, uint8_t bytes);
void reach_touch_variable(struct writer *w, const struct layout_variable *v);
/* The thread writes private bytes of the object, of this class. */
void reach_write(struct writer *w, uint32_t thread, uint32_t class);
/* A word is written there: what it points to can be reached from there. */
void reach_put(struct writer *w, uint64_t address, uint64_t value);
/* And when it counts: who may have changed memory of this thread, apart from itself. */
enum reached_by reach_by(struct writer *w, uint32_t thread, uint64_t address);

/* Order that is kept: kept.c. In a rehearsal: */
void kept_follow(struct writer *w, const struct merged *r);
/* w->parts are written. */
void kept_follow_parts(struct writer *w, uint32_t thread);
/* The object is given back. */
void kept_follow_free(struct writer *w, uint32_t thread, const struct object *o);
/* And when it counts. A stretch begins: */
void kept_decide(struct writer *w, uint32_t thread);
void kept_put_due(struct writer *w);

/* Events: writer.c */

/* blocked.c: a fact about the end of a wait. */
void writer_note_broken_off(struct writer *w, uint64_t event);

/* Changes are looked for, and nothing is written. */
static inline bool writer_rehearses(const struct writer *w)
{
	return !w->sink;
}

/* LOG_DEPEND, LOG_DEPENDS, or a record that may have some in its first word. */
void writer_note_depends(struct writer_thread *t, const struct merged *r);
/* Whether the record counts as a step of its thread: doc/replay.md. `info`: of an access or branch.
 */
static inline bool writer_is_step(const uint64_t *record, const struct site_info *info)
{
	uint32_t site = LOG_SITE_OF(*record);

	switch (LOG_KIND_OF(*record)) {
	case LOG_BEGIN:
	case LOG_END: return true;
	case LOG_READ:
	case LOG_WRITE:
	case LOG_RMW:
		if (raw_is_loose(record))
			return false;
		/* fall through */
	case LOG_BRANCH: return site && !(info && info->site->flags & SITE_LOOSE);
	case LOG_INIT:
	case LOG_MAP:
	case LOG_UNMAP:
	case LOG_STACK:
	case LOG_STACK_END:
	case LOG_BENIGN:
	case LOG_ENTER:
	case LOG_LEAVE: return false;
	default: return site & 1;
	}
}
/* Nothing can be written of a thread that is over or waits on a condition. */
static inline bool writer_is_silent(const struct writer *w, uint32_t thread)
{
	return w->threads.at[thread].ended || w->threads.at[thread].waits;
}
/* Tells of all steps that were dropped but for the latest, and that what was read is as recorded if
 * that is not sure. */
void writer_begin_late(struct writer *w, uint32_t thread, uint64_t most);
/*
 * Before the events of a record, and before the number of the first one is used. What is no step
 * belongs to the step before; if that was dropped, it is told of now.
 */
static inline void writer_begin(struct writer *w, uint32_t thread, bool inserted)
{
	struct writer_thread *t = writer_thread(w, thread);
	uint64_t most = !inserted && t->stands_for_step ? EVENT_SKIP_MOST : 0;

	if (t->skipped > most || t->unsure)
		writer_begin_late(w, thread, most);
}
/* With nothing in it, to be filled in for an event that is put next. */
struct event_more *writer_more(struct writer *w);
/* What it depends on; NULL: nothing has to be said. */
struct event_more *writer_more_of(struct writer *w, const struct depend *d);
/* Hands the events so far to the sink. */
int writer_flush(struct writer *w);
/* Inline, as is writer_put: an event that is made, and then copied, takes several times as long. */
static inline uint64_t writer_append(struct writer *w, struct event e,
				     const struct event_more *more)
{
	struct writer_thread *t = writer_thread(w, e.thread);

	e.more = more;
	vec_push(&w->events, e);
	w->counts.events++;
	terms_earn(&w->terms);
	t->begun = true;
	t->events++;
	if (t->arms.open.n)
		arm_follow_event(w, &w->events.at[w->events.n - 1]);
	if (e.location && e.kind != EV_BRANCH && w->sink)
		stacks_tell(&w->stacks, e.thread, w->next_number, t->site, t->place);
	return w->next_number++;
}

/* Sets what the caller cannot know of e, its skip, and `more`: NULL, or of writer_more. */
static inline uint64_t writer_put(struct writer *w, struct event e, const struct event_more *more,
				  bool inserted)
{
	struct writer_thread *t = writer_thread(w, e.thread);

	if (inserted || !t->stands_for_step) {
		e.skip = EVENT_NO_RECORD;
	} else { /* the first event of a step stands for it */
		/* no more, unless records of a thread that waits fit nothing */
		e.skip = (uint16_t)(t->skipped < EVENT_SKIP_MOST ? t->skipped : EVENT_SKIP_MOST);
		t->skipped = 0;
		t->stands_for_step = false;
	}
	return writer_append(w, e, more);
}
/* A function is called, or left. */
static inline void writer_follow_call(struct writer *w, uint32_t thread, uint64_t word)
{
	if (!w->sink)
		return;
	if (LOG_KIND_OF(word) == LOG_ENTER)
		stacks_call(&w->stacks, thread, LOG_ENTER_OF(word),
			    writer_thread(w, thread)->within ? writer_thread(w, thread)->call : 0);
	else
		stacks_return(&w->stacks, thread, LOG_HIGH_OF(word));
}

/* The parts [from, from + n) of w->parts as one event. Sets its object and value as well. */
uint64_t writer_put_parts(struct writer *w, struct event *e, struct event_more *more, size_t from,
			  size_t n, bool inserted);
/* A branch that depends on all, where one is needed and no record stands for it. */
void writer_settle(struct writer *w, uint32_t thread, uint32_t location);
/* Where the thread has called code without hooks last; 0 if that is not known. */
uint32_t writer_place_of_call(struct writer *w, uint32_t thread);
/* The thread goes on only if all that it has read is as recorded; `event` says so. */
void writer_settled(struct writer *w, uint32_t thread, uint64_t event);
/* Only if this guard holds. */
void writer_put_guard(struct writer *w, uint32_t thread, const struct depend *d);
/* All steps so far are told of. */
void writer_tell_steps(struct writer *w, uint32_t thread);

#endif
