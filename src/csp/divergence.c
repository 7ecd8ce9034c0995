/* SPDX-License-Identifier: MIT */
/* Circles of silent steps. */
#include "csp/process.h"

enum { UNKNOWN, ON_PATH, CONVERGES, DIVERGES };

/* Down one silent step from the last of the path; NULL if it has no more. */
static struct csp_process *next(struct csp *csp, struct csp_process *p)
{
	struct csp_steps *s = csp_steps_kept(csp, p);
	/* silent steps come first */
	for (uint32_t i = 0; i < s->n && s->at[i].event == CSP_TAU; i++) {
		struct csp_process *to = s->at[i].to = csp_process_resolve(csp, s->at[i].to);

		if (to->divergence != CONVERGES)
			return to;
	}
	return NULL;
}

static bool found(struct csp_processes *t)
{
	for (size_t i = 0; i < t->path.n; i++)
		t->path.at[i]->divergence = DIVERGES;
	t->path.n = 0;
	return true;
}

bool csp_process_diverges(struct csp *csp, struct csp_process *p)
{
	struct csp_processes *t = csp->processes;

	/* left by an error */
	for (size_t i = 0; i < t->path.n; i++)
		t->path.at[i]->divergence = UNKNOWN;
	t->path.n = 0;
	p = csp_process_resolve(csp, p);
	if (p->divergence >= CONVERGES)
		return p->divergence == DIVERGES;
	p->divergence = ON_PATH;
	vec_push(&t->path, p);
	while (t->path.n) {
		struct csp_process *last = t->path.at[t->path.n - 1];
		/* one that converges is not looked at again */
		struct csp_process *to = next(csp, last);

		if (!to) {
			last->divergence = CONVERGES;
			t->path.n--;
			continue;
		}
		if (to->divergence == ON_PATH || to->divergence == DIVERGES)
			return found(t);
		to->divergence = ON_PATH;
		vec_push(&t->path, to);
	}
	return false;
}
