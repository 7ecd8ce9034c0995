/*
 * Prediction: from a trace to certified findings. Candidates are nominated by signature (the
 * unordered pair of source locations), the engines are asked about their pairs, the cheapest
 * first, until one is proved; the certifier has the last word.
 */
#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "search/engine.h"

struct finding {
	struct witness witness; /* certified and made small; bug_events are its accesses */
	const char *engine;	/* that proved it */
	uint64_t pairs;		/* nominated with this signature, at least */
	bool suppressed;
};

/* A candidate that was neither proved nor refuted within the budget. */
struct undecided {
	uint64_t a, b; /* the closest pair of the signature */
	char why[160];
};

/* What one engine did. */
struct tier {
	const char *engine;
	uint64_t asked, proved, refuted, undecided;
	double seconds;
};

#define TIERS_MAX 4

struct prediction {
	const struct index *index;
	enum model model;
	VEC(struct finding) findings; /* by their events */
	VEC(struct undecided) undecided;
	uint64_t signatures; /* candidates = findings + refuted + undecided */
	uint64_t refuted;
	struct tier tiers[TIERS_MAX];
	uint32_t tier_count;
	bool interrupted; /* some candidates were not looked at */
	double seconds;
};

#endif
