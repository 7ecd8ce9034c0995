/* SPDX-License-Identifier: MIT */
#include "record/write/past.h"

#include "base/sorted.h"

#include <string.h>

void past_add(struct past *p, uint64_t from, uint64_t to, uint64_t settled)
{
	struct past_stretch *last = p->at.n ? &p->at.at[p->at.n - 1] : NULL;
	struct past_stretch stretch = {from, to, settled};

	/* what came in between is fixed as well */
	if (last && last->settled == settled)
		last->to = to;
	else
		vec_push(&p->at, stretch);
}

void past_release(struct past *p)
{
	vec_release(&p->at);
	mem_free(p->found);
}

bool past_has(const struct past *p, uint64_t position)
{
	if (!p->at.n || position >= p->at.at[p->at.n - 1].to)
		return false; /* as most are that are asked for */
	size_t behind = LOWER_BOUND(i, (size_t)0, p->at.n, p->at.at[i].from <= position);

	return behind && position < p->at.at[behind - 1].to;
}

static bool find_starts(struct past *p, uint64_t block)
{
	const uint64_t *first = merge_block(p->merge, p->thread, block, &p->found->words);
	const uint64_t *w = first ? first + RAW_HEAD_WORDS : NULL;
	uint32_t words;
	bool damaged = false;

	if (!first)
		return false;
	memset(p->found->starts, 0, sizeof(p->found->starts));
	for (; (words = raw_record_words(w, first + RAW_BLOCK_WORDS, &damaged)); w += words)
		p->found->starts[(w - first) / 64] |= UINT64_C(1) << (w - first) % 64;
	p->found->block = block + 1;
	p->found->first = first;
	return true;
}

static bool starts(const struct past *p, uint64_t position)
{
	uint64_t at = position % RAW_BLOCK_WORDS;

	return p->found->starts[at / 64] >> at % 64 & 1;
}

const uint64_t *past_record(struct past *p, uint64_t position)
{
	if (!past_has(p, position))
		return NULL;
	if (!p->found)
		p->found = mem_alloc_zero(1, sizeof(*p->found));
	if (p->found->block != position / RAW_BLOCK_WORDS + 1 &&
	    !find_starts(p, position / RAW_BLOCK_WORDS))
		return NULL;
	return starts(p, position) ? p->found->first + position % RAW_BLOCK_WORDS : NULL;
}

uint32_t past_depends(const struct past *p, uint64_t position)
{
	const uint64_t *first = p->found->first, *record = first + position % RAW_BLOCK_WORDS;
	uint32_t n = 0;

	while (record - n > first && starts(p, position - n - 1) &&
	       (LOG_KIND_OF(record[-1 - (int)n]) == LOG_DEPEND ||
		LOG_KIND_OF(record[-1 - (int)n]) == LOG_DEPENDS))
		n++;
	return n;
}
