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

static bool is_called_by(LLVMValueRef user, LLVMValueRef function)
{
	return callee_is_call(user) && LLVMGetCalledValue(user) == function;
}

static void redirect_in(LLVMValueRef user, LLVMValueRef function, LLVMValueRef version)
{
	for (int i = 0; i < LLVMGetNumOperands(user); i++)
		if (LLVMGetOperand(user, (unsigned)i) == function)
			LLVMSetOperand(user, (unsigned)i, version);
}

/* Code without hooks still calls it by its name. Constants cannot be told from each other then. */
static void redirect(LLVMValueRef function, LLVMValueRef version)
{
	value_list users = {0};
	bool called = false;
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAInstruction(user) && is_called_by(user, function))
			called = true;
		else if (LLVMIsAInstruction(user))
			vec_push(&users, user);
	}
	if (!called)
		LLVMReplaceAllUsesWith(function, version);
	for (size_t i = 0; called && i < users.n; i++)
		redirect_in(users.at[i], function, version);
	vec_release(&users);
}

void pointers_redirect(LLVMModuleRef module)
{
	value_list all = {0};
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		size_t length;
		if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) &&
		    callee_is_replaced(LLVMGetValueName2(f, &length)))
			vec_push(&all, f);
	}
	for (size_t i = 0; i < all.n; i++) {
		LLVMValueRef version = version_of(module, all.at[i]);
		if (LLVMTypeOf(version) == LLVMTypeOf(all.at[i]))
			redirect(all.at[i], version);
	}
	vec_release(&all);
}
