/* SPDX-License-Identifier: MIT */
/*
 * The pieces of the Perfetto report: packets of Perfetto's TrackEvent, which begin and end slices
 * on the tracks of a process. Tracks and names are declared where they are first used. Each process
 * is a sequence of packets of its own, with times that never go back.
 */
#ifndef REPORT_PERFETTO_H
#define REPORT_PERFETTO_H

#include "base/intern.h"
#include "base/protobuf.h"
#include "report/story.h"

/* clang-format off */
#define PERFETTO_CATEGORIES(row) \
	row(PERFETTO_MEMORY, "memory") \
	row(PERFETTO_SYNC, "sync") \
	row(PERFETTO_THREAD, "thread") \
	row(PERFETTO_HELD, "held") \
	row(PERFETTO_BUG, "bug")
/* clang-format on */

enum perfetto_category {
#define CATEGORY_ROW(name, text) name,
	PERFETTO_CATEGORIES(CATEGORY_ROW)
#undef CATEGORY_ROW
		PERFETTO_CATEGORY_COUNT
};

enum perfetto_track { TRACK_THREAD = 1, TRACK_LOCK, TRACK_SHARED };

/* A lock that several threads hold has a track for each. */
struct perfetto_lane {
	enum perfetto_track kind;
	uint32_t object, thread; /* thread: TRACK_SHARED */
};

struct perfetto {
	struct story story;
	struct output *out;
	struct protobuf packet;
	uint32_t process;		    /* from 1 */
	bool begun;			    /* a packet of the process is out */
	struct intern names, places, lanes; /* of the process, declared so far */
};

/* The next process; what is declared from here on is its own. */
void perfetto_open_process(struct perfetto *x, const char *name);
void perfetto_release(struct perfetto *x);

/*
 * Begins a slice; what follows adds to it until perfetto_end_packet. time: a place in the run, from
 * 1.
 */
void perfetto_begin_slice(struct perfetto *x, struct perfetto_lane lane, uint64_t time,
			  enum perfetto_category category, const char *name, uint32_t location);
void perfetto_annotate_number(struct perfetto *x, const char *name, int64_t value);
void perfetto_annotate_text(struct perfetto *x, const char *name, const char *value);
/* The arrow starts or ends at this slice; its number is one of the process. */
void perfetto_flow(struct perfetto *x, uint32_t arrow, bool ends);
void perfetto_end_packet(struct perfetto *x);

/* Ends the slice of the lane that began last. */
void perfetto_end_slice(struct perfetto *x, struct perfetto_lane lane, uint64_t time);

/* One process: a run of the index that the story is about, from one place to another. */
struct perfetto_run {
	const char *name;
	const struct witness *witness; /* NULL: the recorded run */
	uint64_t first, last;	       /* places from 1 */
	const event_numbers *bugs;     /* the events that the finding is about; NULL: none */
	const struct seen_list
		*seen; /* what the recorded run did wrong at its end; NULL: nothing */
};

void perfetto_put_run(struct perfetto *x, const struct perfetto_run *run);

#endif
