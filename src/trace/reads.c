/* SPDX-License-Identifier: MIT */
#include "trace/reads.h"

#include "base/mem.h"

#include <string.h>

#define PAGE_EVENTS 65536
#define RECENT_READS 4096

/* thread + 1 of each read, 0 for the rest, in 1, 2 or 4 bytes: as many as the page needs */
struct page {
	uint8_t width;
	void *at;
};

/* A ring of the last RECENT_READS. */
struct recent {
	struct returned *at;
	uint32_t next;
};

struct reads {
	VEC(struct page) pages;
	VEC(struct recent) threads;
};

struct reads *reads_new(void)
{
	return mem_alloc_zero(1, sizeof(struct reads));
}

static uint32_t get(const struct page *p, uint32_t i)
{
	switch (p->width) {
	case 1: return ((uint8_t *)p->at)[i];
	case 2: return ((uint16_t *)p->at)[i];
	case 4: return ((uint32_t *)p->at)[i];
	}
	return 0; /* no read in this page yet */
}

static void put(struct page *p, uint32_t i, uint32_t value)
{
	if (p->width == 1)
		((uint8_t *)p->at)[i] = (uint8_t)value;
	else if (p->width == 2)
		((uint16_t *)p->at)[i] = (uint16_t)value;
	else
		((uint32_t *)p->at)[i] = value;
}

static void widen(struct page *p, uint8_t width)
{
	struct page wide = {width, mem_alloc_zero(PAGE_EVENTS, width)};

	for (uint32_t i = 0; p->width && i < PAGE_EVENTS; i++)
		put(&wide, i, get(p, i));
	mem_free(p->at);
	*p = wide;
}

static void note_page(struct reads *r, uint64_t event, uint32_t thread)
{
	uint8_t width = thread < UINT8_MAX ? 1 : thread < UINT16_MAX ? 2 : 4;

	vec_extend(&r->pages, event / PAGE_EVENTS + 1);
	struct page *page = &r->pages.at[event / PAGE_EVENTS];

	if (__builtin_expect(page->width < width, 0))
		widen(page, width);
	put(page, event % PAGE_EVENTS, thread + 1);
}

void reads_note(struct reads *r, uint32_t thread, const struct returned *returned)
{
	note_page(r, returned->event, thread);
	vec_extend(&r->threads, (size_t)thread + 1);
	struct recent *recent = &r->threads.at[thread];

	if (!recent->at)
		recent->at = mem_alloc_zero(RECENT_READS, sizeof(*recent->at));
	recent->at[recent->next++ % RECENT_READS] = *returned;
}

const struct returned *reads_recent(const struct reads *r, uint32_t thread, uint64_t event)
{
	if (thread >= r->threads.n)
		return NULL;
	const struct recent *recent = &r->threads.at[thread];
	uint32_t kept = recent->next < RECENT_READS ? recent->next : RECENT_READS;

	/* the latest first: what is asked for is mostly near */
	for (uint32_t i = 1; i <= kept; i++) {
		const struct returned *returned = &recent->at[(recent->next - i) % RECENT_READS];

		if (returned->event <= event)
			return returned->event == event ? returned : NULL;
	}
	return NULL;
}

bool reads_has(const struct reads *r, uint64_t event, uint32_t thread)
{
	uint64_t page = event / PAGE_EVENTS;

	return page < r->pages.n && get(&r->pages.at[page], event % PAGE_EVENTS) == thread + 1;
}

void reads_free(struct reads *r)
{
	for (size_t i = 0; i < r->pages.n; i++)
		mem_free(r->pages.at[i].at);
	for (size_t i = 0; i < r->threads.n; i++)
		mem_free(r->threads.at[i].at);
	vec_release(&r->pages);
	vec_release(&r->threads);
	mem_free(r);
}
