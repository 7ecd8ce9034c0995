/* Code without hooks: calls of what may be such, and functions that such may call. */
#include "instrument/rewrite.h"

static LLVMValueRef behind_allocas(LLVMValueRef function)
{
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
	while (LLVMIsAAllocaInst(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

static LLVMValueRef first_of(LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	while (LLVMIsAPHINode(i) || LLVMIsALandingPadInst(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

static void call_ended(struct module *module, LLVMValueRef call)
{
	module_hook(module, "__norn_called", module->nothing, &call, 1);
}

/* Where an invoke goes on others may come to as well: whether it was made stands on the stack. */
static LLVMValueRef slot_of(struct function *f)
{
	struct module *module = f->module;
	if (!f->called) {
		LLVMValueRef first = behind_allocas(f->llvm);
		LLVMPositionBuilderBefore(module->builder, first);
		f->called = LLVMBuildAlloca(module->builder, module->i32, "");
		LLVMBuildStore(module->builder, LLVMConstInt(module->i32, 0, 0), f->called);
	}
	return f->called;
}

static void end_in(struct function *f, LLVMBasicBlockRef block)
{
	struct module *module = f->module;
	LLVMPositionBuilderBefore(module->builder, first_of(block));
	call_ended(module, LLVMBuildLoad2(module->builder, module->i32, slot_of(f), ""));
	LLVMBuildStore(module->builder, LLVMConstInt(module->i32, 0, 0), slot_of(f));
}

void unseen_call(struct function *f, LLVMValueRef call)
{
	struct module *module = f->module;
	LLVMValueRef slot = LLVMIsAInvokeInst(call) ? slot_of(f) : NULL;
	LLVMPositionBuilderBefore(module->builder, call);
	LLVMValueRef function = access_pointer(module, LLVMGetCalledValue(call));
	LLVMValueRef begun = module_hook(module, "__norn_call", module->i32, &function, 1);
	if (slot) {
		LLVMBuildStore(module->builder, begun, slot);
		end_in(f, LLVMGetNormalDest(call));
		end_in(f, LLVMGetUnwindDest(call));
	} else if (LLVMIsACallInst(call) && !callee_ends_function(call)) {
		LLVMPositionBuilderBefore(module->builder, LLVMGetNextInstruction(call));
		call_ended(module, begun);
	}
	module->counts.unseen++;
}

void unseen_callback(struct function *f)
{
	struct module *module = f->module;
	if (!f->gets_out)
		return;
	LLVMPositionBuilderBefore(module->builder, behind_allocas(f->llvm));
	LLVMValueRef entered = module_hook(module, "__norn_entered", module->i32, NULL, 0);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->llvm); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef leave = LLVMGetBasicBlockTerminator(b);
		if (!LLVMIsAReturnInst(leave) && !LLVMIsAResumeInst(leave))
			continue;
		LLVMValueRef last = callee_of_end(leave);
		LLVMPositionBuilderBefore(module->builder, last ? last : leave);
		module_hook(module, "__norn_leaves", module->nothing, &entered, 1);
	}
}
