/* SPDX-License-Identifier: MIT */
/* What went wrong in the run itself: memory that was used or freed when it was free, crashes. */
#include "record/keep/parts.h"

#include <string.h>

#define DANGLING_KEPT 16

struct layout_block survey_closing_block(const struct survey *s)
{
	return (struct layout_block){.address = s->closing->address,
				     .made = s->closing->pc,
				     .freed = s->freed,
				     .made_by = s->closing->thread,
				     .freed_by = s->ended_by - 1u};
}

/* The large block that was there last, if nothing else is. */
static const struct grave *find_grave(struct survey *s, uint64_t address)
{
	const struct grave *grave = graves_find(&s->graves, address);
	struct object there;

	return grave && !objects_find(s->objects, address, &there) &&
			       !objects_region(s->objects, address)
		       ? grave
		       : NULL;
}

void survey_open_page(struct survey *s, uint64_t address)
{
	uint64_t page = address >> PAGE_SHIFT << PAGE_SHIFT, size = (uint64_t)1 << PAGE_SHIFT;
	struct granule *cells = pages_find(&s->pages, address >> PAGE_SHIFT, false);
	struct object there;

	if (!graves_meet(&s->graves, page, size) ||
	    (objects_find(s->objects, page, &there) && there.address + there.size >= page + size))
		return;
	for (size_t i = 0; i < PAGE_CELLS; i++) {
		const struct grave *grave = find_grave(s, page + 8 * i);

		if (grave && !grave->unmapped)
			granule_bury(&cells[i], &grave->block);
	}
}

static bool is_told(const struct survey *s, const struct layout_dangling *d)
{
	for (size_t i = 0; i < s->layout->dangling.n; i++) {
		const struct layout_dangling *other = &s->layout->dangling.at[i];

		if (other->site == d->site && (d->site || other->pc == d->pc) &&
		    other->block.freed == d->block.freed)
			return true;
	}
	return s->layout->dangling.n >= DANGLING_KEPT;
}

void survey_note_dangling(struct survey *s, const struct merged *r, struct granule *g,
			  uint64_t address, uint32_t site, uint64_t pc)
{
	struct layout_dangling d = {
		.kind = LOG_KIND_OF(*r->w), .site = site, .pc = pc, .thread = r->thread};

	/* libc writes a thread's number before that runs, and the log has it afterwards */
	if (!site && pc && pc == s->forks.at[r->thread]) {
		granule_forget(g);
		return;
	}
	g->flags |= DANGLED;
	s->layout->dangling_count++;
	if (!granule_is_untouched(g))
		return; /* it was told when that was touched first */
	d.block = granule_dig_out(g, address);
	granule_forget(g);
	if (d.block.freed && !is_told(s, &d))
		vec_push(&s->layout->dangling, d);
}

void survey_look_at_object(struct survey *s, const struct merged *r)
{
	struct granule *g = raw_kind_words[LOG_KIND_OF(*r->w)] > 2
				    ? pages_cell(&s->pages, raw_address(r->w), false)
				    : NULL;

	if (g && granule_is_untouched(g) && LOG_KIND_OF(*r->w) != LOG_JOIN)
		survey_note_dangling(s, r, g, raw_address(r->w), 0, r->w[2]);
}

/* The first 8 bytes of a block that are free, and of which it is known who freed them. */
static struct granule *find_buried(struct survey *s, uint64_t address, uint64_t size)
{
	for (uint64_t a = address; a < address + size && a < address + BURIED_WHOLE; a += 8) {
		struct granule *g = pages_cell(&s->pages, a, false);

		if (!g || !(g->flags & FREED))
			return NULL;
		if (granule_is_untouched(g))
			return g;
	}
	return NULL;
}

void survey_note_free(struct survey *s, const struct merged *r)
{
	uint64_t address = raw_address(r->w), size = r->w[3] & (((uint64_t)1 << 48) - 1);
	const struct granule *g = find_buried(s, address, size ? size : 1);
	struct layout_dangling d = {.kind = LOG_FREE, .pc = r->w[2], .thread = r->thread};

	vec_extend(&s->again, (size_t)r->thread + 1);
	s->again.at[r->thread] = 0;
	if (!g)
		return;
	d.block = granule_dig_out(g, address);
	if (!d.block.freed)
		return;
	s->again.at[r->thread] = d.pc;
	if (!is_told(s, &d))
		vec_push(&s->layout->dangling, d);
}

/* Whether the thread crashed when it freed a block for the second time: then that tells it all. */
static bool is_in_free(const struct survey *s, const struct layout_crash *c)
{
	for (uint32_t i = 0; c->thread < s->again.n && i < c->frame_count; i++)
		if (s->again.at[c->thread] && c->frames[i] == s->again.at[c->thread])
			return true;
	return false;
}

/* The last site before a record, as far as its block tells. */
static uint32_t site_before(const struct merged *r)
{
	const uint64_t *w = r->w - r->position % RAW_BLOCK_WORDS + RAW_HEAD_WORDS;
	uint32_t site = 0, words;
	bool damaged = false;

	for (; w < r->w && (words = raw_record_words(w, r->w, &damaged)); w += words)
		if (LOG_KIND_OF(*w) >= LOG_BRANCH && LOG_KIND_OF(*w) <= LOG_RMW && LOG_SITE_OF(*w))
			site = LOG_SITE_OF(*w);
	return site;
}

void survey_note_crash(struct survey *s, const struct merged *r)
{
	struct layout_crash c = {.thread = r->thread,
				 .signal = (uint32_t)r->w[1],
				 .address = r->w[2],
				 .frame_count = (uint32_t)(r->w[1] >> 32),
				 .behind = site_before(r)};

	if (c.frame_count > LAYOUT_FRAMES)
		c.frame_count = LAYOUT_FRAMES;
	memcpy(c.frames, r->w + 3, c.frame_count * sizeof(*c.frames));
	const struct grave *grave = c.address ? find_grave(s, c.address) : NULL;

	if (grave)
		c.freed = grave->block;
	if (!is_in_free(s, &c))
		vec_push(&s->layout->crashes, c);
}
