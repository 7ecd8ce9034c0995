/* SPDX-License-Identifier: MIT */
/* The end of the text report: what was decided, what was not and why, what was suppressed. */
#include "predict/suppress.h"
#include "report/text.h"

#include <string.h>

static void put_suppressions(struct text *t)
{
	const struct suppressions *s = t->options->suppressions;
	uint64_t idle = 0;

	for (size_t i = 0; s && i < s->all.n; i++) {
		const struct suppression *at = &s->all.at[i];

		if (!at->matched) {
			idle++;
			continue;
		}
		output_format(t->out, "  %llu suppressed: %s:", (unsigned long long)at->matched,
			      suppression_type_text[at->type]);
		text_put(t->out, at->pattern);
		output_text(t->out, " (");
		text_put(t->out, at->file);
		output_format(t->out, ":%llu)\n", (unsigned long long)at->line);
	}
	if (!idle)
		return;
	output_text(t->out, "  ");
	text_count(t->out, idle, "suppression");
	output_text(t->out, " matched nothing\n");
}

static void put_lost(struct text *t)
{
	const char *lost;

	for (size_t i = 0; (lost = story_lost(t->story.prediction, i)); i++) {
		output_text(t->out, "The recording is not complete: ");
		text_put(t->out, lost);
		output_char(t->out, '\n');
	}
}

static void put_kept(struct text *t)
{
	uint64_t kept = story_kept(t->story.prediction);

	if (!kept)
		return;
	output_text(t->out, "The recorded order was kept at ");
	text_count(t->out, kept, "place");
	output_text(t->out, ", where code without hooks may order threads; see norn-record(1).\n");
}

static void put_conditional(struct text *t, uint64_t count)
{
	if (count)
		output_format(t->out, "  %llu undecided: conditional, because %s\n",
			      (unsigned long long)count,
			      symbols_meta(t->story.symbols, META_RELIES_ON, 0)
				      ? "the record does not show all that may order threads"
				      : "the program does not follow the schedule");
}

/* In mcm it is not the record that does not know: nobody asks it. */
static void put_held(struct text *t, uint64_t count)
{
	const struct prediction *p = t->story.prediction;
	const char *why = p->model == MODEL_MCM
				  ? "because model mcm assumes a branch after every read"
				  : "because of dependences that were not followed";

	if (count)
		output_format(t->out, "  %llu refuted only %s%s\n", (unsigned long long)count, why,
			      p->why.n ? "" : "; --why lists them");
	if (p->not_asked_again)
		output_format(t->out, "  %llu refuted, perhaps only %s: no time was left\n",
			      (unsigned long long)p->not_asked_again, why);
}

static void put_second_chance(struct text *t)
{
	const struct second_chance *second = &t->story.prediction->second;

	if (!second->asked_for)
		return;
	output_text(t->out, "  second chance: ");
	if (*second->why) {
		output_text(t->out, "not possible here: ");
		text_put(t->out, second->why);
	} else {
		text_count(t->out, second->tried, "candidate");
		output_format(t->out, " replayed, %llu confirmed",
			      (unsigned long long)second->confirmed);
		if (second->left)
			output_format(t->out, ", no time for %llu more",
				      (unsigned long long)second->left);
	}
	output_char(t->out, '\n');
}

/* `race, deadlock and stuck` */
static void put_bugs(struct text *t)
{
	const struct prediction *p = t->story.prediction;
	int count = 0, at = 0;

	for (int bug = 0; bug < BUG_COUNT; bug++)
		count += p->kinds[bug].asked_for;
	for (int bug = 0; bug < BUG_COUNT; bug++) {
		if (!p->kinds[bug].asked_for)
			continue;
		output_text(t->out, !at ? "" : at + 1 < count ? ", " : " and ");
		output_text(t->out, bug_kind_text[bug]);
		at++;
	}
}

/* The last word: does the list above hold all there is among the candidates? */
static void put_verdict(struct text *t, const struct counts *c)
{
	const struct prediction *p = t->story.prediction;

	if (c->unseen) {
		output_text(t->out, p->out_of_time   ? "Out of time: "
				    : p->interrupted ? "Interrupted: "
						     : "");
		text_count(t->out, c->unseen, "candidate");
		output_text(t->out, c->unseen == 1 ? " was" : " were");
		output_text(t->out, " not looked at; there may be more findings.\n");
	} else if (c->undecided) {
		output_text(t->out, p->out_of_time   ? "Out of time"
				    : p->interrupted ? "Interrupted"
						     : "Not complete");
		output_text(t->out, ": undecided candidates may be findings.\n");
	} else if (c->held || p->not_asked_again) {
		output_text(t->out, "Candidates that are held back may be findings; all others are "
				    "decided.\n");
	} else if (c->complete) {
		output_text(t->out, "Every candidate is decided: ");
		put_bugs(t);
		output_text(t->out, ", of this record, under sequential consistency.\n");
	} else {
		output_text(t->out, "The recorded part is decided; the missing part may have "
				    "findings.\n");
	}
	put_kept(t);
	put_lost(t);
	if (reader_cut(p->index->reader)) {
		output_text(t->out, "The trace is cut short: ");
		text_put(t->out, reader_cut(p->index->reader));
		output_char(t->out, '\n');
	}
}

static void put_counts(struct text *t, const struct counts *c)
{
	output_format(t->out, "%llu proved", (unsigned long long)c->proved);
	if (c->suppressed)
		output_format(t->out, " (%llu suppressed)", (unsigned long long)c->suppressed);
	output_format(t->out, ", %llu refuted, %llu undecided", (unsigned long long)c->refuted,
		      (unsigned long long)c->undecided);
	if (c->unseen)
		output_format(t->out, ", %llu not looked at", (unsigned long long)c->unseen);
	output_char(t->out, '\n');
}

/* A line for each kind of bug, if several have candidates. */
static void put_kinds(struct text *t)
{
	const struct prediction *p = t->story.prediction;
	int kinds = 0;

	for (int bug = 0; bug < BUG_COUNT; bug++)
		kinds += p->kinds[bug].signatures > 0;
	for (int bug = 0; kinds > 1 && bug < BUG_COUNT; bug++) {
		struct counts c = story_counts(p, (enum bug_kind)bug);

		if (!c.signatures)
			continue;
		output_format(t->out, "  %s: ", bug_kind_text[bug]);
		text_count(t->out, c.signatures, "candidate");
		output_text(t->out, ", ");
		put_counts(t, &c);
	}
}

static void put_seen(struct text *t)
{
	const struct seen_list *seen = &t->story.prediction->seen;
	uint64_t suppressed = 0;

	for (size_t i = 0; i < seen->at.n; i++)
		suppressed += seen->at.at[i].suppressed;
	if (!seen->at.n)
		return;
	output_text(t->out, "Norn: ");
	text_count(t->out, seen->at.n, "finding");
	output_text(t->out, " seen in the recorded run");
	if (suppressed)
		output_format(t->out, " (%llu suppressed)", (unsigned long long)suppressed);
	output_char(t->out, '\n');
}

void text_counts(struct text *t)
{
	const struct prediction *p = t->story.prediction;
	struct counts c = story_counts(p, BUG_COUNT);

	put_seen(t);
	output_text(t->out, "Norn: ");
	text_count(t->out, c.signatures, "candidate");
	output_format(t->out, ", model %s: ", model_text[p->model]);
	put_counts(t, &c);
	put_kinds(t);
	text_undecided(t);
	put_conditional(t, c.conditional);
	put_held(t, c.held);
	put_second_chance(t);
	put_suppressions(t);
	put_verdict(t, &c);
}
