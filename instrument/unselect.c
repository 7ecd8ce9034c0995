#include "instrument/unselect.h"

#include <llvm-c/DebugInfo.h>

#include <stdbool.h>

static bool is_simple_load(LLVMValueRef value)
{
	return LLVMIsALoadInst(value) && !LLVMGetVolatile(value) &&
	       LLVMGetOrdering(value) == LLVMAtomicOrderingNotAtomic;
}

static bool is_used_once(LLVMValueRef value)
{
	LLVMUseRef use = LLVMGetFirstUse(value);
	return use && !LLVMGetNextUse(use);
}

static bool may_write(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMStore:
	case LLVMCall:
	case LLVMInvoke:
	case LLVMFence:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: return true;
	default: return false;
	}
}

/* Whether nothing between the read and what uses it, in the same block, can change what is read. */
static bool stays_until(LLVMValueRef load, LLVMValueRef use)
{
	for (LLVMValueRef i = LLVMGetNextInstruction(load); i; i = LLVMGetNextInstruction(i)) {
		if (i == use)
			return true;
		if (may_write(i))
			return false;
	}
	return false;
}

/* An arm that was read for the select alone. */
static bool was_read_for(LLVMValueRef select, LLVMValueRef arm)
{
	LLVMMetadataRef place = LLVMInstructionGetDebugLoc(select);
	return place && is_simple_load(arm) && is_used_once(arm) &&
	       LLVMInstructionGetDebugLoc(arm) == place && stays_until(arm, select);
}

/* Where the arm is read from; of a constant, that which the reading of one has become. */
static LLVMValueRef address_of(LLVMModuleRef module, LLVMValueRef arm, unsigned alignment)
{
	if (LLVMIsALoadInst(arm))
		return LLVMGetOperand(arm, 0);
	LLVMValueRef constant = LLVMAddGlobal(module, LLVMTypeOf(arm), "norn.constant");
	LLVMSetInitializer(constant, arm);
	LLVMSetGlobalConstant(constant, 1);
	LLVMSetLinkage(constant, LLVMPrivateLinkage);
	LLVMSetAlignment(constant, alignment);
	return constant;
}

static unsigned alignment_of(LLVMValueRef a, LLVMValueRef b)
{
	unsigned x = LLVMIsALoadInst(a) ? LLVMGetAlignment(a) : LLVMGetAlignment(b);
	unsigned y = LLVMIsALoadInst(b) ? LLVMGetAlignment(b) : x;
	return x < y ? x : y;
}

static bool is_speculated(LLVMValueRef select)
{
	LLVMValueRef a = LLVMGetOperand(select, 1), b = LLVMGetOperand(select, 2);
	bool loads = LLVMIsALoadInst(a) || LLVMIsALoadInst(b);
	return loads &&
	       LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(select, 0))) == LLVMIntegerTypeKind &&
	       (LLVMIsConstant(a) || was_read_for(select, a)) &&
	       (LLVMIsConstant(b) || was_read_for(select, b));
}

static void replace(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef select)
{
	LLVMValueRef a = LLVMGetOperand(select, 1), b = LLVMGetOperand(select, 2);
	unsigned alignment = alignment_of(a, b);
	LLVMValueRef from_a = address_of(module, a, alignment);
	LLVMValueRef from_b = address_of(module, b, alignment);
	if (LLVMTypeOf(from_a) != LLVMTypeOf(from_b))
		return;
	LLVMPositionBuilderBefore(builder, select);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(select));
	LLVMValueRef from = LLVMBuildSelect(builder, LLVMGetOperand(select, 0), from_a, from_b, "");
	LLVMValueRef load = LLVMBuildLoad2(builder, LLVMTypeOf(select), from, "");
	LLVMSetAlignment(load, alignment);
	LLVMReplaceAllUsesWith(select, load);
	LLVMInstructionEraseFromParent(select);
	if (LLVMIsALoadInst(a))
		LLVMInstructionEraseFromParent(a);
	if (LLVMIsALoadInst(b))
		LLVMInstructionEraseFromParent(b);
}

void unselect(LLVMModuleRef module)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (LLVMIsASelectInst(i) && is_speculated(i))
					replace(module, builder, i);
			}
	LLVMDisposeBuilder(builder);
}
