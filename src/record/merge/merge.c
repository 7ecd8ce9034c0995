/* SPDX-License-Identifier: MIT */
#include "record/merge/lanes.h"

#include "base/log.h"

/* Loading */

static void expect_block(struct merge *m, uint32_t l)
{
	struct lane *lane = &m->lanes[l];
	const struct log_block *head =
		lane->loaded < lane->blocks ? raw_block(lane->thread, lane->loaded) : NULL;

	if (!head)
		lane->blocks = lane->loaded;
	else
		loads_push(&m->loads, (struct load){head->time, lane->loaded, l});
}

static void count_record(struct merge *m, struct lane *lane, const uint64_t *w, uint64_t position)
{
	if (LOG_KIND_OF(*w) == LOG_READ) {
		uint32_t shard = log_shard(raw_address(w));

		if (m->lane_count > 1)
			ahead_add(&m->ahead, shard, m->ahead.shards[shard].version,
				  LOG_HIGH_OF(*w));
	} else if (LOG_KIND_OF(*w) == LOG_TIME) {
		struct time_mark mark = {position, w[1]};

		vec_push(&lane->times, mark);
	}
}

static void load_block(struct merge *m, uint32_t l)
{
	struct lane *lane = &m->lanes[l];
	/* not in place of the block that the lane is in, or of the one behind it */
	const uint64_t *first = lane->loaded + 1 < lane->next_block + RAW_RING
					? raw_words(lane->thread, lane->loaded)
					: raw_words_in(lane->thread, lane->loaded, m->ahead_words);
	const uint64_t *w = first, *end = w + RAW_BLOCK_WORDS;
	uint64_t position = lane->loaded * RAW_BLOCK_WORDS;
	uint32_t words;
	bool damaged = false;

	if (lane->times_passed == lane->times.n)
		lane->times.n = lane->times_passed = 0;
	for (w += RAW_HEAD_WORDS; (words = raw_record_words(w, end, &damaged)); w += words)
		count_record(m, lane, w, position + (uint64_t)(w - first));
	lane->loaded++;
	lane->bound_at = NULL;
	if (damaged)
		lane->blocks = lane->loaded;
	if (m->ahead.used > m->most_pending)
		m->most_pending = m->ahead.used;
	expect_block(m, l);
}

/* So that all reads up to that time are counted. */
static void load_until(struct merge *m, uint64_t time)
{
	while (m->loads.at.n && m->loads.at.at[0].time <= time) {
		struct load load = m->loads.at.at[0];

		loads_pop(&m->loads);
		if (m->lanes[load.lane].loaded == load.block)
			load_block(m, load.lane);
	}
	m->horizon = time;
}

static void find_bound(struct lane *lane)
{
	uint64_t position = lane_position(lane, lane->at), end = lane_position(lane, lane->end);

	while (lane->times_passed < lane->times.n &&
	       lane->times.at[lane->times_passed].position < position)
		lane->times_passed++;
	lane->bound_at = lane->end;
	if (lane->times_passed < lane->times.n) {
		const struct time_mark *mark = &lane->times.at[lane->times_passed];

		lane->bound = mark->time;
		if (mark->position < end)
			lane->bound_at = lane->at + (mark->position - position);
		return;
	}
	const struct log_block *next =
		lane->next_block < lane->blocks ? raw_block(lane->thread, lane->next_block) : NULL;

	lane->bound = next ? next->time : NO_BOUND;
}

/* By when the lane's next record had happened. */
static uint64_t bound_of(struct lane *lane)
{
	if (!lane->bound_at || lane->at > lane->bound_at)
		find_bound(lane);
	return lane->bound;
}

/* Lanes */

static void make_ready(struct merge *m, uint32_t l)
{
	m->lanes[l].state = LANE_READY;
	vec_push(&m->ready, l);
}

static void wake(struct merge *m, uint32_t *list)
{
	uint32_t next;

	for (uint32_t l = *list; l != NO_LANE; l = next) {
		next = m->lanes[l].next_waiting;
		make_ready(m, l);
	}
	*list = NO_LANE;
}

