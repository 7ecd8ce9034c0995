/* SPDX-License-Identifier: MIT */
/*
 * Witnesses made short, for people to read: first the events that the bug does not need are left
 * out, then threads run on for as long as they can. What comes out is a witness as well, not
 * longer and with no more switches; that is not left to argument but run again, and if it were
 * not so the witness would stay as it was.
 *
 * The work is linear in the run, give or take; runs of at most MINIMISE_SMALL events are also
 * tried with one piece after the other left out or moved. Of runs that are still longer than
 * MINIMISE_LONG events the order stays as it is: nobody reads them. That they are short helps all
 * who have to run them again.
 */
#ifndef PREDICT_MINIMISE_H
#define PREDICT_MINIMISE_H

#include "witness/witness.h"
#include "model/index.h"

#define MINIMISE_SMALL 2000
#define MINIMISE_LONG 200000

struct minimiser;

/* The index outlives it. */
struct minimiser *minimiser_new(const struct index *index, enum model model);
void minimiser_free(struct minimiser *m);

/* w is accepted by run_accepts (search/run.h), and is of the model. */
void minimise(struct minimiser *m, struct witness *w);

/* How often the run goes from one thread to another. */
size_t minimise_switches(const struct index *index, const struct witness *w);

#endif
