/* SPDX-License-Identifier: MIT */
#include "tests/support/raw_maker.h"

#include <stdlib.h>
#include <string.h>

#define SHARED_BASE 0x500000u
#define HEAP_BASE 0x10000000u
#define STACK_BASE 0x70000000u
#define STACK_SIZE 0x10000u
#define MUTEX_BASE 0x600000u
#define SEM_BASE 0x610000u
#define COND_BASE 0x620000u
#define OBJECTS 3
#define HEAP_BLOCKS 8
#define HEAP_SIZE 64u
#define READS_KEPT 8

struct maker_thread {
	bool forked, ended, joined;
	uint32_t waits_on; /* condition + 1 */
	bool signalled;
	uint64_t block; /* where the current one starts, in words */
	uint64_t blocks, records;
	uint64_t reads[READS_KEPT]; /* positions */
	uint32_t read_count;
	bool slot;   /* a stack slot lives */
	bool inside; /* code without hooks */
	uint32_t noted;
	uint64_t writes;
};

struct maker {
	const struct raw_knobs *knobs;
	struct raw_run *run;
	struct random random;
	struct maker_thread threads[RAW_THREADS];
	uint32_t version[LOG_SHARDS + 1];
	uint64_t clock, value;
	uint8_t *shared;
	uint8_t heap[HEAP_BLOCKS][HEAP_SIZE];
	bool heap_lives[HEAP_BLOCKS];
	uint8_t slots[RAW_THREADS][HEAP_SIZE];
	uint32_t owner[OBJECTS], depth[OBJECTS]; /* of mutexes: thread + 1 */
	uint32_t semaphores[OBJECTS];
};

/* Logging */

static void begin_block(struct maker *m, uint32_t t)
{
	struct maker_thread *thread = &m->threads[t];
	struct raw_file *file = &m->run->files[t];
	struct log_block head = {.magic = LOG_MAGIC,
				 .thread = t,
				 .number = thread->blocks++,
				 .time = m->clock,
				 .records = thread->records};

	file->words.n = thread->blocks * RAW_BLOCK_WORDS - RAW_BLOCK_WORDS;
	vec_extend(&file->words, thread->blocks * RAW_BLOCK_WORDS);
	thread->block = (thread->blocks - 1) * RAW_BLOCK_WORDS;
	memcpy(file->words.at + thread->block, &head, sizeof(head));
	file->words.n = thread->block + RAW_HEAD_WORDS;
}

/* Returns its position. */
static uint64_t put(struct maker *m, uint32_t t, const uint64_t *words, uint32_t n)
{
	struct maker_thread *thread = &m->threads[t];
	struct raw_file *file = &m->run->files[t];

	m->clock += 1 + random_below(&m->random, 3);
	/* the room behind the last word is there, and zero: it was extended by a block */
	if (!thread->blocks || file->words.n + n > thread->block + RAW_BLOCK_WORDS)
		begin_block(m, t);
	uint64_t position = file->words.n;

	memcpy(file->words.at + position, words, n * sizeof(*words));
	file->words.n += n;
	thread->records++;
	return position;
}

static void put_mark(struct maker *m, uint32_t t, bool unseen)
{
	uint64_t words[] = {LOG_WORD(unseen ? LOG_UNSEEN : LOG_SEEN, 0, ++m->run->marks), 0};

	put(m, t, words, 2);
	m->threads[t].noted = m->run->marks;
	m->threads[t].inside = unseen;
}

/* Before what is ordered with marks. */
static void note_marks(struct maker *m, uint32_t t)
{
	uint64_t word = LOG_WORD(LOG_MARKS, 0, m->run->marks);

	if (m->threads[t].noted == m->run->marks)
		return;
	put(m, t, &word, 1);
	m->threads[t].noted = m->run->marks;
}

static uint32_t write_version(struct maker *m, uint32_t shard)
{
	uint32_t v = m->version[shard];

	m->version[shard] += 2;
	return v;
}

static void put_time(struct maker *m, uint32_t t)
{
	uint64_t words[] = {LOG_WORD(LOG_TIME, 0, 0), m->clock};

	put(m, t, words, 2);
}

static void put_sync(struct maker *m, uint32_t t, enum log_kind kind, uint64_t object)
{
	uint64_t words[] = {LOG_WORD(kind, 0, write_version(m, log_shard(object))), object, 0, 0};

	put(m, t, words, kind == LOG_SIGNAL ? 4 : 3);
	m->run->records++;
}

/* Accesses */

struct place {
	uint64_t address;
	uint8_t *bytes;
	uint32_t room; /* bytes from here on */
};

