/* SPDX-License-Identifier: MIT */
/* What depends on what: doc/recording.md, "What depends on what". */
#include "instrument/edges.h"
#include "instrument/formula.h"
#include "instrument/function.h"
#include "instrument/leaving.h"
#include "instrument/parts.h"
#include "instrument/slots.h"

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
	for (unsigned i = 0; i < from->n; i++)
		if (!deps_add(to, from->item[i]))
			return false;
	return true;
}

void items_add(struct items *items, const struct deps *deps)
{
	for (unsigned d = 0; d < deps->n; d++) {
		size_t at = 0;
		while (at < items->n && items->at[at] != deps->item[d])
			at++;
		if (at == items->n)
			vec_push(items, deps->item[d]);
	}
}

struct deps function_deps(const struct function *f, LLVMValueRef value)
{
	uint32_t node = function_node(f, value);
	struct deps none = {0};
	/* An instruction that is no node is in code that cannot be reached. */
	return node != MAP_NONE ? f->nodes.at[node].deps : none;
}

static const struct deps no_deps = {0};

static struct deps itself(uint32_t number)
{
	return (struct deps){.n = 1, .item = {number}};
}

static bool add_operand(const struct function *f, struct deps *deps, LLVMValueRef operand)
{
	if (LLVMValueIsBasicBlock(operand))
		return true;
	struct deps more = function_deps(f, operand);
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

/* What it is computed from. */
static void operands_of(const struct node *node, struct values *to)
{
	LLVMValueRef value = node->value;
	to->n = 0;
	if (node->from) {
		vec_push(to, node->from);
		return;
	}
	if (node->role == ROLE_SWAP_PART || node->role == ROLE_READ) {
		LLVMValueRef swap = node->role == ROLE_READ ? value : swap_of(value);
		if (node->role == ROLE_SWAP_PART)
			vec_push(to, swap);
		if (LLVMIsAAtomicCmpXchgInst(swap))
			vec_push(to, LLVMGetOperand(swap, 1));
		return;
	}
	int n = callee_is_call(value) ? (int)LLVMGetNumArgOperands(value)
				      : LLVMGetNumOperands(value);
	for (int i = 0; i < n; i++)
		vec_push(to, LLVMGetOperand(value, (unsigned)i));
}

/* Of a compare and swap as a whole: what it expected decides whether it succeeded. */
static bool read_deps(const struct function *f, uint32_t number, struct deps *deps)
{
	LLVMValueRef value = f->nodes.at[number].value;
	*deps = itself(number);
	return !LLVMIsAAtomicCmpXchgInst(value) || add_operand(f, deps, LLVMGetOperand(value, 1));
}

static bool flow_deps(const struct function *f, const struct node *node, struct deps *deps)
{
	*deps = no_deps;
	if (node->role == ROLE_SWAP_PART) {
		LLVMValueRef swap = swap_of(node->value);
		return deps_add(deps, function_node(f, swap)) &&
		       (!is_success(node->value) || add_operand(f, deps, LLVMGetOperand(swap, 1)));
	}
	struct values operands = {0};
	bool fits = true;
	operands_of(node, &operands);
	for (size_t i = 0; fits && i < operands.n; i++)
		fits = add_operand(f, deps, operands.at[i]);
	vec_release(&operands);
	return fits;
}

bool function_scope_counts(const struct function *f, const struct scope *scope)
{
	return !scope->pointless && function_deps(f, LLVMGetCondition(scope->branch)).n > 0;
}

struct scope *function_scope(const struct function *f, LLVMValueRef phi)
{
	struct scope *scope = scopes_of_phi(&f->scopes, phi);
	return scope && function_scope_counts(f, scope) ? scope : NULL;
}

/* Behind an arm that may be skipped, it depends on whether it was. */
static struct deps phi_deps(const struct function *f, uint32_t number)
{
	LLVMValueRef phi = f->nodes.at[number].value;
	if (function_scope(f, phi))
		return itself(number);
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (function_deps(f, LLVMGetIncomingValue(phi, i)).n)
			return itself(number);
	return no_deps;
}

/* False: there are too many. */
static bool node_deps(const struct function *f, uint32_t number, struct deps *deps)
{
	const struct node *node = &f->nodes.at[number];
	*deps = no_deps;
	if (node->pinned || node->role == ROLE_FIXED)
		return true;
	if (node->told) {
		*deps = itself(number);
		return true;
	}
	switch ((enum role)node->role) {
	case ROLE_READ: return read_deps(f, number, deps);
	case ROLE_PHI: *deps = phi_deps(f, number); return true;
	case ROLE_FLOW:
	case ROLE_SWAP_PART: return flow_deps(f, node, deps);
	default: *deps = itself(number); return true;
	}
}

static bool deps_equal(const struct deps *a, const struct deps *b)
{
	return a->n == b->n && !memcmp(a->item, b->item, a->n * sizeof(*a->item));
}

/* Gives the value a position of its own. False: it has one, or cannot have one. */
static bool tell(struct function *f, LLVMValueRef value)
{
	uint32_t number = function_node(f, value);
	struct node *node = number == MAP_NONE ? NULL : &f->nodes.at[number];
	if (!node || node->told || node->pinned ||
	    (node->role != ROLE_FLOW && node->role != ROLE_SWAP_PART))
		return false;
	node->told = true;
	return true;
}

static bool tell_if_many(struct function *f, LLVMValueRef value)
{
	return function_deps(f, value).n > 1 && tell(f, value);
}

/* Too many are made fewer: of the operands each is told, else the value itself. */
static void make_fewer(struct function *f, uint32_t number)
{
	struct values operands = {0};
	bool fewer = false;
	operands_of(&f->nodes.at[number], &operands);
	for (size_t i = 0; i < operands.n; i++)
		fewer |= !LLVMValueIsBasicBlock(operands.at[i]) && tell_if_many(f, operands.at[i]);
	if (!fewer)
		f->nodes.at[number].told = true;
	vec_release(&operands);
}

enum sweep { SWEEP_STABLE, SWEEP_CHANGED, SWEEP_TOLD };

static enum sweep sweep(struct function *f)
{
	enum sweep result = SWEEP_STABLE;
	for (uint32_t i = 0; i < f->nodes.n; i++) {
		struct deps deps;
		if (!node_deps(f, i, &deps)) {
			make_fewer(f, i);
			result = SWEEP_TOLD;
			continue;
		}
		if (deps_equal(&deps, &f->nodes.at[i].deps))
			continue;
		f->nodes.at[i].deps = deps;
		if (result == SWEEP_STABLE)
			result = SWEEP_CHANGED;
	}
	return result;
}

/*
 * Until nothing changes: phis of loops see what comes round. Dependences only grow, up to a limit,
 * so there is an end. What is told from then on is one dependence, and what was computed from it
 * has to be found anew.
 */
static void settle(struct function *f)
{
	enum sweep result;
	do {
		for (size_t i = 0; i < f->nodes.n; i++)
			f->nodes.at[i].deps = no_deps;
		while ((result = sweep(f)) == SWEEP_CHANGED)
			;
	} while (result == SWEEP_TOLD);
}

/*
 * Pins what is opaque among all that this address was computed from. Of arguments and results that
 * is decided at run time.
 */
static void pin(struct function *f, LLVMValueRef address)
{
	VEC(uint32_t) queue = {0};
	struct values operands = {0};
	uint32_t number = function_node(f, address);
	if (number != MAP_NONE)
		vec_push(&queue, number);
	while (queue.n) {
		struct node *node = &f->nodes.at[queue.at[--queue.n]];
		if (node->visited)
			continue;
		node->visited = node->addressed = true;
		if (node->role == ROLE_OPAQUE)
			node->pinned = true;
		bool old = node->role == ROLE_SWAP_PART && !is_success(node->value);
		if (old || (node->role != ROLE_FLOW && node->role != ROLE_PHI &&
			    node->role != ROLE_SWAP_PART))
			continue;
		operands_of(node, &operands);
		for (size_t i = 0; i < operands.n; i++)
			if ((number = function_node(f, operands.at[i])) != MAP_NONE)
				vec_push(&queue, number);
	}
	vec_release(&operands);
	vec_release(&queue);
}

static bool is_pointer(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* Arguments that a function with hooks gets are told of; it is its business what it does with them.
 */
static bool may_take(LLVMValueRef call)
{
	struct callee callee = callee_of(call);
	return slots_may_take(&callee);
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
			if (is_pointer(LLVMGetOperand(i, a)) && !may_take(i) &&
			    !leaving_argument(i, a))
				vec_push(to, LLVMGetOperand(i, a));
		break;
	case ACTION_DECIDE:
	case ACTION_RETURN: break;
	}
}

/* A pair is two. */
static void add_results(LLVMValueRef leave, struct values *to)
{
	LLVMValueRef result = LLVMGetOperand(leave, 0), parts[2] = {result};
	unsigned n = parts_of(result, parts) ? 2 : 1;
	for (unsigned i = 0; i < n; i++)
		vec_push(to, parts[i]);
}

void action_values(struct function *f, const struct action *action, struct values *to)
{
	LLVMValueRef i = f->nodes.at[action->node].value;
	to->n = 0;
	switch (action->kind) {
	case ACTION_WRITE:
	case ACTION_WRITE_RANGE: vec_push(to, LLVMGetOperand(i, 0)); break;
	case ACTION_RETURN: add_results(i, to); break;
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
			if ((!is_pointer(LLVMGetOperand(i, a)) || may_take(i)) &&
			    !leaving_argument(i, a) && !leaving_measured(i, a))
				vec_push(to, LLVMGetOperand(i, a));
		break;
	default: break;
	}
}

static bool keeps_number(const struct function *f, LLVMValueRef cast)
{
	switch (LLVMGetInstructionOpcode(cast)) {
	case LLVMFreeze:
	case LLVMBitCast: return true;
	case LLVMZExt: { /* a boolean is less than the byte that was read */
		LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(cast, 0));
		return LLVMGetTypeKind(from) == LLVMIntegerTypeKind &&
		       LLVMGetIntTypeWidth(from) > 1;
	}
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		return LLVMSizeOfTypeInBits(f->module->layout, LLVMTypeOf(cast)) ==
		       LLVMSizeOfTypeInBits(f->module->layout, LLVMTypeOf(LLVMGetOperand(cast, 0)));
	default: return false;
	}
}

