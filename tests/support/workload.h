/* SPDX-License-Identifier: MIT */
/*
 * A large trace like those of real programs, made as it is asked for: threads run
 * functions again and again; a function is straight-line code with a source location for
 * each event; it walks over arrays, touches fields of objects of its type and hot globals,
 * and holds a lock now and then. 45% reads, 30% writes, 20% lock operations, 5% branches;
 * consistent.
 */
#ifndef SUPPORT_WORKLOAD_H
#define SUPPORT_WORKLOAD_H

#include "trace/reader.h"

struct workload;

struct workload_size {
	uint64_t events;
	uint32_t threads, variables, locks;
	uint64_t seed;
};

struct workload *workload_new(const struct workload_size *size);
const struct symbols *workload_symbols(const struct workload *w);
/* As reader_next; the batch is valid until the next call. */
int workload_next(struct workload *w, struct batch *batch);
void workload_free(struct workload *w);

#endif
