/* SPDX-License-Identifier: MIT */
/* A process that is not written in CSP_M, inside a term: where it is, and in which state. */
#include "csp/process.h"

/* How many operands, from the first, may make steps as they are. */
static uint32_t running(const struct csp_process *p)
{
	switch ((enum csp_op)p->op) {
	case P_EXTERNAL: return p->n;
	case P_SLIDE:
	case P_SEQUENCE:
	case P_LOOP:
	case P_THROW:
	case P_HIDE:
	case P_PROJECT:
	case P_RENAME: return 1;
	case P_INTERRUPT:
	case P_PARALLEL:
	case P_ALPHABETISED:
	case P_SYNC_CHOICE:
	case P_SYNC_INTERRUPT:
	case P_LINK: return 2;
	default: return 0;
	}
}

static struct csp_process *set_outside(struct csp *csp, struct csp_process *p, uint64_t state,
				       uint32_t *count);

/* What it may do depends on all that it could do, which nobody knows of one from outside. */
static bool is_masked(struct csp *csp, struct csp_process *p)
{
	uint32_t count = 0;

	if (p->op != P_CHASE && p->op != P_PRIORITISE && p->op != P_PRIORITISE_BY)
		return false;
	set_outside(csp, p->at[0], 0, &count);
	return count;
}

static struct csp_process *set_outside(struct csp *csp, struct csp_process *p, uint64_t state,
				       uint32_t *count)
{
	csp_check_depth(csp, (struct csp_pos){0});
	p = csp_process_resolve(csp, p);
	if (is_masked(csp, p))
		*count |= CSP_OUTSIDE_MASKED;
	if (p->op == P_OUTSIDE) {
		++*count;
		return csp_process_make(csp, P_OUTSIDE, (void *)(uintptr_t)state, NULL, 2, p->at);
	}
	for (uint32_t i = 0, n = running(p); i < n; i++) {
		struct csp_process *now = csp_process_resolve(csp, p->at[i]);
		struct csp_process *then = set_outside(csp, now, state, count);

		if (then != now)
			p = csp_process_with(csp, p, i, then);
	}
	return p;
}

int csp_process_set_outside(struct csp *csp, struct csp_process *process, uint64_t state,
			    struct csp_process **set, uint32_t *count, struct err *err)
{
	CSP_ENTER(csp, err);
	*count = 0;
	*set = set_outside(csp, process, state, count);
	CSP_LEAVE(csp);
}

uint64_t csp_process_outside_state(struct csp *csp, struct csp_process *p)
{
	while (p->op == P_LATER && p->is)
		p = p->is;
	if (p->op == P_OUTSIDE)
		return p->state;
	for (uint32_t i = 0, n = running(p); i < n; i++) {
		uint64_t state = csp_process_outside_state(csp, p->at[i]);

		if (state != UINT64_MAX)
			return state;
	}
	return UINT64_MAX;
}

bool csp_process_ended(const struct csp_process *process)
{
	return process->op == P_OMEGA;
}

bool csp_process_parallel(struct csp *csp, struct csp_process *process, struct csp_process **left,
			  struct csp_process **right)
{
	(void)csp;
	while (process->op == P_LATER && process->is)
		process = process->is;
	if (process->op != P_PARALLEL)
		return false;
	*left = process->at[0];
	*right = process->at[1];
	return true;
}

bool csp_process_shares(const struct csp_process *parallel, uint32_t event)
{
	while (parallel->op == P_LATER && parallel->is)
		parallel = parallel->is;
	return csp_event_in(parallel->set, event);
}
