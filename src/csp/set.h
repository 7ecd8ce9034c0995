/* SPDX-License-Identifier: MIT */
/* Sets: interned members in order. */
#ifndef CSP_SET_H
#define CSP_SET_H

#include "csp/eval.h"

/* Members that are being collected; in the arena. */
struct csp_bag {
	struct csp_value **at;
	size_t n, capacity;
};

void csp_bag_add(struct csp *csp, struct csp_bag *bag, struct csp_value *v);
/* Sorts them and drops equal ones. */
struct csp_value *csp_set_from(struct csp *csp, struct csp_bag *bag);

/* A set with its members; sets of which there is no end fail. Dots and tuples of sets are sets. */
struct csp_value *csp_set_finite(struct csp *csp, struct csp_value *v, struct csp_pos pos);
bool csp_set_has(struct csp *csp, struct csp_value *set, struct csp_value *v, struct csp_pos pos);
struct csp_value *csp_set_union(struct csp *csp, struct csp_value *a, struct csp_value *b,
				struct csp_pos pos);
struct csp_value *csp_set_inter(struct csp *csp, struct csp_value *a, struct csp_value *b,
				struct csp_pos pos);
struct csp_value *csp_set_diff(struct csp *csp, struct csp_value *a, struct csp_value *b,
			       struct csp_pos pos);
struct csp_value *csp_set_power(struct csp *csp, struct csp_value *a, struct csp_pos pos);
/* All of the channels. */
struct csp_value *csp_set_events(struct csp *csp, struct csp_pos pos);

#endif
