/* SPDX-License-Identifier: MIT */
/* The calls that events were made in, as far as the trace has them (norn-trace(5): frames, stacks).
 */
#ifndef REPORT_CALLERS_H
#define REPORT_CALLERS_H

#include "model/index.h"

#define CALLERS_MOST 40 /* of one event; those further out are left out */

struct caller {
	const char *text; /* where it is, as locations are */
	uint32_t in;	  /* the number of the one that it was made in, 0: of none */
};

struct callers_change {
	uint32_t event, caller;
};

typedef VEC(struct callers_change) callers_changes;

struct callers {
	const struct index *index;
	VEC(struct caller) at;	  /* number - 1 */
	callers_changes *threads; /* of each, ascending; NULL: none are known */
	struct arena text;
};

/* Facts that make no sense are as none. */
void callers_init(struct callers *c, const struct index *index);
void callers_release(struct callers *c);
/* The innermost one that the event's place was called from; NULL: there is none, or none is known.
 */
const struct caller *callers_of(const struct callers *c, uint32_t event);
const struct caller *callers_next(const struct callers *c, const struct caller *caller);

#endif
