/* SPDX-License-Identifier: MIT */
/* What the site table says of an action. */
#include "instrument/formula.h"
#include "instrument/function.h"
#include "instrument/weave.h"

#include <string.h>

static uint8_t c11_order(LLVMAtomicOrdering ordering)
{
	switch (ordering) {
	case LLVMAtomicOrderingNotAtomic: return 0;
	case LLVMAtomicOrderingUnordered:
	case LLVMAtomicOrderingMonotonic: return 1;
	case LLVMAtomicOrderingAcquire: return 3;
	case LLVMAtomicOrderingRelease: return 4;
	case LLVMAtomicOrderingAcquireRelease: return 5;
	case LLVMAtomicOrderingSequentiallyConsistent: return 6;
	}
	return 6;
}

static uint8_t size_of(struct function *f, LLVMTypeRef type)
{
	uint64_t size = LLVMStoreSizeOfType(f->module->layout, type);
	return size < 256 ? (uint8_t)size : 0;
}

static void locate(struct function *f, LLVMValueRef i, struct site *site)
{
	debug_locate(&f->module->debug, &f->module->table, i, site);
}

static void name(struct function *f, LLVMValueRef address, struct site *site)
{
	debug_name(&f->module->debug, &f->module->table, address, site);
}

/* Dependences of value and address share what the hook takes. */
static void share(struct action *action, unsigned slots)
{
	struct site *site = &action->site;
	action->guarded = action->values.n + action->address.n > slots;
	site->values = action->values.n;
	site->addresses = action->guarded ? 0 : action->address.n;
}

/* For an expression: what its value may depend on. */
static unsigned room(const struct action *action, unsigned slots)
{
	return action->guarded ? slots : slots - action->address.n;
}

/* Reads say nothing of values: they have none of their own. */
static void exact(struct function *f, struct action *action, uint32_t expression)
{
	action->site.values = action->values.n;
	action->site.flags |= SITE_EXACT;
	action->site.expression = expression;
	f->module->counts.exact++;
	f->module->counts.expressions += expression != 0;
}

static void describe_load(struct function *f, struct action *action, LLVMValueRef i)
{
	action->site.kind = SITE_READ;
	action->site.order = c11_order(LLVMGetOrdering(i));
	action->site.size = size_of(f, LLVMTypeOf(i));
	action->site.flags = LLVMGetVolatile(i) ? SITE_VOLATILE : 0;
	if (weave_is_mark(f->llvm))
		action->site.flags |= SITE_WATCH;
	name(f, LLVMGetOperand(i, 0), &action->site);
	share(action, action->site.order ? 2 : SITE_DEPENDS_MAX);
	if (action->kind != ACTION_READ || action->site.order || action->guarded ||
	    LLVMGetVolatile(i))
		return;
	action->site.expression = formula_look_up(f, LLVMGetOperand(i, 0), &action->address);
	action->site.addresses = action->address.n;
}

static void describe_store(struct function *f, struct action *action, LLVMValueRef i)
{
	LLVMValueRef value = LLVMGetOperand(i, 0);
	bool range = action->kind == ACTION_WRITE_RANGE;
	bool unknown = range && action->values.n; /* its hook takes no positions */
	if (range)
		action->values.n = 0;
	action->site.kind = SITE_WRITE;
	action->site.order = c11_order(LLVMGetOrdering(i));
	action->site.size = size_of(f, LLVMTypeOf(value));
	action->site.flags = LLVMGetVolatile(i) ? SITE_VOLATILE : 0;
	name(f, LLVMGetOperand(i, 1), &action->site);
	share(action, SITE_DEPENDS_MAX);
	if (unknown)
		return;
	exact(f, action,
	      range ? 0 : formula_value(f, value, &action->values, room(action, SITE_DEPENDS_MAX)));
}

static void describe_rmw(struct function *f, struct action *action, LLVMValueRef i)
{
	bool swap = action->kind == ACTION_SWAP;
	action->site.kind = SITE_RMW;
	action->site.order =
		c11_order(swap ? LLVMGetCmpXchgSuccessOrdering(i) : LLVMGetOrdering(i));
	action->site.size = size_of(f, LLVMTypeOf(LLVMGetOperand(i, 1)));
	name(f, LLVMGetOperand(i, 0), &action->site);
	share(action, 2);
	exact(f, action,
	      swap ? formula_swap(f, i, &action->values, room(action, 2))
		   : formula_rmw(f, i, &action->values, room(action, 2)));
	if (!swap)
		return;
	/* The branch behind it: see rewrite_swap. */
	struct deps deps = {.n = 1, .item = {action->node}};
	action->expected = function_deps(f, LLVMGetOperand(i, 1));
	action->second = action->site;
	action->second.kind = SITE_BRANCH;
	action->second.order = action->second.size = action->second.addresses = 0;
	action->second.flags = SITE_EXACT;
	action->second.expression = 0;
	if (deps_union(&deps, &action->expected))
		action->second.expression = formula_success(f, i, &deps, SITE_DEPENDS_MAX);
	else
		deps = (struct deps){.n = 1, .item = {action->node}};
	action->second.values = deps.n;
	action->outcome = deps;
}

