/* SPDX-License-Identifier: MIT */
/*
 * Prediction: from a trace to certified findings. Candidates of each kind of bug are nominated by
 * signature (predict/candidates.h), the engines are asked about their events, the cheapest
 * first, until one set of these is proved; the certifier has the last word.
 */
#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "base/digest.h"
#include "predict/packed.h"
#include "predict/seen.h"
#include "property/property.h"
#include "search/engine.h"

/* How sure a finding is, in the order in which reports list them. */
enum verdict {
	VERDICT_CONFIRMED,   /* certified, and replayed */
	VERDICT_CERTIFIED,   /* it was not replayed, or cannot be here */
	VERDICT_CONDITIONAL, /* certified by a record that lacks something: undecided */
	VERDICT_COUNT
};

extern const char *const verdict_text[VERDICT_COUNT];

/* What came of running the program along the witness (src/replay). */
struct finding_replayed {
	bool tried;
	bool shown;	  /* then the finding is confirmed */
	bool other_way;	  /* twice, and the recorded schedule can be replayed */
	char *text;	  /* a line: what was shown, or why not; NULL if it was not tried */
	char *follows[3]; /* a line each: how the program ended, for each order; or NULL */
	char *again;	  /* the command to see it again, or NULL */
};

/* The trace of a replayed run, which has what the prediction's own holds back. */
struct evidence {
	struct index *index; /* owned, as the name is */
	char *trace;
	char digest[DIGEST_TEXT];
};

struct finding {
	/*
	 * Certified and made small; bug_events are what it is about. Its run and rest are there
	 * between finding_open and finding_close; packed keeps them.
	 */
	struct witness witness;
	struct packed run, rest;
	const char *engine; /* that proved it */
	uint64_t instances; /* nominated with this signature, at least */
	bool suppressed;
	bool seen;   /* the recorded run had this race or deadlock as well */
	bool relies; /* the trace says that it does not know all (META_RELIES_ON) */
	struct finding_replayed replayed;
	struct evidence *evidence; /* owned; NULL: the trace of the prediction */
};

enum verdict finding_verdict(const struct finding *f);
/* The highest number of an event that the witness needs; while it is open. */
uint64_t finding_last_event(const struct finding *f);

/* Nothing to do if nothing is packed. */
void finding_open(struct finding *f);
void finding_close(struct finding *f);
void finding_release(struct finding *f);
/* Which one its witness breaks; NULL: it is of another kind. */
void finding_set_property(struct finding *f, const struct property *property);

/* Some events, to name them: of many the first ones. */
#define EVENT_SET_MAX 8

struct event_set {
	uint32_t count;
	uint64_t at[EVENT_SET_MAX];
};

/* A candidate that was neither proved nor refuted within the budget. */
struct undecided {
	enum bug_kind bug;
	struct event_set closest; /* none: there are candidates that were not even found */
	char why[160];
	const struct property *property; /* the assertion; NULL: it is none */
};

/* What became of the candidates of one kind of bug, beside findings and undecided. */
struct kind_counts {
	bool asked_for;
	uint64_t signatures; /* candidates: findings, refuted, undecided and not looked at */
	uint64_t refuted;
};

/* What one engine did. */
struct tier {
	const char *engine;
	uint64_t asked, proved, refuted, undecided;
	double seconds;
};

/*
 * A branch or write whose dependence the record could not follow, and that holds candidates back
 * (predict/blame.h).
 */
struct blamed {
	uint32_t event;	     /* the first such one of its place */
	uint64_t candidates; /* that it holds back, alone or with others */
	uint64_t alone;
};

/* What came of replaying candidates that are held back. */
struct second_chance {
	bool asked_for;
	uint64_t tried, confirmed;
	uint64_t left; /* for which there was no time */
	char why[300]; /* the program cannot be replayed here, and why; or "" */
};

#define TIERS_MAX 4

struct prediction {
	const struct index *index;
	const struct properties *properties; /* the caller's, as the options have them */
	enum model model;
	struct seen_list seen; /* what the recorded run itself did wrong */
	/* by their verdicts, their kinds, and then by their events */
	VEC(struct finding) findings;
	VEC(struct undecided) undecided; /* likewise */
	/*
	 * Refuted only because of dependences that the record could not follow, each with a
	 * schedule that would be possible without these; it is not certified (second_look.h).
	 */
	VEC(struct finding) held;
	uint64_t not_asked_again;    /* refuted, and it is not known whether only because of that */
	VEC(struct blamed) why;	     /* if it was asked for: the most costly first */
	struct second_chance second; /* of those held back, if they were replayed */
	struct kind_counts kinds[BUG_COUNT];
	struct tier tiers[TIERS_MAX];
	uint32_t tier_count;
	bool interrupted; /* some candidates were not looked at, or not to the end, since */
	bool out_of_time; /* … the time for all was used up; else somebody said stop */
	/* Nothing was done, since there are candidates and the index is bare (model/index.h). */
	bool needs_all;
	double seconds;
};

/* Opens the trace from its start, for the certifier; NULL and err if that fails. */
typedef struct reader *predict_open(void *context, struct err *err);
/* So many of all candidates are done. */
typedef void predict_progress(void *context, uint64_t done, uint64_t all, uint64_t proved);

/* All that was done for one candidate (predict/search.h). */
struct search_result;
typedef void predict_told(void *context, enum bug_kind bug, const struct search_result *r);
/* Proved and certified, as soon as it is. */
typedef void predict_found(void *context, const struct finding *f);

/* Locations as texts, "" for an event that has none; in any order. */
struct places_asked {
	uint32_t count;
	const char *at[EVENT_SET_MAX];
};

struct predict_options {
	enum model model;
	uint32_t bugs;	      /* BUG_BIT of each kind that is looked for */
	struct budget budget; /* for each candidate */
	double deadline;      /* of all, base/seconds.h; 0: none. Then each has its share of it */
	uint32_t jobs;	      /* processes that search */
	const char *solver;   /* the engine behind greedy; or a command that speaks SMT-LIB 2 */
	bool no_greedy;
	bool why; /* fill prediction.why */
	/* Of all candidates only those whose events are at these places; and no second look. */
	const struct places_asked *only;     /* NULL: all */
	const struct properties *properties; /* for BUG_PROPERTY; NULL: there are none */
	bool infer;	      /* for BUG_ATOMICITY: regions that nobody has said, too */
	uint32_t cone;	      /* as in engine_options */
	const char *dump;     /* likewise */
	uint64_t order_bytes; /* what orders may hold before they forget; 0: all */
	predict_open *open;
	predict_progress *progress; /* or NULL */
	predict_told *told;	    /* or NULL */
	predict_found *found;	    /* or NULL */
	void *context;		    /* of all of them */
};

/*
 * Negative: nothing could be done (and err says why). ERR_INTERNAL: the certifier rejects
 * what an engine has proved, so one of them is wrong, and there are no findings.
 */
int predict(const struct index *index, const struct predict_options *options,
	    struct prediction *result, struct err *err);
/* By their verdicts, and else as they were: when they have been replayed. */
void prediction_sort(struct prediction *p);
void prediction_release(struct prediction *p);

#endif
