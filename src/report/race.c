/* SPDX-License-Identifier: MIT */
/* Data races, and uses after free. */
#include "report/bug.h"

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

/* `Read of x = 1, y = 2` */
static void put_access(struct text *t, const struct event *e)
{
	struct output *out = t->out;
	const char *kind = event_kind_text[e->kind];

	output_format(out, "%c%s", kind[0] - 'a' + 'A', kind + 1);
	if (e->order != ORDER_PLAIN)
		output_format(out, " (%s)", memory_order_text[e->order]);
	output_text(out, " of ");
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);

		output_text(out, i ? ", " : "");
		text_put(out, symbols_name(t->story.symbols, CLASS_VARIABLE, part.variable));
		if (!event_is(e, EV_VALUE))
			continue;
		output_text(out, " = ");
		output_i64(out, part.value);
		if (e->kind == EV_RMW) {
			output_text(out, " to ");
			output_i64(out, part.written);
		}
	}
}

static void put_side(struct text *t, uint32_t event)
{
	const struct event *e = &t->story.index->events[event];

	output_text(t->out, "  ");
	text_colour(t, "1;34");
	put_access(t, e);
	output_text(t->out, " by thread ");
	text_put(t->out, story_thread(&t->story, e->thread));
	output_char(t->out, ':');
	text_colour(t, "0");
	output_char(t->out, '\n');
	text_frame(t, event);
	text_held(t, event);
}

static void put_variable(struct text *t, uint32_t number)
{
	const struct symbols *symbols = t->story.symbols;
	const struct variable *v = symbols_variable(symbols, number);

	if (!(v->flags & VARIABLE_MEMORY))
		return;
	output_text(t->out, "\n  ");
	text_put(t->out, symbols_name(symbols, CLASS_VARIABLE, number));
	output_text(t->out, " is ");
	text_count(t->out, v->size, "byte");
	output_format(t->out, " at 0x%llx of ", (unsigned long long)v->address);
	text_put(t->out, intern_text(&symbols->bases, v->base));
	output_char(t->out, '\n');
}

static void put_next(struct text *t, uint32_t event, uint32_t variable)
{
	const struct event *e = &t->story.index->events[event];

	output_text(t->out, "  next: thread ");
	text_put(t->out, story_thread(&t->story, e->thread));
	output_format(t->out, " %s ", story_verb(e));
	text_put(t->out, symbols_name(t->story.symbols, CLASS_VARIABLE, variable));
	output_text(t->out, " at ");
	text_put(t->out, story_line(&t->story, event));
	output_char(t->out, '\n');
}

static void put_block(struct text *t, const struct finding *f)
{
	uint32_t a = (uint32_t)f->witness.bug_events.at[0];
	uint32_t b = (uint32_t)f->witness.bug_events.at[1];
	uint32_t variable = variable_of(&t->story, f);
	const struct event *events = t->story.index->events;

	put_side(t, a);
	output_char(t->out, '\n');
	put_side(t, b);
	put_variable(t, variable);
	text_creation(t, events[a].thread);
	text_creation(t, events[b].thread);
	text_witness(t, &f->witness, "both accesses are next");
	put_next(t, a, variable);
	put_next(t, b, variable);
}

static void put_subject(struct text *t, const struct finding *f)
{
	output_text(t->out, " on ");
	text_put(t->out, symbols_name(t->story.symbols, CLASS_VARIABLE, variable_of(&t->story, f)));
}

/* JSON */

static void put_before(struct story *s, struct json *json, const struct finding *f)
{
	json_string(json, "variable", symbols_name(s->symbols, CLASS_VARIABLE, variable_of(s, f)));
}

const struct bug_report bug_report_race = {
	.forms = forms,
	.form_count = FORM_COUNT,
	.form = form_of,
	.put_subject = put_subject,
	.put_block = put_block,
	.seen = "the recorded run had this race, too; nothing in it ordered the two places.",
	.put_before = put_before,
};
