#include "record/pending.h"

#define SLOTS_FIRST 4096

void pending_init(struct pending *p)
{
	*p = (struct pending){.slots = mem_alloc_zero(SLOTS_FIRST, sizeof(*p->slots)),
			      .mask = SLOTS_FIRST - 1};
}

void pending_release(struct pending *p)
{
	mem_free(p->slots);
	p->slots = NULL;
}

void pending_grow(struct pending *p)
{
	struct pending bigger = {.mask = p->mask * 2 + 1, .used = p->used};

	bigger.slots = mem_alloc_zero(bigger.mask + 1, sizeof(*bigger.slots));
	for (size_t i = 0; i <= p->mask; i++)
		if (p->slots[i].count)
			bigger.slots[pending_find(&bigger, p->slots[i].key)] = p->slots[i];
	mem_free(p->slots);
	*p = bigger;
}

void pending_remove(struct pending *p, size_t i)
{
	p->slots[i].count = 0;
	p->used--;
	/* what was put further on because this slot was taken moves up */
	for (size_t k = (i + 1) & p->mask; p->slots[k].count; k = (k + 1) & p->mask) {
		struct pending_slot moved = p->slots[k];

		p->slots[k].count = 0;
		p->slots[pending_find(p, moved.key)] = moved;
	}
}
