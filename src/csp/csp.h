/* SPDX-License-Identifier: MIT */
/*
 * CSP_M, the language of FDR: scripts are read, their types checked, their processes made into
 * labelled transition systems, and their assertions decided.
 *
 *	struct csp *csp = csp_new(&limits);
 *	csp_read(csp, "prelude", text, size, NULL, &err);   what is given from outside, if anything
 *	csp_read_file(csp, path, &err);
 *	csp_check(csp, &err);                               names and types
 *	csp_assertion_decide(csp, i, &answer, &err);
 *	csp_free(csp);
 *
 * All that is returned lives until csp_free. A function that fails returns a negative code and says
 * where and why: ERR_INPUT with file, line and column, or ERR_LIMIT. Limits hold for all that one
 * struct csp does; depth is limited by the stack.
 */
#ifndef CSP_CSP_H
#define CSP_CSP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct csp;
struct csp_process; /* the same state is the same pointer */

/* 0: none. */
struct csp_limits {
	uint64_t states; /* of one assertion or system */
	uint64_t bytes;
};

struct csp *csp_new(const struct csp_limits *limits);
void csp_free(struct csp *csp);

/*
 * Adds declarations. A name that an earlier text declares is hidden by a later one. Files that the
 * text includes are looked for beside `path`; with NULL there are none.
 */
int csp_read(struct csp *csp, const char *name, const char *text, size_t size, const char *path,
	     struct err *err);
int csp_read_file(struct csp *csp, const char *path, struct err *err);

/*
 * A process that is not written in CSP_M: state 0 to begin with. `steps` calls emit for each step
 * of a state; an event is one of csp_event or CSP_TAU or CSP_TICK (after which it has ended).
 * The channels that were read before are its own.
 */
typedef void csp_emit(void *to, uint32_t event, uint64_t state);
typedef void csp_outside_steps(void *context, uint64_t state, csp_emit *emit, void *to);
int csp_declare_process(struct csp *csp, const char *name, csp_outside_steps *steps, void *context,
			struct err *err);

/*
 * Before csp_check. A value that a channel of an outside process does not carry is no error then:
 * events with it never happen, so that none offers them. That is right for assertions about traces;
 * one about failures could insist on such an event.
 */
void csp_leave_out(struct csp *csp);

/* Names and types of all that was read; once, before what follows. */
int csp_check(struct csp *csp, struct err *err);

enum csp_model { CSP_TRACES, CSP_FAILURES, CSP_FAILURES_DIVERGENCES };
enum csp_property {
	CSP_REFINES,
	CSP_DEADLOCK_FREE,
	CSP_DIVERGENCE_FREE,
	CSP_DETERMINISTIC,
	CSP_HAS_TRACE,
	CSP_PRINT /* no assertion: an expression to be shown */
};

/* Why an assertion does not hold, at the end of the trace of a csp_answer. */
enum csp_failure {
	CSP_NO_FAILURE,
	CSP_TRACE,    /* its last event is not allowed */
	CSP_REFUSAL,  /* less is accepted than has to be */
	CSP_DEADLOCK, /* nothing is accepted */
	CSP_DIVERGENCE,
	CSP_NONDETERMINISM, /* the last event may be refused as well */
	CSP_TRACE_MISSING,  /* no such trace, from the last event on */
};

struct csp_answer {
	bool holds; /* with `not` applied */
	enum csp_failure failure;
	const uint32_t *trace;
	size_t trace_length;
	const uint32_t *path; /* the trace with what is hidden in it, as far as it has names */
	size_t path_length;
	const uint32_t *accepted; /* by the implementation, in the state that fails */
	size_t accepted_count;
	const uint32_t *allowed; /* by the specification there, after the trace (without its last
				    event if that is what is wrong) */
	size_t allowed_count;
	const struct csp_process *specification, *implementation; /* where they stood; or NULL */
	uint64_t states;					  /* pairs that were looked at */
};

struct csp_assertion {
	const char *text; /* as it stands in the script, in one line */
	const char *file;
	unsigned line, column;
	enum csp_property property;
	enum csp_model model;
	bool negated;
};

