/* SPDX-License-Identifier: MIT */
#include "cmd/verbose.h"

#include "base/strbuf.h"
#include "cmd/cmd.h"

static enum answer answer_of(const struct tier *t)
{
	return t->proved ? PROVED : t->undecided ? UNDECIDED : REFUTED;
}

static void add_engine(struct strbuf *l, const struct tier *t, const struct engine_effort *effort,
		       const char *gave_up)
{
	enum answer answer = answer_of(t);

	strbuf_add(l, "; %s: %s in %.3f s", t->engine, engine_answer_text[answer], t->seconds);
	if (t->asked > 1)
		strbuf_add(l, ", asked %llu times", (unsigned long long)t->asked);
	if (effort->cone)
		strbuf_add(l, ", %llu decisions, %llu conflicts, cone of %u events",
			   (unsigned long long)effort->decisions,
			   (unsigned long long)effort->conflicts, effort->cone);
	if (answer == UNDECIDED)
		strbuf_add(l, " (%s)", gave_up);
}

void verbose_tell(enum bug_kind bug, const struct search_result *r)
{
	char text[1000];
	struct strbuf line = STRBUF(text);

	strbuf_add(&line, "%s", bug_kind_text[bug]);
	for (uint32_t i = 0; i < r->closest.count; i++)
		strbuf_add(&line, " %llu", (unsigned long long)r->closest.at[i]);
	strbuf_add(&line, ": %s", engine_answer_text[r->answer]);
	if (r->answer == UNDECIDED)
		strbuf_add(&line, ", %s", r->why);
	for (uint32_t i = 0; i < r->tier_count; i++)
		if (r->tiers[i].asked)
			add_engine(&line, &r->tiers[i], &r->efforts[i], r->gave_up[i]);
	say("%s", text);
}
