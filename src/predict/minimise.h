/* SPDX-License-Identifier: MIT */
/*
 * Witnesses made short, for people to read: first the events that the bug does not need are left
 * out, then threads run on for as long as they can. What comes out is a witness as well, not
 * longer and with no more switches; that is not left to argument but run again, and if it were
 * not so the witness would stay as it was.
 *
 * The work follows what is kept, not the length of the trace. Where more than minimise_long events
 * would be needed, the part of the run that is as recorded stays as it is, as one step, and only
 * what comes behind it is made short. If that would still be more, or it has more than
 * minimise_most events, it stays as it is: nobody reads it. Runs of at most minimise_small events
 * (behind that part) are also tried with one piece after the other left out or moved.
 */
#ifndef PREDICT_MINIMISE_H
#define PREDICT_MINIMISE_H

#include "witness/witness.h"
#include "model/index.h"

struct minimiser;

/* The index outlives it. witnesses: so many there may be; of many, less is tried for each. */
struct minimiser *minimiser_new(const struct index *index, enum model model, size_t witnesses);
void minimiser_free(struct minimiser *m);

/* w is accepted by run_accepts (search/run.h), and is of the model. */
void minimise(struct minimiser *m, struct witness *w);

/* How often the run goes from one thread to another behind what is as recorded. */
size_t minimise_switches(const struct index *index, const struct witness *w);

#endif
