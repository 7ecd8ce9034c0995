/* SPDX-License-Identifier: MIT */
/*
 * Properties of long traces: the orders of the few events that a monitor hears. Which of these are
 * bad, by what comes first in every execution alone, is found by going through them; whether one of
 * them is that of an execution, the solver says. From each that is not it is learned why: the least
 * part of it that no execution has, so that others with the same part are not asked.
 */
#ifndef SEARCH_MONITOR_WORDS_H
#define SEARCH_MONITOR_WORDS_H

#include "model/causes.h"
#include "model/past.h"
#include "property/monitor.h"
#include "search/realise.h"

struct words_options {
	struct engine *order;	   /* the solver; NULL: what it would be asked is undecided */
	struct realiser *realiser; /* NULL: the solver is asked about all */
	const struct past *past;
	const struct causes *causes; /* they tell more; NULL: they are not known */
	struct budget budget;
	double deadline;
	enum model model;
	uint32_t asked_most; /* so many questions to the solver; 0: what is tried at once has to do
			      */
	bool glance; /* one for each last event, and nothing is learned from those that are refuted
		      */
};

/* As product_search; of a monitor that does not mind what is refused, and not in model said. */
enum answer words_search(const struct index *index, struct monitor *monitor,
			 const struct words_options *options, struct witness *w, struct err *why);

#endif
