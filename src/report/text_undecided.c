/* SPDX-License-Identifier: MIT */
/* Candidates that are undecided: why, what they are, and what may decide them. */
#include "report/sarif.h"
#include "report/text.h"

#include <string.h>

#define SHOWN_MOST 3 /* of one reason */

/* What to try; by a part of the reason. */
static const struct {
	const char *part, *advice;
} advices[] = {
	{"time", "--budget gives each candidate more time, --time all of them"},
	{"no answer within", "--budget gives each candidate more time"},
	{"too far", "a shorter run has less between the two places"},
	{"too large", "a shorter run has less between the two places"},
	{"memory", "--max-memory allows more"},
	{"too many threads", "a run with fewer threads may decide it"},
};

static const char *advice_for(const char *why)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++)
		if (strstr(why, advices[i].part))
			return advices[i].advice;
	return NULL;
}

/* `write of x by thread t1 at a.c:3, read of x by thread t2 at a.c:5` */
static void put_candidate(struct text *t, const struct undecided *u)
{
	if (!u->closest.count)
		return;
	output_format(t->out, "    %s: ", bug_kind_text[u->bug]);
	for (uint32_t i = 0; i < u->closest.count; i++) {
		uint32_t event = (uint32_t)u->closest.at[i];

		output_text(t->out, i ? ", " : "");
		text_put(t->out, sarif_describe(&t->story, event));
		output_text(t->out, " at ");
		text_put(t->out, story_line(&t->story, event));
	}
	if (u->property) {
		output_text(t->out, " (");
		text_put(t->out, u->property->text);
		output_char(t->out, ')');
	}
	output_char(t->out, '\n');
}

static void put_reason(struct text *t, const char *why, uint64_t count)
{
	const struct prediction *p = t->story.prediction;
	uint64_t shown = 0;

	output_format(t->out, "  %llu undecided: ", (unsigned long long)count);
	text_put(t->out, *why ? why : "no reason was given");
	if (advice_for(why))
		output_format(t->out, "; %s", advice_for(why));
	output_char(t->out, '\n');
	for (size_t i = 0; i < p->undecided.n && shown < SHOWN_MOST; i++) {
		if (strcmp(p->undecided.at[i].why, why))
			continue;
		put_candidate(t, &p->undecided.at[i]);
		shown++;
	}
	if (count > shown && shown)
		output_format(t->out, "    and %llu more; the JSON report has all\n",
			      (unsigned long long)(count - shown));
}

void text_undecided(struct text *t)
{
	const struct prediction *p = t->story.prediction;
	struct intern reasons = {0};
	VEC(uint64_t) counts = {0};

	story_turn_to(&t->story, NULL);
	for (size_t i = 0; i < p->undecided.n; i++) {
		const char *why = p->undecided.at[i].why;
		uint32_t number = intern_add(&reasons, why, strlen(why));

		vec_extend(&counts, (size_t)number + 1);
		counts.at[number]++;
	}
	for (size_t i = 0; i < counts.n; i++)
		put_reason(t, intern_text(&reasons, (uint32_t)i), counts.at[i]);
	intern_release(&reasons);
	vec_release(&counts);
}
