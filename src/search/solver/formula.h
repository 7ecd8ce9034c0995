/* SPDX-License-Identifier: MIT */
/*
 * A cone as clauses: which of its events happen, and what comes before what. The literal
 * of a node is its number: the event happens. Further literals:
 *
 *	order	u comes before v, in a total order of all events that an execution is the
 *		start of. Of two that do not both happen the solver may leave it open: clauses
 *		must not rely on it then
 *	before	u and v happen, u first
 *	keep	a read happens and returns what was recorded
 *	used	a read's value matters: it is kept, or (model `values`) needed
 *	source	a read that is used has its value, of one variable, from this write
 *	known	a write writes what was recorded
 *	needed, computed	in model `values`: a read's value is known; so are all those that
 *		an expression names
 *	value	a read that is used returns this, in one variable; or an expression gives it
 *	ready	the event is its thread's next in the end, and can happen, or (an acquire) waits
 *		for nothing but its lock
 *	waits	the event is its thread's next in the end, and blocks
 *	other	a branch with a scope happens and goes the other way: its guard is 0
 *	empty	a semaphore counts 0 in the end, if this wait for it is its thread's next
 *
 * But for order each means what it says only when it is true: false says nothing. Variables
 * are made so that false, which the solver tries first, is the recorded order, the recorded
 * source, and that as little as possible happens.
 *
 * What the model says of order is not in clauses: the theory (search/solver/precedence.h) knows
 *what must come first, the sections and the writes. What it does not decide, because no variable is
 *about it, a schedule may get wrong (search/solver/sweep.h); then there will be one. So a formula
 *without a solution refutes, and the schedule of a solution still has to be tried.
 */
#ifndef SEARCH_SOLVER_FORMULA_H
#define SEARCH_SOLVER_FORMULA_H

#include "model/depends.h"
#include "search/solver/cone.h"
#include "sat/sat.h"
#include "search/engine.h"
#include "search/solver/precedence.h"

struct formula;

/* A part of a read has its value from this write. */
struct formula_source {
	uint32_t read, part, write; /* events; write 0: what was there before the cone */
	lit lit;
};

/* Part of a read returns this value, or the expression of a write gives it. */
#define PART_OUTPUT UINT32_MAX

struct formula_value {
	uint32_t event, part;
	int64_t value;
};

/* Some values that a variable may have. */
#define DOMAIN_MOST 8

struct domain {
	int64_t values[DOMAIN_MOST];
	uint32_t count;
	bool closed; /* there are no others */
};

/* What a write makes of the values that its only input may have. */
struct outputs {
	struct domain values; /* closed: as the input's */
	bool total;	      /* each of them gives one */
};

/* A literal whose meaning is still to be put into clauses. */
struct formula_pending {
	void (*settle)(struct formula *f, uint32_t number);
	uint32_t number; /* of an event, a source or a value */
};

struct formula {
	struct cone_facts facts;
	const struct index *index;
	const struct cone *cone;
	struct precedence *order; /* a chain for each thread that has nodes in the cone, but arms */
	VEC(uint32_t) chain_ends; /* behind the last node of each */
	/* by node: the branch in whose arm it is, a node, or 0; its other. NULL: there are none */
	uint32_t *arm;
	lit *other;
	bool flat; /* there would be too many, so that only a solution counts */
	struct sat *sat;
	struct intern before_keys; /* pairs of nodes, numbered as before_lits */
	VEC(lit) before_lits;
	/* what always comes before node n: fixed[fixed_first[n]] … fixed[fixed_first[n + 1] - 1] */
	uint32_t *fixed_first, *fixed;
	/*
	 * reach[n * reach_threads + t]: so many events of the thread, with t its number among
	 * those in the cone, must come before node n or are it.
	 */
	uint32_t *reach, *reach_thread, reach_threads;
	/* by node; 0: not asked for so far */
	lit *keep, *used, *all_kept, *known, *good, *ready, *needed, *computed, *waits;
	lit *empty;		   /* of waits for semaphores, by node */
	uint32_t *last_read;	   /* of each node: of its thread, up to it; or 0 */
	struct intern source_keys; /* read, part, write; numbered as sources */
	VEC(struct formula_source) sources;
	struct intern values; /* struct value; numbered as value_lits */
	VEC(struct formula_value) value_keys;
	VEC(lit) value_lits;
	struct domain *domains;	 /* by variable; NULL: not in model `values` */
	uint32_t *only_input;	 /* by node; NULL: not in model `values` */
	struct outputs *outputs; /* of writes with an only input, by node */
	VEC(struct formula_pending) pending;
	/*
	 * To be assumed false, to look for simple solutions first: some read has another source
	 * than recorded; some expression gives what was not recorded.
	 */
	lit other_source, computing;
	struct depends depends; /* scratch */
};

struct formula *formula_new(const struct cone_facts *facts, const struct cone *cone, bool limited);
void formula_free(struct formula *f);

/* By events, in the cone or not. */
lit formula_happens(const struct formula *f, uint32_t event);
lit formula_before(struct formula *f, uint32_t event, uint32_t other);
/* In every execution in which the second happens. */
bool formula_must_precede(const struct formula *f, uint32_t event, uint32_t other);
/* In every execution in which both do. */
bool formula_precedes(const struct formula *f, uint32_t event, uint32_t other);

/* To be assumed: what an access of a race, or an acquire of a deadlock, is in the end. */
lit formula_ready(struct formula *f, uint32_t event);

