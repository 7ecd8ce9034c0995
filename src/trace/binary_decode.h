/* SPDX-License-Identifier: MIT */
/*
 * The inside of blocks: from bytes that fit their checksum to symbols and events. Bytes that make
 * no sense are refused, never trusted.
 */
#ifndef TRACE_BINARY_DECODE_H
#define TRACE_BINARY_DECODE_H

#include "trace/binary_layout.h"
#include "trace/expr_build.h"
#include "trace/symbols.h"

#include <zstd.h>

/* Reading a payload: after a step beyond the end, `bad` stays set and all is 0. */
struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline uint64_t take_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->bad = true;
	return 0;
}

static inline uint8_t take_byte(struct cursor *c)
{
	if (c->at < c->end)
		return *c->at++;
	c->bad = true;
	return 0;
}

static inline const uint8_t *take_bytes(struct cursor *c, uint64_t size)
{
	const uint8_t *at = c->at;

	if (size > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		return NULL;
	}
	c->at += size;
	return at;
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Room to read a whole word behind the last number of a column. */
#define SLACK 8

struct decoder {
	struct symbols *symbols;
	ZSTD_DCtx *zstd;
	uint32_t version;    /* of the file */
	bool skip_values;    /* of events: they are 0, but in parts */
	VEC(uint8_t) planes; /* a column's planes, decompressed */
	VEC(uint8_t) ops;
	VEC(uint8_t) bytes;		     /* COLUMN_MORE, or the records of symbols */
	VEC(uint32_t) numbers[COLUMN_COUNT]; /* the columns that hold objects */
	VEC(uint64_t) values;
	VEC(struct event) events;
	VEC(uint32_t) last_location; /* of each thread, in the block */
	uint64_t access;	     /* counts those with parts; an event may be read again */
	VEC(uint64_t) last_access;   /* of each variable: no access names it twice */
	struct expr_reader expr;
	struct arena more;
};

/* Decodes a plane of `size` bytes to `to`; NULL: skips it. */
void decoder_plane(struct decoder *d, struct cursor *c, uint8_t *to, size_t size);

int decoder_init(struct decoder *d, struct symbols *symbols);
void decoder_release(struct decoder *d);

/* The names of variables can be taken apart from the rest: they are most of it, and seldom asked
 * for. */
enum symbols_part { SYMBOLS_ALL, SYMBOLS_UNNAMED, SYMBOLS_NAMES };

/*
 * The payload of a block, all of it; false if it makes no sense. Names of objects are not looked
 * up yet: symbols_check is for the caller, once for all blocks, as its table then is made once.
 * SYMBOLS_NAMES is for blocks that were read as SYMBOLS_UNNAMED: the rest is skipped.
 */
bool decoder_symbols(struct decoder *d, struct cursor *c, uint32_t count, enum symbols_part part);
/* To d->events, the first of which has that number. */
bool decoder_events(struct decoder *d, struct cursor *c, size_t n, uint64_t first);

#endif
