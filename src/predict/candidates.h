/* SPDX-License-Identifier: MIT */
/*
 * Candidates: what may be a bug, and the sets of events behind each. A kind of bug is a row of
 * predict_kinds: it nominates candidates, up to signature, and for each it can list its
 * *instances*, that is the events which the engines are asked about. All else (search, workers,
 * counts, reports) goes by candidates and instances, whatever the kind.
 */
#ifndef PREDICT_CANDIDATES_H
#define PREDICT_CANDIDATES_H

#include "predict/predict.h"

struct candidate {
	uint32_t kind;	 /* a row of struct candidates */
	uint32_t number; /* as its kind counts them */
	bool pruned;	 /* refuted already */
	struct event_set first;
	uint64_t instances; /* there are, at least */
};

/* events[first] … events[first + count - 1], in the order of a query (search/engine.h) */
struct instance {
	size_t first;
	uint32_t count;
	uint32_t spread; /* from its first to its last event in the trace */
};

struct instances {
	VEC(uint32_t) events;
	VEC(struct instance) at; /* the closest first */
	bool all;		 /* there are no others */
};

/* The room of one kind, while it nominates and later. */
struct nominated {
	const struct predict_kind *kind;
	void *data;	     /* the kind's own */
	const char *missing; /* not all candidates were found, and why; NULL: they were */
	bool idle;	     /* it is about nothing in this trace, and nobody asked for it */
};

struct candidates {
	const struct index *index;
	VEC(struct candidate) all; /* kind by kind, each by their first events */
	struct nominated kinds[BUG_COUNT];
	uint32_t kind_count;
};

struct predict_kind {
	enum bug_kind bug;
	const char *help;
	const char *instance; /* what one is called, for counts of them */
	char between;	      /* the numbers of its events, in the names of files */
	bool by_default;
	/* Calls candidates_add for each; kind: its place in c->kinds. */
	int (*nominate)(struct candidates *c, uint32_t kind, const struct predict_options *o,
			struct err *err);
	/* At most `most` of them, by instances_add; out->all is true so far. */
	void (*list)(const struct candidates *c, const struct candidate *candidate, size_t most,
		     struct instances *out);
	/* What a candidate asks of the marks; NULL: it is about its events. */
	const struct property *(*property)(const struct candidates *c,
					   const struct candidate *candidate);
	void (*release)(void *data);
	/* At the end of each look, findings sorted: what tells the same is told once. NULL: nothing
	 * does. */
	void (*merge)(struct prediction *p);
};

/* A new kind of bug is a new file and a row of the table in candidates.c. */
extern const struct predict_kind predict_races, predict_deadlocks, predict_stuck,
	predict_properties, predict_atomicity;

extern const struct predict_kind *const predict_kinds[];
extern const size_t predict_kind_count;

/* NULL: it is not predicted. */
const struct predict_kind *predict_kind_of(enum bug_kind bug);
/* As predict_options.bugs has them. */
uint32_t predict_default_bugs(void);

/* Those that the options name; c is filled also on failure. */
int candidates_init(struct candidates *c, const struct index *index,
		    const struct predict_options *o, struct err *err);
/* Some are to be searched. */
bool candidates_have_work(const struct candidates *c);
void candidates_release(struct candidates *c);
/* What of the result tells the same. */
void candidates_merge(const struct candidates *c, struct prediction *p);
void candidates_add(struct candidates *c, uint32_t kind, struct candidate candidate);

/* Refills out, which starts as zero. */
void candidates_list(const struct candidates *c, const struct candidate *candidate, size_t most,
		     struct instances *out);
enum bug_kind candidate_bug(const struct candidates *c, const struct candidate *candidate);
/* NULL: it is none. */
const struct property *candidate_property(const struct candidates *c,
					  const struct candidate *candidate);

void instances_add(struct instances *out, const uint32_t *events, uint32_t count);
void instances_release(struct instances *out);

#endif
