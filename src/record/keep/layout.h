/* SPDX-License-Identifier: MIT */
/*
 * What the first pass over a log found out, for the second to write the trace: which memory is
 * kept, cut into which variables, and what their first values are.
 *
 * A granule is 8 aligned bytes. Its pieces are the byte ranges between `cuts` (bit i: between byte
 * i - 1 and byte i); a piece with some byte in `bytes` is a variable, numbered from `first` on.
 * Variables of an object follow each other.
 */
#ifndef RECORD_KEEP_LAYOUT_H
#define RECORD_KEEP_LAYOUT_H

#include "record/merge/objects.h"

struct layout_granule {
	uint64_t address;
	uint32_t first;
	uint8_t cuts, bytes;
	bool beneath; /* of a region, where a block was born meanwhile */
	bool handed;  /* as good as a constant if who wrote it was certain: handed.h */
};

struct layout_variable {
	uint64_t address;
	int64_t init;
	uint32_t site; /* of the first access that starts here, 0: none known */
	uint8_t size;
	bool has_init, benign;
};

/* Granules in a row that are read, and that nobody writes once there are threads. */
struct layout_run {
	uint64_t address, count;
};

struct layout_object {
	struct object object;
	size_t granules, granule_count; /* the first one in layout.granules, and how many */
	size_t runs, run_count;
	uint32_t variables, variable_count;
};

/* A block that was freed: by whom and where; and where it was allocated. */
struct layout_block {
	uint64_t address; /* that is spoken of, in it */
	uint64_t made, freed;
	uint32_t made_by, freed_by;
};

/* An access to memory that was free at that time, or another LOG_FREE: a bug that this run had. */
struct layout_dangling {
	uint8_t kind; /* enum log_kind */
	uint32_t site;
	uint64_t pc; /* of the call, if site is 0 */
	uint32_t thread;
	struct layout_block block;
};

#define LAYOUT_FRAMES 24

/* A thread that got a signal which ended the program. */
struct layout_crash {
	uint32_t thread, signal;
	uint64_t address;	   /* of a fault */
	struct layout_block freed; /* which was there; .freed 0: nothing that is known */
	uint32_t frame_count;
	uint64_t frames[LAYOUT_FRAMES];
	uint32_t behind; /* the site of the thread's access or branch before, 0: not known */
};

struct layout {
	VEC(struct layout_object) objects; /* by id */
	VEC(struct layout_granule) granules;
	VEC(struct layout_variable) variables;
	VEC(struct layout_run) runs;
	VEC(struct layout_dangling) dangling; /* the first few places */
	VEC(struct layout_crash) crashes;
	uint64_t dangling_count;
	bool foreign;  /* some thread was forked by nobody */
	bool late;     /* the recording began while the program ran; before the survey */
	bool has_past; /* likewise, or when a library with hooks was loaded: memory was there before
			*/
};

void layout_release(struct layout *layout);

/* Everybody was certain: granules that were handed over become runs. */
void layout_settle(struct layout *layout);

/* Bit b of the result: byte b of a granule lies within [from, from + size). */
uint8_t layout_bytes(uint64_t granule, uint64_t from, uint64_t size);
/* The bytes of the piece that starts at byte b. */
static inline unsigned layout_piece_size(uint8_t cuts, unsigned b)
{
	unsigned rest = (unsigned)cuts >> (b + 1);

	return rest ? (unsigned)__builtin_ctz(rest) + 1 : 8 - b;
}

#endif
