/* What depends on what: doc/recording.md, "What depends on what". */
#include "instrument/function.h"
#include "instrument/leaving.h"

#include <string.h>

static bool deps_add(struct deps *deps, uint32_t item)
{
	for (unsigned i = 0; i < deps->n; i++)
		if (deps->item[i] == item)
			return true;
	if (deps->n == SITE_DEPENDS_MAX)
		return false;
	deps->item[deps->n++] = item;
	return true;
}

bool deps_union(struct deps *to, const struct deps *from)
{
	to->opaque |= from->opaque;
	for (unsigned i = 0; i < from->n; i++)
		if (!deps_add(to, from->item[i]))
			return false;
	return true;
}

struct deps function_deps(const struct function *f, LLVMValueRef value, enum view view)
{
	uint32_t node = function_node(f, value);
	if (node != MAP_NONE)
		return f->nodes.at[node].deps[view];
	/* An instruction that is no node is in code that cannot be reached. */
	struct deps none = {.opaque = LLVMIsAInstruction(value) && view == VIEW_VALUE};
	return none;
}

static const struct deps opaque_deps = {.opaque = true};
static const struct deps no_deps = {0};

static bool add_operand(const struct function *f, struct deps *deps, LLVMValueRef operand,
			enum view view)
{
	if (LLVMValueIsBasicBlock(operand))
		return true;
	struct deps more = function_deps(f, operand, view);
	return deps_union(deps, &more);
}

/* The compare and swap that this is a part of. */
static LLVMValueRef swap_of(LLVMValueRef part)
{
	return LLVMGetOperand(part, 0);
}

static bool is_success(LLVMValueRef part)
{
	return LLVMGetIndices(part)[0] == 1;
}

static bool flow_deps(const struct function *f, const struct node *node, enum view view,
		      struct deps *deps)
{
	*deps = no_deps;
	if (node->role == ROLE_SWAP_PART) {
		LLVMValueRef swap = swap_of(node->value);
		return deps_add(deps, ITEM_READ(function_node(f, swap))) &&
		       (!is_success(node->value) ||
			add_operand(f, deps, LLVMGetOperand(swap, 1), view));
	}
	int n = callee_is_call(node->value) ? (int)LLVMGetNumArgOperands(node->value)
					    : LLVMGetNumOperands(node->value);
	for (int i = 0; i < n; i++)
		if (!add_operand(f, deps, LLVMGetOperand(node->value, (unsigned)i), view))
			return false;
	return true;
}

static struct deps phi_deps(const struct function *f, uint32_t number, enum view view)
{
	LLVMValueRef phi = f->nodes.at[number].value;
	struct deps deps = no_deps;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		struct deps in = function_deps(f, LLVMGetIncomingValue(phi, i), view);
		deps.opaque |= in.opaque;
		if (in.n > deps.n)
			deps.n = in.n;
	}
	if (deps.opaque)
		return opaque_deps;
	for (uint32_t i = 0; i < deps.n; i++)
		deps.item[i] = ITEM_PHI(number, view, i);
	return deps;
}

/* A read that is more than one operand of something else, a compare and swap as a whole. */
static struct deps read_deps(const struct function *f, uint32_t number, enum view view)
{
	LLVMValueRef value = f->nodes.at[number].value;
	struct deps deps = {.n = 1, .item = {ITEM_READ(number)}};
	if (LLVMIsAAtomicCmpXchgInst(value) &&
	    (!add_operand(f, &deps, LLVMGetOperand(value, 1), view) || deps.opaque))
		return view == VIEW_VALUE ? opaque_deps : deps;
	return deps;
}

static struct deps node_deps(struct function *f, uint32_t number, enum view view)
{
	struct node *node = &f->nodes.at[number];
	struct deps deps;
	if (view == VIEW_VALUE && node->pinned)
		return no_deps;
	switch ((enum role)node->role) {
	case ROLE_OPAQUE: return view == VIEW_VALUE ? opaque_deps : no_deps;
	case ROLE_FIXED: return no_deps;
	case ROLE_READ: return read_deps(f, number, view);
	case ROLE_PHI: return phi_deps(f, number, view);
	case ROLE_FLOW:
	case ROLE_SWAP_PART: break;
	}
	if (view == VIEW_ADDRESS && node->overflow)
		return no_deps;
	if (!flow_deps(f, node, view, &deps)) {
		if (view == VIEW_VALUE)
			return opaque_deps;
		node->overflow = true;
		return no_deps;
	}
	return deps.opaque ? opaque_deps : deps;
}

