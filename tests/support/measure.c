/* SPDX-License-Identifier: MIT */
#include "support/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double measure_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double used(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec +
	       (double)u.ru_stime.tv_sec + 1e-6 * (double)u.ru_stime.tv_usec;
}

double measure_processor(void)
{
	return used(RUSAGE_SELF) + used(RUSAGE_CHILDREN);
}

void measure_stop(const struct err *err)
{
	fprintf(stderr, "bench: %s\n", err->message);
	_exit(1);
}

double measure_child(void (*work)(void *context, void *figures), void *context, void *figures,
		     size_t size)
{
	struct rusage usage;
	int pipes[2], status;

	fflush(stdout);
	if (pipe(pipes) < 0)
		exit(1);
	pid_t child = fork();

	if (!child) {
		work(context, figures);
		_exit(write(pipes[1], figures, size) != (ssize_t)size);
	}
	close(pipes[1]);
	if (child < 0 || read(pipes[0], figures, size) != (ssize_t)size ||
	    wait4(child, &status, 0, &usage) < 0 || status)
		exit(1);
	close(pipes[0]);
	return (double)usage.ru_maxrss / 1024;
}
