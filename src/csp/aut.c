/* SPDX-License-Identifier: MIT */
/* A process as a labelled transition system. */
#include "csp/refine.h"

#include "base/output.h"

struct edge {
	uint32_t from, event, to;
};

struct graph {
	struct csp_search search;
	VEC(struct edge) edges;
};

static uint32_t number_of(struct graph *g, struct csp_process *p)
{
	return csp_search_add(&g->search, (struct csp_pair){.state = p});
}

static void explore(struct graph *g, struct csp_process *p)
{
	struct csp *csp = g->search.csp;

	number_of(g, p);
	for (uint32_t i = 0; i < g->search.pairs.n; i++) {
		size_t from = csp_steps_push(csp, g->search.pairs.at[i].state);
		size_t end = csp->processes->scratch.n;

		for (size_t k = from; k < end; k++) {
			struct csp_step step = csp->processes->scratch.at[k];
			struct edge edge = {i, step.event,
					    number_of(g, csp_process_resolve(csp, step.to))};

			csp_charge(csp, 2 * sizeof(edge));
			g->search.charged += 2 * sizeof(edge);
			vec_push(&g->edges, edge);
		}
		csp->processes->scratch.n = from;
	}
}

static int run(struct csp *csp, struct graph *g, struct csp_process *p, struct err *err)
{
	CSP_ENTER(csp, err);
	explore(g, p);
	CSP_LEAVE(csp);
}

int csp_write_aut(struct csp *csp, struct csp_process *p, struct output *out, struct err *err)
{
	struct graph g = {.search.csp = csp};
	int code = run(csp, &g, p, err);

	if (!code) {
		output_format(out, "des (0, %zu, %zu)\n", g.edges.n, g.search.pairs.n);
		for (size_t i = 0; i < g.edges.n; i++) {
			output_format(out, "(%u, \"", g.edges.at[i].from);
			output_text(out, csp_event_text(csp, g.edges.at[i].event));
			output_format(out, "\", %u)\n", g.edges.at[i].to);
		}
	}
	vec_release(&g.edges);
	csp_search_release(&g.search);
	return code;
}
