/* SPDX-License-Identifier: MIT */
/* From the pair that fails back to the beginning. */
#include "csp/refine.h"

#include <stdlib.h>
#include <string.h>

typedef struct csp_process process;

static uint32_t hidden_event(struct csp *csp, process *from, process *to);

/* The event by which one process becomes another, if a step does that; a silent one is looked into.
 */
static uint32_t event_between(struct csp *csp, process *from, process *to)
{
	struct csp_steps *s = csp_steps_kept(csp, from);

	for (uint32_t i = s->n; i-- > 0;)
		if (csp_process_resolve(csp, s->at[i].to) == to)
			return s->at[i].event == CSP_TAU ? hidden_event(csp, from, to)
							 : s->at[i].event;
	return CSP_TAU;
}

/* How many of the parts are processes. */
static uint32_t operands(const process *p)
{
	switch ((enum csp_op)p->op) {
	case P_HIDE:
	case P_PROJECT:
	case P_RENAME:
	case P_SLIDE:
	case P_SEQUENCE:
	case P_THROW: return 1;
	case P_PARALLEL:
	case P_ALPHABETISED:
	case P_LINK:
	case P_INTERRUPT:
	case P_SYNC_CHOICE:
	case P_SYNC_INTERRUPT: return 2;
	case P_EXTERNAL: return p->n;
	default: return 0;
	}
}

/* What a silent step hides: the event of the operand that moves; or CSP_TAU. */
static uint32_t hidden_event(struct csp *csp, process *from, process *to)
{
	csp_check_depth(csp, (struct csp_pos){0});
	if (from->op != to->op || from->n != to->n)
		return CSP_TAU;
	for (uint32_t i = 0; i < operands(from); i++) {
		process *a = csp_process_resolve(csp, from->at[i]);
		process *b = csp_process_resolve(csp, to->at[i]);

		/* the end of one side alone has no name */
		if (a != b && b->op != P_OMEGA)
			return event_between(csp, a, b);
	}
	return CSP_TAU;
}

/* The events on the way to pair i; without those that are hidden, or with them. */
static size_t way_to(const struct csp_search *s, uint32_t i, bool hidden, uint32_t *to)
{
	size_t n = 0;

	for (; i; i = s->pairs.at[i].parent) {
		uint32_t event = s->pairs.at[i].event;

		if (event == CSP_TAU && hidden)
			event = hidden_event(s->csp, s->pairs.at[s->pairs.at[i].parent].state,
					     s->pairs.at[i].state);
		if (event != CSP_TAU)
			to[n++] = event;
	}
	for (size_t k = 0; k < n / 2; k++) {
		uint32_t swap = to[k];

		to[k] = to[n - 1 - k];
		to[n - 1 - k] = swap;
	}
	return n;
}

static size_t steps_to(const struct csp_search *s, uint32_t i)
{
	size_t n = 0;

	for (; i; i = s->pairs.at[i].parent)
		n++;
	return n;
}

/* Its visible events, each once. */
static void accepted(struct csp_search *s, struct csp_process *p)
{
	struct csp_steps *steps = csp_steps_kept(s->csp, p);
	uint32_t *event = csp_alloc(s->csp, steps->n * sizeof(*event));
	size_t n = 0;

	for (uint32_t i = 0; i < steps->n; i++)
		if (steps->at[i].event != CSP_TAU && (!n || event[n - 1] != steps->at[i].event))
			event[n++] = steps->at[i].event;
	s->answer->accepted = event;
	s->answer->accepted_count = n;
}

void csp_fail_at(struct csp_search *s, enum csp_failure failure, uint32_t i, uint32_t event)
{
	struct csp_answer *a = s->answer;
	const struct csp_pair pair = s->pairs.at[i];
	size_t most = steps_to(s, i) + 1;
	uint32_t *trace = csp_alloc(s->csp, most * sizeof(*trace));
	uint32_t *path = csp_alloc(s->csp, most * sizeof(*path));

	a->holds = false;
	a->failure = failure;
	a->trace = trace;
	a->trace_length = way_to(s, i, false, trace);
	a->path = path;
	a->path_length = way_to(s, i, pair.state != NULL, path);
	if (event != CSP_NO_EVENT) {
		trace[a->trace_length++] = event;
		path[a->path_length++] = event;
	}
	if (s->normal.nodes.n) {
		csp_normal_expand(&s->normal, pair.node);
		a->allowed = s->normal.nodes.at[pair.node].event;
		a->allowed_count = s->normal.nodes.at[pair.node].edge_count;
		a->specification = s->normal.nodes.at[pair.node].state[0];
	}
	if (pair.state) {
		accepted(s, pair.state);
		a->implementation = pair.state;
	}
}