size_t csp_assertion_count(const struct csp *csp);
struct csp_assertion csp_assertion(const struct csp *csp, size_t i);
int csp_assertion_decide(struct csp *csp, size_t i, struct csp_answer *answer, struct err *err);
/* As if the assertion said this model. */
int csp_assertion_decide_in(struct csp *csp, size_t i, enum csp_model model,
			    struct csp_answer *answer, struct err *err);
/*
 * The processes of an assertion: of a refinement both, of others the left one alone (then the right
 * is NULL).
 */
int csp_assertion_sides(struct csp *csp, size_t i, struct csp_process **left,
			struct csp_process **right, struct err *err);
/* The value behind `print`, as text. */
int csp_print(struct csp *csp, size_t i, const char **text, struct err *err);

/* Events are numbers. */
#define CSP_TAU 0
#define CSP_TICK 1
#define CSP_NO_EVENT UINT32_MAX
const char *csp_event_text(struct csp *csp, uint32_t event); /* `c.1.2`, `tau`, `tick` */
/* An expression such as `c.1.2` as an event. */
int csp_event(struct csp *csp, const char *text, uint32_t *event, struct err *err);

struct csp_step {
	uint32_t event;
	struct csp_process *to;
};

/* The process that an expression stands for. */
int csp_process(struct csp *csp, const char *text, struct csp_process **process, struct err *err);
/* Valid until the next call. */
int csp_process_steps(struct csp *csp, struct csp_process *process, const struct csp_step **steps,
		      size_t *count, struct err *err);
/*
 * The same process with what csp_declare_process declared in another state, where that is under
 * way. A copy that has not begun, as in `P ; PROGRAM`, stays in state 0, which is that of the
 * beginning. *count: how many are under way. More than one is for the caller to reject: which of
 * them would it be? So is one in chase or prioritise, which ask for all that it could do.
 */
#define CSP_OUTSIDE_MASKED 0x80000000u
int csp_process_set_outside(struct csp *csp, struct csp_process *process, uint64_t state,
			    struct csp_process **set, uint32_t *count, struct err *err);
/* The state that it is in; UINT64_MAX: it is not under way. */
uint64_t csp_process_outside_state(struct csp *csp, struct csp_process *process);
/*
 * Is it two processes in parallel that share the events of a set (`|||`: none)? Then these; and do
 * they share an event?
 */
bool csp_process_parallel(struct csp *csp, struct csp_process *process, struct csp_process **left,
			  struct csp_process **right);
bool csp_process_shares(const struct csp_process *parallel, uint32_t event);
/* It has ended: nothing follows. */
bool csp_process_ended(const struct csp_process *process);
/* `P(1, <>)` if it is how a definition begins; NULL otherwise. */
const char *csp_process_name(struct csp *csp, const struct csp_process *process);
/* `FILE(0) ||| in OPENED(1)`: names, parts of what they name, and operators between them. */
const char *csp_process_text(struct csp *csp, const struct csp_process *process);

/*
 * A specification as a deterministic automaton, made as far as it is asked for. A node stands for
 * the states that a trace may lead to. CSP_NODE_NONE: the trace is not one of the process.
 */
struct csp_normal;
#define CSP_NODE_NONE UINT32_MAX

int csp_normal_new(struct csp *csp, struct csp_process *process, enum csp_model model,
		   struct csp_normal **normal, struct err *err);
void csp_normal_free(struct csp_normal *normal);
/* The first node is 0. */
int csp_normal_after(struct csp_normal *normal, uint32_t node, uint32_t event, uint32_t *after,
		     struct err *err);
int csp_normal_initials(struct csp_normal *normal, uint32_t node, const uint32_t **events,
			size_t *count, struct err *err);
/*
 * Does a stable state of an implementation that offers these events, ascending, refuse no more than
 * the node allows? ends: it may end. The automaton is one of failures.
 */
int csp_normal_allows(struct csp_normal *normal, uint32_t node, const uint32_t *events,
		      size_t count, bool ends, bool *allows, struct err *err);
/* One of the states that the node stands for. */
struct csp_process *csp_normal_state(const struct csp_normal *normal, uint32_t node);

/* All states of a process in the format of Aldebaran: `des (0, STEPS, STATES)`. */
struct output;
int csp_write_aut(struct csp *csp, struct csp_process *process, struct output *out,
		  struct err *err);

#endif
