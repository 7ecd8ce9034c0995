/* SPDX-License-Identifier: MIT */
/* A choice in words, and what a plan has to know of it. */
#ifndef HUNT_RUN_DESCRIBE_H
#define HUNT_RUN_DESCRIBE_H

#include "hunt/choice.h"
#include "hunt/run/attempt.h"

struct choice_told {
	char text[1200];	    /* "FILE:LINE: `SOURCE` goes the other way" */
	struct attempt_first first; /* whose it is, and what it does */
};

/* Reads the trace of the run that the task is about. */
int choice_tell(struct choice_told *told, const char *trace, const struct hunt_task *task,
		struct err *err);

#endif
