/* SPDX-License-Identifier: MIT */
/* What norn replay is asked for: a trace and a schedule, by the names that people have for them. */
#ifndef CMD_REPLAY_FINDING_H
#define CMD_REPLAY_FINDING_H

#include "base/err.h"
#include "witness/witness.h"

struct asked_finding {
	char *trace;
	char *name; /* of the witness: a file, or REPORT#N; NULL: the recorded schedule */
	struct witness witness;
};

/*
 * FINDING is TRACE#N, whose witness is TRACE.N.witness; REPORT#N, a report as JSON; or, with the
 * name of a witness, a trace alone. `trace` is where the trace of a report is now, NULL: where the
 * report says, or beside it. Released in any case.
 */
int asked_finding_read(struct asked_finding *f, const char *finding, const char *witness,
		       const char *trace, struct err *err);
/* The recorded schedule of a trace; likewise. */
int asked_recorded_read(struct asked_finding *f, const char *trace);
void asked_finding_release(struct asked_finding *f);

#endif
