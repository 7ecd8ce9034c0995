/* SPDX-License-Identifier: MIT */
/* The parser's own: expressions and declarations call each other. */
#ifndef CSP_PARSER_H
#define CSP_PARSER_H

#include "csp/token.h"
#include "csp/tree.h"

struct csp_parser {
	struct csp *csp;
	const struct csp_token *at;
	bool in_seq; /* the bracket around is < */
	bool local;  /* behind let */
	bool hidden; /* in a module, in front of `exports` */
	struct csp_module *module;
	struct csp_timed *timed;
};

/* A list of kids under way. */
struct csp_list {
	struct csp_expr **at;
	size_t n, capacity;
};

/* Binding strengths of operators, from weak to strong: FDR's. */
enum csp_level {
	L_ANY,
	L_BOTH,
	L_HIDE,
	L_INTERLEAVE,
	L_PARALLEL,
	L_INTERNAL,
	L_EXTERNAL,
	L_INTERRUPT,
	L_SLIDE,
	L_SEQUENCE,
	L_PREFIX,
	L_FIELD,
	L_YIELDS,
	L_DOT,
	L_COLON,
	L_OR,
	L_AND,
	L_NOT,
	L_COMPARE,
	L_PLUS,
	L_TIMES,
	L_LENGTH,
	L_CONCAT,
	L_APPLY,
};

struct csp_expr *csp_parse_level(struct csp_parser *p, enum csp_level least);
static inline struct csp_expr *csp_parse_any(struct csp_parser *p)
{
	return csp_parse_level(p, L_ANY);
}
/* Declarations up to a word that is not taken, or the end of the script. */
void csp_parse_decls(struct csp_parser *p, struct csp_decls *decls, enum csp_token_kind end);
struct csp_decl *csp_decl_add(struct csp_parser *p, struct csp_decls *decls,
			      enum csp_decl_kind kind, struct csp_pos pos);
uint32_t csp_take_name(struct csp_parser *p, struct csp_pos *pos);
/* Expressions with a comma between them, up to a word that is not taken. */
struct csp_list csp_parse_list(struct csp_parser *p);
/* M::N::x */
struct csp_expr *csp_parse_name(struct csp_parser *p);

/* module.c */
void csp_parse_module(struct csp_parser *p, struct csp_decls *decls);
void csp_parse_instance(struct csp_parser *p, struct csp_decls *decls);
/* Timed(f) { … } */
void csp_parse_timed(struct csp_parser *p, struct csp_decls *decls);
/* A name in a timed section may be one of those that mean something else there. */
void csp_timed_note(struct csp_parser *p, struct csp_expr *name);

/* Takes `f, g :: TYPE` if it is there. */
bool csp_parse_annotation(struct csp_parser *p, struct csp_decls *decls);

struct csp_expr *csp_expr_new(struct csp_parser *p, enum csp_expr_kind kind, struct csp_pos pos,
			      uint32_t n, ...);
/* An expression that is read where a pattern has to stand; fails if it is none. */
struct csp_expr *csp_as_pattern(struct csp_parser *p, struct csp_expr *e);

/* Takes it if it is there. */
bool csp_accept(struct csp_parser *p, enum csp_token_kind kind);
/* what: whose part it is. */
void csp_expect(struct csp_parser *p, enum csp_token_kind kind, const char *what);
void csp_unexpected(struct csp_parser *p, const char *expected) __attribute__((noreturn));

void csp_list_add(struct csp_parser *p, struct csp_list *list, struct csp_expr *e);

#endif
