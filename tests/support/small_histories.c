/* SPDX-License-Identifier: MIT */
#include "tests/support/small_histories.h"

uint64_t small_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a + 0x9e3779b97f4a7c15u) ^ (b * 0xbf58476d1ce4e5b9u + (a << 7));

	x ^= x >> 31;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 29;
}

uint32_t small_grow(struct small_histories *h, uint32_t node, uint64_t what)
{
	uint64_t key = small_mix(node + 1, what) | 1;
	struct small_step *step = keyed_slot(&h->steps, key);

	if (step->key)
		return step->node;
	if (!h->parent.n)
		vec_push(&h->parent, 0);
	*step = (struct small_step){key, (uint32_t)h->parent.n};
	h->steps.n++;
	vec_push(&h->parent, node);
	return step->node;
}

void small_histories_release(struct small_histories *h)
{
	vec_release(&h->parent);
	mem_free(h->steps.at);
}

/* Nodes are younger than their parents. */
static bool is_start(const struct small_histories *h, uint32_t a, uint32_t b)
{
	while (b > a)
		b = h->parent.at[b];
	return a == b;
}

bool small_is_within(const struct small_histories *h, const struct small_behaviour *a,
		     const struct small_behaviour *b)
{
	for (int t = 0; t < SMALL_THREADS; t++)
		if (!is_start(h, a->thread[t], b->thread[t]))
			return false;
	return true;
}
