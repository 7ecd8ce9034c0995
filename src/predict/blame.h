/* SPDX-License-Identifier: MIT */
/*
 * Which dependences that the record could not follow stand in the way of the candidates that these
 * hold back (predict/second_look.h): the schedule that would be possible without them is run by the
 * rules, and what fails is forgiven and noted.
 */
#ifndef PREDICT_BLAME_H
#define PREDICT_BLAME_H

#include "model/index.h"
#include "predict/predict.h"

/* Fills p->why from p->held; view: of model/optimistic.h, and as before when it returns. */
void blame_all(struct prediction *p, struct index *view);

#endif
