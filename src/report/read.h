/* SPDX-License-Identifier: MIT */
/* A finding out of a report: what norn-report(5), JSON, tells of its schedule and its trace. */
#ifndef REPORT_READ_H
#define REPORT_READ_H

#include "witness/witness.h"

#include <stdbool.h>

struct reported {
	char *trace;  /* its name, as it was given to norn predict */
	char *digest; /* base/digest.h; NULL: it was no file */
	struct witness witness;
};

/* Whether the file is JSON, as no recorded trace is. */
bool report_is_json(const char *path);

/* The N-th finding, from 1. Released in any case. */
int reported_read(struct reported *r, const char *path, uint64_t number, struct err *err);
void reported_release(struct reported *r);

#endif
