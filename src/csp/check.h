/* SPDX-License-Identifier: MIT */
/* The checker's own: expressions and declarations call each other. */
#ifndef CSP_CHECK_H
#define CSP_CHECK_H

#include "csp/types.h"

/* The types of a frame. */
struct csp_scope {
	struct csp_scope *up;
	uint32_t level;
	struct csp_decls *decls; /* of a let or the script */
	struct csp_type **type;	 /* by slot; NULL: not asked for yet */
	struct csp_decl **decl;	 /* by slot */
};

/* An argument, and what is known of its type when all is known. */
struct csp_argument {
	struct csp_argument *next;
	struct csp_expr *e;
	struct csp_type *type;
};

struct csp_checker {
	struct csp_typing types;
	struct csp_scope *scope;
	struct csp_argument *arguments;
};

struct csp_type *csp_infer(struct csp_checker *c, const struct csp_expr *e);
struct csp_type *csp_infer_pattern(struct csp_checker *c, const struct csp_expr *p);
struct csp_type *csp_infer_function(struct csp_checker *c, const struct csp_function *f,
				    struct csp_type *type);
void csp_require(struct csp_checker *c, const struct csp_expr *e, struct csp_type *type);

struct csp_scope *csp_scope_open(struct csp_checker *c, uint32_t slots);
void csp_scope_close(struct csp_checker *c);

/* The type of a name; checks its declaration if that was not done yet. */
struct csp_type *csp_name_type(struct csp_checker *c, const struct csp_expr *e);
void csp_check_decls(struct csp_checker *c, struct csp_decls *decls);
void csp_check_annotations(struct csp_checker *c, const struct csp_decls *decls);
void csp_scope_declare(struct csp_checker *c, struct csp_decls *decls, struct csp_scope *scope);

#endif
