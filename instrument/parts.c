/* SPDX-License-Identifier: MIT */
#include "instrument/parts.h"

#include "base/mem.h"
#include "instrument/callee.h"
#include "instrument/map.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

struct pairs {
	LLVMBuilderRef builder;
	struct map phis; /* of pairs: where their parts are */
	VEC(LLVMValueRef) parts;
	VEC(LLVMValueRef) work, old;
};

static bool is_single(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMPointerTypeKind:
	case LLVMVectorTypeKind: return true;
	default: return false;
	}
}

bool parts_is_pair(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind &&
	       LLVMCountStructElementTypes(type) == 2 &&
	       is_single(LLVMStructGetTypeAtIndex(type, 0)) &&
	       is_single(LLVMStructGetTypeAtIndex(type, 1));
}

static LLVMTypeRef type_of_part(LLVMValueRef pair, unsigned k)
{
	return LLVMStructGetTypeAtIndex(LLVMTypeOf(pair), k);
}

static void stand_before(struct pairs *p, LLVMValueRef i)
{
	LLVMPositionBuilderBefore(p->builder, i);
	LLVMSetCurrentDebugLocation2(p->builder, LLVMInstructionGetDebugLoc(i));
}

static bool is_plain_access(LLVMValueRef i)
{
	return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

/* Two parts share what is known of how the address is aligned. */
static void align_part(LLVMValueRef part, LLVMValueRef whole, uint64_t offset)
{
	uint64_t aligned = LLVMGetAlignment(whole);
	while (offset % aligned)
		aligned /= 2;
	LLVMSetAlignment(part, (unsigned)aligned);
}

static uint64_t offset_of(LLVMValueRef i, LLVMTypeRef pair, unsigned k)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
	return LLVMOffsetOfElement(LLVMGetModuleDataLayout(LLVMGetGlobalParent(function)), pair, k);
}

static LLVMValueRef part_of(struct pairs *p, LLVMValueRef pair, unsigned k, LLVMValueRef before);

static LLVMValueRef part_of_load(struct pairs *p, LLVMValueRef load, unsigned k)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	stand_before(p, load);
	LLVMValueRef at = LLVMBuildStructGEP2(p->builder, type, LLVMGetOperand(load, 0), k, "");
	LLVMValueRef part = LLVMBuildLoad2(p->builder, type_of_part(load, k), at, "");
	align_part(part, load, offset_of(load, type, k));
	return part;
}

static void fill_phi(struct pairs *p, LLVMValueRef pair, unsigned k, LLVMValueRef phi)
{
	for (unsigned i = 0; i < LLVMCountIncoming(pair); i++) {
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(pair, i);
		LLVMValueRef part = part_of(p, LLVMGetIncomingValue(pair, i), k,
					    LLVMGetBasicBlockTerminator(from));
		LLVMAddIncoming(phi, &part, &from, 1);
	}
}

/* Of phis and loads, both at once, the first time that one is asked for. */
static LLVMValueRef part_of_known(struct pairs *p, LLVMValueRef pair, unsigned k)
{
	uint32_t known = map_get(&p->phis, pair);
	if (known != MAP_NONE)
		return p->parts.at[known + k];
	known = (uint32_t)p->parts.n;
	map_put(&p->phis, pair, known);
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef part;
		if (LLVMIsAPHINode(pair)) {
			stand_before(p, pair);
			part = LLVMBuildPhi(p->builder, type_of_part(pair, i), "");
		} else {
			part = part_of_load(p, pair, i);
		}
		vec_push(&p->parts, part);
	}
	vec_push(&p->old, pair);
	for (unsigned i = 0; i < 2 && LLVMIsAPHINode(pair); i++)
		fill_phi(p, pair, i, p->parts.at[known + i]);
	return p->parts.at[known + k];
}

/* NULL: it is not known where it was put in. */
static LLVMValueRef part_put_in(LLVMValueRef pair, unsigned k)
{
	while (LLVMIsAInsertValueInst(pair)) {
		if (LLVMGetIndices(pair)[0] == k)
			return LLVMGetOperand(pair, 1);
		pair = LLVMGetOperand(pair, 0);
	}
	return LLVMIsConstant(pair) ? LLVMConstExtractValue(pair, &k, 1) : NULL;
}

