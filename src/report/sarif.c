/* SPDX-License-Identifier: MIT */
/*
 * The report as SARIF 2.1.0, with what GitHub's code scanning asks for. Every result needs a
 * place in a file. An event without a location is put at the trace file, with its number as the
 * line, and is named as a logical location.
 */
#include "predict/suppress.h"
#include "report/bug.h"

#include <stdio.h>
#include <string.h>

/* Rules: the forms of all kinds of bug, then what was seen. */

static const struct sarif_rule seen_rules[SEEN_KIND_COUNT] = {
	[SEEN_DEADLOCK] = {"norn/seen-deadlock", "SeenDeadlock", "Deadlock that happened",
			   "In the recorded run, threads waited in a cycle.",
			   "Take the locks in the same order everywhere."},
	[SEEN_STUCK] = {"norn/seen-stuck", "SeenStuck", "Threads that waited forever",
			"The recorded run reached a state in which no thread could continue.",
			"Look for a signal that came too early, or a post that is missing."},
	[SEEN_USE_AFTER_FREE] = {"norn/seen-use-after-free", "SeenUseAfterFree",
				 "Use after free that happened",
				 "The recorded run used memory that had been freed.",
				 "Let the last user free it."},
	[SEEN_DOUBLE_FREE] = {"norn/seen-double-free", "SeenDoubleFree",
			      "Double free that happened", "The recorded run freed memory twice.",
			      "Let one owner free it."},
	[SEEN_CRASH] = {"norn/seen-crash", "SeenCrash", "Crash", "A signal ended the recorded run.",
			"The location is that of the thread that got the signal."},
};

static void put_rule(struct json *json, const struct sarif_rule *rule)
{
	json_open(json, NULL, '{');
	json_string(json, "id", rule->id);
	json_string(json, "name", rule->name);
	sarif_text(json, "shortDescription", rule->title);
	sarif_text(json, "fullDescription", rule->text);
	sarif_text(json, "help", rule->help);
	json_open(json, "defaultConfiguration", '{');
	json_string(json, "level", "error");
	json_close(json, '}');
	json_open(json, "properties", '{');
	json_open(json, "tags", '[');
	json_string(json, NULL, "concurrency");
	json_string(json, NULL, "reliability");
	json_close(json, ']');
	json_string(json, "precision", "very-high"); /* each is certified */
	json_string(json, "problem.severity", "error");
	json_close(json, '}');
	json_close(json, '}');
}

/* Returns how many stand before those for what was seen. */
static size_t put_rules(struct json *json)
{
	size_t count = 0;

	json_open(json, "rules", '[');
	for (; bug_form_at(count); count++)
		put_rule(json, &bug_form_at(count)->rule);
	for (size_t i = 0; i < SEEN_KIND_COUNT; i++)
		put_rule(json, &seen_rules[i]);
	json_close(json, ']');
	return count;
}

/* Fingerprints */

/*
 * GitHub takes results of one rule and file with equal line hashes for the same. Ours stays when
 * lines move; behind it comes the number of those alike.
 */
void sarif_put_line_hash(struct sarif *s, uint64_t likeness)
{
	uint32_t number = intern_add(&s->places, (const char *)&likeness, sizeof(likeness));
	char text[60];

	vec_extend(&s->repeated, (size_t)number + 1);
	snprintf(text, sizeof(text), "%016llx:%llu", (unsigned long long)likeness,
		 (unsigned long long)++s->repeated.at[number]);
	json_string(&s->json, "primaryLocationLineHash", text);
}

static void put_fingerprints(struct sarif *s, const struct finding *f)
{
	char text[60];

	json_open(&s->json, "partialFingerprints", '{');
	snprintf(text, sizeof(text), "%016llx",
		 (unsigned long long)story_fingerprint(&s->story, f));
	json_string(&s->json, "nornSignature/v1", text);
	sarif_put_line_hash(s, story_likeness(&s->story, f));
	json_close(&s->json, '}');
}

/* Results */

static const char *const replayed_text[VERDICT_COUNT] = {
	[VERDICT_CONFIRMED] = " (confirmed by a replay: ",
	[VERDICT_CERTIFIED] = " (certified, not replayed: ",
	[VERDICT_CONDITIONAL] = " (conditional: the program takes another path: ",
};

static void append_events(struct sarif *s, const event_numbers *events, characters *text)
{
	for (size_t i = 0; i < events->n; i++) {
		sarif_append(text, i ? ", " : ": ");
		sarif_append_event(s, events->at[i], text);
	}
}

