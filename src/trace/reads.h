/* SPDX-License-Identifier: MIT */
/*
 * Which events so far are reads, and of which thread: about a byte an event. And what the
 * last few thousand reads of each thread returned.
 */
#ifndef TRACE_READS_H
#define TRACE_READS_H

#include <stdbool.h>
#include <stdint.h>

struct reads;

struct returned {
	uint64_t event;
	int64_t value; /* of the access as a whole */
	bool whole;    /* it has one */
};

struct reads *reads_new(void);
void reads_note(struct reads *r, uint32_t thread, const struct returned *returned);
bool reads_has(const struct reads *r, uint64_t event, uint32_t thread);
/* What that read of the thread returned; NULL if it is too long ago, or no read. */
const struct returned *reads_recent(const struct reads *r, uint32_t thread, uint64_t event);
void reads_free(struct reads *r);

#endif
