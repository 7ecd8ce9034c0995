/* SPDX-License-Identifier: MIT */
/*
 * One run of the program for a hunt: along a plan, and then on by a schedule, recorded. What came
 * of it is a trace, how the program ended, and what it printed.
 */
#ifndef HUNT_RUN_ATTEMPT_H
#define HUNT_RUN_ATTEMPT_H

#include "replay/replay.h"

enum attempt_end {
	ATTEMPT_ENDED,	  /* by itself, by whatever signal or status */
	ATTEMPT_STUCK,	  /* all threads wait for each other; it was killed */
	ATTEMPT_ENDLESS,  /* it does not come to an end; likewise */
	ATTEMPT_DIVERGED, /* it did not follow the plan */
	ATTEMPT_UNHEARD,  /* the runtime takes no part in it */
	ATTEMPT_STOPPED,  /* somebody wants us to end */
};

struct attempt_options {
	enum plan_schedule schedule;
	uint64_t seed;
	uint32_t depth, length; /* PLAN_PCT */
	bool prints;		/* the order of what threads print is told, too */
	double timeout;		/* seconds */
	const char *scratch;
	const struct replay_decision *decisions;
	uint32_t decision_count;
	const char *scanner; /* as in record_options */
};

struct attempt {
	enum attempt_end end;
	int status, signal;    /* of ATTEMPT_ENDED, as in launch_result */
	char *output, *errors; /* what it printed, the last part of it */
	uint32_t steps;	       /* that were scheduled */
	uint32_t lost;	       /* how often it waited where the schedule does not see it */
	uint32_t given_up;     /* of the plan, the step that did not come; PLAN_NONE: none */
	char why[600];	       /* it diverged: what happened instead */
	VEC(struct replay_decision) decisions; /* PLAN_LISTED: all that were made */
	char stopped[600];		       /* what is not recorded of it, "" if nothing */
};

/* What to run, as a trace knows it: the facts of a trace. */
struct attempt_command {
	struct recorded recorded;
	const struct symbols *facts;
	struct symbols own;
};

/* Of our own directory, environment and standard input. */
int attempt_command_new(struct attempt_command *c, const char *recorder, char *const *argv,
			struct err *err);
/* Of a trace that was read to its end; its facts stay where they are. */
int attempt_command_of(struct attempt_command *c, const struct symbols *facts, const char *trace,
		       struct err *err);
void attempt_command_release(struct attempt_command *c);

/* Who goes on first behind the plan. */
struct attempt_first {
	uint32_t thread; /* PLAN_NONE: whoever */
	bool fails;	 /* what it does first is to give up */
	bool wakes;	 /* … is a signal, and wakes whom the plan's threads say */
};

/* Runs it, and writes the trace, unless it diverged. plan NULL: a schedule from the start. */
int attempt_run(struct attempt *a, const struct replay_plan *plan, struct attempt_first first,
		const struct attempt_command *command, const struct attempt_options *o,
		const char *trace, struct err *err);
void attempt_release(struct attempt *a);

#endif
