/* SPDX-License-Identifier: MIT */
/*
 * A map from addresses to cells, one for every 8 bytes (a granule), in pages of 4096 bytes that
 * are made when first written to. Cells start as zeros.
 */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include "base/mem.h"

#include <stdbool.h>

#define PAGE_SHIFT 12
#define PAGES_RECENT 256 /* who goes down the columns of a matrix comes to as many in turn */
#define PAGE_CELLS ((size_t)1 << (PAGE_SHIFT - 3))

struct page_slot {
	uint64_t number; /* of the page, + 1; 0: empty */
	void *cells;
};

struct pages {
	size_t cell_size;
	struct page_slot *slots; /* hash table */
	size_t mask, used;
	struct page_slot recent[PAGES_RECENT]; /* the last ones that were asked for */
};

void pages_init(struct pages *p, size_t cell_size);
void pages_release(struct pages *p);

/* The cells of a page; NULL if there are none and `make` is false. */
void *pages_find(struct pages *p, uint64_t number, bool make);

/* The cell of the granule that holds the address. */
static inline void *pages_cell(struct pages *p, uint64_t address, bool make)
{
	uint64_t number = address >> PAGE_SHIFT;
	struct page_slot *r = &p->recent[number % PAGES_RECENT];

	if (__builtin_expect(r->number != number + 1, 0)) {
		void *cells = pages_find(p, number, make);

		if (!cells)
			return NULL;
		*r = (struct page_slot){number + 1, cells};
	}
	return (char *)r->cells + ((address >> 3) & (PAGE_CELLS - 1)) * p->cell_size;
}

/* It will be asked for soon. */
static inline void pages_prefetch(const struct pages *p, uint64_t address)
{
	uint64_t number = address >> PAGE_SHIFT;
	const struct page_slot *r = &p->recent[number % PAGES_RECENT];

	if (r->number == number + 1)
		__builtin_prefetch((char *)r->cells +
				   ((address >> 3) & (PAGE_CELLS - 1)) * p->cell_size);
}

/* The numbers of all pages in ascending order; the caller frees them. */
uint64_t *pages_sorted(const struct pages *p);

/*
 * Calls visit for the cells of pages that exist, granule by granule, for those that lie wholly or
 * partly in [from, from + size).
 */
typedef void pages_visit(void *context, uint64_t address, void *cell);
void pages_each(struct pages *p, uint64_t from, uint64_t size, pages_visit *visit, void *context);

#endif
