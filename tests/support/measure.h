/* SPDX-License-Identifier: MIT */
/* For benches: time, and work in a process of its own, so that its memory is its own. */
#ifndef SUPPORT_MEASURE_H
#define SUPPORT_MEASURE_H

#include "base/err.h"

#include <stddef.h>

double measure_now(void);
/* Seconds of processor time so far, of this process and of children that are over: others may be
 * using the machine. */
double measure_processor(void);
void measure_stop(const struct err *err) __attribute__((noreturn));

/*
 * Runs work in a child, which fills `figures` (of that size) for the caller; returns the most
 * memory that it took, in MiB. Stops the program if the child fails.
 */
double measure_child(void (*work)(void *context, void *figures), void *context, void *figures,
		     size_t size);

#endif
