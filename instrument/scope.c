/* SPDX-License-Identifier: MIT */
#include "instrument/scope.h"

#include "instrument/callee.h"
#include "instrument/choose.h"

#include <string.h>

#define BLOCKS_MOST 64 /* of an arm */
#define TRIES_MOST 8
#define WAIT_BLOCKS_MOST 8

/* Blocks, each once. */
struct region {
	LLVMBasicBlockRef at[BLOCKS_MOST];
	unsigned n;
	bool joins; /* some way leads on */
};

static bool has_block(const struct region *r, LLVMBasicBlockRef block)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->at[i] == block)
			return true;
	return false;
}

static bool add_block(struct region *r, LLVMBasicBlockRef block)
{
	if (has_block(r, block))
		return true;
	if (r->n == BLOCKS_MOST)
		return false;
	r->at[r->n++] = block;
	return true;
}

/* All that can be reached without coming by `join`; false: that is too much, or leads back. */
static bool reach(struct region *r, LLVMBasicBlockRef from, LLVMBasicBlockRef first,
		  LLVMBasicBlockRef join)
{
	r->n = 0;
	r->joins = first == join;
	if (first != join)
		add_block(r, first);
	for (unsigned i = 0; i < r->n; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(r->at[i]);
		if (r->at[i] == from)
			return false;
		for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
			LLVMBasicBlockRef next = LLVMGetSuccessor(end, s);
			r->joins |= next == join;
			if (next != join && !add_block(r, next))
				return false;
		}
	}
	return true;
}

/* Nobody comes in but by the branch. */
static bool is_closed(const struct region *r, LLVMValueRef branch)
{
	for (unsigned i = 0; i < r->n; i++)
		for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(r->at[i])); u;
		     u = LLVMGetNextUse(u)) {
			LLVMValueRef user = LLVMGetUser(u);
			if (!LLVMIsATerminatorInst(user))
				return false;
			if (!has_block(r, LLVMGetInstructionParent(user)) && (i || user != branch))
				return false;
		}
	return true;
}

static bool is_harmless(LLVMValueRef i)
{
	return LLVMIsAPHINode(i) || choose_is_plain(i) ||
	       (LLVMIsABranchInst(i) && LLVMGetNumSuccessors(i));
}

/* Does each of its blocks come before those that it leads to? */
static bool has_no_loop(const struct region *r)
{
	bool done[BLOCKS_MOST] = {false};
	for (unsigned left = r->n, before = left + 1; left && left < before;) {
		before = left;
		for (unsigned i = 0; i < r->n; i++) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(r->at[i]);
			bool last = !done[i];
			for (unsigned s = 0; last && s < LLVMGetNumSuccessors(end); s++)
				for (unsigned k = 0; k < r->n; k++)
					last &= done[k] || r->at[k] != LLVMGetSuccessor(end, s);
			done[i] |= last;
			left -= last;
		}
		if (!left)
			return true;
	}
	return !r->n;
}

static bool does_nothing(const struct region *r)
{
	for (unsigned i = 0; i < r->n; i++)
		for (LLVMValueRef k = LLVMGetFirstInstruction(r->at[i]); k;
		     k = LLVMGetNextInstruction(k))
			if (!is_harmless(k))
				return false;
	return has_no_loop(r);
}

/* Where hooks can be put in, and ways be turned to another block. */
static bool can_split(const struct region *r, LLVMBasicBlockRef join)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(join); i; i = LLVMGetNextInstruction(i))
		if (!LLVMIsAPHINode(i)) {
			if (LLVMIsALandingPadInst(i) || LLVMIsACatchPadInst(i) ||
			    LLVMIsACleanupPadInst(i) || LLVMIsACatchSwitchInst(i))
				return false;
			break;
		}
	for (unsigned i = 0; i < r->n; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(r->at[i]);
		if (!LLVMIsABranchInst(end) && !LLVMIsASwitchInst(end) && !LLVMIsAInvokeInst(end))
			for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
				if (LLVMGetSuccessor(end, s) == join)
					return false;
	}
	return true;
}

