/* SPDX-License-Identifier: MIT */
/* What the files of a hunt share (doc/hunt.md); for src/hunt alone. */
#ifndef HUNT_PARTS_H
#define HUNT_PARTS_H

#include "base/keyed.h"
#include "hunt/choice.h"
#include "predict/seen.h"
#include "search/run.h"
#include "trace/expr_build.h"
#include "witness/certify.h"

/* A read, and what it returned. */
struct hunt_pin {
	uint32_t read;
	int64_t value;
};

/*
 * An event whose outcome decides how its thread goes on. Where it is and what came of it are
 * hashes that are the same in all runs of the program.
 */
struct hunt_choice {
	uint32_t event;
	enum hunt_kind kind;
	uint64_t place, outcome;
	uint32_t node;	       /* of the tree: the thread's choices up to this one */
	bool behind;	       /* it is a read itself: its outcome is what that returns */
	int64_t value;	       /* … HUNT_READ: this */
	const uint64_t *names; /* … HUNT_SOURCE: the write of each part */
	/* HUNT_READ before an event: what it depends on and no choice before it tells. */
	const struct hunt_pin *pins;
	uint32_t pin_count;
};

/* What a thread waits for: 1 + its number, one of them; all 0: that is not known. */
struct hunt_awaited {
	uint32_t lock, join, semaphore;
};

/* A thread of a run: its choices in order are run->choices[first] … */
struct hunt_thread {
	uint64_t id; /* by the forks that led to it: the same in all runs */
	uint32_t first, count;
	uint32_t root; /* node of the tree: none of its choices was made */
	bool ended;
	bool fixed;		     /* what it did next is known: it crashed */
	struct hunt_awaited awaited; /* in the end */
	uint32_t solid;		     /* so many events that each trace of its path has: … */
};

/* A wait for a condition. */
struct hunt_wait {
	uint32_t wait, thread;
	uint32_t woken; /* the end of it, 0: the trace has none */
	uint32_t by;	/* what woke it, 0: nothing */
	bool over;	/* its time limit was. Neither: it sleeps to the end */
	uint32_t end;	/* … where the questions' trace has it */
	uint64_t name;	/* as all runs call it */
};

/* Each way for a signal or broadcast to be another one, one after the other. */
struct hunt_way {
	uint32_t first, end; /* waits of one thread, and others that are not asked about */
	uint32_t chosen;     /* 1 + the one that is ended, 0: none */
};

struct hunt_ways {
	const struct hunt_run *run;
	uint32_t signal;
	VEC(struct hunt_way) threads;
	bool begun;
};

enum hunt_state {
	HUNT_WAITING,
	HUNT_POSTPONED,
	HUNT_WITHHELD, /* until the runs that are under way are there */
	HUNT_BUSY,
	HUNT_REFUTED,
	HUNT_UNDECIDED,
	HUNT_GIVEN_UP
};

/* Can a choice of a run have another outcome, in a way that no run has shown? */
struct hunt_question {
	uint32_t run;
	uint32_t choice; /* of run->choices; UINT32_MAX: that the thread goes on */
	uint32_t thread;
	enum hunt_state state;
};

/* Another outcome of a choice that some run has: where the questions' trace asks for it. */
struct hunt_other {
	uint32_t choice;
	uint64_t outcome;
	/* Happens exactly if the outcome is not that one. 0: never, if it is not as recorded. */
	uint32_t differs;
	bool known; /* else it cannot be told */
};

/* Where the questions' trace asks about a choice. */
struct hunt_probe {
	/* Happens exactly if the outcome is the recorded one; 0 if that is no matter of values. */
	uint32_t as_recorded;
	uint32_t come;	 /* happens if the thread has come to the choice */
	uint32_t passed; /* happens if it has gone on behind it, with the recorded outcome */
};

/*
 * The trace about which the engine is asked, instead of the run's own: what is not asked about
 * cannot change in it, and each choice has probes (doc/hunt.md).
 */
