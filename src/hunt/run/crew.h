/* SPDX-License-Identifier: MIT */
/*
 * Processes that run the program for a hunt, several at the same time. They are made while we are
 * small, so that it takes little to start the program. One that dies is replaced, and its run is
 * made again.
 */
#ifndef HUNT_RUN_CREW_H
#define HUNT_RUN_CREW_H

#include "hunt/choice.h"
#include "hunt/run/attempt.h"

#include <limits.h>

struct crew_options {
	uint32_t jobs;			       /* processes */
	const struct attempt_command *command; /* of runs that are no task */
	struct attempt_options attempt;	       /* its schedule, seed and length come with the run */
	double deadline;		       /* base/seconds.h: then no run is begun; 0: none */
	const volatile bool *stop;	       /* runs that are under way are ended, too; or NULL */
};

enum crew_end {
	CREW_MADE,
	CREW_LEFT, /* there was no time for it */
	CREW_LOST, /* the processes that were to make it have died */
};

struct crew_run {
	const struct hunt_task *task; /* NULL: by a schedule from the start */
	const char *from;	      /* the trace of the run that the task is about */
	enum plan_schedule schedule;
	uint64_t seed;
	uint32_t length;
	char path[PATH_MAX]; /* of the trace that is written */

	/* What came of it. */
	enum crew_end end;
	uint32_t times; /* that the program was run */
	struct attempt attempt;
	char choice[1200]; /* the task's, in words; "" if it is not known */
	int code;	   /* negative: err says why it could not be made */
	struct err err;

	uint32_t deaths; /* for the crew */
};

struct crew;

struct crew *crew_new(const struct crew_options *options, struct err *err);
void crew_free(struct crew *c);
/* It is begun as soon as somebody is free, and stays where it is until all are there. */
int crew_begin(struct crew *c, struct crew_run *run, struct err *err);
/* Until all runs that were begun are there, or left. */
int crew_wait(struct crew *c, struct err *err);
void crew_run_release(struct crew_run *run);

/* crew_make.c: makes the run, in this process */
void crew_make(const struct crew_options *options, struct crew_run *run);

#endif