/* `before` is who uses it. */
static LLVMValueRef part_of(struct pairs *p, LLVMValueRef pair, unsigned k, LLVMValueRef before)
{
	LLVMValueRef there = part_put_in(pair, k);
	if (there)
		return there;
	while (LLVMIsAInsertValueInst(pair))
		pair = LLVMGetOperand(pair, 0);
	if (LLVMIsAPHINode(pair) || (LLVMIsALoadInst(pair) && is_plain_access(pair)))
		return part_of_known(p, pair, k);
	if (LLVMIsASelectInst(pair)) {
		LLVMValueRef yes = part_of(p, LLVMGetOperand(pair, 1), k, pair);
		LLVMValueRef no = part_of(p, LLVMGetOperand(pair, 2), k, pair);
		stand_before(p, pair);
		return LLVMBuildSelect(p->builder, LLVMGetOperand(pair, 0), yes, no, "");
	}
	stand_before(p, before);
	return LLVMBuildExtractValue(p->builder, pair, k, "");
}

/* A part of something else than a pair that is there as a whole. */
static void replace_part(struct pairs *p, LLVMValueRef i)
{
	LLVMValueRef from = LLVMGetOperand(i, 0);
	if (!LLVMIsAInsertValueInst(from) && !LLVMIsAPHINode(from) && !LLVMIsASelectInst(from) &&
	    !(LLVMIsALoadInst(from) && is_plain_access(from)))
		return;
	LLVMReplaceAllUsesWith(i, part_of(p, from, LLVMGetIndices(i)[0], i));
	LLVMInstructionEraseFromParent(i);
}

static void replace_store(struct pairs *p, LLVMValueRef i)
{
	LLVMValueRef pair = LLVMGetOperand(i, 0), to = LLVMGetOperand(i, 1);
	if (!is_plain_access(i))
		return;
	for (unsigned k = 0; k < 2; k++) {
		LLVMValueRef part = part_of(p, pair, k, i);
		stand_before(p, i);
		LLVMValueRef at = LLVMBuildStructGEP2(p->builder, LLVMTypeOf(pair), to, k, "");
		align_part(LLVMBuildStore(p->builder, part, at), i,
			   offset_of(i, LLVMTypeOf(pair), k));
	}
	LLVMInstructionEraseFromParent(i);
}

bool parts_of(LLVMValueRef pair, LLVMValueRef *parts)
{
	if (!parts_is_pair(LLVMTypeOf(pair)))
		return false;
	LLVMValueRef first = part_put_in(pair, 0), second = part_put_in(pair, 1);
	if (!first || !second)
		return false;
	parts[0] = first;
	parts[1] = second;
	return true;
}

static void replace_result(struct pairs *p, LLVMValueRef i)
{
	LLVMValueRef pair = LLVMGetOperand(i, 0), parts[2];
	if (parts_of(pair, parts) || callee_of_end(i))
		return;
	parts[0] = part_of(p, pair, 0, i);
	parts[1] = part_of(p, pair, 1, i);
	stand_before(p, i);
	LLVMValueRef with = LLVMGetUndef(LLVMTypeOf(pair));
	for (unsigned k = 0; k < 2; k++)
		with = LLVMBuildInsertValue(p->builder, with, parts[k], k, "");
	LLVMSetOperand(i, 0, with);
}

static bool is_work(LLVMValueRef i)
{
	return (LLVMIsAExtractValueInst(i) || LLVMIsAStoreInst(i) ||
		(LLVMIsAReturnInst(i) && LLVMGetNumOperands(i))) &&
	       parts_is_pair(LLVMTypeOf(LLVMGetOperand(i, 0)));
}

static void find_work(struct pairs *p, LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_work(i))
				vec_push(&p->work, i);
}

void parts_function(LLVMValueRef function)
{
	struct pairs p = {0};
	find_work(&p, function);
	p.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
	for (size_t k = 0; k < p.work.n; k++) {
		LLVMValueRef i = p.work.at[k];
		if (LLVMIsAExtractValueInst(i))
			replace_part(&p, i);
		else if (LLVMIsAStoreInst(i))
			replace_store(&p, i);
		else
			replace_result(&p, i);
	}
	/* A load that is left would be an access of its own. */
	for (size_t k = p.old.n; k-- > 0;)
		if (!LLVMGetFirstUse(p.old.at[k]))
			LLVMInstructionEraseFromParent(p.old.at[k]);
	LLVMDisposeBuilder(p.builder);
	map_release(&p.phis);
	vec_release(&p.parts);
	vec_release(&p.work);
	vec_release(&p.old);
}
