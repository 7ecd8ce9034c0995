/* SPDX-License-Identifier: MIT */
/* One line a finding, and a note for each further event, as compilers write them, for editors. */
#include "report/merged.h"
#include "report/report.h"
#include "report/text.h"

#include <string.h>

static void put_line(struct output *out, const struct report_options *o, struct merged_place place,
		     const char *kind)
{
	text_put(out, *place.file ? report_file(o->root, place.file) : o->trace);
	output_format(out, ":%llu:%llu: %s: ", (unsigned long long)(place.line ? place.line : 1),
		      (unsigned long long)(place.column ? place.column : 1), kind);
}

static void put_callers(struct output *out, const struct report_options *o,
			const struct json_node *event)
{
	merged_text file = {0};

	for (const struct json_node *n = merged_callers(event); n; n = n->next) {
		struct merged_place place = merged_place_of_caller(n, &file);

		put_line(out, o, place, "note");
		output_text(out, "  called from ");
		text_put(out, *place.function ? place.function : "here");
		output_char(out, '\n');
	}
	vec_release(&file);
}

static void put_finding(struct output *out, const struct report_options *o,
			const struct merged_finding *f)
{
	bool proved = strcmp(merged_verdict(f), "conditional") != 0;
	merged_text text = {0};

	put_line(out, o, merged_place_of_finding(f), proved ? "warning" : "note");
	merged_title(f, &text);
	text_put(out, text.at);
	output_text(out, " (");
	text_put(out, merged_verdict(f));
	output_text(out, ") [");
	merged_rule(f, &text);
	text_put(out, text.at);
	output_text(out, "]\n");
	for (const struct json_node *n = merged_events(f); n; n = n->next) {
		merged_describe(n, &text);
		put_line(out, o, merged_place_of(n), "note");
		text_put(out, text.at);
		output_char(out, '\n');
		put_callers(out, o, n);
	}
	vec_release(&text);
}

static void render_lines(const struct merged *m, const struct report_options *o, struct output *out)
{
	for (size_t i = 0; i < m->findings.n; i++)
		if (!m->findings.at[i].suppressed)
			put_finding(out, o, &m->findings.at[i]);
}

const struct report_kind report_lines = {
	.name = "lines",
	.title = "FILE:LINE:COLUMN: warning: …, for editors",
	.render = render_lines,
};