static struct place pick_place(struct maker *m, uint32_t t)
{
	uint32_t block = random_below(&m->random, HEAP_BLOCKS);
	uint32_t other = random_below(&m->random, m->run->threads);
	uint32_t offset = random_below(&m->random, HEAP_SIZE);

	if (random_percent(&m->random, 20) && m->heap_lives[block])
		return (struct place){HEAP_BASE + block * 128 + offset, m->heap[block] + offset,
				      HEAP_SIZE - offset};
	if (!random_percent(&m->random, 20))
		other = t;
	if (random_percent(&m->random, 20) && m->threads[other].slot && !m->threads[other].ended)
		return (struct place){STACK_BASE + other * STACK_SIZE + offset,
				      m->slots[other] + offset, HEAP_SIZE - offset};
	offset = random_below(&m->random, m->knobs->words * 8);
	return (struct place){SHARED_BASE + offset, m->shared + offset,
			      m->knobs->words * 8 - offset};
}

static uint64_t put_access(struct maker *m, uint32_t t, enum log_kind kind, uint64_t address,
			   const uint8_t *bytes, uint32_t n, uint32_t version, unsigned flags)
{
	uint64_t words[12] = {LOG_WORD(kind, 0, version), LOG_ACCESS(address, n, flags)};

	memcpy(words + 2, bytes, n);
	return put(m, t, words, 2 + (n + 7) / 8);
}

static void fill(struct maker *m, uint8_t *bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 8) {
		uint64_t value = ++m->value * 0x9e3779b97f4a7c15u;

		memcpy(bytes + i, &value, n - i < 8 ? n - i : 8);
	}
}

static const struct raw_unseen *unseen_of(const struct raw_run *run, uint64_t value)
{
	for (size_t i = run->unseen.n; i-- > 0;)
		if (run->unseen.at[i].value == value)
			return &run->unseen.at[i];
	return NULL;
}

static void step_word(struct maker *m, uint32_t t, bool write)
{
	uint32_t word = random_below(&m->random, m->knobs->words);
	uint64_t address = SHARED_BASE + 8 * (uint64_t)word, value;
	uint32_t shard = log_shard(address), version = m->version[shard];

	note_marks(m, t);
	if (write) {
		fill(m, m->shared + 8 * word, 8);
		m->version[shard] += 2;
		m->threads[t].writes++;
	}
	memcpy(&value, m->shared + 8 * word, 8);
	const struct raw_unseen *u = write ? NULL : unseen_of(m->run, value);

	m->run->seen_later += u && u->thread != t && !u->alone;
	put_access(m, t, write ? LOG_WRITE : LOG_READ, address, m->shared + 8 * word, 8, version,
		   0);
	m->run->records++;
}

static void write_unseen(struct maker *m, uint32_t t)
{
	uint32_t word = random_below(&m->random, m->knobs->words);
	struct raw_unseen u = {.thread = t, .writes = m->threads[t].writes, .alone = true};

	fill(m, m->shared + 8 * word, 8);
	memcpy(&u.value, m->shared + 8 * word, 8);
	for (uint32_t other = 1; other < m->run->threads; other++)
		u.alone &= !m->threads[other].forked;
	vec_push(&m->run->unseen, u);
}

static void step_access(struct maker *m, uint32_t t, bool write)
{
	static const uint32_t sizes[] = {1, 2, 4, 4, 8, 8, 8, 16, 24};
	struct place p = pick_place(m, t);
	struct maker_thread *thread = &m->threads[t];
	uint32_t n = sizes[random_below(&m->random, 9)];
	enum log_kind kind = write ? LOG_WRITE : LOG_READ;

	if (m->knobs->unseen) {
		step_word(m, t, write);
		return;
	}
	if (random_percent(&m->random, 70) && n <= 8) { /* mostly aligned */
		uint32_t back = (uint32_t)(p.address & (n - 1));

		p = (struct place){p.address - back, p.bytes - back, p.room + back};
	}
	n = n < p.room ? n : p.room;
	uint32_t here = LOG_LINE - (p.address & (LOG_LINE - 1));
	uint32_t first = log_shard(p.address), second = log_shard(p.address + n - 1);

	if (write)
		fill(m, p.bytes, n);
	uint32_t v = m->version[first], u = m->version[second];

	if (write) {
		m->version[first] += 2;
		if (here < n && first != second)
			m->version[second] += 2;
	}
	uint64_t position;

	if (here >= n) {
		position = put_access(m, t, kind, p.address, p.bytes, n, v, 0);
	} else {
		position = put_access(m, t, kind, p.address, p.bytes, here, v, LOG_PART);
		put_access(m, t, kind, p.address + here, p.bytes + here, n - here, u, 0);
	}
	m->run->records++;
	if (!write)
		thread->reads[thread->read_count++ % READS_KEPT] = position;
}

