/* SPDX-License-Identifier: MIT */
/*
 * The objects of a run: who is born and who dies with each record. Both passes over the log follow
 * it, and since the order of the log is the same, so are the numbers.
 *
 * A region is memory that other objects are made in: a thread's stack and thread-local memory, a
 * mapping; region 0 is all the rest, globals above all, and lives for ever. Heap blocks and stack
 * slots are blocks. An object that is born where others were ends these.
 */
#ifndef RECORD_MERGE_OBJECTS_H
#define RECORD_MERGE_OBJECTS_H

#include "record/merge/merge.h"

enum object_kind { OBJECT_STATIC, OBJECT_THREAD, OBJECT_MAP, OBJECT_HEAP, OBJECT_STACK };

struct object {
	uint32_t id; /* in the order of birth; 0: region 0 */
	uint8_t kind;
	uint32_t thread; /* that made it */
	uint32_t site;	 /* OBJECT_STACK */
	uint64_t pc;	 /* OBJECT_HEAP, OBJECT_MAP */
	bool zeroed;	 /* likewise: all of it was 0 */
	uint32_t note;	 /* what `born` left there */
	uint64_t address, size;
};

/*
 * A counter that only the log has (runtime/annotate.c): it is 0 at first, nobody else writes it,
 * and it is there whoever comes first.
 */
static inline bool object_is_hidden(const struct object *o)
{
	return o->kind == OBJECT_MAP && !o->pc && o->size == 8;
}

struct objects;

/*
 * `born` is called before the object is there, `dies` before it goes. Why: the record; NULL at the
 * end of its thread, or if another object took its place.
 */
struct objects_calls {
	void (*born)(void *context, struct object *o);
	void (*dies)(void *context, const struct object *o, const struct merged *why);
};

struct objects *objects_new(const struct objects_calls *calls, void *context);
void objects_free(struct objects *o);

/* Looks at a record; only some kinds matter. */
void objects_follow(struct objects *o, const struct merged *r);
static inline bool objects_concern(uint8_t kind)
{
	return kind == LOG_BEGIN || kind == LOG_END || (kind >= LOG_ALLOC && kind <= LOG_STACK_END);
}

/* The region that the address is in: the latest one, 0 if none. */
uint32_t objects_region(const struct objects *o, uint64_t address);
/* The block or mapping that holds the address; false if there is none. */
bool objects_find(struct objects *o, uint64_t address, struct object *found);
/* Ends all that lives, blocks before regions. */
void objects_finish(struct objects *o);

#endif
