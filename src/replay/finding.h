/* The replay of a finding: its plan, run once for each order that is asked for. */
#ifndef REPLAY_FINDING_H
#define REPLAY_FINDING_H

#include "replay/replay.h"

/* Of a race; all else is run once. */
enum replay_orders { REPLAY_AB, REPLAY_BA, REPLAY_BOTH };

struct finding_replay {
	struct replay_plan plan;
	struct recorded recorded;
	struct replay_run runs[2];
	uint32_t run_count;
	bool shown; /* in every run */
	/* One line: what was shown; why it was not; or why it cannot be, and then there are no
	 * runs. */
	char text[2400];
};

/*
 * Takes r. Negative: it could not even be tried: the program is not there, or is another one. A
 * run that is not what was predicted is the last.
 */
int finding_replay(struct finding_replay *f, struct reader *r, const struct witness *w,
		   enum replay_orders orders, const struct replay_options *options,
		   struct err *err);
void finding_replay_release(struct finding_replay *f);

/* The two orders printed different things. */
bool finding_replay_outputs_differ(const struct finding_replay *f);

#endif
