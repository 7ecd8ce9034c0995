/* SPDX-License-Identifier: MIT */
/* The events of a set in trace order: the threads merged, or the trace sifted. */
#include "search/greedy/set.h"

struct merge {
	const struct greedy_set *set;
	VEC(uint32_t) heap; /* the next event of each thread, the least on top */
};

static void sift_down(struct merge *m, size_t i)
{
	uint32_t *heap = m->heap.at;

	for (;;) {
		size_t least = i, child = 2 * i + 1;

		if (child < m->heap.n && heap[child] < heap[least])
			least = child;
		if (child + 1 < m->heap.n && heap[child + 1] < heap[least])
			least = child + 1;
		if (least == i)
			return;
		uint32_t event = heap[i];

		heap[i] = heap[least];
		heap[least] = event;
		i = least;
	}
}

static void merge_threads(const struct greedy_set *s, struct event_list *list)
{
	const struct index *index = s->index;
	struct merge m = {.set = s};

	for (uint32_t t = 0; t < index->thread_count; t++)
		if (s->cut[t] > s->first[t])
			vec_push(&m.heap, index->threads[t].events[s->first[t]]);
	for (size_t i = m.heap.n; i-- > 0;)
		sift_down(&m, i);
	while (m.heap.n) {
		uint32_t n = m.heap.at[0], thread = index->events[n].thread;
		uint32_t after = index->position[n] + 1;

		vec_push(&list->at, n);
		m.heap.at[0] = after < s->cut[thread] ? index->threads[thread].events[after]
						      : m.heap.at[--m.heap.n];
		sift_down(&m, 0);
	}
	vec_release(&m.heap);
}

void greedy_set_list(const struct greedy_set *s, struct event_list *list)
{
	const struct index *index = s->index;
	size_t size = greedy_set_size(s);
	uint32_t last = 0;

	list->at.n = 0;
	for (uint32_t t = 0; t < index->thread_count; t++)
		if (s->cut[t] > s->first[t] && index->threads[t].events[s->cut[t] - 1] > last)
			last = index->threads[t].events[s->cut[t] - 1];
	vec_reserve(&list->at, size);
	/* a step of the heap costs about as much as to look at ten events */
	if (last >= s->base && size < (last - s->base) / 10) {
		merge_threads(s, list);
		return;
	}
	for (uint32_t n = s->base; n <= last; n++)
		if (greedy_set_has(s, n))
			list->at.at[list->at.n++] = n;
}