uint32_t function_same(const struct function *f, LLVMValueRef value)
{
	for (;;) {
		uint32_t number = function_node(f, value);
		const struct node *node = number == MAP_NONE ? NULL : &f->nodes.at[number];
		if (!node || node->pinned)
			return MAP_NONE;
		if (node->told)
			return number;
		switch ((enum role)node->role) {
		case ROLE_FIXED: return MAP_NONE;
		case ROLE_OPAQUE:
		case ROLE_ARGUMENT:
		case ROLE_RESULT:
		case ROLE_PART:
		case ROLE_SEEN: return number;
		case ROLE_READ: return LLVMIsAAtomicCmpXchgInst(value) ? MAP_NONE : number;
		case ROLE_PHI: return node->carries && node->deps.n ? number : MAP_NONE;
		case ROLE_SWAP_PART:
			return is_success(value) ? MAP_NONE : function_node(f, swap_of(value));
		case ROLE_FLOW:
			if (!keeps_number(f, value))
				return MAP_NONE;
			value = LLVMGetOperand(value, 0);
		}
	}
}

/*
 * Does this come round a loop with nothing but constants added? A counter that starts from a read
 * is not worth a record each time.
 */
static bool only_steps(const struct function *f, uint32_t phi, LLVMValueRef value)
{
	uint32_t number = function_node(f, value);
	while (number != MAP_NONE && number != phi && f->nodes.at[number].role == ROLE_FLOW) {
		value = f->nodes.at[number].value;
		for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(value); i++)
			if (!LLVMIsConstant(LLVMGetOperand(value, i)))
				return false;
		number = function_node(f, LLVMGetOperand(value, 0));
	}
	return number == phi;
}

