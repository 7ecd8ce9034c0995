/* SPDX-License-Identifier: MIT */
/* How much the engine for properties tries (base/tune.h). */
#ifndef SEARCH_MONITOR_TUNE_H
#define SEARCH_MONITOR_TUNE_H

#include "base/tune.h"

/* clang-format off */
#define MONITOR_TUNES(row) \
	row(monitor, product_events, 5000, 0, 1000000000, "events of a trace whose states are all looked at") \
	row(monitor, first_states, 5000, 1, 1000000000, "states that are looked at before anything else") \
	row(monitor, glance_events, 5000, 16, 10000000, "events of the solver's window, at a glance") \
	row(monitor, glance_asked, 16, 1, 1000000, "questions to the solver, at a glance") \
	row(monitor, asked_most, 400, 1, 1000000, "questions to the solver") \
	row(monitor, realise_depth, 64, 1, 100000, "depth of what has to come before an event") \
	row(monitor, realise_steps, 1000000, 1, 1000000000, "steps of one schedule") \
	row(monitor, word_states, 200000, 1, 1000000000, "states of orders of what is heard") \
	row(monitor, word_visits, 400000, 1, 1000000000, "orders that are gone through") \
	row(monitor, heard_most, 2000, 1, 10000000, "events that are heard, in such orders")
/* clang-format on */

TUNE_DECLARE(monitor, MONITOR_TUNES)

#endif