struct hunt_probes {
	struct index *index;
	uint32_t *of; /* by its events: the event of the run's trace, 0: it is a probe */
	uint32_t *to; /* by events of the run's trace: the same one here */
	struct hunt_probe *choices;
	VEC(struct hunt_other) others;
	struct engine *engine;
	struct run *run;
};

struct hunt_run {
	struct index *index;
	struct reader *again; /* for the certifier */
	struct certifier *certifier;
	VEC(struct hunt_choice) choices; /* of one thread in a row */
	VEC(struct hunt_wait) waits;	 /* likewise */
	struct hunt_thread *threads;	 /* as the index numbers them */
	struct hunt_probes *probes;	 /* NULL: none, or no longer right */
	uint64_t *write_names;		 /* by event: as all runs call it */
	uint32_t *read_number;		 /* by event: of its thread, so many before it */
	uint32_t **reads;		 /* of each thread, in order; then 0 */
	uint32_t **solid;	 /* … these, in order: what is made and freed may be left out */
	bool *behind;		 /* by event: a read whose choice is behind it */
	uint32_t parent;	 /* the run that its task was of; UINT32_MAX: none */
	uint32_t first_question; /* then one for each choice, and for each thread */
	struct arena memory;
};

/* The tree of all sequences of choices: an edge for each outcome. */
struct hunt_node {
	uint32_t parent;
	VEC(uint32_t) children;
	VEC(uint32_t) runs; /* that came to it */
	uint64_t outcome;   /* of its last choice */
	uint64_t place;
};

struct hunt_edge {
	uint64_t key; /* of parent, place and outcome */
	uint32_t node;
};

/* Where choices are made, in whatever run and thread. */
struct hunt_place {
	uint64_t key;
	uint64_t outcome;
	bool several; /* others were seen, too */
};

/* A run that is under way: what it does for sure is known before it is there. */
struct hunt_pending {
	uint32_t question;
	uint32_t *made; /* by threads of the question's run: so many of its choices, as recorded */
};

struct hunt {
	struct hunt_options options;
	VEC(struct hunt_run *) runs;
	VEC(struct hunt_question) questions;
	VEC(struct hunt_node) nodes; /* 0: none */
	KEYED(struct hunt_edge) edges;
	VEC(struct hunt_doubt) doubts;
	uint64_t asked, proved;
	KEYED(struct hunt_place) places;
	/* Questions: those before it are not waiting; and not about what was never seen. */
	size_t next, next_unseen;
	VEC(struct hunt_pending) pending;
	VEC(uint32_t) withheld; /* questions */
	bool left_out;		/* the last one was not asked, and a doubt says why */
	bool restricted;	/* the last one was asked with less freedom than it has */
	VEC(int32_t) clauses;	/* scratch */
	uint32_t wakes[HUNT_WAKES_MOST], wake_count; /* of the last one: hunt_task */
	struct arena memory;
};

static inline uint64_t hunt_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9u;

	x ^= x >> 29;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 32;
}

void hunt_add_doubt(struct hunt *h, const char *reason);

/* choices.c: finds them, and the threads */
void hunt_find_choices(struct hunt *h, struct hunt_run *r);
/* A call that takes a lock or what a semaphore has, or waits for a condition until a time, or is
 * told that it cannot; either way. */
bool hunt_is_tried(const struct event *e);
/* Nobody writes what it reads: in any order of this run it returns what it did. */
bool hunt_is_constant(const struct index *index, const struct event *e);
/* What its object is asked for, instead of what reads returned. */
bool hunt_is_of_object(const struct hunt_choice *c);

/* tree.c */