/* Has what comes this way a position, or could it have one that says more than what it is from? */
static bool way_carries(struct function *f, uint32_t phi, LLVMValueRef value)
{
	return !function_deps(f, value).n || function_same(f, value) != MAP_NONE ||
	       (!only_steps(f, phi, value) && formula_exists(f, value));
}

static bool carries(struct function *f, uint32_t number)
{
	LLVMValueRef phi = f->nodes.at[number].value;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (!way_carries(f, number, LLVMGetIncomingValue(phi, i)))
			return false;
	return true;
}

/* All phis at first, then without those that something else comes into. */
static void find_carriers(struct function *f)
{
	uint32_t n = (uint32_t)f->nodes.n;
	for (uint32_t i = 0; i < n; i++)
		f->nodes.at[i].carries = f->nodes.at[i].role == ROLE_PHI && f->nodes.at[i].deps.n;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < n; i++)
			if (f->nodes.at[i].carries && !carries(f, i)) {
				f->nodes.at[i].carries = false;
				changed = true;
			}
	}
}

/* What comes into such a phi and is computed is told; into others, what has many dependences. */
static bool tell_ways(struct function *f)
{
	bool told = false;
	for (uint32_t i = 0; i < f->nodes.n; i++) {
		const struct node *node = &f->nodes.at[i];
		bool phi = node->role == ROLE_PHI && node->deps.n;
		for (unsigned k = 0; phi && k < LLVMCountIncoming(node->value); k++) {
			LLVMValueRef in = LLVMGetIncomingValue(node->value, k);
			unsigned n = function_deps(f, in).n;
			if (n > !node->carries && function_same(f, in) == MAP_NONE)
				told |= tell(f, in);
		}
	}
	return told;
}

