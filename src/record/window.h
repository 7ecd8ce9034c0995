/*
 * The latest reads of a thread, by their position in its log: what became of them in the trace. And
 * the values that it was told of, which later records depend on in the same way.
 */
#ifndef RECORD_WINDOW_H
#define RECORD_WINDOW_H

#include "base/mem.h"
#include "trace/expr.h"

#include <stdbool.h>

enum read_fate {
	READ_KEPT,     /* an event */
	READ_CONSTANT, /* of what nobody writes: dropped, and always the same */
	READ_PRIVATE,  /* of what only this thread touches: dropped, its origin says the rest */
	READ_TOLD,     /* a value that was computed; its origin likewise, but it cannot change */
};

struct window_read {
	uint64_t position;
	uint64_t event;	 /* READ_KEPT */
	uint64_t value;	 /* if whole */
	uint32_t origin; /* READ_PRIVATE, READ_TOLD: record/origins.h */
	uint8_t fate;
	bool whole;	   /* event and value agree: %N is this value */
	struct expr *expr; /* READ_TOLD, or NULL; the window frees it */
};

#define WINDOW_MOST 2048

struct window {
	struct window_read *at; /* a ring */
	uint32_t room, n;
	uint32_t next;
};

/* To be filled in, all of it. */
struct window_read *window_add(struct window *w);
/* NULL: too long ago, or no read. */
const struct window_read *window_find(const struct window *w, uint64_t position);
void window_release(struct window *w);

#endif
