/* SPDX-License-Identifier: MIT */
/*
 * Every pair of events that races, every set that deadlocks, or every event at which a thread may
 * wait forever, of a small trace. An analysis either searches, and then each finding has a witness,
 * which nobody has certified yet; or it is an order, which proves nothing.
 */
#ifndef PREDICT_PAIRS_H
#define PREDICT_PAIRS_H

#include "search/engine.h"
#include "search/explore/explore.h"

struct pairs;

struct pairs_analysis {
	const char *name, *help;
	int (*find)(struct pairs *p, struct err *err); /* fills p->found, in order */
	enum model model;
	bool takes_model; /* another one may be asked for */
	bool proves;	  /* each finding has a witness */
	char between;	  /* the numbers of a finding */
};

/* False: there are no more. */
bool pairs_analysis_at(size_t i, struct pairs_analysis *analysis);

struct pairs_finding {
	size_t first, count; /* its events stand in numbers[first…], ascending */
	const struct witness *witness;
};

struct pairs {
	struct pairs_analysis analysis;
	const struct index *index;
	enum model model;
	const struct engine_kind *engine;
	struct explore_limits limits; /* bytes: for all that it finds, too */

	VEC(struct pairs_finding) found;
	VEC(uint64_t) numbers;
	struct explore_result explored; /* owns the witnesses, or */
	VEC(struct witness *) proved;
};

/* What stands above `found` is set. 0, or ERR_LIMIT: undecided, or more than the limits allow. */
int pairs_find(struct pairs *p, struct err *err);
void pairs_release(struct pairs *p);

/* "3-10"; the caller frees it. */
char *pairs_finding_name(const struct pairs *p, const struct pairs_finding *f);

#endif
