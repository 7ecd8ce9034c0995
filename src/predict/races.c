/* SPDX-License-Identifier: MIT */
/* Races: signatures that an order nominates; pairs that conflict with no lock in common. */
#include "model/lockset.h"
#include "model/sites.h"
#include "order/order.h"
#include "predict/candidates.h"
#include "predict/tune.h"

#include <stdlib.h>
#include <string.h>

/* Accesses of one site, in order. */
struct site_events {
	VEC(uint32_t) events;
};

struct race_sites {
	uint32_t site[2];
};

struct races {
	const struct index *index;
	struct locksets *locks;
	VEC(struct race_sites) signatures; /* by the numbers of their candidates */
	struct sites sites;		   /* that some candidate has */
	VEC(struct site_events) events;	   /* of each site */
};

/* Both texts, the smaller first: reports number their sites in ways of their own. */
static uint32_t signature_number(struct intern *set, const struct order_report *report,
				 const struct signature *s, bool add)
{
	const char *a = intern_text(&report->sites, s->site[0]);
	const char *b = intern_text(&report->sites, s->site[1]);
	bool swap = strcmp(a, b) > 0;
	size_t size = strlen(a) + strlen(b) + 2;
	char *text = mem_alloc(size);

	/* a NUL between them, which no text has */
	memcpy(stpcpy(text, swap ? b : a) + 1, swap ? a : b, strlen(swap ? a : b) + 1);
	uint32_t number = add ? intern_add(set, text, size) : intern_find(set, text, size);

	mem_free(text);
	return number;
}

static void gather_events(struct races *r)
{
	vec_extend(&r->events, r->sites.keys.strings.n);
	for (uint32_t n = 1; n <= r->index->count; n++) {
		const struct event *e = &r->index->events[n];
		uint32_t site = event_is(e, EV_ACCESS) ? sites_find(&r->sites, e) : SITE_NONE;

		if (site != SITE_NONE)
			vec_push(&r->events.at[site].events, n);
	}
}

/*
 * What `nominated` names, each signature once; of it those are pruned that `kept` (NULL: no
 * such order) does not name.
 */
static void add_candidates(struct candidates *c, uint32_t kind, struct races *r,
			   const struct order_report *nominated, const struct order_report *kept)
{
	struct intern kept_set = {0};

	for (size_t i = 0; kept && i < kept->signatures.n; i++)
		signature_number(&kept_set, kept, &kept->signatures.at[i], true);
	for (size_t i = 0; i < nominated->signatures.n; i++) {
		const struct signature *s = &nominated->signatures.at[i];
		const struct event *events = r->index->events;
		struct race_sites sites = {{sites_add(&r->sites, &events[s->first.a]),
					    sites_add(&r->sites, &events[s->first.b])}};
		struct candidate candidate = {
			.number = (uint32_t)i,
			.pruned = kept &&
				  signature_number(&kept_set, nominated, s, false) == INTERN_NONE,
			.first = {2, {s->first.a, s->first.b}},
			.instances = s->pairs,
		};

		vec_push(&r->signatures, sites);
		candidates_add(c, kind, candidate);
	}
	intern_release(&kept_set);
}

/* Only for model predictable is there an order that prunes rightly. */
static int nominate_races(struct candidates *c, uint32_t kind, const struct predict_options *o,
			  struct err *err)
{
	const struct order_kind *kinds[2] = {order_by_name("quick"), order_by_name("wdp")};
	struct order_limits limits = {.bytes = o->order_bytes};
	struct order_report reports[2];
	size_t n = o->model == MODEL_PREDICTABLE ? 2 : 1;
	struct reader *reader = o->open(o->context, err);

	if (!reader)
		return err->code;
	reader_set_deadline(reader, o->deadline);
	int code = order_stream(reader, kinds, n, &limits, reports, err);

	reader_close(reader);
	if (code < 0)
		return code;
	struct races *r = mem_alloc_zero(1, sizeof(*r));

	c->kinds[kind].data = r;
	r->index = c->index;
	if (c->index->left_out && reports[0].signatures.n) {
		c->kinds[kind].missing = "their events were left out";
		reports[0].signatures.n = 0;
	}
	r->locks = locksets_new(c->index);
	add_candidates(c, kind, r, &reports[0], n == 2 ? &reports[1] : NULL);
	for (size_t i = 0; i < n; i++)
		order_report_release(&reports[i]);
	gather_events(r);
	return 0;
}

