/* SPDX-License-Identifier: MIT */
#include "search/solver/timeline.h"

#include "base/sorted.h"
#include "base/err.h"

struct timeline *timeline_new(struct formula *f)
{
	struct timeline *s = mem_alloc_zero(1, sizeof(*s));

	s->formula = f;
	return s;
}

void timeline_free(struct timeline *s)
{
	if (!s)
		return;
	vec_release(&s->order);
	vec_release(&s->chains);
	mem_free(s);
}

static void read_solution(struct timeline *s)
{
	struct formula *f = s->formula;

	s->chains.n = 0;
	for (size_t i = 0; i < f->chain_ends.n; i++) {
		struct timeline_chain chain = {.next = i ? f->chain_ends.at[i - 1] : 1};

		/* what happens of a chain comes first */
		chain.end = LOWER_BOUND(node, chain.next, f->chain_ends.at[i],
					sat_true(f->sat, (lit)node));
		vec_push(&s->chains, chain);
	}
}

static bool has_place(const struct timeline *s, uint32_t node)
{
	return node < s->chains.at[precedence_chain(s->formula->order, node)].next;
}

/* Nothing has to come before the next node of the chain that has no place. */
static bool can_go(struct timeline *s, struct timeline_chain *chain)
{
	if (chain->blocker && !has_place(s, chain->blocker))
		return false;
	chain->blocker = 0;
	for (uint32_t c = 0; c < s->chains.n; c++) {
		uint32_t last = precedence_last(s->formula->order, chain->next, c);

		if (last && last != chain->next && !has_place(s, last)) {
			chain->blocker = last;
			return false;
		}
	}
	return true;
}

static void place(struct timeline *s, struct timeline_chain *chain)
{
	ASSERT(can_go(s, chain));
	vec_push(&s->order, chain->next++);
}

/* What it has to be next to goes with it, if it is one of the pair. */
static void place_with_partner(struct timeline *s, struct timeline_chain *chain)
{
	uint32_t node = chain->next;

	place(s, chain);
	for (uint32_t i = 0; s->adjacent && i < 2; i++)
		if (node == s->pair[i] && !has_place(s, s->pair[!i]))
			place(s, &s->chains.at[precedence_chain(s->formula->order, s->pair[!i])]);
}

/* Each time the one that was recorded first, of those that can go. */
void timeline_make(struct timeline *s)
{
	const uint32_t *event = s->formula->cone->event;
	uint32_t expected = 0;

	read_solution(s);
	for (size_t c = 0; c < s->chains.n; c++)
		expected += s->chains.at[c].end - s->chains.at[c].next;
	s->order.n = 0;
	for (;;) {
		struct timeline_chain *best = NULL;

		for (size_t c = 0; c < s->chains.n; c++) {
			struct timeline_chain *chain = &s->chains.at[c];

			if (chain->next < chain->end &&
			    (!best || event[chain->next] < event[best->next]) && can_go(s, chain))
				best = chain;
		}
		if (!best)
			break;
		place_with_partner(s, best);
	}
	ASSERT(s->order.n == expected);
}
