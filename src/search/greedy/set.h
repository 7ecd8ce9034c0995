/* SPDX-License-Identifier: MIT */
/*
 * Sets of events of the greedy engine (greedy.h): a prefix of each thread, closed under the rules
 * of its kind. What is in the set, which reads are kept, and which sections each thread has
 * entered last; all of it is reset in the time it took to find.
 */
#ifndef SEARCH_GREEDY_SET_H
#define SEARCH_GREEDY_SET_H

#include "model/pins.h"
#include "search/greedy/greedy.h"

enum greedy_set_kind { SET_MUST, SET_RECORDED, SET_MOVED };

/* A thread's last sections of a lock in the set. */
#define NO_SECTION UINT32_MAX
struct greedy_set_use {
	uint32_t thread;
	uint32_t section;
	uint32_t writer; /* the last that is not shared, or NO_SECTION */
};

struct greedy_set_lock {
	VEC(struct greedy_set_use) uses;
	bool dirty; /* in set.dirty */
};

/*
 * Of a semaphore: the last sem-fail in the set; of a condition: the last broadcast, or signal
 * that woke nobody. What its uses before that have to do with it was seen to.
 */
struct greedy_set_scan {
	uint32_t end;	/* the event, or 0 */
	uint32_t place; /* in its list of uses */
	/* of a semaphore, in a must set */
	uint32_t waits;
	bool dirty; /* in set.dirty_semaphores */
};

/* A kept read's value comes from another write than recorded. */
struct greedy_set_source {
	uint32_t read;
	uint32_t part;
	uint32_t writer; /* 0: the start */
};

/* Why a thread's prefix in the set grew: this event asked for it, a read for one of its parts. */
#define NO_PART UINT32_MAX
struct greedy_set_cause {
	uint32_t event;
	uint32_t part;	 /* or NO_PART */
	uint32_t end;	 /* of the thread, from then on */
	uint32_t before; /* 1 + the place of the cause before that in the same thread, or 0 */
};

/*
 * Events of a thread whose rules are yet to be applied, or that are to be kept if they are reads.
 * The last one in the trace comes first: it is the most likely to ask for what cannot be.
 */
struct greedy_set_range {
	uint32_t last; /* event */
	uint32_t thread;
	uint32_t from, to; /* positions */
	bool reads;
};

/* The prefix of each thread that is closed under the rules. */
/* What greedy_set_value_does found out of the last read that it was asked about. */
struct greedy_set_trial {
	uint32_t read;
	bool never;		/* no other value will do */
	VEC(uint32_t) branches; /* that name it */
};

struct greedy_set {
	struct greedy_set_trial *trial;
	const struct greedy_facts *facts;
	const struct index *index;
	enum model model;
	enum greedy_set_kind kind;
	bool close_all;	    /* moved: an open section is closed if a later one was entered */
	bool first_sources; /* moved: values come from the first write that has them */
	uint32_t base;	    /* the set starts with the events before this one */
	/*
	 * must: the rules are not applied to events before this one. They would say what comes
	 * before those, which the trace's causes know already; but for what the targets change.
	 */
	uint32_t near;
	uint32_t *near_first; /* of each thread: events before that */
	/* of each thread */
	uint32_t *first;		   /* events before the base */
	uint32_t *cut;			   /* events in the set */
	uint32_t *limit;		   /* and how many may be at most */
	uint32_t *all_end;		   /* reads before this position are kept */
	VEC(struct greedy_set_range) work; /* a heap, the last event on top */
	VEC(uint32_t) keeps;		   /* reads that are to be kept, yet to be looked at */
	/* must: kept reads that cannot have their value from the recorded write */
	VEC(struct greedy_set_source) strays;
	uint64_t *kept; /* a bit for each event */
	VEC(uint32_t) kept_list;
	VEC(struct greedy_set_source) sources;
	/* moved, where reads may take equal values: what to do otherwise if all fails */
	VEC(struct greedy_set_cause) causes;
	uint32_t *last_cause; /* of each thread */
	struct greedy_set_cause now;
	VEC(uint32_t) avoided; /* parts of reads that shall have another source */
	struct greedy_set_lock *locks;
	VEC(uint32_t) used_locks, dirty, dirty_semaphores;
	struct greedy_set_scan *semaphores, *conditions;
	uint32_t *rounds; /* of each barrier: 1 + the last round in the set, or 0 */
	const struct query *query;
	uint32_t failed;	/* the event that would have to be in the set but cannot */
	struct depends depends; /* scratch */
	struct pins pins;	/* scratch */
	const struct greedy_clock *clock;
};

