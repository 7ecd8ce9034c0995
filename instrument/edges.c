#include "instrument/edges.h"

#include "base/mem.h"

bool edges_one_way_in(LLVMBasicBlockRef block)
{
	unsigned n = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use;
	     use = LLVMGetNextUse(use))
		n += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
	return n == 1;
}

/* The same, with another block for this one: the C interface cannot change a phi. */
static void replace_way(LLVMBuilderRef builder, LLVMValueRef phi, LLVMBasicBlockRef from,
			LLVMBasicBlockRef to)
{
	LLVMPositionBuilderBefore(builder, phi);
	LLVMValueRef other = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);
		LLVMBasicBlockRef way = LLVMGetIncomingBlock(phi, i);
		if (way == from)
			way = to;
		LLVMAddIncoming(other, &value, &way, 1);
	}
	LLVMReplaceAllUsesWith(phi, other);
	LLVMInstructionEraseFromParent(phi);
}

static void split(LLVMBuilderRef builder, LLVMValueRef invoke)
{
	LLVMBasicBlockRef from = LLVMGetInstructionParent(invoke);
	LLVMBasicBlockRef to = LLVMGetNormalDest(invoke), between;
	between = LLVMInsertBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(invoke)), to, "");
	LLVMPositionBuilderAtEnd(builder, between);
	LLVMBuildBr(builder, to);
	for (LLVMValueRef i = LLVMGetFirstInstruction(to), next; i && LLVMIsAPHINode(i); i = next) {
		next = LLVMGetNextInstruction(i);
		replace_way(builder, i, from, between);
	}
	LLVMSetNormalDest(invoke, between);
}

void edges_split(LLVMValueRef function)
{
	LLVMBuilderRef builder = NULL;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		if (!end || !LLVMIsAInvokeInst(end) || edges_one_way_in(LLVMGetNormalDest(end)))
			continue;
		if (!builder)
			builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(end)));
		split(builder, end);
	}
	if (builder)
		LLVMDisposeBuilder(builder);
}
