/* SPDX-License-Identifier: MIT */
/* Loads, stores and atomic accesses of 1, 2, 4 and 8 bytes. */
#include "instrument/rewrite.h"

#include <stdio.h>

LLVMValueRef access_pointer(struct module *module, LLVMValueRef address)
{
	return LLVMBuildPointerCast(module->builder, address, module->bytes, "");
}

static LLVMTypeRef integer_like(struct module *module, LLVMTypeRef type)
{
	unsigned bits = (unsigned)LLVMSizeOfTypeInBits(module->layout, type);
	return LLVMIntTypeInContext(module->context, bits);
}

LLVMValueRef access_as_i64(struct module *module, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(module->builder, value, module->i64, "");
	if (kind != LLVMIntegerTypeKind)
		value = LLVMBuildBitCast(module->builder, value, integer_like(module, type), "");
	return LLVMBuildZExtOrBitCast(module->builder, value, module->i64, "");
}

LLVMValueRef access_from_i64(struct module *module, LLVMValueRef value, LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMPointerTypeKind)
		return LLVMBuildIntToPtr(module->builder, value, type, "");
	LLVMTypeRef integer = integer_like(module, type);
	value = LLVMBuildTruncOrBitCast(module->builder, value, integer, "");
	return kind == LLVMIntegerTypeKind ? value
					   : LLVMBuildBitCast(module->builder, value, type, "");
}

void access_erase(struct function *f, LLVMValueRef old)
{
	map_put(&f->numbers, old, MAP_NONE);
	LLVMInstructionEraseFromParent(old);
}

void access_replace(struct function *f, LLVMValueRef old, LLVMValueRef with)
{
	uint32_t node = function_node(f, old);
	LLVMReplaceAllUsesWith(old, with);
	f->nodes.at[node].value = with;
	access_erase(f, old);
	map_put(&f->numbers, with, node);
}

static void hook_name(char *to, size_t size, const char *what, unsigned bytes, const char *suffix)
{
	snprintf(to, size, "__norn_%s%u%s", what, bytes, suffix);
}

/* Which arguments of a read's hook are positions: their number, from *first on. */
static unsigned position_arguments(const struct action *action, unsigned *first)
{
	*first = action->kind == ACTION_SWAP || action->kind == ACTION_RMW ? 4 : 2;
	if (action->kind != ACTION_READ || action->site.order)
		return 2;
	return action->site.addresses ? 3 : 0;
}

/* The pair that the hook gives back. Its positions are 0 for now. */
static LLVMValueRef call_read(struct function *f, struct action *action, LLVMValueRef i)
{
	struct module *module = f->module;
	char name[40];
	LLVMValueRef arguments[8];
	unsigned n = 0, first;
	arguments[n++] = access_pointer(module, LLVMGetOperand(i, 0));
	if (action->kind == ACTION_RMW) {
		arguments[n++] = access_as_i64(module, LLVMGetOperand(i, 1));
		arguments[n++] = LLVMConstInt(module->i32, LLVMGetAtomicRMWBinOp(i), 0);
	} else if (action->kind == ACTION_SWAP) {
		arguments[n++] = access_as_i64(module, LLVMGetOperand(i, 1));
		arguments[n++] = access_as_i64(module, LLVMGetOperand(i, 2));
	}
	arguments[n++] = module_site(module, &action->site);
	unsigned positions = position_arguments(action, &first);
	ASSERT(first == n);
	for (unsigned p = 0; p < positions; p++)
		arguments[n++] = module_i64(module, 0);
	const char *what = action->kind == ACTION_RMW	 ? "rmw"
			   : action->kind == ACTION_SWAP ? "swap"
			   : action->site.order		 ? "load"
							 : "read";
	bool at = action->kind == ACTION_READ && !action->site.order && positions;
	hook_name(name, sizeof(name), what, action->site.size,
		  !at			    ? ""
		  : action->site.expression ? "_look"
					    : "_at");
	return module_hook(module, name, module->pair, arguments, n);
}

/*
 * A compare and swap that fails is logged as a read. Had it read something else it might have
 * written, so a branch stops the thread there unless it fails again. If it succeeds, nothing has to
 * be said: the rmw has all that matters.
 */
