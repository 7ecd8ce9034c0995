/* SPDX-License-Identifier: MIT */
/*
 * Reports as one: each finding once, by its fingerprint, with the reports that have it. What is
 * rendered (report_kind) is made of JSON reports alone, norn-report(5), so that it is the same
 * whether the prediction was just made or is read from files.
 */
#ifndef REPORT_MERGED_H
#define REPORT_MERGED_H

#include "base/intern.h"
#include "base/json_tree.h"

struct report_options;

#define REPORT_VERSION 3 /* of the JSON that is written */

struct merged_source {
	const char *name; /* of the test, or the trace */
	const struct json_node *root;
};

/* Against a baseline. */
enum merged_state { STATE_NONE, STATE_NEW, STATE_KNOWN };
extern const char *const merged_state_text[];

struct merged_finding {
	const struct json_node *node; /* as the report has it that says most of it */
	uint32_t best;		      /* which that is */
	bool seen;		      /* a bug of the recorded run itself: of the member `seen` */
	bool suppressed;	      /* in every report that has it */
	enum merged_state state;
	VEC(uint32_t) sources; /* ascending */
};

struct merged {
	VEC(struct merged_source) sources;
	VEC(struct merged_finding)
	findings; /* those seen first, then by verdict, after merged_end */
	/* Of a baseline, those that no report has: {title, fingerprint} as they were there. */
	VEC(const struct json_node *) gone;
	bool compared; /* with a baseline */
	struct intern fingerprints;
	struct arena text;
};

/* Adds a report, of a merged one all that it was made of; its text, of which data[size] is a NUL,
 * may go then. The error has no name. */
int merged_add(struct merged *m, const char *name, const char *data, size_t size, struct err *err);
/* What is in this report is known, the rest is new. Behind the last merged_add. */
int merged_compare(struct merged *m, const char *data, size_t size, struct err *err);
/* Behind the last of both. */
void merged_end(struct merged *m);
void merged_release(struct merged *m);

/* "seen", "confirmed", "certified", "conditional" */
const char *merged_verdict(const struct merged_finding *f);
/* Whether every report is complete. */
bool merged_complete(const struct merged *m);
/* Whether it counts as a bug: neither suppressed nor conditional nor known. */
bool merged_counts(const struct merged_finding *f);
bool merged_has(const struct merged_finding *f, uint32_t source);

/* Where it is, and what it is in one line; of the finding's node. */
struct merged_place {
	const char *file; /* "": nowhere */
	uint64_t line, column;
	const char *function; /* or "" */
};

typedef VEC(char) merged_text;

/* Its events, or the steps of what was seen. */
const struct json_node *merged_events(const struct merged_finding *f);
/* Of an event. */
struct merged_place merged_place_of(const struct json_node *event);
/* The calls that it was made in, locations as text, the innermost first; NULL: none are known. */
const struct json_node *merged_callers(const struct json_node *event);
/* Of one of them; the file is in `text`. */
struct merged_place merged_place_of_caller(const struct json_node *caller, merged_text *text);
/* Of the first event that has one. */
struct merged_place merged_place_of_finding(const struct merged_finding *f);
/* "norn/data-race" */
void merged_rule(const struct merged_finding *f, merged_text *text);
/* "data race on x"; both with a NUL behind them. */
void merged_title(const struct merged_finding *f, merged_text *text);
/* "write of x by thread t1" */
void merged_describe(const struct json_node *event, merged_text *text);
/* Of each finding its group, alike.h. */
void merged_number_groups(const struct merged *m, uint32_t *groups);
void merged_append(merged_text *text, const char *more);
/* " at FILE:LINE"; nothing if there is none. */
void merged_append_place(merged_text *text, const char *root, struct merged_place place);

/* The kinds text and json. */
void merged_put_text(const struct merged *m, const struct report_options *o, struct output *out);
void merged_put_json(const struct merged *m, const struct report_options *o, struct output *out);

#endif
