/* SPDX-License-Identifier: MIT */
#include "record/keep/handed.h"

#include <string.h>

#define HANDED_LEAST (UINT64_C(1) << 16) /* accesses, */
#define HANDED_SHARE 16			 /* and one of so many */

void handed_init(struct handed *h, uint32_t threads)
{
	*h = (struct handed){.threads = threads <= HANDED_THREADS ? threads : 0};
	h->times = mem_alloc_zero(h->threads + 1, sizeof(*h->times));
	h->known = mem_alloc_zero((size_t)h->threads * h->threads + 1, sizeof(*h->known));
	h->uncertain = mem_alloc_zero(h->threads + 1, sizeof(*h->uncertain));
	h->forked = mem_alloc_zero(h->threads + 1, sizeof(*h->forked));
	pages_init(&h->shared, sizeof(uint8_t));
}

void handed_release(struct handed *h)
{
	mem_free(h->times);
	mem_free(h->known);
	mem_free(h->uncertain);
	mem_free(h->forked);
	pages_release(&h->shared);
}

void handed_again(struct handed *h)
{
	h->second = true;
	h->alone = 0;
	memset(h->times, 0, h->threads * sizeof(*h->times));
	memset(h->known, 0, (size_t)h->threads * h->threads * sizeof(*h->known));
	memset(h->forked, 0, h->threads * sizeof(*h->forked));
}

bool handed_is_much(const struct handed *h)
{
	return h->accesses >= HANDED_LEAST && h->accesses >= h->all / HANDED_SHARE;
}

void handed_fork(struct handed *h, uint32_t thread, uint64_t child)
{
	size_t n = h->threads;

	h->alone = HANDED_NOBODY;
	if (child < n)
		h->forked[child] = true;
	else
		h->lost = true;
	if (thread >= n || child >= n || child == thread || h->times[thread] == HANDED_TIMES)
		return;
	uint32_t *from = h->known + thread * n, *to = h->known + child * n;

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
	to[thread] = ++h->times[thread];
	h->uncertain[child] |= h->uncertain[thread];
}

static bool is_alone(const struct handed *h, uint32_t thread)
{
	for (uint32_t i = 0; i < h->threads; i++)
		if (i != thread && (!i || h->forked[i]) &&
		    !handed_before(h, i, h->times[i], thread))
			return false;
	return true;
}

void handed_join(struct handed *h, uint32_t thread, uint64_t other)
{
	size_t n = h->threads;

	if (thread >= n || other >= n || other == thread)
		return;
	uint32_t *from = h->known + other * n, *to = h->known + thread * n;

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
	to[other] = h->times[other] + 1;
	h->uncertain[thread] |= h->uncertain[other];
	h->alone = is_alone(h, thread) ? thread : HANDED_NOBODY;
}

void handed_note_shared(struct handed *h, uint64_t granule)
{
	*(uint8_t *)pages_cell(&h->shared, granule, true) = 1;
}