static bool deps_equal(const struct deps *a, const struct deps *b)
{
	return a->opaque == b->opaque && a->n == b->n &&
	       !memcmp(a->item, b->item, a->n * sizeof(*a->item));
}

enum sweep { SWEEP_STABLE, SWEEP_CHANGED, SWEEP_OVERFLOW };

static enum sweep sweep(struct function *f, enum view view)
{
	enum sweep result = SWEEP_STABLE;
	for (uint32_t i = 0; i < f->nodes.n; i++) {
		struct node *node = &f->nodes.at[i];
		bool before = node->overflow;
		struct deps deps = node_deps(f, i, view);
		if (node->overflow != before)
			result = SWEEP_OVERFLOW;
		if (deps_equal(&deps, &node->deps[view]))
			continue;
		node->deps[view] = deps;
		if (result == SWEEP_STABLE)
			result = SWEEP_CHANGED;
	}
	return result;
}

/*
 * Until nothing changes: phis of loops see what comes round. Dependences only grow, up to a limit,
 * so there is an end. What is found to have too many has none from then on, and what was
 * computed from it has to be found anew.
 */
static void settle(struct function *f, enum view view)
{
	enum sweep result;
	do {
		for (size_t i = 0; i < f->nodes.n; i++)
			f->nodes.at[i].deps[view] = no_deps;
		while ((result = sweep(f, view)) == SWEEP_CHANGED)
			;
	} while (result == SWEEP_OVERFLOW);
}

/* Pins what is opaque among all that this address was computed from. */
static void pin(struct function *f, LLVMValueRef address)
{
	VEC(uint32_t) queue = {0};
	uint32_t number = function_node(f, address);
	if (number != MAP_NONE)
		vec_push(&queue, number);
	while (queue.n) {
		struct node *node = &f->nodes.at[queue.at[--queue.n]];
		if (node->visited)
			continue;
		node->visited = true;
		LLVMValueRef value = node->value;
		if (node->role == ROLE_OPAQUE || node->overflow) {
			node->pinned = true;
			continue;
		}
		if (node->role == ROLE_SWAP_PART) {
			if (!is_success(value))
				continue;
			value = LLVMGetOperand(swap_of(value), 1);
			if ((number = function_node(f, value)) != MAP_NONE)
				vec_push(&queue, number);
			continue;
		}
		if (node->role != ROLE_FLOW && node->role != ROLE_PHI)
			continue;
		for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
			if ((number = function_node(f, LLVMGetOperand(value, i))) != MAP_NONE)
				vec_push(&queue, number);
	}
	vec_release(&queue);
}

static bool is_pointer(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

void action_places(struct function *f, const struct action *action, struct values *to)
{
	LLVMValueRef i = f->nodes.at[action->node].value;
	to->n = 0;
	switch (action->kind) {
	case ACTION_READ:
	case ACTION_READ_RANGE:
	case ACTION_RMW: vec_push(to, LLVMGetOperand(i, 0)); break;
	case ACTION_SWAP:
		/* What is expected decides whether this is a write at all. */
		vec_push(to, LLVMGetOperand(i, 0));
		vec_push(to, LLVMGetOperand(i, 1));
		break;
	case ACTION_WRITE:
	case ACTION_WRITE_RANGE: vec_push(to, LLVMGetOperand(i, 1)); break;
	case ACTION_WIDE: vec_push(to, LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0)); break;
	case ACTION_FILL:
		vec_push(to, LLVMGetOperand(i, 0));
		vec_push(to, LLVMGetOperand(i, 2));
		break;
	case ACTION_COPY:
		for (unsigned a = 0; a < 3; a++)
			vec_push(to, LLVMGetOperand(i, a));
		break;
	case ACTION_PASS:
		for (unsigned a = 0; a < LLVMGetNumArgOperands(i); a++)
			if (function_passes_copy(f, i, a))
				vec_push(to, LLVMGetOperand(i, a));
		break;
	case ACTION_CALL:
		vec_push(to, LLVMGetCalledValue(i));
		for (unsigned a = 0; a < LLVMGetNumArgOperands(i); a++)
			if (is_pointer(LLVMGetOperand(i, a)) && !leaving_argument(i, a))
				vec_push(to, LLVMGetOperand(i, a));
		break;
	case ACTION_DECIDE:
	case ACTION_RETURN: break;
	}
}

