/* SPDX-License-Identifier: MIT */
#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 1024

void pages_init(struct pages *p, size_t cell_size)
{
	memset(p, 0, sizeof(*p));
	p->cell_size = cell_size;
	p->slots = mem_alloc_zero(SLOTS_FIRST, sizeof(*p->slots));
	p->mask = SLOTS_FIRST - 1;
}

void pages_release(struct pages *p)
{
	for (size_t i = 0; p->slots && i <= p->mask; i++)
		mem_free(p->slots[i].cells);
	mem_free(p->slots);
	p->slots = NULL;
}

static struct page_slot *slot_of(const struct pages *p, uint64_t number)
{
	size_t i = (size_t)((number * 0x9e3779b97f4a7c15u) >> 32) & p->mask;

	while (p->slots[i].number && p->slots[i].number != number + 1)
		i = (i + 1) & p->mask;
	return &p->slots[i];
}

static void grow(struct pages *p)
{
	struct page_slot *old = p->slots;
	size_t count = p->mask + 1;

	p->mask = 2 * count - 1;
	p->slots = mem_alloc_zero(2 * count, sizeof(*p->slots));
	for (size_t i = 0; i < count; i++)
		if (old[i].number)
			*slot_of(p, old[i].number - 1) = old[i];
	mem_free(old);
}

void *pages_find(struct pages *p, uint64_t number, bool make)
{
	struct page_slot *slot = slot_of(p, number);

	if (slot->number || !make)
		return slot->cells;
	if (2 * ++p->used > p->mask) {
		grow(p);
		slot = slot_of(p, number);
	}
	*slot = (struct page_slot){number + 1, mem_alloc_zero(PAGE_CELLS, p->cell_size)};
	return slot->cells;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t *pages_sorted(const struct pages *p)
{
	uint64_t *numbers = mem_alloc((p->used + 1) * sizeof(*numbers));
	size_t n = 0;

	for (size_t i = 0; i <= p->mask; i++)
		if (p->slots[i].number)
			numbers[n++] = p->slots[i].number - 1;
	qsort(numbers, n, sizeof(*numbers), compare_numbers);
	return numbers;
}

static void visit_page(struct pages *p, void *cells, uint64_t number, uint64_t from, uint64_t to,
		       pages_visit *visit, void *context)
{
	uint64_t start = number << PAGE_SHIFT, end = start + ((uint64_t)1 << PAGE_SHIFT);
	uint64_t first = from > start ? from & ~(uint64_t)7 : start;

	for (uint64_t a = first; a < end && a < to; a += 8)
		visit(context, a, (char *)cells + ((a >> 3) & (PAGE_CELLS - 1)) * p->cell_size);
}

void pages_each(struct pages *p, uint64_t from, uint64_t size, pages_visit *visit, void *context)
{
	uint64_t to = size > UINT64_MAX - from ? UINT64_MAX : from + size;

	if (!size)
		return;
	uint64_t first = from >> PAGE_SHIFT, last = (to - 1) >> PAGE_SHIFT;

	if (last - first > p->used) { /* large and mostly untouched: go by what is there */
		uint64_t *numbers = pages_sorted(p);

		for (size_t i = 0; i < p->used; i++)
			if (numbers[i] >= first && numbers[i] <= last)
				visit_page(p, pages_find(p, numbers[i], false), numbers[i], from,
					   to, visit, context);
		mem_free(numbers);
		return;
	}
	for (uint64_t number = first; number <= last; number++) {
		void *cells = pages_find(p, number, false);

		if (cells)
			visit_page(p, cells, number, from, to, visit, context);
	}
}
