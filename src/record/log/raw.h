/* SPDX-License-Identifier: MIT */
/*
 * The raw log of a run as the merge sees it (runtime/log.h): files, blocks, records. Nothing in it
 * is trusted: a block or record that makes no sense ends its thread's log there.
 *
 * Files are mapped when first looked at and given back when done with, and few blocks of a thread
 * are unpacked at a time, so that what is in memory follows where the merge stands, not how long
 * the log is.
 */
#ifndef RECORD_LOG_RAW_H
#define RECORD_LOG_RAW_H

#include "base/err.h"
#include "base/mem.h"
#include "runtime/log.h"

#include <stdbool.h>
#include <stddef.h>

#define RAW_BLOCK_WORDS (LOG_BLOCK / sizeof(uint64_t))
#define RAW_HEAD_WORDS (sizeof(struct log_block) / sizeof(uint64_t))

/* Blocks of a thread that can be looked at together, if one comes right behind the other. */
#define RAW_RING 4

/* A block that was packed. What is behind its words is 0. */
struct raw_words {
	uint64_t block; /* + 1; 0: none */
	uint32_t used;
	uint64_t at[RAW_BLOCK_WORDS];
};

struct raw_thread {
	uint32_t number;
	const char *file; /* NULL: not mapped now */
	uint64_t size;	  /* of that */
	uint64_t blocks;
	VEC(uint64_t) at; /* where they begin */
	struct raw_words *ring[RAW_RING];
	bool lent; /* the memory is the caller's */
};

struct raw_log {
	char *directory; /* NULL: everything is lent */
	struct log_run run;
	uint32_t lost_tails;		/* ends of threads' logs that there was no space for */
	VEC(struct raw_thread) threads; /* by number */
};

int raw_open(struct raw_log *log, const char *directory, struct err *err);
/* A thread whose blocks stand in memory; for tests. In the order of their numbers. */
void raw_lend(struct raw_log *log, uint32_t number, const void *data, size_t size);
void raw_release(struct raw_log *log);

/* Does nothing if it is mapped. If that cannot be done, the thread has no blocks. */
void raw_map(struct raw_log *log, struct raw_thread *t);
void raw_unmap(struct raw_thread *t);
/* The blocks before this one are not needed any more. */
void raw_forget(struct raw_thread *t, uint64_t block);

/* The header of a block that was begun, NULL if there is none: the log ends before. */
const struct log_block *raw_block(const struct raw_thread *t, uint64_t block);
/*
 * The words of a block that is there, with its header: RAW_BLOCK_WORDS. They stay until the block
 * RAW_RING behind it is asked for. Where it cannot be unpacked, there is a record that makes no
 * sense.
 */
const uint64_t *raw_words(struct raw_thread *t, uint64_t block);
/* Likewise: they stay until `words` is used again. */
const uint64_t *raw_words_in(const struct raw_thread *t, uint64_t block, struct raw_words *words);

extern const uint8_t raw_kind_words[LOG_KIND_COUNT];
extern const bool raw_kind_writes[LOG_KIND_COUNT];

static inline uint64_t raw_address(const uint64_t *w)
{
	return w[1] & (((uint64_t)1 << LOG_ADDRESS_BITS) - 1);
}

static inline uint32_t raw_size(const uint64_t *w)
{
	return (uint32_t)(w[1] >> 48) & 0xff;
}

static inline bool raw_goes_on(const uint64_t *w)
{
	return w[1] >> 56 & LOG_PART;
}

/* Is an access a later piece of one that began in another record? */
static inline bool raw_is_loose(const uint64_t *w)
{
	return w[1] >> 56 & LOG_LOOSE;
}

/* Sizes up to 8, and more as if it were 8. */
static inline uint64_t raw_low_bytes(uint64_t value, uint32_t size)
{
	return size < 8 ? value & (((uint64_t)1 << (8 * size)) - 1) : value;
}

/* The n bytes (at most 8) behind the first `from` of a row of words, as a number. */
static inline uint64_t raw_bytes(const uint64_t *words, unsigned from, unsigned n)
{
	unsigned shift = 8 * (from & 7);
	uint64_t value = words[from / 8] >> shift;

	if (shift + 8 * n > 64)
		value |= words[from / 8 + 1] << (64 - shift);
	return raw_low_bytes(value, n);
}

/* The same for records that are rare, or at the end of a block, or damaged. */
uint32_t raw_odd_record_words(const uint64_t *w, const uint64_t *end, bool *damaged);

/* Words of the record at w, 0 if none starts here: the end, or damage (then *damaged is set). */
static inline uint32_t raw_record_words(const uint64_t *w, const uint64_t *end, bool *damaged)
{
	if (end - w > (ptrdiff_t)(2 + LOG_LINE / 8)) {
		uint8_t kind = LOG_KIND_OF(*w);
		uint32_t size = raw_size(w);

		if ((kind == LOG_READ || kind == LOG_WRITE) && size && size <= LOG_LINE)
			return 2 + (size + 7) / 8;
		if (kind < LOG_KIND_COUNT && kind != LOG_RMW && raw_kind_words[kind])
			return raw_kind_words[kind];
	}
	return raw_odd_record_words(w, end, damaged);
}

/* Reads a whole file; NULL and ERR_SYSTEM if that fails. The caller frees it. */
char *raw_read_file(const char *directory, const char *name, size_t *size, struct err *err);

#endif
