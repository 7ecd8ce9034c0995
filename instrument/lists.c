/* SPDX-License-Identifier: MIT */
#include "instrument/lists.h"

#include "instrument/leaving.h"
#include "instrument/rewrite.h"
#include "instrument/slots.h"

#include <string.h>

#define LIST_SIZE 24 /* bytes */

static bool is_call_of(LLVMValueRef i, const char *name)
{
	return LLVMIsACallInst(i) && !strcmp(callee_of(i).name, name);
}

static void copy_list(LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
	LLVMPositionBuilderBefore(builder, call);
	LLVMBuildMemCpy(builder, LLVMGetOperand(call, 0), 8, LLVMGetOperand(call, 1), 8,
			LLVMConstInt(i64, LIST_SIZE, 0));
	LLVMInstructionEraseFromParent(call);
}

void lists_function(LLVMValueRef function)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMValueRef next;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (is_call_of(i, "llvm.va_copy"))
				copy_list(builder, i);
		}
	LLVMDisposeBuilder(builder);
}

static uint64_t kind_of(struct module *module, LLVMTypeRef type)
{
	uint64_t bits = LLVMTypeIsSized(type) ? LLVMSizeOfTypeInBits(module->layout, type) : 0;
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return bits == 32 ? NORN_KIND_INT : bits == 64 ? NORN_KIND_LONG : 0;
	case LLVMPointerTypeKind: return NORN_KIND_LONG;
	case LLVMDoubleTypeKind: return NORN_KIND_DOUBLE;
	default: return 0;
	}
}

uint64_t lists_kinds(struct module *module, LLVMValueRef call, unsigned first)
{
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	unsigned n = LLVMGetNumArgOperands(call);
	uint64_t kinds = 0;
	if (n + 2 > NORN_SLOTS)
		return NORN_UNKNOWN_KINDS;
	for (unsigned a = n; a-- > first;) {
		uint64_t kind = kind_of(module, LLVMTypeOf(LLVMGetOperand(call, a)));
		if (!kind || LLVMGetCallSiteEnumAttribute(call, a + 1, byval))
			return NORN_UNKNOWN_KINDS;
		kinds = kinds << NORN_KIND_BITS | kind;
	}
	return kinds;
}

/* Is it used by something else than functions that know what to do with it (leaving.h)? */
static bool is_read(LLVMValueRef list)
{
	for (LLVMUseRef use = LLVMGetFirstUse(list); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool part = LLVMIsABitCastInst(user) || LLVMIsAGetElementPtrInst(user);
		if (part ? is_read(user)
			 : !is_call_of(user, "llvm.va_start") && !is_call_of(user, "llvm.va_end") &&
				    !(callee_is_call(user) &&
				      (callee_of(user).kind == CALLEE_QUIET ||
				       leaving_takes_list(user))))
			return true;
	}
	return false;
}

/* At the start, what the caller has left is put away: words of the slots, from the kinds on. */
static LLVMValueRef keep_slots(struct function *f)
{
	struct module *module = f->module;
	unsigned named = LLVMCountParams(f->llvm);
	unsigned n = named + 2 < NORN_SLOTS ? NORN_SLOTS - named - 1 : 0;
	LLVMPositionBuilderBefore(module->builder,
				  LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->llvm)));
	LLVMValueRef kept = LLVMBuildAlloca(module->builder, LLVMArrayType(module->i64, n + 1), "");
	slots_keep(f, kept, n);
	return kept;
}

static void tell_arguments(struct function *f, LLVMValueRef start, LLVMValueRef kept)
{
	struct module *module = f->module;
	LLVMValueRef list = LLVMGetOperand(start, 0);
	bool seen = private_memory(&f->privacy, list) == MEMORY_SHARED;
	LLVMPositionBuilderBefore(module->builder, LLVMGetNextInstruction(start));
	LLVMValueRef arguments[] = {access_pointer(module, list), access_pointer(module, kept),
				    LLVMConstInt(module->i32, seen, 0)};
	module_hook(module, "__norn_arguments", module->nothing, arguments, 3);
}

void lists_rewrite(struct function *f)
{
	LLVMValueRef kept = NULL;
	for (size_t i = 0; i < f->nodes.n; i++) {
		LLVMValueRef start = f->nodes.at[i].value;
		if (!LLVMIsAInstruction(start) || !is_call_of(start, "llvm.va_start") ||
		    !is_read(private_base(LLVMGetOperand(start, 0))))
			continue;
		if (!kept)
			kept = keep_slots(f);
		tell_arguments(f, start, kept);
	}
}
