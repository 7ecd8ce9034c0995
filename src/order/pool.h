/* SPDX-License-Identifier: MIT */
/*
 * Arrays of 1 << size items of one type; what is given back is used again for the same size. Where
 * there is much of it, it lies in huge pages: it is reached at random.
 */
#ifndef ORDER_POOL_H
#define ORDER_POOL_H

#include "base/mem.h"

#define POOL_SIZES 32

struct pool {
	size_t item; /* bytes of an item */
	VEC(void *) chunks;
	char *next, *end;
	VEC(void *) spare[POOL_SIZES];
	uint64_t bytes, used; /* of all arrays that there are, and of those not given back */
};

void *pool_take(struct pool *p, uint32_t size); /* not cleared */
void pool_give(struct pool *p, void *array, uint32_t size);
void pool_release(struct pool *p);

#endif
