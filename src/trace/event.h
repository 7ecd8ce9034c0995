/* SPDX-License-Identifier: MIT */
/*
 * Events: what happened, in the order in which it happened (doc/model.md).
 *
 * An event is 32 bytes. What few events have (a second value, a dependence, an
 * expression, further parts) stands behind `more`, which is NULL for the rest.
 * Events, and all they point to, belong to the batch that the reader returned
 * and live until its next call. Objects are numbers in `struct symbols`, one
 * series for each class.
 */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* class, name, what messages call one of them */
/* clang-format off */
#define OBJECT_CLASSES(row) \
	row(CLASS_THREAD, "threads", "thread") \
	row(CLASS_VARIABLE, "variables", "variable") \
	row(CLASS_LOCK, "locks", "lock") \
	row(CLASS_CONDITION, "conditions", "condition") \
	row(CLASS_BARRIER, "barriers", "barrier") \
	row(CLASS_SEMAPHORE, "semaphores", "semaphore") \
	row(CLASS_ONCE, "onces", "once") \
	row(CLASS_MARK, "marks", "mark")
/* clang-format on */

enum object_class {
#define CLASS_ROW(name, plural, singular) name,
	OBJECT_CLASSES(CLASS_ROW)
#undef CLASS_ROW
		CLASS_COUNT,
	CLASS_NONE = CLASS_COUNT, /* the event has no object */
};

/*
 * The order is the binary format's: new kinds go at the end.
 * EV_ACCESS: may cover several variables.  EV_RETURNS / EV_STORES: reads / changes
 * memory.  EV_VALUE: a value stands behind each variable.  EV_DEPENDS: may say
 * reads= or carry an expression.  EV_BLOCKS: the call may have to wait.  EV_ARM: may
 * stand in the scope of a branch, where a thread may skip it.
 */
#define EV_ACCESS 1
#define EV_RETURNS 2
#define EV_STORES 4
#define EV_VALUE 8
#define EV_DEPENDS 16
#define EV_BLOCKS 32
#define EV_ARM 64

/* clang-format off */
#define EVENT_KINDS(row) \
	row(EV_FORK, "fork", CLASS_THREAD, 0) \
	row(EV_BEGIN, "begin", CLASS_NONE, 0) \
	row(EV_END, "end", CLASS_NONE, 0) \
	row(EV_JOIN, "join", CLASS_THREAD, EV_BLOCKS) \
	row(EV_READ, "read", CLASS_VARIABLE, EV_ACCESS | EV_RETURNS | EV_VALUE | EV_ARM) \
	row(EV_WRITE, "write", CLASS_VARIABLE, \
	    EV_ACCESS | EV_STORES | EV_VALUE | EV_DEPENDS | EV_ARM) \
	row(EV_RMW, "rmw", CLASS_VARIABLE, \
	    EV_ACCESS | EV_RETURNS | EV_STORES | EV_VALUE | EV_DEPENDS | EV_ARM) \
	row(EV_ACQUIRE, "acquire", CLASS_LOCK, EV_BLOCKS | EV_ARM) \
	row(EV_RELEASE, "release", CLASS_LOCK, EV_ARM) \
	row(EV_ACQUIRE_SHARED, "acquire-shared", CLASS_LOCK, EV_BLOCKS | EV_ARM) \
	row(EV_RELEASE_SHARED, "release-shared", CLASS_LOCK, EV_ARM) \
	row(EV_TRY_FAIL, "try-fail", CLASS_LOCK, EV_ARM) \
	row(EV_WAIT, "wait", CLASS_CONDITION, 0) \
	row(EV_WOKEN, "woken", CLASS_CONDITION, EV_BLOCKS) \
	row(EV_SIGNAL, "signal", CLASS_CONDITION, 0) \
	row(EV_BROADCAST, "broadcast", CLASS_CONDITION, 0) \
	row(EV_BARRIER_ENTER, "barrier-enter", CLASS_BARRIER, 0) \
	row(EV_BARRIER_EXIT, "barrier-exit", CLASS_BARRIER, EV_BLOCKS) \
	row(EV_SEM_POST, "sem-post", CLASS_SEMAPHORE, 0) \
	row(EV_SEM_WAIT, "sem-wait", CLASS_SEMAPHORE, EV_BLOCKS) \
	row(EV_SEM_FAIL, "sem-fail", CLASS_SEMAPHORE, 0) \
	row(EV_ONCE_BEGIN, "once-begin", CLASS_ONCE, 0) \
	row(EV_ONCE_END, "once-end", CLASS_ONCE, 0) \
	row(EV_ONCE_PASS, "once-pass", CLASS_ONCE, EV_BLOCKS) \
	row(EV_ALLOC, "alloc", CLASS_VARIABLE, EV_ACCESS) \
	row(EV_FREE, "free", CLASS_VARIABLE, EV_ACCESS | EV_STORES) \
	row(EV_BRANCH, "branch", CLASS_NONE, EV_DEPENDS | EV_ARM) \
	row(EV_MARK, "mark", CLASS_MARK, EV_ARM) \
	row(EV_EXTERNAL, "external", CLASS_VARIABLE, EV_ACCESS | EV_STORES | EV_VALUE)
