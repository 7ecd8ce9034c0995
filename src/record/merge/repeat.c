/* SPDX-License-Identifier: MIT */
/* The order that a merge has found, once more. */
#include "record/merge/lanes.h"

/* As take_parts did when the order was found. */
static void repeat_parts(struct lane *lane, struct merged *r)
{
	const uint64_t *second = raw_goes_on(r->w) ? lane_next_part(lane, r) : NULL;

	if (lane_are_one(lane, r->w, second))
		r->second = second;
	else
		lane->torn = second;
}

/* As in the pass before, a lane that has come to its end is given back when another goes on. */
static void repeat_lane(struct merge *m, uint32_t l)
{
	if (m->current != NO_LANE && !lane_come_to_record(m, m->current))
		lane_end(m, m->current);
	m->current = l;
}

/* As skip_depends, within the run that is followed. */
static void skip_repeated(struct merge *m, const struct run *run, struct lane *lane)
{
	uint32_t words;

	for (; m->runs.done + 1 < run->records && (words = lane_words_to_skip(lane));
	     m->runs.done++)
		lane->at += words;
}

/* The next record in the order that was found before, if it is in no parts and stands in the block
 * that the lane is in. */
static inline bool repeat_quickly(struct merge *m, struct merged *r)
{
	if (!m->runs.done) /* there may be no runs at all */
		return false;
	const struct run *run = &m->runs.at.at[m->runs.next];

	if (m->runs.done + 1 >= run->records)
		return false;
	struct lane *lane = &m->lanes[run->lane];

	if (m->skips)
		skip_repeated(m, run, lane);
	if (m->runs.done + 1 >= run->records)
		return false;
	uint32_t words = raw_record_words(lane->at, lane->end, &lane->damaged);
	uint8_t kind = LOG_KIND_OF(*lane->at);

	if (!words ||
	    (kind >= LOG_READ && kind <= LOG_RMW && (raw_goes_on(lane->at) || lane->torn)))
		return false;
	lane_show(lane, words, r);
	lane->at += words;
	m->runs.done++;
	return true;
}

/* The same for any record. */
static bool repeat_any(struct merge *m, struct merged *r)
{
	uint32_t l = NO_LANE;

	runs_next(&m->runs, &l);
	if (l != m->current)
		repeat_lane(m, l);
	uint32_t words = l != NO_LANE ? lane_come_to_record(m, l) : 0;

	if (!words)
		return false;
	lane_show(&m->lanes[l], words, r);
	if (LOG_KIND_OF(*r->w) >= LOG_READ && LOG_KIND_OF(*r->w) <= LOG_RMW)
		repeat_parts(&m->lanes[l], r);
	lane_pass(m, l, r);
	return true;
}

bool merge_repeat(struct merge *m, struct merged *r)
{
	return repeat_quickly(m, r) || repeat_any(m, r);
}

bool merge_stretch(const struct merge *m, struct stretch *s)
{
	if (!m->again || !m->runs.done)
		return false;
	const struct run *run = &m->runs.at.at[m->runs.next];
	const struct lane *lane = &m->lanes[run->lane];

	*s = (struct stretch){.thread = lane->thread->number,
			      .records = run->records - m->runs.done - 1,
			      .position = lane_position(lane, lane->at),
			      .w = lane->at,
			      .end = lane->end};
	return !lane->torn && s->records;
}

bool merge_take_again(struct merge *m, struct stretch *s)
{
	uint32_t records = 0, words;

	if (!merge_stretch(m, s))
		return false;
	const uint64_t *at = s->w, *end = s->end - LOG_LINE;

	for (; records < s->records && at < end && (words = lane_plain_words(at)); records++)
		at += words;
	merge_pass(m, at, records);
	s->end = at;
	s->records = records;
	return records;
}

void merge_pass(struct merge *m, const uint64_t *to, uint32_t records)
{
	m->lanes[m->runs.at.at[m->runs.next].lane].at = to;
	m->runs.done += records;
}
