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

static void merge_threads(const struct greedy_set *s, const uint32_t *from, struct event_list *list)
{
	const struct index *index = s->index;
	struct merge m = {.set = s};

	for (uint32_t t = 0; t < index->thread_count; t++)
		if (s->cut[t] > from[t])
			vec_push(&m.heap, index->threads[t].events[from[t]]);
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

void greedy_set_list_from(const struct greedy_set *s, const uint32_t *from, struct event_list *list)
{
	const struct index *index = s->index;
	uint32_t first = UINT32_MAX, last = 0;
	size_t size = 0;

	list->at.n = 0;
	for (uint32_t t = 0; t < index->thread_count; t++) {
		if (s->cut[t] <= from[t])
			continue;
		const uint32_t *events = index->threads[t].events;

		size += s->cut[t] - from[t];
		first = events[from[t]] < first ? events[from[t]] : first;
		last = events[s->cut[t] - 1] > last ? events[s->cut[t] - 1] : last;
	}
	vec_reserve(&list->at, size);
	/* a step of the heap costs about as much as to look at ten events */
	if (last >= first && size < (last - first) / 10) {
		merge_threads(s, from, list);
		return;
	}
	for (uint32_t n = first; n <= last; n++)
		if (greedy_set_has(s, n) && index->position[n] >= from[index->events[n].thread])
			list->at.at[list->at.n++] = n;
}

void greedy_set_list(const struct greedy_set *s, struct event_list *list)
{
	greedy_set_list_from(s, s->first, list);
}
