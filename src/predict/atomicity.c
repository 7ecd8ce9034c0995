/* SPDX-License-Identifier: MIT */
/*
 * Atomicity: two accesses of a thread in one region, and one by another thread to the same variable
 * that makes a pattern which no serial order has. Of a region's accesses to a variable it is enough
 * to look at those that follow each other: what comes between any two comes between two of these.
 * Of a read between two writes, which may have reads between them, these are the writes.
 */
#include "model/lockset.h"
#include "model/regions.h"
#include "model/sections.h"
#include "model/sites.h"
#include "predict/candidates.h"
#include "predict/tune.h"

/* Two accesses of a region. */
struct span {
	uint32_t variable, first, last;
	uint32_t site[2];
	bool only_reads; /* between them: others come between those that follow each other */
};

struct signature_sites {
	uint32_t site[3]; /* of the first, the remote and the last */
};

struct atomicity {
	const struct index *index;
	struct locksets *locks;
	struct sites sites;
	VEC(struct span) spans;
	struct intern signatures;	      /* each once, numbered as candidates are */
	VEC(struct signature_sites) sites_of; /* the same */
	const uint32_t *end_of;		      /* as struct regions has it */
	const char *missing;		      /* regions that were not inferred, and why */
	/* of each thread, for the variable at hand: its last access and its last write of it */
	uint32_t *last_access, *last_store;
};

static bool is_part(const struct event *e)
{
	return (e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW) &&
	       e->order != ORDER_WATCH;
}

static void add_span(struct atomicity *a, uint32_t variable, uint32_t first, uint32_t last,
		     bool only_reads)
{
	struct span span = {
		.variable = variable, .first = first, .last = last, .only_reads = only_reads};

	span.site[0] = sites_add(&a->sites, &a->index->events[first]);
	span.site[1] = sites_add(&a->sites, &a->index->events[last]);
	vec_push(&a->spans, span);
}

/* The record has to be read from one to the other, which may be far. */
static bool is_inferred(struct atomicity *a, uint32_t first, uint32_t last)
{
	uint32_t gap = a->index->position[last] - a->index->position[first];

	if (!regions_may_infer(a->index, first, last))
		return false;
	if (gap <= predict_tune.infer_most)
		return regions_infer(a->index, first, last);
	a->missing = "critical sections are too far apart to infer what is atomic";
	return false;
}

static void find_spans_of(struct atomicity *a, uint32_t variable, bool infer)
{
	const struct index_list *list = &a->index->uses[CLASS_VARIABLE][variable];

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t n = list->events[i];
		const struct event *e = &a->index->events[n];
		uint32_t access = a->last_access[e->thread], store = a->last_store[e->thread];

		if (!is_part(e))
			continue;
		if (access && a->end_of && n < a->end_of[access])
			add_span(a, variable, access, n, false);
		else if (access && infer && is_inferred(a, access, n))
			add_span(a, variable, access, n, false);
		if (store && store != access && event_is(e, EV_STORES) && a->end_of &&
		    n < a->end_of[store])
			add_span(a, variable, store, n, true);
		a->last_access[e->thread] = n;
		if (event_is(e, EV_STORES))
			a->last_store[e->thread] = n;
	}
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t thread = a->index->events[list->events[i]].thread;

		a->last_access[thread] = a->last_store[thread] = 0;
	}
}

static void find_spans(struct atomicity *a, bool infer)
{
	size_t variables = symbols_count(a->index->symbols, CLASS_VARIABLE);

	a->end_of = regions_of(a->index)->end_of;
	a->last_access = mem_alloc_zero(a->index->thread_count + 1, sizeof(*a->last_access));
	a->last_store = mem_alloc_zero(a->index->thread_count + 1, sizeof(*a->last_store));
	for (uint32_t v = 0; v < variables; v++)
		find_spans_of(a, v, infer);
}

/* A lock that is held all the way from one to the other keeps away who takes it, too. */
static bool is_kept_away(const struct atomicity *a, const struct span *s, uint32_t remote)
{
	const struct sections *sections = sections_of(a->index);
	uint32_t thread = a->index->events[s->first].thread;

	if (!locksets_exclude(a->locks, a->locks->before[s->first], a->locks->before[remote]))
		return false;
	for (const struct section *at = NULL;
	     (at = sections_next(sections, thread, s->first, at));) {
		const struct held_lock *held =
			locksets_find(a->locks, a->locks->before[remote], at->lock);

		if ((!at->release || at->release > s->last) && held &&
		    !(held->shared && at->shared))
			return true;
	}
	return false;
}

static bool may_violate(const struct atomicity *a, const struct span *s, uint32_t remote)
{
	return !(s->only_reads && event_is(&a->index->events[remote], EV_STORES)) &&
	       regions_unserialisable(a->index, s->first, remote, s->last) &&
	       !is_kept_away(a, s, remote);
}

/*
 * Nomination looks at one of those that are alike, since there may be many: spans at the same
 * places, by one thread, with the same locks all the way; accesses at one place, by one thread,
 * with the same locks.
 */
typedef VEC(uint32_t) numbers;

static void put_span_key(const struct atomicity *a, const struct span *s, numbers *key)
{
	const struct sections *sections = sections_of(a->index);
	const struct event *first = &a->index->events[s->first];

	key->n = 0;
	vec_push(key, s->variable);
	vec_push(key, s->site[0]);
	vec_push(key, s->site[1]);
	vec_push(key, first->thread);
	vec_push(key, first->kind);
	vec_push(key, a->index->events[s->last].kind);
	vec_push(key, s->only_reads);
	for (const struct section *at = NULL;
	     (at = sections_next(sections, first->thread, s->first, at));)
		if (!at->release || at->release > s->last)
			vec_push(key, 2 * at->lock + at->shared);
}

