/* SPDX-License-Identifier: MIT */
/*
 * Consistency (doc/model.md): can every event happen where it stands, and does
 * every read return what was recorded? One pass; memory follows the objects, and one
 * byte an event to know which earlier events are reads of which thread.
 *
 * Where two events contradict each other, the one out of place is named: a thread's
 * first event if its fork comes later, a join if the thread goes on; but a woken, not the
 * signals before it, if by= does not fit. Expressions are checked on the values of the last
 * few thousand reads of their thread.
 */
#ifndef TRACE_CHECK_H
#define TRACE_CHECK_H

#include "trace/reader.h"

struct check;

struct check *check_new(const struct reader *r);
void check_batch(struct check *c, const struct batch *batch);
/* Some event cannot happen: nobody has to keep the events from here on. */
bool check_has_failed(const struct check *c);
/*
 * After the last batch: 0, or ERR_INPUT with "NAME:LINE: event N …" for the first event
 * that cannot happen. (Not before: whether a join could happen is only known at the end.)
 */
int check_finish(struct check *c, struct err *err);
void check_free(struct check *c);

/* All of the above for the rest of a trace; *events is how many there were. */
int check_reader(struct reader *r, uint64_t *events, struct err *err);

#endif
