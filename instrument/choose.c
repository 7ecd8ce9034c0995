/* SPDX-License-Identifier: MIT */
#include "instrument/choose.h"

#include "base/mem.h"
#include "instrument/callee.h"
#include "instrument/private.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

#define ARM_MOST 8 /* instructions: both arms are computed each time */

/*
 * A branch, what each way leads to, and where both come together. An arm is some blocks in a row,
 * or `join` itself if there is nothing on the way; `last` is where that comes from.
 */
struct choice {
	LLVMBasicBlockRef from, arm[2], last[2], join;
	LLVMValueRef condition;
};

static bool is_note(LLVMValueRef i)
{
	return callee_is_call(i) && !strncmp(callee_of(i).name, "llvm.dbg.", 9);
}

/* Division may trap. */
static bool computes(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMICmp:
	case LLVMSelect:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast:
	case LLVMGetElementPtr:
	case LLVMFNeg:
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFCmp:
	case LLVMFPExt:
	case LLVMFPTrunc:
	case LLVMSIToFP:
	case LLVMUIToFP: return true;
	default: return false;
	}
}

bool choose_is_plain(LLVMValueRef i)
{
	return is_note(i) || computes(i);
}

static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef found = NULL;
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); u;
	     u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (!LLVMIsATerminatorInst(user))
			return NULL; /* its address is taken */
		if (found)
			return NULL;
		found = LLVMGetInstructionParent(user);
	}
	return found;
}

/* Does this block only compute? */
static bool only_computes(LLVMBasicBlockRef block, unsigned *n)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != end;
	     i = LLVMGetNextInstruction(i))
		if (!is_note(i) && (!computes(i) || ++*n > ARM_MOST))
			return false;
	return true;
}

/* And goes on to one other? */
static bool is_plain(LLVMBasicBlockRef block, unsigned *n)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	return LLVMIsABranchInst(end) && !LLVMIsConditional(end) && only_computes(block, n);
}

static LLVMBasicBlockRef next_of(LLVMBasicBlockRef block)
{
	return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), 0);
}

/* Where this way leads, with nothing on it but what is computed. */
static LLVMBasicBlockRef follow_arm(struct choice *c, unsigned way)
{
	LLVMBasicBlockRef block = c->arm[way];
	unsigned n = 0;
	c->last[way] = c->from;
	while (only_predecessor(block) == c->last[way] && is_plain(block, &n)) {
		c->last[way] = block;
		block = next_of(block);
	}
	return block;
}

/* Both ways come together; if no value comes out of it, nothing was decided. */
static bool find_choice(LLVMBasicBlockRef from, struct choice *c)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
	if (!end || !LLVMIsABranchInst(end) || !LLVMIsConditional(end))
		return false;
	*c = (struct choice){.from = from, .condition = LLVMGetCondition(end)};
	for (unsigned way = 0; way < 2; way++)
		c->arm[way] = LLVMGetSuccessor(end, way);
	if (c->arm[0] == c->arm[1])
		return false;
	c->join = follow_arm(c, 0);
	return follow_arm(c, 1) == c->join && c->join != from;
}

static unsigned count_ways(LLVMBasicBlockRef block)
{
	unsigned n = 0;
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); u; u = LLVMGetNextUse(u))
		n++;
	return n;
}

static void move_block(LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block), next;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != end; i = next) {
		next = LLVMGetNextInstruction(i);
		if (is_note(i)) {
			LLVMInstructionEraseFromParent(i);
			continue;
		}
		LLVMInstructionRemoveFromParent(i);
		LLVMInsertIntoBuilder(builder, i);
	}
}

static LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef from)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) == from)
			return LLVMGetIncomingValue(phi, i);
	return NULL;
}

/* What comes in elsewhere, and one value in place of the two; phis cannot lose any. */
static LLVMValueRef make_phi(LLVMBuilderRef builder, const struct choice *c, LLVMValueRef phi,
			     LLVMValueRef chosen)
{
	LLVMPositionBuilderBefore(builder, phi);
	LLVMValueRef with = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
	LLVMBasicBlockRef from = c->from;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);
		if (block != c->last[0] && block != c->last[1])
			LLVMAddIncoming(with, &value, &block, 1);
	}
	LLVMAddIncoming(with, &chosen, &from, 1);
	return with;
}

