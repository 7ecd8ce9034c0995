/* SPDX-License-Identifier: MIT */
/* Merged reports as one JSON report, norn-report(5), which can be read again. */
#include "report/merged.h"
#include "report/report.h"

#include <string.h>

static void put_report(struct json *json, const struct merged_source *s)
{
	static const char *const keys[] = {
		"trace",       "trace_digest",	    "events",	  "model",	"complete",
		"interrupted", "out_of_time",	    "candidates", "kept_order", "cut",
		"stopped_by",  "unknown_functions", "undecided"};

	json_open(json, NULL, '{');
	json_string(json, "name", s->name);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (json_member(s->root, keys[i]))
			json_put(json, keys[i], json_member(s->root, keys[i]));
	json_close(json, '}');
}

static void put_sums(const struct merged *m, struct json *json)
{
	const struct json_node *first = json_member(m->sources.at[0].root, "candidates");

	json_open(json, "candidates", '{');
	for (const struct json_node *n = json_first(first); n; n = n->next) {
		uint64_t sum = 0;

		for (size_t i = 0; n->key && i < m->sources.n; i++)
			sum += json_number(json_member(m->sources.at[i].root, "candidates"),
					   n->key);
		json_u64(json, n->key, sum);
	}
	json_close(json, '}');
}

/* The trace that proves it, if the finding does not name one itself. */
static void put_evidence(const struct merged *m, struct json *json, const struct merged_finding *f)
{
	const struct json_node *root = m->sources.at[f->best].root;

	if (f->seen || json_member(f->node, "evidence"))
		return;
	json_string(json, "evidence", json_text(root, "trace"));
	if (json_member(root, "trace_digest"))
		json_string(json, "evidence_digest", json_text(root, "trace_digest"));
}

static void put_finding(const struct merged *m, struct json *json, const struct merged_finding *f)
{
	json_open(json, NULL, '{');
	for (const struct json_node *n = json_first(f->node); n; n = n->next)
		if (strcmp(n->key, "suppressed") != 0 && strcmp(n->key, "state") != 0 &&
		    strcmp(n->key, "reports") != 0)
			json_put(json, n->key, n);
	json_bool(json, "suppressed", f->suppressed);
	put_evidence(m, json, f);
	if (f->state != STATE_NONE)
		json_string(json, "state", merged_state_text[f->state]);
	json_open(json, "reports", '[');
	for (size_t i = 0; i < f->sources.n; i++)
		json_string(json, NULL, m->sources.at[f->sources.at[i]].name);
	json_close(json, ']');
	json_close(json, '}');
}

static void put_list(const struct merged *m, struct json *json, bool seen)
{
	json_open(json, seen ? "seen" : "findings", '[');
	for (size_t i = 0; i < m->findings.n; i++)
		if (m->findings.at[i].seen == seen)
			put_finding(m, json, &m->findings.at[i]);
	json_close(json, ']');
}

static void put_undecided(const struct merged *m, struct json *json)
{
	json_open(json, "undecided", '[');
	for (size_t i = 0; i < m->sources.n; i++)
		for (const struct json_node *n =
			     json_first(json_member(m->sources.at[i].root, "undecided"));
		     n; n = n->next)
			json_put(json, NULL, n);
	json_close(json, ']');
}

void merged_put_json(const struct merged *m, const struct report_options *o, struct output *out)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "format", "norn-report");
	json_u64(&json, "version", REPORT_VERSION);
	json_string(&json, "norn", o->version);
	json_string(&json, "trace", json_text(m->sources.at[0].root, "trace"));
	json_bool(&json, "complete", merged_complete(m));
	put_sums(m, &json);
	json_open(&json, "reports", '[');
	for (size_t i = 0; i < m->sources.n; i++)
		put_report(&json, &m->sources.at[i]);
	json_close(&json, ']');
	put_list(m, &json, true);
	put_list(m, &json, false);
	put_undecided(m, &json);
	json_open(&json, "gone", '[');
	for (size_t i = 0; i < m->gone.n; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "title", json_text(m->gone.at[i], "title"));
		json_string(&json, "fingerprint", json_text(m->gone.at[i], "fingerprint"));
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
}
