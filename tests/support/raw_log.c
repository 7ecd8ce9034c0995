/* SPDX-License-Identifier: MIT */
#include "tests/support/raw_log.h"

#include "runtime/pack.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS (LOG_BLOCK / 8)
#define THREADS 512

void raw_log_make(const char *directory, uint64_t limit, uint64_t bytes)
{
	char path[4096];
	struct log_run run = {
		.magic = LOG_MAGIC, .version = LOG_VERSION, .limit = limit, .bytes = bytes};
	mkdir(directory, 0700);
	snprintf(path, sizeof path, "%s/run", directory);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(&run, sizeof run, 1, file) != 1 || fclose(file) != 0)
		abort();
}

/* A table from 64-bit keys to 64-bit values. */
struct map {
	uint64_t *keys, *values; /* a key is stored + 1 */
	size_t room, used;
};

static uint64_t *map_at(struct map *map, uint64_t key)
{
	if (map->used * 2 >= map->room) {
		struct map old = *map;
		map->room = old.room ? old.room * 2 : 1024;
		map->keys = calloc(map->room, 8);
		map->values = calloc(map->room, 8);
		map->used = 0;
		for (size_t i = 0; i < old.room; i++)
			if (old.keys[i])
				*map_at(map, old.keys[i] - 1) = old.values[i];
		free(old.keys);
		free(old.values);
	}
	size_t at = key * 0x9e3779b97f4a7c15u >> 20 & (map->room - 1);
	while (map->keys[at] && map->keys[at] != key + 1)
		at = (at + 1) & (map->room - 1);
	if (!map->keys[at]) {
		map->keys[at] = key + 1;
		map->used++;
	}
	return &map->values[at];
}

static void map_release(struct map *map)
{
	free(map->keys);
	free(map->values);
}

struct thread {
	uint64_t *words;
	uint64_t count; /* of words */
	uint64_t at;
	bool ended;
};

struct checker {
	struct raw_log *log;
	struct thread threads[THREADS];
	uint32_t version[LOG_SHARDS + 1];
	struct map reads;   /* (shard, version): reads that are still to come */
	struct map bytes;   /* address: 256 + byte, 0 unknown */
	struct map objects; /* address: state of a lock, semaphore, once */
	struct map parties, entered;
	struct map inside; /* barrier, thread: its round */
	struct map forked;
};

static void fail(struct checker *c, const char *format, ...)
{
	if (c->log->message[0])
		return;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(c->log->message, sizeof c->log->message, format, arguments);
	va_end(arguments);
}

static uint64_t words_of(const uint64_t *record)
{
	static const uint8_t fixed[] = {
#define LOG_ROW(name, words, writes) words,
		LOG_KINDS(LOG_ROW)
#undef LOG_ROW
	};
	unsigned kind = LOG_KIND_OF(*record);
	switch (kind) {
	case LOG_READ:
	case LOG_WRITE: return 2 + ((record[1] >> 48 & 255) + 7) / 8;
	case LOG_MARK: return 3 + (record[1] + 7) / 8;
	case LOG_FREE: return 4 + ((record[3] >> 48) + 1) / 2;
	case LOG_CRASH: return 3 + (record[1] >> 32);
	default: return fixed[kind];
	}
}

static bool is_write(unsigned kind)
{
	static const uint8_t writes_of[] = {
#define LOG_ROW(name, words, writes) writes,
		LOG_KINDS(LOG_ROW)
#undef LOG_ROW
	};
	return writes_of[kind];
}

static uint64_t address_of(const uint64_t *record)
{
	return record[1] & ((UINT64_C(1) << LOG_ADDRESS_BITS) - 1);
}

static uint32_t shard_of(const uint64_t *record)
{
	switch (LOG_KIND_OF(*record)) {
	case LOG_BEGIN:
	case LOG_END:
	case LOG_ALLOC:
	case LOG_FREE:
	case LOG_MAP:
	case LOG_UNMAP: return LOG_HEAP;
	default: return log_shard(address_of(record));
	}
}

