/* SPDX-License-Identifier: MIT */
#include "instrument/attributes.h"

#include "instrument/callee.h"

#include <string.h>

static const char *const of_functions[] = {
	"readnone",
	"readonly",
	"writeonly",
	"argmemonly",
	"inaccessiblememonly",
	"inaccessiblemem_or_argmemonly",
	"nosync",
	"nofree",
	"willreturn",
	"norecurse",
	"speculatable",
	"nocallback",
	"sanitize_thread",
};
static const char *const of_parameters[] = {"readnone", "readonly", "writeonly", "nocapture",
					    "nofree"};

typedef void remove_attribute(LLVMValueRef, LLVMAttributeIndex, unsigned kind);

static void strip(LLVMValueRef from, unsigned parameters, remove_attribute *remove)
{
	for (size_t i = 0; i < sizeof(of_functions) / sizeof(*of_functions); i++) {
		unsigned kind =
			LLVMGetEnumAttributeKindForName(of_functions[i], strlen(of_functions[i]));
		if (kind)
			remove(from, LLVMAttributeFunctionIndex, kind);
	}
	for (size_t i = 0; i < sizeof(of_parameters) / sizeof(*of_parameters); i++) {
		unsigned kind =
			LLVMGetEnumAttributeKindForName(of_parameters[i], strlen(of_parameters[i]));
		for (unsigned p = 1; kind && p <= parameters; p++)
			remove(from, p, kind);
	}
}

static void strip_calls(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (!callee_is_call(i))
				continue;
			LLVMValueRef callee = LLVMGetCalledValue(i);
			if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
				strip(i, LLVMGetNumArgOperands(i), LLVMRemoveCallSiteEnumAttribute);
		}
}

static void exempt(LLVMValueRef function)
{
	static const char name[] = "no_instrument_function";
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateStringAttribute(LLVMGetTypeContext(LLVMTypeOf(function)),
							  name, sizeof(name) - 1, "", 0));
}

void attributes_exempt(LLVMModuleRef module)
{
	unsigned marked = LLVMGetEnumAttributeKindForName("sanitize_thread", 15);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) &&
		    !LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, marked))
			exempt(f);
}

void attributes_strip(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMGetIntrinsicID(f))
			continue;
		strip(f, LLVMCountParams(f), LLVMRemoveEnumAttributeAtIndex);
		strip_calls(f);
	}
}
