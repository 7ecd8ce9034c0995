/* SPDX-License-Identifier: MIT */
/* Code without hooks: calls of what may be such, and functions that such may call. */
#include "instrument/rewrite.h"

static LLVMValueRef behind_allocas(LLVMValueRef function)
{
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
	while (LLVMIsAAllocaInst(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

LLVMValueRef unseen_first_of(LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	while (LLVMIsAPHINode(i) || LLVMIsALandingPadInst(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

/* Behind phis, where landing pads are. */
static LLVMValueRef first_landing(LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	while (LLVMIsAPHINode(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

static void call_ended(struct module *module, LLVMValueRef call)
{
	module_hook(module, "__norn_called", module->nothing, &call, 1);
}

/* What is known when the function begins holds whenever its own code runs. */
static LLVMValueRef state_of(struct function *f)
{
	struct module *module = f->module;
	if (!f->state) {
		LLVMPositionBuilderBefore(module->builder, behind_allocas(f->llvm));
		f->state = module_hook(module, "__norn_state", module->i32, NULL, 0);
	}
	return f->state;
}

/* Its own code runs again, from wherever it came back. */
static void restore_before(struct function *f, LLVMValueRef i)
{
	struct module *module = f->module;
	LLVMValueRef state = state_of(f);
	LLVMPositionBuilderBefore(module->builder, i);
	module_hook(module, "__norn_restore", module->nothing, &state, 1);
}

/* Pointers, and integers that may be some: clang passes small structs as such. */
static bool may_point(struct module *module, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	if (LLVMIsAConstantInt(value) || LLVMIsAConstantPointerNull(value) || LLVMIsUndef(value) ||
	    LLVMIsAFunction(value))
		return false;
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind || type == module->i64;
}

static LLVMValueRef element(struct module *module, LLVMTypeRef type, LLVMValueRef array, unsigned i)
{
	LLVMValueRef indices[] = {module_i64(module, 0), module_i64(module, i)};
	return LLVMBuildGEP2(module->builder, type, array, indices, 2, "");
}

/* The words of a struct that is passed as a copy, in memory. */
static unsigned copied_words(struct module *module, LLVMValueRef call, unsigned a)
{
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	LLVMAttributeRef copy = LLVMIsACallInst(call) || LLVMIsAInvokeInst(call)
					? LLVMGetCallSiteEnumAttribute(call, a + 1, byval)
					: NULL;
	return copy ? (unsigned)(LLVMABISizeOfType(module->layout,
						   LLVMGetTypeAttributeValue(copy)) /
				 8)
		    : 0;
}

#define WORDS_MOST 32 /* of more the log does not say which */

/* Puts what an operand gives into `given`, and returns how much that is. */
static unsigned operand_gives(struct module *module, LLVMValueRef call, unsigned a,
			      LLVMValueRef *given)
{
	LLVMValueRef value = LLVMGetOperand(call, a);
	unsigned words = copied_words(module, call, a);
	if (!may_point(module, value))
		return 0;
	if (!words) {
		*given = access_as_i64(module, value);
		return 1;
	}
	LLVMTypeRef type = LLVMPointerType(module->i64, 0);
	LLVMValueRef from = LLVMBuildBitCast(module->builder, value, type, "");
	for (unsigned i = 0; i < words && i < WORDS_MOST; i++) {
		LLVMValueRef index = module_i64(module, i);
		LLVMValueRef at = LLVMBuildGEP2(module->builder, module->i64, from, &index, 1, "");
		given[i] = LLVMBuildLoad2(module->builder, module->i64, at, "");
	}
	return words < WORDS_MOST ? words : WORDS_MOST;
}

/* Which of its first operands may point to memory: an array of this function's, and its length. */
static void given_to(struct function *f, LLVMValueRef call, unsigned count, LLVMValueRef *array,
		     unsigned *n)
{
	struct module *module = f->module;
	LLVMValueRef *given = mem_alloc((count + 1) * WORDS_MOST * sizeof(LLVMValueRef));
	*n = 0;
	*array = LLVMConstNull(LLVMPointerType(module->i64, 0));
	for (unsigned a = 0; a < count; a++)
		*n += operand_gives(module, call, a, given + *n);
	LLVMTypeRef type = LLVMArrayType(module->i64, *n);
	LLVMValueRef place = *n ? range_temporary(f, type) : NULL;
	for (unsigned i = 0; i < *n; i++)
		LLVMBuildStore(module->builder, given[i], element(module, type, place, i));
	if (*n)
		*array = element(module, type, place, 0);
	mem_free(given);
}

void unseen_call(struct function *f, LLVMValueRef call)
{
	struct module *module = f->module;
	LLVMValueRef array;
	unsigned n;
	LLVMPositionBuilderBefore(module->builder, call);
	given_to(f, call, LLVMGetNumArgOperands(call), &array, &n);
	LLVMValueRef arguments[] = {access_pointer(module, LLVMGetCalledValue(call)), array,
				    LLVMConstInt(module->i32, n, 0)};
	LLVMValueRef begun = module_hook(module, "__norn_call", module->i32, arguments, 3);
	if (LLVMIsAInvokeInst(call)) {
		restore_before(f, unseen_first_of(LLVMGetNormalDest(call)));
	} else if (LLVMIsACallInst(call) && !callee_ends_function(call)) {
		LLVMPositionBuilderBefore(module->builder, LLVMGetNextInstruction(call));
		call_ended(module, begun);
	}
	module->counts.unseen++;
}

/* Closest to the instruction: what else stands around it logs something. */
void unseen_inline(struct function *f, LLVMValueRef i, unsigned operands)
{
	struct module *module = f->module;
	LLVMValueRef array;
	unsigned n;
	LLVMPositionBuilderBefore(module->builder, i);
	given_to(f, i, operands, &array, &n);
	if (!n)
		return;
	LLVMValueRef arguments[] = {array, LLVMConstInt(module->i32, n, 0)};
	LLVMValueRef begun = module_hook(module, "__norn_inline", module->i32, arguments, 2);
	LLVMPositionBuilderBefore(module->builder, LLVMGetNextInstruction(i));
	module_hook(module, "__norn_inline_end", module->nothing, &begun, 1);
}

/* Code that was called may be left at once, for one of these places. */
static void restore_in(struct function *f, LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block), next;
	if (LLVMIsALandingPadInst(first_landing(block)))
		restore_before(f, unseen_first_of(block));
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsACallInst(i) && callee_returns_twice(i))
			restore_before(f, next);
	}
}

/* Behind arguments[0]: the first four that may be what somebody has handed over. */
static void add_pointers(struct function *f, LLVMValueRef *arguments)
{
	struct module *module = f->module;
	unsigned n = 1;
	for (unsigned i = 0; n < 5 && i < LLVMCountParams(f->llvm); i++) {
		LLVMValueRef argument = LLVMGetParam(f->llvm, i);
		if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind)
			arguments[n++] = access_pointer(module, argument);
	}
	for (; n < 5; n++)
		arguments[n] = n > 1 ? arguments[n - 1] : LLVMConstPointerNull(module->bytes);
}

void unseen_frame(struct function *f)
{
	struct module *module = f->module;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->llvm); b; b = LLVMGetNextBasicBlock(b))
		restore_in(f, b);
	if (!f->gets_out && !callee_is_for_others(f->llvm))
		return;
	const char *leaves = f->gets_out ? "__norn_leaves" : "__norn_leaves_others";
	/* before the state is asked for */
	LLVMPositionBuilderBefore(module->builder, behind_allocas(f->llvm));
	LLVMValueRef arguments[5];
	add_pointers(f, arguments);
	arguments[0] = module_hook(module, "__norn_entered", module->i32, arguments + 1, 4);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->llvm); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef leave = LLVMGetBasicBlockTerminator(b);
		if (!LLVMIsAReturnInst(leave) && !LLVMIsAResumeInst(leave))
			continue;
		LLVMValueRef last = callee_of_end(leave);
		LLVMPositionBuilderBefore(module->builder, last ? last : leave);
		module_hook(module, leaves, module->nothing, arguments, 5);
	}
}
