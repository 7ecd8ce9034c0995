/* SPDX-License-Identifier: MIT */
/* Refinement, and the properties of one process. */
#include "csp/refine.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_pair(const struct csp_pair *p)
{
	uint64_t h =
		((p->state ? (uint64_t)p->state->id + 1 : 0) << 32 | p->node) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(h >> 32) ^ (uint32_t)(h >> 11);
}

static void grow(struct csp_search *s)
{
	size_t slots = s->slots ? 2 * s->slots : 256;
	uint32_t *slot;

	csp_charge(s->csp, (slots - s->slots) * sizeof(*slot));
	s->charged += (slots - s->slots) * sizeof(*slot);
	slot = mem_alloc_zero(slots, sizeof(*slot));
	for (size_t i = 0; i < s->pairs.n; i++) {
		size_t at = hash_pair(&s->pairs.at[i]) & (slots - 1);

		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = (uint32_t)i + 1;
	}
	mem_free(s->slot);
	s->slot = slot;
	s->slots = slots;
}

uint32_t csp_search_add(struct csp_search *s, struct csp_pair pair)
{
	if (2 * s->pairs.n >= s->slots)
		grow(s);
	size_t at = hash_pair(&pair) & (s->slots - 1);

	for (; s->slot[at]; at = (at + 1) & (s->slots - 1)) {
		const struct csp_pair *known = &s->pairs.at[s->slot[at] - 1];

		if (known->state == pair.state && known->node == pair.node)
			return s->slot[at] - 1;
	}
	if ((s->csp->limits.states && s->pairs.n >= s->csp->limits.states) ||
	    s->pairs.n >= UINT32_MAX - 1)
		csp_give_up(s->csp, "there are more than %llu states (--max-states)",
			    (unsigned long long)s->pairs.n);
	csp_charge(s->csp, 2 * sizeof(pair));
	s->charged += 2 * sizeof(pair);
	vec_push(&s->pairs, pair);
	s->slot[at] = (uint32_t)s->pairs.n;
	return (uint32_t)s->pairs.n - 1;
}

