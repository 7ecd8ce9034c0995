/* SPDX-License-Identifier: MIT */
/* `norn predict` on a trace, and what its report says; for tests and benches. */
#ifndef SUPPORT_PREDICTED_H
#define SUPPORT_PREDICTED_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define PREDICTED_TIERS_MAX 8
#define PREDICTED_PLACE_MAX 64

struct predicted_finding {
	char engine[16];
	char bug[16];
	char places[2][PREDICTED_PLACE_MAX]; /* of the first two events */
	uint32_t events;
	uint64_t witness; /* events in it */
};

struct predicted_tier {
	char engine[16];
	uint64_t asked, proved, refuted, undecided;
	double seconds;
};

struct predicted {
	int status;    /* exit status; negative: killed by that signal, or it ran too long */
	bool readable; /* the report is whole */
	double seconds, mebibytes; /* of the whole command, all its processes */
	double processor;	   /* seconds of it, on all processors: machines are busy */
	double report;		   /* mebibytes of the report */
	uint64_t candidates, refuted, undecided;
	VEC(struct predicted_finding) findings;
	struct predicted_tier tiers[PREDICTED_TIERS_MAX];
	uint32_t tier_count;
};

/* Is there a `norn predict` at all? */
bool predicted_possible(void);

/*
 * Runs $NORN predict --json with these further arguments (NULL at their end), for at most so
 * many seconds (0: no limit). The report goes to a file beside the trace, and away again.
 */
void predicted_run(struct predicted *p, const char *trace, const char *const *arguments,
		   unsigned limit);
void predicted_release(struct predicted *p);

/* The tier of that engine, or NULL. */
const struct predicted_tier *predicted_tier(const struct predicted *p, const char *engine);

/* Against what planted.h planted: of `items` races, those of the model. */
struct planted_score {
	uint32_t there, found, missed;
	uint32_t wrong;			  /* findings that are none of them */
	uint32_t by[PREDICTED_TIERS_MAX]; /* found, by tier */
	uint32_t first_missed;		  /* the number of a race, if any was missed */
};

struct planted_score planted_judge(const struct predicted *p, uint32_t items, int model);

#endif
