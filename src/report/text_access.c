/* SPDX-License-Identifier: MIT */
/* An access to memory, and the variable that it is to. */
#include "report/text.h"

#include <string.h>

#define ADDRESSES_FROM ((int64_t)1 << 40) /* what is so large is one, as a rule */

static void put_value(struct output *out, int64_t value)
{
	if (value >= ADDRESSES_FROM)
		output_format(out, "0x%llx", (unsigned long long)value);
	else
		output_i64(out, value);
}

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
		put_value(out, part.value);
		if (e->kind == EV_RMW) {
			output_text(out, " to ");
			put_value(out, part.written);
		}
	}
}

void text_access(struct text *t, uint32_t event, const char *more)
{
	const struct event *e = &t->story.index->events[event];

	output_text(t->out, "  ");
	text_colour(t, "1;34");
	put_access(t, e);
	output_text(t->out, " by thread ");
	text_put(t->out, story_who(&t->story, e->thread));
	output_format(t->out, "%s:", more);
	text_colour(t, "0");
	output_char(t->out, '\n');
	text_frame(t, event);
	text_held(t, event);
}

void text_variable(struct text *t, uint32_t number)
{
	const struct symbols *symbols = t->story.symbols;
	const struct variable *v = symbols_variable(symbols, number);

	if (!(v->flags & VARIABLE_MEMORY))
		return;
	output_text(t->out, "\n  ");
	const char *name = symbols_name(symbols, CLASS_VARIABLE, number);
	const char *base = intern_text(&symbols->bases, v->base);

	text_put(t->out, name);
	output_text(t->out, " is ");
	text_count(t->out, v->size, "byte");
	output_format(t->out, " at 0x%llx", (unsigned long long)v->address);
	if (strcmp(base, "memory") && strcmp(base, name)) {
		output_text(t->out, " of ");
		text_put(t->out, base);
	}
	output_char(t->out, '\n');
}

void text_allocation(struct text *t, uint32_t allocation)
{
	if (!allocation)
		return;
	output_text(t->out, "\n  Allocated by thread ");
	text_put(t->out, story_who(&t->story, t->story.index->events[allocation].thread));
	output_text(t->out, " at:\n");
	text_frame(t, allocation);
}
