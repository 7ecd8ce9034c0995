/* SPDX-License-Identifier: MIT */
/*
 * Processes that search. Each takes the next candidate, searches, makes the witness short and
 * has it certified, and sends the result. One that dies (killed, out of memory, a bug in a
 * solver) loses its candidate and no more: another takes its place. What is found does not
 * depend on how many there are, unless there is a deadline.
 *
 * With two turns, those candidates that stay undecided after their first one have another. The
 * first one is short: with a deadline, half of the time is for second turns. Or it is for what is
 * refuted at once.
 */
#ifndef PREDICT_WORKERS_H
#define PREDICT_WORKERS_H

#include "predict/search.h"

/*
 * The result of candidate number `candidate` is there; its witness can be taken. Not final: it is
 * undecided so far, and may have another turn.
 */
typedef void worker_result(void *context, size_t candidate, struct search_result *result,
			   bool final);

struct work {
	const struct candidates *candidates;
	const size_t *order; /* in which they are looked at; NULL: as they come */
	const struct predict_options *options;
	const volatile bool *stop; /* the caller's; NULL: none */
	double deadline;	   /* of all, base/seconds.h; 0: none */
	bool sift;		   /* two turns, the first for what is refuted at once */
	bool turns;		   /* two turns if there is a deadline */
	bool uncertified;	   /* what is found is no proof, and nobody is to judge it */
	worker_result *done;
	void *context;
};

/*
 * Searches for all candidates that are not pruned; those for which done was not called when
 * it returns were not looked at. ERR_INTERNAL: the certifier rejected a witness.
 */
int workers_run(const struct work *work, struct err *err);

#endif
