/* SPDX-License-Identifier: MIT */
#include "instrument/edges.h"

#include <llvm-c/DebugInfo.h>

#include <stdbool.h>
#include <stddef.h>

static bool has_one_way_in(LLVMBasicBlockRef block)
{
	unsigned n = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use;
	     use = LLVMGetNextUse(use))
		n += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
	return n == 1;
}

/* What came from one block comes from another. */
static void move_phi(LLVMBuilderRef builder, LLVMValueRef phi, LLVMBasicBlockRef from,
		     LLVMBasicBlockRef to)
{
	LLVMPositionBuilderBefore(builder, phi);
	LLVMValueRef with = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);
		LLVMAddIncoming(with, &value, block == from ? &to : &block, 1);
	}
	LLVMReplaceAllUsesWith(phi, with);
	LLVMInstructionEraseFromParent(phi);
}

static void split(LLVMBuilderRef builder, LLVMValueRef invoke)
{
	LLVMBasicBlockRef from = LLVMGetInstructionParent(invoke), to = LLVMGetNormalDest(invoke);
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(to)));
	LLVMBasicBlockRef between = LLVMInsertBasicBlockInContext(context, to, "");
	LLVMValueRef next;
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(invoke));
	for (LLVMValueRef i = LLVMGetFirstInstruction(to); LLVMIsAPHINode(i); i = next) {
		next = LLVMGetNextInstruction(i);
		move_phi(builder, i, from, between);
	}
	LLVMPositionBuilderAtEnd(builder, between);
	LLVMBuildBr(builder, to);
	LLVMSetNormalDest(invoke, between);
}

void edges_function(LLVMValueRef function)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		if (end && LLVMIsAInvokeInst(end) && !has_one_way_in(LLVMGetNormalDest(end)))
			split(builder, end);
	}
	LLVMDisposeBuilder(builder);
}