static uint64_t read_key(uint32_t shard, uint32_t version)
{
	return (uint64_t)shard << 32 | version;
}

/* The next block of the file, unpacked. A last one may be there in part: its writer was killed. */
static bool read_block(FILE *file, uint64_t block[WORDS])
{
	static uint8_t bytes[LOG_BLOCK + 2 * LOG_PADDING];
	struct log_packed packed;
	struct pack pack;

	memset(block, 0, LOG_BLOCK);
	if (fread(&packed, sizeof packed, 1, file) != 1)
		return false;
	if (packed.head.magic != LOG_PACKED) {
		memcpy(block, &packed, sizeof packed);
		return fread(block + sizeof packed / 8, LOG_BLOCK - sizeof packed, 1, file) == 1;
	}
	uint64_t size = log_packed_size(packed.bytes) - sizeof packed;
	if (size > sizeof bytes || packed.words > WORDS - sizeof packed.head / 8)
		abort();
	if (fread(bytes, size, 1, file) != 1)
		return false;
	packed.head.magic = LOG_MAGIC;
	memcpy(block, &packed.head, sizeof packed.head);
	uint64_t *words = block + sizeof packed.head / 8;
	if (packed.bytes == 8 * packed.words)
		memcpy(words, bytes, packed.bytes);
	else if (pack_unpack(&pack, bytes, packed.bytes, words, packed.words) != packed.words)
		abort();
	return true;
}

/* The tail is one more block, at its place. */
static FILE *with_tail(const char *directory, uint32_t number)
{
	char path[4096];
	uint64_t block[WORDS];
	FILE *whole = tmpfile();
	static const char *const names[] = {"thread", "tail"};
	bool any = false;
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s.%u", directory, names[i], number);
		FILE *file = fopen(path, "rb");
		any |= file != NULL;
		while (file && read_block(file, block)) {
			struct log_block *head = (struct log_block *)block;
			if (i == 1 && head->magic)
				fseek(whole, (long)(head->number * LOG_BLOCK), SEEK_SET);
			if (i == 0 || head->magic)
				fwrite(block, LOG_BLOCK, 1, whole);
		}
		if (file)
			fclose(file);
	}
	rewind(whole);
	if (!any)
		fclose(whole);
	return any ? whole : NULL;
}

static bool leads_before(uint64_t word, uint64_t position)
{
	uint32_t high = LOG_HIGH_OF(word), site = LOG_SITE_OF(word), distances[3];
	switch (LOG_KIND_OF(word)) {
	case LOG_DEPEND: return site < LOG_HERE && high > position;
	case LOG_BRANCH:
	case LOG_VALUE:
		log_distances(high, distances);
		return distances[0] > position || distances[1] > position ||
		       distances[2] > position;
	case LOG_DEPENDS:
		for (unsigned i = 0; i < 3; i++)
			if (LOG_NEAR_OF(word, i) > position)
				return true;
		return false;
	default: return false;
	}
}

/* Reads a file, checks blocks and records, and leaves the records without blocks. */
static bool load_thread(struct checker *c, const char *directory, uint32_t number)
{
	struct thread *t = &c->threads[number];
	FILE *file = with_tail(directory, number);
	if (!file)
		return false;
	uint64_t block[WORDS], records = 0, last_time = 0;
	size_t room = 0;
	bool ended = false;
	for (uint64_t number_of_block = 0; fread(block, LOG_BLOCK, 1, file) == 1;
	     number_of_block++) {
		struct log_block *head = (struct log_block *)block;
		if (head->magic == 0) {
			ended = true;
			continue;
		}
		if (ended || head->magic != LOG_MAGIC || head->thread != number ||
		    head->number != number_of_block || head->records != records ||
		    head->time < last_time)
			fail(c, "thread %u: bad head of block %lu", number, number_of_block);
		last_time = head->time;
		uint64_t at = sizeof *head / 8;
		while (at < WORDS && block[at]) {
			unsigned kind = LOG_KIND_OF(block[at]);
			if (kind >= LOG_KIND_COUNT || at + words_of(block + at) > WORDS) {
				fail(c, "thread %u: bad record in block %lu, kind %u", number,
				     number_of_block, kind);
				break;
			}
			if (leads_before(block[at], number_of_block * WORDS + at))
				fail(c, "thread %u: a distance leads before the log", number);
			if (kind == LOG_TIME && block[at + 1] < last_time)
				fail(c, "thread %u: time goes back", number);
			if (kind == LOG_TIME)
				last_time = block[at + 1];
			at += words_of(block + at);
			records++;
		}
		uint64_t used = at - sizeof *head / 8;
		if (t->count + used > room) {
			room = (t->count + used) * 2;
			t->words = realloc(t->words, room * 8);
		}
		memcpy(t->words + t->count, block + sizeof *head / 8, used * 8);
		t->count += used;
	}
	fclose(file);
	c->log->records += records;
	return true;
}

