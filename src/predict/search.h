/* SPDX-License-Identifier: MIT */
/* The search for one candidate: its instances, the closest first; the engines, the cheapest. */
#ifndef PREDICT_SEARCH_H
#define PREDICT_SEARCH_H

#include "predict/candidates.h"

struct searcher;

/* sift: it is to be able to. NULL and err if an engine cannot work at all. */
struct searcher *searcher_new(const struct candidates *candidates,
			      const struct predict_options *options, bool sift, struct err *err);
void searcher_free(struct searcher *s);

struct search_result {
	enum answer answer;
	struct witness witness;	      /* PROVED */
	struct packed run, rest;      /* of the witness, once it is certified */
	uint32_t tier;		      /* the engine that proved it */
	struct event_set closest;     /* of its instances */
	char why[160];		      /* UNDECIDED */
	bool wrong_script;	      /* why: a script cannot be evaluated, and where */
	struct tier tiers[TIERS_MAX]; /* what was done for this candidate */
	struct engine_effort efforts[TIERS_MAX];
	char gave_up[TIERS_MAX][160]; /* why, of the last instance that an engine left undecided */
	uint32_t tier_count;
};

void search_candidate(struct searcher *s, const struct candidate *candidate,
		      struct search_result *result);
/* What is impossible at once is refuted, and the rest left undecided. */
void search_sift(struct searcher *s, const struct candidate *candidate,
		 struct search_result *result);

void search_result_release(struct search_result *r);
/* What the result owned is somebody else's now. */
void search_result_disown(struct search_result *r);

#endif