static bool is_new(struct intern *seen, const numbers *key)
{
	size_t before = seen->strings.n;

	intern_add(seen, (const char *)key->at, key->n * sizeof(*key->at));
	return seen->strings.n > before;
}

/* One of each sort of accesses to the variable. */
static void find_remotes(struct atomicity *a, uint32_t variable, numbers *remotes, numbers *key)
{
	const struct index_list *list = &a->index->uses[CLASS_VARIABLE][variable];
	struct intern seen = {0};

	remotes->n = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct event *e = &a->index->events[list->events[i]];

		key->n = 0;
		vec_push(key, sites_add(&a->sites, e));
		vec_push(key, e->thread);
		vec_push(key, e->kind);
		vec_push(key, a->locks->before[list->events[i]]);
		if (is_part(e) && is_new(&seen, key))
			vec_push(remotes, list->events[i]);
	}
	intern_release(&seen);
}

static struct signature_sites signature_of(struct atomicity *a, const struct span *s,
					   uint32_t remote)
{
	return (struct signature_sites){
		{s->site[0], sites_add(&a->sites, &a->index->events[remote]), s->site[1]}};
}

static void nominate(struct candidates *c, uint32_t kind, struct atomicity *a, const struct span *s,
		     uint32_t remote)
{
	struct signature_sites sites = signature_of(a, s, remote);
	size_t before = a->signatures.strings.n;
	uint32_t number = intern_add(&a->signatures, (const char *)&sites, sizeof(sites));

	if (number < before)
		return;
	vec_push(&a->sites_of, sites);
	candidates_add(c, kind,
		       (struct candidate){.number = number,
					  .first = {3, {s->first, remote, s->last}},
					  .instances = 1});
}

static void nominate_all(struct candidates *c, uint32_t kind, struct atomicity *a)
{
	numbers remotes = {0}, key = {0};
	struct intern seen = {0};
	uint32_t variable = UINT32_MAX;

	for (size_t i = 0; i < a->spans.n; i++) {
		const struct span *s = &a->spans.at[i];

		if (s->variable != variable)
			find_remotes(a, variable = s->variable, &remotes, &key);
		put_span_key(a, s, &key);
		for (size_t k = is_new(&seen, &key) ? 0 : remotes.n; k < remotes.n; k++)
			if (may_violate(a, s, remotes.at[k]))
				nominate(c, kind, a, s, remotes.at[k]);
	}
	intern_release(&seen);
	vec_release(&remotes);
	vec_release(&key);
}

static int nominate_atomicity(struct candidates *c, uint32_t kind, const struct predict_options *o,
			      struct err *err)
{
	struct atomicity *a;

	(void)err;
	c->kinds[kind].idle = !o->infer && !regions_of(c->index)->all.n;
	if (c->kinds[kind].idle)
		return 0;
	a = mem_alloc_zero(1, sizeof(*a));
	c->kinds[kind].data = a;
	a->index = c->index;
	a->locks = locksets_new(c->index);
	find_spans(a, o->infer);
	nominate_all(c, kind, a);
	c->kinds[kind].missing = a->missing;
	return 0;
}

static void release_atomicity(void *data)
{
	struct atomicity *a = data;

	vec_release(&a->spans);
	vec_release(&a->sites_of);
	intern_release(&a->signatures);
	sites_release(&a->sites);
	locksets_free(a->locks);
	mem_free(a->last_access);
	mem_free(a->last_store);
	mem_free(a);
}

/* Those at the site, of the variable; if there are many, those around the span. */
static void add_instances(const struct atomicity *a, const struct span *s, uint32_t site,
			  size_t most, struct instances *out)
{
	const struct index_list *list = &a->index->uses[CLASS_VARIABLE][s->variable];
	uint32_t from = 0, end = list->count, near = predict_tune.neighbours;

	if (list->count > most / 16) {
		uint32_t place = index_place(list, s->first), behind = index_place(list, s->last);

		from = place > 16 * near ? place - 16 * near : 0;
		end = list->count - behind > 16 * near ? behind + 16 * near : list->count;
		out->all = out->all && !from && end == list->count;
	}
	for (uint32_t i = from; i < end; i++) {
		uint32_t n = list->events[i];

		if (sites_find(&a->sites, &a->index->events[n]) == site && may_violate(a, s, n))
			instances_add(out, (uint32_t[]){s->first, n, s->last}, 3);
	}
}

static void list_atomicity(const struct candidates *c, const struct candidate *candidate,
			   size_t most, struct instances *out)
{
	const struct atomicity *a = c->kinds[candidate->kind].data;
	const uint32_t *site = a->sites_of.at[candidate->number].site;

	for (size_t i = 0; i < a->spans.n; i++) {
		const struct span *s = &a->spans.at[i];

		if (s->site[0] != site[0] || s->site[1] != site[2])
			continue;
		if (out->at.n >= 16 * most) {
			out->all = false;
			return;
		}
		add_instances(a, s, site[1], most, out);
	}
}

const struct predict_kind predict_atomicity = {
	.bug = BUG_ATOMICITY,
	.help = "an access between two of an atomic region that no serial order has",
	.instance = "triple",
	.between = '-',
	.by_default = true,
	.nominate = nominate_atomicity,
	.list = list_atomicity,
	.release = release_atomicity,
};
