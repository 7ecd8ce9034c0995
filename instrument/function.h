/* SPDX-License-Identifier: MIT */
/*
 * A function under work. First it is read: every argument and instruction of a block that can be
 * reached is a node, in an order in which definitions come before their uses (phis apart); what
 * gets hooks is an action. Then slice.c finds what depends on what. Only then is code changed
 * (rewrite.c): a value that replaces another stands for the same node.
 */
#ifndef INSTRUMENT_FUNCTION_H
#define INSTRUMENT_FUNCTION_H

#include "instrument/callee.h"
#include "instrument/map.h"
#include "instrument/module.h"
#include "instrument/private.h"
#include "instrument/scope.h"

enum role {
	ROLE_OPAQUE,   /* load without a hook, result of what has none: from any earlier read */
	ROLE_FIXED,    /* comes from no read */
	ROLE_READ,     /* a read whose hook tells its position */
	ROLE_ARGUMENT, /* what it came from the caller tells, if that has hooks */
	ROLE_RESULT,   /* likewise, what was called */
	ROLE_PART,     /* likewise: one of a pair that it gave back */
	ROLE_SEEN,     /* a result that comes from what a library function has read */
	ROLE_FLOW,     /* computed from its operands */
	ROLE_PHI,
	ROLE_SWAP_PART, /* extractvalue of a compare and swap */
};

/*
 * Dependences of a value: positions in the log, as items. An item is the number of a node that has
 * a position at run time: a read; what is told of by a record of its own, where it is made (a
 * computed value that would have more than three dependences, or that goes round a loop or to
 * another function; what is opaque); an argument or result; or a phi, with which a position goes
 * along: from each way in, that of the value that comes that way. So positions are exact, round
 * loops too. A position is 0 if the value depends on nothing at run time.
 *
 * Opaque values that an address is computed from are pinned (doc/recording.md), and add nothing.
 */
struct deps {
	uint8_t n;
	uint32_t item[SITE_DEPENDS_MAX];
};

/* For an expression: its value, which depends on nothing. Only if others do has it a position. */
#define ITEM_FIXED 0x80000000u
#define ITEM_NODE(item) ((item) & ~ITEM_FIXED)

struct node {
	LLVMValueRef value;
	LLVMValueRef position; /* once it was asked for; of a read, once it is rewritten */
	LLVMValueRef from;     /* of a read of errno: the call that has set it */
	uint8_t role;
	bool pinned, visited;
	bool addressed; /* an address is computed from it */
	bool told;	/* computed, with a position of its own */
	bool carries;	/* a phi whose position is that of its own value */
	struct deps deps;
};

/* Of several values: any number, each once. */
struct items {
	uint32_t *at;
	size_t n, capacity;
};

void items_add(struct items *items, const struct deps *deps);

/* What stands in the log for a node that is told; before code changes. */
struct tell {
	uint32_t node;
	struct site site;
	struct items items;
};

enum action_kind {
	ACTION_READ,
	ACTION_WRITE,
	ACTION_RMW,
	ACTION_SWAP,
	ACTION_WIDE, /* an atomic access for which there is no hook: it keeps its order */
	ACTION_READ_RANGE,
	ACTION_WRITE_RANGE,
	ACTION_COPY,
	ACTION_FILL,
	ACTION_DECIDE, /* br, switch, indirectbr */
	ACTION_PASS,   /* a call with arguments that are passed as copies */
	ACTION_CALL,   /* of what may have no hooks, or may take arguments' dependences */
	ACTION_RETURN, /* of a value */
};

struct action {
	enum action_kind kind;
	uint32_t node;
	struct site site;     /* for a copy: of the read */
	struct site second;   /* of a copy's write, of a compare and swap's branch */
	struct deps values;   /* what its value or condition depends on */
	struct deps address;  /* of a single access */
	struct deps outcome;  /* of a compare and swap's branch */
	struct deps expected; /* of what a compare and swap compares with */
	bool guarded;	      /* a branch before it has the dependences of its address */
	/* Of a read, once it is rewritten: its hook; a compare and swap's branch and success. */
	LLVMValueRef hook, branch, success;
};

struct unfilled {
	uint32_t node;
	LLVMValueRef positions;
};

struct function {
	struct module *module;
	LLVMValueRef llvm;
	bool gets_out; /* code without hooks may call it */
	struct privacy privacy;
	struct scopes scopes;
	VEC(struct node) nodes;
	struct map numbers; /* of nodes, by value */
	VEC(struct action) actions;
	VEC(struct tell) tells;
	VEC(struct unfilled) unfilled; /* phis whose positions have no operands yet */
	uint32_t rest;		       /* the node of all arguments without names */
	LLVMValueRef taken;	       /* slots.c: what the entry found, if that was asked for */
	LLVMValueRef own;	       /* likewise: its address */
	struct map temporaries;	       /* by type: numbers in temporary */
	VEC(LLVMValueRef) temporary;
	LLVMValueRef state; /* unseen.c: __norn_state, if it was asked for */
};

struct values {
	LLVMValueRef *at;
	size_t n, capacity;
};

int function_instrument(struct module *module, LLVMValueRef function, struct err *err);

/* Nodes and actions (read.c) */
void function_read(struct function *f);
uint32_t function_node(const struct function *f, LLVMValueRef value); /* MAP_NONE: constants */

/* The scope that ends where the phi stands, if its branch depends on something; NULL. */
struct scope *function_scope(const struct function *f, LLVMValueRef phi);
bool function_scope_counts(const struct function *f, const struct scope *scope);

/* After function_slice: locals that have to have hooks (locals.c). True: all is to be done again.
 */
bool function_open_locals(struct function *f);

/* What depends on what (slice.c); fills `values` and `address` of every action, pins and tells. */
void function_slice(struct function *f);
/* Of operand `value`. */
struct deps function_deps(const struct function *f, LLVMValueRef value);
bool deps_union(struct deps *to, const struct deps *from); /* false: too many */
/*
 * The node whose position is that of this value, since the two are the same number; MAP_NONE: it is
 * computed, or comes from no read.
 */
uint32_t function_same(const struct function *f, LLVMValueRef value);
/* A node for a constant, which depends on nothing. */
uint32_t function_constant(struct function *f, LLVMValueRef value);

/* Is argument `a` of the call passed as a copy of memory that others may see? */
bool function_passes_copy(struct function *f, LLVMValueRef call, unsigned a);

/* The operands of an action that must be what they were for it to happen at this place. */
void action_places(struct function *f, const struct action *action, struct values *to);
/* The values that it writes, decides by, or gives to a call. */
void action_values(struct function *f, const struct action *action, struct values *to);

/* Sites: what is known of a place before code changes (place.c). */
void action_describe(struct function *f, struct action *action);

/* Code (rewrite.c and others) */
int function_rewrite(struct function *f, struct err *err);

#endif
