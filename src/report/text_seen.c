/* SPDX-License-Identifier: MIT */
/* The first part of the text report: what the recorded run itself did wrong. */
#include "report/seen.h"
#include "report/text.h"

#include <ctype.h>

static void put_frame(struct text *t, const struct seen_step *step)
{
	struct location l = location_split(step->location ? step->location : "");

	output_text(t->out, "    #0 ");
	if (l.function) {
		text_put(t->out, l.function);
		output_char(t->out, ' ');
	}
	if (!step->location)
		output_text(t->out, "an unknown place");
	for (size_t i = 0; i < l.file_length; i++)
		output_char(t->out, l.file[i]);
	if (l.line)
		output_format(t->out, ":%u", l.line);
	if (l.column)
		output_format(t->out, ":%u", l.column);
	output_char(t->out, '\n');
}

/* A heading and a frame; of what only tells more of it, a line. */
static void put_step(struct text *t, const struct seen *f, size_t i)
{
	const struct seen_step *step = &f->steps.at[i];
	char text[2048];

	seen_describe(step, text, sizeof(text));
	if (!seen_is_main(f, i)) {
		output_text(t->out, "    ");
		text_put(t->out, text);
		seen_place(step, text, sizeof(text));
		output_text(t->out, ", at ");
		text_put(t->out, text);
		output_char(t->out, '\n');
		return;
	}
	output_text(t->out, i ? "\n  " : "  ");
	text_colour(t, "1;34");
	*text = (char)toupper((unsigned char)*text);
	text_put(t->out, text);
	output_char(t->out, ':');
	text_colour(t, "0");
	output_char(t->out, '\n');
	put_frame(t, step);
}

static void put_last_line(struct text *t, const struct seen *f)
{
	char text[2048];

	output_format(t->out, "\nSUMMARY: Norn: %s", seen_kind_title[f->kind]);
	for (size_t i = 0; i < f->steps.n; i++) {
		if (!seen_is_main(f, i))
			continue;
		seen_place(&f->steps.at[i], text, sizeof(text));
		output_text(t->out, i ? ", " : ": ");
		text_put(t->out, text);
	}
	output_char(t->out, '\n');
}

void text_seen(struct text *t)
{
	const struct seen_list *list = &t->story.prediction->seen;
	char text[2048];

	for (size_t i = 0; i < list->at.n; i++) {
		const struct seen *f = &list->at.at[i];

		if (f->suppressed)
			continue;
		output_text(t->out, text_rule);
		text_colour(t, "1;31");
		seen_title(f, text, sizeof(text));
		output_text(t->out, "WARNING: Norn: ");
		text_put(t->out, text);
		output_text(t->out, " (seen in the recorded run)");
		text_colour(t, "0");
		output_char(t->out, '\n');
		for (size_t k = 0; k < f->steps.n; k++)
			put_step(t, f, k);
		put_last_line(t, f);
		output_text(t->out, text_rule);
	}
}
