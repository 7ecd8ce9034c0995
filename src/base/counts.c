/* SPDX-License-Identifier: MIT */
#include "base/counts.h"

#define SLOTS_FIRST 4096

void counts_init(struct counts *p)
{
	*p = (struct counts){.slots = mem_alloc_zero(SLOTS_FIRST, sizeof(*p->slots)),
			     .mask = SLOTS_FIRST - 1};
}

void counts_release(struct counts *p)
{
	mem_free(p->slots);
	p->slots = NULL;
}

void counts_grow(struct counts *p)
{
	struct counts bigger = {.mask = p->mask * 2 + 1, .used = p->used};

	bigger.slots = mem_alloc_zero(bigger.mask + 1, sizeof(*bigger.slots));
	for (size_t i = 0; i <= p->mask; i++)
		if (p->slots[i].count)
			bigger.slots[counts_find(&bigger, p->slots[i].key)] = p->slots[i];
	mem_free(p->slots);
	*p = bigger;
}

void counts_remove(struct counts *p, size_t i)
{
	p->slots[i].count = 0;
	p->used--;
	/* what was put further on because this slot was taken moves up */
	for (size_t k = (i + 1) & p->mask; p->slots[k].count; k = (k + 1) & p->mask) {
		struct counts_slot moved = p->slots[k];

		p->slots[k].count = 0;
		p->slots[counts_find(p, moved.key)] = moved;
	}
}
