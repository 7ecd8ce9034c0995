/* SPDX-License-Identifier: MIT */
/*
 * Properties: the events that the specification hears in the order that breaks it, beside the
 * recorded order; where the specification stood, and what it would have allowed.
 */
#include "base/strbuf.h"
#include "property/property.h"
#include "report/bug.h"
#include "report/json.h"

#include <stdio.h>
#include <string.h>

static const struct bug_form form = {
	"property violated",
	{"norn/property", "Property", "Property violated",
	 "An execution exists that the specification does not allow.",
	 "The code flow is that execution. Its last event is the one that is not allowed."},
};

#define ORDER_MOST 24 /* events that a text lists, the last ones of many */

struct order {
	const struct property *property;
	event_numbers run;	/* the events of the run that are heard */
	event_numbers recorded; /* those of the trace up to the last of these */
	uint32_t before;	/* the monitor's state before the last event of the run */
	bool ended;		/* no event is to blame: all threads have ended; else they wait */
};

static const struct property *property_of(const struct story *s, const struct finding *f)
{
	return properties_find(s->prediction->properties, f->witness.script, f->witness.assertion);
}

static bool has_ended(const struct index *index, const struct witness *w)
{
	uint64_t ends = 0;

	for (size_t i = 0; i < witness_length(w); i++)
		ends += index->events[witness_event(w, i)].kind == EV_END;
	return ends == index->thread_count;
}

/* The events of a finding are heard by the numbers that the prediction's trace gives them. */
static void find_order(const struct story *s, const struct finding *f, struct order *o)
{
	const struct witness *w = &f->witness;
	struct err err;
	uint32_t last = 0;

	memset(o, 0, sizeof(*o));
	o->property = property_of(s, f);
	struct monitor *m = o->property->monitor;
	uint32_t state = o->before = monitor_start(m);

	for (size_t i = 0; i < witness_length(w); i++) {
		uint32_t n = (uint32_t)witness_event(w, i);

		if (!monitor_hears(m, n))
			continue;
		vec_push(&o->run, n);
		last = n > last ? n : last;
		if (state != MONITOR_BAD)
			o->before = state;
		if (monitor_after(m, state, n, &state, &err) < 0)
			break;
	}
	if (state != MONITOR_BAD)
		o->before = state;
	for (uint32_t n = 1; n <= last; n++)
		if (monitor_hears(m, n))
			vec_push(&o->recorded, n);
	o->ended = has_ended(s->index, w);
}

static void release_order(struct order *o)
{
	vec_release(&o->run);
	vec_release(&o->recorded);
}

static const char *event_name(const struct story *s, uint32_t event)
{
	const char *name = properties_event(s->prediction->properties, event);

	return name ? name : "";
}

/* How it ends, in words. */
static const char *end_text(const struct order *o, const struct finding *f)
{
	if (f->witness.bug_events.n)
		return "the last event is one that the specification does not allow";
	return o->ended ? "all threads have ended, and the specification does not allow that"
			: "no thread can continue, and the specification does not allow that";
}

/* Text */

static void put_column(struct text *t, const event_numbers *events, size_t i, bool first)
{
	char cell[60];
	struct strbuf b = STRBUF(cell);

	if (i < events->n)
		strbuf_add(&b, "%.36s (event %u)", event_name(&t->story, events->at[i]),
			   events->at[i]);
	if (first)
		output_format(t->out, "%-44s  ", cell);
	else
		text_put(t->out, cell);
}

static void put_order(struct text *t, const struct order *o)
{
	size_t n = o->run.n > o->recorded.n ? o->run.n : o->recorded.n;
	size_t from = o->run.n > ORDER_MOST ? o->run.n - ORDER_MOST : 0;

	if (n - from > 2 * (size_t)ORDER_MOST)
		n = from + 2 * (size_t)ORDER_MOST;
	if (!n)
		return;
	output_text(t->out, "\n  The events of the specification:\n");
	output_format(t->out, "         %-44s  %s\n", "in this execution", "as recorded");
	if (from)
		output_format(t->out, "         %zu more before these\n", from);
	for (size_t i = from; i < n; i++) {
		output_format(t->out, "  %5zu. ", i + 1);
		put_column(t, &o->run, i, true);
		put_column(t, &o->recorded, i, false);
		output_char(t->out, '\n');
	}
}

static void put_place(struct text *t, const struct order *o)
{
	struct monitor_place place;

	if (!monitor_place(o->property->monitor, o->before, &place))
		return;
	output_text(t->out, "\n  Before the end, the specification is at ");
	text_put(t->out, place.at ? place.at : "a process without a name");
	output_text(t->out, place.count ? "\n  and allows: " : "\n  and allows nothing more");
	for (uint32_t i = 0; i < place.count; i++) {
		output_text(t->out, i ? ", " : "");
		text_put(t->out, place.allowed[i]);
	}
	if (place.more)
		output_format(t->out, " and %u more", place.more);
	output_char(t->out, '\n');
}

