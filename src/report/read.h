/* SPDX-License-Identifier: MIT */
/* A finding out of a report: what norn-report(5), JSON, tells of its schedule and its trace. */
#ifndef REPORT_READ_H
#define REPORT_READ_H

#include "trace/reader.h"
#include "witness/witness.h"

#include <stdbool.h>

/* Events of one thread from the first to the last of them. */
struct reported_span {
	uint64_t first, last;
};

typedef VEC(struct reported_span) reported_spans;

struct reported {
	char *trace;  /* its name, as it was given to norn predict */
	char *digest; /* base/digest.h; NULL: it was no file */
	struct witness witness;
	reported_spans run, rest; /* until reported_spell */
};

/* Whether the file is JSON, as no recorded trace is. */
bool report_is_json(const char *path);

/* The N-th finding, from 1. Released in any case. */
int reported_read(struct reported *r, const char *path, uint64_t number, struct err *err);
/* Fills in the events of the witness, with the trace at its start, which is read. */
int reported_spell(struct reported *r, struct reader *trace, struct err *err);
void reported_release(struct reported *r);

#endif
