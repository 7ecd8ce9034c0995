/* From the pair that fails back to the beginning. */
#include "csp/refine.h"

#include <stdlib.h>
#include <string.h>

static size_t trace_of(const struct csp_search *s, uint32_t i, uint32_t *to)
{
	size_t n = 0;

	for (; i; i = s->pairs.at[i].parent)
		if (s->pairs.at[i].event != CSP_TAU) {
			if (to)
				to[n] = s->pairs.at[i].event;
			n++;
		}
	for (size_t k = 0; to && k < n / 2; k++) {
		uint32_t swap = to[k];

		to[k] = to[n - 1 - k];
		to[n - 1 - k] = swap;
	}
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
	size_t n = trace_of(s, i, NULL);
	uint32_t *trace = csp_alloc(s->csp, (n + 1) * sizeof(*trace));

	trace_of(s, i, trace);
	if (event != CSP_NO_EVENT)
		trace[n++] = event;
	a->holds = false;
	a->failure = failure;
	a->trace = trace;
	a->trace_length = n;
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