static void step_rmw(struct maker *m, uint32_t t)
{
	uint32_t word = random_below(&m->random, m->knobs->words);
	uint64_t address = SHARED_BASE + 8 * (uint64_t)word, old;
	uint64_t words[4] = {LOG_WORD(LOG_RMW, 0, write_version(m, log_shard(address))),
			     LOG_ACCESS(address, 8, 0)};

	memcpy(&old, m->shared + 8 * word, 8);
	words[2] = old;
	fill(m, m->shared + 8 * word, 8);
	memcpy(&words[3], m->shared + 8 * word, 8);
	put(m, t, words, 4);
	m->run->records++;
}

/* A branch, or a value that later ones may depend on. */
static void step_branch(struct maker *m, uint32_t t)
{
	struct maker_thread *thread = &m->threads[t];
	bool value = random_percent(&m->random, 20), fixed = random_percent(&m->random, 5);
	uint64_t words[2] = {LOG_WORD(fixed ? LOG_FIXED : value ? LOG_VALUE : LOG_BRANCH, 0, 0), 7};

	if (thread->read_count && random_percent(&m->random, 50)) {
		uint64_t read =
			thread->reads[random_below(&m->random, thread->read_count) % READS_KEPT];
		uint64_t distance = m->run->files[t].words.n - read;
		uint64_t depend = distance <= LOG_NEAR && random_percent(&m->random, 50)
					  ? LOG_NEAR_WORD(0, distance, 0)
					  : LOG_WORD(LOG_DEPEND, 1, distance);

		if (m->run->files[t].words.n + 3 <= thread->block + RAW_BLOCK_WORDS)
			put(m, t, &depend, 1);
	}
	uint64_t position = put(m, t, words, fixed ? 2 : 1);

	if (fixed || value)
		thread->reads[thread->read_count++ % READS_KEPT] = position;
	else
		m->run->records++;
}

/* A function is called, or left; or several are at once. */
static void step_call(struct maker *m, uint32_t t)
{
	uint64_t word = random_percent(&m->random, 50)
				? LOG_ENTER_WORD((uint64_t)random_below(&m->random, 5) << 40 | 1)
				: LOG_WORD(LOG_LEAVE, 0, random_below(&m->random, 4));

	put(m, t, &word, 1);
}

/* Objects */

/* The versions of the block's lines, as LOG_FREE has them; how many words that takes. */
static uint32_t put_lines(struct maker *m, uint64_t *words)
{
	uint16_t shards[LOG_SHARDS];
	uint32_t count = log_lines(words[1], HEAP_SIZE, shards);

	for (uint32_t i = 0; i < count; i++)
		words[4 + i / 2] |= (uint64_t)write_version(m, shards[i]) << (i % 2 ? 32 : 0);
	words[3] |= (uint64_t)count << 48;
	return (count + 1) / 2;
}

static void step_heap(struct maker *m, uint32_t t)
{
	uint32_t b = random_below(&m->random, HEAP_BLOCKS);
	uint64_t address = HEAP_BASE + b * 128, version = write_version(m, LOG_HEAP);
	uint64_t words[4 + HEAP_SIZE / LOG_LINE] = {
		LOG_WORD(m->heap_lives[b] ? LOG_FREE : LOG_ALLOC, 0, version), address, 0,
		HEAP_SIZE};

	put(m, t, words, m->heap_lives[b] ? 4 + put_lines(m, words) : 4);
	m->heap_lives[b] = !m->heap_lives[b];
	m->run->records++;
}

static void step_slot(struct maker *m, uint32_t t)
{
	struct maker_thread *thread = &m->threads[t];
	uint64_t words[3] = {LOG_WORD(thread->slot ? LOG_STACK_END : LOG_STACK, 0, 0),
			     STACK_BASE + t * STACK_SIZE, HEAP_SIZE};

	/* what others do to the slot is not ordered with this: only by program order if nobody can
	 */
	put(m, t, words, 3);
	thread->slot = !thread->slot;
	m->run->records++;
}

/* Synchronisation */

