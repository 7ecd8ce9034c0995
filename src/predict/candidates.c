#include "predict/candidates.h"

#include <stdlib.h>
#include <string.h>

/* A location, or what stands for it where there is none; as order/stream.c has it. */
struct site_key {
	uint32_t location, thread, object, kind;
};

static uint32_t site_of(struct intern *sites, const struct event *e, bool add)
{
	struct site_key key = {.location = e->location};

	if (!key.location)
		key = (struct site_key){0, e->thread, e->object, e->kind};
	return add ? intern_add(sites, (const char *)&key, sizeof(key))
		   : intern_find(sites, (const char *)&key, sizeof(key));
}

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

static void gather_events(struct candidates *c)
{
	vec_extend(&c->events, c->sites.strings.n);
	for (uint32_t n = 1; n <= c->index->count; n++) {
		const struct event *e = &c->index->events[n];
		uint32_t site = event_is(e, EV_ACCESS) ? site_of(&c->sites, e, false) : INTERN_NONE;

		if (site != INTERN_NONE)
			vec_push(&c->events.at[site].events, n);
	}
}

void candidates_init(struct candidates *c, const struct index *index,
		     const struct order_report *nominated, const struct order_report *kept)
{
	struct intern kept_set = {0};

	memset(c, 0, sizeof(*c));
	c->index = index;
	c->locks = locksets_new(index);
	for (size_t i = 0; kept && i < kept->signatures.n; i++)
		signature_number(&kept_set, kept, &kept->signatures.at[i], true);
	for (size_t i = 0; i < nominated->signatures.n; i++) {
		const struct signature *s = &nominated->signatures.at[i];
		struct candidate candidate = {
			.pruned = kept &&
				  signature_number(&kept_set, nominated, s, false) == INTERN_NONE,
			.first = s->first,
			.pairs = s->pairs,
		};

		candidate.site[0] = site_of(&c->sites, &index->events[s->first.a], true);
		candidate.site[1] = site_of(&c->sites, &index->events[s->first.b], true);
		vec_push(&c->all, candidate);
	}
	intern_release(&kept_set);
	gather_events(c);
}

void candidates_release(struct candidates *c)
{
	for (size_t i = 0; i < c->events.n; i++)
		vec_release(&c->events.at[i].events);
	vec_release(&c->events);
	vec_release(&c->all);
	intern_release(&c->sites);
	locksets_free(c->locks);
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

static void gather_uses(const struct candidates *c, uint32_t site, struct uses *uses)
{
	for (size_t i = 0; i < c->events.at[site].events.n; i++) {
		uint32_t n = c->events.at[site].events.at[i];
		const struct event *e = &c->index->events[n];

		for (uint32_t k = 0; k < event_part_count(e); k++) {
			struct use use = {event_part(e, k).variable, n};

			vec_push(&uses->at, use);
		}
	}
	if (uses->at.n)
		qsort(uses->at.at, uses->at.n, sizeof(*uses->at.at), compare_uses);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct order_pair *x = a, *y = b;
	uint32_t near_x = x->b - x->a, near_y = y->b - y->a;

	if (near_x != near_y)
		return near_x < near_y ? -1 : 1;
	return x->a < y->a ? -1 : x->a > y->a;
}

static void add_pair(const struct candidates *c, struct candidate_pairs *pairs, uint32_t a,
		     uint32_t b)
{
	struct order_pair pair = {a < b ? a : b, a < b ? b : a};

	if (index_conflict(c->index, a, b) &&
	    !locksets_exclude(c->locks, c->locks->before[a], c->locks->before[b]))
		vec_push(&pairs->at, pair);
}

/* The uses of one variable: those of the first site, x, with those of the second, y. */
struct meeting {
	const struct use *x, *y;
	size_t x_count, y_count;
};

#define NEIGHBOURS 4

/* Of each side some before and some behind, if all would be too many. */
static void add_near(const struct candidates *c, struct candidate_pairs *pairs,
		     const struct meeting *m)
{
	size_t place = 0;

	for (size_t i = 0; i < m->x_count; i++) {
		while (place < m->y_count && m->y[place].event < m->x[i].event)
			place++;
		size_t from = place > NEIGHBOURS ? place - NEIGHBOURS : 0;
		size_t end = place + NEIGHBOURS < m->y_count ? place + NEIGHBOURS : m->y_count;

		for (size_t k = from; k < end; k++)
			add_pair(c, pairs, m->x[i].event, m->y[k].event);
	}
}

static void add_all(const struct candidates *c, struct candidate_pairs *pairs,
		    const struct meeting *m)
{
	for (size_t i = 0; i < m->x_count; i++)
		for (size_t k = 0; k < m->y_count; k++)
			add_pair(c, pairs, m->x[i].event, m->y[k].event);
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

/* Sorted, each once, not more than most. */
static void tidy(struct candidate_pairs *pairs, size_t most)
{
	size_t kept = 0;

	if (pairs->at.n)
		qsort(pairs->at.at, pairs->at.n, sizeof(*pairs->at.at), compare_pairs);
	for (size_t i = 0; i < pairs->at.n; i++)
		if (!kept || compare_pairs(&pairs->at.at[kept - 1], &pairs->at.at[i]))
			pairs->at.at[kept++] = pairs->at.at[i];
	pairs->at.n = kept;
	if (kept > most) {
		pairs->at.n = most;
		pairs->all = false;
	}
}

void candidates_pairs(const struct candidates *c, const struct candidate *candidate, size_t most,
		      struct candidate_pairs *pairs)
{
	struct uses x = {0}, y = {0};
	struct meeting m;

	gather_uses(c, candidate->site[0], &x);
	gather_uses(c, candidate->site[1], &y);
	pairs->all = true;
	for (size_t i = 0, k = 0; next_meeting(&x, &y, &i, &k, &m);) {
		if (m.x_count <= most / m.y_count) {
			add_all(c, pairs, &m);
		} else {
			add_near(c, pairs, &m);
			pairs->all = false;
		}
	}
	tidy(pairs, most);
	vec_release(&x.at);
	vec_release(&y.at);
}