static void put_block(struct text *t, const struct finding *f)
{
	struct order o;

	find_order(&t->story, f, &o);
	output_text(t->out, "  ");
	text_put(t->out, o.property->text);
	output_text(t->out, "\n    ");
	text_put(t->out, o.property->file);
	output_format(t->out, ":%u:%u\n", o.property->line, o.property->column);
	for (size_t i = 0; i < f->witness.bug_events.n; i++) {
		uint32_t event = (uint32_t)f->witness.bug_events.at[i];

		output_text(t->out, "\n  Not allowed: ");
		text_put(t->out, event_name(&t->story, event));
		output_text(t->out, " by thread ");
		text_put(t->out, story_who(&t->story, t->story.index->events[event].thread));
		output_text(t->out, ":\n");
		text_frame(t, event);
	}
	put_order(t, &o);
	put_place(t, &o);
	text_witness(t, &f->witness, end_text(&o, f));
	release_order(&o);
}

/* JSON */

static void put_events(struct story *s, struct json *json, const char *key,
		       const event_numbers *events)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < events->n; i++) {
		json_open(json, NULL, '{');
		json_u64(json, "event", events->at[i]);
		json_string(json, "name", event_name(s, events->at[i]));
		story_put_thread(s, json, "thread", s->index->events[events->at[i]].thread);
		story_put_place(s, json, "location", events->at[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_specification(struct json *json, const struct order *o)
{
	struct monitor_place place;

	if (!monitor_place(o->property->monitor, o->before, &place))
		return;
	json_open(json, "specification", '{');
	if (place.at)
		json_string(json, "at", place.at);
	json_open(json, "allowed", '[');
	for (uint32_t i = 0; i < place.count; i++)
		json_string(json, NULL, place.allowed[i]);
	json_close(json, ']');
	json_u64(json, "more", place.more);
	json_close(json, '}');
}

static void put_property(struct story *s, struct json *json, const struct finding *f)
{
	struct order o;

	find_order(s, f, &o);
	json_open(json, "property", '{');
	json_string(json, "assertion", o.property->text);
	json_string(json, "script", o.property->script);
	json_u64(json, "number", o.property->number);
	json_string(json, "file", o.property->file);
	json_u64(json, "line", o.property->line);
	json_u64(json, "column", o.property->column);
	json_string(json, "why", end_text(&o, f));
	put_events(s, json, "order", &o.run);
	put_events(s, json, "recorded", &o.recorded);
	put_specification(json, &o);
	json_close(json, '}');
	release_order(&o);
}

/* SARIF */

static void append(struct sarif *s, const struct finding *f, const event_numbers *events,
		   characters *text)
{
	struct order o;
	struct monitor_place place;

	find_order(&s->story, f, &o);
	sarif_append(text, ": ");
	sarif_append(text, o.property->text);
	sarif_append(text, ": ");
	for (size_t i = 0; i < events->n; i++) {
		sarif_append(text, event_name(&s->story, events->at[i]));
		sarif_append(text, ", ");
		sarif_append_event(s, events->at[i], text);
		sarif_append(text, ": ");
	}
	sarif_append(text, end_text(&o, f));
	if (monitor_place(o.property->monitor, o.before, &place)) {
		sarif_append(text, place.at ? ", at " : "");
		sarif_append(text, place.at ? place.at : "");
		sarif_append(text, ", which allows {");
		for (uint32_t i = 0; i < place.count; i++) {
			sarif_append(text, i ? ", " : "");
			sarif_append(text, place.allowed[i]);
		}
		sarif_append(text, place.more ? ", ...}" : "}");
	}
	release_order(&o);
}

/* The events before, in the order that breaks it. */
static void put_related(struct sarif *s, const struct finding *f, uint64_t *id)
{
	struct order o;

	find_order(&s->story, f, &o);
	for (size_t i = o.run.n > ORDER_MOST ? o.run.n - ORDER_MOST : 0; i < o.run.n; i++)
		sarif_related(s, ++*id, o.run.at[i], event_name(&s->story, o.run.at[i]));
	release_order(&o);
}

/* Two assertions may be broken by the same event. */
static const char *key(const struct story *s, const struct finding *f)
{
	return property_of(s, f)->text;
}

const struct bug_report bug_report_property = {
	.forms = &form,
	.form_count = 1,
	.key = key,
	.seen = "the recorded run broke it, too",
	.put_block = put_block,
	.put_behind = put_property,
	.append = append,
	.put_related = put_related,
};
