/* SPDX-License-Identifier: MIT */
/*
 * A script as a tree. Patterns are expressions of few kinds. resolve.h fills in what names mean:
 * locals live in frames, one for each construct that binds names; a frame has a level, one more
 * than the one around it. Level 0 is the script itself.
 */
#ifndef CSP_TREE_H
#define CSP_TREE_H

#include "csp/context.h"

enum csp_expr_kind {
	E_NUMBER,
	E_BOOL,
	E_CHAR,
	E_NAME,
	E_WILD, /* pattern */
	E_BOTH, /* pattern: a @@ b */
	E_TUPLE,
	E_DOT,	  /* a.b.c, flat */
	E_APPLY,  /* function, arguments */
	E_LAMBDA, /* function */
	E_LET,	  /* declarations, body */
	E_IF,
	E_NOT,
	E_NEGATE,
	E_LENGTH,
	E_AND,
	E_OR,
	E_COMPARE,    /* op: T_EQUAL … */
	E_ARITHMETIC, /* op: T_PLUS … */
	E_CONCAT,
	E_SEQ, /* items; with statements: a comprehension */
	E_SET,
	E_ENUM,	     /* {| … |} */
	E_SEQ_RANGE, /* from, and to unless it has no end */
	E_SET_RANGE,
	E_MAP,	/* key, value, key, value … */
	E_TIES, /* from, to, …; statements: the links of a replicated E_LINK */
	/* processes */
	E_PREFIX, /* fields: the channel, then ? ! $; body */
	E_GUARD,  /* condition, process */
	E_EXTERNAL,
	E_INTERNAL,
	E_SLIDE,
	E_SEQUENCE,
	E_INTERRUPT,
	E_INTERLEAVE,
	E_PARALLEL,	  /* left, set, right */
	E_ALPHABETISED,	  /* left, its set, the set of right, right */
	E_THROW,	  /* left, set, right */
	E_SYNC_CHOICE,	  /* left, set, right */
	E_SYNC_INTERRUPT, /* left, set, right */
	E_HIDE,
	E_PROJECT,
	E_RENAME, /* process, from, to, from, to …; statements */
	E_LINK,	  /* left, right, from, to, …; statements */
	/* op: one of the above; statements; kids: process, or set or ties and process */
	E_REPLICATED,
	E_TIMED, /* op: enum csp_timed_name */
};

/* Names that mean something else in a timed section. */
enum csp_timed_name { TIMED_STOP, TIMED_SKIP, TIMED_WAIT, TIMED_PRIORITY, TIMED_COUNT };

struct csp_expr;

/* A name that binds a local. */
struct csp_slot {
	uint32_t level, index;
};

/* pattern NULL: a condition. */
struct csp_stmt {
	struct csp_expr *pattern, *value;
};

struct csp_field {
	char sign;		      /* ? ! $ */
	struct csp_expr *value, *set; /* pattern and set, or value and NULL */
};

struct csp_expr {
	uint8_t kind;
	uint8_t op;
	/* the script's: a constant in patterns, a name in expressions */
	bool global;
	bool process; /* an argument that is a process: it is looked at when it runs */
	struct csp_pos pos;
	uint32_t name;	     /* E_NAME */
	uint32_t path_count; /* E_NAME: of M::N::x M and N; name is then x */
	uint32_t *path;
	struct csp_slot slot; /* E_NAME */
	int64_t number;	      /* E_NUMBER, E_BOOL, E_CHAR */
	uint32_t n;
	struct csp_expr **kid;
	uint32_t stmt_count;
	struct csp_stmt *stmt;
	uint32_t field_count;
	struct csp_field *field;
	struct csp_decls *decls;       /* E_LET */
	struct csp_function *function; /* E_LAMBDA */
	struct csp_timed *timed;       /* of a process or its name: the timed section around it */
	uint32_t frame;		       /* locals of the frame it makes (E_PREFIX) */
	/* Locals from outside: what tells two closures of it apart. */
	uint32_t capture_count;
	struct csp_slot *capture;
};

/* One of the equations of a function: groups of patterns, as in f(x, y)(z). */
struct csp_clause {
	struct csp_pos pos;
	struct csp_expr **pattern;
	struct csp_expr *body;
	uint32_t frame; /* locals */
};

struct csp_function {
	uint32_t name; /* INTERN_NONE: a lambda */
	struct csp_pos pos;
	uint32_t groups;
	uint32_t *group; /* patterns in each */
	uint32_t patterns;
	VEC(struct csp_clause) clauses;
	uint32_t capture_count; /* of a lambda */
	struct csp_slot *capture;
};

enum csp_decl_kind {
	D_VALUE,     /* pattern = body */
	D_PARAMETER, /* pattern: of a module; its value is not known */
	D_FUNCTION,
	D_CHANNEL,
	D_DATATYPE,
	D_SUBTYPE,
	D_NAMETYPE,
	D_EXTERNAL, /* transparent or external name: csp_external */
	D_OUTSIDE,
	D_MODULE, /* or an instance of one */
};