static bool is_function(struct function *f, LLVMValueRef value)
{
	uint32_t number = function_node(f, value);
	return number != MAP_NONE && LLVMIsACallInst(value) &&
	       f->nodes.at[number].role == ROLE_FLOW && f->nodes.at[number].deps.n;
}

/* A function of another one: the formula of each has its arguments many times. */
static bool tell_nested(struct function *f)
{
	bool told = false;
	for (uint32_t i = 0; i < f->nodes.n; i++) {
		LLVMValueRef call = f->nodes.at[i].value;
		for (unsigned a = 0; is_function(f, call) && a < LLVMGetNumArgOperands(call); a++)
			if (is_function(f, LLVMGetOperand(call, a)))
				told |= tell(f, LLVMGetOperand(call, a));
	}
	return told;
}

/* Which function it is has to stay, and not all that this came from. */
static bool tell_called(struct function *f, LLVMValueRef called)
{
	return function_deps(f, called).n && function_same(f, called) == MAP_NONE &&
	       tell(f, called);
}

static void measured_values(LLVMValueRef call, struct values *to)
{
	for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
		if (leaving_measured(call, a))
			vec_push(to, LLVMGetOperand(call, a));
}

/* What is given to another function, or back to it, is told unless it has a position already. */
static bool tell_given(struct function *f, const struct action *action)
{
	struct values values = {0};
	bool told = false;
	LLVMValueRef i = f->nodes.at[action->node].value;
	if (action->kind == ACTION_RETURN || (action->kind == ACTION_CALL && may_take(i)))
		action_values(f, action, &values);
	else if (action->kind == ACTION_CALL)
		measured_values(i, &values);
	if (action->kind == ACTION_CALL && tell_called(f, LLVMGetCalledValue(i)))
		told = true;
	for (size_t v = 0; v < values.n; v++)
		if (function_deps(f, values.at[v]).n && function_same(f, values.at[v]) == MAP_NONE)
			told |= tell(f, values.at[v]);
	vec_release(&values);
	return told;
}