static void step_mutex(struct maker *m, uint32_t t)
{
	uint32_t o = random_below(&m->random, OBJECTS);
	uint64_t address = MUTEX_BASE + o * 40;

	if (m->owner[o] == t + 1 && random_percent(&m->random, 70)) {
		put_sync(m, t, LOG_RELEASE, address);
		if (!--m->depth[o])
			m->owner[o] = 0;
	} else if (!m->owner[o] || m->owner[o] == t + 1) {
		m->owner[o] = t + 1;
		m->depth[o]++;
		put_sync(m, t, LOG_ACQUIRE, address);
	} else if (random_percent(&m->random, 50)) {
		put_sync(m, t, LOG_TRY_FAIL, address);
	} else {
		put_time(m, t);
	}
}

static void step_semaphore(struct maker *m, uint32_t t)
{
	uint32_t o = random_below(&m->random, OBJECTS);
	uint64_t address = SEM_BASE + o * 32;

	if (random_percent(&m->random, 50)) {
		m->semaphores[o]++;
		put_sync(m, t, LOG_SEM_POST, address);
	} else if (m->semaphores[o]) {
		m->semaphores[o]--;
		put_sync(m, t, LOG_SEM_WAIT, address);
	} else {
		put_sync(m, t, LOG_SEM_FAIL, address);
	}
}

static void put_wait(struct maker *m, uint32_t t, enum log_kind kind, uint32_t condition,
		     uint32_t mutex, bool timed_out)
{
	uint64_t c = COND_BASE + condition * 48, l = MUTEX_BASE + mutex * 40;
	uint32_t v = write_version(m, log_shard(c));
	uint32_t u = log_shard(c) == log_shard(l) ? v : write_version(m, log_shard(l));
	uint64_t words[6] = {LOG_WORD(kind, 0, v), c, 0, l, u, timed_out};

	put(m, t, words, raw_kind_words[kind]);
	m->run->records++;
}

/* Mutex i goes with condition i. */
static void step_wait(struct maker *m, uint32_t t)
{
	uint32_t o = random_below(&m->random, OBJECTS);

	if (m->owner[o] != t + 1 || m->depth[o] != 1)
		return;
	m->owner[o] = m->depth[o] = 0;
	m->threads[t].waits_on = o + 1;
	m->threads[t].signalled = false;
	put_wait(m, t, LOG_WAIT, o, o, false);
	put_time(m, t);
}

static void step_woken(struct maker *m, uint32_t t)
{
	struct maker_thread *thread = &m->threads[t];
	uint32_t o = thread->waits_on - 1;

	if (m->owner[o] || (!thread->signalled && !random_percent(&m->random, 5)))
		return;
	m->owner[o] = t + 1;
	m->depth[o] = 1;
	thread->waits_on = 0;
	put_wait(m, t, LOG_WOKEN, o, o, !thread->signalled);
}

static void step_signal(struct maker *m, uint32_t t)
{
	uint32_t o = random_below(&m->random, OBJECTS);
	bool all = random_percent(&m->random, 30);

	for (uint32_t w = 0; w < m->run->threads; w++)
		if (m->threads[w].waits_on == o + 1 && !m->threads[w].signalled) {
			m->threads[w].signalled = true;
			if (!all)
				break;
		}
	put_sync(m, t, all ? LOG_BROADCAST : LOG_SIGNAL, COND_BASE + o * 48);
}

/* Threads */

static void begin_thread(struct maker *m, uint32_t t)
{
	uint64_t words[4] = {LOG_WORD(LOG_BEGIN, 0, write_version(m, LOG_HEAP)),
			     STACK_BASE + t * STACK_SIZE, STACK_SIZE};

	m->threads[t].forked = true;
	put(m, t, words, 4);
	m->run->records++;
}

static void step_fork(struct maker *m, uint32_t t, uint32_t child)
{
	uint64_t words[3] = {LOG_WORD(LOG_FORK, 0, 0), child, 0};

	put(m, t, words, 3);
	m->run->records++;
	begin_thread(m, child);
}

static bool holds_any(const struct maker *m, uint32_t t)
{
	for (uint32_t o = 0; o < OBJECTS; o++)
		if (m->owner[o] == t + 1)
			return true;
	return false;
}

static void end_thread(struct maker *m, uint32_t t)
{
	if (m->threads[t].slot)
		step_slot(m, t);
	uint64_t word = LOG_WORD(LOG_END, 0, write_version(m, LOG_HEAP));

	put(m, t, &word, 1);
	m->run->records++;
	put_time(m, t);
	m->threads[t].ended = true;
}

static void step_join(struct maker *m, uint32_t t)
{
	for (uint32_t other = 1; other < m->run->threads; other++) {
		uint64_t words[3] = {LOG_WORD(LOG_JOIN, 0, 0), other, 0};

		if (other == t || !m->threads[other].ended || m->threads[other].joined)
			continue;
		m->threads[other].joined = true;
		put(m, t, words, 3);
		m->run->records++;
		return;
	}
}

