/* SPDX-License-Identifier: MIT */
/*
 * A trace as it would be if what it could not follow did not matter: a branch or a write of which
 * it is not known how it follows from what was read depends on nothing. That is so if it has no
 * expression, or is opaque: then all that it says is that some value has to be as recorded. What is
 * possible there and not in the trace itself is held back by such a dependence alone. That proves
 * nothing: the program may well go another way.
 */
#ifndef MODEL_OPTIMISTIC_H
#define MODEL_OPTIMISTIC_H

#include "model/index.h"

/* It shares all but the events with the index, which outlives it. */
struct index *optimistic_new(const struct index *index);
void optimistic_free(struct index *view);

/* Whether it leaves out anything at all. */
bool optimistic_differs(const struct index *index);

/* Such a branch or write, if it has something to depend on. */
bool optimistic_leaves_out(const struct event *e);

#endif
