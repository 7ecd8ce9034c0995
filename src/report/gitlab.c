/* SPDX-License-Identifier: MIT */
/* GitLab's code quality: an array of what it calls degradations. */
#include "report/merged.h"
#include "report/report.h"

#include <stdio.h>
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

struct repeated {
	struct intern likenesses;
	VEC(uint32_t) count; /* how often each came so far */
};

/* Stays when lines move: the likeness, and of those alike behind the first a number. */
static void put_fingerprint(struct json *json, struct repeated *r, const struct merged_finding *f)
{
	const char *likeness = json_text(f->node, "likeness");
	char text[60];

	if (!*likeness) { /* of an older Norn */
		json_string(json, "fingerprint", json_text(f->node, "fingerprint"));
		return;
	}
	uint32_t number = intern_add(&r->likenesses, likeness, strlen(likeness));

	vec_extend(&r->count, (size_t)number + 1);
	if (r->count.at[number]++)
		snprintf(text, sizeof(text), "%.20s-%u", likeness, r->count.at[number]);
	else
		snprintf(text, sizeof(text), "%.20s", likeness);
	json_string(json, "fingerprint", text);
}

static void put_finding(struct json *json, const struct report_options *o, struct repeated *r,
			const struct merged_finding *f)
{
	struct merged_place place = merged_place_of_finding(f);
	merged_text rule = {0};

	merged_rule(f, &rule);
	json_open(json, NULL, '{');
	put_description(json, o, f);
	json_string(json, "check_name", rule.at);
	put_fingerprint(json, r, f);
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
	struct repeated repeated = {0};

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < m->findings.n; i++)
		if (!m->findings.at[i].suppressed)
			put_finding(&json, o, &repeated, &m->findings.at[i]);
	json_close(&json, ']');
	intern_release(&repeated.likenesses);
	vec_release(&repeated.count);
}

const struct report_kind report_gitlab = {
	.name = "gitlab",
	.title = "JSON for GitLab's code quality",
	.render = render_gitlab,
};
