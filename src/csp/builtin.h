/* SPDX-License-Identifier: MIT */
/* What every script may use without declaring it. */
#ifndef CSP_BUILTIN_H
#define CSP_BUILTIN_H

#include "csp/eval.h"

struct csp_call {
	struct csp_value **args; /* may be thunks */
	struct csp_pos pos;
};

struct csp_builtin {
	const char *name;
	const char *type; /* types.h: csp_type_from */
	uint32_t args;	  /* 0: a value */
	struct csp_value *(*run)(struct csp *csp, const struct csp_call *call);
};

struct csp_value *csp_buffer(struct csp *csp, const struct csp_call *call);
struct csp_value *csp_map_update(struct csp *csp, const struct csp_call *call);

extern const struct csp_builtin csp_builtins[];
extern const size_t csp_builtin_count;
/* Names of timed sections (timed.c). */
const char *csp_timed_type(enum csp_timed_name name);
struct csp_value *csp_timed_value(struct csp *csp, const struct csp_expr *e, struct csp_env *env);

/* What a script has to declare with `transparent` or `external` before it uses it, or NULL. */
const struct csp_builtin *csp_external(const char *name);

#endif
