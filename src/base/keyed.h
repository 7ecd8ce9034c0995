/* SPDX-License-Identifier: MIT */
/*
 * Hash tables of structs that start with `uint64_t key`, which is never 0: open addressing, and at
 * least half of the places are empty. Zero is an empty table; nothing can be taken out.
 *
 *	struct age { uint64_t key; uint32_t years; };
 *	KEYED(struct age) ages = {0};
 *	struct age *a = keyed_slot(&ages, 17);
 *	if (!a->key) { a->key = 17; ages.n++; }
 *	keyed_find(&ages, 18) is NULL
 *	mem_free(ages.at)
 */
#ifndef BASE_KEYED_H
#define BASE_KEYED_H

#include "base/mem.h"

#define KEYED(type)                                                                       \
	struct {                                                                          \
		type *at;                                                                 \
		size_t size, n; /* places, a power of two or 0; and how many are taken */ \
	}

static inline size_t keyed_hash(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15u >> 32;
}

/* Where the key is, or the empty place where it would be. */
static inline void *keyed_place(void *at, size_t element, size_t size, uint64_t key)
{
	size_t place = keyed_hash(key) & (size - 1);

	for (;; place = (place + 1) & (size - 1)) {
		uint64_t *there = (uint64_t *)((char *)at + place * element);

		if (!*there || *there == key)
			return there;
	}
}

/* The same entries with this many places. */
void *keyed_resize(void *at, size_t element, size_t size, size_t new_size);

/* Places for an empty table, a power of two. */
#define keyed_reserve(t, places) \
	((t)->at = keyed_resize(NULL, sizeof(*(t)->at), 0, (t)->size = (places)))

/* NULL: it is not there. */
#define keyed_find(t, key_wanted)                                                                 \
	({                                                                                        \
		__typeof__((t)->at) found_ =                                                      \
			(t)->size ? keyed_place((t)->at, sizeof(*(t)->at), (t)->size, key_wanted) \
				  : NULL;                                                         \
		found_ && found_->key ? found_ : NULL;                                            \
	})

/* Its entry; or an empty one, which the caller fills, and counts. Valid until the next call. */
#define keyed_slot(t, key_wanted)                                                            \
	({                                                                                   \
		if ((t)->n * 2 >= (t)->size) {                                               \
			size_t size_ = (t)->size ? (t)->size * 2 : 64;                       \
			(t)->at = keyed_resize((t)->at, sizeof(*(t)->at), (t)->size, size_); \
			(t)->size = size_;                                                   \
		}                                                                            \
		(__typeof__((t)->at))keyed_place((t)->at, sizeof(*(t)->at), (t)->size,       \
						 key_wanted);                                \
	})

#endif
