/* SPDX-License-Identifier: MIT */
/* The report for programs, norn-report(5): all that there is. */
#include "predict/suppress.h"
#include "report/bug.h"
#include "report/json.h"
#include "report/merged.h"
#include "report/seen.h"

#include <stdio.h>

#define CALLERS_BYTES_MOST (1 << 20) /* of a report: behind that they are left out */

static void put_callers(struct story *s, struct json *json, uint32_t event)
{
	const struct caller *c = callers_of(&s->callers, event);
	uint64_t start = output_size(json->out);
	bool page = json->page;

	if (!c || s->caller_bytes > CALLERS_BYTES_MOST)
		return;
	json_open(json, "callers", '[');
	json->page = true; /* a line each would be long */
	for (unsigned i = 0; c && i < CALLERS_MOST; c = callers_next(&s->callers, c), i++)
		json_string(json, NULL, c->text);
	json->page = page;
	json_close(json, ']');
	s->caller_bytes += output_size(json->out) - start;
}

void story_put_place(struct story *s, struct json *json, const char *key, uint32_t event)
{
	struct place place = story_place(s, event);

	if (!place.file)
		return;
	json_open(json, key, '{');
	json_string(json, "text", place.text);
	json_string(json, "file", place.file);
	if (place.line)
		json_u64(json, "line", place.line);
	if (place.column)
		json_u64(json, "column", place.column);
	if (place.function)
		json_string(json, "function", place.function);
	put_callers(s, json, event);
	json_close(json, '}');
}

void story_put_origin(struct story *s, struct json *json, const char *key, uint32_t event)
{
	json_open(json, key, '{');
	json_u64(json, "event", event);
	story_put_thread(s, json, "thread", s->index->events[event].thread);
	story_put_place(s, json, "location", event);
	json_close(json, '}');
}

static void put_variables(const struct story *s, struct json *json, const struct event *e)
{
	json_open(json, "variables", '[');
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		const struct variable *v = symbols_variable(s->symbols, part.variable);

		json_open(json, NULL, '{');
		json_string(json, "name", symbols_name(s->symbols, CLASS_VARIABLE, part.variable));
		if (event_is(e, EV_VALUE))
			json_i64(json, "value", part.value);
		if (e->kind == EV_RMW)
			json_i64(json, "written", part.written);
		if (v->flags & VARIABLE_MEMORY) {
			json_string(json, "base", intern_text(&s->symbols->bases, v->base));
			json_u64(json, "address", v->address);
			json_u64(json, "size", v->size);
		}
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_held(struct story *s, struct json *json, uint32_t event)
{
	story_locks held = {0};

	story_held(s, event, &held);
	json_open(json, "holds", '[');
	for (size_t i = 0; i < held.n; i++) {
		json_open(json, NULL, '{');
		json_string(json, "lock", symbols_name(s->symbols, CLASS_LOCK, held.at[i].lock));
		json_bool(json, "shared", held.at[i].shared);
		json_u64(json, "event", held.at[i].acquire);
		story_put_place(s, json, "location", held.at[i].acquire);
		json_close(json, '}');
	}
	json_close(json, ']');
	vec_release(&held);
}

/* One of the events that the finding is about, and where its thread came from. */
static void put_event(struct story *s, struct json *json, uint32_t event)
{
	const struct event *e = &s->index->events[event];
	uint32_t fork = s->index->threads[e->thread].fork;

	json_open(json, NULL, '{');
	json_u64(json, "event", event);
	story_put_thread(s, json, "thread", e->thread);
	json_string(json, "op", event_kind_text[e->kind]);
	if (e->order != ORDER_PLAIN)
		json_string(json, "order", memory_order_text[e->order]);
	if (event_is(e, EV_ACCESS))
		put_variables(s, json, e);
	else
		json_string(json, "object", story_object(s, e));
	if (e->kind == EV_WOKEN)
		json_string(json, "lock", symbols_name(s->symbols, CLASS_LOCK, e->more->lock));
	story_put_place(s, json, "location", event);
	put_held(s, json, event);
	if (fork)
		story_put_origin(s, json, "created", fork);
	json_close(json, '}');
}

#define CHANGED_MOST 100 /* reads that are listed */
#define RUN_MOST 10000	 /* parts; more are for files of their own (norn predict --witness) */

/* Event numbers of a long run, many a line. */
static void put_numbers(struct json *json, const char *key, const uint64_t *at, size_t n)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < n; i++) {
		output_text(json->out, !i ? "" : i % 16 ? ", " : ",\n");
		output_u64(json->out, at[i]);
	}
	json_close(json, ']');
}