static bool wait_in(struct merge *m, uint32_t l, uint32_t *list)
{
	m->lanes[l].state = LANE_WAITS;
	m->lanes[l].next_waiting = *list;
	*list = l;
	return false;
}

static uint32_t find_lane(const struct merge *m, uint64_t thread)
{
	return thread < m->lane_of.n ? m->lane_of.at[thread] - 1 : NO_LANE;
}

uint32_t lane_come_to_block(struct merge *m, uint32_t l)
{
	struct lane *lane = &m->lanes[l];
	uint32_t words = 0;

	while (!words) {
		if (lane->damaged || lane->next_block >= lane->blocks)
			return 0;
		if (lane->loaded == lane->next_block && !m->again)
			load_block(m, l);
		lane->first = raw_words(lane->thread, lane->next_block);
		lane->at = lane->first + RAW_HEAD_WORDS;
		lane->end = lane->first + RAW_BLOCK_WORDS;
		lane->bound_at = NULL;
		raw_forget(lane->thread, lane->next_block);
		lane->next_block++;
		words = raw_record_words(lane->at, lane->end, &lane->damaged);
	}
	return words;
}

/* What stands behind the record at w, in the next block if need be; NULL: nothing. */
static const uint64_t *record_behind(const struct lane *lane, const uint64_t *w, uint32_t words)
{
	bool damaged = false;

	if (raw_record_words(w + words, lane->end, &damaged))
		return w + words;
	if (damaged || !raw_block(lane->thread, lane->next_block))
		return NULL;
	const uint64_t *first = raw_words(lane->thread, lane->next_block);

	return raw_record_words(first + RAW_HEAD_WORDS, first + RAW_BLOCK_WORDS, &damaged)
		       ? first + RAW_HEAD_WORDS
		       : NULL;
}

/* Taking records */

static uint32_t shard_of(const uint64_t *w)
{
	uint8_t kind = LOG_KIND_OF(*w);

	if ((kind >= LOG_ALLOC && kind <= LOG_UNMAP) || kind == LOG_BEGIN || kind == LOG_END)
		return LOG_HEAP;
	return log_shard(raw_address(w));
}

/* Can it happen now, as far as this shard says? If not, the lane waits. */
static bool may_read(struct merge *m, uint32_t l, uint32_t shard, uint32_t version)
{
	return m->ahead.shards[shard].version == version ||
	       wait_in(m, l, &m->ahead.shards[shard].waiting);
}

static bool may_write(struct merge *m, uint32_t l, uint32_t shard, uint32_t version)
{
	if (m->ahead.shards[shard].version != version)
		return wait_in(m, l, &m->ahead.shards[shard].waiting);
	if (m->lane_count == 1)
		return true;
	uint64_t bound = bound_of(&m->lanes[l]);

	if (bound > m->horizon)
		load_until(m, bound);
	return !ahead_any(&m->ahead, shard, version) ||
	       wait_in(m, l, &m->ahead.shards[shard].waiting);
}

static void has_read(struct merge *m, uint32_t shard)
{
	if (m->lane_count > 1 && ahead_drop(&m->ahead, shard, m->ahead.shards[shard].version) &&
	    m->ahead.shards[shard].waiting != NO_LANE)
		wake(m, &m->ahead.shards[shard].waiting);
}

static void has_written(struct merge *m, uint32_t shard)
{
	m->ahead.shards[shard].version += 2;
	if (m->ahead.shards[shard].waiting != NO_LANE)
		wake(m, &m->ahead.shards[shard].waiting);
}

/* A condition and its mutex, in one step. */
static bool take_wait(struct merge *m, uint32_t l, const uint64_t *w)
{
	uint32_t condition = log_shard(w[1]), mutex = log_shard(w[3]);

	if (!may_write(m, l, condition, LOG_HIGH_OF(*w)) ||
	    (mutex != condition && !may_write(m, l, mutex, (uint32_t)w[4])))
		return false;
	has_written(m, condition);
	if (mutex != condition)
		has_written(m, mutex);
	return true;
}

