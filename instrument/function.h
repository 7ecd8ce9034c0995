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

enum role {
	ROLE_OPAQUE, /* argument, result, load without a hook: may come from any earlier read */
	ROLE_FIXED,  /* comes from no read */
	ROLE_READ,   /* a read whose hook tells its position */
	ROLE_FLOW,   /* computed from its operands */
	ROLE_PHI,
	ROLE_SWAP_PART, /* extractvalue of a compare and swap */
};

/*
 * Dependences of a value: positions in the log, as items. An item is a read (its own
 * position), or one of up to three positions that go along with a phi: from each way in, those
 * of the value that comes that way. So positions are exact, round loops too.
 *
 * There are two views. ADDRESS: opaque values add nothing, since they are pinned
 * (doc/recording.md). VALUE: what is not pinned makes all that is computed from it opaque. A value
 * with more than three dependences is opaque itself in both.
 */
enum view { VIEW_ADDRESS, VIEW_VALUE };

struct deps {
	bool opaque;
	uint8_t n;
	uint32_t item[SITE_DEPENDS_MAX];
};

#define ITEM_READ(node) ((uint32_t)(node) << 3 | 3)
#define ITEM_PHI(node, view, slot) ((uint32_t)(node) << 3 | (uint32_t)(view) << 2 | (slot))
#define ITEM_NODE(item) ((item) >> 3)
#define ITEM_VIEW(item) ((item) >> 2 & 1)
#define ITEM_SLOT(item) ((item)&3)

struct node {
	LLVMValueRef value;
	LLVMValueRef position; /* ROLE_READ, once it is rewritten */
	uint32_t phis;	       /* ROLE_PHI: where its positions are in function.phis, + 1 */
	uint8_t role;
	bool overflow; /* more than three dependences, seen from VIEW_ADDRESS */
	bool pinned, visited;
	bool carries; /* a phi that is always what some read returned, unchanged */
	struct deps deps[2];
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
	ACTION_CALL,   /* of what may have no hooks */
	ACTION_RETURN, /* to what may have no hooks */
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

struct function {
	struct module *module;
	LLVMValueRef llvm;
	bool gets_out; /* callee_gets_out */
	struct privacy privacy;
	VEC(struct node) nodes;
	struct map numbers; /* of nodes, by value */
	VEC(struct action) actions;
	VEC(LLVMValueRef) phis; /* positions that go along with phis: 6 each */
	VEC(uint32_t) unfilled; /* of those that have no operands yet: items */
	struct map temporaries; /* by type: numbers in temporary */
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

/* What depends on what (slice.c); fills `values` of every action, and pins. */
void function_slice(struct function *f);
/* Of operand `value`. */
struct deps function_deps(const struct function *f, LLVMValueRef value, enum view view);
bool deps_union(struct deps *to, const struct deps *from); /* false: too many */

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
