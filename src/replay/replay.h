/* SPDX-License-Identifier: MIT */
/*
 * One replay: the recorded command is run again along a plan, watched, and what came of it is
 * noted. doc/replay.md tells how; runtime/plan.h is what both sides share.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "record/recorded.h"
#include "replay/planner.h"

/* clang-format off */
#define REPLAY_OUTCOMES(row) \
	row(REPLAY_SHOWN, "replayed")	/* both stood at their accesses; or all blocked as predicted; \
					   or, of the recorded order, its last step was taken */ \
	row(REPLAY_ELSEWHERE, "elsewhere") /* they stood there, but the addresses differ */ \
	row(REPLAY_OTHER_WAY, "diverged")  /* a thread did what the plan does not have */ \
	row(REPLAY_STALLED, "stalled")	   /* a turn that nobody took */ \
	row(REPLAY_EARLY_END, "ended")	   /* the program ended before the plan did */ \
	row(REPLAY_WENT_ON, "went on")	   /* threads that were to block did not */ \
	row(REPLAY_UNHEARD, "not followed") /* the runtime in the program does not take part */ \
	row(REPLAY_TOO_LATE, "too late")   /* they stood, but one access was made already */
/* clang-format on */

enum replay_outcome {
#define OUTCOME_ROW(name, text) name,
	REPLAY_OUTCOMES(OUTCOME_ROW)
#undef OUTCOME_ROW
		REPLAY_OUTCOME_COUNT
};

extern const char *const replay_outcome_text[REPLAY_OUTCOME_COUNT];

struct replay_run;

/* Where a program stands, for who looks at it. */
struct replay_stop {
	pid_t program;
	const struct replay_plan *plan;
	const struct replay_run *run;
};

struct replay_options {
	enum plan_end end;
	double timeout; /* seconds for a turn, and for what follows the bug */
	double turn;	/* for a turn, if it is less than that; 0: it is not */
	uint32_t grace; /* milliseconds for which nothing moves before threads count as blocked */
	bool trust; /* run what a trace says that this user did not record here (record/seal.h) */
	bool real_sockets;  /* somebody is at their other side; else what they gave is given back */
	const char *client; /* a command for the shell that runs beside the program; or NULL */
	bool goes_on; /* a plan with no stops: at its end the program goes on, and is not ended */
	/*
	 * How threads go on behind a plan with no stops; not PLAN_FREE: one at a time, and the
	 * program has `timeout` for all of it. The rest is as in struct plan.
	 */
	enum plan_schedule schedule;
	uint32_t first, depth, length;
	uint64_t seed;
	bool fails, wakes, prints;
	const struct replay_decision *decisions; /* PLAN_LISTED: so many are given */
	uint32_t decision_count;
	/*
	 * The program and its children are a process group of their own, of which nothing is left
	 * in the end; and signals that the caller has blocked and that come to us end the run.
	 */
	bool apart;
	uint64_t log;	     /* bytes of the log, at most; 0: no limit */
	uint64_t output;     /* bytes of what it prints that are kept; 0: some */
	bool streams;	     /* the program has our standard output and error; else they are kept */
	const char *scratch; /* the directory in which the replay's own is made */
	/* called when all stand at their stops, before they go; or NULL. It may change the order.
	 */
	void (*at_stops)(void *context, const struct replay_stop *stop);
	void *context;
};

typedef VEC(struct replay_thread) replay_threads;

struct replay_run {
	enum replay_outcome outcome;
	enum plan_end end;
	struct replay_state state;  /* the last that was seen */
	replay_threads stood;	    /* all threads, when all stood at their stops; or none */
	replay_threads last;	    /* all threads, at the end or when it was given up */
	struct launch_result ended; /* how the program ended */
	bool killed;		    /* by us */
	bool interrupted;	    /* somebody wanted us to end meanwhile */
	bool late;		    /* likewise, since a scheduled run took too long */
	/* Those that were to block did, for so many seconds, but others did not rest; or 0. */
	double blocked_for;
	double rested; /* seconds: the longest time in which nothing moved, before the stops */
	/* REPLAY_STALLED: a thread sleeps or spins where the record shows nothing to wait for. */
	bool waits_unseen;
	bool starved; /* in the end, threads waited for more of a socket than was recorded */
	char *output, *errors; /* what it printed, the last part of it; NULL: not kept */
	char *modules;	       /* for record/log/modules.h */
	char directory[4096];  /* of the replay, until it is released */
};

/* Negative: it could not be run at all. */
int replay_once(const struct replay_plan *plan, const struct recorded *command,
		const struct replay_options *options, struct replay_run *run, struct err *err);
/* Removes the directory, too. */
void replay_run_release(struct replay_run *run);

#endif
