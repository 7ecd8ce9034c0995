/* SPDX-License-Identifier: MIT */
/* Atomicity violations: the two accesses of the region, and what came between them. */
#include "model/regions.h"
#include "report/bug.h"

static const struct bug_form form = {
	"atomicity violation",
	{"norn/atomicity", "Atomicity", "Atomicity violation",
	 "Between two accesses of an atomic region, another thread can access the same memory, so "
	 "that the region has an effect that it has in no serial order.",
	 "The code flow is an execution that ends with the second access of the region. Hold one "
	 "lock from the first access to the second, wherever this memory is accessed."},
};

static const struct event *event_of(const struct story *s, const struct finding *f, size_t i)
{
	return &s->index->events[f->witness.bug_events.at[i]];
}

static bool accesses(const struct event *e, uint32_t variable)
{
	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (event_part(e, i).variable == variable)
			return true;
	return false;
}

/* One that all three accesses are to. */
static uint32_t variable_of(const struct story *s, const struct finding *f)
{
	const struct event *e = event_of(s, f, 0);

	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (accesses(event_of(s, f, 1), event_part(e, i).variable) &&
		    accesses(event_of(s, f, 2), event_part(e, i).variable))
			return event_part(e, i).variable;
	BUG("a violation without a variable");
}

/* R or W; an rmw is what makes it a pattern. */
struct pattern {
	const char *name, *why;
};

static const struct pattern patterns[] = {
	{"R-W-R", "in a serial order, both reads of the region return the same value"},
	{"R-W-W", "in a serial order, the region writes what it made of the value that is there; "
		  "here, the write in between is lost"},
	{"W-W-R", "in a serial order, the region reads what it has written itself"},
	{"W-R-W", "in a serial order, no other thread sees what the region writes in between"},
	{"W-W-W", "in a serial order, no write of another thread is between those of the region"},
};

static const struct pattern *pattern_of(const struct story *s, const struct finding *f)
{
	bool remote = event_is(event_of(s, f, 1), EV_STORES);
	bool reads = event_is(event_of(s, f, 0), EV_RETURNS);
	bool writes = event_is(event_of(s, f, 2), EV_STORES);

	if (!remote)
		return &patterns[3];
	if (reads)
		return &patterns[writes];
	return &patterns[writes ? 4 : 2];
}

/* Where the innermost region that was said begins; 0: it is inferred. */
static uint32_t begin_of(const struct story *s, const struct finding *f)
{
	uint32_t first = (uint32_t)f->witness.bug_events.at[0];
	uint32_t last = (uint32_t)f->witness.bug_events.at[2], begin = 0;
	const struct regions *regions = regions_of(s->index);

	for (size_t i = 0; i < regions->all.n; i++) {
		const struct region *r = &regions->all.at[i];

		if (s->index->events[r->begin].thread == s->index->events[first].thread &&
		    r->begin > begin && r->begin < first && last < r->end &&
		    index_is_sure(s->index, r->begin, first))
			begin = r->begin;
	}
	return begin;
}

/* Text */

static void put_region(struct text *t, const struct finding *f)
{
	uint32_t begin = begin_of(&t->story, f);
	const struct pattern *pattern = pattern_of(&t->story, f);

	if (begin) {
		output_text(t->out, "\n  The atomic region begins:\n");
		text_frame(t, begin);
	} else {
		output_text(t->out, "\n  The second access uses what the first one has read, and "
				    "the lock was released in between.\n");
	}
	output_format(t->out, "  Pattern %s: %s.\n", pattern->name, pattern->why);
}

static void put_block(struct text *t, const struct finding *f)
{
	const uint64_t *events = f->witness.bug_events.at;

	for (int i = 0; i < 3; i++) {
		output_text(t->out, i ? "\n" : "");
		text_access(t, (uint32_t)events[i], i == 1 ? ", in between" : "");
	}
	put_region(t, f);
	text_variable(t, variable_of(&t->story, f));
	text_creation(t, event_of(&t->story, f, 0)->thread);
	text_creation(t, event_of(&t->story, f, 1)->thread);
	text_witness(t, &f->witness, "the region's second access comes last");
}

/* JSON */

static void put_before(struct story *s, struct json *json, const struct finding *f)
{
	uint32_t begin = begin_of(s, f);

	json_string(json, "pattern", pattern_of(s, f)->name);
	json_string(json, "pattern_text", pattern_of(s, f)->why);
	if (begin)
		json_u64(json, "region", begin);
}

/* SARIF */

static void append(struct sarif *s, const struct finding *f, const event_numbers *events,
		   characters *text)
{
	for (size_t i = 0; i < events->n; i++) {
		sarif_append(text, i ? ", then " : ": ");
		sarif_append_event(s, events->at[i], text);
	}
	sarif_append(text, "; ");
	sarif_append(text, pattern_of(&s->story, f)->why);
}

const struct bug_report bug_report_atomicity = {
	.forms = &form,
	.form_count = 1,
	.variable = variable_of,
	.put_block = put_block,
	.seen = "the recorded run had these accesses in this order, too.",
	.put_before = put_before,
	.append = append,
};