/* Where the events of one thread end that follow each other in the run from there as in the trace.
 */
static size_t find_span(const struct index *index, const uint64_t *run, size_t n, size_t first)
{
	size_t end = first + 1;

	while (end < n && index->events[run[end]].thread == index->events[run[first]].thread &&
	       index->position[run[end]] == index->position[run[end - 1]] + 1)
		end++;
	return end;
}

/*
 * Events that a thread takes one after the other are a pair, the first and the last of them.
 * Nothing if there are too many parts.
 */
static void put_run(struct json *json, const struct index *index, const char *key,
		    const uint64_t *run, size_t n)
{
	size_t parts = 0;

	for (size_t i = 0; i < n; i = find_span(index, run, n, i))
		parts++;
	if (parts > RUN_MOST)
		return;
	json_open(json, key, '[');
	for (size_t i = 0, end, part = 0; i < n; i = end) {
		end = find_span(index, run, n, i);
		output_text(json->out, !part ? "" : part % 16 ? ", " : ",\n");
		part++;
		if (end > i + 1)
			output_format(json->out, "[%llu, %llu]", (unsigned long long)run[i],
				      (unsigned long long)run[end - 1]);
		else
			output_u64(json->out, run[i]);
	}
	json_close(json, ']');
}

/* The branches that go the other way. */
static void put_other_ways(struct json *json, const struct witness *w, const struct steps *steps)
{
	VEC(uint64_t) branches = {0};

	for (size_t i = 0; i < steps->others.n; i++)
		vec_push(&branches, witness_event(w, steps->others.at[i]));
	put_numbers(json, "other_ways", branches.at, branches.n);
	vec_release(&branches);
}

#define LAST_FINDINGS_MOST 1000 /* of which the last events are listed */

static void put_witness(struct story *s, struct json *json, const struct witness *w, bool with_last)
{
	struct steps steps;

	story_steps(s, w, &steps);
	json_open(json, "witness", '{');
	json_string(json, "model", model_text[w->model]);
	json_u64(json, "events", witness_length(w));
	json_u64(json, "switches", steps.all.n ? steps.all.n - 1 : 0);
	json_u64(json, "threads", steps.threads);
	json_u64(json, "in_order", steps.ascending);
	put_numbers(json, "bug_events", w->bug_events.at, w->bug_events.n);
	if (w->script) {
		json_string(json, "script", w->script);
		json_u64(json, "assertion", w->assertion);
	}
	json_u64(json, "recorded", w->recorded);
	put_run(json, s->index, "run", w->run.at, w->run.n);
	if (w->rest.n)
		put_run(json, s->index, "rest", w->rest.at, w->rest.n);
	put_other_ways(json, w, &steps);
	json_u64(json, "changed", steps.changed.n);
	json_open(json, "changed_reads", '[');
	for (size_t i = 0; i < steps.changed.n && i < CHANGED_MOST; i++) {
		const struct changed_read *c = &steps.changed.at[i];

		json_open(json, NULL, '{');
		json_u64(json, "event", witness_event(w, c->at));
		json_string(json, "variable",
			    symbols_name(s->symbols, CLASS_VARIABLE, c->variable));
		json_u64(json, "from", c->writer);
		json_u64(json, "recorded", c->recorded);
		json_close(json, '}');
	}
	json_close(json, ']');
	if (with_last)
		story_put_last(s, json, w, &steps);
	json_close(json, '}');
	steps_release(&steps);
}

static void put_replayed(struct json *json, const struct finding_replayed *r)
{
	if (!r->tried)
		return;
	json_open(json, "replay", '{');
	json_bool(json, "confirmed", r->shown);
	json_string(json, "text", r->text);
	json_open(json, "follows", '[');
	for (size_t i = 0; i < sizeof(r->follows) / sizeof(*r->follows); i++)
		if (r->follows[i])
			json_string(json, NULL, r->follows[i]);
	json_close(json, ']');
	if (r->again)
		json_string(json, "again", r->again);
	json_close(json, '}');
}

static void put_unknown(const struct story *s, struct json *json, const char *key,
			const char *(*next)(const struct story *, size_t *))
{
	size_t at = 0;
	const char *function;

	json_open(json, key, '[');
	while ((function = next(s, &at)))
		json_string(json, NULL, function);
	json_close(json, ']');
}

