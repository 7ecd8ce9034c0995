/* SPDX-License-Identifier: MIT */
/* Processes of which some events wait while others are possible. */
#ifndef CSP_PRIORITY_H
#define CSP_PRIORITY_H

#include "csp/process.h"

/*
 * Events of a set are possible only if no event of a set in front of it is; silent steps and the
 * end are of the first set. Events of no set are left alone.
 */
struct csp_process *csp_prioritised(struct csp *csp, struct csp_process *p, struct csp_value **sets,
				    size_t n, struct csp_pos pos);
/*
 * above: pairs of which the first is less than the second; it is made transitive. Events of
 * `events` that are not in `most` are also less than silent steps and the end.
 */
struct csp_process *csp_prioritised_by(struct csp *csp, struct csp_process *p,
				       struct csp_value *events, struct csp_value *above,
				       struct csp_value *most, struct csp_pos pos);
void csp_priority_steps(struct csp *csp, struct csp_process *p);

#endif
