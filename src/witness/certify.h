/* SPDX-License-Identifier: MIT */
/*
 * The certifier: does this execution exist, and does the bug stand at its end?
 * It shares no code with anything that searches. It reads the trace in one pass, and checks in the
 * same pass that it is consistent, since nothing follows from one that is not; then it can judge
 * any number of witnesses, each for itself, in the time of their steps. The recorded run it takes
 * once, by the same rules as witnesses: where one starts as recorded, these steps are not taken
 * again.
 */
#ifndef WITNESS_CERTIFY_H
#define WITNESS_CERTIFY_H

#include "trace/reader.h"
#include "witness/witness.h"

struct certifier;

/*
 * Reads the trace, which stands at its start, and keeps all its events. NULL and err: it cannot be
 * read or is not consistent. The reader outlives the certifier. Processes that are forked after
 * this share what it knows, and judge apart.
 */
struct certifier *certifier_new(struct reader *trace, struct err *err);
/* As that, with how it stands kept at each so many events; of traces that are not longer, nowhere.
 */
struct certifier *certifier_new_marked(struct reader *trace, uint32_t every, struct err *err);
void certifier_free(struct certifier *c);

/*
 * 1: certified. 0: rejected, and err->message says which event cannot happen, or what the end
 * lacks. What was judged before does not matter.
 */
int certifier_judge(struct certifier *c, const struct witness *witness, struct err *err);

/*
 * For one witness alone, in memory for the events that it names and for the objects of the trace.
 * Negative: the trace cannot be read or is not consistent.
 */
int certify(struct reader *trace, const struct witness *witness, struct err *err);

#endif