static uint32_t line_version(const uint64_t *w, uint32_t which)
{
	return (uint32_t)(w[4 + which / 2] >> (which % 2 ? 32 : 0));
}

/* A block is given back: what was done to its lines before is done, and nothing that comes after.
 */
static bool take_free(struct merge *m, uint32_t l, const uint64_t *w)
{
	uint16_t shards[LOG_SHARDS];

	if (!may_write(m, l, LOG_HEAP, LOG_HIGH_OF(*w)))
		return false;
	uint32_t n = log_lines(raw_address(w), w[3] & (((uint64_t)1 << 48) - 1), shards);

	if (n != w[3] >> 48)
		n = 0; /* a damaged log */
	for (uint32_t i = 0; i < n; i++)
		if (!may_write(m, l, shards[i], line_version(w, i)))
			return false;
	for (uint32_t i = 0; i < n; i++)
		has_written(m, shards[i]);
	has_written(m, LOG_HEAP);
	return true;
}

static bool may_access(struct merge *m, uint32_t l, const uint64_t *w)
{
	return LOG_KIND_OF(*w) == LOG_READ ? may_read(m, l, shard_of(w), LOG_HIGH_OF(*w))
					   : may_write(m, l, shard_of(w), LOG_HIGH_OF(*w));
}

static void has_accessed(struct merge *m, const uint64_t *w)
{
	if (LOG_KIND_OF(*w) == LOG_READ)
		has_read(m, shard_of(w));
	else
		has_written(m, shard_of(w));
}

static bool same_version(const uint64_t *w, const uint64_t *other)
{
	return shard_of(w) == shard_of(other) && LOG_HIGH_OF(*w) == LOG_HIGH_OF(*other);
}

const uint64_t *lane_next_part(const struct lane *lane, const struct merged *r)
{
	const uint64_t *w = r->w, *second = record_behind(lane, w, r->words);
	bool access = second && LOG_KIND_OF(*second) == LOG_KIND_OF(*w) &&
		      LOG_KIND_OF(*w) != LOG_RMW &&
		      raw_address(second) == raw_address(w) + raw_size(w);

	return access ? second : NULL;
}

/*
 * An access that crosses a line: both parts at once if they can be. Of longer chains each part
 * is an access by itself, but a write of several lines in one shard locked it only once.
 */
static bool take_parts(struct merge *m, uint32_t l, struct merged *r)
{
	struct lane *lane = &m->lanes[l];
	const uint64_t *w = r->w, *second = lane_next_part(lane, r);

	if (!may_access(m, l, w))
		return false;
	if (!lane_are_one(lane, w, second)) {
		lane->torn = second; /* until the chain ends */
		if (!second || LOG_KIND_OF(*w) == LOG_READ || !same_version(w, second))
			has_accessed(m, w);
		return true;
	}
	bool locked_once = LOG_KIND_OF(*w) == LOG_WRITE && same_version(w, second);

	if (!locked_once && !may_access(m, l, second))
		return false;
	has_accessed(m, w);
	if (!locked_once)
		has_accessed(m, second);
	r->second = second;
	return true;
}

static bool take_access(struct merge *m, uint32_t l, struct merged *r)
{
	uint32_t shard = log_shard(raw_address(r->w)), version = LOG_HIGH_OF(*r->w);

	if (__builtin_expect(raw_goes_on(r->w), 0))
		return take_parts(m, l, r);
	if (LOG_KIND_OF(*r->w) == LOG_READ) {
		if (!may_read(m, l, shard, version))
			return false;
		has_read(m, shard);
	} else {
		if (!may_write(m, l, shard, version))
			return false;
		has_written(m, shard);
	}
	m->lanes[l].torn = false;
	return true;
}

