/* SPDX-License-Identifier: MIT */
/*
 * Processes as terms: an operator, its operands, and what else tells it apart. Equal terms are the
 * same pointer. Operands that need not be looked at yet are P_LATER: an expression with what it
 * captures, evaluated by csp_process_resolve.
 */
#ifndef CSP_PROCESS_H
#define CSP_PROCESS_H

#include "csp/eval.h"

enum csp_op {
	P_STOP,
	P_OMEGA, /* after tick */
	P_SKIP,
	P_DIV,
	P_RUN,	 /* set */
	P_CHAOS, /* set */
	P_LATER,
	P_PREFIX, /* what it captures; last, the values chosen for its $ fields, or <> */
	P_EXTERNAL,
	P_INTERNAL,
	P_SLIDE,
	P_SEQUENCE,
	P_INTERRUPT,
	P_PARALLEL,	/* set */
	P_ALPHABETISED, /* left, right, set of left, set of right */
	P_THROW,	/* set */
	P_SYNC_CHOICE,
	P_SYNC_INTERRUPT,
	P_HIDE,
	P_PROJECT,
	P_RENAME, /* set: pairs */
	P_LINK,	  /* set: pairs */
	P_CHASE,
	P_OUTSIDE,
	P_TIMED_SKIP,	 /* set: tock */
	P_TOCKS,	 /* set: the pair of a number and tock; what comes behind them */
	P_PRIORITISE,	 /* set: the tuple of sets (priority.h) */
	P_LOOP,		 /* where it is, and how it begins again */
	P_BUFFER,	 /* set: the pair of a number and pairs; the events that are to come out */
	P_PRIORITISE_BY, /* set: the pair of an order and what silent steps are above */
};

/* In the order of events if it is kept. */
struct csp_steps {
	uint32_t n;
	struct csp_step at[];
};

struct csp_process_title; /* the name of a definition, and its arguments */

struct csp_process {
	uint8_t op;
	uint8_t divergence; /* divergence.c: what is known */
	bool inside;	    /* the title is of the definition that it is a later part of */
	uint32_t id;	    /* in the order in which they were made */
	uint32_t n;	    /* of at */
	uint32_t mark;	    /* normal.c: seen in this round */
	union {
		const struct csp_expr *expr; /* P_LATER, P_PREFIX */
		struct csp_value *set;
		uint64_t state; /* P_OUTSIDE */
	};
	struct csp_env *env;
	struct csp_process_title *title;
	union {
		struct csp_steps *steps;
		struct csp_process *is; /* P_LATER, once it is known */
	};
	void *at[]; /* operands, or interned values */
};

/* With the hash beside it: a look at another process would be a look at cold memory. */
struct csp_process_slot {
	struct csp_process *process;
	uint32_t hash;
};

struct csp_processes {
	struct csp_process_slot *slot;
	size_t slots, n;
	uint32_t ids, marks;
	VEC(struct csp_step) scratch;	/* steps under way: a stack */
	VEC(struct csp_process *) path; /* divergence.c */
	struct csp_value *no_key;
};

/* Can it go on silently for ever? */
bool csp_process_diverges(struct csp *csp, struct csp_process *p);

void csp_processes_init(struct csp *csp);
void csp_processes_release(struct csp *csp);

struct csp_process *csp_process_plain(struct csp *csp, enum csp_op op);
struct csp_process *csp_process_over(struct csp *csp, enum csp_op op, struct csp_value *set,
				     struct csp_pos pos);
/* key: expr, set or state; it and `at` tell processes apart. */
struct csp_process *csp_process_make(struct csp *csp, enum csp_op op, const void *key,
				     struct csp_env *env, uint32_t n, void **at);
struct csp_process *csp_process_two(struct csp *csp, enum csp_op op, struct csp_value *set,
				    struct csp_process *a, struct csp_process *b);
struct csp_process *csp_process_outside(struct csp *csp, csp_outside_steps *steps, void *context);
/* Operand i of p becomes `to`. */
struct csp_process *csp_process_with(struct csp *csp, struct csp_process *p, uint32_t i,
				     struct csp_process *to);

struct csp_value *csp_process_value(struct csp *csp, struct csp_process *p);
/* What an expression of one of the kinds of processes stands for. */
struct csp_process *csp_process_from(struct csp *csp, const struct csp_expr *e,
				     struct csp_env *env);
/* The expression, when it runs; shared: equal ones are the same. */
struct csp_process *csp_process_later(struct csp *csp, const struct csp_expr *e,
				      struct csp_env *env, bool shared);
struct csp_process *csp_process_resolve(struct csp *csp, struct csp_process *p);
void csp_process_set_name(struct csp *csp, struct csp_process *p, uint32_t name, uint32_t n,
			  struct csp_value **args);

/* What comes after a part of a definition is a part of it, unless it has a name of its own. */
void csp_process_inherit_name(struct csp_process *p, const struct csp_process *from);

/* Kept with the process; targets may be P_LATER. */
struct csp_steps *csp_steps_kept(struct csp *csp, struct csp_process *p);
/*
 * Pushes them on the scratch stack, and returns where they begin; the caller takes them off by
 * setting n back. Targets may be P_LATER.
 */
size_t csp_steps_push(struct csp *csp, struct csp_process *p);
void csp_step_add(struct csp *csp, uint32_t event, struct csp_process *to);
/* prefix.c, buffer.c */
void csp_prefix_steps(struct csp *csp, struct csp_process *p);
void csp_buffer_steps(struct csp *csp, struct csp_process *p);

/* Events by number. The value is whole and interned. */
uint32_t csp_event_number(struct csp *csp, struct csp_value *v);
/* Makes a set ready for csp_event_in; all its members have to be events. */
void csp_event_set(struct csp *csp, struct csp_value *set, struct csp_pos pos);

struct csp_event_bits {
	uint32_t words;
	uint64_t at[];
};

static inline bool csp_event_in(const struct csp_value *set, uint32_t event)
{
	const struct csp_event_bits *bits = set->events;

	return event / 64 < bits->words && bits->at[event / 64] >> event % 64 & 1;
}

/* A set of pairs of events, by the first. */
struct csp_relation {
	uint32_t n;
	struct {
		uint32_t from, to;
	} at[];
};

/* The first pair from there, or n. */
uint32_t csp_relation_find(const struct csp_relation *r, uint32_t from);
void csp_relation_prepare(struct csp *csp, struct csp_value *pairs, struct csp_pos pos);

#endif
