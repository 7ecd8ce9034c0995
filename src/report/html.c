/* SPDX-License-Identifier: MIT */
/*
 * One page that needs nothing else. What it shows is data, compact JSON in a script element that
 * is no script; page.js makes text of it, and never HTML. The policy allows the script and the
 * style of this file, by their hashes, and nothing from anywhere. The page stays below 10 MB:
 * findings that have no room are shortened, then left out, and it says so.
 */
#include "base/base64.h"
#include "report/merged.h"
#include "report/report.h"
#include "report/source.h"

#include <stdio.h>
#include <string.h>

#define INCLUDE(name, file)                                                                \
	__asm__(".pushsection .rodata\n" #name ":\n.incbin \"" file "\"\n" #name "_end:\n" \
		".popsection\n");                                                          \
	extern const char name[] __attribute__((visibility("hidden"))),                    \
		name##_end[] __attribute__((visibility("hidden")))

INCLUDE(page_script, "src/report/page.js");
INCLUDE(page_style, "src/report/page.css");

#define WHOLE_MOST (3 << 20)  /* bytes of findings with all that is known */
#define BRIEF_MOST (17 << 19) /* bytes of those and shortened ones */
#define UNDECIDED_MOST 50     /* of a report */
#define SOURCES_MOST 2000     /* reports with their numbers */

/* Of 64 hexadecimal digits. */
static void put_hash(struct output *out, const char *digits)
{
	uint8_t bytes[32];
	char text[44];

	for (size_t i = 0; i < sizeof(bytes); i++) {
		unsigned byte;

		sscanf(digits + 2 * i, "%2x", &byte);
		bytes[i] = (uint8_t)byte;
	}
	base64_encode(bytes, sizeof(bytes), text);
	output_text(out, "'sha256-");
	output_bytes(out, text, sizeof(text));
	output_char(out, '\'');
}

static void put_some(struct json *json, const struct json_node *node, const char *const *keys)
{
	for (; *keys; keys++)
		if (json_member(node, *keys))
			json_put(json, *keys, json_member(node, *keys));
}

static void put_report(struct json *json, const struct merged_source *s)
{
	static const char *const keys[] = {
		"events",     "model",	    "complete", "interrupted", "out_of_time",
		"candidates", "kept_order", "cut",	"stopped_by",  "unknown_functions",
		NULL};
	const struct json_node *undecided = json_member(s->root, "undecided");
	size_t count = 0;

	json_open(json, NULL, '{');
	json_string(json, "name", s->name);
	put_some(json, s->root, keys);
	json_u64(json, "undecided_count", json_count(undecided));
	json_open(json, "undecided", '[');
	for (const struct json_node *n = json_first(undecided); n && count < UNDECIDED_MOST;
	     n = n->next, count++)
		json_put(json, NULL, n);
	json_close(json, ']');
	json_close(json, '}');
}

/* All but what only programs need. */
static void put_witness(struct json *json, const struct json_node *w)
{
	static const char *const keys[] = {"events", "threads", "last", NULL};

	if (!w)
		return;
	json_open(json, "witness", '{');
	put_some(json, w, keys);
	json_close(json, '}');
}

static void put_whole(struct json *json, const struct merged_finding *f)
{
	static const char *const keys[] = {"title",	   "variable",	  "allocated", "note",
					   "verdict",	   "fingerprint", "instances", "pattern",
					   "pattern_text", "relies_on",	  "waits",     "property",
					   "replay",	   "events",	  "steps",     NULL};

	put_some(json, f->node, keys);
	if (!f->seen)
		json_bool(json, "seen", json_true(f->node, "seen"));
	put_witness(json, json_member(f->node, "witness"));
}

