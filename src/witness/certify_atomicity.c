/* SPDX-License-Identifier: MIT */
/* Atomicity (doc/model.md): the accesses of the run, and the region that they violate. */
#include "witness/certify_parts.h"

#include "trace/expr.h"

#include <string.h>

/* The accesses in the order of the violation. */
struct violation {
	const struct fact *first, *remote, *last;
};

/* They happen in this order, and with the last one the run ends. */
static int find_accesses(struct certifier *c, struct violation *v)
{
	const struct witness *w = c->witness;
	const uint64_t *bug = w->bug_events.at;
	uint64_t length = witness_length(w), at[3] = {0};

	if (w->bug_events.n != 3)
		return certify_reject(c, "an atomicity violation has three accesses");
	for (uint64_t i = 0; i < length; i++)
		for (int k = 0; k < 3; k++)
			if (witness_event(w, i) == bug[k])
				at[k] = i + 1;
	if (!at[0] || at[0] >= at[1] || at[1] >= at[2] || at[2] != length)
		return certify_reject(c, "the run does not end with the accesses in their order");
	*v = (struct violation){facts_find(&c->facts, bug[0]), facts_find(&c->facts, bug[1]),
				facts_find(&c->facts, bug[2])};
	return 1;
}

static bool accesses(const struct event *e, uint32_t variable)
{
	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (event_part(e, i).variable == variable)
			return true;
	return false;
}

static bool is_access(const struct event *e)
{
	return (e->kind == EV_READ && e->order != ORDER_WATCH) || e->kind == EV_WRITE ||
	       e->kind == EV_RMW;
}

static bool writes(const struct fact *f)
{
	return f->event.kind != EV_READ;
}

/* R-W-R, R-W-W, W-W-R, W-W-W or W-R-W of one variable. */
static bool is_pattern(const struct violation *v)
{
	const struct event *a = &v->first->event, *r = &v->remote->event, *b = &v->last->event;

	if (!is_access(a) || !is_access(r) || !is_access(b) || a->thread != b->thread ||
	    a->thread == r->thread || v->first->position >= v->last->position)
		return false;
	if (!writes(v->remote) && !(writes(v->first) && writes(v->last)))
		return false;
	for (uint32_t i = 0; i < event_part_count(a); i++)
		if (accesses(r, event_part(a, i).variable) &&
		    accesses(b, event_part(a, i).variable))
			return true;
	return false;
}

/* A branch of the run may skip the event, and leave the later one. */
static bool may_be_skipped(const struct certifier *c, uint32_t thread, uint64_t position,
			   uint64_t later)
{
	for (uint64_t i = 0; i < witness_length(c->witness); i++) {
		const struct fact *f = facts_find(&c->facts, witness_event(c->witness, i));
		uint64_t end = f->position + event_scope(&f->event);

		if (f->event.thread == thread && f->position < position && position <= end &&
		    later > end)
			return true;
	}
	return false;
}

static bool is_said(const struct certifier *c, const struct violation *v)
{
	for (size_t i = 0; i < c->facts.regions.n; i++) {
		const struct fact_region *r = &c->facts.regions.at[i];

		if (r->thread == v->first->event.thread && r->begin < v->first->position &&
		    v->last->position < r->end &&
		    !may_be_skipped(c, r->thread, r->begin, v->first->position))
			return true;
	}
	return false;
}

/* What it writes, or whether a branch goes that way, is said to come from this read. */
static bool names(const struct fact *f, uint64_t read)
{
	const struct event_more *more = f->event.more;

	for (uint32_t i = 0; more && more->expr && i < more->expr->count; i++)
		if (more->expr->nodes[i].op == OP_READ &&
		    (uint64_t)more->expr->nodes[i].value == read)
			return true;
	for (uint32_t i = 0; more && !more->expr && i < more->read_count; i++)
		if (more->reads[i] == read)
			return true;
	return false;
}

static bool overlaps(const struct event *e, const struct event *other)
{
	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (accesses(other, event_part(e, i).variable))
			return true;
	return false;
}

/* The write depends on the read, and the thread did not look again. */
static bool uses_stale(const struct violation *v)
{
	bool uses = names(v->last, v->first->number);

	for (const struct fact *f = v->first + 1; f < v->last; f++) {
		if (f->event.thread != v->first->event.thread)
			continue;
		if (overlaps(&f->event, &v->first->event) && overlaps(&f->event, &v->last->event))
			return false;
		if (f->event.kind == EV_BRANCH && names(f, v->first->number) &&
		    (!event_scope(&f->event) ||
		     v->last->position <= f->position + event_scope(&f->event)))
			uses = true;
	}
	return uses;
}

/* A lock of the thread: how often it was taken so far, and how often it is held. */
struct holding {
	uint32_t holds, taken;
	uint32_t at_first; /* the count when the first access came; 0: it was not held */
};

static void follow_lock(const struct event *e, struct holding *locks)
{
	uint32_t lock = e->kind == EV_WAIT || e->kind == EV_WOKEN ? e->more->lock : e->object;

	switch ((enum event_kind)e->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED:
	case EV_WOKEN: locks[lock].taken += !locks[lock].holds++; break;
	case EV_RELEASE:
	case EV_RELEASE_SHARED:
	case EV_WAIT: locks[lock].holds--; break;
	default: break;
	}
}

/* Some lock is held at both, and was given back and taken again between them. */
static bool are_apart(const struct certifier *c, const struct violation *v)
{
	size_t n = symbols_count(c->symbols, CLASS_LOCK);
	struct holding *locks = mem_alloc_zero(n + 1, sizeof(*locks));
	bool apart = false;

	for (uint64_t i = 0; i < witness_length(c->witness); i++) {
		const struct fact *f = facts_find(&c->facts, witness_event(c->witness, i));

		if (f->event.thread == v->first->event.thread)
			follow_lock(&f->event, locks);
		for (size_t k = 0; f == v->first && k < n; k++)
			locks[k].at_first = locks[k].holds ? locks[k].taken : 0;
	}
	for (size_t k = 0; k < n; k++)
		apart |= locks[k].at_first && locks[k].holds && locks[k].taken > locks[k].at_first;
	mem_free(locks);
	return apart;
}

static bool in_one_function(const struct certifier *c, const struct violation *v)
{
	const struct event *both[2] = {&v->first->event, &v->last->event};
	const char *functions[2] = {"", ""};

	for (int i = 0; i < 2; i++) {
		struct location place = {0};

		if (both[i]->location)
			place = location_split(
				intern_text(&c->symbols->locations, both[i]->location));
		if (place.function)
			functions[i] = place.function;
	}
	return !strcmp(functions[0], functions[1]);
}

static bool is_inferred(const struct certifier *c, const struct violation *v)
{
	return v->first->event.kind == EV_READ && writes(v->remote) &&
	       v->last->event.kind == EV_WRITE && in_one_function(c, v) && uses_stale(v) &&
	       are_apart(c, v);
}

int certify_violates(struct certifier *c)
{
	struct violation v = {0};

	if (!find_accesses(c, &v))
		return 0;
	if (!is_pattern(&v))
		return certify_reject(c, "a serial order has the same effect as these accesses");
	if (!is_said(c, &v) && !is_inferred(c, &v))
		return certify_reject(c, "events %llu and %llu are not in one atomic region",
				      (unsigned long long)v.first->number,
				      (unsigned long long)v.last->number);
	return 1;
}
