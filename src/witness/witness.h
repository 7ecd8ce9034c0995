/* SPDX-License-Identifier: MIT */
/*
 * A witness: an execution, as the numbers of its events in order, and the bug
 * that stands at its end. As text, one item a line:
 *
 *	norn-witness 1
 *	model maximal
 *	bug race 3 10
 *	run 1 6 7 8 9 2
 *	end
 *
 * bug:	race A B	both accesses are next
 *	deadlock A B …	each acquire is next, and waits for what the thread of the
 *			one behind it holds (the last: of the first)
 *	stuck A …	nobody can move; these are some of the events that threads wait at
 *	property A B …	the marks of the run, in order
 * `run` may be repeated for long executions. Model `said` wants the rest of the trace
 * too, as `rest` lines: how the run goes on until every event has happened, from a race by
 * the two accesses.
 */
#ifndef WITNESS_WITNESS_H
#define WITNESS_WITNESS_H

#include "base/input.h"
#include "base/output.h"
#include "trace/models.h"

struct witness {
	enum model model;
	enum bug_kind bug;
	VEC(uint64_t) bug_events;
	VEC(uint64_t) run;
	VEC(uint64_t) rest;
};

int witness_read(struct witness *w, struct input *in, struct err *err);
int witness_read_file(struct witness *w, const char *path, struct err *err);
void witness_write(const struct witness *w, struct output *out);
void witness_release(struct witness *w);
void witness_copy(struct witness *to, const struct witness *from); /* to: as zero */

#endif