static void replace_phi(LLVMBuilderRef builder, const struct choice *c, LLVMValueRef phi)
{
	LLVMValueRef yes = incoming_from(phi, c->last[0]), no = incoming_from(phi, c->last[1]);
	LLVMValueRef chosen = yes;
	LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(c->from));
	if (yes != no)
		chosen = LLVMBuildSelect(builder, c->condition, yes, no, "");
	if (LLVMCountIncoming(phi) > 2)
		chosen = make_phi(builder, c, phi, chosen);
	LLVMReplaceAllUsesWith(phi, chosen);
	LLVMInstructionEraseFromParent(phi);
}

/* The blocks of an arm, which nothing leads to any more. */
static void delete_arm(LLVMBasicBlockRef arm, LLVMBasicBlockRef join)
{
	while (arm != join) {
		LLVMBasicBlockRef next = next_of(arm);
		LLVMDeleteBasicBlock(arm);
		arm = next;
	}
}

static void make_choice(LLVMBuilderRef builder, const struct choice *c)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(c->from), next;
	LLVMPositionBuilderBefore(builder, end);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(end));
	for (unsigned way = 0; way < 2; way++)
		for (LLVMBasicBlockRef b = c->arm[way]; b != c->join; b = next_of(b))
			move_block(builder, b);
	VEC(LLVMValueRef) phis = {0};
	for (LLVMValueRef i = LLVMGetFirstInstruction(c->join); LLVMIsAPHINode(i); i = next) {
		next = LLVMGetNextInstruction(i);
		vec_push(&phis, i);
	}
	for (size_t i = 0; i < phis.n; i++)
		replace_phi(builder, c, phis.at[i]);
	vec_release(&phis);
	LLVMPositionBuilderBefore(builder, end);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(end));
	LLVMBuildBr(builder, c->join);
	LLVMInstructionEraseFromParent(end);
	for (unsigned way = 0; way < 2; way++)
		delete_arm(c->arm[way], c->join);
}

/*
 * Two branches of which the second only computes its condition, and one way of each leads to the
 * same place: `a || b`, `a && b`.
 */
struct chain {
	LLVMBasicBlockRef first, second, common;
	bool on_first, on_second; /* what leads there */
};

static LLVMValueRef condition_at(LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	return end && LLVMIsABranchInst(end) && LLVMIsConditional(end) ? LLVMGetCondition(end)
								       : NULL;
}

static LLVMBasicBlockRef way_of(LLVMBasicBlockRef block, bool on)
{
	return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), !on);
}

static bool find_chain(LLVMBasicBlockRef first, struct chain *c)
{
	if (!condition_at(first))
		return false;
	for (int i = 0; i < 4; i++) {
		unsigned n = 0;
		*c = (struct chain){.first = first, .on_first = i & 1, .on_second = i & 2};
		c->common = way_of(first, c->on_first);
		c->second = way_of(first, !c->on_first);
		if (c->common != c->second && c->common != first &&
		    only_predecessor(c->second) == first && condition_at(c->second) &&
		    way_of(c->second, c->on_second) == c->common &&
		    way_of(c->second, !c->on_second) != c->common && only_computes(c->second, &n))
			return true;
	}
	return false;
}

static LLVMValueRef when(LLVMBuilderRef builder, LLVMBasicBlockRef block, bool on)
{
	LLVMValueRef condition = condition_at(block);
	return on ? condition : LLVMBuildNot(builder, condition, "");
}

/* The first one leads there no more. */
static void leave_phi(LLVMBuilderRef builder, const struct chain *c, LLVMValueRef earlier,
		      LLVMValueRef phi)
{
	LLVMValueRef one = incoming_from(phi, c->first), other = incoming_from(phi, c->second);
	LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(c->second));
	LLVMValueRef chosen =
		one == other ? one : LLVMBuildSelect(builder, earlier, one, other, "");
	LLVMPositionBuilderBefore(builder, phi);
	LLVMValueRef with = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);
		if (block == c->second)
			value = chosen;
		if (block != c->first)
			LLVMAddIncoming(with, &value, &block, 1);
	}
	LLVMReplaceAllUsesWith(phi, with);
	LLVMInstructionEraseFromParent(phi);
}

