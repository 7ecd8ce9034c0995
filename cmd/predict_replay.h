/* SPDX-License-Identifier: MIT */
/* Findings of a prediction, replayed one after the other. */
#ifndef CMD_PREDICT_REPLAY_H
#define CMD_PREDICT_REPLAY_H

#include "predict/predict.h"

struct finding_replay;

#define REPLAY_GRACE_MS 300

struct predict_replay_options {
	const char *trace;
	predict_open *open;
	void *context;
	uint64_t timeout;    /* seconds */
	bool trust;	     /* as in replay_options */
	bool keep;	     /* the witnesses are kept, and norn replay finds them */
	volatile bool *stop; /* set if somebody wants us to end while one runs; no more are then */
};

/*
 * Replays each that is not suppressed, and notes in it what came of that; where one goes another
 * way, the recorded schedule too, and then that one again (doc/replay.md, Verdicts). Then sorts
 * them: their numbers hold from there on.
 */
int predict_replay_findings(struct prediction *p, const struct predict_replay_options *options,
			    struct err *err);

/* What came of a replay, noted in the finding. */
void predict_replay_note(struct finding *f, const struct finding_replay *r);
/* A run of it as a trace. */
int predict_replay_record(const struct finding_replay *r, uint32_t run, const char *path,
			  struct err *err);

/* Writes TRACE.N.witness for each, from 1; TRACE.1.witness if it has a trace of its own. */
int predict_keep_witnesses(struct prediction *p, const char *trace, struct err *err);

#endif
