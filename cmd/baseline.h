/* SPDX-License-Identifier: MIT */
/* Findings that were reported before: a file of fingerprints, one a line. */
#ifndef CMD_BASELINE_H
#define CMD_BASELINE_H

#include "predict/predict.h"

/* Suppresses the findings that are in the file, and adds the others to it. It need not be there. */
int baseline_mark(struct prediction *p, const char *path, struct err *err);

#endif
