/* SPDX-License-Identifier: MIT */
/* Data races, and uses after free. */
#include "report/bug.h"
#include "report/json.h"

/* A variable that both accesses are to. */
static uint32_t variable_of(const struct story *s, const struct finding *f)
{
	const struct event *a = &s->index->events[f->witness.bug_events.at[0]];
	const struct event *b = &s->index->events[f->witness.bug_events.at[1]];

	for (uint32_t i = 0; i < event_part_count(a); i++)
		for (uint32_t k = 0; k < event_part_count(b); k++)
			if (event_part(a, i).variable == event_part(b, k).variable)
				return event_part(a, i).variable;
	BUG("a race without a variable");
}

/* Where the block was allocated that it is in, or 0. */
static uint32_t allocation_of(const struct story *s, const struct finding *f)
{
	return story_allocation(s, variable_of(s, f), (uint32_t)f->witness.bug_events.at[0]);
}

enum { FORM_RACE, FORM_USE_AFTER_FREE, FORM_COUNT };

static const struct bug_form forms[FORM_COUNT] = {
	[FORM_RACE] = {"data race",
		       {"norn/data-race", "DataRace", "Data race",
			"Two threads can access the same memory at the same time, and at least one "
			"of them writes. In C and C++ that is undefined behaviour.",
			"The code flow is an execution that ends with both accesses next. Protect "
			"both by one lock, or make both atomic."}},
	[FORM_USE_AFTER_FREE] = {"use after free",
				 {"norn/use-after-free", "UseAfterFree", "Use after free",
				  "One thread can free memory that another one is about to access.",
				  "The code flow is an execution that ends with the free and the "
				  "access both next. Let the last user free it."}},
};

static uint32_t form_of(const struct story *s, const struct finding *f)
{
	for (size_t i = 0; i < f->witness.bug_events.n; i++)
		if (s->index->events[f->witness.bug_events.at[i]].kind == EV_FREE)
			return FORM_USE_AFTER_FREE;
	return FORM_RACE;
}

/* Text */

static void put_next(struct text *t, uint32_t event, uint32_t variable)
{
	const struct event *e = &t->story.index->events[event];

	output_text(t->out, "  next: thread ");
	text_put(t->out, story_who(&t->story, e->thread));
	output_format(t->out, " %s ", story_verb(e));
	text_put(t->out, symbols_name(t->story.symbols, CLASS_VARIABLE, variable));
	output_text(t->out, " at ");
	text_put(t->out, story_line(&t->story, event));
	output_char(t->out, '\n');
}

static void put_advice(struct text *t, uint32_t variable)
{
	const char *advice = story_advice(&t->story, variable);

	if (!advice)
		return;
	output_text(t->out, "\n  Note: ");
	text_put(t->out, advice);
	output_text(t->out, ".\n");
}

static void put_block(struct text *t, const struct finding *f)
{
	uint32_t a = (uint32_t)f->witness.bug_events.at[0];
	uint32_t b = (uint32_t)f->witness.bug_events.at[1];
	uint32_t variable = variable_of(&t->story, f);
	const struct event *events = t->story.index->events;

	text_access(t, a, "");
	output_char(t->out, '\n');
	text_access(t, b, "");
	text_variable(t, variable);
	text_allocation(t, allocation_of(&t->story, f));
	put_advice(t, variable);
	text_creation(t, events[a].thread);
	text_creation(t, events[b].thread);
	text_witness(t, &f->witness, "both accesses are next");
	put_next(t, a, variable);
	put_next(t, b, variable);
	text_clause(t, a, b, symbols_name(t->story.symbols, CLASS_VARIABLE, variable));
}

/* JSON */

static void put_before(struct story *s, struct json *json, const struct finding *f)
{
	uint32_t variable = variable_of(s, f);
	const char *advice = story_advice(s, variable);
	uint32_t allocation = allocation_of(s, f);

	if (allocation)
		story_put_origin(s, json, "allocated", allocation);
	if (advice)
		json_string(json, "note", advice);
}

static const char *note_of(struct story *s, const struct finding *f)
{
	return story_advice(s, variable_of(s, f));
}

/* SARIF */

static void put_related(struct sarif *s, const struct finding *f, uint64_t *id)
{
	uint32_t allocation = allocation_of(&s->story, f);

	if (allocation)
		sarif_related(s, ++*id, allocation, sarif_describe(&s->story, allocation));
}

const struct bug_report bug_report_race = {
	.forms = forms,
	.form_count = FORM_COUNT,
	.form = form_of,
	.variable = variable_of,
	.put_block = put_block,
	.seen = "the recorded run had this race, too; nothing in it ordered the two places.",
	.put_before = put_before,
	.note = note_of,
	.put_related = put_related,
};
