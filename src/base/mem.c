/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE ((uintptr_t)4096)
#define HUGE_PAGE ((size_t)2 << 20)
#define CHUNK_SIZE ((size_t)64 << 10)
#define CHUNK_MOST (2 * HUGE_PAGE)

struct arena_chunk {
	struct arena_chunk *older;
	size_t size;
	char data[];
};

static const char *limit_option; /* or NULL */

/* The shadow memory of a sanitizer counts as data, and is larger than any machine's memory. */
#define SHADOW_LEAST ((uint64_t)1 << 42)

/* In bytes: of what is in memory, and of what could be written to. */
static void read_sizes(uint64_t *resident, uint64_t *data)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long pages[2] = {0};

	if (f && fscanf(f, "%*u %llu %*u %*u %*u %llu", &pages[0], &pages[1]) != 2)
		pages[0] = pages[1] = 0;
	if (f)
		fclose(f);
	*resident = pages[0] * (uint64_t)sysconf(_SC_PAGESIZE);
	*data = pages[1] * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t mem_used(void)
{
	uint64_t resident, data;

	read_sizes(&resident, &data);
	return data < SHADOW_LEAST ? data : resident;
}

/* The soft limit, so that it can be taken back; of what is written to, not of files. */
void mem_limit(uint64_t bytes, const char *option)
{
	struct rlimit limit;
	uint64_t resident, data;

	read_sizes(&resident, &data);
	if (getrlimit(RLIMIT_DATA, &limit) < 0 || data >= SHADOW_LEAST)
		return;
	limit.rlim_cur = bytes && bytes < limit.rlim_max ? bytes : limit.rlim_max;
	setrlimit(RLIMIT_DATA, &limit); /* if that fails, it goes without */
	limit_option = bytes ? option : NULL;
}

static void *checked(void *got, size_t size)
{
	if (!got && size && limit_option) {
		fprintf(stderr, "norn: undecided: more memory is needed than %s allows\n",
			limit_option);
		exit(err_exit_status(ERR_LIMIT));
	}
	if (!got && size) {
		fprintf(stderr, "norn: out of memory (%zu more bytes were needed)\n", size);
		exit(EXIT_INTERNAL);
	}
	return got;
}

/*
 * Large blocks in huge pages, which the kernel clears and finds faster. From the start of the page,
 * where malloc's own header is: else the mapping would be two, and could not be moved as one.
 */
static void *in_huge_pages(void *got, size_t size)
{
	uintptr_t from = (uintptr_t)got & ~(PAGE - 1);

	if (size >= HUGE_PAGE) /* if that fails, it is slower */
		(void)madvise((void *)from, (uintptr_t)got + size - from, MADV_HUGEPAGE);
	return got;
}

void *mem_alloc(size_t size)
{
	return in_huge_pages(checked(malloc(size), size), size);
}

void *mem_alloc_aligned(size_t alignment, size_t size)
{
	void *got;

	return in_huge_pages(checked(posix_memalign(&got, alignment, size) ? NULL : got, size),
			     size);
}

void *mem_alloc_zero(size_t count, size_t size)
{
	return in_huge_pages(checked(calloc(count, size), count * size), count * size);
}

void *mem_resize(void *old, size_t size)
{
	return in_huge_pages(checked(realloc(old, size), size), size);
}

void mem_free(void *old)
{
	free(old);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size = (size + 7) & ~(size_t)7;
	if ((size_t)(arena->end - arena->next) < size) {
		size_t chunk_size = arena->chunk ? 2 * arena->chunk->size : CHUNK_SIZE;

		if (chunk_size > CHUNK_MOST)
			chunk_size = CHUNK_MOST;
		if (chunk_size < size)
			chunk_size = size;
		struct arena_chunk *chunk = mem_alloc(sizeof(*chunk) + chunk_size);

		chunk->older = arena->chunk;
		chunk->size = chunk_size;
		arena->chunk = chunk;
		arena->next = chunk->data;
		arena->end = chunk->data + chunk_size;
	}
	void *got = arena->next;
	arena->next += size;
	return got;
}

void *arena_copy(struct arena *arena, const void *data, size_t size)
{
	void *copy = arena_alloc(arena, size);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

void arena_reset(struct arena *arena)
{
	if (!arena->chunk)
		return;
	/* keep the newest chunk: a reader that resets once a block then stops allocating */
	struct arena_chunk *older = arena->chunk->older;

	while (older) {
		struct arena_chunk *next = older->older;
		free(older);
		older = next;
	}
	arena->chunk->older = NULL;
	arena->next = arena->chunk->data;
	arena->end = arena->chunk->data + arena->chunk->size;
}

void arena_release(struct arena *arena)
{
	arena_reset(arena);
	free(arena->chunk);
	memset(arena, 0, sizeof(*arena));
}

void *vec_grown(void *at, size_t *capacity, size_t need, size_t item_size)
{
	size_t grown = *capacity ? *capacity * 2 : 8;

	if (grown < need)
		grown = need;
	*capacity = grown;
	return mem_resize(at, grown * item_size);
}