static void put_finding(struct story *s, struct json *json, const struct finding *f, size_t number,
			uint32_t group)
{
	const struct bug_report *bug = bug_report_of(f);
	event_numbers events = {0};
	char fingerprint[20], likeness[20];

	snprintf(fingerprint, sizeof(fingerprint), "%016llx",
		 (unsigned long long)story_fingerprint(s, f));
	snprintf(likeness, sizeof(likeness), "%016llx", (unsigned long long)story_likeness(s, f));
	story_events(s, f, &events);
	json_open(json, NULL, '{');
	json_string(json, "bug", bug_kind_text[f->witness.bug]);
	json_string(json, "title", bug_form_of(s, f)->title);
	json_string(json, "rule", bug_form_of(s, f)->rule.id);
	json_string(json, "verdict", verdict_text[finding_verdict(f)]);
	if (finding_verdict(f) == VERDICT_CONDITIONAL)
		put_unknown(s, json, "relies_on", story_relies_on);
	json_string(json, "fingerprint", fingerprint);
	json_string(json, "likeness", likeness);
	json_string(json, "engine", f->engine ? f->engine : "");
	json_u64(json, "group", group);
	json_u64(json, "instances", f->instances);
	json_bool(json, "suppressed", f->suppressed);
	json_bool(json, "seen", f->seen);
	if (f->evidence) {
		json_string(json, "evidence", f->evidence->trace);
		json_string(json, "evidence_digest", f->evidence->digest);
	}
	if (bug_variable_of(s, f))
		json_string(json, "variable", bug_variable_of(s, f));
	if (bug->put_before)
		bug->put_before(s, json, f);
	json_open(json, "events", '[');
	for (size_t i = 0; i < events.n; i++)
		put_event(s, json, events.at[i]);
	json_close(json, ']');
	if (bug->put_behind)
		bug->put_behind(s, json, f);
	put_witness(s, json, &f->witness, number < LAST_FINDINGS_MOST);
	put_replayed(json, &f->replayed);
	json_close(json, '}');
	vec_release(&events);
}

static void put_counts_of(struct json *json, const struct prediction *p, enum bug_kind bug)
{
	struct counts c = story_counts(p, bug);

	json_u64(json, "signatures", c.signatures);
	json_u64(json, "proved", c.proved);
	json_u64(json, "suppressed", c.suppressed);
	json_u64(json, "refuted", c.refuted);
	json_u64(json, "undecided", c.undecided);
	json_u64(json, "conditional", c.conditional);
	json_u64(json, "unseen", c.unseen);
	json_u64(json, "held", c.held);
}

static void put_counts(struct json *json, const struct prediction *p)
{
	json_bool(json, "complete", story_counts(p, BUG_COUNT).complete);
	json_bool(json, "interrupted", p->interrupted && !p->out_of_time);
	json_bool(json, "out_of_time", p->out_of_time);
	json_double(json, "seconds", p->seconds);
	json_open(json, "candidates", '{');
	put_counts_of(json, p, BUG_COUNT);
	json_close(json, '}');
	json_open(json, "bugs", '{');
	for (int bug = 0; bug < BUG_COUNT; bug++) {
		if (!p->kinds[bug].asked_for)
			continue;
		json_open(json, bug_kind_text[bug], '{');
		put_counts_of(json, p, (enum bug_kind)bug);
		json_close(json, '}');
	}
	json_close(json, '}');
}