static void count_reads(struct checker *c)
{
	for (uint32_t i = 0; i < c->log->threads; i++) {
		struct thread *t = &c->threads[i];
		for (uint64_t at = 0; at < t->count; at += words_of(t->words + at)) {
			uint64_t *record = t->words + at;
			c->log->count[LOG_KIND_OF(*record)]++;
			if (LOG_KIND_OF(*record) == LOG_READ)
				++*map_at(&c->reads,
					  read_key(shard_of(record), LOG_HIGH_OF(*record)));
		}
	}
}

static void touch(struct checker *c, uint32_t thread, const uint64_t *record)
{
	unsigned kind = LOG_KIND_OF(*record), size = record[1] >> 48 & 255;
	uint64_t address = address_of(record);
	const uint8_t *bytes = (const uint8_t *)(record + 2);
	if (address / LOG_LINE != (address + size - 1) / LOG_LINE)
		fail(c, "thread %u: an access crosses a line", thread);
	for (unsigned i = 0; i < size; i++) {
		uint64_t *byte = map_at(&c->bytes, address + i);
		if (kind != LOG_WRITE && *byte && *byte != 256u + bytes[i])
			fail(c, "thread %u reads %u at %#lx, which holds %u", thread, bytes[i],
			     address + i, (unsigned)*byte & 255);
		*byte = 256u + (kind == LOG_RMW ? bytes[8 + i] : bytes[i]);
	}
}

/* What is there now is something new. */
static void forget(struct checker *c, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < c->bytes.room; i++)
		if (c->bytes.keys[i] && c->bytes.keys[i] - 1 - address < size)
			c->bytes.values[i] = 0;
}

/* Locks: 0 free, thread + 1 held, with the depth above; shared holders counted above that. */
#define OWNER(state) ((uint32_t)(state)&0xffff)
#define DEPTH UINT64_C(0x10000)
#define SHARED UINT64_C(0x100000000)

static void lock_event(struct checker *c, uint32_t thread, unsigned kind, uint64_t lock)
{
	uint64_t *state = map_at(&c->objects, lock);
	switch (kind) {
	case LOG_ACQUIRE:
	case LOG_WOKEN:
		if (*state && OWNER(*state) != thread + 1)
			fail(c, "thread %u takes a lock of %u", thread, OWNER(*state) - 1);
		*state = (*state & ~UINT64_C(0xffff)) + DEPTH + thread + 1;
		break;
	case LOG_RELEASE:
	case LOG_WAIT:
		if (OWNER(*state) != thread + 1)
			fail(c, "thread %u gives back a lock of %u", thread, OWNER(*state) - 1);
		*state -= DEPTH;
		if (*state < DEPTH)
			*state = 0;
		break;
	case LOG_ACQUIRE_SHARED:
		if (OWNER(*state))
			fail(c, "thread %u shares a lock of %u", thread, OWNER(*state) - 1);
		*state += SHARED;
		break;
	case LOG_RELEASE_SHARED:
		if (*state < SHARED)
			fail(c, "thread %u gives back a lock that nobody shares", thread);
		*state -= SHARED;
		break;
	case LOG_TRY_FAIL:
		if (!*state || OWNER(*state) == thread + 1)
			fail(c, "thread %u fails to take a lock that is free", thread);
		break;
	case LOG_TRY_FAIL_SHARED:
		if (!OWNER(*state) || OWNER(*state) == thread + 1)
			fail(c, "thread %u fails to share a lock that nobody holds", thread);
		break;
	}
}

