/* SPDX-License-Identifier: MIT */
#include "order/pool.h"

#define LINE 64 /* of the cache */
#define HUGE_PAGE ((size_t)2 << 20)
#define SMALL_CHUNK ((size_t)64 << 10)
#define SMALL_CHUNKS 64

static void add_chunk(struct pool *p, size_t bytes)
{
	size_t usual = p->chunks.n < SMALL_CHUNKS ? SMALL_CHUNK : 2 * HUGE_PAGE;
	size_t size = bytes > usual ? bytes : usual;

	/* so large, they are whole huge pages: see base/mem.h */
	p->next = mem_alloc_aligned(size < HUGE_PAGE ? LINE : HUGE_PAGE, size);
	p->end = p->next + size;
	vec_push(&p->chunks, (void *)p->next);
}

void *pool_take(struct pool *p, uint32_t size)
{
	size_t bytes = p->item << size;

	p->used += bytes;
	if (p->spare[size].n)
		return p->spare[size].at[--p->spare[size].n];
	p->bytes += bytes;
	if ((size_t)(p->end - p->next) < bytes)
		add_chunk(p, bytes);
	p->next += bytes;
	return p->next - bytes;
}

void pool_give(struct pool *p, void *array, uint32_t size)
{
	p->used -= p->item << size;
	vec_push(&p->spare[size], array);
}

void pool_release(struct pool *p)
{
	for (int size = 0; size < POOL_SIZES; size++)
		vec_release(&p->spare[size]);
	for (size_t i = 0; i < p->chunks.n; i++)
		mem_free(p->chunks.at[i]);
	vec_release(&p->chunks);
}
