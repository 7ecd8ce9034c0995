/* SPDX-License-Identifier: MIT */
/* Accesses of other sizes, and copies: through memory of the function's own. */
#include "instrument/rewrite.h"

static LLVMValueRef new_temporary(struct function *f, LLVMTypeRef type)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->module->context);
	LLVMPositionBuilderBefore(builder,
				  LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->llvm)));
	LLVMValueRef place = LLVMBuildAlloca(builder, type, "");
	LLVMDisposeBuilder(builder);
	return place;
}

LLVMValueRef range_temporary(struct function *f, LLVMTypeRef type)
{
	uint32_t known = map_get(&f->temporaries, type);
	if (known != MAP_NONE)
		return f->temporary.at[known];
	LLVMValueRef place = new_temporary(f, type);
	map_put(&f->temporaries, type, (uint32_t)f->temporary.n);
	vec_push(&f->temporary, place);
	return place;
}

static void call_range(struct module *module, bool read, LLVMValueRef to, LLVMValueRef from,
		       LLVMValueRef n, const struct site *site)
{
	LLVMValueRef arguments[] = {access_pointer(module, to), access_pointer(module, from), n,
				    module_site(module, site)};
	module_hook(module, read ? "__norn_read_range" : "__norn_write_range", module->nothing,
		    arguments, 4);
	module->counts.ranges++;
}

static LLVMValueRef size_of(struct module *module, LLVMTypeRef type)
{
	return module_i64(module, LLVMStoreSizeOfType(module->layout, type));
}

static void rewrite_load(struct function *f, struct action *action, LLVMValueRef i)
{
	struct module *module = f->module;
	LLVMTypeRef type = LLVMTypeOf(i);
	LLVMValueRef mine = range_temporary(f, type);
	call_range(module, true, mine, LLVMGetOperand(i, 0), size_of(module, type), &action->site);
	access_replace(f, i, LLVMBuildLoad2(module->builder, type, mine, ""));
}

static void rewrite_store(struct function *f, struct action *action, LLVMValueRef i)
{
	struct module *module = f->module;
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	LLVMValueRef mine = range_temporary(f, type);
	LLVMBuildStore(module->builder, LLVMGetOperand(i, 0), mine);
	call_range(module, false, LLVMGetOperand(i, 1), mine, size_of(module, type), &action->site);
	access_erase(f, i);
}

/* The library's functions give back where they copied to. */
static void remove_call(struct function *f, LLVMValueRef call)
{
	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind && LLVMGetFirstUse(call)) {
		LLVMValueRef to = LLVMBuildPointerCast(f->module->builder, LLVMGetOperand(call, 0),
						       LLVMTypeOf(call), "");
		uint32_t node = function_node(f, call);
		LLVMReplaceAllUsesWith(call, to);
		f->nodes.at[node].value = to;
		if (function_node(f, to) == MAP_NONE)
			map_put(&f->numbers, to, node);
	}
	access_erase(f, call);
}

static void call_copy(struct module *module, const struct action *action, LLVMValueRef to,
		      LLVMValueRef from, LLVMValueRef n)
{
	LLVMValueRef arguments[] = {access_pointer(module, to), access_pointer(module, from), n,
				    module_site(module, &action->site),
				    module_site(module, &action->second)};
	module_hook(module, "__norn_copy", module->nothing, arguments, 5);
	module->counts.copies++;
}

static void rewrite_copy(struct function *f, struct action *action, LLVMValueRef i)
{
	struct module *module = f->module;
	LLVMValueRef to = LLVMGetOperand(i, 0), from = LLVMGetOperand(i, 1);
	enum memory to_memory = private_memory(&f->privacy, to);
	enum memory from_memory = private_memory(&f->privacy, from);
	if (to_memory == MEMORY_ALIEN || from_memory == MEMORY_ALIEN) {
		module->counts.left++;
		return;
	}
	LLVMValueRef n =
		LLVMBuildZExtOrBitCast(module->builder, LLVMGetOperand(i, 2), module->i64, "");
	if (to_memory == MEMORY_SHARED && from_memory == MEMORY_SHARED) {
		call_copy(module, action, to, from, n);
	} else {
		bool read = from_memory == MEMORY_SHARED;
		call_range(module, read, to, from, n, read ? &action->site : &action->second);
	}
	remove_call(f, i);
}

static void rewrite_fill(struct function *f, struct action *action, LLVMValueRef i)
{
	struct module *module = f->module;
	LLVMBuilderRef builder = module->builder;
	LLVMValueRef byte = LLVMGetOperand(i, 1);
	LLVMValueRef arguments[] = {
		access_pointer(module, LLVMGetOperand(i, 0)),
		LLVMBuildZExtOrBitCast(builder, byte, module->i32, ""),
		LLVMBuildZExtOrBitCast(builder, LLVMGetOperand(i, 2), module->i64, ""),
		module_site(module, &action->site)};
	module_hook(module, "__norn_fill", module->nothing, arguments, 4);
	module->counts.copies++;
	remove_call(f, i);
}

void range_rewrite(struct function *f, struct action *action)
{
	LLVMValueRef i = f->nodes.at[action->node].value;
	control_guard_operands(f, action);
	LLVMPositionBuilderBefore(f->module->builder, i);
	switch (action->kind) {
	case ACTION_READ_RANGE: rewrite_load(f, action, i); break;
	case ACTION_WRITE_RANGE: rewrite_store(f, action, i); break;
	case ACTION_COPY: rewrite_copy(f, action, i); break;
	case ACTION_FILL: rewrite_fill(f, action, i); break;
	default: BUG("not a range");
	}
}

/* What it has in it has to stay if code without hooks gets it. */
static void guard_copy(struct module *module, LLVMValueRef call, LLVMValueRef mine, LLVMValueRef n)
{
	LLVMValueRef arguments[] = {access_pointer(module, LLVMGetCalledValue(call)),
				    access_pointer(module, mine), n};
	module_hook(module, "__norn_passes", module->nothing, arguments, 3);
}

/*
 * A struct that is passed by value is read where it is, and passed from a copy of our own, which
 * has hooks: so the function that gets it can say what it is a copy of.
 */
void range_pass(struct function *f, struct action *action)
{
	struct module *module = f->module;
	LLVMValueRef call = f->nodes.at[action->node].value;
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	control_guard_operands(f, action);
	LLVMPositionBuilderBefore(module->builder, call);
	for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
		if (!function_passes_copy(f, call, a))
			continue;
		LLVMTypeRef type =
			LLVMGetTypeAttributeValue(LLVMGetCallSiteEnumAttribute(call, a + 1, byval));
		LLVMValueRef mine = new_temporary(f, type);
		LLVMValueRef n = module_i64(module, LLVMABISizeOfType(module->layout, type));
		call_copy(module, action, mine, LLVMGetOperand(call, a), n);
		if (callee_of(call).kind != CALLEE_HOOKED)
			guard_copy(module, call, mine, n);
		LLVMSetOperand(call, a, mine);
	}
}
