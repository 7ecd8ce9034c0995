/* SPDX-License-Identifier: MIT */
/*
 * For ui.perfetto.dev: the recorded run, and behind it the witness of each finding, each as a
 * process with a track for each thread and each lock. Time is the place in the run: an event takes
 * a microsecond. Long runs are cut, and the name of the process says so.
 */
#include "report/perfetto.h"

#include "report/bug.h"

#include <stdio.h>

#define RECORDED_MOST 200000 /* events of a recorded run */
#define RECORDED_BEHIND 1000 /* of them behind those that the findings need */
#define WITNESS_MOST 10000   /* of a witness */
#define EVENTS_MOST 500000   /* of all witnesses; findings behind that are left out */

static void name_run(char *name, size_t room, const char *what, uint64_t first, uint64_t last,
		     uint64_t all)
{
	if (first > 1 || last < all)
		snprintf(name, room, "%s, events %llu to %llu of %llu", what,
			 (unsigned long long)first, (unsigned long long)last,
			 (unsigned long long)all);
	else
		snprintf(name, room, "%s", what);
}

/* needed: the last event that anybody wants to see of it. */
static void put_recorded(struct perfetto *x, const char *what, uint64_t needed,
			 const struct seen_list *seen)
{
	uint64_t all = x->story.index->count;
	uint64_t last = all > RECORDED_MOST && needed + RECORDED_BEHIND < all
				? needed + RECORDED_BEHIND
				: all;
	uint64_t first = last > RECORDED_MOST ? last - RECORDED_MOST + 1 : 1;
	char name[400];

	if (all > RECORDED_MOST && last < RECORDED_MOST)
		last = RECORDED_MOST;
	name_run(name, sizeof(name), what, first, last, all);
	perfetto_put_run(x, &(struct perfetto_run){.name = name,
						   .first = first,
						   .last = last,
						   .seen = last == all ? seen : NULL});
}

/* "data race at a.c:3 (certified)" */
static void describe(struct perfetto *x, const struct finding *f, const event_numbers *events,
		     size_t number, char *text, size_t room)
{
	snprintf(text, room, "finding %zu: %s%s%s (%s)", number, bug_form_of(&x->story, f)->title,
		 events->n ? " at " : "", events->n ? story_line(&x->story, events->at[0]) : "",
		 verdict_text[finding_verdict(f)]);
}

/* Returns how many events it has. */
static uint64_t put_finding(struct perfetto *x, const struct finding *f, size_t number)
{
	uint64_t length = witness_length(&f->witness);
	struct perfetto_run run = {.witness = &f->witness,
				   .first = length > WITNESS_MOST ? length - WITNESS_MOST + 1 : 1,
				   .last = length};
	event_numbers events = {0};
	char what[300], name[400];

	if (f->evidence) {
		snprintf(name, sizeof(name), "recorded run of %s", f->evidence->trace);
		put_recorded(x, name, finding_last_event(f), NULL);
	}
	story_events(&x->story, f, &events);
	describe(x, f, &events, number, what, sizeof(what));
	name_run(name, sizeof(name), what, run.first, run.last, length);
	run.name = name;
	run.bugs = &events;
	perfetto_put_run(x, &run);
	vec_release(&events);
	return run.last + 1 - run.first;
}

/* Of the findings that the prediction's own trace shows. */
static uint64_t last_needed(const struct prediction *p)
{
	uint64_t last = 0;

	for (size_t i = 0; i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		if (f->evidence)
			continue;
		finding_open(f);
		if (finding_last_event(f) > last)
			last = finding_last_event(f);
		finding_close(f);
	}
	return last ? last : p->index->count;
}

static void write_perfetto(const struct prediction *p, const struct report_options *o,
			   struct output *out)
{
	struct perfetto x = {.out = out};
	uint64_t room = EVENTS_MOST;
	char name[400];

	story_init(&x.story, p);
	snprintf(name, sizeof(name), "recorded run of %s", o->trace);
	put_recorded(&x, name, last_needed(p), &p->seen);
	for (size_t i = 0; i < p->findings.n && room; i++) {
		struct finding *f = &p->findings.at[i];

		if (f->suppressed)
			continue;
		finding_open(f);
		story_turn_to(&x.story, f);
		uint64_t used = put_finding(&x, f, i + 1);

		room -= used < room ? used : room;
		finding_close(f);
	}
	story_release(&x.story);
	perfetto_release(&x);
}

const struct report_kind report_perfetto = {
	.name = "perfetto",
	.title = "a trace for ui.perfetto.dev, with the runs event by event",
	.write = write_perfetto,
};
