/* SPDX-License-Identifier: MIT */
/*
 * Timed sections: `tock` is one unit of time, which all processes of a section let pass together.
 * A prefix waits for its event while time passes, and the event takes some tocks.
 */
#ifndef CSP_TIMED_H
#define CSP_TIMED_H

#include "csp/process.h"

/* The tock of the section around e, as an event. */
struct csp_value *csp_timed_tock(struct csp *csp, const struct csp_expr *e, struct csp_env *env);
/* set with tock if e is timed; an event set. NULL: none. */
struct csp_value *csp_timed_set(struct csp *csp, const struct csp_expr *e, struct csp_value *set,
				struct csp_env *env);
/* How many tocks an event takes. */
int64_t csp_timed_tocks(struct csp *csp, const struct csp_expr *e, struct csp_value *event,
			struct csp_env *env);
/* p after so many tocks. */
struct csp_process *csp_timed_wait(struct csp *csp, struct csp_value *tock, int64_t tocks,
				   struct csp_process *p, struct csp_pos pos);
/* STOP and SKIP where e stands: in a timed section time passes in them. */
struct csp_process *csp_timed_stop(struct csp *csp, const struct csp_expr *e, struct csp_env *env);
struct csp_process *csp_timed_skip(struct csp *csp, const struct csp_expr *e, struct csp_env *env);

#endif
