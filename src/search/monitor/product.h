/* SPDX-License-Identifier: MIT */
/*
 * Executions with a monitor beside them, by going through the states of a small trace: exact, the
 * oracle for all other ways. Partial-order reduction keeps each order of the events that the
 * monitor hears, and nothing else.
 */
#ifndef SEARCH_MONITOR_PRODUCT_H
#define SEARCH_MONITOR_PRODUCT_H

#include "property/monitor.h"
#include "search/engine.h"

struct product_options {
	struct budget budget;
	uint64_t states; /* so many are looked at; 0: as many as memory holds */
	bool all;	 /* without reduction: for comparing */
};

/* PROVED: w is filled, which starts as zero. UNDECIDED: why says what was in the way. */
enum answer product_search(const struct index *index, enum model model, struct monitor *monitor,
			   const struct product_options *options, struct witness *w,
			   struct err *why);

#endif