/* How many positions its hook takes: for its value, and then for its address. 0: none. */
static unsigned room_of(const struct function *f, const struct action *action)
{
	LLVMValueRef i = f->nodes.at[action->node].value;
	switch (action->kind) {
	case ACTION_READ:
		return LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic ? SITE_DEPENDS_MAX : 2;
	case ACTION_WRITE: return SITE_DEPENDS_MAX;
	case ACTION_RMW:
	case ACTION_SWAP: return 2;
	default: return 0;
	}
}

static bool union_of(const struct function *f, const struct values *values, struct deps *deps)
{
	*deps = no_deps;
	for (size_t i = 0; i < values->n; i++)
		if (!add_operand(f, deps, values->at[i]))
			return false;
	return true;
}

static LLVMValueRef address_of(const struct function *f, const struct action *action)
{
	return LLVMGetOperand(f->nodes.at[action->node].value,
			      action->kind == ACTION_WRITE ? 1 : 0);
}

/* So that what its value and its address depend on has room. */
static bool tell_for_room(struct function *f, const struct action *action)
{
	unsigned room = room_of(f, action), n = 0;
	struct values operands = {0};
	bool told = false;
	if (!room)
		return false;
	action_values(f, action, &operands);
	vec_push(&operands, address_of(f, action));
	for (size_t o = 0; o < operands.n; o++)
		n += function_deps(f, operands.at[o]).n;
	for (size_t o = 0; o < operands.n && n > room; o++) {
		unsigned own = function_deps(f, operands.at[o]).n;
		if (tell_if_many(f, operands.at[o])) {
			n -= own - 1;
			told = true;
		}
	}
	vec_release(&operands);
	return told;
}

/*
 * Of `cells[x & 3]` only the place has to stay, and not x. The site of a read has the expression of
 * its address, that of a write has another one: so this is told.
 */
static bool tell_folded(struct function *f, const struct action *action)
{
	if (action->kind != ACTION_WRITE && action->kind != ACTION_RMW &&
	    action->kind != ACTION_SWAP)
		return false;
	LLVMValueRef address = address_of(f, action);
	return formula_folds(f, address) && function_same(f, address) == MAP_NONE &&
	       tell(f, address);
}

static void fill_action(struct function *f, struct action *action)
{
	struct values values = {0};
	if (action->kind != ACTION_CALL && action->kind != ACTION_WIDE) {
		action_values(f, action, &values);
		bool fits = union_of(f, &values, &action->values);
		ASSERT(fits);
	}
	if (room_of(f, action))
		action->address = function_deps(f, address_of(f, action));
	vec_release(&values);
}

/* If that is few, with an expression; what that adds is told, too. */
static void add_expression(struct function *f, LLVMValueRef value, struct tell *told)
{
	struct deps deps = no_deps;
	if (told->items.n > SITE_DEPENDS_MAX)
		return;
	for (; deps.n < told->items.n; deps.n++)
		deps.item[deps.n] = told->items.at[deps.n];
	told->site.expression = formula_told(f, value, &deps);
	items_add(&told->items, &deps);
}

static void describe_tell(struct function *f, uint32_t number)
{
	struct tell told = {.node = number, .site = {.kind = SITE_VALUE, .flags = SITE_EXACT}};
	LLVMValueRef value = f->nodes.at[number].value;
	struct values operands = {0};
	debug_locate(&f->module->debug, &f->module->table, value, &told.site);
	operands_of(&f->nodes.at[number], &operands);
	for (size_t i = 0; i < operands.n; i++) {
		struct deps more = LLVMValueIsBasicBlock(operands.at[i])
					   ? no_deps
					   : function_deps(f, operands.at[i]);
		items_add(&told.items, &more);
	}
	add_expression(f, value, &told);
	vec_push(&f->tells, told);
	vec_release(&operands);
}

