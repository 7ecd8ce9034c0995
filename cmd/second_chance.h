/* SPDX-License-Identifier: MIT */
/*
 * A second chance for candidates that are held back by dependences which the record could not
 * follow: their schedules, which prove nothing, are replayed. Where both threads really stand at
 * their accesses, the run is kept as a trace, and the race certified on that; else nothing is
 * reported. So optimism costs time, never truth.
 */
#ifndef CMD_SECOND_CHANCE_H
#define CMD_SECOND_CHANCE_H

#include "predict/predict.h"

struct second_chance_options {
	const char *trace; /* that of the run is TRACE.second1.norn and so on */
	predict_open *open;
	void *context;
	uint64_t timeout;     /* seconds, as of norn replay */
	bool trust;	      /* as in replay_options */
	struct budget budget; /* for certifying one */
	volatile bool *stop;  /* as in predict_replay_options */
};

/* What is found goes from p->held to p->findings, confirmed; p->second tells the rest. */
int second_chance(struct prediction *p, const struct second_chance_options *options,
		  struct err *err);

#endif