struct csp_constructor {
	uint32_t name;
	struct csp_pos pos;
	struct csp_expr *type; /* or NULL */
	uint32_t slot;	       /* of a subtype: that of the datatype's constructor */
	bool outside;	       /* a channel of csp_declare_process */
};

/* Timed(f) { … }: names of declarations of its own, so that they are looked up once. */
struct csp_timed {
	struct csp_expr *tock;
	struct csp_expr *tocks; /* how many an event takes; NULL: one */
};

/*
 * A scope of names: of a module, or of an instance, which is a copy of what its module declares.
 * Modules are read away: all their declarations are the script's, with this scope.
 */
struct csp_module {
	struct csp_module *up; /* around its text; NULL: the script */
	struct csp_module *at; /* of an instance: where that stands, and its arguments */
	struct csp_module *of; /* of an instance: the module */
	uint32_t number;       /* from 1 */
	uint32_t name;	       /* A::B */
	struct csp_pos pos;
	bool hidden;   /* in front of `exports` */
	bool open;     /* its end is not read yet */
	bool template; /* it or one around it has parameters: it is checked, and has no values */
	bool copied;   /* it stands in an instance */
	const struct csp_token *text; /* behind its name */
	struct csp_timed *timed;
	uint32_t first, end; /* its declarations, and those of all in it */
};

struct csp_decl {
	enum csp_decl_kind kind;
	struct csp_pos pos;
	uint32_t source;
	struct csp_module *module; /* that declares it; NULL: the script */
	struct csp_module *inner;  /* D_MODULE */
	bool hidden;		   /* not exported */
	bool argument;		   /* of an instance: body is looked up where that stands */
	bool timed_tock;	   /* the tock of a timed section: an event */
	bool timed_tocks;	   /* its function: from events to numbers */
	uint32_t name;		   /* but D_VALUE */
	struct csp_expr *pattern, *body;
	struct csp_function *function;
	uint32_t count; /* D_DATATYPE, D_SUBTYPE; D_CHANNEL: 1 */
	struct csp_constructor *constructor;
	csp_outside_steps *steps;
	void *context;
	uint32_t frame; /* locals of pattern, from slot `first` of its frame on */
	uint32_t first;
};

/* How many names of its frame it declares, from d->first on. */
static inline uint32_t csp_decl_slots(const struct csp_decl *d)
{
	if (d->kind == D_VALUE || d->kind == D_PARAMETER)
		return d->frame;
	return d->kind == D_DATATYPE ? d->count + 1 : 1;
}

/* name :: type */
struct csp_annotation {
	struct csp_module *module;
	uint32_t name;
	bool found; /* then it has a slot */
	uint32_t slot;
	struct csp_pos pos;
	struct csp_type *type;
};

struct csp_decls {
	VEC(struct csp_decl) list;
	VEC(struct csp_annotation) annotations;
	uint32_t frame; /* names in all */
	struct csp_expr *let;
};

struct csp_assert {
	struct csp_assertion told;
	struct csp_pos pos;
	struct csp_expr *left, *right; /* right: the implementation of a refinement */
	struct csp_expr **trace;       /* CSP_HAS_TRACE */
	uint32_t trace_length;
	struct csp_expr *below_silent; /* events that silent steps are above; or NULL */
	const char *unknown_model;     /* of a refinement that is read, and not decided */
};

struct csp_script {
	struct csp_decls decls;
	VEC(struct csp_assert) asserts;
	struct intern module_keys;	  /* csp_scope_key */
	VEC(struct csp_module *) modules; /* by key */
	uint32_t scopes;		  /* numbers given to modules */
	uint32_t sections;		  /* timed ones */
};

/* The names of level 0: what is built in comes first. */
struct csp_globals {
	VEC(uint32_t) slot_of; /* by name; INTERN_NONE: none */
	struct intern keys;    /* csp_scope_key, of the names of modules */
	VEC(uint32_t) slot_of_key;
	VEC(bool) constant; /* by slot: a channel or constructor, in patterns as well */
	VEC(bool) hidden;   /* by slot: its module does not export it */
	VEC(bool) shadowed; /* by slot: a later text declares the same name */
	VEC(struct csp_module *) module; /* by slot: it is one */
	struct csp_env *frame;		 /* eval.h */
	struct csp_type **type;		 /* by slot: types.h */
};

/* Adds what the file declares to csp->script. */
void csp_parse(struct csp *csp, uint32_t file, const char *path);
/* The text of a file as one expression. */
struct csp_expr *csp_parse_expression(struct csp *csp, uint32_t file);

/*
 * Finds what each name of the script stands for; a name that is known nowhere is an error. After
 * it, single expressions may be resolved.
 */
void csp_resolve(struct csp *csp);
void csp_resolve_expression(struct csp *csp, struct csp_expr *e);

#endif
