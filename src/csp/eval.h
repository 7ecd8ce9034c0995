/* SPDX-License-Identifier: MIT */
/* Evaluation: lazy in arguments, declarations and tails of sequences. */
#ifndef CSP_EVAL_H
#define CSP_EVAL_H

#include "csp/value.h"

struct csp_value *csp_eval(struct csp *csp, const struct csp_expr *e, struct csp_env *env);
/* As much as is needed later. */
struct csp_value *csp_delay(struct csp *csp, const struct csp_expr *e, struct csp_env *env);
struct csp_value *csp_apply(struct csp *csp, struct csp_value *f, uint32_t n,
			    struct csp_value **args, struct csp_pos pos);
struct csp_env *csp_env_new(struct csp *csp, struct csp_env *up, uint32_t n);

int64_t csp_eval_number(struct csp *csp, const struct csp_expr *e, struct csp_env *env);
bool csp_eval_bool(struct csp *csp, const struct csp_expr *e, struct csp_env *env);
/* A set with its members; an infinite one is an error. */
struct csp_value *csp_eval_set(struct csp *csp, const struct csp_expr *e, struct csp_env *env);
/* A set of whole events. */
struct csp_value *csp_eval_events(struct csp *csp, const struct csp_expr *e, struct csp_env *env);
struct csp_process *csp_eval_process(struct csp *csp, const struct csp_expr *e,
				     struct csp_env *env);

/* Does the value match the pattern? Fills slots of env. */
bool csp_match(struct csp *csp, const struct csp_expr *pattern, struct csp_value *v,
	       struct csp_env *env);
/* How many slots of its frame a pattern binds. */
uint32_t csp_pattern_slots(const struct csp_expr *pattern);
/* How many values of a dotted one it takes where more follow: (x.y).z has x.y take two. */
uint32_t csp_pattern_width(const struct csp_expr *pattern);

/* Calls `each` in a frame for every way through the statements. */
typedef void csp_each(void *context, struct csp_env *env);
void csp_run_stmts(struct csp *csp, const struct csp_expr *e, struct csp_env *env, csp_each *each,
		   void *context);

/* Likewise, of one value of the first generator. */
void csp_run_stmts_with(struct csp *csp, const struct csp_expr *e, struct csp_env *env,
			struct csp_value *first, csp_each *each, void *context);

/* Declarations of the script or of a let, as thunks in a frame. */
void csp_declare_all(struct csp *csp, struct csp_decls *decls, struct csp_env *env);
void csp_globals_init(struct csp *csp);

/* a.b */
struct csp_value *csp_dot(struct csp *csp, struct csp_value *a, struct csp_value *b,
			  struct csp_pos pos);
void csp_head_prepare(struct csp *csp, struct csp_head *head);
/* The set of values that may come next behind an unfinished value; NULL: it is whole. */
struct csp_value *csp_next_field(struct csp *csp, struct csp_value *v);
/* Has it all its fields? */
bool csp_is_whole(struct csp *csp, const struct csp_value *v);
/* All ways to make it whole: what it then is, or only what is added. */
struct csp_value *csp_completions(struct csp *csp, struct csp_value *v, bool added,
				  struct csp_pos pos);
/* Is each field what its type allows? Otherwise an error. */
/* An event that csp_leave_out is about. */
bool csp_never_happens(struct csp *csp, struct csp_value *v, struct csp_pos pos);
void csp_check_carried(struct csp *csp, struct csp_value *v, struct csp_pos pos);
/* The same of a whole event. */
void csp_check_fields(struct csp *csp, struct csp_value *v, struct csp_pos pos);

#endif
