/* SPDX-License-Identifier: MIT */
/*
 * Properties by brute force: every execution of a small trace, one after the other, is written as a
 * process of its own, and the refinement checker asked about it. No monitor, no reduction.
 */
#ifndef SUPPORT_NAIVE_PROPERTY_H
#define SUPPORT_NAIVE_PROPERTY_H

#include "property/property.h"
#include "trace/models.h"

/*
 * script: with one assertion, of traces, about PROGRAM. 1: some execution breaks it, 0: none does;
 * negative: there are more than `most` executions.
 */
int naive_property(const struct index *index, enum model model, const struct properties *names,
		   const char *script, uint64_t most);

/* Adds every proper execution, as "lock.0.1 -> … -> STOP"; false: there are more than `most`. */
bool naive_executions(const struct index *index, enum model model, const struct properties *names,
		      uint64_t most, struct intern *lines);

#endif