/* Of what is in memory there: a local that stays private has nothing else in it (locals.c). */
static bool comes_from_no_read(struct function *f, LLVMValueRef address)
{
	enum memory memory = private_memory(&f->privacy, address);
	return memory == MEMORY_CONSTANT ||
	       (memory == MEMORY_PRIVATE && LLVMIsAAllocaInst(private_base(address)));
}

static void describe_copy(struct function *f, struct action *action, LLVMValueRef i)
{
	LLVMValueRef from = LLVMGetOperand(i, 1);
	action->second = action->site;
	action->site.kind = SITE_READ;
	action->second.kind = SITE_WRITE;
	name(f, from, &action->site);
	name(f, LLVMGetOperand(i, 0), &action->second);
	if (comes_from_no_read(f, from))
		action->second.flags = SITE_EXACT;
}

static void describe_fill(struct function *f, struct action *action, LLVMValueRef i)
{
	action->site.kind = SITE_WRITE;
	name(f, LLVMGetOperand(i, 0), &action->site);
	if (!action->values.n)
		action->site.flags = SITE_EXACT;
}

static void describe_decision(struct function *f, struct action *action, LLVMValueRef i)
{
	LLVMValueRef on = LLVMIsABranchInst(i) ? LLVMGetCondition(i) : LLVMGetOperand(i, 0);
	bool direct = !LLVMIsAIndirectBrInst(i);
	action->site.kind = LLVMIsABranchInst(i) ? SITE_BRANCH : SITE_SWITCH;
	action->site.values = action->values.n;
	if (action->values.n)
		exact(f, action,
		      direct ? formula_value(f, on, &action->values, SITE_DEPENDS_MAX) : 0);
	if (action->site.expression && LLVMIsASwitchInst(i))
		action->site.ways = formula_ways(f, i);
	const struct scope *scope = scopes_of_branch(&f->scopes, i);
	if (!scope || !function_scope_counts(f, scope))
		return;
	action->site.flags |= scope->arm[0] ? SITE_ARM : 0;
	action->site.flags |= scope->arm[1] ? SITE_ARM_ELSE : 0;
}

static void describe_pass(struct function *f, struct action *action, LLVMValueRef i)
{
	unsigned a = 0;
	while (!function_passes_copy(f, i, a))
		a++;
	action->second = action->site;
	action->second.kind = SITE_WRITE;
	action->site.kind = SITE_READ;
	name(f, LLVMGetOperand(i, a), &action->site);
}

static void describe_call(struct function *f, struct action *action, LLVMValueRef i)
{
	struct callee callee = callee_of(i);
	action->site.kind = SITE_CALL;
	action->site.flags = SITE_EXACT;
	action->site.name = table_name(&f->module->table, callee.name, strlen(callee.name));
}

/* A callback of something without hooks: what that does next depends on what it is told. */
static void describe_return(struct function *f, struct action *action)
{
	size_t length;
	const char *own = LLVMGetValueName2(f->llvm, &length);
	action->site.kind = SITE_CALL;
	action->site.values = action->values.n;
	action->site.flags = SITE_EXACT;
	action->site.name = table_name(&f->module->table, own, length);
}

void action_describe(struct function *f, struct action *action)
{
	LLVMValueRef i = f->nodes.at[action->node].value;
	locate(f, i, &action->site);
	switch (action->kind) {
	case ACTION_READ:
	case ACTION_READ_RANGE: describe_load(f, action, i); break;
	case ACTION_WRITE:
	case ACTION_WRITE_RANGE: describe_store(f, action, i); break;
	case ACTION_RMW:
	case ACTION_SWAP: describe_rmw(f, action, i); break;
	case ACTION_COPY: describe_copy(f, action, i); break;
	case ACTION_FILL: describe_fill(f, action, i); break;
	case ACTION_DECIDE: describe_decision(f, action, i); break;
	case ACTION_PASS: describe_pass(f, action, i); break;
	case ACTION_CALL: describe_call(f, action, i); break;
	case ACTION_WIDE:
		action->site.kind = SITE_CALL;
		action->site.flags = SITE_EXACT;
		break;
	case ACTION_RETURN: describe_return(f, action); break;
	}
}