static void step_thread(struct maker *m, uint32_t t)
{
	uint32_t other = random_below(&m->random, m->run->threads);

	if (!m->threads[other].forked)
		step_fork(m, t, other);
	else if (t && !holds_any(m, t) && random_percent(&m->random, 2))
		end_thread(m, t);
	else
		step_join(m, t);
}

/* In code without hooks, which may take a lock: there are marks around that. */
static void step_inside(struct maker *m, uint32_t t)
{
	uint32_t what = random_below(&m->random, 100);

	if (what < 50) {
		write_unseen(m, t);
	} else if (what < 80) {
		put_mark(m, t, false);
	} else {
		put_mark(m, t, false);
		step_semaphore(m, t);
		put_mark(m, t, true);
	}
}

static void step(struct maker *m, uint32_t t)
{
	uint32_t what = random_below(&m->random, 100);

	if (m->threads[t].inside) {
		step_inside(m, t);
		return;
	}
	if (random_percent(&m->random, 10))
		step_call(m, t);
	if (m->knobs->unseen && !m->threads[t].waits_on && random_percent(&m->random, 10)) {
		put_mark(m, t, true);
		if (m->knobs->at_once) {
			write_unseen(m, t);
			put_mark(m, t, false);
		}
		return;
	}
	if (m->threads[t].waits_on)
		step_woken(m, t);
	else if (what < 40)
		step_access(m, t, false);
	else if (what < 65)
		step_access(m, t, true);
	else if (what < 70 && !m->knobs->unseen)
		step_rmw(m, t);
	else if (what < 78)
		step_branch(m, t);
	else if (what < 81)
		step_heap(m, t);
	else if (what < 83 && m->run->threads == 1)
		step_slot(m, t);
	else if (what < 90)
		step_mutex(m, t);
	else if (what < 93)
		step_semaphore(m, t);
	else if (what < 95)
		step_wait(m, t);
	else if (what < 97)
		step_signal(m, t);
	else
		step_thread(m, t);
}

struct raw_run *raw_run_make(const struct raw_knobs *knobs)
{
	struct maker *m = mem_alloc_zero(1, sizeof(*m));
	struct raw_run *run = mem_alloc_zero(1, sizeof(*run));

	*m = (struct maker){.knobs = knobs, .run = run, .random = random_seeded(knobs->seed)};
	run->threads = knobs->threads;
	m->clock = 1000;
	m->shared = mem_alloc_zero(knobs->words, 8);
	begin_thread(m, 0);
	for (uint32_t i = 0; i < knobs->steps; i++) {
		uint32_t t = random_below(&m->random, run->threads);

		if (knobs->slow && t == 1 && !random_percent(&m->random, 1))
			t = 0;
		if (!m->threads[t].forked || m->threads[t].ended)
			t = 0;
		step(m, t);
	}
	/* the files are whole blocks */
	for (uint32_t t = 0; t < run->threads; t++)
		vec_extend(&run->files[t].words, m->threads[t].blocks * RAW_BLOCK_WORDS);
	mem_free(m->shared);
	mem_free(m);
	return run;
}

void raw_run_free(struct raw_run *run)
{
	for (uint32_t t = 0; t < RAW_THREADS; t++)
		vec_release(&run->files[t].words);
	vec_release(&run->unseen);
	mem_free(run);
}

void raw_run_lend(const struct raw_run *run, struct raw_log *log)
{
	*log = (struct raw_log){.run = {.magic = LOG_MAGIC,
					.version = LOG_VERSION,
					.threads = run->threads,
					.marks = run->marks}};
	for (uint32_t t = 0; t < run->threads; t++)
		raw_lend(log, t, run->files[t].words.at, run->files[t].words.n * 8);
}

void raw_run_cut(struct raw_run *run, uint32_t thread, struct random *r)
{
	struct raw_file *file = &run->files[thread];
	uint64_t blocks = file->words.n / RAW_BLOCK_WORDS;

	if (!blocks)
		return;
	uint64_t block = random_below(r, (uint32_t)blocks);
	const uint64_t *end = file->words.at + (block + 1) * RAW_BLOCK_WORDS;
	uint64_t *w = file->words.at + block * RAW_BLOCK_WORDS + RAW_HEAD_WORDS;
	uint32_t words, records = random_below(r, 2500);
	bool damaged = false;

	while (records-- && (words = raw_record_words(w, end, &damaged)))
		w += words;
	memset(w, 0, (size_t)(file->words.at + file->words.n - w) * sizeof(*w));
}