/* formula_rules.c: sections and writes, for the theory. */
void formula_rules(struct formula *f);

/* To be decided: which of two sections comes first; whether a write comes before a read. */
void formula_exclude(struct formula *f, const struct section *a, const struct section *b);
void formula_seal(struct formula *f, uint32_t read, uint32_t write);

/* Puts into clauses all that is pending. */
void formula_settle(struct formula *f);
void formula_later(struct formula *f, void (*settle)(struct formula *f, uint32_t number),
		   uint32_t number);

/* What a thread has to have read to come to this event, if `when` holds. */
void formula_path(struct formula *f, lit when, uint32_t event);

/* formula_scopes.c: branches that may go the other way, and what they govern */

/* Finds them, by the domains, and the chains; then, with a theory, what follows for the order. */
void formula_arms(struct formula *f);
void formula_order_arms(struct formula *f);
/* By nodes: the branch in whose arm it is, or 0; whether it is in that one's. */
uint32_t formula_arm(const struct formula *f, uint32_t node);
bool formula_is_governed(const struct formula *f, uint32_t node, uint32_t branch);
/* Of one thread: where the second happens, the first was not skipped. */
bool formula_is_sure(const struct formula *f, uint32_t node, uint32_t other);
/* The last node of the thread before it that has happened if it does; 0: none. */
uint32_t formula_sure_before(const struct formula *f, uint32_t node);
/* If `when` holds, the thread has come to the node. */
void formula_arrive(struct formula *f, lit when, uint32_t node);
/* The branch, of an event, may go the other way; then, what that means. */
bool formula_has_other(const struct formula *f, uint32_t branch);
void formula_scope(struct formula *f, uint32_t branch);

/* formula_stuck.c: facts.stuck, and then all solutions are of states that are */

/* Every thread has ended, does not exist, or waits. */
void formula_stuck(struct formula *f);
/* To be assumed: its thread waits at the event. */
lit formula_waits(struct formula *f, uint32_t event);

/* formula_sync.c */

/* The event that ends the sleep which this wait begins, or 0: nobody notices it. */
uint32_t formula_waker(const struct index *index, uint32_t wait);
/* The signal does not come while the thread of that wait sleeps (facts.stuck: when it may not). */
void formula_sleeper(struct formula *f, uint32_t signal, uint32_t wait);
/* The woken names an event that came while its thread slept. */
void formula_woken(struct formula *f, uint32_t event);

void formula_try_fail(struct formula *f, uint32_t event);
void formula_signal(struct formula *f, uint32_t event);
void formula_semaphores(struct formula *f);
void formula_barriers(struct formula *f);

/* formula_reads.c */

/* By event; what has happened before the cone is kept. */
lit formula_keep(struct formula *f, uint32_t read);
lit formula_used(struct formula *f, uint32_t read);
/* The write happens, and writes what was recorded. */
lit formula_known(struct formula *f, uint32_t write);
/* The guard of a branch holds, if it happens. */
void formula_guard(struct formula *f, uint32_t branch);
lit formula_source(struct formula *f, uint32_t read, uint32_t part, uint32_t write);
/* The literal of a source that there is; 0: none. */
lit formula_find_source(const struct formula *f, uint32_t read, uint32_t part, uint32_t write);

/* The writes that part i of a read may see: 0 is what was there before the cone. */
struct formula_writes {
	VEC(uint32_t) at;
};
void formula_writes(const struct formula *f, uint32_t read, uint32_t part,
		    struct formula_writes *writes);

bool formula_is_write(const struct event *e);
/* What the write leaves in the variable; 0: what it holds before the cone. */
int64_t formula_written(const struct formula *f, uint32_t write, uint32_t variable);
/* The last write of the variable before the cone, or 0. */
uint32_t formula_last_writer(const struct formula *f, uint32_t variable);

/* formula_values.c: model `values` */

/* It has an expression that this model evaluates. */
bool formula_evaluates(const struct formula *f, uint32_t event);
/* All reads that the event's expression names are needed. */
lit formula_computed(struct formula *f, uint32_t event);
/* Part of a read returns this value. */
lit formula_value(struct formula *f, uint32_t read, uint32_t part, int64_t value);
/* The same, of one that reads one variable; what it means is not settled yet. */
lit formula_value_later(struct formula *f, uint32_t read, int64_t value);
/* `when` and the source hold: its write gives this value. */
void formula_gives(struct formula *f, lit when, lit source, uint32_t write, int64_t value);
/* What follows from known values for a source whose write has an expression, and for a branch. */
void formula_computed_source(struct formula *f, uint32_t number);
void formula_computed_guard(struct formula *f, uint32_t branch);

/* formula_domains.c: model `values` */

/* Values that variables may have, as far as they are few; before any source or guard. */
void formula_domains(struct formula *f);
/* Those of what a read returns, in its first part. */
const struct domain *formula_domain(const struct formula *f, uint32_t read);
/* The only read that an expression names, in the cone and of one variable; 0: there is none. */
uint32_t formula_only_input(const struct formula *f, uint32_t event);
/* What the expression gives, or leaves in its variable, if its only input is this. */
bool formula_output(const struct formula *f, uint32_t event, int64_t in, int64_t *out);
/* Of a write of one variable with an only input; NULL: it is none. */
const struct outputs *formula_outputs(const struct formula *f, uint32_t write);

#endif
