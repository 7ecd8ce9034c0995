/* SPDX-License-Identifier: MIT */
/* Two nodes with nothing between them: what comes before one comes before both. */
#include "search/solver/precedence_parts.h"

void precedence_adjacent(struct precedence *p, lit when, uint32_t node, uint32_t other)
{
	struct neighbours new = {{node, other}, when};

	*precedence_meaning(p, when) = (struct meaning){MEANS_ADJACENT, (uint32_t)p->neighbours.n};
	vec_push(&p->neighbours, new);
}

/* x comes before `node`, and so before its neighbour. */
static bool put_before(struct precedence *p, const struct neighbours *n, uint32_t x, uint32_t node)
{
	uint32_t other = n->nodes[node == n->nodes[0]];
	struct reach_reason reason = {.lits = {n->when}, .ways = {{x, node}}};

	return x == node || x == other || precedence_derive(p, x, other, &reason);
}

static bool put_behind(struct precedence *p, const struct neighbours *n, uint32_t node, uint32_t y)
{
	uint32_t other = n->nodes[node == n->nodes[0]];
	struct reach_reason reason = {.lits = {n->when}, .ways = {{node, y}}};

	return y == node || y == other || precedence_derive(p, other, y, &reason);
}

bool precedence_adjacent_activate(struct precedence *p, uint32_t number)
{
	const struct neighbours *n = &p->neighbours.at[number];
	const struct reach *r = p->reach;

	vec_push(&p->together, number);
	for (size_t i = 0; i < 2; i++)
		for (uint32_t c = 0; c < r->chains; c++) {
			uint32_t node = n->nodes[i];
			bool own = c == r->chain[node];
			uint32_t last = reach_last(r, node, c) - own;
			uint32_t first = reach_first(r, node, c);

			first += own;
			if (last && r->chain[last] == c && !put_before(p, n, last, node))
				return false;
			if (first < r->ends[c] && !put_behind(p, n, node, first))
				return false;
		}
	return true;
}

bool precedence_adjacent_before(struct precedence *p, const struct reach_news *news)
{
	for (size_t k = 0; k < p->together.n; k++) {
		const struct neighbours *n = &p->neighbours.at[p->together.at[k]];

		for (size_t i = 0; i < 2; i++) {
			if (n->nodes[i] == news->node && !put_behind(p, n, news->node, news->low))
				return false;
			if (news->low <= n->nodes[i] && n->nodes[i] < news->high &&
			    !put_before(p, n, news->node, n->nodes[i]))
				return false;
		}
	}
	return true;
}