static bool take_join(struct merge *m, uint32_t l, uint64_t thread)
{
	uint32_t other = find_lane(m, thread);

	return other == NO_LANE || other == l || m->lanes[other].state == LANE_DONE ||
	       wait_in(m, l, &m->lanes[other].joiners);
}

static bool take_fork(struct merge *m, uint64_t thread)
{
	uint32_t child = find_lane(m, thread);

	if (child != NO_LANE && m->lanes[child].state == LANE_UNBORN)
		make_ready(m, child);
	return true;
}

static bool take_mark(struct merge *m, uint32_t l, uint32_t number)
{
	if (m->marks + 1 != number)
		return wait_in(m, l, &m->waiting_marks);
	if (!m->may_mark) {
		m->lanes[l].state = LANE_WAITS;
		m->marker = l;
		return false;
	}
	m->may_mark = false;
	m->marks = number;
	wake(m, &m->waiting_marks);
	return true;
}

/* It knew of so many marks. */
static bool take_marks(struct merge *m, uint32_t l, uint32_t number)
{
	return m->marks >= number || wait_in(m, l, &m->waiting_marks);
}

static bool take_record(struct merge *m, uint32_t l, struct merged *r)
{
	uint8_t kind = LOG_KIND_OF(*r->w);

	switch (kind) {
	case LOG_READ:
	case LOG_WRITE:
	case LOG_RMW: return take_access(m, l, r);
	case LOG_FORK: return take_fork(m, r->w[1]);
	case LOG_JOIN: return take_join(m, l, r->w[1]);
	case LOG_WAIT:
	case LOG_WOKEN: return take_wait(m, l, r->w);
	case LOG_FREE: return take_free(m, l, r->w);
	case LOG_MARKS: return take_marks(m, l, LOG_HIGH_OF(*r->w));
	case LOG_UNSEEN:
	case LOG_SEEN: return take_mark(m, l, LOG_HIGH_OF(*r->w));
	}
	if (!raw_kind_writes[kind])
		return true;
	if (!may_write(m, l, shard_of(r->w), LOG_HIGH_OF(*r->w)))
		return false;
	has_written(m, shard_of(r->w));
	return true;
}

void lane_end(struct merge *m, uint32_t l)
{
	m->lanes[l].state = LANE_DONE;
	wake(m, &m->lanes[l].joiners);
	raw_unmap(m->lanes[l].thread);
}

void lane_pass(struct merge *m, uint32_t l, const struct merged *r)
{
	struct lane *lane = &m->lanes[l];

	lane->at += r->words;
	if (r->second) /* it may stand in the next block */
		lane->at += lane_come_to_record(m, l);
}

/* Those that come next in the block. */
static void skip_depends(struct merge *m, uint32_t l)
{
	uint32_t n = 0, words;

	for (; (words = lane_words_to_skip(&m->lanes[l])); n++)
		m->lanes[l].at += words;
	if (n)
		runs_note(&m->runs, l, n);
}

/* The lane's next record, if it can happen now. */
static bool advance(struct merge *m, uint32_t l, struct merged *r)
{
	if (m->skips && m->lanes[l].at)
		skip_depends(m, l);
	uint32_t words = lane_come_to_record(m, l);

	if (!words) {
		lane_end(m, l);
		return false;
	}
	lane_show(&m->lanes[l], words, r);
	if (!take_record(m, l, r))
		return false;
	lane_pass(m, l, r);
	runs_note(&m->runs, l, 1);
	return true;
}

/* False: it cannot happen now, or something has to be loaded before. */
static inline bool take_plain(struct merge *m, struct lane *lane, const uint64_t *w)
{
	uint32_t shard = log_shard(raw_address(w)), version = LOG_HIGH_OF(*w);

	if (m->ahead.shards[shard].version != version)
		return false;
	if (LOG_KIND_OF(*w) == LOG_READ) {
		has_read(m, shard);
		return true;
	}
	lane->at = w;
	if (m->lane_count > 1 &&
	    (bound_of(lane) > m->horizon || ahead_any(&m->ahead, shard, version)))
		return false;
	has_written(m, shard);
	return true;
}

