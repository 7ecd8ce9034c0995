/* SPDX-License-Identifier: MIT */
#include "record/merge/objects.h"

#include "base/areas.h"
#include "base/counts.h"
#include "base/pages.h"
#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

struct slots {
	VEC(struct object) at; /* the highest address first: as a stack grows, mostly at the end */
};

struct objects {
	const struct objects_calls *calls;
	void *context;
	uint32_t next_id;
	struct object *heap; /* hash table by address; size UINT64_MAX: empty */
	size_t heap_mask, heap_used;
	struct pages starts;  /* of heap blocks: 1 where one begins */
	struct counts covers; /* by page: the address of the block that its first byte is in */
	VEC(struct object) regions; /* in the order of birth */
	VEC(struct slots) stacks;   /* by thread */
	struct areas areas;	    /* where there has been anything */
};

#define HEAP_FIRST 1024
#define EMPTY UINT64_MAX

/* The heap */

static struct object *heap_new(size_t count)
{
	struct object *at = mem_alloc(count * sizeof(*at));

	for (size_t i = 0; i < count; i++)
		at[i].size = EMPTY;
	return at;
}

static size_t heap_place(const struct objects *o, uint64_t address)
{
	size_t i = (size_t)((address * 0x9e3779b97f4a7c15u) >> 32) & o->heap_mask;

	while (o->heap[i].size != EMPTY && o->heap[i].address != address)
		i = (i + 1) & o->heap_mask;
	return i;
}

#define COVER_MOST ((uint64_t)1 << 18) /* pages: a damaged log has blocks of any size */

/* Notes where a block is, or is no more. */
static void cover(struct objects *o, const struct object *block, bool there)
{
	uint64_t page = block->address >> PAGE_SHIFT;
	uint64_t last = (block->address + block->size - 1) >> PAGE_SHIFT;

	if (last > page + COVER_MOST)
		last = page + COVER_MOST;
	*(uint8_t *)pages_cell(&o->starts, block->address, true) = there;
	while (block->size && ++page <= last) {
		size_t i = counts_find(&o->covers, page);

		if (!there) {
			if (o->covers.slots[i].count == block->address)
				counts_remove(&o->covers, i);
			continue;
		}
		if (!o->covers.slots[i].count)
			counts_add(&o->covers, page);
		o->covers.slots[counts_find(&o->covers, page)].count = block->address;
	}
}

static void heap_add(struct objects *o, const struct object *block)
{
	if (2 * ++o->heap_used > o->heap_mask) {
		struct object *old = o->heap;
		size_t count = o->heap_mask + 1;

		o->heap = heap_new(2 * count);
		o->heap_mask = 2 * count - 1;
		for (size_t i = 0; i < count; i++)
			if (old[i].size != EMPTY)
				o->heap[heap_place(o, old[i].address)] = old[i];
		mem_free(old);
	}
	o->heap[heap_place(o, block->address)] = *block;
	cover(o, block, true);
}

static void heap_remove(struct objects *o, size_t i)
{
	cover(o, &o->heap[i], false);
	o->heap[i].size = EMPTY;
	o->heap_used--;
	for (size_t k = (i + 1) & o->heap_mask; o->heap[k].size != EMPTY;
	     k = (k + 1) & o->heap_mask) {
		struct object moved = o->heap[k];

		o->heap[k].size = EMPTY;
		o->heap[heap_place(o, moved.address)] = moved;
	}
}

/* Births and deaths */

static struct object make(struct objects *o, enum object_kind kind, const struct merged *r,
			  uint64_t address, uint64_t size)
{
	uint64_t most = ((uint64_t)1 << LOG_ADDRESS_BITS) - 1;

	address &= most;
	if (size > most - address)
		size = most - address;
	areas_add(&o->areas, address, size);
	return (struct object){.id = ++o->next_id,
			       .kind = (uint8_t)kind,
			       .thread = r->thread,
			       .address = address,
			       .size = size};
}

static void heap_dies(struct objects *o, uint64_t address, const struct merged *why)
{
	size_t i = heap_place(o, address);

	if (o->heap[i].size == EMPTY)
		return;
	struct object block = o->heap[i];

	o->calls->dies(o->context, &block, why);
	heap_remove(o, i);
}

