/* SPDX-License-Identifier: MIT */
/* The parts of minimise.c. */
#ifndef PREDICT_MINIMISE_PARTS_H
#define PREDICT_MINIMISE_PARTS_H

#include "model/needs.h"
#include "model/sections.h"
#include "predict/minimise.h"
#include "search/run.h"

typedef VEC(uint64_t) event_run;

struct minimiser {
	const struct index *index;
	enum model model;
	struct run *run;
	struct needs *needs;
	const struct sections *sections;
	/* Of each event, 1 + its place in the run at hand, 0: it is not there. */
	uint32_t *place;
	/*
	 * Room that is kept from one run to the next, since it may be for millions of events: what
	 * is found of each place (minimise_keep.c), and a run to be tried.
	 */
	VEC(uint32_t) sources;
	VEC(uint8_t) flags;
	VEC(bool) matters;
	event_run tried;
};

/*
 * The events of the run that the bug needs, in their order. Reads that matter, that is on which
 * something depends, still see the writes that they see in the run, so that all goes as before.
 * m->matters is then, of each event of the result, whether it is such a read. False: the run is
 * not as it should be, and there is no result.
 */
bool minimise_keep(struct minimiser *m, const struct witness *w, event_run *kept);

/*
 * The same events in an order with fewer switches, or as they were: what depends on each other
 * stays in order, and each thread goes on for as long as it can. matters: as above; NULL: all do.
 */
void minimise_order(const struct minimiser *m, const event_run *run, const bool *matters,
		    event_run *ordered);

size_t minimise_count_switches(const struct index *index, const uint64_t *run, size_t n);

#endif