/* Candidates that are held back, and by what. */
static void put_held_back(struct story *s, struct json *json)
{
	const struct prediction *p = s->prediction;

	json_u64(json, "not_asked_again", p->not_asked_again);
	json_open(json, "held", '[');
	for (size_t i = 0; i < p->held.n; i++) {
		const struct witness *w = &p->held.at[i].witness;

		json_open(json, NULL, '{');
		json_string(json, "bug", bug_kind_text[w->bug]);
		put_numbers(json, "events", w->bug_events.at, w->bug_events.n);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_second_chance(const struct prediction *p, struct json *json)
{
	if (!p->second.asked_for)
		return;
	json_open(json, "second_chance", '{');
	json_u64(json, "replayed", p->second.tried);
	json_u64(json, "confirmed", p->second.confirmed);
	json_u64(json, "left", p->second.left);
	if (*p->second.why)
		json_string(json, "why_not", p->second.why);
	json_close(json, '}');
}

static void put_why(struct story *s, struct json *json)
{
	const struct prediction *p = s->prediction;

	json_open(json, "why", '[');
	for (size_t i = 0; i < p->why.n; i++) {
		const struct blamed *b = &p->why.at[i];

		json_open(json, NULL, '{');
		json_u64(json, "event", b->event);
		story_put_thread(s, json, "thread", s->index->events[b->event].thread);
		json_string(json, "op", event_kind_text[s->index->events[b->event].kind]);
		story_put_place(s, json, "location", b->event);
		json_string(json, "what", story_unfollowed(s, b->event));
		json_u64(json, "candidates", b->candidates);
		json_u64(json, "alone", b->alone);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_lost(struct json *json, const struct prediction *p)
{
	json_u64(json, "kept_order", story_kept(p));
	if (!story_lost(p, 0))
		return;
	json_open(json, "stopped_by", '[');
	for (size_t i = 0; story_lost(p, i); i++)
		json_string(json, NULL, story_lost(p, i));
	json_close(json, ']');
}

static void put_tiers(struct json *json, const struct prediction *p)
{
	json_open(json, "tiers", '[');
	for (uint32_t i = 0; i < p->tier_count; i++) {
		const struct tier *tier = &p->tiers[i];

		json_open(json, NULL, '{');
		json_string(json, "engine", tier->engine);
		json_u64(json, "asked", tier->asked);
		json_u64(json, "proved", tier->proved);
		json_u64(json, "refuted", tier->refuted);
		json_u64(json, "undecided", tier->undecided);
		json_double(json, "seconds", tier->seconds);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_suppressions(struct json *json, const struct suppressions *s)
{
	json_open(json, "suppressions", '[');
	for (size_t i = 0; s && i < s->all.n; i++) {
		json_open(json, NULL, '{');
		json_string(json, "type", suppression_type_text[s->all.at[i].type]);
		json_string(json, "pattern", s->all.at[i].pattern);
		json_string(json, "file", s->all.at[i].file);
		json_u64(json, "line", s->all.at[i].line);
		json_u64(json, "matched", s->all.at[i].matched);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_undecided(struct story *s, struct json *json)
{
	const struct prediction *p = s->prediction;

	json_open(json, "undecided", '[');
	for (size_t i = 0; i < p->undecided.n; i++) {
		const struct undecided *u = &p->undecided.at[i];

		json_open(json, NULL, '{');
		json_string(json, "bug", bug_kind_text[u->bug]);
		json_open(json, "events", '[');
		for (uint32_t k = 0; k < u->closest.count; k++)
			json_u64(json, NULL, u->closest.at[k]);
		json_close(json, ']');
		json_open(json, "places", '[');
		for (uint32_t k = 0; k < u->closest.count; k++)
			json_string(json, NULL, story_line(s, u->closest.at[k]));
		json_close(json, ']');
		if (u->property)
			json_string(json, "assertion", u->property->text);
		json_string(json, "why", u->why);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_json(const struct prediction *p, const struct report_options *o,
		       struct output *out)
{
	struct json json = {.out = out};
	struct story s;

	story_init(&s, p);
	json_open(&json, NULL, '{');
	json_string(&json, "format", "norn-report");
	json_u64(&json, "version", REPORT_VERSION);
	json_string(&json, "norn", o->version);
	json_string(&json, "trace", o->trace);
	if (o->digest)
		json_string(&json, "trace_digest", o->digest);
	json_u64(&json, "events", p->index->count + p->index->left_out);
	json_string(&json, "model", model_text[p->model]);
	if (reader_cut(p->index->reader))
		json_string(&json, "cut", reader_cut(p->index->reader));
	put_lost(&json, p);
	put_unknown(&s, &json, "unknown_functions", story_unknown);
	put_counts(&json, p);
	put_tiers(&json, p);
	put_suppressions(&json, o->suppressions);
	seen_json(&json, &p->seen);
	uint32_t *groups = mem_alloc(p->findings.n * sizeof(*groups) + 1);

	story_groups(&s, groups);
	json_open(&json, "findings", '[');
	for (size_t i = 0; i < p->findings.n; i++) {
		finding_open(&p->findings.at[i]);
		story_turn_to(&s, &p->findings.at[i]);
		put_finding(&s, &json, &p->findings.at[i], i, groups[i]);
		finding_close(&p->findings.at[i]);
		arena_reset(&s.text);
	}
	mem_free(groups);
	json_close(&json, ']');
	story_turn_to(&s, NULL);
	put_undecided(&s, &json);
	put_held_back(&s, &json);
	put_second_chance(p, &json);
	put_why(&s, &json);
	json_close(&json, '}');
	story_release(&s);
}

const struct report_kind report_json = {
	.name = "json",
	.title = "everything, as JSON; norn-report(5)",
	.write = write_json,
	.render = merged_put_json,
};
