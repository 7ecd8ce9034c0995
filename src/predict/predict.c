/* SPDX-License-Identifier: MIT */
#include "predict/predict.h"

#include "base/seconds.h"
#include "model/regions.h"
#include "predict/second_look.h"
#include "predict/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pipeline {
	const struct predict_options *options;
	struct prediction *result;
	struct candidates candidates;
	bool *done, *refuted;	  /* of each candidate */
	struct undecided *so_far; /* likewise, after its first turn; `why` empty: it had none */
	size_t *order;
	uint64_t done_count, proved;
};

static void add_tiers(struct prediction *p, const struct search_result *r)
{
	if (r->tier_count > p->tier_count)
		p->tier_count = r->tier_count;
	for (uint32_t i = 0; i < r->tier_count; i++) {
		struct tier *t = &p->tiers[i];

		t->engine = r->tiers[i].engine;
		t->asked += r->tiers[i].asked;
		t->proved += r->tiers[i].proved;
		t->refuted += r->tiers[i].refuted;
		t->undecided += r->tiers[i].undecided;
		t->seconds += r->tiers[i].seconds;
	}
}

static void add_undecided(struct prediction *p, enum bug_kind bug, const struct property *property,
			  const struct event_set *closest, const char *why)
{
	struct undecided u = {.bug = bug, .property = property, .closest = *closest};

	snprintf(u.why, sizeof(u.why), "%s", why);
	vec_push(&p->undecided, u);
}

static void take_result(void *context, size_t candidate, struct search_result *r, bool final)
{
	struct pipeline *l = context;
	struct prediction *p = l->result;
	const struct candidate *c = &l->candidates.all.at[candidate];
	enum bug_kind bug = candidate_bug(&l->candidates, c);

	/* whose worker died just behind its result */
	if (l->done[candidate])
		return;
	add_tiers(p, r);
	if (!final) {
		struct undecided *u = &l->so_far[candidate];

		*u = (struct undecided){.bug = bug, .closest = r->closest};
		snprintf(u->why, sizeof(u->why), "%s", r->why);
		return;
	}
	l->done[candidate] = true;
	l->done_count++;
	if (r->answer == PROVED) {
		struct finding f = {
			.witness = r->witness,
			.run = r->run,
			.rest = r->rest,
			.engine = r->tiers[r->tier].engine,
			.instances = c->instances,
			.relies = symbols_meta(l->candidates.index->symbols, META_RELIES_ON, 0),
		};

		search_result_disown(r);
		finding_set_property(&f, candidate_property(&l->candidates, c));
		vec_push(&p->findings, f);
		l->proved++;
		if (l->options->found)
			l->options->found(l->options->context, &f);
	} else if (r->answer == REFUTED) {
		p->kinds[bug].refuted++;
		l->refuted[candidate] = true;
	} else {
		add_undecided(p, bug, candidate_property(&l->candidates, c), &r->closest, r->why);
	}
	if (l->options->told)
		l->options->told(l->options->context, bug, r);
	if (l->options->progress)
		l->options->progress(l->options->context, l->done_count, l->candidates.all.n,
				     l->proved);
}

