/* SPDX-License-Identifier: MIT */
/* What a hunt has found: failures of runs, each kind once, and what prediction finds in traces. */
#ifndef CMD_HUNT_FINDINGS_H
#define CMD_HUNT_FINDINGS_H

#include "cmd/options.h"
#include "hunt/run/hunter.h"

struct hunt_finding {
	struct failure failure; /* FAILURE_NONE: it was predicted, and `report` says what */
	uint64_t number;	/* of the trace, with the shortest run */
	uint64_t runs;		/* made when it was first found */
	uint64_t times;
	uint32_t steps;
	char *choice, *errors, *report;
	uint64_t reported; /* the trace that the report is about */
};

/* A prediction from a trace that is under way, or waits to be taken. */
struct hunt_prediction {
	char *trace, *choice;
	uint64_t number, runs; /* as in hunter_run */
	uint32_t steps;
	size_t finding; /* the failure of the same run; SIZE_MAX: there is none */
	size_t known;	/* bytes of the file of known findings when it began */
	int place;	/* of its process (base/spawn.h) */
};

struct hunt_findings {
	const char *directory;
	const char *check;
	bool compare_output, predicts;
	bool json, page; /* the result is JSON; there is a page. Then reports of predictions are
			    JSON */
	const struct option_list *bugs, *properties, *suppressions;
	bool terminal, at_once; /* at_once: whoever looks wants to know what is predicted */
	uint32_t jobs;		/* predictions at the same time */
	double deadline;	/* base/seconds.h; 0: none */
	VEC(struct hunt_finding) at;
	VEC(struct hunt_prediction) predictions; /* in the order of their runs */
	uint64_t undecided;			 /* predictions that left something open */
	uint64_t unpredicted;			 /* traces for which there was no time */
	char *first_output;			 /* of the first run */
};

/* As hunter_options.look; context: struct hunt_findings. */
int hunt_findings_look(void *context, struct hunter_run *run, struct err *err);
/* Takes the predictions that are under way. They are all there before anything is put. */
int hunt_findings_settle(struct hunt_findings *f, struct err *err);
/* hunt_predict.c: begins one, and takes those before it for which there is no room. */
int hunt_predict(struct hunt_findings *f, struct hunter_run *run, size_t finding, struct err *err);
/* Of a report as text, the findings; not the counts behind them. */
void hunt_cut_counts(char *report);
void hunt_findings_put(const struct hunt_findings *f, struct output *out);
/* hunt_json.c: the whole result; `complete`: nothing is open, in predictions neither. */
void hunt_findings_put_json(const struct hunt_findings *f, const struct hunter_result *r,
			    bool complete, const char *version, struct output *out);
void hunt_findings_release(struct hunt_findings *f);

/* hunt_page.c: a report that is JSON as text; the caller frees it. */
char *hunt_report_text(const char *report);
int hunt_page_write(const struct hunt_findings *f, const struct hunter_result *r, bool complete,
		    const char *path, struct err *err);

#endif
