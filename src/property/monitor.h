/* SPDX-License-Identifier: MIT */
/*
 * The monitor of an assertion about PROGRAM: SPEC and C of `SPEC [T= C(PROGRAM)` together, as a
 * deterministic automaton over the events of the trace, made as far as it is asked for. An
 * execution breaks the assertion iff the monitor that follows it comes to MONITOR_BAD; that stays
 * so whatever comes after.
 *
 * A state stands for pairs: where SPEC is, and a state of C that the events so far may have led to,
 * in which PROGRAM waits for its next event. Between two of these C makes as many steps of its own
 * as it likes.
 *
 * Of `[F=` and deadlock freedom, what is refused counts where PROGRAM is stuck by the rule of
 * doc/model.md, and where C is without it.
 */
#ifndef PROPERTY_MONITOR_H
#define PROPERTY_MONITOR_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define MONITOR_BAD 0	/* broken */
#define MONITOR_DEAD 1	/* it can no longer be broken */
#define MONITOR_START 2 /* or one of the two above: see monitor_start */

struct monitor;

/* Where it stands before the first event. */
uint32_t monitor_start(const struct monitor *m);

/* Can the event change anything? */
bool monitor_hears(const struct monitor *m, uint32_t event);
/* Negative: the script cannot be evaluated there (ERR_INPUT), or ERR_LIMIT. */
int monitor_after(struct monitor *m, uint32_t state, uint32_t event, uint32_t *after,
		  struct err *err);
/* Is it broken if PROGRAM is stuck here? Of `[T=` it never is. */
int monitor_if_stuck(struct monitor *m, uint32_t state, bool *bad, struct err *err);
/* The same if all threads have ended here, so that `endthreads` follows. */
int monitor_if_ended(struct monitor *m, uint32_t state, bool *bad, struct err *err);
/* Can it be broken where PROGRAM is stuck? */
bool monitor_minds_stuck(const struct monitor *m);
/* Can `endthreads` change anything? */
bool monitor_minds_end(const struct monitor *m);

/*
 * One part of the specification at a time: the assertion is broken iff one of these monitors comes
 * to MONITOR_BAD, and each hears less. One that has a single part is its own. They live as long as
 * the monitor. NULL: as above.
 */
int monitor_part_count(struct monitor *m, uint32_t *count, struct err *err);
struct monitor *monitor_part(struct monitor *m, uint32_t i, struct err *err);

/* How many states were made so far. */
uint32_t monitor_states(const struct monitor *m);

/* What the specification says of a state, for people; both in the memory of the script. */
struct monitor_place {
	const char *at;	      /* "OPENED(1)": where SPEC is; NULL: it has no name */
	const char **allowed; /* events, as the script writes them */
	uint32_t count;
	uint32_t more; /* that are not listed */
};

#define MONITOR_ALLOWED_MOST 12

/* Of the first pair of a state that is not MONITOR_BAD or MONITOR_DEAD; false: it cannot be told.
 */
bool monitor_place(struct monitor *m, uint32_t state, struct monitor_place *place);

#endif
