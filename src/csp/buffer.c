/* SPDX-License-Identifier: MIT */
/* BUFFER(n, pairs): what goes in comes out in its order, at most n at a time. */
#include "csp/builtin.h"
#include "csp/process.h"
#include "csp/set.h"

#include <string.h>

static struct csp_process *buffer(struct csp *csp, struct csp_value *key, uint32_t n,
				  struct csp_value **held)
{
	return csp_process_make(csp, P_BUFFER, key, NULL, n, (void **)held);
}

struct csp_value *csp_buffer(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *most = csp_force(csp, c->args[0], c->pos);
	struct csp_value *pairs = csp_set_finite(csp, csp_force(csp, c->args[1], c->pos), c->pos);
	struct csp_bag events = {0};

	if (most->number < 1)
		csp_fail(csp, c->pos, "a buffer holds one event at least, not %lld",
			 (long long)most->number);
	csp_relation_prepare(csp, pairs, c->pos);
	for (uint32_t i = 0; i < 2 * pairs->n; i++)
		csp_bag_add(csp, &events, pairs->at[i / 2]->at[i % 2]);
	if (csp_set_from(csp, &events)->n != 2 * pairs->n)
		csp_fail(csp, c->pos, "an event stands in two pairs of this buffer");
	struct csp_value *parts[] = {most, pairs};
	struct csp_value *key = csp_intern(csp, csp_tuple(csp, 2, parts), c->pos);

	return csp_process_value(csp, buffer(csp, key, 0, NULL));
}

void csp_buffer_steps(struct csp *csp, struct csp_process *p)
{
	const struct csp_value *pairs = p->set->at[1];
	struct csp_value **held = csp_alloc(csp, (p->n + 1) * sizeof(*held));

	if (p->n) {
		memcpy(held, p->at, p->n * sizeof(*held));
		csp_step_add(csp, csp_event_number(csp, held[0]),
			     buffer(csp, p->set, p->n - 1, held + 1));
	}
	for (uint32_t i = 0; i < pairs->n && p->n < p->set->at[0]->number; i++) {
		held[p->n] = pairs->at[i]->at[1];
		csp_step_add(csp, csp_event_number(csp, pairs->at[i]->at[0]),
			     buffer(csp, p->set, p->n + 1, held));
	}
}
