/* SPDX-License-Identifier: MIT */
/*
 * The replay of a finding: its plan, run once for each order that is asked for. Or of the recorded
 * order itself, which tells whether the program can be replayed at all.
 */
#ifndef REPLAY_FINDING_H
#define REPLAY_FINDING_H

#include "replay/replay.h"

/* Of a race; all else is run once. */
enum replay_orders { REPLAY_AB, REPLAY_BA, REPLAY_BOTH };

struct finding_replay {
	struct replay_plan plan;
	struct recorded recorded;
	struct replay_run runs[2];
	uint32_t run_count, shown_count;
	bool shown;	  /* in every run; of the recorded order: it was followed to its end */
	bool interrupted; /* somebody wanted us to end during the last run */
	/* One line: what was shown; why it was not; or why it cannot be, and then there are no
	 * runs. */
	char text[2400];
};

/*
 * Takes r. w may be a schedule, without events of a bug: shown, if it was followed to its end.
 * Negative: it could not even be tried: the program is not there, or is another one. A
 * run that is not what was predicted is the last.
 */
int finding_replay(struct finding_replay *f, struct reader *r, const struct witness *w,
		   enum replay_orders orders, const struct replay_options *options,
		   struct err *err);
/* Likewise of the recorded order, up to the event `last`. */
int recorded_replay(struct finding_replay *f, struct reader *r, uint64_t last,
		    const struct replay_options *options, struct err *err);
void finding_replay_release(struct finding_replay *f);

/*
 * Not shown, and that is not because the program cannot be replayed, if its recorded order can: it
 * did something else than what was proved of it, or waited where the record shows nothing to wait
 * for. doc/replay.md, Verdicts, has the list.
 */
bool finding_replay_went_another_way(const struct finding_replay *f);

/* The two orders printed different output. */
bool finding_replay_outputs_differ(const struct finding_replay *f);

#endif