void csp_search_release(struct csp_search *s)
{
	if (s->csp)
		s->csp->bytes -= s->charged;
	csp_normal_release(&s->normal);
	vec_release(&s->pairs);
	vec_release(&s->events);
	mem_free(s->slot);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The visible events of the steps on the stack, in order; is the state stable, may it end? */
static void look_at_steps(struct csp_search *s, size_t from, bool *stable, bool *ends)
{
	size_t end = s->csp->processes->scratch.n, n = 0;

	*stable = true;
	*ends = false;
	s->events.n = 0;
	for (size_t i = from; i < end; i++) {
		uint32_t event = s->csp->processes->scratch.at[i].event;

		if (event == CSP_TAU)
			*stable = false;
		else
			vec_push(&s->events, event);
		*ends = *ends || event == CSP_TICK;
	}
	if (s->events.n > 1)
		qsort(s->events.at, s->events.n, sizeof(*s->events.at), by_number);
	for (size_t i = 0; i < s->events.n; i++)
		if (!n || s->events.at[n - 1] != s->events.at[i])
			s->events.at[n++] = s->events.at[i];
	s->events.n = n;
}

/* One pair: what it may not do, and where it leads. True: it fails. */
static bool refine_pair(struct csp_search *s, uint32_t i, enum csp_model model)
{
	struct csp_pair pair = s->pairs.at[i];
	struct csp *csp = s->csp;
	bool stable, ends;

	if (model == CSP_FAILURES_DIVERGENCES) {
		if (s->normal.nodes.at[pair.node].divergent)
			return false;
		if (csp_process_diverges(csp, pair.state)) {
			csp_fail_at(s, CSP_DIVERGENCE, i, CSP_NO_EVENT);
			return true;
		}
	}
	size_t from = csp_steps_push(csp, pair.state), end = csp->processes->scratch.n;

	if (model != CSP_TRACES) {
		look_at_steps(s, from, &stable, &ends);
		if ((stable || ends) &&
		    !csp_normal_suffices(&s->normal, pair.node, s->events.at, s->events.n, ends)) {
			csp_fail_at(s, CSP_REFUSAL, i, CSP_NO_EVENT);
			return true;
		}
	}
	for (size_t k = from; k < end; k++) {
		struct csp_step step = csp->processes->scratch.at[k];
		uint32_t node = step.event == CSP_TAU
					? pair.node
					: csp_normal_go(&s->normal, pair.node, step.event);

		if (node == CSP_NODE_NONE) {
			csp_fail_at(s, CSP_TRACE, i, step.event);
			return true;
		}
		csp_search_add(s, (struct csp_pair){csp_process_resolve(csp, step.to), node, i,
						    step.event});
	}
	csp->processes->scratch.n = from;
	return false;
}

void csp_refine(struct csp_search *s, struct csp_process *spec, struct csp_process *impl,
		enum csp_model model)
{
	csp_normal_start(&s->normal, s->csp, spec, model);
	csp_search_add(s, (struct csp_pair){.state = impl});
	s->answer->holds = true;
	for (uint32_t i = 0; i < s->pairs.n; i++)
		if (refine_pair(s, i, model))
			break;
}

/* The steps of pair i to new pairs; returns how many there are. */
static size_t follow(struct csp_search *s, uint32_t i)
{
	struct csp *csp = s->csp;
	size_t from = csp_steps_push(csp, s->pairs.at[i].state), end = csp->processes->scratch.n;

	for (size_t k = from; k < end; k++) {
		struct csp_step step = csp->processes->scratch.at[k];

		csp_search_add(
			s, (struct csp_pair){csp_process_resolve(csp, step.to), 0, i, step.event});
	}
	csp->processes->scratch.n = from;
	return end - from;
}

void csp_find_deadlock(struct csp_search *s, struct csp_process *p, enum csp_model model)
{
	csp_search_add(s, (struct csp_pair){.state = p});
	s->answer->holds = true;
	for (uint32_t i = 0; i < s->pairs.n; i++) {
		struct csp_process *state = s->pairs.at[i].state;

		if (model == CSP_FAILURES_DIVERGENCES && csp_process_diverges(s->csp, state)) {
			csp_fail_at(s, CSP_DIVERGENCE, i, CSP_NO_EVENT);
			return;
		}
		if (!follow(s, i) && state->op != P_OMEGA) {
			csp_fail_at(s, CSP_DEADLOCK, i, CSP_NO_EVENT);
			return;
		}
	}
}

void csp_find_divergence(struct csp_search *s, struct csp_process *p)
{
	csp_search_add(s, (struct csp_pair){.state = p});
	s->answer->holds = true;
	for (uint32_t i = 0; i < s->pairs.n; i++) {
		if (csp_process_diverges(s->csp, s->pairs.at[i].state)) {
			csp_fail_at(s, CSP_DIVERGENCE, i, CSP_NO_EVENT);
			return;
		}
		follow(s, i);
	}
}

/* An event that the node may do and may refuse as well; CSP_NO_EVENT: there is none. */
static uint32_t refusable(const struct csp_node *node)
{
	for (uint32_t i = 0; i < node->acceptance_count; i++) {
		const struct csp_acceptance *a = &node->acceptance[i];

		for (uint32_t e = 0, k = 0; e < node->edge_count; e++) {
			while (k < a->n && a->event[k] < node->event[e])
				k++;
			if (k == a->n || a->event[k] != node->event[e])
				return node->event[e];
		}
	}
	return CSP_NO_EVENT;
}

void csp_find_choice(struct csp_search *s, struct csp_process *p, enum csp_model model)
{
	csp_normal_start(&s->normal, s->csp, p, model == CSP_TRACES ? CSP_FAILURES : model);
	csp_search_add(s, (struct csp_pair){0});
	s->answer->holds = true;
	for (uint32_t i = 0; i < s->pairs.n; i++) {
		uint32_t node = s->pairs.at[i].node;

		if (s->normal.nodes.at[node].divergent) {
			csp_fail_at(s, CSP_DIVERGENCE, i, CSP_NO_EVENT);
			return;
		}
		csp_normal_expand(&s->normal, node);
		uint32_t event = refusable(&s->normal.nodes.at[node]);

		if (event != CSP_NO_EVENT) {
			csp_fail_at(s, CSP_NONDETERMINISM, i, event);
			return;
		}
		for (uint32_t e = 0; e < s->normal.nodes.at[node].edge_count; e++) {
			event = s->normal.nodes.at[node].event[e];
			csp_search_add(s, (struct csp_pair){NULL,
							    csp_normal_go(&s->normal, node, event),
							    i, event});
		}
	}
}

/* Is the event in all acceptances? */
static bool is_sure(const struct csp_node *node, uint32_t event)
{
	for (uint32_t i = 0; i < node->acceptance_count; i++) {
		uint32_t k = 0;

		while (k < node->acceptance[i].n && node->acceptance[i].event[k] != event)
			k++;
		if (k == node->acceptance[i].n)
			return false;
	}
	return true;
}

void csp_find_trace(struct csp_search *s, struct csp_process *p, enum csp_model model,
		    const uint32_t *trace, size_t n)
{
	csp_normal_start(&s->normal, s->csp, p, model);
	csp_search_add(s, (struct csp_pair){0});
	s->answer->holds = true;
	for (size_t i = 0; i < n; i++) {
		uint32_t at = s->pairs.at[i].node;
		uint32_t to = csp_normal_go(&s->normal, at, trace[i]);
		const struct csp_node *node = &s->normal.nodes.at[at];

		if (node->divergent) {
			csp_fail_at(s, CSP_DIVERGENCE, (uint32_t)i, CSP_NO_EVENT);
			return;
		}
		if (to == CSP_NODE_NONE || (model != CSP_TRACES && !is_sure(node, trace[i]))) {
			csp_fail_at(s, CSP_TRACE_MISSING, (uint32_t)i, trace[i]);
			return;
		}
		/* a trace may come by one node twice */
		struct csp_pair pair = {NULL, to, (uint32_t)i, trace[i]};

		vec_push(&s->pairs, pair);
	}
}