static bool try_join(LLVMValueRef branch, LLVMBasicBlockRef join, struct region sides[2])
{
	LLVMBasicBlockRef from = LLVMGetInstructionParent(branch);
	if (join == from)
		return false;
	for (unsigned way = 0; way < 2; way++)
		if (!reach(&sides[way], from, LLVMGetSuccessor(branch, way), join) ||
		    !sides[way].joins || !is_closed(&sides[way], branch) ||
		    !can_split(&sides[way], join))
			return false;
	return true;
}

/* The first block that both ways lead to, if they lead nowhere else but to an end. */
static LLVMBasicBlockRef find_join(LLVMValueRef branch, struct region sides[2])
{
	LLVMBasicBlockRef ways[2] = {LLVMGetSuccessor(branch, 0), LLVMGetSuccessor(branch, 1)};
	struct region reached[2];
	for (unsigned way = 0; way < 2; way++)
		if (try_join(branch, ways[!way], sides))
			return ways[!way];
	for (unsigned way = 0; way < 2; way++)
		reach(&reached[way], NULL, ways[way], NULL);
	unsigned tries = 0;
	for (unsigned i = 1; i < reached[0].n && tries < TRIES_MOST; i++)
		if (has_block(&reached[1], reached[0].at[i])) {
			tries++;
			if (try_join(branch, reached[0].at[i], sides))
				return reached[0].at[i];
		}
	return NULL;
}

/* Making the block */

static void move_phi(LLVMBuilderRef builder, LLVMValueRef phi, LLVMBasicBlockRef to,
		     const struct map inside[2], LLVMBasicBlockRef from)
{
	LLVMPositionBuilderAtEnd(builder, to);
	LLVMValueRef inner = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
	LLVMPositionBuilderBefore(builder, phi);
	LLVMValueRef outer = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);
		bool ours = block == from || map_get(&inside[0], block) != MAP_NONE ||
			    map_get(&inside[1], block) != MAP_NONE;
		LLVMAddIncoming(ours ? inner : outer, &value, &block, 1);
	}
	LLVMAddIncoming(outer, &inner, &to, 1);
	LLVMReplaceAllUsesWith(phi, outer);
	LLVMInstructionEraseFromParent(phi);
}

static void move_phis(LLVMBuilderRef builder, const struct scope *s, LLVMBasicBlockRef old,
		      LLVMBasicBlockRef from)
{
	VEC(LLVMValueRef) phis = {0};
	for (LLVMValueRef i = LLVMGetFirstInstruction(old); LLVMIsAPHINode(i);
	     i = LLVMGetNextInstruction(i))
		vec_push(&phis, i);
	for (size_t i = 0; i < phis.n; i++)
		move_phi(builder, phis.at[i], s->join, s->side, from);
	vec_release(&phis);
}

static void turn(LLVMBasicBlockRef block, LLVMBasicBlockRef old, LLVMBasicBlockRef new)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
		if (LLVMGetSuccessor(end, s) == old)
			LLVMSetSuccessor(end, s, new);
}

/* A call that may throw is left by way of a block of its own: there is a place behind it. */
static void add_step(LLVMBuilderRef builder, struct scope *s, unsigned way, LLVMBasicBlockRef block,
		     LLVMBasicBlockRef old)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block)));
	LLVMBasicBlockRef step = LLVMInsertBasicBlockInContext(context, old, "");
	LLVMPositionBuilderAtEnd(builder, step);
	LLVMBuildBr(builder, old);
	turn(block, old, step);
	map_put(&s->side[way], step, 1);
	for (LLVMValueRef i = LLVMGetFirstInstruction(old); LLVMIsAPHINode(i);) {
		LLVMValueRef next = LLVMGetNextInstruction(i);
		LLVMPositionBuilderBefore(builder, i);
		LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(i), "");
		for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
			LLVMBasicBlockRef from = LLVMGetIncomingBlock(i, k);
			LLVMValueRef value = LLVMGetIncomingValue(i, k);
			from = from == block ? step : from;
			LLVMAddIncoming(phi, &value, &from, 1);
		}
		LLVMReplaceAllUsesWith(i, phi);
		LLVMInstructionEraseFromParent(i);
		i = next;
	}
}