/* A result that there is no place behind for a record of it, before others come by. */
static bool has_no_place(const struct node *node)
{
	return LLVMIsACallBrInst(node->role == ROLE_PART ? LLVMGetOperand(node->value, 0)
							 : node->value);
}

static void pin_at_once(struct function *f)
{
	for (size_t i = 0; i < f->nodes.n; i++)
		if (has_no_place(&f->nodes.at[i]))
			f->nodes.at[i].pinned = true;
}

static void find_pointless(struct function *f)
{
	for (size_t i = 0; i < f->nodes.n; i++) {
		const struct node *node = &f->nodes.at[i];
		struct scope *scope = node->addressed && node->role == ROLE_PHI
					      ? scopes_of_phi(&f->scopes, node->value)
					      : NULL;
		if (scope)
			scope->pointless = true;
	}
}

/* An expression of any size is a chain of short ones: the operands of a long one are told. */
static bool tell_parts(struct function *f, LLVMValueRef value)
{
	uint32_t number = function_node(f, value);
	struct values operands = {0};
	struct deps deps;
	bool told = false;
	if (number == MAP_NONE || f->nodes.at[number].role != ROLE_FLOW ||
	    !f->nodes.at[number].deps.n)
		return false;
	operands_of(&f->nodes.at[number], &operands);
	for (size_t i = operands.n; i--;)
		if (LLVMValueIsBasicBlock(operands.at[i]))
			operands.at[i] = operands.at[--operands.n];
	if (union_of(f, &operands, &deps) && formula_is_long(f, value, &deps))
		for (size_t i = 0; i < operands.n; i++)
			if (function_deps(f, operands.at[i]).n &&
			    function_same(f, operands.at[i]) == MAP_NONE)
				told |= tell(f, operands.at[i]);
	vec_release(&operands);
	return told;
}

static bool tell_long(struct function *f)
{
	bool told = false;
	for (uint32_t i = 0; i < f->nodes.n; i++)
		told |= f->nodes.at[i].told && tell_parts(f, f->nodes.at[i].value);
	return told;
}

static bool tell_long_values(struct function *f, const struct action *action)
{
	struct values values = {0};
	bool told = false;
	if (action->kind != ACTION_CALL && action->kind != ACTION_WIDE)
		action_values(f, action, &values);
	for (size_t i = 0; i < values.n; i++)
		told |= tell_parts(f, values.at[i]);
	vec_release(&values);
	return told;
}

static bool tell_for_actions(struct function *f)
{
	bool told = false;
	for (size_t i = 0; i < f->actions.n; i++) {
		told |= tell_given(f, &f->actions.at[i]);
		told |= tell_folded(f, &f->actions.at[i]);
		told |= tell_for_room(f, &f->actions.at[i]);
		told |= tell_long_values(f, &f->actions.at[i]);
	}
	return told | tell_long(f);
}

void function_slice(struct function *f)
{
	struct values operands = {0};
	pin_at_once(f);
	for (size_t i = 0; i < f->actions.n; i++) {
		action_places(f, &f->actions.at[i], &operands);
		for (size_t j = 0; j < operands.n; j++)
			pin(f, operands.at[j]);
	}
	vec_release(&operands);
	find_pointless(f);
	settle(f);
	find_carriers(f);
	bool ways = tell_ways(f), nested = tell_nested(f);

	if (ways || nested)
		settle(f);
	while (tell_for_actions(f))
		settle(f);
	for (size_t i = 0; i < f->actions.n; i++)
		fill_action(f, &f->actions.at[i]);
	for (uint32_t i = 0, n = (uint32_t)f->nodes.n; i < n; i++)
		if (f->nodes.at[i].told)
			describe_tell(f, i);
}
