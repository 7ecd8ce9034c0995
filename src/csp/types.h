/* SPDX-License-Identifier: MIT */
/*
 * Types. What dots make of a name is not always known before a script runs: such types are TY_ANY,
 * which fits everything, and evaluation finds what is wrong. What is known has to fit.
 */
#ifndef CSP_TYPES_H
#define CSP_TYPES_H

#include "csp/tree.h"

enum csp_type_kind {
	TY_ANY,
	TY_VAR,
	TY_INT,
	TY_BOOL,
	TY_CHAR,
	TY_EVENT,
	TY_PROC,
	TY_DATATYPE,
	TY_SEQ,
	TY_SET,
	TY_MAP,
	TY_TUPLE,
	TY_FUNCTION, /* arguments, result */
	TY_DOTS,     /* values with dots between */
	TY_OPEN,     /* fields that are missing, and what it is with them: last */
};

/* What is asked of a type: that its values can be compared, or be in a set or a key of a map. */
enum { TYPE_COMPARES = 1, TYPE_IN_SETS = 2 };

#define TYPE_GENERIC UINT32_MAX /* level of a variable that stands for any type */

struct csp_type {
	uint8_t kind;
	uint8_t asked; /* of what a variable stands for; of one that is written: what is said of it
			*/
	bool nothing;  /* TY_VAR: of the members of {} */
	uint32_t n;
	uint32_t level;		     /* TY_VAR: of the declaration that it belongs to */
	struct csp_type *is;	     /* TY_VAR, once it is known */
	uint32_t name;		     /* TY_DATATYPE */
	const struct csp_decl *decl; /* TY_DATATYPE, or NULL: a variable that is written */
	struct csp_type **at;
	struct csp_expr *named; /* as a script writes it */
	bool declared;		/* then it has a slot */
	uint32_t slot;
};

/* Of a datatype: it is looked at when all types are known. */
struct csp_asked {
	struct csp_asked *next;
	const struct csp_decl *decl;
	uint8_t asked;
	struct csp_pos pos;
};

struct csp_typing {
	struct csp *csp;
	uint32_t level;
	struct csp_asked *later;
	struct csp_type *integer, *boolean, *character, *event, *process, *any;
};

struct csp_type *csp_type_new(struct csp *csp, enum csp_type_kind kind, uint32_t n, ...);
struct csp_type *csp_type_var(struct csp_typing *t);
/* What a variable stands for by now. */
struct csp_type *csp_type_seen(struct csp_type *type);
/* From the short form of builtin.c. */
struct csp_type *csp_type_from(struct csp_typing *t, const char *text);
const char *csp_type_text(struct csp *csp, struct csp_type *type);

/* Makes both the same, or fails at pos. */
void csp_unify(struct csp_typing *t, struct csp_type *expected, struct csp_type *found,
	       struct csp_pos pos);
bool csp_unifies(struct csp_typing *t, struct csp_type *a, struct csp_type *b, struct csp_pos pos);
/* Asks it of a type and of all its parts, or fails at pos. */
void csp_type_ask(struct csp_typing *t, struct csp_type *type, uint8_t asked, struct csp_pos pos);
/* Variables of inner levels become generic; a copy has new ones in their place. */
void csp_generalise(struct csp_typing *t, struct csp_type *type, struct csp_pos pos);
struct csp_type *csp_instantiate(struct csp_typing *t, struct csp_type *type, struct csp_pos pos);

/* a.b */
struct csp_type *csp_type_dot(struct csp_typing *t, struct csp_type *a, struct csp_type *b,
			      struct csp_pos pos);
/* A type expression's type as that of a set. */
struct csp_type *csp_type_as_set(struct csp_typing *t, struct csp_type *type);

void csp_check_types(struct csp *csp);
void csp_check_expression_type(struct csp *csp, const struct csp_expr *e);

#endif
