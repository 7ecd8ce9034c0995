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
 * A run that starts with many events as recorded, the first ones of the trace in their order, says
 * so in one line before the others, `recorded 419545`, and is a `norn-witness 2`.
 *
 * bug:	race A B	both accesses are next
 *	deadlock A B …	each acquire is next, and waits for what the thread of the
 *			one behind it holds (the last: of the first)
 *	stuck A …	nobody can move; these are some of the events that threads wait at
 *	property A B …	the marks of the run, in order; or, if the witness says `breaks`, the
 *			last event of the run, with which it does; none: the specification does not
 *			allow that the run ends so
 *	atomicity A R B	the run has these accesses in this order, and ends with the last
 *	choice C	no bug: a thread leaves what was recorded, at C or behind it (doc/model.md)
 * `breaks N FILE`, of a property: assertion N, from 0, of a script in CSP_M.
 * `run` may be repeated for long executions. Model `said` wants the rest of the trace
 * too, as `rest` lines: how the run goes on until every event has happened, from a race by
 * the two accesses.
 */
#ifndef WITNESS_WITNESS_H
#define WITNESS_WITNESS_H

#include "base/input.h"
#include "base/output.h"
#include "trace/models.h"

struct monitor;

struct witness {
	enum model model;
	enum bug_kind bug;
	/* Of a property: which assertion, from 0, of which script it breaks; NULL: none is named.
	 */
	char *script;
	uint32_t assertion;
	struct monitor *monitor; /* the same for those who search; or NULL */
	uint64_t recorded;	 /* so many events as recorded come first, and then */
	VEC(uint64_t) bug_events;
	VEC(uint64_t) run;
	VEC(uint64_t) rest;
};

static inline uint64_t witness_length(const struct witness *w)
{
	return w->recorded + w->run.n;
}

/* The i-th event, from 0. */
static inline uint64_t witness_event(const struct witness *w, uint64_t i)
{
	return i < w->recorded ? i + 1 : w->run.at[i - w->recorded];
}

/* As much of the run as is recorded like that becomes a number; and back. */
void witness_fold(struct witness *w);
void witness_spell(struct witness *w);

int witness_read(struct witness *w, struct input *in, struct err *err);
int witness_read_file(struct witness *w, const char *path, struct err *err);
void witness_write(const struct witness *w, struct output *out);
void witness_release(struct witness *w);
/* Copies the path; NULL: none. */
void witness_set_breaks(struct witness *w, const char *script, uint32_t assertion);
void witness_copy(struct witness *to, const struct witness *from); /* to: as zero */

#endif
