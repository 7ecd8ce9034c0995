/* SPDX-License-Identifier: MIT */
/* Places and code flows of the SARIF report. */
#include "report/sarif.h"

#include <stdio.h>
#include <string.h>

/* Texts */

void sarif_text(struct json *json, const char *key, const char *text)
{
	json_open(json, key, '{');
	json_string(json, "text", text);
	json_close(json, '}');
}

void sarif_append(characters *to, const char *text)
{
	for (; *text; text++)
		vec_push(to, *text);
}

/* Places */

const char *sarif_file(const struct sarif *s, const char *file)
{
	return report_file(s->options->root, file);
}

static void put_file(struct sarif *s, const char *file)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "-._~/!$&'()*+,;=@";
	characters uri = {0};

	file = sarif_file(s, file);
	bool absolute = *file == '/';

	sarif_append(&uri, absolute ? "file://" : "");
	for (const char *c = *file ? file : "unknown"; *c; c++) {
		char code[4];

		snprintf(code, sizeof(code), "%%%02X", (unsigned char)*c);
		if (strchr(plain, *c)) {
			vec_push(&uri, *c);
			continue;
		}
		sarif_append(&uri, code);
	}
	vec_push(&uri, '\0');
	json_open(&s->json, "artifactLocation", '{');
	json_string(&s->json, "uri", uri.at);
	if (!absolute)
		json_string(&s->json, "uriBaseId", "%SRCROOT%");
	json_close(&s->json, '}');
	vec_release(&uri);
}

void sarif_location(struct sarif *s, uint32_t event, const char *message)
{
	struct place place = story_place(&s->story, event);

	sarif_place(s, &place, message);
}

void sarif_place(struct sarif *s, const struct place *at, const char *message)
{
	struct json *json = &s->json;
	struct place place = *at;

	json_open(json, "physicalLocation", '{');
	put_file(s, place.file ? place.file : s->options->trace);
	json_open(json, "region", '{');
	json_u64(json, "startLine",
		 place.line		      ? place.line
		 : place.file || !place.event ? 1
					      : place.event);
	if (place.column)
		json_u64(json, "startColumn", place.column);
	json_close(json, '}');
	json_close(json, '}');
	if (place.function || !place.file) {
		json_open(json, "logicalLocations", '[');
		json_open(json, NULL, '{');
		json_string(json, "name", place.function ? place.function : place.text);
		json_string(json, "kind", place.function ? "function" : "event");
		json_close(json, '}');
		json_close(json, ']');
	}
	if (message)
		sarif_text(json, "message", message);
}

const char *sarif_describe(struct story *s, uint32_t event)
{
	const struct event *e = &s->index->events[event];
	const char *kind = event_kind_text[e->kind], *object = story_object(s, e);
	const char *thread = story_who(s, e->thread);
	size_t size = strlen(kind) + strlen(object) + strlen(thread) + 40;
	char *text = arena_alloc(&s->text, size);

	snprintf(text, size, "%s%s%s by thread %s", kind, *object ? " of " : "", object, thread);
	return text;
}

void sarif_append_event(struct sarif *s, uint32_t event, characters *text)
{
	sarif_append(text, sarif_describe(&s->story, event));
	sarif_append(text, " at ");
	sarif_append(text, story_line(&s->story, event));
}

/* Code flows */

/* GitHub keeps so many places of the flows of a result; each is in both flows. */
#define FLOW_PLACES_MOST 1000
#define EVERY_THREAD UINT32_MAX

static const char *describe_step(struct story *s, const struct witness *w, const struct step *step,
				 bool with_thread)
{
	struct step_notes notes;
	characters text = {0};
	char head[60];

	if (with_thread) {
		sarif_append(&text, "thread ");
		sarif_append(&text, story_who(s, step->thread));
		sarif_append(&text, ": ");
	}

	snprintf(head, sizeof(head), "%zu event%s", step->end - step->first,
		 step->end - step->first == 1 ? "" : "s");
	story_notes(s, w, step, &notes);
	sarif_append(&text, head);
	for (uint32_t i = 0; i < notes.count; i++) {
		const struct event *e = &s->index->events[notes.events[i]];

		sarif_append(&text, ", ");
		sarif_append(&text, story_verb(e));
		sarif_append(&text, " ");
		sarif_append(&text, story_object(s, e));
	}
	vec_push(&text, '\0');
	const char *kept = arena_copy(&s->text, text.at, text.n);

	vec_release(&text);
	return kept;
}

