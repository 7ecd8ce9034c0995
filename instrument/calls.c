/* SPDX-License-Identifier: MIT */
/* Which functions are being called: at the ways into and out of each that may log something. */
#include "instrument/rewrite.h"

#include <string.h>

static bool is_call(LLVMValueRef i)
{
	return (LLVMIsACallInst(i) && !LLVMIsAIntrinsicInst(i)) || LLVMIsAInvokeInst(i);
}

static bool calls_something(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_call(i))
				return true;
	return false;
}

/* Before all that its own code does. */
static LLVMValueRef enter(struct function *f)
{
	static const char name[] = "llvm.returnaddress";
	struct module *module = f->module;
	LLVMValueRef level = LLVMConstInt(module->i32, 0, 0);
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->llvm));
	while (LLVMIsAAllocaInst(i))
		i = LLVMGetNextInstruction(i);
	LLVMPositionBuilderBefore(module->builder, i);
	LLVMValueRef pc = LLVMBuildCall2(
		module->builder, LLVMFunctionType(module->bytes, &module->i32, 1, 0),
		LLVMGetIntrinsicDeclaration(module->llvm, id, NULL, 0), &level, 1, "");
	return module_hook(module, "__norn_enter", module->i64, &pc, 1);
}

static void tell_before(struct function *f, LLVMValueRef i, const char *hook, LLVMValueRef call)
{
	LLVMPositionBuilderBefore(f->module->builder, i);
	module_hook(f->module, hook, f->module->nothing, &call, 1);
}

static bool is_landing(LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	while (LLVMIsAPHINode(i))
		i = LLVMGetNextInstruction(i);
	return LLVMIsALandingPadInst(i);
}

/* Calls that were under way when its code was left for one of these places are no more. */
static void come_back(struct function *f, LLVMBasicBlockRef block, LLVMValueRef call)
{
	if (is_landing(block))
		tell_before(f, unseen_first_of(block), "__norn_back", call);
	for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsACallInst(i) && callee_returns_twice(i))
			tell_before(f, next, "__norn_back", call);
	}
}

void calls_frame(struct function *f)
{
	if (!calls_something(f->llvm))
		return;
	LLVMValueRef call = enter(f);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->llvm); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef leave = LLVMGetBasicBlockTerminator(b);
		come_back(f, b, call);
		if (!LLVMIsAReturnInst(leave))
			continue;
		LLVMValueRef last = callee_of_end(leave);
		tell_before(f, last ? last : leave, "__norn_leave", call);
	}
}
