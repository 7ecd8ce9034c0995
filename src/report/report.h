/* SPDX-License-Identifier: MIT */
/*
 * Reports: what a prediction found, for people (text), for programs (json, norn-report(5)), for
 * code scanning (sarif, gitlab), test reports (junit), editors (lines) and viewers of traces
 * (perfetto). A new kind is a new file and a row of report_kinds.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/output.h"
#include "predict/predict.h"

struct suppressions;

struct report_options {
	const char *trace;   /* its name */
	const char *digest;  /* json: of its file, base/digest.h; NULL: it is none */
	const char *version; /* of Norn */
	const char *root;    /* files below it are named from there; NULL: as recorded */
	const struct suppressions *suppressions; /* NULL: none were given */
	int exit_status;			 /* that the command will end with */
	bool colour;				 /* text */
	uint64_t most;	  /* text: findings, of merged reports groups of them; 0: all */
	const char *hunt; /* html: the JSON of the hunt that the reports are of; NULL: of none */
};

struct merged;

/*
 * write: of a prediction, what says more than the JSON report; NULL: it is rendered from that.
 * render: of JSON reports; NULL: there is none.
 */
struct report_kind {
	const char *name, *title;
	void (*write)(const struct prediction *p, const struct report_options *o,
		      struct output *out);
	void (*render)(const struct merged *m, const struct report_options *o, struct output *out);
};

extern const struct report_kind report_text, report_json, report_sarif, report_junit, report_gitlab,
	report_lines, report_html, report_perfetto;

/* Those that are rendered come first. */
extern const struct report_kind *const report_kinds[];
extern const size_t report_kind_count;

const struct report_kind *report_by_name(const char *name);
void report_write(const struct report_kind *kind, const struct prediction *p,
		  const struct report_options *options, struct output *out);

/* The file below the root as it is from there, others as they were recorded. */
const char *report_file(const char *root, const char *file);

#endif
