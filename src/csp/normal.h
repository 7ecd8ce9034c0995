/* SPDX-License-Identifier: MIT */
/*
 * Specifications made deterministic. A node is a set of states closed under silent steps; its
 * acceptances are the least sets of events of which one has to be offered.
 */
#ifndef CSP_NORMAL_H
#define CSP_NORMAL_H

#include "csp/process.h"

struct csp_acceptance {
	uint32_t n;
	const uint32_t *event; /* in order */
};

struct csp_node {
	uint32_t n;
	struct csp_process **state; /* in order of their ids */
	uint32_t hash;
	bool expanded;
	bool divergent; /* in failures-divergences: then it allows everything */
	uint32_t edge_count;
	uint32_t *event, *to; /* by event */
	uint32_t acceptance_count;
	struct csp_acceptance *acceptance;
};

struct csp_normal {
	struct csp *csp;
	enum csp_model model;
	VEC(struct csp_node) nodes;
	uint32_t *slot; /* node + 1, by hash */
	size_t slots;
	VEC(struct csp_process *) work;
	VEC(struct csp_step) visible;
	VEC(uint32_t) events;
};

/* Fail as what is inside does (context.h). */
void csp_normal_start(struct csp_normal *normal, struct csp *csp, struct csp_process *p,
		      enum csp_model model);
void csp_normal_release(struct csp_normal *normal);
/* Edges and acceptances are known after it. Pointers to nodes may change. */
void csp_normal_expand(struct csp_normal *normal, uint32_t node);
uint32_t csp_normal_go(struct csp_normal *normal, uint32_t node, uint32_t event);
/*
 * Does a stable state that offers these events, in order, offer all of one of the sets of which the
 * node wants one? ends: it may end, whatever is offered.
 */
bool csp_normal_suffices(struct csp_normal *normal, uint32_t node, const uint32_t *events,
			 size_t count, bool ends);

#endif
