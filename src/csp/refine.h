/* SPDX-License-Identifier: MIT */
/* One assertion under way: pairs of a node of the specification and a state, breadth first. */
#ifndef CSP_REFINE_H
#define CSP_REFINE_H

#include "csp/normal.h"

struct csp_pair {
	struct csp_process *state; /* NULL: of the specification alone */
	uint32_t node;
	uint32_t parent, event; /* how it was reached */
};

struct csp_search {
	struct csp *csp;
	struct csp_normal normal;
	VEC(struct csp_pair) pairs;
	uint32_t *slot; /* pair + 1, by hash */
	size_t slots;
	uint64_t charged;
	struct csp_answer *answer;
	VEC(uint32_t) events; /* of the state at hand */
};

void csp_search_release(struct csp_search *s);
/* Fills the answer; these fail as what is inside does. */
void csp_refine(struct csp_search *s, struct csp_process *spec, struct csp_process *impl,
		enum csp_model model);
void csp_find_deadlock(struct csp_search *s, struct csp_process *p, enum csp_model model);
void csp_find_divergence(struct csp_search *s, struct csp_process *p);
void csp_find_choice(struct csp_search *s, struct csp_process *p, enum csp_model model);
void csp_find_trace(struct csp_search *s, struct csp_process *p, enum csp_model model,
		    const uint32_t *trace, size_t n);

/* Counterexamples (counterexample.c): of pair i, with one more event unless it is CSP_NO_EVENT. */
void csp_fail_at(struct csp_search *s, enum csp_failure failure, uint32_t i, uint32_t event);

/* Adds a pair unless it is known; returns its number. */
uint32_t csp_search_add(struct csp_search *s, struct csp_pair pair);

#endif
