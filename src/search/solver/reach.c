/* SPDX-License-Identifier: MIT */
#include "search/solver/reach.h"

#include "base/err.h"

struct reach *reach_new(const uint32_t *ends, uint32_t chains)
{
	struct reach *r = mem_alloc_zero(1, sizeof(*r));
	uint32_t node = 1;

	r->chains = chains;
	r->nodes = chains ? ends[chains - 1] : 1;
	r->ends = mem_alloc(chains * sizeof(*r->ends) + 1);
	r->chain = mem_alloc_zero((size_t)r->nodes + 1, sizeof(*r->chain));
	size_t slots = (size_t)r->nodes * chains;

	r->first = mem_alloc(slots * sizeof(*r->first) + 1);
	r->last = mem_alloc_zero(slots + 1, sizeof(*r->last));
	r->newest = mem_alloc_zero(slots + 1, sizeof(*r->newest));
	for (size_t i = 0; i < slots; i++)
		r->first[i] = REACH_NONE;
	for (uint32_t c = 0; c < chains; c++)
		for (r->ends[c] = ends[c]; node < ends[c]; node++) {
			r->chain[node] = c;
			r->first[(size_t)node * chains + c] = node;
			r->last[(size_t)node * chains + c] = node;
		}
	return r;
}

void reach_free(struct reach *r)
{
	if (!r)
		return;
	mem_free(r->ends);
	mem_free(r->chain);
	mem_free(r->first);
	mem_free(r->last);
	mem_free(r->newest);
	vec_release(&r->edges);
	vec_release(&r->firsts);
	vec_release(&r->lasts);
	vec_release(&r->news);
	vec_release(&r->parts);
	mem_free(r);
}

static uint32_t chain_start(const struct reach *r, uint32_t chain)
{
	return chain ? r->ends[chain - 1] : 1;
}

/* These nodes, down the chain from `node`, now come before `target`. */
static void lower_firsts(struct reach *r, uint32_t node, uint32_t target)
{
	uint32_t start = chain_start(r, r->chain[node]), chain = r->chain[target];
	uint32_t edge = (uint32_t)r->edges.n - 1;
	size_t slot = (size_t)node * r->chains + chain;

	for (; node >= start && r->first[slot] > target; node--, slot -= r->chains) {
		uint32_t before = r->first[slot];
		struct reach_change change = {(uint32_t)slot, before, target, edge,
					      r->newest[slot]};
		struct reach_news news = {node, target,
					  before == REACH_NONE ? r->ends[chain] : before};

		vec_push(&r->firsts, change);
		vec_push(&r->news, news);
		r->newest[slot] = (uint32_t)r->firsts.n;
		r->first[slot] = target;
	}
}

/* These nodes, up the chain from `node`, now come after `source`. */
static void raise_lasts(struct reach *r, uint32_t node, uint32_t source)
{
	uint32_t end = r->ends[r->chain[node]], chain = r->chain[source];
	uint32_t edge = (uint32_t)r->edges.n - 1;
	size_t slot = (size_t)node * r->chains + chain;

	for (; node < end && r->last[slot] < source; node++, slot += r->chains) {
		struct reach_change change = {(uint32_t)slot, r->last[slot], source, edge, 0};

		vec_push(&r->lasts, change);
		r->last[slot] = source;
	}
}

void reach_add(struct reach *r, struct reach_way way, const struct reach_reason *reason)
{
	struct reach_edge edge = {way.from, way.to, *reason, r->firsts.n, r->lasts.n, 0};
	const uint32_t *sources = r->last + (size_t)way.from * r->chains;
	const uint32_t *targets = r->first + (size_t)way.to * r->chains;

	ASSERT(!reach_before(r, way.to, way.from));
	r->news.n = 0;
	vec_push(&r->edges, edge);
	for (uint32_t t = 0; t < r->chains; t++) {
		if (targets[t] == REACH_NONE || reach_first(r, way.from, t) <= targets[t])
			continue;
		for (uint32_t s = 0; s < r->chains; s++)
			if (sources[s])
				lower_firsts(r, sources[s], targets[t]);
	}
	for (uint32_t s = 0; s < r->chains; s++) {
		if (!sources[s] || reach_last(r, way.to, s) >= sources[s])
			continue;
		for (uint32_t t = 0; t < r->chains; t++)
			if (targets[t] != REACH_NONE)
				raise_lasts(r, targets[t], sources[s]);
	}
}

void reach_undo(struct reach *r, size_t edges)
{
	if (edges >= r->edges.n)
		return;
	const struct reach_edge *e = &r->edges.at[edges];

	while (r->firsts.n > e->firsts) {
		const struct reach_change *c = &r->firsts.at[--r->firsts.n];

		r->first[c->slot] = c->before;
		r->newest[c->slot] = c->older;
	}
	while (r->lasts.n > e->lasts) {
		const struct reach_change *c = &r->lasts.at[--r->lasts.n];

		r->last[c->slot] = c->before;
	}
	r->edges.n = edges;
}

void reach_settle(struct reach *r)
{
	for (size_t i = 0; i < r->firsts.n; i++)
		r->newest[r->firsts.at[i].slot] = 0;
	r->edges.n = r->firsts.n = r->lasts.n = 0;
}

/*
 * The oldest change that led so far: what it took is likely to hold for long. NULL: it was so
 * from the start.
 */
static const struct reach_change *find_change(const struct reach *r, const struct reach_part *p)
{
	uint32_t k = r->newest[(size_t)p->way.from * r->chains + r->chain[p->way.to]], found = 0;

	for (; k && r->firsts.at[k - 1].after <= p->way.to; k = r->firsts.at[k - 1].older)
		if (k <= p->limit)
			found = k;
	return found ? &r->firsts.at[found - 1] : NULL;
}

static void push_part(struct reach *r, uint32_t from, uint32_t to, size_t limit)
{
	struct reach_part part = {{from, to}, limit};

	if (r->chain[from] != r->chain[to])
		vec_push(&r->parts, part);
}

static void tell(struct reach *r, const struct reach_reason *reason, size_t limit, struct lits *why)
{
	for (size_t i = 0; i < REASON_LITS && reason->lits[i]; i++)
		vec_push(&why->at, reason->lits[i]);
	for (size_t i = 0; i < REASON_WAYS && reason->ways[i].from; i++)
		push_part(r, reason->ways[i].from, reason->ways[i].to, limit);
}

static void explain_parts(struct reach *r, struct lits *why)
{
	while (r->parts.n) {
		struct reach_part part = r->parts.at[--r->parts.n];
		const struct reach_change *change = find_change(r, &part);

		if (!change)
			continue;
		struct reach_edge *e = &r->edges.at[change->edge];

		push_part(r, part.way.from, e->from, e->firsts);
		push_part(r, e->to, part.way.to, e->firsts);
		if (e->explained != r->explanations)
			tell(r, &e->reason, e->firsts, why);
		e->explained = r->explanations;
	}
}

void reach_explain(struct reach *r, const struct reach_reason *reason, size_t when,
		   struct lits *why)
{
	r->explanations++;
	tell(r, reason, when, why);
	explain_parts(r, why);
}
