/* SPDX-License-Identifier: MIT */
/* norn predict --why: the dependences that hold candidates back, the most costly first. */
#include "report/text.h"

#define WHY_MOST 20 /* places; JSON has all */
#define FUNCTIONS_MOST 10

static void put_place(struct text *t, uint32_t event)
{
	struct place place = story_place(&t->story, event);

	text_put(t->out, story_line(&t->story, event));
	if (place.function) {
		output_text(t->out, " in ");
		text_put(t->out, place.function);
	}
	if (place.file)
		output_format(t->out, " (event %u)", event);
}

static void put_blamed(struct text *t, const struct blamed *b)
{
	output_text(t->out, "  ");
	text_count(t->out, b->candidates, "candidate");
	if (b->alone && b->alone < b->candidates)
		output_format(t->out, ", %llu by it alone", (unsigned long long)b->alone);
	else
		output_text(t->out, b->alone ? ", by it alone" : ", with others");
	output_text(t->out, ": ");
	put_place(t, b->event);
	output_text(t->out, "\n    ");
	text_put(t->out, story_unfollowed(&t->story, b->event));
	output_char(t->out, '\n');
}

static void put_advice(struct text *t)
{
	const struct story *s = &t->story;
	size_t at = 0, n = 0;
	const char *function;

	if (s->prediction->model == MODEL_MCM) {
		output_text(t->out, "  A trace with branches and their dependences, and model "
				    "values, would decide more.\n");
		return;
	}
	output_text(t->out,
		    "  To follow more: compile with -O1 or above, build libraries with norn "
		    "cc, or describe their\n  functions in an events file "
		    "(norn-events(5); quiet, if they do not order threads).\n");
	if (!(function = story_unknown(s, &at)))
		return;
	output_text(t->out, "  Unknown functions:\n");
	for (; function; function = story_unknown(s, &at)) {
		if (n++ >= FUNCTIONS_MOST)
			continue;
		output_text(t->out, "    ");
		text_put(t->out, function);
		output_char(t->out, '\n');
	}
	if (n > FUNCTIONS_MOST)
		output_format(t->out, "    and %zu more\n", n - FUNCTIONS_MOST);
}

void text_why(struct text *t)
{
	const struct prediction *p = t->story.prediction;

	if (!p->why.n)
		return;
	output_text(t->out, text_rule);
	output_text(t->out, "Dependences that were not followed and hold candidates back:\n");
	for (size_t i = 0; i < p->why.n && i < WHY_MOST; i++)
		put_blamed(t, &p->why.at[i]);
	if (p->why.n > WHY_MOST)
		output_format(t->out, "  and %zu more places\n", p->why.n - WHY_MOST);
	put_advice(t);
	output_text(t->out, text_rule);
}