/* Gives each choice its node; then, if the run is kept, says so at its nodes. */
void hunt_place_run(struct hunt *h, struct hunt_run *r);
void hunt_count_run(struct hunt *h, const struct hunt_run *r, uint32_t number);
/* In some run, at that place, another outcome than this one. */
bool hunt_has_seen_other(const struct hunt *h, const struct hunt_choice *c);
/* What the run shows beside all others. */
enum hunt_result hunt_judge(const struct hunt *h, const struct hunt_run *r);
/* UINT32_MAX: the run has no such thread. */
uint32_t hunt_thread_by_id(const struct hunt_run *r, uint64_t id);
/* So many choices of that thread of `r` the other run has made, too, with the same outcomes. */
uint32_t hunt_departs(const struct hunt_run *r, uint32_t thread, const struct hunt_run *other);

/* probes.c */
struct hunt_probes *hunt_probes_new(struct hunt *h, struct hunt_run *r);
void hunt_probes_free(struct hunt_probes *p);
/* NULL: it is not asked for. */
const struct hunt_other *hunt_find_other(const struct hunt_probes *p, uint32_t choice,
					 uint64_t outcome);
/* One choice of those under this node that the hunt's runs have made. */
const struct hunt_choice *hunt_choice_at(const struct hunt *h, uint32_t node,
					 const struct hunt_run **run);

/* guards.c */
/* Exactly one of the two guards holds. */
bool hunt_are_opposite(const struct hunt_run *r, const struct hunt_choice *c,
		       const struct hunt_run *other, const struct hunt_choice *as);
uint64_t hunt_guard_hash(const struct hunt_run *r, uint32_t branch);

static inline bool hunt_is_known(const struct hunt_awaited *a)
{
	return a->lock || a->join || a->semaphore;
}

/* hunt.c: the thread waits for that of another run. */
void hunt_wait_for(struct hunt_run *r, struct hunt_thread *thread, const struct hunt_run *other,
		   struct hunt_awaited awaited);

/* tokens.c: the semaphore is empty, or not, when the thread comes to that position of its events.
 * False: there are too many ways. */
bool hunt_put_semaphore(struct hunt *h, const struct index *index, uint32_t semaphore,
			uint32_t thread, uint32_t position, bool empty);

/* wakes.c */
void hunt_find_waits(struct hunt_run *r);
/* Which waits it ends: the outcome of the choice. */
uint64_t hunt_wakes(const struct hunt_run *r, uint32_t signal);
/* False: there are too many. */
bool hunt_ways_begin(struct hunt_ways *ways, const struct hunt_run *r, uint32_t signal);
/* Comes to the next one, not as recorded; false: there is none. */
bool hunt_ways_next(struct hunt_ways *ways);
uint64_t hunt_ways_outcome(const struct hunt_ways *ways);
/* Clauses: when its thread comes to the signal, it may be so. */
void hunt_ways_put(struct hunt *h, const struct hunt_ways *ways);
/* For the task. */
void hunt_ways_tell(struct hunt *h, const struct hunt_ways *ways);
void hunt_ways_release(struct hunt_ways *ways);

/* pending.c */

/* By threads: so many choices of the run, as recorded, the witness of it makes. The caller frees
 * it. */
uint32_t *hunt_choices_made(const struct hunt_run *r, const struct witness *w);
void hunt_expect(struct hunt *h, uint32_t question, const struct witness *w);
/* True: no run is under way any more. */
bool hunt_expect_no_more(struct hunt *h, uint32_t question);
/*
 * Clauses: what the question asks for is another behaviour than those of all runs that are under
 * way. False: that cannot be.
 */
bool hunt_put_pending(struct hunt *h, const struct hunt_question *q);

/* ask.c */

/* True: some run tells now for what the thread would wait, where this run has left it. */
bool hunt_learn_next(struct hunt *h, struct hunt_run *r, uint32_t thread);
/* The event of the run that it is about. */
uint32_t hunt_question_event(const struct hunt *h, const struct hunt_question *q);
/* PROVED: w is certified. An error comes with UNDECIDED. */
enum answer hunt_ask(struct hunt *h, const struct hunt_question *q, struct witness *w,
		     struct err *err);

#endif