bool merge_take(struct merge *m, struct stretch *s)
{
	if (m->again)
		return merge_take_again(m, s);
	struct lane *lane = &m->lanes[m->current];
	const uint64_t *first = lane->at, *at = first, *end = lane->end - LOG_LINE;
	uint32_t records = 0, words;

	for (; at < end && !lane->torn && (words = lane_plain_words(at)); at += words, records++)
		if (words == 3 && !take_plain(m, lane, at))
			break;
	*s = (struct stretch){.thread = lane->thread->number,
			      .records = records,
			      .position = lane_position(lane, first),
			      .w = first,
			      .end = at};
	lane->at = at;
	if (records)
		runs_note(&m->runs, m->current, records);
	return records;
}

/* Being stuck */

/* Threads that somebody still means to fork are not to be started. */
static void note_forks(const struct merge *m, const struct lane *lane, uint8_t *forked,
		       size_t threads)
{
	const uint64_t *w = lane->at, *end = lane->end;
	uint64_t block = lane->next_block;
	uint32_t words;
	bool damaged = false;

	for (;; w += words) {
		words = raw_record_words(w, end, &damaged);
		if (!words && (damaged || !raw_block(lane->thread, block)))
			return;
		if (!words) {
			w = raw_words_in(lane->thread, block++, m->ahead_words);
			end = w + RAW_BLOCK_WORDS;
			words = RAW_HEAD_WORDS;
		} else if (LOG_KIND_OF(*w) == LOG_FORK && w[1] < threads) {
			forked[w[1]] = 1;
		}
	}
}

/* Threads that nobody forks, as far as the log says, start when nobody else can go on. */
static bool start_foreign(struct merge *m)
{
	size_t threads = m->lane_of.n, ready = m->ready.n;
	uint8_t *forked = mem_alloc_zero(threads + 1, 1);

	for (uint32_t l = 0; l < m->lane_count; l++)
		if (m->lanes[l].state != LANE_DONE)
			note_forks(m, &m->lanes[l], forked, threads);
	for (uint32_t l = 0; l < m->lane_count; l++)
		if (m->lanes[l].state == LANE_UNBORN && !forked[m->lanes[l].thread->number])
			make_ready(m, l);
	mem_free(forked);
	return m->ready.n > ready;
}

static bool has_parts(const struct lane *lane)
{
	uint8_t kind = lane->at < lane->end ? LOG_KIND_OF(*lane->at) : LOG_NOTHING;

	return (kind == LOG_READ || kind == LOG_WRITE) && raw_goes_on(lane->at);
}

/* An access in parts that cannot happen at once becomes two. */
static bool tear_accesses(struct merge *m)
{
	bool torn = false;

	for (uint32_t l = 0; l < m->lane_count; l++) {
		struct lane *lane = &m->lanes[l];

		if (lane->state != LANE_WAITS || lane->torn || !has_parts(lane))
			continue;
		lane->torn = torn = true;
	}
	if (!torn)
		return false;
	runs_lose(&m->runs); /* they do not tell */
	for (size_t shard = 0; shard <= LOG_SHARDS; shard++)
		wake(m, &m->ahead.shards[shard].waiting);
	return true;
}

/* The next mark, now that nobody can do anything before it. */
static bool release_mark(struct merge *m)
{
	if (m->marker == NO_LANE)
		return false;
	/* of threads that nobody forks it is not known when they began: before it, if they can */
	if (!m->marks && start_foreign(m))
		return true;
	m->may_mark = true;
	make_ready(m, m->marker);
	m->marker = NO_LANE;
	return true;
}

bool merge_next(struct merge *m, struct merged *r)
{
	if (m->again)
		return merge_repeat(m, r);
	for (;;) {
		if (m->current != NO_LANE && advance(m, m->current, r))
			return true;
		m->current = NO_LANE;
		if (!m->ready.n && !release_mark(m) && !start_foreign(m) && !tear_accesses(m))
			return false;
		m->current = m->ready.at[--m->ready.n];
	}
}