static void put_brief(struct json *json, const struct merged_finding *f)
{
	static const char *const keys[] = {"title", "variable", "verdict", "fingerprint", NULL};
	static const char *const event_keys[] = {"op", "thread", "thread_name", NULL};
	static const char *const place_keys[] = {"file", "line", NULL};

	put_some(json, f->node, keys);
	json_bool(json, "brief", true);
	json_open(json, "events", '[');
	for (const struct json_node *n = merged_events(f); n; n = n->next) {
		json_open(json, NULL, '{');
		put_some(json, n, event_keys);
		json_open(json, "location", '{');
		put_some(json, json_member(n, "location"), place_keys);
		json_close(json, '}');
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_tests(struct json *json, const struct merged *m, const struct merged_finding *f)
{
	if (m->sources.n < 2)
		return;
	json_open(json, "tests", '[');
	for (size_t i = 0; i < f->sources.n && i < 20; i++)
		json_string(json, NULL, m->sources.at[f->sources.at[i]].name);
	json_close(json, ']');
}

/* The places that the page shows with their source. */
static void want_sources(struct sources *sources, const struct merged_finding *f)
{
	const struct json_node *last = json_member(json_member(f->node, "witness"), "last");

	for (const struct json_node *n = merged_events(f); n; n = n->next) {
		struct merged_place place = merged_place_of(n);

		sources_want(sources, place.file, place.line, 3);
	}
	for (const struct json_node *n = json_first(last); n; n = n->next)
		sources_want(sources, json_text(n, "file"), json_number(n, "line"), 2);
}

/* Returns how many had no room. */
static uint64_t put_findings(struct json *json, const struct merged *m, struct sources *sources)
{
	uint64_t start = output_size(json->out), left_out = 0;
	uint32_t *groups = mem_alloc(m->findings.n * sizeof(*groups) + 1);

	merged_number_groups(m, groups);
	json_open(json, "findings", '[');
	for (size_t i = 0; i < m->findings.n; i++) {
		const struct merged_finding *f = &m->findings.at[i];
		uint64_t used = output_size(json->out) - start;

		if (used > BRIEF_MOST) {
			left_out++;
			continue;
		}
		json_open(json, NULL, '{');
		if (used < WHOLE_MOST) {
			put_whole(json, f);
			put_tests(json, m, f);
			want_sources(sources, f);
		} else {
			put_brief(json, f);
		}
		json_u64(json, "group", groups[i]);
		if (f->suppressed)
			json_bool(json, "suppressed", true);
		if (f->state != STATE_NONE)
			json_string(json, "state", merged_state_text[f->state]);
		json_close(json, '}');
	}
	json_close(json, ']');
	mem_free(groups);
	return left_out;
}

/* As norn hunt --json has it (norn-report(5), Hunts). */
static void put_hunt(const char *hunt, struct json *json)
{
	struct arena arena = {0};
	struct err err;
	const struct json_node *node = json_parse(&arena, hunt, strlen(hunt), &err);

	if (node)
		json_put(json, "hunt", node);
	arena_release(&arena);
}

static void put_data(const struct merged *m, const struct report_options *o, struct output *out)
{
	static const char *const gone_keys[] = {"title", "variable", "fingerprint", NULL};
	struct json json = {.out = out, .page = true};
	struct sources sources = {0};

	json_open(&json, NULL, '{');
	json_string(&json, "norn", o->version);
	json_open(&json, "sources", '[');
	for (size_t i = 0; i < m->sources.n && i < SOURCES_MOST; i++)
		put_report(&json, &m->sources.at[i]);
	json_close(&json, ']');
	json_u64(&json, "left_out", put_findings(&json, m, &sources));
	json_open(&json, "gone", '[');
	for (size_t i = 0; i < m->gone.n && i < SOURCES_MOST; i++) {
		json_open(&json, NULL, '{');
		put_some(&json, m->gone.at[i], gone_keys);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	sources_put(&sources, &json);
	if (o->hunt)
		put_hunt(o->hunt, &json);
	json_close(&json, '}');
	sources_release(&sources);
}

static void render_html(const struct merged *m, const struct report_options *o, struct output *out)
{
	output_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
			 "'none'; base-uri 'none'; form-action 'none'; script-src ");
	put_hash(out, PAGE_SCRIPT_SHA256);
	output_text(out, "; style-src ");
	put_hash(out, PAGE_STYLE_SHA256);
	output_text(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, "
			 "initial-scale=1\">\n<title>Norn</title>\n<style>");
	output_bytes(out, page_style, (size_t)(page_style_end - page_style));
	output_text(out,
		    "</style>\n</head>\n<body>\n<noscript><p>This page needs JavaScript, which "
		    "is in the page itself. The text and JSON reports do not.</p></noscript>\n"
		    "<script type=\"application/json\" id=\"data\">");
	put_data(m, o, out);
	output_text(out, "</script>\n<script>");
	output_bytes(out, page_script, (size_t)(page_script_end - page_script));
	output_text(out, "</script>\n</body>\n</html>\n");
}

const struct report_kind report_html = {
	.name = "html",
	.title = "a page for the browser, in one file",
	.render = render_html,
};
