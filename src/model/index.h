/* SPDX-License-Identifier: MIT */
/*
 * The indexed trace: all events of a trace in memory, with what the engines ask
 * for again and again. Event numbers are 32 bits here; event N is events[N],
 * events[0] is unused. Nothing changes after index_new, but for what is made when it is asked for.
 */
#ifndef MODEL_INDEX_H
#define MODEL_INDEX_H

#include "trace/reader.h"

struct regions;
struct sections;

struct index_thread {
	uint32_t *events; /* its events in order */
	uint32_t count;
	uint32_t fork; /* the event that forks it, 0 if none does */
};

/* Events in trace order, each once. */
struct index_list {
	uint32_t *events;
	uint32_t count;
};

struct index_wake {
	uint32_t by; /* the signal or broadcast */
	uint32_t woken;
};

struct index {
	struct reader *reader; /* owned; for the symbols */
	const struct symbols *symbols;
	struct event *events; /* 1 … count */
	uint32_t count;
	uint64_t left_out;	      /* by index_new_bare */
	struct index_thread *threads; /* one for each thread name */
	uint32_t thread_count;
	uint32_t *position; /* of each event in its thread, from 0 */
	/*
	 * uses[class][object]: the events that name it. For a variable all accesses, for a
	 * lock its waits and wokens too, for a thread its forks and joins.
	 */
	struct index_list *uses[CLASS_COUNT];
	/* The parts of access N, as event_part counts them, are parts[N] … parts[N + 1] - 1. */
	uint32_t *parts;
	uint32_t *writer; /* of each part: the last event before that wrote the variable, or 0 */
	struct index_wake *wakes; /* every woken with by=N, by N */
	uint32_t wake_count;
	uint32_t *round; /* of each barrier-enter and barrier-exit, from 0; NULL: no barriers */
	/*
	 * The innermost branch whose scope each event stands in, or 0; NULL: no branch has one. A
	 * scope is none that no event of its thread follows: where it would go on is not known.
	 */
	uint32_t *arm;
	struct sections **sections; /* for sections_of (model/sections.h) */
	struct regions **regions;   /* for regions_of (model/regions.h) */
	struct arena memory;
};

/* Reads the rest of the trace, checks it (trace/check.h), and owns the reader even on failure. */
struct index *index_new(struct reader *r, struct err *err);
/*
 * The same without accesses and branches, for traces that are long: enough to ask whether threads
 * could ever wait for each other. The other events are numbered anew. NULL, and err->code 0, if
 * some of them stands in the scope of a branch: then nothing can be left out.
 */
struct index *index_new_bare(struct reader *r, struct err *err);
/*
 * Of other events, 1 … count, over the objects of an index that outlives it; they are consistent
 * by construction. Takes the events, and the memory of what is behind them.
 */
struct index *index_derive(const struct index *of, struct event *events, uint32_t count,
			   struct arena memory);
void index_free(struct index *index);

/* The first of the wakes by this event; those after it follow while their `by` is the same. */
uint32_t index_first_wake(const struct index *index, uint32_t by);

/* So many events of its thread does the branch govern, and no more; 0: all, or it is no branch. */
static inline uint32_t index_scope(const struct index *index, uint32_t n)
{
	uint32_t scope = index->arm ? event_scope(&index->events[n]) : 0;
	uint32_t behind = index->threads[index->events[n].thread].count - index->position[n] - 1;

	return scope < behind ? scope : 0;
}

/* The innermost branch whose scope the event stands in, or 0. */
static inline uint32_t index_arm(const struct index *index, uint32_t n)
{
	return index->arm ? index->arm[n] : 0;
}

/* Of one thread: where the later event happens, the earlier one was not skipped. */
bool index_is_sure(const struct index *index, uint32_t earlier, uint32_t later);

/*
 * Of each thread, how many of its events it is past when the run, behind so many events as
 * recorded, has ended in a stuck state. (A thread whose last event is a branch may have gone either
 * way: it did not if it can wait there.)
 */
void index_come_to(const struct index *index, uint64_t recorded, const uint64_t *run, size_t n,
		   uint32_t *done);
/* Behind so many events as recorded: does the read in the run read what another event wrote? */
bool index_reads_other(const struct index *index, uint64_t recorded, const uint64_t *run, size_t n,
		       uint32_t read);
/* How many events of the thread are among the first ones of the trace. */
uint32_t index_come_by(const struct index *index, uint32_t thread, uint64_t recorded);

/* How many events of the list come before event n. */
uint32_t index_place(const struct index_list *list, uint32_t n);

/* The last event that wrote the variable among the first ones of the trace, or 0. */
uint32_t index_writer_by(const struct index *index, uint32_t variable, uint64_t recorded);

/* As event_part_count, without a look at what the event points to, which is seldom in the cache. */
static inline uint32_t index_part_count(const struct index *index, uint32_t n)
{
	return index->parts[n + 1] - index->parts[n];
}

/* Would these two accesses race if both were next (doc/model.md, Bugs)? */
bool index_conflict(const struct index *index, uint32_t a, uint32_t b);

#endif