static void put_flow_location(struct sarif *s, uint32_t event, const char *message, uint64_t order,
			      const char *importance)
{
	json_open(&s->json, NULL, '{');
	json_open(&s->json, "location", '{');
	sarif_location(s, event, message);
	json_close(&s->json, '}');
	json_u64(&s->json, "executionOrder", order);
	json_string(&s->json, "importance", importance);
	json_close(&s->json, '}');
}

/* An event of the bug, which comes next in the end, or which a step has. */
static void put_bug_event(struct sarif *s, uint32_t event, uint64_t order)
{
	put_flow_location(s, event, sarif_describe(&s->story, event), order, "essential");
}

static bool has_event(const struct witness *w, const struct step *step, uint32_t event)
{
	for (size_t i = step->first; i < step->end; i++)
		if (witness_event(w, i) == event)
			return true;
	return false;
}

/* What one thread does, or all of them in their turns. */
static void put_thread_flow(struct sarif *s, const struct finding *f, const struct steps *steps,
			    size_t first, const event_numbers *events, uint32_t thread)
{
	const struct witness *w = &f->witness;
	bool past = bug_facts[w->bug].past, all = thread == EVERY_THREAD;
	uint64_t order = first;

	json_open(&s->json, NULL, '{');
	json_string(&s->json, "id", all ? "all threads" : story_who(&s->story, thread));
	json_open(&s->json, "locations", '[');
	for (size_t i = first; i < steps->all.n; i++) {
		const struct step *step = &steps->all.at[i];

		order++;
		if (all || step->thread == thread)
			put_flow_location(s, (uint32_t)witness_event(w, step->first),
					  describe_step(&s->story, w, step, all), order,
					  "important");
		for (size_t k = 0; past && k < events->n; k++) {
			if (!has_event(w, step, events->at[k]))
				continue;
			order++;
			if (all || step->thread == thread)
				put_bug_event(s, events->at[k], order);
		}
	}
	/* all next at once, so with one number, but in a flow the numbers go up */
	for (size_t i = 0; !past && i < events->n; i++)
		if (all || s->story.index->events[events->at[i]].thread == thread)
			put_bug_event(s, events->at[i], order + 1 + (all ? i : 0));
	json_close(&s->json, ']');
	json_close(&s->json, '}');
}

static void open_flow(struct sarif *s, const struct finding *f, bool hidden, const char *how)
{
	char text[120];

	snprintf(text, sizeof(text), "An execution of %llu events that shows it, %s%s",
		 (unsigned long long)witness_length(&f->witness), how,
		 hidden ? "; the first ones are left out" : "");
	json_open(&s->json, NULL, '{');
	sarif_text(&s->json, "message", text);
	json_open(&s->json, "threadFlows", '[');
}

static void close_flow(struct sarif *s)
{
	json_close(&s->json, ']');
	json_close(&s->json, '}');
}

/* Viewers show only the first flow, and that without the order of threads among each other. */
void sarif_code_flow(struct sarif *s, const struct finding *f, const event_numbers *all)
{
	uint32_t thread_count = s->story.index->thread_count;
	bool *takes_part = mem_alloc_zero(thread_count + 1, sizeof(*takes_part));
	event_numbers shown = *all;
	struct steps steps;

	if (shown.n > FLOW_PLACES_MOST / 4)
		shown.n = FLOW_PLACES_MOST / 4;
	story_steps(&s->story, &f->witness, &steps);
	size_t most = FLOW_PLACES_MOST / 2 - shown.n;
	size_t first = steps.all.n > most ? steps.all.n - most : 0;

	for (size_t i = first; i < steps.all.n; i++)
		takes_part[steps.all.at[i].thread] = true;
	for (size_t i = 0; !bug_facts[f->witness.bug].past && i < shown.n; i++)
		takes_part[s->story.index->events[shown.at[i]].thread] = true;
	json_open(&s->json, "codeFlows", '[');
	open_flow(s, f, first, "in its order");
	put_thread_flow(s, f, &steps, first, &shown, EVERY_THREAD);
	close_flow(s);
	open_flow(s, f, first, "by threads");
	for (uint32_t t = 0; t < thread_count; t++)
		if (takes_part[t])
			put_thread_flow(s, f, &steps, first, &shown, t);
	close_flow(s);
	json_close(&s->json, ']');
	steps_release(&steps);
	mem_free(takes_part);
}
