/* SPDX-License-Identifier: MIT */
/* The result of a hunt as JSON: norn-report(5), Hunts. */
#include "cmd/hunt_findings.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define HUNT_REPORT_VERSION 1

static void put_path(struct json *json, const char *key, const struct hunt_findings *f,
		     uint64_t number, const char *ending)
{
	char path[PATH_MAX + 40];

	snprintf(path, sizeof(path), "%s/%llu.%s", f->directory, (unsigned long long)number,
		 ending);
	json_string(json, key, path);
}

static void put_finding(struct json *json, const struct hunt_findings *f,
			const struct hunt_finding *h)
{
	bool failed = h->failure.kind != FAILURE_NONE;

	json_open(json, NULL, '{');
	json_string(json, "kind", failed ? failure_kind_text[h->failure.kind] : "predicted");
	if (failed)
		json_string(json, "text", h->failure.text);
	json_u64(json, "run", h->runs);
	json_u64(json, "times", h->times);
	put_path(json, "trace", f, h->number, "norn");
	if (h->choice && *h->choice)
		json_string(json, "choice", h->choice);
	if (h->report)
		put_path(json, "report", f, h->reported, "report");
	json_close(json, '}');
}

static void put_open(struct json *json, const struct hunt_counts *c)
{
	json_open(json, "open", '{');
	json_u64(json, "undecided", c->undecided);
	json_u64(json, "given_up", c->given_up);
	json_u64(json, "not_reached", c->waiting);
	json_close(json, '}');
}

void hunt_findings_put_json(const struct hunt_findings *f, const struct hunter_result *r,
			    bool complete, const char *version, struct output *out)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "format", "norn-hunt");
	json_u64(&json, "version", HUNT_REPORT_VERSION);
	json_string(&json, "norn", version);
	json_string(&json, "directory", f->directory);
	json_bool(&json, "complete", complete);
	json_bool(&json, "interrupted", r->stopped);
	json_bool(&json, "out_of_time", r->out_of_time);
	json_bool(&json, "out_of_runs", r->out_of_runs);
	json_u64(&json, "runs", r->runs);
	json_u64(&json, "behaviours", r->behaviours);
	put_open(&json, &r->counts);
	json_open(&json, "doubts", '[');
	for (size_t i = 0; i < r->doubts.n; i++)
		json_string(&json, NULL, r->doubts.at[i]);
	json_close(&json, ']');
	json_u64(&json, "unseen_waits", r->lost);
	json_u64(&json, "predictions_open", f->undecided + f->unpredicted);
	json_open(&json, "findings", '[');
	for (size_t i = 0; i < f->at.n; i++)
		put_finding(&json, f, &f->at.at[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	output_char(out, '\n');
}
