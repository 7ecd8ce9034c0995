/* SPDX-License-Identifier: MIT */
#include "predict/candidates.h"
#include "report/bug.h"
#include "report/alike.h"

/* What is suppressed, and what is only possible, is no part of what is told as a bug. */
static char apart_of(const struct finding *f)
{
	if (f->suppressed)
		return 's';
	return finding_verdict(f) == VERDICT_CONDITIONAL ? 'c' : '-';
}

static void add(struct story *s, struct alike *g, const struct finding *f, event_numbers *events)
{
	const char *variable = bug_variable_of(s, f);

	alike_add(g, bug_form_of(s, f)->title, apart_of(f), variable ? variable : "");
	story_events(s, f, events);
	for (size_t i = 0; i < events->n; i++) {
		struct place place = story_place(s, events->at[i]);

		alike_side(g, place.file ? place.text : "", place.file ? place.file : "",
			   place.function ? place.function : "");
	}
}

void story_groups(struct story *s, uint32_t *groups)
{
	struct alike g = {0};
	event_numbers events = {0};

	for (size_t i = 0; i < s->prediction->findings.n; i++) {
		struct finding *f = &s->prediction->findings.at[i];

		finding_open(f);
		story_turn_to(s, f);
		add(s, &g, f, &events);
		finding_close(f);
		arena_reset(&s->text);
	}
	story_turn_to(s, NULL);
	alike_number(&g, groups);
	vec_release(&events);
}
