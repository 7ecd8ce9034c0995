/* SPDX-License-Identifier: MIT */
#include "record/log/raw.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/pack.h"

const uint8_t raw_kind_words[LOG_KIND_COUNT] = {
#define WORDS_ROW(name, words, writes) [name] = words,
	LOG_KINDS(WORDS_ROW)
#undef WORDS_ROW
};

const bool raw_kind_writes[LOG_KIND_COUNT] = {
#define WRITES_ROW(name, words, writes) [name] = writes,
	LOG_KINDS(WRITES_ROW)
#undef WRITES_ROW
};

static int compare_numbers(const void *a, const void *b)
{
	const struct raw_thread *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void path_in(char *path, size_t room, const char *directory, const char *name)
{
	snprintf(path, room, "%s/%s", directory, name);
}

char *raw_read_file(const char *directory, const char *name, size_t *size, struct err *err)
{
	char path[4096];

	path_in(path, sizeof(path), directory, name);
	FILE *f = fopen(path, "rb");
	VEC(char) text = {0};
	size_t got;

	if (!f) {
		err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
		return NULL;
	}
	do {
		vec_reserve(&text, text.n + 65536);
		got = fread(text.at + text.n, 1, 65535, f);
		text.n += got;
	} while (got);
	bool failed = ferror(f);

	fclose(f);
	if (failed) {
		err_set(err, ERR_SYSTEM, "%s: cannot be read", path);
		vec_release(&text);
		return NULL;
	}
	text.at[text.n] = '\0';
	*size = text.n;
	return text.at;
}

static int read_run(struct raw_log *log, struct err *err)
{
	size_t size;
	char *data = raw_read_file(log->directory, "run", &size, err);

	if (!data)
		return err->code;
	memcpy(&log->run, data, size < sizeof(log->run) ? size : sizeof(log->run));
	mem_free(data);
	if (size < sizeof(log->run) || log->run.magic != LOG_MAGIC)
		return err_set(err, ERR_INPUT, "%s: this is not a recording", log->directory);
	if (log->run.version != LOG_VERSION)
		return err_set(err, ERR_INPUT,
			       "%s: recorded in version %u of the log, and this is version %u: "
			       "build the program again",
			       log->directory, log->run.version, LOG_VERSION);
	return 0;
}

/* How many bytes the block there has, 0: there is none. */
static uint64_t block_size(const struct raw_thread *t, uint64_t at)
{
	struct log_packed packed = {0};
	uint64_t left = t->size - at, size = LOG_BLOCK;

	memcpy(&packed, t->file + at, left < sizeof(packed) ? left : sizeof(packed));
	if (packed.head.magic == LOG_PACKED)
		size = packed.bytes <= LOG_BLOCK ? log_packed_size(packed.bytes) : 0;
	else if (packed.head.magic != LOG_MAGIC)
		return 0;
	return size <= left && packed.head.thread == t->number && packed.head.number == t->at.n
		       ? size
		       : 0;
}

static void find_blocks(struct raw_thread *t)
{
	uint64_t at = 0;

	t->at.n = 0;
	for (uint64_t size; at < t->size && (size = block_size(t, at)); at += size) {
		vec_push(&t->at, at);
		raw_forget(t, t->at.n - 1); /* each has been touched */
	}
	t->blocks = t->at.n;
	vec_push(&t->at, at);
}

static void map_file(struct raw_thread *t, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *map = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return;
	t->file = map;
	t->size = (uint64_t)st.st_size;
}

/* Where in the thread's file the block belongs; false: one before it is missing. */
static bool find_place(const char *path, const struct log_block *head, uint64_t *at)
{
	struct raw_thread t = {.number = head->thread};

	map_file(&t, path);
	find_blocks(&t);
	bool found = head->number <= t.blocks;

	*at = found ? t.at.at[head->number] : 0;
	raw_unmap(&t);
	vec_release(&t.at);
	return found;
}

/* Writes a block to its place in the thread's file. False: there is no space for it. */
static bool place_block(const char *path, const char *data, uint64_t at, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	size_t done = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	for (; n > 0 && done<LOG_BLOCK; done += n> 0 ? (size_t)n : 0)
		n = pwrite(fd, data + done, LOG_BLOCK - done, (off_t)(at + done));
	int error = n < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	if (error == ENOSPC || error == EFBIG || error == EDQUOT)
		return false;
	if (error)
		err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(error));
	return true;
}

/* A tail goes to its place in the thread's file. */
static int place_tail(struct raw_log *log, const char *name, struct err *err)
{
	const char *directory = log->directory;
	char path[4096], thread[32];
	uint64_t at;
	size_t size;

	if (strncmp(name, "tail.", 5))
		return 0;
	char *data = raw_read_file(directory, name, &size, err);

	if (!data)
		return err->code;
	struct log_block head = {0};

	if (size == LOG_BLOCK)
		memcpy(&head, data, sizeof(head));
	if (head.magic == LOG_MAGIC) {
		snprintf(thread, sizeof(thread), "thread.%u", head.thread);
		path_in(path, sizeof(path), directory, thread);
		if (!find_place(path, &head, &at) || !place_block(path, data, at, err))
			log->lost_tails++;
	}
	mem_free(data);
	if (!err->code) {
		path_in(path, sizeof(path), directory, name);
		unlink(path);
	}
	return err->code;
}

static int place_tails(struct raw_log *log, struct err *err)
{
	DIR *d = opendir(log->directory);
	struct dirent *entry;
	int code = 0;

	if (!d)
		return err_set(err, ERR_SYSTEM, "%s: %s", log->directory, strerror(errno));
	while (code == 0 && (entry = readdir(d)))
		code = place_tail(log, entry->d_name, err);
	closedir(d);
	return code;
}