void greedy_set_init(struct greedy_set *s, const struct greedy_facts *facts, enum model model);
void greedy_set_release(struct greedy_set *s);

/*
 * A set for these targets, which may not get into it. It starts with all events that the run has
 * taken, as recorded: no rule is applied to them. For must sets that is none.
 */
void greedy_set_start(struct greedy_set *s, enum greedy_set_kind kind, const struct query *q,
		      const struct run *run);
/* All that has to happen before the targets; false: it cannot be closed, or time is up. */
bool greedy_set_close(struct greedy_set *s);
/*
 * A must set that is closed: are there as many writes as reads that take what they wrote (taken.c)?
 */
bool greedy_set_takes(struct greedy_set *s);
/* A must set: the write leaves this value, and if it has that from another read, that returns it.
 */
void greedy_set_keep_copied(struct greedy_set *s, uint32_t write, int64_t value);
/*
 * The set could not be closed: was it for a read that could have its value from another write?
 * Then the next attempt takes that. To be forgotten with greedy_set_forget.
 */
bool greedy_set_blame(struct greedy_set *s);
void greedy_set_forget(struct greedy_set *s);
/* One more event, and what follows from it. */
bool greedy_set_add(struct greedy_set *s, uint32_t event);
/* Every event, and every read is kept. */
void greedy_set_fill(struct greedy_set *s);
size_t greedy_set_size(const struct greedy_set *s); /* from the base on */

struct event_list {
	VEC(uint32_t) at;
};

/* The events of the set in trace order, from the base on. */
void greedy_set_list(const struct greedy_set *s, struct event_list *list);
/* Those that are, in each thread, not before this position. */
void greedy_set_list_from(const struct greedy_set *s, const uint32_t *from,
			  struct event_list *list);

static inline bool greedy_set_has(const struct greedy_set *s, uint32_t event)
{
	return s->index->position[event] < s->cut[s->index->events[event].thread];
}

/* It is not behind a target. */
static inline bool greedy_set_can_have(const struct greedy_set *s, uint32_t event)
{
	return s->index->position[event] < s->limit[s->index->events[event].thread];
}

static inline bool greedy_set_keeps(const struct greedy_set *s, uint32_t read)
{
	return s->kept[read / 64] >> read % 64 & 1;
}

/* The section cannot be left before the targets are reached. */
static inline bool greedy_set_stays_open(const struct greedy_set *s, const struct section *section)
{
	return !section->release ||
	       s->index->position[section->release] >= s->limit[section->thread];
}

/* The section of the lock that the thread is in when it has come to its target, or NULL. */
const struct section *greedy_set_held(const struct greedy_set *s, uint32_t lock, uint32_t thread);

/* Must sets: the only section that can have held the lock, or NULL; how many there are. */
const struct section *greedy_set_only_holder(const struct greedy_set *s, uint32_t try,
					     uint32_t *count);

/*
 * The write that part `part` of a kept read takes its value from; 0: the start. In a must set
 * it may be not known.
 */
#define SOURCE_ANY UINT32_MAX
#define SOURCE_NONE (UINT32_MAX - 1) /* nothing can be it: the set will not be closed */
uint32_t greedy_set_source(const struct greedy_set *s, uint32_t read, uint32_t part);

/*
 * Must sets: the event may be skipped on the way to the targets. A set has it nevertheless, since
 * it is a prefix of its thread, but then nothing follows from it.
 */
bool greedy_set_may_skip(const struct greedy_set *s, uint32_t event);

/* For set.c and rules.c alone */

/* Puts the event in, its rules to be applied later; false: it cannot be. */
bool greedy_set_include(struct greedy_set *s, uint32_t event);
/* Another write of the value that can be in the set, or 0 for the start; SOURCE_NONE. */
uint32_t greedy_set_another(const struct greedy_set *s, uint32_t read, uint32_t part);
/*
 * Model values: would the read do with this value? That is so if all branches that name it
 * are evaluated, and hold then. (What is computed from it may change: the run will tell.)
 */
bool greedy_set_value_does(const struct greedy_set *s, uint32_t read, int64_t value);
bool greedy_set_avoids(const struct greedy_set *s, uint32_t part);
void greedy_set_start_rules(struct greedy_set *s, const struct run *run);
bool greedy_set_apply_object_rules(struct greedy_set *s, uint32_t event);
/* Of the locks that were used since: sections that have to be closed are. */
bool greedy_set_close_sections(struct greedy_set *s);

#endif