static void make_join(LLVMBuilderRef builder, struct scope *s, struct region sides[2],
		      LLVMBasicBlockRef old)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(s->branch));
	LLVMBasicBlockRef from = LLVMGetInstructionParent(s->branch);
	for (unsigned way = 0; way < 2; way++)
		for (unsigned i = 0; i < sides[way].n; i++) {
			LLVMBasicBlockRef block = sides[way].at[i];
			LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
			map_put(&s->side[way], block, 1);
			if (LLVMIsAInvokeInst(end) && LLVMGetNormalDest(end) == old)
				add_step(builder, s, way, block, old);
		}
	s->join = LLVMInsertBasicBlockInContext(context, old, "");
	move_phis(builder, s, old, from);
	LLVMPositionBuilderAtEnd(builder, s->join);
	LLVMBuildBr(builder, old);
	turn(from, old, s->join);
	for (unsigned way = 0; way < 2; way++)
		for (size_t i = 0; i < s->side[way].capacity; i++)
			if (s->side[way].slots[i].key)
				turn((LLVMBasicBlockRef)s->side[way].slots[i].key, old, s->join);
}

/* Finding */

/* What a jump back comes to was not decided by the branches before it; where a list of arguments
 * stands is not followed. */
static bool is_strange(LLVMValueRef i)
{
	if (!callee_is_call(i))
		return false;
	unsigned twice = LLVMGetEnumAttributeKindForName("returns_twice", 13);
	struct callee callee = callee_of(i);
	return !strncmp(callee.name, "llvm.va_", 8) ||
	       LLVMGetCallSiteEnumAttribute(i, LLVMAttributeFunctionIndex, twice) ||
	       (callee.function &&
		LLVMGetEnumAttributeAtIndex(callee.function, LLVMAttributeFunctionIndex, twice));
}

static bool is_usual(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_strange(i))
				return false;
	return true;
}

/* Waiting */

static bool is_look(LLVMValueRef i)
{
	return LLVMIsALoadInst(i) && LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
}

/* Nothing but looking at atomic variables, and computing; *looks: it does look. */
static bool only_looks(LLVMBasicBlockRef block, bool *looks)
{
	bool does = false;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		if (!is_look(i) && !is_harmless(i))
			return false;
		does |= is_look(i);
	}
	*looks |= does;
	return true;
}

/* Whether something goes round with a loop, and is computed anew each time, if no arm is taken. */
static bool counts(LLVMBasicBlockRef from, LLVMBasicBlockRef join, const struct region sides[2])
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(join); LLVMIsAPHINode(i);
	     i = LLVMGetNextInstruction(i))
		for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
			LLVMValueRef value = LLVMGetIncomingValue(i, k);
			LLVMBasicBlockRef by = LLVMGetIncomingBlock(i, k);
			bool idle = by == from;
			for (unsigned way = 0; way < 2; way++)
				idle |= has_block(&sides[way], by) && does_nothing(&sides[way]);
			if (idle && LLVMIsAInstruction(value) && !LLVMIsAPHINode(value))
				return true;
		}
	return false;
}

/*
 * A loop waits by looking again and again, its branch leads back to where it begins, and something
 * goes round with it: how often it has looked, as a rule. If that came out of an arm, the rest of
 * an outer loop, each time would have to tell it, and the log could not just count them (LOG_SPIN).
 */
static bool is_wait(LLVMBasicBlockRef from, LLVMBasicBlockRef join, const struct region sides[2])
{
	struct region inside = {0};
	bool looks = false;
	if (!counts(from, join, sides) || !only_looks(join, &looks))
		return false;
	add_block(&inside, join);
	for (unsigned i = 0; i < inside.n && inside.n < WAIT_BLOCKS_MOST; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(inside.at[i]);
		for (unsigned s = 0; inside.at[i] != from && s < LLVMGetNumSuccessors(end); s++)
			if (only_looks(LLVMGetSuccessor(end, s), &looks))
				add_block(&inside, LLVMGetSuccessor(end, s));
	}
	return looks && has_block(&inside, from);
}