void action_values(struct function *f, const struct action *action, struct values *to)
{
	LLVMValueRef i = f->nodes.at[action->node].value;
	to->n = 0;
	switch (action->kind) {
	case ACTION_WRITE:
	case ACTION_WRITE_RANGE:
	case ACTION_RETURN: vec_push(to, LLVMGetOperand(i, 0)); break;
	case ACTION_FILL:
	case ACTION_RMW: vec_push(to, LLVMGetOperand(i, 1)); break;
	case ACTION_SWAP:
		vec_push(to, LLVMGetOperand(i, 1));
		vec_push(to, LLVMGetOperand(i, 2));
		break;
	case ACTION_WIDE: {
		unsigned place = LLVMIsAStoreInst(i) ? 1 : 0;
		for (unsigned a = 0; a < (unsigned)LLVMGetNumOperands(i); a++)
			if (a != place)
				vec_push(to, LLVMGetOperand(i, a));
		break;
	}
	case ACTION_DECIDE:
		vec_push(to, LLVMIsABranchInst(i) ? LLVMGetCondition(i) : LLVMGetOperand(i, 0));
		break;
	case ACTION_CALL:
		for (unsigned a = 0; a < LLVMGetNumArgOperands(i); a++)
			if (!is_pointer(LLVMGetOperand(i, a)) && !leaving_argument(i, a))
				vec_push(to, LLVMGetOperand(i, a));
		break;
	default: break;
	}
}

static struct deps union_of(const struct function *f, const struct values *values)
{
	struct deps deps = no_deps;
	for (size_t i = 0; i < values->n; i++)
		if (!add_operand(f, &deps, values->at[i], VIEW_VALUE) || deps.opaque)
			return opaque_deps;
	return deps;
}

/* Is this what a read returned, as far as is known of phis now? */
static bool is_read_value(const struct function *f, LLVMValueRef value)
{
	uint32_t number = function_node(f, value);
	if (number == MAP_NONE)
		return false;
	const struct node *node = &f->nodes.at[number];
	if (node->pinned)
		return false;
	/* A boolean is less than the byte that was read. */
	bool whole = LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind ||
		     LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 1;
	return (node->role == ROLE_READ && whole) ||
	       (node->role == ROLE_SWAP_PART && !is_success(value)) ||
	       (node->role == ROLE_PHI && node->carries);
}

static bool carries(const struct function *f, const struct node *node)
{
	for (unsigned i = 0; i < LLVMCountIncoming(node->value); i++)
		if (!is_read_value(f, LLVMGetIncomingValue(node->value, i)))
			return false;
	return true;
}

/* All phis at first, then without those that something else comes into. */
static void find_carriers(struct function *f)
{
	for (size_t i = 0; i < f->nodes.n; i++)
		f->nodes.at[i].carries = f->nodes.at[i].role == ROLE_PHI && !f->nodes.at[i].pinned;
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < f->nodes.n; i++) {
			struct node *node = &f->nodes.at[i];
			if (node->carries && !carries(f, node)) {
				node->carries = false;
				changed = true;
			}
		}
	}
}

/* That code was unwound to says something of what was called, and that may have read anything. */
static void pin_landing_pads(struct function *f)
{
	for (size_t i = 0; i < f->nodes.n; i++)
		if (LLVMIsALandingPadInst(f->nodes.at[i].value))
			f->nodes.at[i].pinned = true;
}

void function_slice(struct function *f)
{
	struct values operands = {0};
	settle(f, VIEW_ADDRESS);
	pin_landing_pads(f);
	for (size_t i = 0; i < f->actions.n; i++) {
		action_places(f, &f->actions.at[i], &operands);
		for (size_t j = 0; j < operands.n; j++)
			pin(f, operands.at[j]);
	}
	settle(f, VIEW_VALUE);
	find_carriers(f);
	for (size_t i = 0; i < f->actions.n; i++) {
		action_values(f, &f->actions.at[i], &operands);
		f->actions.at[i].values = union_of(f, &operands);
	}
	vec_release(&operands);
}
