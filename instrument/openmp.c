/* SPDX-License-Identifier: MIT */
#include "instrument/openmp.h"

#include "base/mem.h"

#include <llvm-c/DebugInfo.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Does a string of the node, or of the nodes in it, say so? A loop's first operand is itself. */
static bool node_says(LLVMValueRef node, const char *text)
{
	unsigned n = (unsigned)LLVMGetMDNodeNumOperands(node), length;
	LLVMValueRef *parts = mem_alloc((n + 1) * sizeof(*parts));
	bool says = false;

	LLVMGetMDNodeOperands(node, parts);
	for (unsigned i = 0; i < n && !says; i++) {
		const char *string = parts[i] ? LLVMGetMDString(parts[i], &length) : NULL;

		if (string)
			says = length == strlen(text) && !memcmp(string, text, length);
		else if (i && parts[i] && LLVMIsAMDNode(parts[i]))
			says = node_says(parts[i], text);
	}
	mem_free(parts);
	return says;
}

static void tell(const char *file, unsigned file_length, unsigned line, const char *text)
{
	fprintf(stderr, "norn cc: warning: %.*s:%u: %s\n", (int)file_length, file, line, text);
}

static bool tell_simd(LLVMValueRef terminator)
{
	LLVMContextRef context = LLVMGetModuleContext(
		LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(terminator))));
	LLVMValueRef loop =
		LLVMGetMetadata(terminator, LLVMGetMDKindIDInContext(context, "llvm.loop", 9));
	unsigned length;

	if (!loop || !node_says(loop, "llvm.loop.vectorize.enable"))
		return false;
	const char *file = LLVMGetDebugLocFilename(terminator, &length);

	tell(file ? file : "?", file ? length : 1, LLVMGetDebugLocLine(terminator),
	     "the lanes of a simd loop are one thread to Norn; races between them are not found");
	return true;
}

static bool tell_target(LLVMValueRef function)
{
	size_t length;
	unsigned file_length;
	const char *name = LLVMGetValueName2(function, &length);
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);

	if (strncmp(name, "__omp_offloading_", 17) || LLVMIsDeclaration(function))
		return false;
	const char *file =
		subprogram ? LLVMDIFileGetFilename(LLVMDIScopeGetFile(subprogram), &file_length)
			   : NULL;

	tell(file ? file : "?", file ? file_length : 1,
	     subprogram ? LLVMDISubprogramGetLine(subprogram) : 0,
	     "a target region runs on this machine under Norn, not on a device");
	return true;
}

void openmp_tell_left_out(LLVMModuleRef module)
{
	bool simd = false, target = false;

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		target = target || tell_target(f);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && !simd;
		     b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef last = LLVMGetBasicBlockTerminator(b);

			simd = last && tell_simd(last);
		}
	}
}
