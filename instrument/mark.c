/* SPDX-License-Identifier: MIT */
#include "instrument/mark.h"

#include <string.h>

static unsigned kind_of_mark(void)
{
	static const char name[] = "sanitize_thread";
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

void mark_functions(LLVMModuleRef module)
{
	LLVMAttributeRef mark =
		LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind_of_mark(), 0);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, mark);
}

void mark_remove_from(LLVMValueRef function)
{
	LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind_of_mark());
}

void mark_remove(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		mark_remove_from(f);
}
