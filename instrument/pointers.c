/* SPDX-License-Identifier: MIT */
#include "instrument/pointers.h"

#include "base/err.h"
#include "base/mem.h"
#include "instrument/callee.h"

#include <stdbool.h>
#include <stdio.h>

typedef VEC(LLVMValueRef) value_list;

static LLVMValueRef version_of(LLVMModuleRef module, LLVMValueRef function)
{
	size_t length;
	char name[300];
	int n = snprintf(name, sizeof(name), "__norn_%s", LLVMGetValueName2(function, &length));
	ASSERT(n > 0 && n < (int)sizeof(name));
	LLVMValueRef version = LLVMGetNamedFunction(module, name);
	return version ? version : LLVMAddFunction(module, name, LLVMGlobalGetValueType(function));
}

/* Calls of it by its name stay: code without hooks makes some, and what stands in front of it. */
static void redirect(LLVMValueRef function, LLVMValueRef to)
{
	value_list calls = {0};
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAInstruction(user) && callee_is_call(user) &&
		    LLVMGetCalledValue(user) == function)
			vec_push(&calls, user);
	}
	LLVMReplaceAllUsesWith(function, LLVMConstBitCast(to, LLVMTypeOf(function)));
	/* what is called is the last operand */
	for (size_t i = 0; i < calls.n; i++)
		LLVMSetOperand(calls.at[i], (unsigned)LLVMGetNumOperands(calls.at[i]) - 1,
			       function);
	vec_release(&calls);
}

static value_list all_that(LLVMModuleRef module, bool (*is_one)(const char *name))
{
	value_list all = {0};
	size_t length;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) &&
		    is_one(LLVMGetValueName2(f, &length)))
			vec_push(&all, f);
	return all;
}

void pointers_redirect(LLVMModuleRef module)
{
	value_list all = all_that(module, callee_is_replaced);
	for (size_t i = 0; i < all.n; i++) {
		LLVMValueRef version = version_of(module, all.at[i]);
		if (LLVMTypeOf(version) == LLVMTypeOf(all.at[i]))
			redirect(all.at[i], version);
	}
	vec_release(&all);
}

/* Arguments without a name are words, and syscall has most of them; unless a format says what they
 * are. */
#define WORDS_MOST 6
#define PARAMETERS_MOST 16

static bool has_format(LLVMTypeRef type, const LLVMTypeRef *parameters, unsigned n)
{
	return LLVMIsFunctionVarArg(type) && n &&
	       LLVMGetTypeKind(parameters[n - 1]) == LLVMPointerTypeKind;
}

static LLVMValueRef add_front(LLVMModuleRef module, LLVMValueRef function)
{
	size_t length;
	char name[300];
	LLVMTypeRef type = LLVMGlobalGetValueType(function), parameters[PARAMETERS_MOST];
	unsigned n = LLVMCountParamTypes(type);
	if (n + WORDS_MOST > PARAMETERS_MOST)
		return NULL;
	LLVMGetParamTypes(type, parameters);
	if (has_format(type, parameters, n))
		return NULL;
	for (unsigned i = 0; i < WORDS_MOST && LLVMIsFunctionVarArg(type); i++)
		parameters[n++] = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
	snprintf(name, sizeof(name), "__norn_address.%s", LLVMGetValueName2(function, &length));
	LLVMValueRef front = LLVMAddFunction(
		module, name, LLVMFunctionType(LLVMGetReturnType(type), parameters, n, 0));
	/* In other modules it is the same: whoever compares addresses finds no difference. */
	LLVMSetLinkage(front, LLVMLinkOnceODRLinkage);
	LLVMSetVisibility(front, LLVMHiddenVisibility);
	return front;
}

static void build_front(LLVMBuilderRef builder, LLVMValueRef front, LLVMValueRef function)
{
	LLVMValueRef arguments[PARAMETERS_MOST];
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(front));
	LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, front, ""));
	LLVMGetParams(front, arguments);
	LLVMValueRef result =
		LLVMBuildCall2(builder, type, function, arguments, LLVMCountParams(front), "");
	if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(builder);
	else
		LLVMBuildRet(builder, result);
}

static bool is_taken(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || !callee_is_call(user) ||
		    LLVMGetCalledValue(user) != function)
			return true;
	}
	return false;
}

void pointers_front(LLVMModuleRef module)
{
	value_list all = all_that(module, callee_orders_outside);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (size_t i = 0; i < all.n; i++) {
		LLVMValueRef front = is_taken(all.at[i]) ? add_front(module, all.at[i]) : NULL;
		if (!front)
			continue;
		redirect(all.at[i], front);
		build_front(builder, front, all.at[i]);
	}
	LLVMDisposeBuilder(builder);
	vec_release(&all);
}