static void try_branch(struct scopes *scopes, LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	struct region sides[2];
	if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
	    LLVMIsConstant(LLVMGetCondition(end)) ||
	    LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1))
		return;
	LLVMBasicBlockRef join = find_join(end, sides);
	if (!join)
		return;
	struct scope scope = {.branch = end};
	for (unsigned way = 0; way < 2; way++)
		scope.arm[way] = does_nothing(&sides[!way]);
	if ((!scope.arm[0] && !scope.arm[1]) || is_wait(block, join, sides))
		return;
	make_join(builder, &scope, sides, join);
	map_put(&scopes->branches, end, (uint32_t)scopes->n);
	map_put(&scopes->joins, scope.join, (uint32_t)scopes->n);
	vec_push(scopes, scope);
}

/* Each block behind all that it leads to, loops apart: inner arms come first. */
static void find_in(struct scopes *scopes, LLVMBuilderRef builder, struct map *seen,
		    LLVMBasicBlockRef block)
{
	struct frame {
		LLVMBasicBlockRef block;
		unsigned next;
	};
	VEC(struct frame) stack = {0};
	struct frame first = {block, 0};
	map_mark(seen, block);
	vec_push(&stack, first);
	while (stack.n) {
		struct frame *top = &stack.at[stack.n - 1];
		LLVMValueRef end = LLVMGetBasicBlockTerminator(top->block);
		if (top->next == LLVMGetNumSuccessors(end)) {
			try_branch(scopes, builder, top->block);
			stack.n--;
			continue;
		}
		struct frame next = {LLVMGetSuccessor(end, top->next++), 0};
		if (map_mark(seen, next.block))
			vec_push(&stack, next);
	}
	vec_release(&stack);
}

void scopes_find(struct scopes *scopes, LLVMValueRef function)
{
	struct map seen = {0};
	if (!is_usual(function))
		return;
	LLVMBuilderRef builder =
		LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
	find_in(scopes, builder, &seen, LLVMGetEntryBasicBlock(function));
	LLVMDisposeBuilder(builder);
	map_release(&seen);
}

void scopes_release(struct scopes *scopes)
{
	for (size_t i = 0; i < scopes->n; i++)
		for (unsigned way = 0; way < 2; way++)
			map_release(&scopes->at[i].side[way]);
	vec_release(scopes);
	map_release(&scopes->branches);
	map_release(&scopes->joins);
}

struct scope *scopes_of_branch(const struct scopes *scopes, LLVMValueRef branch)
{
	uint32_t number = map_get(&scopes->branches, branch);
	return number == MAP_NONE ? NULL : &scopes->at[number];
}

struct scope *scopes_of_phi(const struct scopes *scopes, LLVMValueRef phi)
{
	uint32_t number = map_get(&scopes->joins, LLVMGetInstructionParent(phi));
	return number == MAP_NONE ? NULL : &scopes->at[number];
}

static bool is_inside(const struct scope *scope, LLVMValueRef value)
{
	if (!LLVMIsAInstruction(value))
		return false;
	LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
	return map_get(&scope->side[0], block) != MAP_NONE ||
	       map_get(&scope->side[1], block) != MAP_NONE;
}

LLVMValueRef scope_other(const struct scope *scope, LLVMValueRef phi, unsigned arm)
{
	LLVMValueRef other = NULL;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);
		if (map_get(&scope->side[arm], LLVMGetIncomingBlock(phi, i)) != MAP_NONE)
			continue;
		LLVMBasicBlockRef from = LLVMGetInstructionParent(scope->branch);
		if (LLVMGetIncomingBlock(phi, i) == from &&
		    LLVMGetSuccessor(scope->branch, arm) == scope->join)
			continue;
		if ((other && other != value) || is_inside(scope, value))
			return NULL;
		other = value;
	}
	return other;
}
