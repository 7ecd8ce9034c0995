/* SPDX-License-Identifier: MIT */
/* The report for people, in the manner of ThreadSanitizer: a block for each finding, then counts.
 */
#include "base/harmless.h"
#include "predict/candidates.h"
#include "report/bug.h"
#include "report/merged.h"

#include <string.h>

/* Pieces */

void text_put(struct output *out, const char *text)
{
	harmless_put(out, text, strlen(text));
}

void text_count(struct output *out, uint64_t n, const char *what)
{
	output_format(out, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

void text_colour(const struct text *t, const char *code)
{
	if (t->options->colour)
		output_format(t->out, "\033[%sm", code);
}

/* `FUNCTION FILE:LINE:COLUMN` */
static void put_place(struct text *t, const struct place *place)
{
	if (place->function) {
		text_put(t->out, place->function);
		output_char(t->out, ' ');
	}
	if (place->file)
		text_put(t->out, place->file);
	if (place->line)
		output_format(t->out, ":%u", place->line);
	if (place->column)
		output_format(t->out, ":%u", place->column);
}

void text_callers(struct text *t, uint32_t event, const char *before)
{
	const struct callers *callers = &t->story.callers;
	const struct caller *c = callers_of(callers, event);

	for (uint32_t i = 1; c; c = callers_next(callers, c), i++) {
		if (i > CALLERS_MOST) {
			output_format(t->out, "%s…\n", before);
			return;
		}
		struct place place = story_place_of(&t->story, c->text);

		output_format(t->out, "%s#%u ", before, i);
		put_place(t, &place);
		output_char(t->out, '\n');
	}
}

void text_frame(struct text *t, uint32_t event)
{
	struct place place = story_place(&t->story, event);

	output_text(t->out, "    #0 ");
	put_place(t, &place);
	output_format(t->out, place.file ? " (event %u)\n" : "event %u\n", event);
	text_callers(t, event, "    ");
}

void text_held(struct text *t, uint32_t event)
{
	story_locks held = {0};

	story_held(&t->story, event, &held);
	for (size_t i = 0; i < held.n; i++) {
		output_text(t->out, "    holds ");
		text_put(t->out, symbols_name(t->story.symbols, CLASS_LOCK, held.at[i].lock));
		output_text(t->out, held.at[i].shared ? " (shared), taken at " : ", taken at ");
		text_put(t->out, story_line(&t->story, held.at[i].acquire));
		output_char(t->out, '\n');
		text_callers(t, held.at[i].acquire, "      ");
	}
	vec_release(&held);
}

/* What the thread is in OpenMP, as the recorder says it: NAME worker|team|task NUMBER. */
static void text_role(struct text *t, uint32_t thread)
{
	const char *name = story_thread(&t->story, thread), *role;
	size_t length = strlen(name);

	for (size_t i = 0; (role = symbols_meta(t->story.symbols, META_OPENMP, i)); i++) {
		if (strncmp(role, name, length) || role[length] != ' ')
			continue;
		role += length + 1;
		if (!strncmp(role, "task", 4))
			output_text(t->out, " (an OpenMP task)");
		else if (!strncmp(role, "worker ", 7))
			output_format(t->out, " (worker %s of the OpenMP region)", role + 7);
		else if (!strncmp(role, "team ", 5))
			output_format(t->out, " (team %s of the OpenMP region)", role + 5);
		return;
	}
}

void text_creation(struct text *t, uint32_t thread)
{
	uint32_t fork = t->story.index->threads[thread].fork;

	if (!fork)
		return;
	output_text(t->out, "\n  Thread ");
	text_put(t->out, story_who(&t->story, thread));
	text_role(t, thread);
	output_text(t->out, " created by thread ");
	text_put(t->out, story_who(&t->story, t->story.index->events[fork].thread));
	output_text(t->out, " at:\n");
	text_frame(t, fork);
}

/* Findings */

const char text_rule[] = "==================\n";

/* What it starts with, its colour, and what is said of how it was proved. */
static const struct {
	const char *word, *colour, *proof;
} headings[VERDICT_COUNT] = {
	[VERDICT_CONFIRMED] = {"WARNING", "1;31", "confirmed: certified and replayed"},
	[VERDICT_CERTIFIED] = {"WARNING", "1;31", "certified"},
	[VERDICT_CONDITIONAL] = {"CONDITIONAL", "1;33",
				 "certified by a record that lacks something"},
};

static void put_heading(struct text *t, const struct finding *f)
{
	enum verdict verdict = finding_verdict(f);

	text_colour(t, headings[verdict].colour);
	output_format(t->out, "%s: Norn: %s", headings[verdict].word,
		      bug_form_of(&t->story, f)->title);
	const char *variable = bug_variable_of(&t->story, f);

	if (variable) {
		output_text(t->out, " on ");
		text_put(t->out, variable);
	}
	if (bug_report_of(f)->put_subject)
		bug_report_of(f)->put_subject(t, f);
	output_format(t->out, " (%s", headings[verdict].proof);
	if (verdict == VERDICT_CERTIFIED && f->replayed.tried)
		output_text(t->out, "; not replayed");
	const struct predict_kind *kind = predict_kind_of(f->witness.bug);

	if (kind && f->instances > 1) {
		output_text(t->out, "; one of ");
		text_count(t->out, f->instances, kind->instance);
		output_text(t->out, " like it");
	}
	output_char(t->out, ')');
	text_colour(t, "0");
	output_char(t->out, '\n');
}

/* Threads often run the same code. */
static bool was_named(struct text *t, const event_numbers *events, size_t i)
{
	uint32_t location = t->story.index->events[events->at[i]].location;

	for (size_t k = 0; k < i && location; k++)
		if (t->story.index->events[events->at[k]].location == location)
			return true;
	return false;
}

#define RELIES_MOST 8 /* of many functions; JSON has all */

/* Something else that the record says that it lacks is said first, and is enough. */
static void put_relies_on(struct text *t, const struct finding *f)
{
	size_t at = 0;
	uint64_t count = 0;
	const char *function;

	output_text(t->out, "  Relies on: ");
	if (f->relies) {
		text_put(t->out, symbols_meta(t->story.symbols, META_RELIES_ON, 0));
		output_text(t->out, ": the record does not show the order that this makes\n");
		return;
	}
	while ((function = story_unknown(&t->story, &at)))
		if (count++ < RELIES_MOST) {
			output_text(t->out, count > 1 ? ", " : "");
			text_put(t->out, function);
		}
	if (count > RELIES_MOST)
		output_format(t->out, " and %llu more", (unsigned long long)(count - RELIES_MOST));
	output_text(t->out, count ? ": it is not known what these functions do\n"
				  : "something that the record does not show\n");
}

/* That the recorded run had it, too. */
static void put_seen(struct text *t, const struct finding *f)
{
	if (f->seen && bug_report_of(f)->seen)
		output_format(t->out, "\n  Seen: %s\n", bug_report_of(f)->seen);
}

static void put_replayed(struct text *t, const struct finding *f)
{
	static const char *const words[VERDICT_COUNT] = {
		[VERDICT_CONFIRMED] = "Replayed",
		[VERDICT_CERTIFIED] = "Not replayed",
		[VERDICT_CONDITIONAL] =
			"Took another path twice, but the recorded schedule was replayed",
	};
	const struct finding_replayed *r = &f->replayed;
	enum verdict verdict = finding_verdict(f);

	if (!r->tried && verdict == VERDICT_CONDITIONAL) {
		output_char(t->out, '\n');
		put_relies_on(t, f);
	}
	if (!r->tried)
		return;
	if (verdict == VERDICT_CONDITIONAL && !r->other_way)
		verdict = VERDICT_CERTIFIED;
	output_format(t->out, "\n  %s: ", words[verdict]);
	text_put(t->out, r->text);
	output_char(t->out, '\n');
	for (size_t i = 0; i < sizeof(r->follows) / sizeof(*r->follows); i++) {
		if (!r->follows[i])
			continue;
		output_text(t->out, "    ");
		text_put(t->out, r->follows[i]);
		output_char(t->out, '\n');
	}
	if (finding_verdict(f) == VERDICT_CONDITIONAL)
		put_relies_on(t, f);
	if (f->evidence) {
		output_text(t->out,
			    "  A second chance: the record holds this finding back, but a replay "
			    "reached it. The trace of ");
		output_text(t->out,
			    bug_facts[f->witness.bug].blocks ? "a run close to it" : "that run");
		output_text(t->out, " certifies it: ");
		text_put(t->out, f->evidence->trace);
		output_char(t->out, '\n');
	}
	if (!r->again)
		return;
	output_text(t->out, "  See it again: ");
	text_put(t->out, r->again);
	output_char(t->out, '\n');
}

static void put_places(struct text *t, const struct finding *f)
{
	event_numbers events = {0};

	story_events(&t->story, f, &events);
	for (size_t i = 0; i < events.n; i++) {
		struct place place = story_place(&t->story, events.at[i]);

		if (bug_report_of(f)->places_once && was_named(t, &events, i))
			continue;
		output_text(t->out, i ? ", " : ": ");
		text_put(t->out, place.file ? story_line(&t->story, events.at[i]) : place.text);
		if (place.function) {
			output_text(t->out, " in ");
			text_put(t->out, place.function);
		}
	}
	vec_release(&events);
}

static void turn_to(struct text *t, struct finding *f)
{
	finding_open(f);
	story_turn_to(&t->story, f);
}

static void turn_from(struct text *t, struct finding *f)
{
	finding_close(f);
	arena_reset(&t->story.text);
}

#define OTHERS_MOST 8

/* Where else the same bug shows; of what, if that is another part of the same, and how well that is
 * proved, if that is another verdict. */
static void put_others(struct text *t, const uint32_t *groups, size_t first, const char *told)
{
	const struct prediction *p = t->story.prediction;
	size_t others = 0;

	for (size_t i = first + 1; i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		if (groups[i] != groups[first] || others++ >= OTHERS_MOST)
			continue;
		turn_to(t, f);
		const char *variable = bug_variable_of(&t->story, f);

		output_text(t->out, others == 1 ? "\n  Also" : "  Also");
		if (variable && told && strcmp(variable, told) != 0) {
			output_text(t->out, " on ");
			text_put(t->out, variable);
		}
		put_places(t, f);
		if (finding_verdict(f) != finding_verdict(&p->findings.at[first]))
			output_format(t->out, " (%s)", verdict_text[finding_verdict(f)]);
		output_char(t->out, '\n');
		turn_from(t, f);
	}
	if (others > OTHERS_MOST) {
		output_text(t->out, "  and ");
		text_count(t->out, others - OTHERS_MOST, "more finding");
		output_text(t->out, " like these; --json has all\n");
	}
}

/* The first of a group and the places of the rest of it. */
static void put_group(struct text *t, const uint32_t *groups, size_t first)
{
	struct finding *f = &t->story.prediction->findings.at[first];

	output_text(t->out, text_rule);
	turn_to(t, f);
	const char *variable = bug_variable_of(&t->story, f);

	put_heading(t, f);
	bug_report_of(f)->put_block(t, f);
	put_seen(t, f);
	put_replayed(t, f);
	turn_from(t, f);
	put_others(t, groups, first, variable);
	if (finding_verdict(f) != VERDICT_CONDITIONAL) {
		turn_to(t, f);
		output_format(t->out, "\nSUMMARY: Norn: %s", bug_form_of(&t->story, f)->title);
		put_places(t, f);
		output_char(t->out, '\n');
		turn_from(t, f);
	}
	output_text(t->out, text_rule);
}

/* One bug is told once, with the best of its findings, which comes first. */
static uint64_t put_groups(struct text *t)
{
	const struct prediction *p = t->story.prediction;
	uint64_t most = t->options->most, count = 0;
	uint32_t *groups = mem_alloc(p->findings.n * sizeof(*groups) + 1), next = 0;

	story_groups(&t->story, groups);
	for (size_t i = 0; i < p->findings.n; i++) {
		bool is_first = groups[i] == next;

		next += is_first;
		if (!is_first || p->findings.at[i].suppressed || (most && ++count > most))
			continue;
		put_group(t, groups, i);
	}
	mem_free(groups);
	return count > most ? count - most : 0;
}

static void write_text(const struct prediction *p, const struct report_options *o,
		       struct output *out)
{
	struct text t = {.options = o, .out = out};

	story_init(&t.story, p);
	text_seen(&t);
	uint64_t left_out = put_groups(&t);

	if (left_out) {
		text_count(out, left_out, "more finding");
		output_text(out, " not shown (--max-findings)\n");
	}
	story_turn_to(&t.story, NULL);
	text_why(&t);
	text_counts(&t);
	story_release(&t.story);
}

const struct report_kind report_text = {
	.name = "text",
	.title = "text in the style of ThreadSanitizer",
	.write = write_text,
	.render = merged_put_text,
};