static void note_thread(struct raw_log *log, const char *name)
{
	char *end;

	if (strncmp(name, "thread.", 7))
		return;
	unsigned long number = strtoul(name + 7, &end, 10);

	if (end == name + 7 || *end || number > INT32_MAX)
		return;
	struct raw_thread t = {.number = (uint32_t)number};

	vec_push(&log->threads, t);
}

int raw_open(struct raw_log *log, const char *directory, struct err *err)
{
	struct dirent *entry;

	*log = (struct raw_log){.directory = strdup(directory)};
	if (read_run(log, err) < 0 || place_tails(log, err) < 0)
		return err->code;
	DIR *d = opendir(directory);

	if (!d)
		return err_set(err, ERR_SYSTEM, "%s: %s", directory, strerror(errno));
	while ((entry = readdir(d)))
		note_thread(log, entry->d_name);
	closedir(d);
	if (log->threads.n)
		qsort(log->threads.at, log->threads.n, sizeof(*log->threads.at), compare_numbers);
	return 0;
}

void raw_lend(struct raw_log *log, uint32_t number, const void *data, size_t size)
{
	struct raw_thread t = {.number = number, .file = data, .size = size, .lent = true};

	find_blocks(&t);
	vec_push(&log->threads, t);
}

void raw_release(struct raw_log *log)
{
	for (size_t i = 0; i < log->threads.n; i++) {
		raw_unmap(&log->threads.at[i]);
		vec_release(&log->threads.at[i].at);
	}
	vec_release(&log->threads);
	free(log->directory);
	log->directory = NULL;
}

void raw_map(struct raw_log *log, struct raw_thread *t)
{
	char path[4096], name[32];

	if (t->file || t->lent)
		return;
	snprintf(name, sizeof(name), "thread.%u", t->number);
	path_in(path, sizeof(path), log->directory, name);
	map_file(t, path);
	find_blocks(t);
}

void raw_unmap(struct raw_thread *t)
{
	if (t->file && !t->lent) {
		munmap((void *)t->file, t->size);
		t->file = NULL;
		t->size = 0;
	}
	for (unsigned i = 0; i < RAW_RING; i++) {
		mem_free(t->ring[i]);
		t->ring[i] = NULL;
	}
}

#define FORGET_BLOCKS 64

void raw_forget(struct raw_thread *t, uint64_t block)
{
	if (t->lent || block < FORGET_BLOCKS || block % FORGET_BLOCKS)
		return;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = t->at.at[block - FORGET_BLOCKS];

	from &= ~(page - 1);
	madvise((char *)t->file + from, (t->at.at[block] & ~(page - 1)) - from, MADV_DONTNEED);
}

const struct log_block *raw_block(const struct raw_thread *t, uint64_t block)
{
	return t->file && block < t->blocks ? (const void *)(t->file + t->at.at[block]) : NULL;
}

static void unpack(const struct log_packed *packed, struct raw_words *words)
{
	const uint8_t *bytes = (const uint8_t *)(packed + 1);
	uint32_t n = packed->words, most = RAW_BLOCK_WORDS - RAW_HEAD_WORDS, used;
	uint64_t *to = words->at + RAW_HEAD_WORDS;
	struct pack pack;

	memcpy(words->at, &packed->head, sizeof(packed->head));
	if (n > most)
		used = 0;
	else if (packed->bytes == 8 * n)
		memcpy(to, bytes, 8 * (used = n));
	else
		used = pack_unpack(&pack, bytes, packed->bytes, to, n);
	if (used < n && used < most)
		to[used++] = LOG_KIND_COUNT; /* no record */
	if (used < words->used)
		memset(to + used, 0, 8 * (size_t)(words->used - used));
	words->used = used;
}

const uint64_t *raw_words_in(const struct raw_thread *t, uint64_t block, struct raw_words *words)
{
	const struct log_packed *packed = (const void *)raw_block(t, block);

	if (packed->head.magic == LOG_MAGIC)
		return (const uint64_t *)packed;
	unpack(packed, words);
	words->block = block + 1;
	return words->at;
}

const uint64_t *raw_words(struct raw_thread *t, uint64_t block)
{
	struct raw_words **words = &t->ring[block % RAW_RING];
	const struct log_block *head = raw_block(t, block);

	if (head->magic == LOG_MAGIC)
		return (const uint64_t *)head;
	if (*words && (*words)->block == block + 1)
		return (*words)->at;
	if (!*words)
		*words = mem_alloc_zero(1, sizeof(**words));
	return raw_words_in(t, block, *words);
}

uint32_t raw_odd_record_words(const uint64_t *w, const uint64_t *end, bool *damaged)
{
	if (w >= end || !*w)
		return 0;
	uint8_t kind = LOG_KIND_OF(*w);
	size_t room = (size_t)(end - w), words = 0;

	if (kind == LOG_READ || kind == LOG_WRITE) {
		if (room > 1 && raw_size(w) && raw_size(w) <= LOG_LINE)
			words = 2 + (raw_size(w) + 7) / 8;
	} else if (kind == LOG_MARK) {
		if (room > 2 && w[1] < LOG_BLOCK)
			words = 3 + (w[1] + 7) / 8;
	} else if (kind == LOG_FREE) {
		if (room > 3)
			words = 4 + ((w[3] >> 48) + 1) / 2;
	} else if (kind == LOG_CRASH) {
		if (room > 2)
			words = 3 + (w[1] >> 32);
	} else if (kind < LOG_KIND_COUNT) {
		words = raw_kind_words[kind];
		if (kind == LOG_RMW && room > 1 && (!raw_size(w) || raw_size(w) > 8))
			words = 0;
	}
	if (words && words <= room)
		return (uint32_t)words;
	*damaged = true;
	return 0;
}
