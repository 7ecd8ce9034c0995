/* SPDX-License-Identifier: MIT */
/*
 * Engines: each takes a query, "is there a feasible execution with this bug at its end?",
 * and answers it. A new engine is a new file and a row of engine_kinds. PROVED comes with
 * a witness, for the certifier to judge; REFUTED is said only if no execution of the whole
 * trace can show the bug; all else is UNDECIDED.
 */
#ifndef SEARCH_ENGINE_H
#define SEARCH_ENGINE_H

#include "base/budget.h"
#include "model/causes.h"
#include "model/index.h"
#include "witness/witness.h"

/*
 * A race: its two accesses. (A deadlock: the acquires, as in the witness format.) Stuck: some
 * events, perhaps none; is there a stuck state in which threads wait at all of these? A property:
 * none, and it is in the options; or, for engine_order, pairs: A B, both happen and A comes
 * first; 0 B, B happens; A 0, A does not. Is there such an execution? Atomicity: the three accesses
 * in the order of the violation.
 */
struct query {
	enum bug_kind bug;
	uint32_t count;
	const uint32_t *events;
};

enum answer { UNDECIDED, PROVED, REFUTED, ANSWER_COUNT };

extern const char *const engine_answer_text[ANSWER_COUNT];

#define ENGINE_BEFORE INT32_MIN

struct engine_options {
	enum model model;
	struct monitor *monitor; /* of the property that is asked about next; NULL: none */
	/*
	 * What else engine_order is asked for: clauses, each ended by 0, of events that happen
	 * (or, negative, do not). ENGINE_BEFORE and two events: if both happen, the first one does
	 * before the other. clause_words of them, zeros too.
	 */
	const int32_t *clauses;
	size_t clause_words;
	struct budget budget;
	double deadline; /* for what is made before the first question, by seconds_now(); 0: none */
	bool endless;	 /* engine_order: who waits without an end in the trace sleeps to the end */
	bool plain;	 /* there will be no question */
	bool refute_only;    /* at once, or not at all: nothing is looked for */
	uint32_t cone;	     /* events in one attempt of the solver; 0: as it likes */
	const char *command; /* engines that ask another program: how to start it; NULL: cvc5 */
	const char *dump;    /* engines that write their queries: the directory, or NULL */
};

struct engine_kind;

/* What the last question took, where an engine counts it. */
struct engine_effort {
	uint64_t decisions, conflicts;
	uint32_t cone; /* events of the largest part of the trace that was looked at; 0: no part */
};

/* What all engines start with; they keep the options, and the index, which outlives them. */
struct engine {
	const struct engine_kind *kind;
	const struct index *index;
	struct engine_options options;
	struct err why; /* of the last UNDECIDED: what was in the way, for people */
	struct engine_effort effort;
};

struct engine_kind {
	const char *name, *title;
	uint32_t bugs; /* BUG_BIT of each kind that it can be asked about */
	/* NULL and err if the engine cannot work at all (its solver is not installed). */
	struct engine *(*start)(const struct index *index, const struct engine_options *options,
				struct err *err);
	/*
	 * PROVED: fills w, which starts as zero; its events may be more than are needed. Of bugs
	 * that are about all threads, or events in the run, the run is spelled out in the end.
	 */
	enum answer (*ask)(struct engine *e, const struct query *q, struct witness *w);
	/* Forgets what was learned: answers no longer depend on earlier queries. NULL: nothing is.
	 */
	void (*forget)(struct engine *e);
	void (*finish)(struct engine *e);
};

extern const struct engine_kind engine_explore, engine_greedy, engine_solver, engine_z3, engine_smt;
/* For properties alone: none of engine_kinds, from which users choose. The second helps the first.
 */
extern const struct engine_kind engine_monitor, engine_order;

extern const struct engine_kind *const engine_kinds[];
extern const size_t engine_kind_count;

const struct engine_kind *engine_by_name(const char *name);

/* "race 3 9", for people; as much of it as fits. */
#define ENGINE_QUERY_TEXT 100
const char *engine_query_text(const struct query *q, char text[ENGINE_QUERY_TEXT]);

struct engine *engine_start(const struct engine_kind *kind, const struct index *index,
			    const struct engine_options *options, struct err *err);
enum answer engine_ask(struct engine *e, const struct query *q, struct witness *w);
void engine_forget(struct engine *e);
void engine_finish(struct engine *e);
/* For the questions of an engine; NULL: that would leave too little time or memory for them. */
struct causes *engine_causes(const struct index *index, const struct needs *needs,
			     const struct engine_options *options);

#endif