static void sem_event(struct checker *c, uint32_t thread, const uint64_t *record)
{
	uint64_t *count = map_at(&c->objects, record[1]);
	switch (LOG_KIND_OF(*record)) {
	case LOG_SEM_INIT: *count = record[3]; break;
	case LOG_SEM_POST: ++*count; break;
	case LOG_SEM_WAIT:
		if (*count == 0)
			fail(c, "thread %u takes from an empty semaphore", thread);
		--*count;
		break;
	default:
		if (*count)
			fail(c, "thread %u fails at a semaphore of %lu", thread, *count);
	}
}

static void barrier_event(struct checker *c, uint32_t thread, const uint64_t *record)
{
	uint64_t *parties = map_at(&c->parties, record[1]);
	uint64_t *entered = map_at(&c->entered, record[1]);
	uint64_t *inside = map_at(&c->inside, record[1] * THREADS + thread);
	switch (LOG_KIND_OF(*record)) {
	case LOG_BARRIER_INIT:
		*parties = record[3];
		*map_at(&c->entered, record[1]) = 0;
		break;
	case LOG_BARRIER_ENTER:
		if (*inside)
			fail(c, "thread %u is at a barrier twice", thread);
		*inside = 1 + (*entered)++ / *parties;
		break;
	default:
		if (!*inside || *entered < *inside * *parties)
			fail(c, "thread %u leaves a barrier before all have come", thread);
		*inside = 0;
	}
}

static void once_event(struct checker *c, uint32_t thread, const uint64_t *record)
{
	uint64_t *state = map_at(&c->objects, record[1]);
	unsigned kind = LOG_KIND_OF(*record);
	uint64_t want = kind == LOG_ONCE_BEGIN ? 0 : kind == LOG_ONCE_END ? 1 : 2;
	if (*state != want)
		fail(c, "thread %u: once in state %lu, not %lu", thread, *state, want);
	*state = kind == LOG_ONCE_BEGIN ? 1 : 2;
}

static void happen(struct checker *c, uint32_t number, const uint64_t *record)
{
	struct thread *t = &c->threads[number];
	switch (LOG_KIND_OF(*record)) {
	case LOG_READ:
	case LOG_WRITE:
	case LOG_RMW: touch(c, number, record); break;
	case LOG_BEGIN: forget(c, record[1], record[2]); break;
	case LOG_END: t->ended = true; break;
	case LOG_FORK: *map_at(&c->forked, record[1]) = 1; break;
	case LOG_ACQUIRE:
	case LOG_RELEASE:
	case LOG_ACQUIRE_SHARED:
	case LOG_RELEASE_SHARED:
	case LOG_TRY_FAIL:
	case LOG_TRY_FAIL_SHARED: lock_event(c, number, LOG_KIND_OF(*record), record[1]); break;
	case LOG_WAIT:
	case LOG_WOKEN: lock_event(c, number, LOG_KIND_OF(*record), record[3]); break;
	case LOG_INIT: *map_at(&c->objects, record[1]) = 0; break;
	case LOG_SEM_INIT:
	case LOG_SEM_POST:
	case LOG_SEM_WAIT:
	case LOG_SEM_FAIL: sem_event(c, number, record); break;
	case LOG_BARRIER_INIT:
	case LOG_BARRIER_ENTER:
	case LOG_BARRIER_EXIT: barrier_event(c, number, record); break;
	case LOG_ONCE_BEGIN:
	case LOG_ONCE_END:
	case LOG_ONCE_PASS: once_event(c, number, record); break;
	case LOG_ALLOC:
	case LOG_MAP: forget(c, record[1], record[3] & ~LOG_ZEROED); break;
	}
}

