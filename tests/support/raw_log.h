/* SPDX-License-Identifier: MIT */
/*
 * Raw logs (runtime/log.h), looked at as simply as can be: all of it in memory, by code that shares
 * nothing with the merge. raw_log_check puts the threads together by the rules of log.h alone and
 * fails, with a message, where that is not possible: syntax, versions, values of reads, owners of
 * locks, counts of semaphores, rounds of barriers, order of once, fork, join, allocation.
 */
#ifndef SUPPORT_RAW_LOG_H
#define SUPPORT_RAW_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/log.h"

struct raw_log {
	char message[256]; /* empty if all is well */
	uint32_t threads;  /* numbers given away */
	uint32_t files;
	uint64_t count[LOG_KIND_COUNT];
	uint64_t records;
	uint64_t left; /* events that could not be placed; only after a stop is that no error */
	struct log_run run;
};

/* Makes a directory with a `run` file in it. */
void raw_log_make(const char *directory, uint64_t limit, uint64_t bytes);

struct raw_log raw_log_check(const char *directory);

#endif
