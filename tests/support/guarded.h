/* SPDX-License-Identifier: MIT */
/*
 * Figure 5.17 of the RaceQuest thesis: a race that only one interleaving shows.
 *
 *	main:	fork worker; x++; N times { lock m; y++; unlock m }; join worker
 *	worker:	N times { lock m; y++; unlock m }; x++
 *
 * Recorded so that the race on x is hidden behind the sections on m. The loops' branches
 * depend on nothing that was read; y++ and x++ write what they read, and one.
 */
#ifndef SUPPORT_GUARDED_H
#define SUPPORT_GUARDED_H

#include "base/output.h"

/* main's loop first, then the worker's; or one section of each, in turn */
enum guarded_order { GUARDED_MAIN_FIRST, GUARDED_ALTERNATING };
/* what is known of the values: (+ %r 1); or reads=r */
enum guarded_values { GUARDED_EXPRESSIONS, GUARDED_READS };

struct guarded {
	uint32_t rounds; /* N */
	enum guarded_order order;
	enum guarded_values values;
};

#define GUARDED_FIRST "fig517.c:5"
#define GUARDED_SECOND "fig517.c:20"

/* Writes the trace ("text" or "binary"). */
int guarded_write(const struct guarded *g, struct output *out, const char *format, struct err *err);

#endif
