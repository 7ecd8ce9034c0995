/* SPDX-License-Identifier: MIT */
/* Reading a function: nodes in reverse postorder, and which instructions get hooks. */
#include "instrument/errno.h"
#include "instrument/function.h"
#include "instrument/leaving.h"
#include "instrument/parts.h"
#include "instrument/slots.h"

static uint32_t add_node(struct function *f, LLVMValueRef value, enum role role)
{
	struct node node = {.value = value, .role = (uint8_t)role};
	uint32_t number = (uint32_t)f->nodes.n;
	vec_push(&f->nodes, node);
	map_put(&f->numbers, value, number);
	return number;
}

uint32_t function_constant(struct function *f, LLVMValueRef value)
{
	uint32_t known = function_node(f, value);
	return known != MAP_NONE ? known : add_node(f, value, ROLE_FIXED);
}

uint32_t function_node(const struct function *f, LLVMValueRef value)
{
	return map_get(&f->numbers, value);
}

static void add_action(struct function *f, enum action_kind kind, uint32_t node)
{
	struct action action = {.kind = kind, .node = node};
	vec_push(&f->actions, action);
}

static bool is_hook_size(struct function *f, LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	uint64_t bits = LLVMSizeOfTypeInBits(f->module->layout, type);
	if (kind == LLVMIntegerTypeKind && bits == 1)
		return true;
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return false;
	if (kind == LLVMVectorTypeKind)
		return LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMPointerTypeKind;
	return kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind ||
	       kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
	       kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

static bool is_fixed_size(LLVMTypeRef type)
{
	return LLVMTypeIsSized(type) && LLVMGetTypeKind(type) != LLVMScalableVectorTypeKind;
}

/* Of a local that stays inside: see function_open_locals. */
static bool is_local(LLVMValueRef load)
{
	return LLVMIsAAllocaInst(private_base(LLVMGetOperand(load, 0)));
}

static void read_load(struct function *f, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	bool atomic = LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
	enum memory memory = private_memory(&f->privacy, LLVMGetOperand(i, 0));
	enum role role = ROLE_OPAQUE;
	LLVMValueRef from = NULL;
	if (memory == MEMORY_CONSTANT)
		role = ROLE_FLOW;
	else if (memory == MEMORY_SHARED && is_hook_size(f, type))
		role = ROLE_READ;
	else if (memory == MEMORY_PRIVATE && is_hook_size(f, type) && is_local(i))
		role = ROLE_FLOW;
	else if (private_is_locale(LLVMGetOperand(i, 0)) || private_is_once(LLVMGetOperand(i, 0)))
		role = ROLE_FIXED; /* which locale is set says no read */
	else if (errno_is_at(LLVMGetOperand(i, 0)) && errno_is_known(i, &from))
		role = from ? ROLE_FLOW : ROLE_FIXED;
	uint32_t node = add_node(f, i, role);
	f->nodes.at[node].from = from;
	if (role == ROLE_READ)
		add_action(f, ACTION_READ, node);
	else if (memory == MEMORY_SHARED && !atomic && is_fixed_size(type))
		add_action(f, ACTION_READ_RANGE, node);
	else if (memory == MEMORY_SHARED && atomic)
		add_action(f, ACTION_WIDE, node);
	else if (memory == MEMORY_SHARED || memory == MEMORY_ALIEN)
		f->module->counts.left++;
	else if (memory == MEMORY_PRIVATE)
		f->module->counts.private ++;
	else
		f->module->counts.constant++;
}

static void read_store(struct function *f, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	bool atomic = LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
	enum memory memory = private_memory(&f->privacy, LLVMGetOperand(i, 1));
	uint32_t node = add_node(f, i, ROLE_OPAQUE);
	if (memory == MEMORY_SHARED && is_hook_size(f, type))
		add_action(f, ACTION_WRITE, node);
	else if (memory == MEMORY_SHARED && !atomic && is_fixed_size(type))
		add_action(f, ACTION_WRITE_RANGE, node);
	else if (memory == MEMORY_SHARED && atomic)
		add_action(f, ACTION_WIDE, node);
	else if (memory == MEMORY_PRIVATE)
		f->module->counts.private ++;
	else
		f->module->counts.left++;
}

static void read_atomic(struct function *f, LLVMValueRef i, enum action_kind kind)
{
	enum memory memory = private_memory(&f->privacy, LLVMGetOperand(i, 0));
	bool hooked = memory == MEMORY_SHARED &&
		      is_hook_size(f, LLVMTypeOf(LLVMGetOperand(i, 1))) &&
		      (kind == ACTION_SWAP || LLVMGetAtomicRMWBinOp(i) <= LLVMAtomicRMWBinOpFSub);
	uint32_t node = add_node(f, i, hooked ? ROLE_READ : ROLE_OPAQUE);
	if (hooked)
		add_action(f, kind, node);
	else if (memory == MEMORY_SHARED)
		add_action(f, ACTION_WIDE, node);
	else if (memory == MEMORY_PRIVATE)
		f->module->counts.private ++;
	else
		f->module->counts.left++;
}

/* Copies between locals that do not get out need no hook. */
static bool touches_shared(struct function *f, LLVMValueRef call, enum callee_kind kind)
{
	return private_memory(&f->privacy, LLVMGetOperand(call, 0)) == MEMORY_SHARED ||
	       (kind == CALLEE_COPY &&
		private_memory(&f->privacy, LLVMGetOperand(call, 1)) == MEMORY_SHARED);
}

bool function_passes_copy(struct function *f, LLVMValueRef call, unsigned a)
{
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	return LLVMGetCallSiteEnumAttribute(call, a + 1, byval) &&
	       private_memory(&f->privacy, LLVMGetOperand(call, a)) == MEMORY_SHARED;
}

static bool passes_copies(struct function *f, LLVMValueRef call)
{
	for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
		if (function_passes_copy(f, call, a))
			return true;
	return false;
}

static void read_call(struct function *f, LLVMValueRef i)
{
	struct callee callee = callee_of(i);
	enum role role = ROLE_OPAQUE;
	if ((callee.kind == CALLEE_COPY || callee.kind == CALLEE_FILL) && !LLVMIsACallInst(i))
		callee.kind = CALLEE_OUTSIDE;
	if (callee.kind == CALLEE_PURE || callee.returns_destination)
		role = ROLE_FLOW;
	else if (callee.fixed_result || leaving_is_counted(i))
		role = ROLE_FIXED;
	else if (callee.sees)
		role = ROLE_SEEN;
	else if (slots_may_take(&callee) && !parts_is_pair(LLVMTypeOf(i)))
		role = ROLE_RESULT;
	uint32_t node = add_node(f, i, role);
	if (passes_copies(f, i)) {
		/* Nothing may come between a call that must be the last and the return. */
		if (callee_ends_function(i))
			f->module->counts.left++;
		else
			add_action(f, ACTION_PASS, node);
	}
	switch (callee.kind) {
	case CALLEE_OUTSIDE:
	case CALLEE_INDIRECT:
	case CALLEE_ASSEMBLY:
	case CALLEE_HOOKED: add_action(f, ACTION_CALL, node); break;
	case CALLEE_COPY:
	case CALLEE_FILL:
		if (touches_shared(f, i, callee.kind))
			add_action(f, callee.kind == CALLEE_COPY ? ACTION_COPY : ACTION_FILL, node);
		else
			f->module->counts.private ++;
		break;
	case CALLEE_LEFT: f->module->counts.left++; break;
	case CALLEE_PURE:
	case CALLEE_QUIET: break;
	}
}

static bool computes(LLVMOpcode op)
{
	switch (op) {
	case LLVMFNeg:
	case LLVMGetElementPtr:
	case LLVMICmp:
	case LLVMFCmp:
	case LLVMSelect:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector:
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMFreeze: return true;
	default:
		return (op >= LLVMAdd && op <= LLVMXor) || (op >= LLVMTrunc && op <= LLVMBitCast) ||
		       op == LLVMAddrSpaceCast;
	}
}

static bool is_part_of_result(LLVMValueRef pair)
{
	if (!callee_is_call(pair) || !parts_is_pair(LLVMTypeOf(pair)))
		return false;
	struct callee callee = callee_of(pair);
	return slots_may_take(&callee);
}

static void read_extract(struct function *f, LLVMValueRef i)
{
	LLVMValueRef whole = LLVMGetOperand(i, 0);
	uint32_t from = function_node(f, whole);
	bool inside = from != MAP_NONE && LLVMIsAInstruction(whole);
	bool swap = inside && f->nodes.at[from].role == ROLE_READ &&
		    LLVMIsAAtomicCmpXchgInst(f->nodes.at[from].value);
	bool part = inside && is_part_of_result(whole);
	add_node(f, i, swap ? ROLE_SWAP_PART : part ? ROLE_PART : ROLE_FLOW);
}

static void read_instruction(struct function *f, LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	switch (op) {
	case LLVMLoad: read_load(f, i); return;
	case LLVMStore: read_store(f, i); return;
	case LLVMAtomicRMW: read_atomic(f, i, ACTION_RMW); return;
	case LLVMAtomicCmpXchg: read_atomic(f, i, ACTION_SWAP); return;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr: read_call(f, i); return;
	case LLVMExtractValue: read_extract(f, i); return;
	case LLVMAlloca:
	case LLVMLandingPad: add_node(f, i, ROLE_FIXED); return;
	case LLVMPHI: add_node(f, i, ROLE_PHI); return;
	case LLVMBr:
	case LLVMSwitch:
	case LLVMIndirectBr: {
		uint32_t node = add_node(f, i, ROLE_OPAQUE);
		if (op != LLVMBr || LLVMIsConditional(i))
			add_action(f, ACTION_DECIDE, node);
		return;
	}
	case LLVMRet: {
		uint32_t node = add_node(f, i, ROLE_OPAQUE);
		if (LLVMGetNumOperands(i) && !callee_of_end(i))
			add_action(f, ACTION_RETURN, node);
		return;
	}
	default: add_node(f, i, computes(op) ? ROLE_FLOW : ROLE_OPAQUE);
	}
}

/* Blocks that can be reached, each before what it dominates. */
struct blocks {
	VEC(LLVMBasicBlockRef) order;
};

static void reverse_postorder(LLVMValueRef function, struct blocks *blocks)
{
	struct frame {
		LLVMBasicBlockRef block;
		unsigned next;
	};
	VEC(struct frame) stack = {0};
	struct map seen = {0};
	struct frame first = {LLVMGetEntryBasicBlock(function), 0};
	map_mark(&seen, first.block);
	vec_push(&stack, first);
	while (stack.n) {
		struct frame *top = &stack.at[stack.n - 1];
		LLVMValueRef end = LLVMGetBasicBlockTerminator(top->block);
		if (top->next == LLVMGetNumSuccessors(end)) {
			vec_push(&blocks->order, top->block);
			stack.n--;
			continue;
		}
		struct frame next = {LLVMGetSuccessor(end, top->next++), 0};
		if (map_mark(&seen, next.block))
			vec_push(&stack, next);
	}
	for (size_t i = 0, j = blocks->order.n; i + 1 < j; i++) {
		LLVMBasicBlockRef block = blocks->order.at[i];
		blocks->order.at[i] = blocks->order.at[--j];
		blocks->order.at[j] = block;
	}
	vec_release(&stack);
	map_release(&seen);
}

void function_read(struct function *f)
{
	for (unsigned i = 0; i < LLVMCountParams(f->llvm); i++) {
		LLVMValueRef argument = LLVMGetParam(f->llvm, i);
		add_node(f, argument,
			 private_is_copied_argument(argument) ? ROLE_FIXED
			 : i < NORN_SLOTS		      ? ROLE_ARGUMENT
							      : ROLE_OPAQUE);
	}
	struct node rest = {.value = LLVMGetUndef(f->module->i64), .role = ROLE_ARGUMENT};
	f->rest = (uint32_t)f->nodes.n;
	vec_push(&f->nodes, rest);
	struct blocks blocks = {0};
	reverse_postorder(f->llvm, &blocks);
	for (size_t b = 0; b < blocks.order.n; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(blocks.order.at[b]); i;
		     i = LLVMGetNextInstruction(i))
			read_instruction(f, i);
	vec_release(&blocks.order);
}
