/* SPDX-License-Identifier: MIT */
/* Merged reports as text: each bug once, with the other findings of its group below it. */
#include "report/merged.h"
#include "report/report.h"
#include "report/text.h"

#include <string.h>

#define NAMES_MOST 10
#define OTHERS_MOST 20

static void put_place(struct output *out, const struct report_options *o, struct merged_place place)
{
	if (!*place.file)
		return;
	output_text(out, " at ");
	text_put(out, report_file(o->root, place.file));
	if (place.line)
		output_format(out, ":%llu", (unsigned long long)place.line);
	if (*place.function) {
		output_text(out, " in ");
		text_put(out, place.function);
	}
}

static void put_names(struct output *out, const struct merged *m, const struct merged_finding *f)
{
	output_text(out, "  In: ");
	for (size_t i = 0; i < f->sources.n && i < NAMES_MOST; i++) {
		output_text(out, i ? ", " : "");
		text_put(out, m->sources.at[f->sources.at[i]].name);
	}
	if (f->sources.n > NAMES_MOST)
		output_format(out, " and %zu more", f->sources.n - NAMES_MOST);
	output_char(out, '\n');
}

static void put_callers(struct output *out, const struct report_options *o,
			const struct json_node *event)
{
	merged_text file = {0};

	for (const struct json_node *n = merged_callers(event); n; n = n->next) {
		output_text(out, "    called");
		put_place(out, o, merged_place_of_caller(n, &file));
		output_char(out, '\n');
	}
	vec_release(&file);
}

static void put_finding(struct output *out, const struct merged *m, const struct report_options *o,
			const struct merged_finding *f)
{
	const char *again = json_text(json_member(f->node, "replay"), "again");
	merged_text text = {0};

	merged_title(f, &text);
	output_text(out, text_rule);
	output_text(out, strcmp(merged_verdict(f), "conditional") ? "WARNING: Norn: "
								  : "CONDITIONAL: Norn: ");
	text_put(out, text.at);
	output_text(out, " (");
	text_put(out, merged_verdict(f));
	if (f->state != STATE_NONE)
		output_format(out, "; %s", merged_state_text[f->state]);
	output_text(out, ")\n");
	for (const struct json_node *n = merged_events(f); n; n = n->next) {
		merged_describe(n, &text);
		output_text(out, "  ");
		text_put(out, text.at);
		put_place(out, o, merged_place_of(n));
		output_char(out, '\n');
		put_callers(out, o, n);
	}
	if (*json_text(f->node, "note")) {
		output_text(out, "  Note: ");
		text_put(out, json_text(f->node, "note"));
		output_text(out, ".\n");
	}
	put_names(out, m, f);
	if (*again) {
		output_text(out, "  See it again: ");
		text_put(out, again);
		output_char(out, '\n');
	}
	vec_release(&text);
}

static void put_other(struct output *out, const struct report_options *o,
		      const struct merged_finding *f)
{
	output_text(out, "  Also:");
	for (const struct json_node *n = merged_events(f); n; n = n->next) {
		output_text(out, n == merged_events(f) ? "" : ",");
		put_place(out, o, merged_place_of(n));
	}
	output_char(out, '\n');
}

/* The first of a group and the rest of it. */
static void put_group(struct output *out, const struct merged *m, const struct report_options *o,
		      const uint32_t *groups, size_t first)
{
	size_t others = 0;

	put_finding(out, m, o, &m->findings.at[first]);
	for (size_t i = first + 1; i < m->findings.n; i++)
		if (groups[i] == groups[first] && others++ < OTHERS_MOST)
			put_other(out, o, &m->findings.at[i]);
	if (others > OTHERS_MOST)
		output_format(out, "  and %zu more\n", others - OTHERS_MOST);
	output_text(out, text_rule);
}

static void put_counts(struct output *out, const struct merged *m, uint64_t groups,
		       uint64_t left_out)
{
	uint64_t bugs = 0, suppressed = 0, known = 0, incomplete = 0;

	for (size_t i = 0; i < m->findings.n; i++) {
		bugs += merged_counts(&m->findings.at[i]);
		suppressed += m->findings.at[i].suppressed;
		known += m->findings.at[i].state == STATE_KNOWN;
	}
	for (size_t i = 0; i < m->sources.n; i++)
		incomplete += !json_true(m->sources.at[i].root, "complete");
	if (left_out) {
		text_count(out, left_out, "more group");
		output_text(out, " of findings not shown (--max-findings)\n");
	}
	output_text(out, "Norn: ");
	text_count(out, m->sources.n, "report");
	output_text(out, ", ");
	text_count(out, bugs, "finding");
	output_text(out, " in ");
	text_count(out, groups, "group");
	output_format(out, ", %llu suppressed", (unsigned long long)suppressed);
	if (m->compared)
		output_format(out, ", %llu known, %zu gone", (unsigned long long)known, m->gone.n);
	output_char(out, '\n');
	if (incomplete) {
		text_count(out, incomplete, "report");
		output_text(out, incomplete == 1 ? " is" : " are");
		output_text(out, " not complete: there may be more findings\n");
	}
}

void merged_put_text(const struct merged *m, const struct report_options *o, struct output *out)
{
	uint32_t *groups = mem_alloc(m->findings.n * sizeof(*groups) + 1);
	uint64_t count = 0;
	uint32_t next = 0;

	merged_number_groups(m, groups);
	for (size_t i = 0; i < m->findings.n; i++) {
		bool is_first = groups[i] == next;

		next += is_first;
		if (!is_first || m->findings.at[i].suppressed)
			continue;
		if (!o->most || count < o->most)
			put_group(out, m, o, groups, i);
		count++;
	}
	put_counts(out, m, count, o->most && count > o->most ? count - o->most : 0);
	mem_free(groups);
}
