/* SPDX-License-Identifier: MIT */
/*
 * The hunt itself: runs are made until each choice of each of them was looked at, or time is up.
 * Traces of new behaviours are kept as DIRECTORY/1.norn and so on.
 */
#ifndef HUNT_RUN_HUNTER_H
#define HUNT_RUN_HUNTER_H

#include "hunt/choice.h"
#include "hunt/run/failure.h"

enum hunt_strategy {
	STRATEGY_PATHS, /* every choice of every run, asked of the engines */
	STRATEGY_RANDOM,
	STRATEGY_PCT,
	STRATEGY_POS,
	STRATEGY_ALL, /* every schedule, step by step */
};

/* A run that was made, while its trace is there. */
struct hunter_run {
	const char *trace;  /* "" if it was not kept */
	uint64_t number;    /* of the trace */
	uint64_t runs;	    /* so many were made, with this one */
	bool is_new;	    /* a behaviour that no run had before; always, without engines */
	const char *choice; /* what made the difference; "" if nothing is known of that */
	const struct attempt *attempt;
	struct failure *failure;
	bool found; /* set by who looks: something else was found in it */
};

struct hunter_options {
	char *const *argv;
	const char *recorder;  /* name and version */
	const char *directory; /* that is there */
	const char *scratch;   /* likewise, for what is not kept */
	const char *scanner;   /* as in record_options */
	enum hunt_strategy strategy;
	enum hunt_equal equal;
	struct budget budget; /* of one question */
	uint64_t runs;	      /* at most; 0: any number */
	double deadline;      /* base/seconds.h; 0: none */
	double timeout;	      /* of one run, seconds */
	uint32_t jobs;	      /* runs at the same time */
	uint64_t seed;
	bool prints; /* what is printed in another order is another behaviour */
	bool resume; /* traces that are in the directory are runs that were made */
	bool stop_at_failure;
	const volatile bool *stop; /* no more; or NULL */
	/* Looks at a run. May change its failure. Negative: an error, which ends the hunt. */
	int (*look)(void *context, struct hunter_run *run, struct err *err);
	/* Before each question and run; or NULL. */
	void (*progress)(void *context, uint64_t runs, const struct hunt_counts *counts);
	void *context;
};

struct hunter_result {
	uint64_t runs;	     /* that were made */
	uint64_t behaviours; /* of which so many were new */
	bool complete;	     /* nothing is open: these are all */
	bool out_of_time, out_of_runs, stopped;
	uint64_t diverged, endless; /* runs that came to nothing */
	struct hunt_counts counts;
	VEC(char *) doubts; /* a line for each: why these may not be all; owned */
	uint32_t lost;	    /* runs that waited where no schedule sees it */
};

int hunter_hunt(const struct hunter_options *o, struct hunter_result *result, struct err *err);
void hunter_result_release(struct hunter_result *result);

#endif
