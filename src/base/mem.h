/* SPDX-License-Identifier: MIT */
/*
 * Memory. Everything with the life of a phase lives in an arena and goes with
 * it; vectors own their array. Running out of memory stops the program with a
 * message (exit 70): no caller could do better. Sizes that come from a file are
 * checked by the reader before they get here. What is large lies in huge pages, if
 * the system has some.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t size);
void *mem_alloc_aligned(size_t alignment, size_t size); /* a power of two */
void *mem_alloc_zero(size_t count, size_t size);
void *mem_resize(void *old, size_t size);

/*
 * What the process may have from here on, 0: as much as before. Who runs out of that ends with the
 * exit status of a limit and says `option`; NULL: as if there were no more memory.
 */
void mem_limit(uint64_t bytes, const char *option);
/* What it has. */
uint64_t mem_used(void);

/* Bump allocation; all of it is released, or kept for reuse (reset), at once. */
struct arena {
	struct arena_chunk *chunk;
	char *next, *end;
};

void *arena_alloc(struct arena *arena, size_t size); /* 8-byte aligned, not cleared */
void *arena_copy(struct arena *arena, const void *data, size_t size);
void arena_reset(struct arena *arena);
void arena_release(struct arena *arena);

/* A growing array: `VEC(int) v = {0}; vec_push(&v, 3); v.at[0]; v.n; vec_release(&v);` */
#define VEC(type)                   \
	struct {                    \
		type *at;           \
		size_t n, capacity; \
	}

void *vec_grown(void *at, size_t *capacity, size_t need, size_t item_size);

#define vec_reserve(v, need)     \
	((need) <= (v)->capacity \
		 ? (void)0       \
		 : (void)((v)->at = vec_grown((v)->at, &(v)->capacity, need, sizeof(*(v)->at))))
#define vec_push(v, item) (vec_reserve(v, (v)->n + 1), (v)->at[(v)->n++] = (item))
/* Makes at[n - 1] valid; what is new is zero. */
#define vec_extend(v, need) vec_extend_raw(v, need, sizeof(*(v)->at))
#define vec_extend_raw(v, need, size)                                          \
	do {                                                                   \
		size_t need_ = (need);                                         \
		if (need_ > (v)->n) {                                          \
			vec_reserve(v, need_);                                 \
			__builtin_memset((char *)(v)->at + (v)->n * (size), 0, \
					 (need_ - (v)->n) * (size));           \
			(v)->n = need_;                                        \
		}                                                              \
	} while (0)
#define vec_release(v) (mem_free((v)->at), (v)->at = NULL, (v)->n = (v)->capacity = 0)

void mem_free(void *old);

#endif