void merge_skip_depends(struct merge *m)
{
	m->skips = true;
}

/* Life */

struct merge *merge_new(struct raw_log *log)
{
	struct merge *m = mem_alloc_zero(1, sizeof(*m));

	m->log = log;
	m->ahead_words = mem_alloc_zero(1, sizeof(*m->ahead_words));
	m->lane_count = (uint32_t)log->threads.n;
	m->lanes = mem_alloc_zero(m->lane_count + 1, sizeof(*m->lanes));
	m->current = NO_LANE;
	m->waiting_marks = m->marker = NO_LANE;
	ahead_init(&m->ahead);
	for (size_t shard = 0; shard <= LOG_SHARDS; shard++)
		m->ahead.shards[shard].waiting = NO_LANE;
	for (uint32_t l = 0; l < m->lane_count; l++) {
		struct lane *lane = &m->lanes[l];

		lane->thread = &log->threads.at[l];
		lane->joiners = NO_LANE;
		raw_map(log, lane->thread);
		lane->blocks = lane->thread->blocks;
		vec_extend(&m->lane_of, (size_t)lane->thread->number + 1);
		m->lane_of.at[lane->thread->number] = l + 1;
		expect_block(m, l);
		if (!lane->blocks)
			lane->state = LANE_DONE;
		else if (!lane->thread->number)
			make_ready(m, l);
	}
	return m;
}

static void rewind_lane(struct merge *m, struct lane *lane)
{
	raw_map(m->log, lane->thread);
	lane->state = LANE_READY;
	lane->damaged = lane->torn = false;
	lane->first = lane->at = lane->end = lane->bound_at = NULL;
	lane->next_block = 0;
	if (lane->blocks > lane->thread->blocks) /* the file could not be mapped again */
		lane->blocks = lane->thread->blocks;
}

struct merge *merge_again(struct merge *m)
{
	struct raw_log *log = m->log;

	if (m->runs.lost) {
		merge_free(m);
		return merge_new(log);
	}
	for (uint32_t l = 0; l < m->lane_count; l++)
		rewind_lane(m, &m->lanes[l]);
	m->runs.next = m->runs.done = 0;
	m->current = NO_LANE;
	m->again = true;
	m->skips = false;
	return m;
}

const uint64_t *merge_block(const struct merge *m, uint32_t thread, uint64_t block,
			    struct raw_words *words)
{
	uint32_t l = find_lane(m, thread);

	if (l == NO_LANE || !raw_block(m->lanes[l].thread, block))
		return NULL;
	return raw_words_in(m->lanes[l].thread, block, words);
}

uint64_t merge_left(struct merge *m)
{
	uint64_t left = 0;

	m->again = false; /* blocks that nobody came to are yet to be loaded */
	for (uint32_t l = 0; l < m->lane_count; l++) {
		struct lane *lane = &m->lanes[l];

		if (lane->state == LANE_DONE)
			continue;
		for (uint32_t words; (words = lane_come_to_record(m, l)); left++)
			lane->at += words;
	}
	return left;
}

uint32_t merge_damaged(const struct merge *m)
{
	uint32_t damaged = 0;

	for (uint32_t l = 0; l < m->lane_count; l++)
		damaged += m->lanes[l].damaged;
	return damaged;
}

size_t merge_most_pending(const struct merge *m)
{
	return m->most_pending;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	LOG(LOG_MERGE, 1, "%u threads, %u of them damaged, at most %zu records pending",
	    m->lane_count, merge_damaged(m), m->most_pending);
	for (uint32_t l = 0; l < m->lane_count; l++) {
		vec_release(&m->lanes[l].times);
		raw_unmap(m->lanes[l].thread);
	}
	mem_free(m->lanes);
	mem_free(m->ahead_words);
	vec_release(&m->lane_of);
	loads_release(&m->loads);
	vec_release(&m->ready);
	ahead_release(&m->ahead);
	runs_release(&m->runs);
	mem_free(m);
}
