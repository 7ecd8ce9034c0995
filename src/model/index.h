/*
 * The indexed trace: all events of a trace in memory, with what the engines ask
 * for again and again. Event numbers are 32 bits here; event N is events[N],
 * events[0] is unused. Nothing changes after index_new.
 */
#ifndef MODEL_INDEX_H
#define MODEL_INDEX_H

#include "trace/reader.h"

struct index_thread {
	uint32_t *events; /* its events in order */
	uint32_t count;
	uint32_t fork; /* the event that forks it, 0 if none does */
};

struct index {
	struct reader *reader; /* owned; for the symbols */
	const struct symbols *symbols;
	struct event *events; /* 1 … count */
	uint32_t count;
	struct index_thread *threads; /* one for each thread name */
	uint32_t thread_count;
	uint32_t *position; /* of each event in its thread, from 0 */
	struct arena memory;
};

/* Reads the rest of the trace, checks it (trace/check.h), and owns the reader even on failure. */
struct index *index_new(struct reader *r, struct err *err);
void index_free(struct index *index);

#endif