static int compare_numbers(const uint64_t *x, size_t x_count, const uint64_t *y, size_t y_count)
{
	for (size_t i = 0; i < x_count && i < y_count; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return x_count < y_count ? -1 : x_count > y_count;
}

static int compare_findings(const void *a, const void *b)
{
	enum verdict v = finding_verdict(a), u = finding_verdict(b);
	const struct witness *x = &((const struct finding *)a)->witness;
	const struct witness *y = &((const struct finding *)b)->witness;

	if (v != u)
		return v < u ? -1 : 1;
	if (x->bug != y->bug)
		return x->bug < y->bug ? -1 : 1;
	if (x->script && y->script && strcmp(x->script, y->script) != 0)
		return strcmp(x->script, y->script);
	if (x->assertion != y->assertion)
		return x->assertion < y->assertion ? -1 : 1;
	return compare_numbers(x->bug_events.at, x->bug_events.n, y->bug_events.at,
			       y->bug_events.n);
}

static int compare_undecided(const void *a, const void *b)
{
	const struct undecided *x = a, *y = b;

	if (x->bug != y->bug)
		return x->bug < y->bug ? -1 : 1;
	if (x->property != y->property)
		return x->property < y->property ? -1 : 1; /* of one list */
	return compare_numbers(x->closest.at, x->closest.count, y->closest.at, y->closest.count);
}

void prediction_sort(struct prediction *p)
{
	if (p->findings.n)
		qsort(p->findings.at, p->findings.n, sizeof(*p->findings.at), compare_findings);
	if (p->held.n)
		qsort(p->held.at, p->held.n, sizeof(*p->held.at), compare_findings);
}

static const char *place_of(const struct index *index, uint64_t event)
{
	uint32_t location = index->events[event].location;

	return location ? intern_text(&index->symbols->locations, location) : "";
}

/* Each place has its event, and there are no others. */
static bool is_at(const struct index *index, const struct event_set *set,
		  const struct places_asked *asked)
{
	bool taken[EVENT_SET_MAX] = {0};

	for (uint32_t i = 0; i < asked->count; i++) {
		uint32_t k = 0;

		while (k < set->count &&
		       (taken[k] || strcmp(place_of(index, set->at[k]), asked->at[i]) != 0))
			k++;
		if (k == set->count)
			return false;
		taken[k] = true;
	}
	return set->count == asked->count;
}

static void leave_out_others(struct candidates *c, const struct places_asked *asked)
{
	for (size_t i = 0; i < c->all.n; i++)
		c->all.at[i].pruned |= !is_at(c->index, &c->all.at[i].first, asked);
}

/* Candidates that nobody found are one more candidate, which is undecided. */
static void count_candidates(struct pipeline *l)
{
	struct prediction *p = l->result;
	const struct candidates *c = &l->candidates;

	for (size_t i = 0; i < c->all.n; i++)
		p->kinds[candidate_bug(c, &c->all.at[i])].signatures++;
	for (uint32_t i = 0; i < c->kind_count; i++) {
		enum bug_kind bug = c->kinds[i].kind->bug;

		p->kinds[bug].asked_for = !c->kinds[i].idle;
		if (!c->kinds[i].missing)
			continue;
		p->kinds[bug].signatures++;
		add_undecided(p, bug, NULL, &(struct event_set){0}, c->kinds[i].missing);
	}
}

/*
 * The best first, whatever their kinds: events that are near each other are soon proved or refuted,
 * and what is proved is short. Of those that are as near, kinds of which there are fewer.
 */
struct rank {
	size_t candidate;
	uint32_t distance; /* its logarithm */
	uint32_t kind;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind > y->kind ? -1 : 1;
	return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

#define DISTANCE_UNKNOWN 12 /* of bugs of one event */

static uint32_t distance_of(const struct event_set *set)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (uint32_t i = 0; i < set->count; i++) {
		low = set->at[i] < low ? set->at[i] : low;
		high = set->at[i] > high ? set->at[i] : high;
	}
	return set->count < 2 || high == low ? DISTANCE_UNKNOWN
					     : 64 - (uint32_t)__builtin_clzll(high - low);
}

static size_t *order_of(const struct candidates *c)
{
	struct rank *ranks = mem_alloc((c->all.n + 1) * sizeof(*ranks));
	size_t *order = mem_alloc((c->all.n + 1) * sizeof(*order));

	for (size_t i = 0; i < c->all.n; i++)
		ranks[i] = (struct rank){i, distance_of(&c->all.at[i].first), c->all.at[i].kind};
	qsort(ranks, c->all.n, sizeof(*ranks), compare_ranks);
	for (size_t i = 0; i < c->all.n; i++)
		order[i] = ranks[i].candidate;
	mem_free(ranks);
	return order;
}

/* What was pruned is refuted; what nobody came to is not counted, and so known to be left. */
static void count_rest(struct pipeline *l)
{
	struct prediction *p = l->result;
	const volatile bool *stop = l->options->budget.stop;

	/* there was no time for their second turns */
	for (size_t i = 0; i < l->candidates.all.n; i++) {
		const struct undecided *u = &l->so_far[i];

		if (*u->why && !l->done[i]) {
			l->done[i] = true;
			add_undecided(p, u->bug,
				      candidate_property(&l->candidates, &l->candidates.all.at[i]),
				      &u->closest, u->why);
		}
	}
	p->out_of_time = !(stop && *stop) && l->options->deadline > 0 &&
			 seconds_now() >= l->options->deadline;
	p->interrupted = ((stop && *stop) || p->out_of_time) && p->undecided.n;
	for (size_t i = 0; i < l->candidates.all.n; i++) {
		const struct candidate *c = &l->candidates.all.at[i];

		if (c->pruned) {
			p->kinds[candidate_bug(&l->candidates, c)].refuted++;
			l->refuted[i] = true;
		} else if (!l->done[i]) {
			p->interrupted = true;
		}
	}
	prediction_sort(p);
	if (p->undecided.n)
		qsort(p->undecided.at, p->undecided.n, sizeof(*p->undecided.at), compare_undecided);
	candidates_merge(&l->candidates, p);
}

/* Something is to be searched, and the events for that were left out. */
static bool needs_all(const struct candidates *c, const struct predict_options *o)
{
	bool any = c->all.n || o->properties || o->infer || regions_of(c->index)->all.n;

	for (uint32_t i = 0; i < c->kind_count; i++)
		any |= c->kinds[i].missing != NULL;
	return c->index->left_out && any;
}

int predict(const struct index *index, const struct predict_options *options,
	    struct prediction *result, struct err *err)
{
	struct pipeline l = {.options = options, .result = result};
	double start = seconds_now();

	memset(result, 0, sizeof(*result));
	result->index = index;
	result->model = options->model;
	result->properties = options->properties;
	if (candidates_init(&l.candidates, index, options, err) < 0) {
		candidates_release(&l.candidates);
		return err->code;
	}
	if (needs_all(&l.candidates, options)) {
		result->needs_all = true;
		candidates_release(&l.candidates);
		return 0;
	}
	struct work work = {.candidates = &l.candidates,
			    .options = options,
			    .stop = options->budget.stop,
			    .deadline = options->deadline,
			    .turns = true,
			    .done = take_result,
			    .context = &l};

	if (options->only)
		leave_out_others(&l.candidates, options->only);
	count_candidates(&l);
	l.done = mem_alloc_zero(l.candidates.all.n + 1, sizeof(*l.done));
	l.refuted = mem_alloc_zero(l.candidates.all.n + 1, sizeof(*l.refuted));
	l.so_far = mem_alloc_zero(l.candidates.all.n + 1, sizeof(*l.so_far));
	work.order = l.order = order_of(&l.candidates);
	int code = seen_read(&result->seen, index->symbols, reader_name(index->reader), err);

	if (!code)
		code = workers_run(&work, err);
	if (!code)
		code = seen_mark(result, options, err);
	if (!code) {
		count_rest(&l);
		result->seconds = seconds_now() - start;
		if (!options->only)
			code = second_look(result, &l.candidates, l.refuted, options, err);
	}
	if (code < 0)
		prediction_release(result);
	mem_free(l.done);
	mem_free(l.refuted);
	mem_free(l.so_far);
	mem_free(l.order);
	candidates_release(&l.candidates);
	result->seconds = seconds_now() - start;
	return code;
}

void finding_set_property(struct finding *f, const struct property *property)
{
	if (!property)
		return;
	witness_set_breaks(&f->witness, property->script, property->number);
	f->witness.monitor = property->monitor;
}

void finding_release(struct finding *f)
{
	witness_release(&f->witness);
	packed_release(&f->run);
	packed_release(&f->rest);
	mem_free(f->replayed.text);
	for (size_t i = 0; i < sizeof(f->replayed.follows) / sizeof(*f->replayed.follows); i++)
		mem_free(f->replayed.follows[i]);
	mem_free(f->replayed.again);
	if (!f->evidence)
		return;
	index_free(f->evidence->index);
	mem_free(f->evidence->trace);
	mem_free(f->evidence);
}

void prediction_release(struct prediction *p)
{
	for (size_t i = 0; i < p->findings.n; i++)
		finding_release(&p->findings.at[i]);
	for (size_t i = 0; i < p->held.n; i++)
		finding_release(&p->held.at[i]);
	vec_release(&p->findings);
	vec_release(&p->held);
	vec_release(&p->why);
	vec_release(&p->undecided);
	seen_release(&p->seen);
}

void finding_open(struct finding *f)
{
	struct witness *w = &f->witness;

	if (f->run.count) {
		vec_reserve(&w->run, f->run.count);
		w->run.n = f->run.count;
		packed_read(&f->run, w->run.at);
	}
	if (f->rest.count) {
		vec_reserve(&w->rest, f->rest.count);
		w->rest.n = f->rest.count;
		packed_read(&f->rest, w->rest.at);
	}
}

void finding_close(struct finding *f)
{
	if (f->run.count)
		vec_release(&f->witness.run);
	if (f->rest.count)
		vec_release(&f->witness.rest);
}
