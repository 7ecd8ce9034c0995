/* SPDX-License-Identifier: MIT */
/* Sets of states, closed under silent steps. */
#include "csp/normal.h"

#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b)
{
	const struct csp_process *x = *(struct csp_process *const *)a,
				 *y = *(struct csp_process *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void add_state(struct csp_normal *n, struct csp_process *p, uint32_t mark)
{
	p = csp_process_resolve(n->csp, p);
	if (p->mark == mark)
		return;
	p->mark = mark;
	vec_push(&n->work, p);
}

/* What silent steps lead to from the states in work; then in order. */
static void close_silently(struct csp_normal *n, uint32_t mark)
{
	for (size_t i = 0; i < n->work.n; i++) {
		struct csp_steps *s = csp_steps_kept(n->csp, n->work.at[i]);

		for (uint32_t k = 0; k < s->n && s->at[k].event == CSP_TAU; k++)
			add_state(n, s->at[k].to, mark);
	}
	qsort(n->work.at, n->work.n, sizeof(*n->work.at), by_id);
}

static uint32_t hash_work(const struct csp_normal *n)
{
	uint64_t h = n->work.n;

	for (size_t i = 0; i < n->work.n; i++)
		h = (h ^ n->work.at[i]->id) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static void grow(struct csp_normal *n)
{
	size_t slots = n->slots ? 2 * n->slots : 64;
	uint32_t *slot = mem_alloc_zero(slots, sizeof(*slot));

	for (size_t i = 0; i < n->nodes.n; i++) {
		size_t at = n->nodes.at[i].hash & (slots - 1);

		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = (uint32_t)i + 1;
	}
	mem_free(n->slot);
	n->slot = slot;
	n->slots = slots;
}

static bool any_diverges(struct csp_normal *n)
{
	for (size_t i = 0; i < n->work.n; i++)
		if (csp_process_diverges(n->csp, n->work.at[i]))
			return true;
	return false;
}

/* The node of the states in work. */
static uint32_t find_node(struct csp_normal *n)
{
	struct csp *csp = n->csp;
	uint32_t hash = hash_work(n);

	if (2 * n->nodes.n >= n->slots)
		grow(n);
	size_t at = hash & (n->slots - 1);

	for (; n->slot[at]; at = (at + 1) & (n->slots - 1)) {
		struct csp_node *node = &n->nodes.at[n->slot[at] - 1];

		if (node->hash == hash && node->n == n->work.n &&
		    !memcmp(node->state, n->work.at, n->work.n * sizeof(*n->work.at)))
			return n->slot[at] - 1;
	}
	if (csp->limits.states && n->nodes.n >= csp->limits.states)
		csp_give_up(csp, "the specification has more than %llu states (--max-states)",
			    (unsigned long long)csp->limits.states);
	struct csp_node node = {.n = (uint32_t)n->work.n, .hash = hash};

	node.state = csp_copy(csp, n->work.at, n->work.n * sizeof(*n->work.at));
	node.divergent = n->model == CSP_FAILURES_DIVERGENCES && any_diverges(n);
	csp_charge(csp, sizeof(node) + 16);
	vec_push(&n->nodes, node);
	n->slot[at] = (uint32_t)n->nodes.n;
	return (uint32_t)n->nodes.n - 1;
}

void csp_normal_start(struct csp_normal *n, struct csp *csp, struct csp_process *p,
		      enum csp_model model)
{
	uint32_t mark = ++csp->processes->marks;

	n->csp = csp;
	n->model = model;
	add_state(n, p, mark);
	close_silently(n, mark);
	find_node(n);
}

void csp_normal_release(struct csp_normal *n)
{
	vec_release(&n->nodes);
	mem_free(n->slot);
	vec_release(&n->work);
	vec_release(&n->visible);
	vec_release(&n->events);
}

static int by_event(const void *a, const void *b)
{
	const struct csp_step *x = a, *y = b;

	return x->event < y->event ? -1 : x->event > y->event;
}

/* Is a part of b? Both are in order. */
static bool is_part(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		while (k < m && b[k] < a[i])
			k++;
		if (k == m || b[k] != a[i])
			return false;
	}
	return true;
}

/* Keeps the least ones. */
static void add_acceptance(struct csp_normal *n, struct csp_node *node)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < node->acceptance_count; i++)
		if (is_part(node->acceptance[i].event, node->acceptance[i].n, n->events.at,
			    n->events.n))
			return;
	for (uint32_t i = 0; i < node->acceptance_count; i++)
		if (!is_part(n->events.at, n->events.n, node->acceptance[i].event,
			     node->acceptance[i].n))
			node->acceptance[kept++] = node->acceptance[i];
	struct csp_acceptance *more = csp_alloc(n->csp, (kept + 1) * sizeof(*more));

	if (kept)
		memcpy(more, node->acceptance, kept * sizeof(*more));
	more[kept].n = (uint32_t)n->events.n;
	more[kept].event = csp_copy(n->csp, n->events.at, n->events.n * sizeof(*n->events.at));
	node->acceptance = more;
	node->acceptance_count = kept + 1;
}

