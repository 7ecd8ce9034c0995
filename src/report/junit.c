/* SPDX-License-Identifier: MIT */
/*
 * JUnit's XML: a suite for each report, a case for each of its findings, and one more that is
 * skipped if not every candidate is decided, so that nobody takes such a report for an all-clear.
 */
#include "report/merged.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

/* As the value of an attribute, and as text: XML has no control characters at all. */
static void put_xml(struct output *out, const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c;) {
		size_t length = utf8_length(c);
		bool is_none = length == 3 && !memcmp(c, "\xef\xbf", 2) && c[2] >= 0xbe;

		if (!length || is_none || (*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
			output_text(out, "\xef\xbf\xbd");
		else if (strchr("<>&\"'\n\t", *c))
			output_format(out, "&#%u;", *c);
		else
			output_bytes(out, c, length);
		c += length ? length : 1;
	}
}

static void put_attribute(struct output *out, const char *name, const char *value)
{
	output_format(out, " %s=\"", name);
	put_xml(out, value);
	output_char(out, '"');
}

static void put_number(struct output *out, const char *name, uint64_t value)
{
	output_format(out, " %s=\"%llu\"", name, (unsigned long long)value);
}

static const char *why_skipped(const struct merged_finding *f)
{
	if (f->suppressed)
		return "suppressed";
	if (f->state == STATE_KNOWN)
		return "known: it is in the baseline";
	return "conditional: no proved bug, since the record lacks something";
}

static bool is_complete(const struct merged_source *source)
{
	return json_true(source->root, "complete") &&
	       !json_number(json_member(source->root, "candidates"), "held");
}

/* The calls around an event, a line each. */
static void put_callers(struct output *out, const struct report_options *o,
			const struct json_node *event)
{
	merged_text text = {0}, file = {0};

	for (const struct json_node *n = merged_callers(event); n; n = n->next) {
		struct merged_place place = merged_place_of_caller(n, &file);

		text.n = 0;
		merged_append(&text, "  called from ");
		merged_append(&text, *place.function ? place.function : "?");
		merged_append_place(&text, o->root, place);
		merged_append(&text, "\n");
		vec_push(&text, '\0');
		put_xml(out, text.at);
	}
	vec_release(&text);
	vec_release(&file);
}

/* The events, a line each. */
static void put_events(struct output *out, const struct report_options *o,
		       const struct merged_finding *f)
{
	merged_text text = {0};

	for (const struct json_node *n = merged_events(f); n; n = n->next) {
		merged_describe(n, &text);
		text.n--;
		merged_append_place(&text, o->root, merged_place_of(n));
		merged_append(&text, "\n");
		vec_push(&text, '\0');
		put_xml(out, text.at);
		put_callers(out, o, n);
	}
	vec_release(&text);
	const char *note = json_text(f->node, "note");

	if (*note) {
		output_text(out, "Note: ");
		put_xml(out, note);
		put_xml(out, ".\n");
	}
	const char *again = json_text(json_member(f->node, "replay"), "again");

	if (*again) {
		output_text(out, "See it again: ");
		put_xml(out, again);
	}
}

static void put_case(struct output *out, const struct report_options *o,
		     const struct merged_finding *f)
{
	struct merged_place place = merged_place_of_finding(f);
	merged_text title = {0}, name = {0}, rule = {0};

	merged_title(f, &title);
	merged_rule(f, &rule);
	merged_append(&name, title.at);
	merged_append_place(&name, o->root, place);
	merged_append(&name, " #");
	merged_append(&name, json_text(f->node, "fingerprint"));
	vec_push(&name, '\0');
	output_text(out, "    <testcase");
	put_attribute(out, "classname", rule.at);
	put_attribute(out, "name", name.at);
	output_text(out, " time=\"0\">\n");
	if (merged_counts(f)) {
		output_text(out, "      <failure");
		put_attribute(out, "type", rule.at);
		put_attribute(out, "message", title.at);
		output_char(out, '>');
		put_events(out, o, f);
		output_text(out, "</failure>\n");
	} else {
		output_text(out, "      <skipped");
		put_attribute(out, "message", why_skipped(f));
		output_text(out, "/>\n");
	}
	output_text(out, "    </testcase>\n");
	vec_release(&title);
	vec_release(&name);
	vec_release(&rule);
}

/* Whether the report is all that there is to know. */
static void put_complete(struct output *out, const struct merged_source *source)
{
	const struct json_node *candidates = json_member(source->root, "candidates");
	char text[200];

	output_text(out, "    <testcase classname=\"norn/complete\" "
			 "name=\"every candidate is decided\" time=\"0\"");
	if (is_complete(source)) {
		output_text(out, "/>\n");
		return;
	}
	snprintf(text, sizeof(text),
		 "%llu candidates are undecided, %llu were not looked at, %llu are held back, or "
		 "the recording is not complete",
		 (unsigned long long)json_number(candidates, "undecided"),
		 (unsigned long long)json_number(candidates, "unseen"),
		 (unsigned long long)json_number(candidates, "held"));
	output_text(out, ">\n      <skipped");
	put_attribute(out, "message", text);
	output_text(out, "/>\n    </testcase>\n");
}

struct tally {
	uint64_t tests, failures, skipped;
};

static struct tally tally_of(const struct merged *m, uint32_t source)
{
	struct tally t = {.tests = 1, .skipped = !is_complete(&m->sources.at[source])};

	for (size_t i = 0; i < m->findings.n; i++) {
		if (!merged_has(&m->findings.at[i], source))
			continue;
		t.tests++;
		if (merged_counts(&m->findings.at[i]))
			t.failures++;
		else
			t.skipped++;
	}
	return t;
}

static void put_tally(struct output *out, struct tally t)
{
	put_number(out, "tests", t.tests);
	put_number(out, "failures", t.failures);
	put_number(out, "errors", 0);
	put_number(out, "skipped", t.skipped);
}

static const char *seconds_of(const struct merged_source *source)
{
	const struct json_node *seconds = json_member(source->root, "seconds");

	return seconds && seconds->kind == JSON_PLAIN ? seconds->text : "0";
}

static void put_suite(const struct merged *m, const struct report_options *o, struct output *out,
		      uint32_t source)
{
	const struct merged_source *s = &m->sources.at[source];

	output_text(out, "  <testsuite");
	put_attribute(out, "name", s->name);
	put_tally(out, tally_of(m, source));
	put_attribute(out, "time", seconds_of(s));
	output_text(out, ">\n");
	for (size_t i = 0; i < m->findings.n; i++)
		if (merged_has(&m->findings.at[i], source))
			put_case(out, o, &m->findings.at[i]);
	put_complete(out, s);
	output_text(out, "  </testsuite>\n");
}

static void render_junit(const struct merged *m, const struct report_options *o, struct output *out)
{
	struct tally sum = {0};

	for (uint32_t i = 0; i < m->sources.n; i++) {
		struct tally t = tally_of(m, i);

		sum.tests += t.tests;
		sum.failures += t.failures;
		sum.skipped += t.skipped;
	}
	output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"Norn\"");
	put_tally(out, sum);
	output_text(out, ">\n");
	for (uint32_t i = 0; i < m->sources.n; i++)
		put_suite(m, o, out, i);
	output_text(out, "</testsuites>\n");
}

const struct report_kind report_junit = {
	.name = "junit",
	.title = "JUnit's XML: each finding is a failed case",
	.render = render_junit,
};
