/* SPDX-License-Identifier: MIT */
/* The parts of minimise.c. */
#ifndef PREDICT_MINIMISE_PARTS_H
#define PREDICT_MINIMISE_PARTS_H

#include "model/needs.h"
#include "model/sections.h"
#include "predict/minimise.h"
#include "search/run.h"

typedef VEC(uint64_t) event_run;

/* What was last done to each object of a class: those that were asked for. */
struct minimiser_last {
	VEC(uint32_t) of;
	VEC(bool) known;
	VEC(uint32_t) touched;
};

struct minimiser {
	const struct index *index;
	enum model model;
	struct run *run;
	struct needs *needs;
	const struct sections *sections;
	struct run_marks *marks; /* of the trace */
	struct run_marks *base;	 /* one where the witness at hand is no longer as recorded */
	uint64_t tries;		 /* steps for trying what may or may not work, for each */
	/* Of each event, 1 + its place in the run at hand, 0: it is not there, or as recorded. */
	uint32_t *place;
	/*
	 * Room that is kept from one run to the next, since it may be for millions of events: what
	 * is found of each event and place (minimise_keep.c), and a run to be tried.
	 */
	uint8_t *flags; /* of each event */
	VEC(uint32_t) sources;
	VEC(bool) matters;
	struct minimiser_last last[CLASS_COUNT];
	event_run tried;
};

/*
 * The events of the run that the bug needs, in their order. Reads that matter, that is on which
 * something depends, still see the writes that they see in the run, so that all goes as before.
 * m->matters is then, of each event of the result, whether it is such a read. whole: what is as
 * recorded stays, and the result is what comes behind it. False: there would be more than `most`
 * events, or the run is not as it should be, and there is no result.
 */
bool minimise_keep(struct minimiser *m, const struct witness *w, bool whole, size_t most,
		   event_run *kept);

/*
 * The same events, behind what is as recorded, in an order with fewer switches, or as they were:
 * what depends on each other stays in order, and each thread goes on for as long as it can.
 * matters: as above; NULL: all do.
 */
void minimise_order(const struct minimiser *m, const event_run *run, const bool *matters,
		    event_run *ordered);

size_t minimise_count_switches(const struct index *index, const uint64_t *run, size_t n);

#endif
