/* SPDX-License-Identifier: MIT */
/*
 * Values. What is data can be interned: then equal values are the same pointer. Tails of sequences,
 * arguments and declarations may be thunks, which are evaluated when csp_force meets them.
 */
#ifndef CSP_VALUE_H
#define CSP_VALUE_H

#include "csp/tree.h"

enum csp_value_kind {
	V_NUMBER,
	V_BOOL,
	V_CHAR,
	V_DOT, /* head, if any, and fields so far */
	V_TUPLE,
	V_NIL,	    /* the empty sequence */
	V_CONS,	    /* first, rest */
	V_SET,	    /* interned, in order */
	V_MAP,	    /* key, value, …; keys interned, in order */
	V_FUNCTION, /* interned: what it captures */
	V_PROCESS,
	V_INTS,	    /* all numbers; with n = 1, from number on */
	V_SEQS,	    /* all sequences over the set at[0] */
	V_DATATYPE, /* all of a datatype or subtype; its members are listed when they are needed */
	V_ANY,	    /* Proc, Char: types that are no sets of ours */
	V_FRAME,    /* interned: a let with what it captures */
	V_LOCAL,    /* interned: a declaration under way in frame at[0] */
	V_THUNK,
};

/* Of a channel, or of a constructor of a datatype. */
struct csp_head {
	uint32_t name;
	bool channel;
	bool outside; /* a channel of csp_declare_process */
	bool ready;   /* the fields are known */
	struct csp_pos pos;
	struct csp_expr *type;
	uint32_t arity;
	struct csp_value **field; /* sets */
};

struct csp_datatype {
	uint32_t name;
	struct csp_pos pos;
	uint32_t count;
	struct csp_head **head;
	struct csp_head **fields; /* with the sets that count: of a subtype, its own */
	struct csp_value *members;
	bool running;
};

struct csp_env {
	struct csp_env *up;
	uint32_t level;
	struct csp_decls *decls; /* of a let */
	struct csp_value *frame; /* V_FRAME of it, once it is asked for */
	bool asked;
	struct csp_value *at[];
};

enum csp_thunk_state { THUNK_NEW, THUNK_RUNNING, THUNK_DONE };

struct csp_builtin;
struct csp_process;

struct csp_value {
	uint8_t kind;
	uint8_t state; /* of a thunk */
	bool interned;
	uint32_t n; /* of at */
	uint32_t hash;
	uint32_t event; /* its number, 0: not known */
	union {
		int64_t number;
		struct csp_head *head; /* NULL: a list of values with dots between */
		struct {
			struct csp_function *function; /* NULL: built in */
			const struct csp_builtin *builtin;
		};
		struct csp_process *process;
		void *events;	 /* V_SET: process.h */
		const void *key; /* V_FRAME, V_LOCAL */
		struct csp_datatype *datatype;
		struct csp_value
			*listed; /* V_TUPLE of sets: its members, once they are asked for */
		struct {
			const struct csp_expr *thunk_of; /* V_THUNK */
			struct csp_value *done;
		};
	};
	struct csp_env *env; /* V_FUNCTION, V_THUNK */
	struct csp_value *at[];
};

struct csp_values {
	struct csp_value **slot; /* interned ones, by hash */
	size_t slots, n;
	struct csp_value *nil, *yes, *no, *empty; /* empty: {} */
	VEC(struct csp_value *) events;		  /* by number */
};

void csp_values_init(struct csp *csp);
void csp_values_release(struct csp *csp);

struct csp_value *csp_value_new(struct csp *csp, enum csp_value_kind kind, uint32_t n);
struct csp_value *csp_number(struct csp *csp, int64_t number);
struct csp_value *csp_bool(struct csp *csp, bool yes);
struct csp_value *csp_cons(struct csp *csp, struct csp_value *first, struct csp_value *rest);
struct csp_value *csp_tuple(struct csp *csp, uint32_t n, struct csp_value **at);

/* The one value that is equal to it; forces all of it. pos: where it is wanted. */
struct csp_value *csp_intern(struct csp *csp, struct csp_value *v, struct csp_pos pos);
/* An order of interned values: by kind, then by content. */
int csp_compare(const struct csp_value *a, const struct csp_value *b);
bool csp_equal(struct csp *csp, struct csp_value *a, struct csp_value *b, struct csp_pos pos);

/* As one writes it. */
const char *csp_value_text(struct csp *csp, struct csp_value *v);

/* Evaluates what is a thunk (eval.c). */
struct csp_value *csp_force(struct csp *csp, struct csp_value *v, struct csp_pos pos);
/* The value of a local as part of an identity (capture.c). */
struct csp_value *csp_captured(struct csp *csp, struct csp_env *env, struct csp_slot slot,
			       struct csp_pos pos);
/* What a function captures, interned. */
struct csp_value *csp_intern_function(struct csp *csp, struct csp_value *v, struct csp_pos pos);
/* One value for all that are alike: kind, key and interned parts. */
struct csp_value *csp_intern_parts(struct csp *csp, struct csp_value *v);
/* The same of a value without parts, of which most are there already. */
struct csp_value *csp_intern_plain(struct csp *csp, enum csp_value_kind kind, int64_t number);

#endif
