/* SPDX-License-Identifier: MIT */
/* The witness of a finding as a short interleaving. */
#include "report/text.h"

#include <string.h>

#define STEPS_ALL 24  /* so many are shown in full, */
#define STEPS_LAST 20 /* or of more these at the end */
#define CHANGED_MAX 3

static void put_changed(struct text *t, const struct witness *w, const struct steps *steps,
			const struct step *step, size_t *next)
{
	int shown = 0;

	while (*next < steps->changed.n && steps->changed.at[*next].at < step->first)
		++*next;
	for (; *next < steps->changed.n && steps->changed.at[*next].at < step->end; ++*next) {
		const struct changed_read *c = &steps->changed.at[*next];

		if (++shown > CHANGED_MAX)
			continue;
		output_text(t->out, "       reads ");
		text_put(t->out, symbols_name(t->story.symbols, CLASS_VARIABLE, c->variable));
		output_text(t->out, " at ");
		text_put(t->out, story_line(&t->story, (uint32_t)witness_event(w, c->at)));
		output_text(t->out, c->writer ? " as written at " : " as it was at the start");
		if (c->writer)
			text_put(t->out, story_line(&t->story, c->writer));
		output_text(t->out, ", recorded ");
		output_text(t->out, c->recorded ? "as written at " : "as it was at the start");
		if (c->recorded)
			text_put(t->out, story_line(&t->story, c->recorded));
		output_char(t->out, '\n');
	}
	if (shown > CHANGED_MAX) {
		output_text(t->out, "       and ");
		text_count(t->out, (uint64_t)(shown - CHANGED_MAX), "more read");
		output_text(t->out, " of another write than recorded\n");
	}
}

static void put_others(struct text *t, const struct witness *w, const struct steps *steps,
		       const struct step *step)
{
	for (size_t i = 0; i < steps->others.n; i++) {
		size_t at = steps->others.at[i];

		if (at < step->first || at >= step->end)
			continue;
		output_text(t->out, "       takes the other path at ");
		text_put(t->out, story_line(&t->story, (uint32_t)witness_event(w, at)));
		output_char(t->out, '\n');
	}
}

/* `a.c:10 … a.c:22`, the first and the last that have one. */
static void put_range(struct text *t, const struct witness *w, const struct step *step)
{
	const struct event *events = t->story.index->events;
	size_t first = step->first, last = step->end - 1;

	while (first < last && !events[witness_event(w, first)].location)
		first++;
	while (last > first && !events[witness_event(w, last)].location)
		last--;
	if (!events[witness_event(w, first)].location) {
		first = step->first;
		last = step->end - 1;
	}
	const char *from = story_line(&t->story, (uint32_t)witness_event(w, first));
	const char *to = story_line(&t->story, (uint32_t)witness_event(w, last));

	text_put(t->out, from);
	if (!strcmp(from, to))
		return;
	output_text(t->out, " … ");
	text_put(t->out, to);
}

static void put_step(struct text *t, const struct witness *w, const struct step *step,
		     size_t number)
{
	struct step_notes notes;

	story_notes(&t->story, w, step, &notes);
	output_format(t->out, "  %3zu. thread ", number);
	text_put(t->out, story_who(&t->story, step->thread));
	output_text(t->out, ": ");
	text_count(t->out, step->end - step->first, "event");
	output_text(t->out, ", ");
	put_range(t, w, step);
	for (uint32_t i = 0; i < notes.count; i++) {
		const struct event *e = &t->story.index->events[notes.events[i]];

		output_format(t->out, ", %s", story_verb(e));
		if (*story_object(&t->story, e)) {
			output_char(t->out, ' ');
			text_put(t->out, story_object(&t->story, e));
		}
	}
	if (notes.more)
		output_text(t->out, ", and more");
	output_char(t->out, '\n');
}

/* The part that is not shown: as recorded as far as it is, then the rest. */
static void put_summary(struct text *t, const struct witness *w, const struct steps *steps,
			size_t shown)
{
	size_t end = shown < steps->all.n ? steps->all.at[shown].first : witness_length(w);
	size_t recorded = steps->ascending < end ? steps->ascending : end;
	uint64_t last = witness_event(w, recorded - 1);

	if (recorded == last) {
		output_format(t->out, "       as recorded up to event %llu\n",
			      (unsigned long long)last);
	} else {
		output_text(t->out, "       ");
		text_count(t->out, recorded, "event");
		output_format(t->out, " in the order of the trace, up to event %llu\n",
			      (unsigned long long)last);
	}
	if (recorded < end) {
		output_text(t->out, "       ");
		text_count(t->out, end - recorded, "event");
		output_text(t->out, " in another order, not shown\n");
	}
}

void text_witness(struct text *t, const struct witness *w, const char *what_is_next)
{
	struct steps steps;
	size_t next_changed = 0;

	story_steps(&t->story, w, &steps);
	size_t shown = steps.all.n > STEPS_ALL ? steps.all.n - STEPS_LAST : 0;

	output_text(t->out, "\n  Why it can happen: ");
	if (!witness_length(w)) {
		output_format(t->out, "at the start %s.\n", what_is_next);
	} else {
		output_text(t->out, "after ");
		text_count(t->out, witness_length(w), "event");
		output_text(t->out, " of ");
		text_count(t->out, steps.threads, "thread");
		output_format(t->out, " %s.\n", what_is_next);
	}
	if (shown || w->recorded)
		put_summary(t, w, &steps, shown);
	for (size_t i = shown; i < steps.all.n; i++) {
		put_step(t, w, &steps.all.at[i], i + 1);
		put_changed(t, w, &steps, &steps.all.at[i], &next_changed);
		put_others(t, w, &steps, &steps.all.at[i]);
	}
	steps_release(&steps);
}