/* What the first one decided by comes to the second one. */
static void join_chain(LLVMBuilderRef builder, const struct chain *c)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(c->first), next;
	LLVMValueRef last = LLVMGetBasicBlockTerminator(c->second);
	LLVMBasicBlockRef other = way_of(c->second, !c->on_second);
	LLVMTypeRef bit = LLVMTypeOf(condition_at(c->first));
	LLVMPositionBuilderBefore(builder, last);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(end));
	LLVMValueRef earlier = when(builder, c->first, c->on_first);
	LLVMValueRef there = LLVMBuildSelect(builder, earlier, LLVMConstInt(bit, 1, 0),
					     when(builder, c->second, c->on_second), "");
	for (LLVMValueRef i = LLVMGetFirstInstruction(c->common); LLVMIsAPHINode(i); i = next) {
		next = LLVMGetNextInstruction(i);
		leave_phi(builder, c, earlier, i);
	}
	LLVMPositionBuilderBefore(builder, last);
	LLVMBuildCondBr(builder, there, c->common, other);
	LLVMInstructionEraseFromParent(last);
	LLVMPositionBuilderBefore(builder, end);
	LLVMBuildBr(builder, c->second);
	LLVMInstructionEraseFromParent(end);
}

static bool join_one(LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
	struct choice choice;
	struct chain chain;
	if (find_choice(block, &choice))
		make_choice(builder, &choice);
	else if (find_chain(block, &chain))
		join_chain(builder, &chain);
	else
		return false;
	return true;
}

/* The store that an arm of one block ends with, if that is to a local of the function. */
static LLVMValueRef last_store(LLVMBasicBlockRef arm, LLVMBasicBlockRef from)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(arm), last = LLVMGetPreviousInstruction(end);
	if (only_predecessor(arm) != from || !LLVMIsABranchInst(end) || LLVMIsConditional(end))
		return NULL;
	while (last && is_note(last))
		last = LLVMGetPreviousInstruction(last);
	return last && LLVMIsAStoreInst(last) &&
			       LLVMGetOrdering(last) == LLVMAtomicOrderingNotAtomic
		       ? last
		       : NULL;
}

/* Nobody else sees in which line it is written. */
static bool is_inside(LLVMValueRef address)
{
	struct privacy privacy = {0};
	LLVMValueRef base = private_base(address);
	bool inside = LLVMIsAAllocaInst(base) && private_local(&privacy, base);
	private_release(&privacy);
	return inside;
}

/* Two ways that both end by writing a local come together before they do. */
static void join_stores(LLVMBuilderRef builder, LLVMBasicBlockRef from)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(from), stores[2], values[2];
	LLVMBasicBlockRef arms[2];
	if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
		return;
	for (unsigned way = 0; way < 2; way++) {
		arms[way] = LLVMGetSuccessor(end, way);
		stores[way] = last_store(arms[way], from);
		if (!stores[way])
			return;
		values[way] = LLVMGetOperand(stores[way], 0);
	}
	LLVMBasicBlockRef join = next_of(arms[0]);
	LLVMValueRef local = LLVMGetOperand(stores[0], 1);
	if (next_of(arms[1]) != join || count_ways(join) != 2 || join == from ||
	    LLVMGetOperand(stores[1], 1) != local || !is_inside(local) ||
	    LLVMTypeOf(values[0]) != LLVMTypeOf(values[1]) ||
	    LLVMGetVolatile(stores[0]) != LLVMGetVolatile(stores[1]))
		return;
	LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(join));
	LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(values[0]), "");
	LLVMAddIncoming(phi, values, arms, 2);
	LLVMValueRef first = LLVMGetFirstInstruction(join);
	while (LLVMIsAPHINode(first))
		first = LLVMGetNextInstruction(first);
	LLVMInstructionRemoveFromParent(stores[0]);
	LLVMSetOperand(stores[0], 0, phi);
	LLVMPositionBuilderBefore(builder, first);
	LLVMInsertIntoBuilder(builder, stores[0]);
	LLVMInstructionEraseFromParent(stores[1]);
}

void choose_function(LLVMValueRef function)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		join_stores(builder, b);
	for (bool changed = true; changed;) {
		changed = false;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
		     b = LLVMGetNextBasicBlock(b))
			while (join_one(builder, b))
				changed = true;
	}
	LLVMDisposeBuilder(builder);
}
