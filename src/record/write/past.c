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
}

bool past_has(const struct past *p, uint64_t position)
{
	size_t behind = LOWER_BOUND(i, (size_t)0, p->at.n, p->at.at[i].from <= position);

	return behind && position < p->at.at[behind - 1].to;
}

static void find_starts(struct past *p, uint64_t block)
{
	const uint64_t *first = p->map + block * RAW_BLOCK_WORDS, *w = first + RAW_HEAD_WORDS;
	uint32_t words;
	bool damaged = false;

	memset(p->starts, 0, sizeof(p->starts));
	for (; (words = raw_record_words(w, first + RAW_BLOCK_WORDS, &damaged)); w += words)
		p->starts[(w - first) / 64] |= UINT64_C(1) << (w - first) % 64;
	p->block = block + 1;
}

static bool starts(const struct past *p, uint64_t position)
{
	uint64_t at = position % RAW_BLOCK_WORDS;

	return p->starts[at / 64] >> at % 64 & 1;
}

const uint64_t *past_record(struct past *p, uint64_t position)
{
	if (!past_has(p, position))
		return NULL;
	if (p->block != position / RAW_BLOCK_WORDS + 1)
		find_starts(p, position / RAW_BLOCK_WORDS);
	return starts(p, position) ? p->map + position : NULL;
}

uint32_t past_depends(const struct past *p, uint64_t position)
{
	uint32_t n = 0;

	while (position % RAW_BLOCK_WORDS && starts(p, position - 1) &&
	       (LOG_KIND_OF(p->map[position - 1]) == LOG_DEPEND ||
		LOG_KIND_OF(p->map[position - 1]) == LOG_DEPENDS)) {
		position--;
		n++;
	}
	return n;
}
