/* SPDX-License-Identifier: MIT */
/*
 * What stands where in a .norn file; all numbers are little-endian. The page for
 * readers of files is doc/norn-trace.5.
 *
 *	header	8 bytes magic, u32 version, u32 hash of the 12 bytes before it
 *	blocks	a struct block_header each, then stored_size bytes
 *	index	the last block: type, offset, first event and count of every block before it,
 *		then, up to its end, the threads that have events and that nobody forks
 *	trailer	8 bytes magic, u64 offset of the index, u64 events, u64 hash of the 24 before it
 *
 * A block of symbols holds records, in varints: a tag (an object class, or one of
 * the TAGs below) and what it says. Numbers of symbols are their order in the file.
 *
 * A block of events holds columns, each for those events that have it, in the order of
 * enum column. A column of numbers is: varint count, u8 width, then width planes, plane
 * i holding byte i of each number. A plane is a u8 encoding, then one byte (PLANE_SAME),
 * count bytes (PLANE_RAW), or a varint size and so many bytes (PLANE_ZSTD).
 */
#ifndef TRACE_BINARY_LAYOUT_H
#define TRACE_BINARY_LAYOUT_H

#include <stdint.h>

#define BINARY_MAGIC "\x89NORN\r\n\n"
#define BINARY_END_MAGIC "NORN-END"
#define BINARY_MAGIC_SIZE 8
#define BINARY_VERSION 3
#define BINARY_VERSION_FIRST 1 /* without COLUMN_SKIP; 2: expressions share no parts */

struct file_header {
	char magic[BINARY_MAGIC_SIZE];
	uint32_t version;
	uint32_t hash;
};

#define BLOCK_MAGIC 0x4b42524eu /* "NRBK" */
#define BLOCK_STORED_MAX ((uint32_t)1 << 30)

enum block_type { BLOCK_SYMBOLS = 1, BLOCK_EVENTS = 2, BLOCK_INDEX = 3 };

struct block_header {
	uint32_t magic;
	uint32_t type;
	uint64_t first; /* event of a block of events */
	uint32_t count; /* of events, records or entries */
	uint32_t stored_size;
	uint64_t payload_hash;
	uint64_t header_hash; /* of all before it */
};

struct file_trailer {
	char magic[BINARY_MAGIC_SIZE];
	uint64_t index_offset;
	uint64_t events;
	uint64_t hash;
};

_Static_assert(sizeof(struct file_header) == 16, "no padding");
_Static_assert(sizeof(struct block_header) == 40, "no padding");
_Static_assert(sizeof(struct file_trailer) == 32, "no padding");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they are");

/* Records of a block of symbols: 0 … CLASS_COUNT - 1 are objects. */
enum { TAG_LOCATION = 16, TAG_BASE = 17, TAG_META = 18, TAG_CONSTANT = 19 };

enum column {
	COLUMN_OP,	 /* enum event_kind, with the OP_ bits below */
	COLUMN_THREAD,	 /* of events without OP_SAME_THREAD */
	COLUMN_VARIABLE, /* the first one of each access */
	COLUMN_OBJECT,	 /* of all other kinds that have one */
	COLUMN_VALUE,	 /* of the first variable, zigzag */
	COLUMN_LOCATION, /* of events with OP_LOCATION: the step from the thread's last one, zigzag
			  */
	COLUMN_SKIP,	 /* skip=, of all events, or of none if nobody has it */
	COLUMN_MORE,	 /* a byte stream: one record for each event with OP_MORE */
	COLUMN_COUNT
};

#define OP_KIND 0x1f
#define OP_MORE_BIT 0x20
#define OP_SAME_THREAD 0x40
#define OP_LOCATION 0x80

enum plane_encoding { PLANE_SAME, PLANE_RAW, PLANE_ZSTD };

/* A record of COLUMN_MORE starts with these, as a varint; then what they announce, in order. */
#define MORE_ORDER 0x01
#define MORE_WRITTEN 0x02
#define MORE_WAIT 0x04 /* lock, and by: the distance back, or 0 */
#define MORE_PARTS 0x08
#define MORE_EXPR 0x10	/* see EXPR_AGAIN_CODE */
#define MORE_READS 0x20 /* distances back */
#define MORE_AT 0x40
#define MORE_ARGS 0x80
#define MORE_SCOPE 0x100
#define MORE_OPAQUE 0x200

/*
 * An expression: how many parts, then these as in the text format, operators before their
 * arguments. A part is a byte, enum expr_op, and a varint: a number, the distance back to a read,
 * how many arguments follow; or of this one how many others were completed behind the part that is
 * meant.
 */
#define EXPR_AGAIN_CODE 0xff

/* Of a function whose loops the compiler is to make vectors of. */
#ifdef __clang__
#define VECTORS
#else
#define VECTORS __attribute__((optimize("O3")))
#endif

#endif
