/* SPDX-License-Identifier: MIT */
/* What the files of the merge share. */
#ifndef RECORD_MERGE_LANES_H
#define RECORD_MERGE_LANES_H

#include "record/merge/ahead.h"
#include "record/merge/loads.h"
#include "record/merge/merge.h"
#include "record/merge/runs.h"

#define NO_LANE UINT32_MAX
#define NO_BOUND UINT64_MAX

enum lane_state { LANE_UNBORN, LANE_READY, LANE_WAITS, LANE_DONE };

struct time_mark {
	uint64_t position;
	uint64_t time;
};

/* A thread's log, and how far it is merged. */
struct lane {
	struct raw_thread *thread;
	uint8_t state; /* enum lane_state */
	bool damaged;
	bool torn;		     /* its parts could not happen together: one by one */
	const uint64_t *first;	     /* of the block; NULL before that */
	const uint64_t *at, *end;    /* the rest of it */
	uint64_t next_block;	     /* behind that one */
	uint64_t loaded;	     /* blocks whose reads are counted in `ahead` */
	uint64_t blocks;	     /* the log ends behind these */
	VEC(struct time_mark) times; /* LOG_TIME in loaded blocks */
	size_t times_passed;
	const uint64_t *bound_at; /* by `bound`, all up to here had happened; NULL: not known */
	uint64_t bound;
	uint32_t next_waiting; /* in the list that it waits in */
	uint32_t joiners;      /* who waits for its end */
};

struct merge {
	struct raw_log *log;
	struct lane *lanes;
	uint32_t lane_count;
	VEC(uint32_t) lane_of; /* by number of thread: lane + 1 */
	struct ahead ahead;    /* and the versions of shards, and the lanes that wait there */
	size_t most_pending;
	struct raw_words *ahead_words; /* of a block that is looked at far ahead */
	uint64_t horizon;	       /* all blocks begun before are loaded */
	struct loads loads;
	VEC(uint32_t) ready;
	uint32_t current;
	uint32_t marks;		/* so far */
	uint32_t waiting_marks; /* lanes that wait for one */
	uint32_t marker;	/* the lane that stands at the next one, or NO_LANE */
	bool may_mark;		/* which nobody else can come before any more */
	struct runs runs;	/* the order so far; */
	bool again;		/* it is followed once more */
	bool skips;		/* merge_skip_depends */
};

/* Goes to the first record of the blocks to come; how many words it has, 0: there is none. */
uint32_t lane_come_to_block(struct merge *m, uint32_t l);
/* The record is merged. */
void lane_pass(struct merge *m, uint32_t l, const struct merged *r);
void lane_end(struct merge *m, uint32_t l);
/* Where the access at r goes on; NULL: nowhere. */
const uint64_t *lane_next_part(const struct lane *lane, const struct merged *r);

/* Whether a part and the next one are one access. */
static inline bool lane_are_one(const struct lane *lane, const uint64_t *w, const uint64_t *second)
{
	return second && !raw_goes_on(second) && raw_size(w) + raw_size(second) <= LOG_LINE &&
	       !lane->torn;
}

/* Goes to the next record and returns how many words it has; 0 at the end of the log. */
static inline uint32_t lane_come_to_record(struct merge *m, uint32_t l)
{
	struct lane *lane = &m->lanes[l];
	uint32_t words = raw_record_words(lane->at, lane->end, &lane->damaged);

	return words ? words : lane_come_to_block(m, l);
}

static inline uint64_t lane_position(const struct lane *lane, const uint64_t *w)
{
	return (lane->next_block - 1) * RAW_BLOCK_WORDS + (uint64_t)(w - lane->first);
}

static inline void lane_show(const struct lane *lane, uint32_t words, struct merged *r)
{
	*r = (struct merged){.thread = lane->thread->number,
			     .words = words,
			     .position = lane_position(lane, lane->at),
			     .w = lane->at};
}

#define LONGEST_SKIPPED 2
/* Words of records that merge_skip_depends leaves out; 0: it does not. */
static const uint8_t skipped_words[LOG_KIND_COUNT] = {
	[LOG_DEPEND] = 1, [LOG_DEPENDS] = 1, [LOG_BRANCH] = 1, [LOG_VALUE] = 1, [LOG_FIXED] = 2,
	[LOG_REJOIN] = 1, [LOG_EITHER] = 1,  [LOG_ENTER] = 1,  [LOG_LEAVE] = 1,
};

static inline uint32_t lane_words_to_skip(const struct lane *lane)
{
	uint8_t kind = lane->end - lane->at > LONGEST_SKIPPED ? LOG_KIND_OF(*lane->at) : 0;

	return kind < LOG_KIND_COUNT ? skipped_words[kind] : 0;
}

/* Words of a plain access, or of a record that is left out; 0: it is neither. */
static inline uint32_t lane_plain_words(const uint64_t *w)
{
	uint8_t kind = LOG_KIND_OF(*w);

	if (merge_is_plain(w))
		return 3;
	return kind < LOG_KIND_COUNT ? skipped_words[kind] : 0;
}

/* The order that was found before, once more: repeat.c */
bool merge_repeat(struct merge *m, struct merged *r);
bool merge_take_again(struct merge *m, struct stretch *s);

#endif