static void put_message(struct sarif *s, const struct finding *f, const event_numbers *events)
{
	characters text = {0};

	sarif_append(&text, bug_form_of(&s->story, f)->rule.title);
	if (bug_report_of(f)->append)
		bug_report_of(f)->append(s, f, events, &text);
	else
		append_events(s, events, &text);
	if (bug_report_of(f)->note && bug_report_of(f)->note(&s->story, f)) {
		sarif_append(&text, ". Note: ");
		sarif_append(&text, bug_report_of(f)->note(&s->story, f));
	}
	if (f->replayed.tried) {
		sarif_append(&text, f->relies && !f->replayed.shown && !f->replayed.other_way
					    ? " (conditional, not replayed: "
					    : replayed_text[finding_verdict(f)]);
		sarif_append(&text, f->replayed.text);
		sarif_append(&text, ")");
	}
	vec_push(&text, '\0');
	sarif_text(&s->json, "message", text.at);
	vec_release(&text);
}

/* What GitHub keeps of them. */
#define RESULTS_MOST 5000
#define RELATED_MOST 100

void sarif_related(struct sarif *s, uint64_t id, uint32_t event, const char *message)
{
	if (id > RELATED_MOST)
		return;
	json_open(&s->json, NULL, '{');
	json_u64(&s->json, "id", id);
	sarif_location(s, event, message);
	json_close(&s->json, '}');
}

/* The other events, where locks were taken that are held at any of them, where threads began. */
static void put_related_locations(struct sarif *s, const struct finding *f,
				  const event_numbers *events)
{
	struct story *story = &s->story;
	story_locks held = {0};
	uint64_t id = 0;

	json_open(&s->json, "relatedLocations", '[');
	for (size_t i = 1; i < events->n; i++)
		sarif_related(s, ++id, events->at[i], sarif_describe(story, events->at[i]));
	if (bug_report_of(f)->put_related)
		bug_report_of(f)->put_related(s, f, &id);
	for (size_t i = 0; i < events->n; i++) {
		story_held(story, events->at[i], &held);
		for (size_t k = 0; k < held.n; k++)
			sarif_related(s, ++id, held.at[k].acquire,
				      sarif_describe(story, held.at[k].acquire));
	}
	for (size_t i = 0; i < events->n; i++) {
		uint32_t thread = story->index->events[events->at[i]].thread;
		uint32_t fork = story->index->threads[thread].fork;

		if (fork)
			sarif_related(s, ++id, fork, sarif_describe(story, fork));
	}
	json_close(&s->json, ']');
	vec_release(&held);
}

static void put_suppression(struct sarif *s, const struct finding *f)
{
	const struct suppressions *all = s->options->suppressions;
	const struct suppression *by =
		all ? suppressions_find(all, s->story.index, &f->witness) : NULL;

	json_open(&s->json, "suppressions", '[');
	json_open(&s->json, NULL, '{');
	json_string(&s->json, "kind", "external");
	if (by)
		json_string(&s->json, "justification", by->pattern);
	json_close(&s->json, '}');
	json_close(&s->json, ']');
}

/* Of what is no failure the standard wants the level to be none. */
static void put_level(struct json *json, enum verdict verdict)
{
	bool fails = verdict != VERDICT_CONDITIONAL;

	json_string(json, "kind", fails ? "fail" : "review");
	json_string(json, "level", fails ? "error" : "none");
}

static void put_verdict(struct sarif *s, enum verdict verdict)
{
	const char *function;
	size_t at = 0;

	json_open(&s->json, "properties", '{');
	json_string(&s->json, "verdict", verdict_text[verdict]);
	if (verdict == VERDICT_CONDITIONAL) {
		json_open(&s->json, "reliesOn", '[');
		while ((function = story_relies_on(&s->story, &at)))
			json_string(&s->json, NULL, function);
		json_close(&s->json, ']');
	}
	json_close(&s->json, '}');
}

static void put_result(struct sarif *s, const struct finding *f)
{
	struct json *json = &s->json;
	event_numbers events = {0};
	const struct bug_form *form = bug_form_of(&s->story, f);

	story_events(&s->story, f, &events);
	json_open(json, NULL, '{');
	json_string(json, "ruleId", form->rule.id);
	json_u64(json, "ruleIndex", bug_form_number(form));
	put_level(json, finding_verdict(f));
	put_message(s, f, &events);
	json_open(json, "locations", '[');
	if (events.n) {
		json_open(json, NULL, '{');
		sarif_location(s, events.at[0], NULL);
		json_close(json, '}');
	}
	json_close(json, ']');
	put_related_locations(s, f, &events);
	sarif_stacks(s, &events);
	if (events.n)
		sarif_code_flow(s, f, &events);
	put_fingerprints(s, f);
	if (f->suppressed)
		put_suppression(s, f);
	put_verdict(s, finding_verdict(f));
	json_close(json, '}');
	vec_release(&events);
	arena_reset(&s->story.text);
}

