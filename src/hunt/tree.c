/* SPDX-License-Identifier: MIT */
/* The tree of all sequences of choices that threads have made, and which runs cover which. */
#include "hunt/parts.h"

static uint64_t edge_key(uint32_t parent, uint64_t place, uint64_t outcome)
{
	return hunt_mix(hunt_mix(parent + 1, place), outcome) | 1;
}

static uint32_t child(struct hunt *h, uint32_t parent, uint64_t place, uint64_t outcome)
{
	uint64_t key = edge_key(parent, place, outcome);
	struct hunt_edge *edge = keyed_slot(&h->edges, key);

	if (edge->key)
		return edge->node;
	uint32_t node = h->nodes.n ? (uint32_t)h->nodes.n : 1; /* 0 is none */

	vec_extend(&h->nodes, (size_t)node + 1);
	*edge = (struct hunt_edge){key, node};
	h->edges.n++;
	h->nodes.at[node].parent = parent;
	h->nodes.at[node].place = place;
	h->nodes.at[node].outcome = outcome;
	if (parent)
		vec_push(&h->nodes.at[parent].children, node);
	return node;
}

void hunt_place_run(struct hunt *h, struct hunt_run *r)
{
	for (uint32_t t = 0; t < r->index->thread_count; t++) {
		struct hunt_thread *thread = &r->threads[t];
		uint32_t node = thread->root = child(h, 0, thread->id, 0);

		for (uint32_t i = 0; i < thread->count; i++) {
			struct hunt_choice *c = &r->choices.at[thread->first + i];

			node = c->node = child(h, node, c->place, c->outcome);
		}
	}
}

static void see_outcome(struct hunt *h, const struct hunt_choice *c)
{
	struct hunt_place *place = keyed_slot(&h->places, c->place | 1);

	if (!place->key) {
		*place = (struct hunt_place){.key = c->place | 1, .outcome = c->outcome};
		h->places.n++;
	}
	place->several |= place->outcome != c->outcome;
}

bool hunt_has_seen_other(const struct hunt *h, const struct hunt_choice *c)
{
	const struct hunt_place *place = keyed_find(&h->places, c->place | 1);

	return place && place->several;
}

void hunt_count_run(struct hunt *h, const struct hunt_run *r, uint32_t number)
{
	for (size_t i = 0; i < r->choices.n; i++)
		see_outcome(h, &r->choices.at[i]);
	for (uint32_t t = 0; t < r->index->thread_count; t++)
		vec_push(&h->nodes.at[r->threads[t].root].runs, number);
	for (size_t i = 0; i < r->choices.n; i++)
		vec_push(&h->nodes.at[r->choices.at[i].node].runs, number);
}

uint32_t hunt_thread_by_id(const struct hunt_run *r, uint64_t id)
{
	for (uint32_t t = 0; t < r->index->thread_count; t++)
		if (r->threads[t].id == id)
			return t;
	return UINT32_MAX;
}

uint32_t hunt_departs(const struct hunt_run *r, uint32_t thread, const struct hunt_run *other)
{
	const struct hunt_thread *mine = &r->threads[thread];
	uint32_t t = hunt_thread_by_id(other, mine->id);
	uint32_t low = 0, high = mine->count;

	if (t == UINT32_MAX)
		return 0;
	const struct hunt_thread *theirs = &other->threads[t];

	high = theirs->count < high ? theirs->count : high;
	while (low < high) { /* the first low ones are the same */
		uint32_t middle = low + (high - low + 1) / 2;

		if (r->choices.at[mine->first + middle - 1].node ==
		    other->choices.at[theirs->first + middle - 1].node)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* All choices that one has made, the other has. */
static bool is_within(const struct hunt_run *a, const struct hunt_run *b)
{
	for (uint32_t t = 0; t < a->index->thread_count; t++)
		if (hunt_departs(a, t, b) < a->threads[t].count)
			return false;
	return true;
}

/* No thread of `a`, which made the same choices, has come further than in `b`. */
static bool is_not_further(const struct hunt_run *a, const struct hunt_run *b)
{
	for (uint32_t t = 0; t < a->index->thread_count; t++) {
		uint32_t u = hunt_thread_by_id(b, a->threads[t].id);

		if (u == UINT32_MAX ||
		    (!b->threads[u].ended &&
		     (a->threads[t].ended || a->threads[t].solid > b->threads[u].solid)))
			return false;
	}
	return true;
}

enum hunt_result hunt_judge(const struct hunt *h, const struct hunt_run *r)
{
	uint32_t node = r->index->thread_count ? r->threads[0].root : 0;
	const struct hunt_thread *longest = NULL;
	enum hunt_result result = HUNT_NEW;

	for (uint32_t t = 0; t < r->index->thread_count; t++)
		if (!longest || r->threads[t].count > longest->count)
			longest = &r->threads[t];
	if (longest && longest->count)
		node = r->choices.at[longest->first + longest->count - 1].node;
	for (size_t i = 0; node && i < h->nodes.at[node].runs.n; i++) {
		const struct hunt_run *other = h->runs.at[h->nodes.at[node].runs.at[i]];

		if (!is_within(r, other) || !is_within(other, r))
			continue;
		if (is_not_further(r, other))
			return HUNT_KNOWN;
		result = HUNT_FURTHER;
	}
	return result;
}
