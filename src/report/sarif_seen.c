/* SPDX-License-Identifier: MIT */
/* Results of the SARIF report for what the recorded run itself did wrong. */
#include "predict/suppress.h"
#include "report/sarif.h"
#include "report/seen.h"

#include <stdio.h>
#include <string.h>

static void put_location(struct sarif *s, const struct seen_step *step, const char *message)
{
	struct location l = location_split(step->location ? step->location : "");
	char file[4096];
	struct place place = {.text = step->op,
			      .file = step->location ? file : NULL,
			      .line = l.line,
			      .column = l.column,
			      .function = l.function};

	snprintf(file, sizeof(file), "%.*s", (int)l.file_length, l.file);
	sarif_place(s, &place, message);
}

static void put_message(struct sarif *s, const struct seen *f)
{
	characters text = {0};
	char piece[2048];

	seen_title(f, piece, sizeof(piece));
	sarif_append(&text, "Seen in the recorded run: ");
	sarif_append(&text, piece);
	for (size_t i = 0; i < f->steps.n; i++) {
		seen_describe(&f->steps.at[i], piece, sizeof(piece));
		sarif_append(&text, i ? "; " : ": ");
		sarif_append(&text, piece);
		seen_place(&f->steps.at[i], piece, sizeof(piece));
		sarif_append(&text, " at ");
		sarif_append(&text, piece);
	}
	vec_push(&text, '\0');
	sarif_text(&s->json, "message", text.at);
	vec_release(&text);
}

static void put_locations(struct sarif *s, const struct seen *f)
{
	char text[2048];

	json_open(&s->json, "locations", '[');
	json_open(&s->json, NULL, '{');
	put_location(s, &f->steps.at[0], NULL);
	json_close(&s->json, '}');
	json_close(&s->json, ']');
	json_open(&s->json, "relatedLocations", '[');
	for (size_t i = 1; i < f->steps.n; i++) {
		seen_describe(&f->steps.at[i], text, sizeof(text));
		json_open(&s->json, NULL, '{');
		json_u64(&s->json, "id", i);
		put_location(s, &f->steps.at[i], text);
		json_close(&s->json, '}');
	}
	json_close(&s->json, ']');
}

static void put_suppression(struct sarif *s, const struct seen *f)
{
	const struct suppressions *all = s->options->suppressions;
	const struct suppression *by = all ? suppressions_find_seen(all, f) : NULL;

	json_open(&s->json, "suppressions", '[');
	json_open(&s->json, NULL, '{');
	json_string(&s->json, "kind", "external");
	if (by)
		json_string(&s->json, "justification", by->pattern);
	json_close(&s->json, '}');
	json_close(&s->json, ']');
}

void sarif_seen(struct sarif *s, const struct seen *f, const char *rule, uint64_t index)
{
	struct json *json = &s->json;
	char text[20];

	json_open(json, NULL, '{');
	json_string(json, "ruleId", rule);
	json_u64(json, "ruleIndex", index);
	json_string(json, "level", "error");
	put_message(s, f);
	put_locations(s, f);
	json_open(json, "partialFingerprints", '{');
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)seen_fingerprint(f));
	json_string(json, "nornSignature/v1", text);
	sarif_put_line_hash(s, seen_likeness(f));
	json_close(json, '}');
	if (f->suppressed)
		put_suppression(s, f);
	json_close(json, '}');
}