/* clang-format on */

enum event_kind {
#define KIND_ROW(name, text, class, flags) name,
	EVENT_KINDS(KIND_ROW)
#undef KIND_ROW
		EV_COUNT
};

/* C11 memory order of an atomic access; ORDER_PLAIN for all others. ORDER_WATCH: a read that the
 * recorder made, for a mark. It is plain, and never part of a race. */
/* clang-format off */
#define MEMORY_ORDERS(row) \
	row(ORDER_PLAIN, "plain") \
	row(ORDER_RELAXED, "relaxed") \
	row(ORDER_CONSUME, "consume") \
	row(ORDER_ACQUIRE, "acquire") \
	row(ORDER_RELEASE, "release") \
	row(ORDER_ACQ_REL, "acq_rel") \
	row(ORDER_SEQ_CST, "seq_cst") \
	row(ORDER_WATCH, "watch")
/* clang-format on */

enum memory_order_kind {
#define ORDER_ROW(name, text) name,
	MEMORY_ORDERS(ORDER_ROW)
#undef ORDER_ROW
		ORDER_COUNT
};

extern const char *const event_kind_text[EV_COUNT];
extern const uint8_t event_kind_class[EV_COUNT]; /* enum object_class */
extern const uint8_t event_kind_flags[EV_COUNT]; /* EV_ACCESS… */
extern const char *const object_class_plural[CLASS_COUNT];
extern const char *const object_class_singular[CLASS_COUNT];
extern const char *const memory_order_text[ORDER_COUNT];

struct part {
	uint32_t variable;
	int64_t value;	 /* returned (read, rmw) or written (write, external) */
	int64_t written; /* rmw alone */
};

struct event_more {
	int64_t written;	 /* rmw: what it wrote to the first variable */
	const struct expr *expr; /* write, rmw: the value; branch: the guard; or NULL */
	uint64_t by;		 /* woken: the event that woke it, 0 for by=- */
	uint32_t lock;		 /* wait, woken */
	uint32_t part_count;	 /* variables after the first */
	const struct part *parts;
	bool reads_given; /* reads= was said, perhaps with nothing behind it */
	bool opaque;	/* branch: with other reads the thread may go on all the same, who knows */
	uint32_t scope; /* branch: so many events of its thread it governs; 0: all that follow */
	uint32_t read_count;
	uint32_t at_count;
	uint32_t args_length;
	const uint64_t *reads; /* event numbers, as written */
	const uint64_t *at;
	const char *args; /* mark: its arguments, a blank between them; NUL-ended */
};

struct event {
	uint8_t kind;  /* enum event_kind */
	uint8_t order; /* enum memory_order_kind; of an event with EV_BLOCKS: EVENT_TRIES or 0 */
	uint16_t skip; /* records of its thread that were dropped just before it; see below */
	uint32_t thread;
	uint32_t object;   /* of event_kind_class[kind]; the first variable of an access */
	uint32_t location; /* 0: none */
	int64_t value;	   /* of the first variable */
	const struct event_more *more;
};

/* skip, of a recorded trace: EVENT_NO_RECORD, the event stands for no record of its own. */
#define EVENT_SKIP_MOST 65534
#define EVENT_NO_RECORD 65535

/* Its call gives up instead of waiting for ever: a trylock, or one with a time limit. */
#define EVENT_TRIES 1

_Static_assert(sizeof(struct event) == 32, "the bench figures assume it");

static inline bool event_is(const struct event *e, int flag)
{
	return event_kind_flags[e->kind] & flag;
}

/* A watch is a read. */
static inline bool memory_order_fits(const struct event *e, int order)
{
	return order != ORDER_WATCH || e->kind == EV_READ;
}

/* Whether a thread that cannot go on here would wait in the call. */
static inline bool event_blocks(const struct event *e)
{
	return event_is(e, EV_BLOCKS) && e->order != EVENT_TRIES;
}

/* How many variables an access covers; 0 for other events. */
static inline uint32_t event_part_count(const struct event *e)
{
	if (!event_is(e, EV_ACCESS))
		return 0;
	return 1 + (e->more ? e->more->part_count : 0);
}

static inline struct part event_part(const struct event *e, uint32_t i)
{
	if (i)
		return e->more->parts[i - 1];
	return (struct part){e->object, e->value, e->more ? e->more->written : 0};
}

/* So many events of its thread does a branch govern, and no more; 0: all, or it is no branch. */
static inline uint32_t event_scope(const struct event *e)
{
	return e->kind == EV_BRANCH && e->more ? e->more->scope : 0;
}

/* A copy that outlives the batch, with all that the event points to. */
struct event event_copy(struct arena *memory, const struct event *e);

#endif
