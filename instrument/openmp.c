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

/* What clang makes a function of, by the call that it is handed to. */
static const struct {
	const char *call, *text;
} made[] = {
	{"__kmpc_fork_call", "parallel_region"},
	{"__kmpc_fork_teams", "teams_region"},
	{"__kmpc_omp_task_alloc", "task"},
	{"__kmpc_omp_target_task_alloc", "target_task"},
};

static bool is_made(LLVMValueRef function)
{
	static const char *const starts[] = {".omp_outlined", ".omp_task_entry",
					     "__omp_offloading_"};
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* The instruction that names the function, by whatever cast; NULL: none. */
static LLVMValueRef user_of(LLVMValueRef value)
{
	LLVMValueRef found = NULL;

	for (LLVMUseRef use = LLVMGetFirstUse(value); use && !found; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsAInstruction(user))
			found = user;
		else if (LLVMIsAConstantExpr(user))
			found = user_of(user);
	}
	return found;
}

static const char *made_by(LLVMValueRef user)
{
	LLVMValueRef callee =
		LLVMIsACallInst(user) || LLVMIsAInvokeInst(user) ? LLVMGetCalledValue(user) : NULL;
	size_t length;
	const char *name = callee ? LLVMGetValueName2(callee, &length) : "";

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		if (!strcmp(name, made[i].call))
			return made[i].text;
	return NULL;
}

/* As the source has it. */
static const char *source_name(LLVMValueRef function, unsigned *length)
{
	enum { NAME_OF_SUBPROGRAM = 2 };
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMValueRef node = subprogram ? LLVMMetadataAsValue(context, subprogram) : NULL;
	unsigned n = node ? (unsigned)LLVMGetMDNodeNumOperands(node) : 0;
	LLVMValueRef *parts = mem_alloc((n + 1) * sizeof(*parts));
	const char *name = NULL;
	size_t plain;

	if (n)
		LLVMGetMDNodeOperands(node, parts);
	if (n > NAME_OF_SUBPROGRAM && parts[NAME_OF_SUBPROGRAM])
		name = LLVMGetMDString(parts[NAME_OF_SUBPROGRAM], length);
	mem_free(parts);
	if (name)
		return name;
	name = LLVMGetValueName2(function, &plain);
	*length = (unsigned)plain;
	return name;
}

/* `main:task_at_line_12`: the function in which it stands, and what it is. */
static bool describe(LLVMValueRef function, char *text, size_t room)
{
	const char *what = NULL;
	unsigned line = 0, length;

	for (unsigned depth = 0; is_made(function); depth++) {
		LLVMValueRef user = user_of(function);

		if (!user || depth == 64)
			return false;
		LLVMValueRef around = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));

		if (!what) {
			what = made_by(user);
			line = LLVMGetDebugLocLine(user);
		}
		if (!what && !is_made(around))
			what = "target_region";
		function = around;
	}
	const char *name = source_name(function, &length);

	if (!what || !line)
		return false;
	snprintf(text, room, "%.*s:%s" OPENMP_AT_LINE "%u", (int)length, name, what, line);
	return true;
}

void openmp_name_regions(LLVMModuleRef module)
{
	struct named {
		LLVMValueRef function;
		char text[400];
	};
	VEC(struct named) all = {0};
	struct named named;

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		named.function = f;
		if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMInternalLinkage &&
		    is_made(f) && describe(f, named.text, sizeof(named.text)))
			vec_push(&all, named);
	}
	/* the second one of a name gets a number behind it */
	for (size_t i = 0; i < all.n; i++)
		LLVMSetValueName2(all.at[i].function, all.at[i].text, strlen(all.at[i].text));
	vec_release(&all);
}

size_t openmp_region_name(const char *name)
{
	const char *at = strstr(name, OPENMP_AT_LINE);

	if (!at)
		return 0;
	at += strlen(OPENMP_AT_LINE);
	return (size_t)(at - name) + strspn(at, "0123456789");
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