/*
 * What a state accepts: all its events if it is stable. One that can end may do so whatever is
 * offered: it accepts its end alone.
 */
static void accept_state(struct csp_normal *n, struct csp_node *node, const struct csp_steps *s)
{
	bool silent = s->n && s->at[0].event == CSP_TAU, ends = false;

	for (uint32_t i = 0; i < s->n; i++)
		ends = ends || s->at[i].event == CSP_TICK;
	if (silent && !ends)
		return;
	n->events.n = 0;
	if (ends)
		vec_push(&n->events, CSP_TICK);
	for (uint32_t i = 0; i < s->n && !ends; i++)
		if (!n->events.n || n->events.at[n->events.n - 1] != s->at[i].event)
			vec_push(&n->events, s->at[i].event);
	add_acceptance(n, node);
}

static void collect_visible(struct csp_normal *n, uint32_t index)
{
	n->visible.n = 0;
	for (uint32_t i = 0; i < n->nodes.at[index].n; i++) {
		struct csp_node *node = &n->nodes.at[index];
		struct csp_steps *s = csp_steps_kept(n->csp, node->state[i]);

		for (uint32_t k = 0; k < s->n; k++)
			if (s->at[k].event != CSP_TAU)
				vec_push(&n->visible, s->at[k]);
		if (n->model != CSP_TRACES)
			accept_state(n, node, s);
	}
	if (n->visible.n)
		qsort(n->visible.at, n->visible.n, sizeof(*n->visible.at), by_event);
}

void csp_normal_expand(struct csp_normal *n, uint32_t index)
{
	if (n->nodes.at[index].expanded)
		return;
	n->nodes.at[index].acceptance_count = 0; /* of a round that an error ended */
	collect_visible(n, index);
	uint32_t count = 0;

	for (size_t i = 0; i < n->visible.n; i++)
		count += !i || n->visible.at[i].event != n->visible.at[i - 1].event;
	uint32_t *event = csp_alloc(n->csp, count * sizeof(*event));

	count = 0;
	for (size_t i = 0; i < n->visible.n; i++)
		if (!i || n->visible.at[i].event != n->visible.at[i - 1].event)
			event[count++] = n->visible.at[i].event;
	struct csp_node *node = &n->nodes.at[index];

	node->event = event;
	node->edge_count = count;
	node->to = csp_alloc(n->csp, count * sizeof(*node->to));
	memset(node->to, 0xff, count * sizeof(*node->to));
	node->expanded = true;
}

/* The first step by that event, or n: steps are in order. */
static uint32_t first_step(const struct csp_steps *s, uint32_t event)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->at[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void gather(struct csp_normal *n, uint32_t index, uint32_t event, uint32_t mark)
{
	n->work.n = 0;
	for (uint32_t i = 0; i < n->nodes.at[index].n; i++) {
		struct csp_steps *s = csp_steps_kept(n->csp, n->nodes.at[index].state[i]);

		for (uint32_t k = first_step(s, event); k < s->n && s->at[k].event == event; k++)
			add_state(n, s->at[k].to, mark);
	}
}

uint32_t csp_normal_go(struct csp_normal *n, uint32_t index, uint32_t event)
{
	csp_normal_expand(n, index);
	struct csp_node *node = &n->nodes.at[index];
	uint32_t low = 0, high = node->edge_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (node->event[middle] < event)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == node->edge_count || node->event[low] != event)
		return CSP_NODE_NONE;
	if (node->to[low] == CSP_NODE_NONE) {
		uint32_t mark = ++n->csp->processes->marks;

		gather(n, index, event, mark);
		close_silently(n, mark);
		uint32_t to = find_node(n);

		n->nodes.at[index].to[low] = to;
	}
	return n->nodes.at[index].to[low];
}

bool csp_normal_suffices(struct csp_normal *n, uint32_t index, const uint32_t *events, size_t count,
			 bool ends)
{
	csp_normal_expand(n, index);
	const struct csp_node *node = &n->nodes.at[index];

	for (uint32_t i = 0; i < node->acceptance_count; i++) {
		const struct csp_acceptance *a = &node->acceptance[i];

		if (ends && (a->n > 1 || (a->n && a->event[0] != CSP_TICK)))
			continue;
		if (is_part(a->event, a->n, events, count))
			return true;
	}
	return false;
}