/* The run */

static void put_notification(struct json *json, const char *id, const char *level, const char *text)
{
	json_open(json, NULL, '{');
	json_open(json, "descriptor", '{');
	json_string(json, "id", id);
	json_close(json, '}');
	json_string(json, "level", level);
	sarif_text(json, "message", text);
	json_close(json, '}');
}

/* What is not decided is said here: a report without results is not always a good one. */
static void put_invocation(struct sarif *s, uint64_t left_out)
{
	const struct prediction *p = s->story.prediction;
	struct counts c = story_counts(p, BUG_COUNT);
	char text[200];

	json_open(&s->json, "invocations", '[');
	json_open(&s->json, NULL, '{');
	json_bool(&s->json, "executionSuccessful", !p->interrupted || p->out_of_time);
	json_u64(&s->json, "exitCode", (uint64_t)s->options->exit_status);
	json_open(&s->json, "toolExecutionNotifications", '[');
	if (c.unseen)
		put_notification(&s->json, "norn/interrupted", "warning",
				 "Not every candidate was looked at; there may be more findings.");
	if (c.undecided) {
		snprintf(text, sizeof(text),
			 "%llu of %llu candidates are undecided; they may be findings.",
			 (unsigned long long)c.undecided, (unsigned long long)c.signatures);
		put_notification(&s->json, "norn/undecided", "warning", text);
	}
	if (c.held) {
		snprintf(text, sizeof(text),
			 "%llu of %llu candidates are refuted only because of dependences that "
			 "were not followed; they may be findings.",
			 (unsigned long long)c.held, (unsigned long long)c.signatures);
		put_notification(&s->json, "norn/held", "warning", text);
	}
	if (left_out) {
		snprintf(text, sizeof(text), "%llu more results are left out; JSON has them.",
			 (unsigned long long)left_out);
		put_notification(&s->json, "norn/left-out", "warning", text);
	}
	if (reader_cut(p->index->reader))
		put_notification(&s->json, "norn/cut", "warning", reader_cut(p->index->reader));
	for (size_t i = 0; story_lost(p, i); i++)
		put_notification(&s->json, "norn/stopped", "warning", story_lost(p, i));
	json_close(&s->json, ']');
	json_close(&s->json, '}');
	json_close(&s->json, ']');
}

/* Those that are suppressed come last, and are the first to be left out. */
static void put_findings(struct sarif *s, bool suppressed, uint64_t *room)
{
	const struct prediction *p = s->story.prediction;

	for (size_t i = 0; i < p->findings.n && *room; i++) {
		struct finding *f = &p->findings.at[i];

		if (f->suppressed != suppressed)
			continue;
		--*room;
		finding_open(f);
		story_turn_to(&s->story, f);
		put_result(s, f);
		finding_close(f);
	}
}

static void write_sarif(const struct prediction *p, const struct report_options *o,
			struct output *out)
{
	struct sarif s = {.options = o, .json = {.out = out}};
	struct json *json = &s.json;
	uint64_t count = p->seen.at.n + p->findings.n, room = RESULTS_MOST;

	story_init(&s.story, p);
	json_open(json, NULL, '{');
	json_string(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_string(json, "version", "2.1.0");
	json_open(json, "runs", '[');
	json_open(json, NULL, '{');
	json_open(json, "tool", '{');
	json_open(json, "driver", '{');
	json_string(json, "name", "Norn");
	json_string(json, "version", o->version);
	json_string(json, "semanticVersion", o->version);
	size_t before_seen = put_rules(json);

	json_close(json, '}');
	json_close(json, '}');
	put_invocation(&s, count > RESULTS_MOST ? count - RESULTS_MOST : 0);
	json_open(json, "results", '[');
	for (size_t i = 0; i < p->seen.at.n && room; i++, room--) {
		enum seen_kind kind = p->seen.at.at[i].kind;

		sarif_seen(&s, &p->seen.at.at[i], seen_rules[kind].id, before_seen + kind);
	}
	put_findings(&s, false, &room);
	put_findings(&s, true, &room);
	json_close(json, ']');
	json_close(json, '}');
	json_close(json, ']');
	json_close(json, '}');
	story_release(&s.story);
	intern_release(&s.places);
	vec_release(&s.repeated);
}

const struct report_kind report_sarif = {
	.name = "sarif",
	.title = "SARIF 2.1.0, for code scanning",
	.write = write_sarif,
};
