/* SPDX-License-Identifier: MIT */
/*
 * Times that a thread did the same again, a read and the branches on it, which the log only counts
 * (LOG_SPIN). The first two times and the last one are events. The others are steps that were
 * dropped: in every execution of the trace they can be put right behind the time before them. There
 * they read what that did, so the branches go the same way.
 *
 * If the branches have constants that are others each time, a guard says that the time before has
 * read what was recorded.
 *
 * What came from one of those reads has the position of the last one. If that was followed by the
 * same branches, the times between can as well be put right before it, and read what it does. Else
 * what has its position depends on both.
 */
#include "record/write/parts.h"

static const struct site_info *site_of(const struct writer *w, uint64_t word)
{
	return tables_get(w->places->sites, LOG_SITE_OF(word));
}

/* Where the same stands before the record; NULL: nowhere, in a damaged log. */
static const uint64_t *find_round(const struct merged *r, uint32_t words)
{
	const uint64_t *round = r->w - words;
	bool there = words >= LOG_ROUND_LEAST && words <= LOG_ROUND_MOST &&
		     r->position % RAW_BLOCK_WORDS >= RAW_HEAD_WORDS + words &&
		     r->w[1] <= LOG_SPINS_MOST;

	return there && log_same_round(round, round, words, 0) ? round : NULL;
}

static uint64_t count_steps(struct writer *w, const uint64_t *round, uint32_t words)
{
	uint64_t steps = 0;

	for (uint32_t at = 0; at < words; at += at ? 1 : 3)
		if (!log_is_here(round[at]))
			steps += writer_is_step(round + at, site_of(w, round[at]));
	return steps;
}

/* Whether the last time, which stands behind the record, has the same branches as that before. */
static bool ends_alike(const struct merged *r, const uint64_t *round, uint32_t words)
{
	const uint64_t *last = r->w + LOG_SPIN_WORDS;

	return r->position % RAW_BLOCK_WORDS + LOG_SPIN_WORDS + words <= RAW_BLOCK_WORDS &&
	       log_same_round(round, last, words, words + LOG_SPIN_WORDS);
}

static bool has_constants(const uint64_t *round, uint32_t words)
{
	for (uint32_t i = 3; i < words; i++)
		if (log_is_here(round[i]))
			return true;
	return false;
}

/* With other constants the branches go the same way only if what was read is as recorded. */
static void guard_round(struct writer *w, const struct merged *r, uint64_t position)
{
	if (!writer_is_silent(w, r->thread))
		depend_guard_read(w, r->thread, position);
}

void spin_follow(struct writer *w, const struct merged *r)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	uint32_t words = LOG_HIGH_OF(*r->w);
	const uint64_t *round = find_round(r, words);

	if (!round || !r->w[1])
		return;
	uint64_t steps = r->w[1] * count_steps(w, round, words);
	bool constants = has_constants(round, words);

	if (constants)
		guard_round(w, r, r->position - words);
	t->steps += steps;
	t->skipped += steps;
	w->counts.spins += r->w[1];
	if (constants || !ends_alike(r, round, words))
		t->spun = r->position - words;
}

void spin_join(struct writer *w, uint32_t thread, struct value *v)
{
	struct writer_thread *t = writer_thread(w, thread);
	const struct value *before = window_find(&t->values, t->spun);
	uint64_t recorded = v->recorded;

	*v = before ? terms_apply(&w->terms, NULL, (struct value[]){*before, *v}, 2)
		    : depend_all(w, thread);
	v->recorded = recorded;
}