static void heap_born(struct objects *o, const struct merged *r)
{
	struct object block = make(o, OBJECT_HEAP, r, r->w[1], r->w[3] & ~LOG_ZEROED);

	heap_dies(o, block.address, NULL);
	block.pc = r->w[2];
	block.zeroed = r->w[3] & LOG_ZEROED;
	o->calls->born(o->context, &block);
	heap_add(o, &block);
}

static bool overlap(const struct object *a, const struct object *b)
{
	return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* Where a slot of that address stands, or would. */
static size_t slot_place(const struct slots *s, uint64_t address)
{
	return LOWER_BOUND(i, (size_t)0, s->at.n, s->at.at[i].address > address);
}

static void slot_dies(struct objects *o, struct slots *s, size_t i, const struct merged *why)
{
	struct object slot = s->at.at[i];

	o->calls->dies(o->context, &slot, why);
	memmove(&s->at.at[i], &s->at.at[i + 1], (s->at.n - i - 1) * sizeof(slot));
	s->at.n--;
}

static struct slots *slots_of(struct objects *o, uint32_t thread)
{
	vec_extend(&o->stacks, (size_t)thread + 1);
	return &o->stacks.at[thread];
}

static void stack_born(struct objects *o, const struct merged *r)
{
	struct slots *s = slots_of(o, r->thread);
	struct object slot = make(o, OBJECT_STACK, r, r->w[1], r->w[2]);

	slot.site = LOG_SITE_OF(*r->w);
	/* slots of calls that were left by longjmp or an exception */
	size_t i = slot_place(s, slot.address);

	while (i < s->at.n && overlap(&s->at.at[i], &slot))
		slot_dies(o, s, i, NULL);
	while (i && overlap(&s->at.at[i - 1], &slot))
		slot_dies(o, s, --i, NULL);
	o->calls->born(o->context, &slot);
	vec_push(&s->at, slot);
	memmove(&s->at.at[i + 1], &s->at.at[i], (s->at.n - i - 1) * sizeof(slot));
	s->at.at[i] = slot;
}

static void stack_dies(struct objects *o, const struct merged *r)
{
	struct slots *s = slots_of(o, r->thread);
	size_t i = slot_place(s, r->w[1]);

	if (i < s->at.n && s->at.at[i].address == r->w[1])
		slot_dies(o, s, i, r);
}

static void region_dies(struct objects *o, size_t i, const struct merged *why)
{
	struct object region = o->regions.at[i];

	o->calls->dies(o->context, &region, why);
	memmove(&o->regions.at[i], &o->regions.at[i + 1], (o->regions.n - i - 1) * sizeof(region));
	o->regions.n--;
}

static void region_born(struct objects *o, enum object_kind kind, const struct merged *r,
			uint64_t size)
{
	struct object region = make(o, kind, r, r->w[1], size);

	if (!region.size)
		return;
	for (size_t i = o->regions.n; i--;)
		if (o->regions.at[i].kind == kind && overlap(&o->regions.at[i], &region))
			region_dies(o, i, NULL);
	region.pc = kind == OBJECT_MAP ? r->w[2] : 0;
	region.zeroed = kind == OBJECT_MAP && r->w[3] & LOG_ZEROED;
	o->calls->born(o->context, &region);
	vec_push(&o->regions, region);
}

static void unmap(struct objects *o, const struct merged *r)
{
	struct object range = {.address = r->w[1], .size = r->w[3]};

	/* a mapping of which a part goes is treated as gone: what follows there is another object
	 */
	for (size_t i = o->regions.n; i--;)
		if (o->regions.at[i].kind == OBJECT_MAP && overlap(&o->regions.at[i], &range))
			region_dies(o, i, r);
}

static void thread_dies(struct objects *o, uint32_t thread)
{
	struct slots *s = slots_of(o, thread);

	while (s->at.n)
		slot_dies(o, s, s->at.n - 1, NULL);
	vec_release(&s->at);
	for (size_t i = o->regions.n; i--;)
		if (o->regions.at[i].kind == OBJECT_THREAD && o->regions.at[i].thread == thread)
			region_dies(o, i, NULL);
}

void objects_follow(struct objects *o, const struct merged *r)
{
	switch (LOG_KIND_OF(*r->w)) {
	case LOG_ALLOC: heap_born(o, r); break;
	case LOG_FREE: heap_dies(o, r->w[1], r); break;
	case LOG_MAP: region_born(o, OBJECT_MAP, r, r->w[3] & ~LOG_ZEROED); break;
	case LOG_UNMAP: unmap(o, r); break;
	case LOG_BEGIN: region_born(o, OBJECT_THREAD, r, r->w[2]); break;
	case LOG_END: thread_dies(o, r->thread); break;
	case LOG_STACK: stack_born(o, r); break;
	case LOG_STACK_END: stack_dies(o, r); break;
	}
}

uint32_t objects_region(const struct objects *o, uint64_t address)
{
	for (size_t i = o->regions.n; i--;) {
		const struct object *region = &o->regions.at[i];

		if (address >= region->address && address - region->address < region->size)
			return region->id;
	}
	return 0;
}

static bool holds(const struct object *o, uint64_t address)
{
	return address >= o->address && address - o->address < o->size;
}

/* The last block that begins at or before it, if it may hold it. */
static const struct object *heap_before(struct objects *o, uint64_t address)
{
	uint64_t page = address >> PAGE_SHIFT;
	const uint8_t *cells = pages_find(&o->starts, page, false);

	for (size_t i = ((size_t)(address >> 3) & (PAGE_CELLS - 1)) + 1; cells && i-- > 0;)
		if (cells[i])
			return &o->heap[heap_place(o, (page << PAGE_SHIFT) + 8 * i)];
	uint64_t start = counts_count(&o->covers, page);

	return start ? &o->heap[heap_place(o, start)] : NULL;
}

bool objects_find(struct objects *o, uint64_t address, struct object *found)
{
	if (!areas_have(&o->areas, address))
		return false;
	const struct object *block = heap_before(o, address);

	if (block && block->size != EMPTY && holds(block, address)) {
		*found = *block;
		return true;
	}
	for (size_t t = 0; t < o->stacks.n; t++) {
		const struct slots *s = &o->stacks.at[t];
		size_t i = slot_place(s, address);

		if (i < s->at.n && holds(&s->at.at[i], address)) {
			*found = s->at.at[i];
			return true;
		}
	}
	for (size_t i = o->regions.n; i--;)
		if (o->regions.at[i].kind == OBJECT_MAP && holds(&o->regions.at[i], address)) {
			*found = o->regions.at[i];
			return true;
		}
	return false;
}

static int compare_ids(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void objects_finish(struct objects *o)
{
	VEC(struct object) blocks = {0};

	for (size_t i = 0; i <= o->heap_mask; i++)
		if (o->heap[i].size != EMPTY)
			vec_push(&blocks, o->heap[i]);
	if (blocks.n)
		qsort(blocks.at, blocks.n, sizeof(*blocks.at), compare_ids);
	for (size_t i = 0; i < blocks.n; i++)
		o->calls->dies(o->context, &blocks.at[i], NULL);
	vec_release(&blocks);
	for (uint32_t t = 0; t < o->stacks.n; t++)
		while (o->stacks.at[t].at.n)
			slot_dies(o, &o->stacks.at[t], o->stacks.at[t].at.n - 1, NULL);
	while (o->regions.n)
		region_dies(o, o->regions.n - 1, NULL);
}

struct objects *objects_new(const struct objects_calls *calls, void *context)
{
	struct objects *o = mem_alloc_zero(1, sizeof(*o));

	o->calls = calls;
	o->context = context;
	o->heap = heap_new(HEAP_FIRST);
	o->heap_mask = HEAP_FIRST - 1;
	pages_init(&o->starts, sizeof(uint8_t));
	counts_init(&o->covers);
	return o;
}

void objects_free(struct objects *o)
{
	if (!o)
		return;
	for (size_t t = 0; t < o->stacks.n; t++)
		vec_release(&o->stacks.at[t].at);
	vec_release(&o->stacks);
	vec_release(&o->regions);
	pages_release(&o->starts);
	counts_release(&o->covers);
	mem_free(o->heap);
	mem_free(o);
}
