/* SPDX-License-Identifier: MIT */
/*
 * A trace as a script in CSP_M that defines PROGRAM itself: a process for each thread, and one for
 * each lock, semaphore and so on (norn-convert(1)). Values, branches and memory are not in it, so
 * PROGRAM does more than the feasible executions of the trace.
 */
#ifndef PROPERTY_PROGRAM_H
#define PROPERTY_PROGRAM_H

#include "base/output.h"
#include "model/index.h"

/* Negative: the marks of the trace do not fit channels, or have names that the script needs. */
int program_write(const struct index *index, struct output *out, struct err *err);

#endif
