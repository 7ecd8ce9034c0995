/* SPDX-License-Identifier: MIT */
/*
 * What was passed by. While a thread has read nothing that could be otherwise, all that it computes
 * is fixed, and most of it is never asked for. So the writer passes such stretches of the log by
 * (pass.c). Whoever asks for a value there later gets it from the log.
 */
#ifndef RECORD_WRITE_PAST_H
#define RECORD_WRITE_PAST_H

#include "record/merge/merge.h"
#include "record/write/terms.h"

/* Positions of records, and the branch that had settled all before them. */
struct past_stretch {
	uint64_t from, to, settled;
};

#define PAST_MOST ((size_t)1 << 16) /* stretches of a thread */
#define PAST_KNOWN 64

struct past_value {
	uint64_t position; /* 0: none */
	struct value value;
};

/* What was found out there; most threads are never asked. */
struct past_found {
	struct past_value known[PAST_KNOWN]; /* the latest ones that were computed, by hash */
	uint64_t block;			     /* + 1: it is known where its records start */
	uint64_t starts[RAW_BLOCK_WORDS / 64];
	const uint64_t *first; /* of its words */
	struct raw_words words;
};

struct past {
	const struct merge *merge; /* where the thread's log is */
	uint32_t thread;
	VEC(struct past_stretch) at;
	struct past_found *found; /* NULL: nothing yet */
	unsigned depth, left;	  /* of values that one is computed from; how many more may be */
};

void past_add(struct past *p, uint64_t from, uint64_t to, uint64_t settled);
void past_release(struct past *p);

/* Whether such a record may start at this position. */
bool past_has(const struct past *p, uint64_t position);
/* The record that starts at this position, if it was passed by; else NULL. Stays until the next
 * call. */
const uint64_t *past_record(struct past *p, uint64_t position);
/* How many LOG_DEPEND and LOG_DEPENDS stand right before the record that was found last. */
uint32_t past_depends(const struct past *p, uint64_t position);

/* Where such a value is, or may be noted; a record there was found before. */
static inline struct past_value *past_known(struct past *p, uint64_t position)
{
	return &p->found->known[(position ^ position >> 6) % PAST_KNOWN];
}

#endif
