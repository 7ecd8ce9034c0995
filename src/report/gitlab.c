/* SPDX-License-Identifier: MIT */
/* GitLab's code quality: an array of what it calls degradations. */
#include "report/merged.h"
#include "report/report.h"

#include <string.h>

static const char *severity_of(const struct merged_finding *f)
{
	const char *verdict = merged_verdict(f);

	if (!strcmp(verdict, "conditional"))
		return "info";
	return !strcmp(verdict, "certified") ? "major" : "critical";
}

/* What it is, then its events, each with its place. */
static void put_description(struct json *json, const struct report_options *o,
			    const struct merged_finding *f)
{
	merged_text text = {0}, event = {0};

	merged_title(f, &text);
	text.n--;
	for (const struct json_node *n = merged_events(f); n; n = n->next) {
		merged_append(&text, n == merged_events(f) ? ": " : ", ");
		merged_describe(n, &event);
		merged_append(&text, event.at);
		merged_append_place(&text, o->root, merged_place_of(n));
	}
	vec_push(&text, '\0');
	json_string(json, "description", text.at);
	vec_release(&text);
	vec_release(&event);
}

static void put_finding(struct json *json, const struct report_options *o,
			const struct merged_finding *f)
{
	struct merged_place place = merged_place_of_finding(f);
	merged_text rule = {0};

	merged_rule(f, &rule);
	json_open(json, NULL, '{');
	put_description(json, o, f);
	json_string(json, "check_name", rule.at);
	json_string(json, "fingerprint", json_text(f->node, "fingerprint"));
	json_string(json, "severity", severity_of(f));
	json_open(json, "location", '{');
	json_string(json, "path", *place.file ? report_file(o->root, place.file) : o->trace);
	json_open(json, "lines", '{');
	json_u64(json, "begin", place.line ? place.line : 1);
	json_close(json, '}');
	json_close(json, '}');
	json_close(json, '}');
	vec_release(&rule);
}

static void render_gitlab(const struct merged *m, const struct report_options *o,
			  struct output *out)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < m->findings.n; i++)
		if (!m->findings.at[i].suppressed)
			put_finding(&json, o, &m->findings.at[i]);
	json_close(&json, ']');
}

const struct report_kind report_gitlab = {
	.name = "gitlab",
	.title = "JSON for GitLab's code quality",
	.render = render_gitlab,
};
