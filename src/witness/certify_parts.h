/* SPDX-License-Identifier: MIT */
/*
 * What the files of the certifier share; for certify*.c alone. A run is taken step by step by the
 * rules of doc/model.md: certify_values.c knows what reads return and what depends on that,
 * certify_steps.c whether an event can happen and what it does, certify_end.c whether the bug
 * stands at the end, certify_recorded.c how it all stands where a run leaves the recorded order;
 * certify.c owns all of it.
 */
#ifndef WITNESS_CERTIFY_PARTS_H
#define WITNESS_CERTIFY_PARTS_H

#include "witness/certify.h"
#include "witness/facts.h"

/* A read that returned something else than recorded. */
struct change {
	const struct fact *read;
	bool known;
	int64_t value; /* what it returned, as a whole, if known */
};

struct thread_state {
	uint64_t done;
	bool forked, ended;
	bool changed;		 /* some read has */
	bool stopped;		 /* model mcm: it has, and nothing more is known */
	const struct fact *wait; /* that it is in, or NULL */
	bool missed;		 /* … and what woke it in the trace happened before that */
	bool other_source;	 /* its last read was of another write than recorded */
};

struct variable_state {
	uint64_t judged; /* it is of the witness with this number; if not, of none */
	uint64_t accesses, last_writer;
	int64_t value;
	uint32_t externals;
	bool allocated; /* or the trace has no alloc of it */
	bool freed, known;
};

struct lock_state {
	uint32_t writer;       /* thread + 1 */
	VEC(uint32_t) readers; /* threads, each as often as it holds the lock */
};

struct barrier_state {
	uint64_t round;	       /* the one that is half entered */
	VEC(uint32_t) entered; /* by these threads */
};

struct once_state {
	uint32_t begun; /* thread + 1 */
	bool done;
};

struct certify_marks;

/*
 * Facts, symbols and marks are of the trace; all else is how far the witness at hand has been run.
 */
struct certifier {
	struct facts facts;
	const struct symbols *symbols;
	struct certify_marks *marks; /* or NULL */
	const struct witness *witness;
	struct err *err;
	uint64_t judged;	       /* the number of the witness, from 1 */
	uint64_t base;		       /* so many events as recorded were taken from the marks */
	const struct certify_bug *bug; /* of the witness: how it is judged */
	VEC(struct change) changes;
	uint32_t *change_of;	      /* one for each fact: 1 + its change, 0: none */
	struct thread_state *threads; /* one for each thread; and so on */
	struct variable_state *variables;
	struct lock_state *locks;
	struct barrier_state *barriers;
	struct once_state *onces;
	uint64_t *semaphores;
};

/* certify_recorded.c */

/* Takes the recorded run and notes where it stands after each so many events. */
void certify_make_marks(struct certifier *c, uint32_t every);
void certify_free_marks(struct certifier *c);
/*
 * As if the first events had happened as recorded, from a fresh start; returns how many: all that
 * were asked for, or none.
 */
uint64_t certify_recall(struct certifier *c, uint64_t recorded);
/* Of a variable that nobody has touched since then; v is as at the start. */
void certify_recall_variable(struct certifier *c, uint32_t variable, struct variable_state *v);

/* certify.c */

/* Before the first event, whatever was judged before. */
void certify_start(struct certifier *c);
/* For those of which the witness at hand knows nothing yet. */
void certify_meet_variable(struct certifier *c, uint32_t variable);

static inline struct variable_state *variable_of(struct certifier *c, uint32_t variable)
{
	if (c->variables[variable].judged != c->judged)
		certify_meet_variable(c, variable);
	return &c->variables[variable];
}

static inline bool has_happened(const struct certifier *c, const struct fact *f)
{
	return f->position <= c->threads[f->event.thread].done;
}

/* NULL: it returned what was recorded, or it is no read that has happened. */
static inline const struct change *change_of(const struct certifier *c, const struct fact *f)
{
	uint32_t change = c->change_of[f - c->facts.all.at];

	return change ? &c->changes.at[change - 1] : NULL;
}

static inline const struct fact_thread *thread_of(const struct certifier *c, const struct fact *f)
{
	return &c->facts.threads.at[f->event.thread];
}

static inline struct thread_state *state_of(const struct certifier *c, const struct fact *f)
{
	return &c->threads[f->event.thread];
}

static inline const char *name_of(const struct certifier *c, enum object_class class,
				  uint32_t object)
{
	return symbols_name(c->symbols, class, object);
}

/* certify.c: 0, and the reason in err */
int certify_reject(struct certifier *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* certify_values.c */

/* Has any of these reads changed? What is no read of the thread counts as changed. */
bool certify_any_changed(struct certifier *c, const struct fact *f, const uint64_t *reads,
			 uint32_t n);
/* Has any read that decides over the event, by its expression, its reads= or its place? */
bool certify_depends_on_change(struct certifier *c, const struct fact *f);
/* Model values: what the expression of an event gives; false if it has none or is unknown. */
bool certify_evaluate(struct certifier *c, const struct fact *f, int64_t *value);
void certify_take_access(struct certifier *c, const struct fact *f);
/* An event in the scope of a branch that went the other way. */
void certify_skip(struct certifier *c, const struct fact *f);

/* certify_steps.c */

/* A place among the readers of the lock that is this thread's, or NULL. */
uint32_t *certify_hold_of(struct lock_state *l, uint32_t thread);
/* Which lock the event takes, and whether shared; false if it takes none. */
bool certify_takes_lock(const struct event *e, uint32_t *lock, bool *shared);
/* by: the signal that a `woken` names; 0: none, and nothing is missing */
bool certify_waker_happened(struct certifier *c, uint64_t by);
/* 1, or 0 with the reason in err. Nothing changes. */
int certify_can_happen(struct certifier *c, const struct fact *f);
/* What it does, apart from memory, where it happens as recorded. */
void certify_take_recorded(struct certifier *c, const struct fact *f);
/* Takes these steps. 1, or 0 at the first that cannot be taken, with the reason in err. */
int certify_run(struct certifier *c, const uint64_t *numbers, size_t n);

/* certify_end.c */

/* A kind of bug as the certifier knows it; trace/models.h says the same to all others. */
struct certify_bug {
	/* Does it stand at the end of what was run? 1, or 0 with the reason. */
	int (*judge)(struct certifier *c);
	bool early;    /* on the way a signal may come before the wait that it ended */
	bool adjacent; /* in model said the rest starts with its two events */
	/* If it does not stand there: in another way it may, if the witness names no event. */
	const struct certify_bug *other;
};

const struct certify_bug *certify_bug(enum bug_kind bug);
/* Threads that are there and have not ended all wait, and there is one; else 0 with the reason. */
int certify_all_wait(struct certifier *c);

/* certify_property.c */

/*
 * Does the run break the assertion that the witness names? stuck: it is one that ends in a stuck
 * state. 1, or 0 with the reason.
 */
int certify_breaks(struct certifier *c, bool stuck);

/* certify_atomicity.c */

/* Do the events of the witness violate an atomic region, in its run? 1, or 0 with the reason. */
int certify_violates(struct certifier *c);

#endif