static bool shard_ready(struct checker *c, uint32_t shard, uint32_t version)
{
	return c->version[shard] == version && *map_at(&c->reads, read_key(shard, version)) == 0;
}

/* A block's lines are all ready, or it is not given back; then they have their next version. */
static bool take_lines(struct checker *c, const uint64_t *record)
{
	uint64_t size = record[3] & ((UINT64_C(1) << 48) - 1);
	const uint32_t *versions = (const uint32_t *)(record + 4);
	uint16_t shards[LOG_SHARDS];
	uint32_t n = log_lines(record[1], size, shards);
	if (n != record[3] >> 48)
		fail(c, "a block of %lu bytes is given back with %lu shards", size,
		     record[3] >> 48);
	for (uint32_t i = 0; i < n; i++)
		if ((i && shards[i] <= shards[i - 1]) || !shard_ready(c, shards[i], versions[i]))
			return false;
	for (uint32_t i = 0; i < n; i++)
		c->version[shards[i]] += 2;
	return true;
}

/* Whether the next record of the thread can happen now; then it has. */
static bool step(struct checker *c, uint32_t number)
{
	struct thread *t = &c->threads[number];
	uint64_t *record = t->words + t->at;
	unsigned kind = LOG_KIND_OF(*record);
	uint32_t version = LOG_HIGH_OF(*record), shard = shard_of(record);
	if (t->at == 0 && number && !*map_at(&c->forked, number))
		return false;
	if (kind == LOG_JOIN && record[1] < THREADS && !c->threads[record[1]].ended)
		return false;
	if (kind == LOG_READ) {
		if (c->version[shard] != version)
			return false;
		--*map_at(&c->reads, read_key(shard, version));
	} else if (kind == LOG_WAIT || kind == LOG_WOKEN) {
		uint32_t mutex = log_shard(record[3]);
		if (!shard_ready(c, shard, version) || !shard_ready(c, mutex, (uint32_t)record[4]))
			return false;
		c->version[shard] += 2;
		if (mutex != shard)
			c->version[mutex] += 2;
	} else if (is_write(kind)) {
		if (!shard_ready(c, shard, version) || (kind == LOG_FREE && !take_lines(c, record)))
			return false;
		c->version[shard] += 2;
	}
	happen(c, number, record);
	t->at += words_of(record);
	return true;
}

static void replay(struct checker *c)
{
	for (bool moved = true; moved && !c->log->message[0];) {
		moved = false;
		for (uint32_t i = 0; i < c->log->threads; i++)
			while (c->threads[i].at < c->threads[i].count && !c->log->message[0] &&
			       step(c, i))
				moved = true;
	}
	for (uint32_t i = 0; i < c->log->threads; i++) {
		struct thread *t = &c->threads[i];
		if (t->at == t->count)
			continue;
		c->log->left++;
		if (!c->log->run.stop)
			fail(c, "thread %u is stuck at word %lu, kind %u, version %u, shard at %u",
			     i, t->at, LOG_KIND_OF(t->words[t->at]), LOG_HIGH_OF(t->words[t->at]),
			     c->version[shard_of(t->words + t->at)]);
	}
}

struct raw_log raw_log_check(const char *directory)
{
	struct raw_log log = {0};
	struct checker *c = calloc(1, sizeof *c);
	c->log = &log;
	char path[4096];
	snprintf(path, sizeof path, "%s/run", directory);
	FILE *file = fopen(path, "rb");
	if (!file || fread(&log.run, sizeof log.run, 1, file) != 1)
		fail(c, "%s cannot be read", path);
	if (file)
		fclose(file);
	log.threads = log.run.threads < THREADS ? log.run.threads : THREADS;
	for (uint32_t i = 0; i < log.threads; i++)
		log.files += load_thread(c, directory, i);
	if (!log.message[0]) {
		count_reads(c);
		replay(c);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		free(c->threads[i].words);
	map_release(&c->reads);
	map_release(&c->bytes);
	map_release(&c->objects);
	map_release(&c->parties);
	map_release(&c->entered);
	map_release(&c->inside);
	map_release(&c->forked);
	free(c);
	return log;
}