static void release_races(void *data)
{
	struct races *r = data;

	for (size_t i = 0; i < r->events.n; i++)
		vec_release(&r->events.at[i].events);
	vec_release(&r->events);
	vec_release(&r->signatures);
	sites_release(&r->sites);
	locksets_free(r->locks);
	mem_free(r);
}

/* An access of a site, for each variable that it covers. */
struct use {
	uint32_t variable, event;
};

struct uses {
	VEC(struct use) at;
};

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->variable != y->variable)
		return x->variable < y->variable ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static void gather_uses(const struct races *r, uint32_t site, struct uses *uses)
{
	for (size_t i = 0; i < r->events.at[site].events.n; i++) {
		uint32_t n = r->events.at[site].events.at[i];
		const struct event *e = &r->index->events[n];

		for (uint32_t k = 0; k < event_part_count(e); k++) {
			struct use use = {event_part(e, k).variable, n};

			vec_push(&uses->at, use);
		}
	}
	if (uses->at.n)
		qsort(uses->at.at, uses->at.n, sizeof(*uses->at.at), compare_uses);
}

static void add_pair(const struct races *r, struct instances *out, uint32_t a, uint32_t b)
{
	uint32_t pair[2] = {a < b ? a : b, a < b ? b : a};

	if (index_conflict(r->index, a, b) &&
	    !locksets_exclude(r->locks, r->locks->before[a], r->locks->before[b]))
		instances_add(out, pair, 2);
}

/* The uses of one variable: those of the first site, x, with those of the second, y. */
struct meeting {
	const struct use *x, *y;
	size_t x_count, y_count;
};

/* Of each side some before and some behind, if all would be too many. */
static void add_near(const struct races *r, struct instances *out, const struct meeting *m)
{
	size_t place = 0, near = predict_tune.neighbours;

	for (size_t i = 0; i < m->x_count; i++) {
		while (place < m->y_count && m->y[place].event < m->x[i].event)
			place++;
		size_t from = place > near ? place - near : 0;
		size_t end = place + near < m->y_count ? place + near : m->y_count;

		for (size_t k = from; k < end; k++)
			add_pair(r, out, m->x[i].event, m->y[k].event);
	}
}

static void add_all(const struct races *r, struct instances *out, const struct meeting *m)
{
	for (size_t i = 0; i < m->x_count; i++)
		for (size_t k = 0; k < m->y_count; k++)
			add_pair(r, out, m->x[i].event, m->y[k].event);
}

/* The next variable that both sites use; false: there is none. */
static bool next_meeting(const struct uses *x, const struct uses *y, size_t *i, size_t *k,
			 struct meeting *m)
{
	while (*i < x->at.n && *k < y->at.n && x->at.at[*i].variable != y->at.at[*k].variable)
		if (x->at.at[*i].variable < y->at.at[*k].variable)
			++*i;
		else
			++*k;
	if (*i == x->at.n || *k == y->at.n)
		return false;
	uint32_t variable = x->at.at[*i].variable;

	*m = (struct meeting){.x = &x->at.at[*i], .y = &y->at.at[*k]};
	while (*i < x->at.n && x->at.at[*i].variable == variable)
		++*i, m->x_count++;
	while (*k < y->at.n && y->at.at[*k].variable == variable)
		++*k, m->y_count++;
	return true;
}

static void list_races(const struct candidates *c, const struct candidate *candidate, size_t most,
		       struct instances *out)
{
	const struct races *r = c->kinds[candidate->kind].data;
	const uint32_t *site = r->signatures.at[candidate->number].site;
	struct uses x = {0}, y = {0};
	struct meeting m;

	gather_uses(r, site[0], &x);
	gather_uses(r, site[1], &y);
	for (size_t i = 0, k = 0; next_meeting(&x, &y, &i, &k, &m);) {
		if (m.x_count <= most / m.y_count) {
			add_all(r, out, &m);
		} else {
			add_near(r, out, &m);
			out->all = false;
		}
	}
	vec_release(&x.at);
	vec_release(&y.at);
}

const struct predict_kind predict_races = {
	.bug = BUG_RACE,
	.help = "two accesses at the same time, at least one of them a write",
	.instance = "pair",
	.between = '-',
	.by_default = true,
	.nominate = nominate_races,
	.list = list_races,
	.release = release_races,
};