static LLVMValueRef swap_result(struct function *f, struct action *action, LLVMValueRef i,
				LLVMValueRef old, LLVMValueRef position)
{
	struct module *module = f->module;
	LLVMBuilderRef builder = module->builder;
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 1));
	LLVMValueRef expected = access_as_i64(module, LLVMGetOperand(i, 1));
	LLVMValueRef success = LLVMBuildICmp(builder, LLVMIntEQ, old, expected, "");
	LLVMValueRef result = LLVMGetUndef(LLVMTypeOf(i));
	result = LLVMBuildInsertValue(builder, result, access_from_i64(module, old, type), 0, "");
	result = LLVMBuildInsertValue(builder, result, success, 1, "");
	LLVMValueRef zero = module_i64(module, 0);
	LLVMValueRef own = action->second.expression
				   ? position
				   : LLVMBuildSelect(builder, success, zero, position, "");
	LLVMValueRef arguments[] = {module_site(module, &action->second), own, zero, zero};
	action->branch = module_hook(module, "__norn_branch_from", module->nothing, arguments, 4);
	action->success = success;
	module->counts.branches++;
	return result;
}

void access_read(struct function *f, struct action *action)
{
	struct module *module = f->module;
	LLVMValueRef i = f->nodes.at[action->node].value;
	LLVMPositionBuilderBefore(module->builder, i);
	if (action->site.order || action->kind != ACTION_READ)
		module->counts.atomics++;
	else
		module->counts.reads++;
	LLVMTypeRef type = LLVMTypeOf(action->kind == ACTION_READ ? i : LLVMGetOperand(i, 1));
	LLVMValueRef pair = call_read(f, action, i);
	LLVMValueRef value = LLVMBuildExtractValue(module->builder, pair, 0, "");
	LLVMValueRef position = LLVMBuildExtractValue(module->builder, pair, 1, "");
	LLVMValueRef result = action->kind == ACTION_SWAP
				      ? swap_result(f, action, i, value, position)
				      : access_from_i64(module, value, type);
	action->hook = pair;
	f->nodes.at[action->node].position = position;
	access_replace(f, i, result);
}

/* The branch of a compare and swap: on the way of success it depends on nothing. */
static void finish_swap(struct function *f, struct action *action)
{
	struct module *module = f->module;
	LLVMValueRef positions[SITE_DEPENDS_MAX];
	LLVMPositionBuilderBefore(module->builder, action->branch);
	position_list(f, &action->outcome, action->second.expression, positions, SITE_DEPENDS_MAX);
	for (unsigned i = 1; i < action->outcome.n; i++) {
		if (!action->second.expression)
			positions[i] = LLVMBuildSelect(module->builder, action->success,
						       module_i64(module, 0), positions[i], "");
		LLVMSetOperand(action->branch, i + 1, positions[i]);
	}
	if (action->outcome.n == 1)
		control_guard(f, action->hook, &action->second, 0, action->expected.item,
			      action->expected.n);
}

static void guard(struct function *f, struct action *action, LLVMValueRef before)
{
	if (action->guarded)
		control_guard(f, before, &action->site, SITE_PLACE, action->address.item,
			      action->address.n);
}

/* Values first, then addresses. */
static void all_positions(struct function *f, const struct action *action, LLVMValueRef *to,
			  unsigned slots)
{
	unsigned n = action->values.n < slots ? action->values.n : slots;
	position_list(f, &action->values, action->site.expression, to, slots);
	for (unsigned i = 0; !action->guarded && i < action->address.n && n < slots; i++)
		to[n++] = position_of(f, action->address.item[i]);
}

void access_finish(struct function *f, struct action *action)
{
	unsigned first, n = position_arguments(action, &first);
	LLVMValueRef positions[SITE_DEPENDS_MAX];
	LLVMPositionBuilderBefore(f->module->builder, action->hook);
	all_positions(f, action, positions, n);
	for (unsigned i = 0; i < n; i++)
		LLVMSetOperand(action->hook, first + i, positions[i]);
	if (action->kind == ACTION_SWAP)
		finish_swap(f, action);
	guard(f, action, action->hook);
}

void access_write(struct function *f, struct action *action)
{
	struct module *module = f->module;
	LLVMValueRef i = f->nodes.at[action->node].value;
	LLVMValueRef address = LLVMGetOperand(i, 1), value = LLVMGetOperand(i, 0);
	guard(f, action, i);
	bool atomic = action->site.order;
	bool from = atomic || action->values.n || (!action->guarded && action->address.n);
	LLVMPositionBuilderBefore(module->builder, i);
	LLVMValueRef arguments[6] = {access_pointer(module, address), access_as_i64(module, value),
				     module_site(module, &action->site)};
	if (from)
		all_positions(f, action, arguments + 3, SITE_DEPENDS_MAX);
	char name[40];
	hook_name(name, sizeof(name), atomic ? "store" : "write", action->site.size,
		  atomic || !from    ? ""
		  : action->values.n ? "_from"
				     : "_at");
	module_hook(module, name, module->nothing, arguments, from ? 6 : 3);
	if (atomic)
		module->counts.atomics++;
	else
		module->counts.writes++;
	access_erase(f, i);
}
