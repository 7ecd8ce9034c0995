/* SPDX-License-Identifier: MIT */
/* Events where functions begin and end. */
#include "instrument/weave_parts.h"

#include "instrument/callee.h"
#include "instrument/stands_in.h"

#include <llvm-c/Comdat.h>

#include <string.h>

static LLVMValueRef entry_of(LLVMValueRef function)
{
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
	while (LLVMIsAAllocaInst(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

/* The line of its name. */
static LLVMMetadataRef location_of(struct weaver *w, LLVMValueRef function)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	return subprogram ? LLVMDIBuilderCreateDebugLocation(w->context,
							     LLVMDISubprogramGetLine(subprogram), 0,
							     subprogram, NULL)
			  : NULL;
}

static int weave_begin(struct weaver *w, LLVMValueRef function, const char *name,
		       const struct weave_lines *lines)
{
	struct place place = {.before = entry_of(function),
			      .location = location_of(w, function),
			      .name = name,
			      .function = function};
	for (size_t i = 0; i < lines->n; i++)
		if (weave_events(w, lines->at[i], &place, EVENTS_BEFORE) < 0)
			return w->err->code;
	return 0;
}

static bool comes_after(const struct events_line *line)
{
	return line->when != EVENTS_BEFORE;
}

static int weave_return(struct weaver *w, LLVMValueRef leave, const char *name,
			const struct weave_lines *lines)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(leave));
	struct place place = {.before = leave,
			      .location = LLVMInstructionGetDebugLoc(leave),
			      .name = name,
			      .function = function};
	if (LLVMGetNumOperands(leave))
		place.result = LLVMGetOperand(leave, 0);
	for (size_t i = 0; i < lines->n; i++) {
		const struct events_line *line = lines->at[i];
		if (comes_after(line) && callee_of_end(leave))
			return weave_fail(w, line, line->column,
					  "%s ends with a call that has to be the last of it",
					  name);
		if (weave_events(w, line, &place, EVENTS_AFTER) < 0)
			return w->err->code;
	}
	return 0;
}

static int weave_returns(struct weaver *w, LLVMValueRef function, const char *name,
			 const struct weave_lines *lines)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef leave = LLVMGetBasicBlockTerminator(b);
		if (leave && LLVMIsAReturnInst(leave) && weave_return(w, leave, name, lines) < 0)
			return w->err->code;
	}
	return 0;
}

/* Ways out by exceptions */

static bool needs_return(const struct events_line *line)
{
	for (unsigned i = 0; i < line->fields; i++)
		if (line->field[i].argument == EVENTS_RETURN)
			return true;
	return line->condition.compare && line->condition.field.argument == EVENTS_RETURN;
}

static bool wants_unwinding(LLVMValueRef function, const struct weave_lines *lines)
{
	if (module_has_attribute(function, LLVMAttributeFunctionIndex, "nounwind"))
		return false;
	for (size_t i = 0; i < lines->n; i++)
		if (comes_after(lines->at[i]) && !needs_return(lines->at[i]))
			return true;
	return false;
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMValueRef call)
{
	LLVMAttributeRef list[64];
	for (unsigned i = 0; i <= LLVMCountParams(from); i++) {
		unsigned n = LLVMGetAttributeCountAtIndex(from, i);
		if (n > 64)
			continue;
		LLVMGetAttributesAtIndex(from, i, list);
		for (unsigned a = 0; a < n; a++) {
			LLVMAddAttributeAtIndex(to, i, list[a]);
			LLVMAddCallSiteAttribute(call, i, list[a]);
		}
	}
	unsigned n = LLVMGetAttributeCountAtIndex(from, LLVMAttributeFunctionIndex);
	if (n <= 64) {
		LLVMGetAttributesAtIndex(from, LLVMAttributeFunctionIndex, list);
		for (unsigned a = 0; a < n; a++)
			LLVMAddAttributeAtIndex(to, LLVMAttributeFunctionIndex, list[a]);
	}
	LLVMSetFunctionCallConv(to, LLVMGetFunctionCallConv(from));
	LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(from));
}

/* It takes the function's name and place; the other one is nobody else's from now on. */
static LLVMValueRef take_place(struct weaver *w, LLVMValueRef function)
{
	char *name = weave_name(function);
	size_t length = strlen(name);
	char *inner = mem_alloc(length + sizeof(".body"));
	memcpy(inner, name, length);
	memcpy(inner + length, ".body", sizeof(".body"));
	LLVMSetValueName2(function, inner, length + strlen(".body"));
	LLVMValueRef front = LLVMAddFunction(w->llvm, name, LLVMGlobalGetValueType(function));
	mem_free(inner);
	mem_free(name);
	LLVMSetLinkage(front, LLVMGetLinkage(function));
	LLVMSetVisibility(front, LLVMGetVisibility(function));
	LLVMSetUnnamedAddress(front, LLVMGetUnnamedAddress(function));
	if (LLVMGetComdat(function))
		LLVMSetComdat(front, LLVMGetComdat(function));
	if (LLVMGetSection(function) && *LLVMGetSection(function))
		LLVMSetSection(front, LLVMGetSection(function));
	LLVMReplaceAllUsesWith(function, front);
	LLVMSetVisibility(function, LLVMDefaultVisibility);
	LLVMSetLinkage(function, LLVMInternalLinkage);
	LLVMSetComdat(function, NULL);
	return front;
}

/* For cleanups any language's will do; that of C is always there. */
static LLVMValueRef personality(struct weaver *w, LLVMValueRef function)
{
	static const char name[] = "__gcc_personality_v0";
	if (LLVMHasPersonalityFn(function))
		return LLVMGetPersonalityFn(function);
	LLVMValueRef known = LLVMGetNamedFunction(w->llvm, name);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(w->context);
	return known ? known : LLVMAddFunction(w->llvm, name, LLVMFunctionType(i32, NULL, 0, true));
}

static void set_attribute(struct weaver *w, LLVMValueRef function, const char *name, bool on)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	if (on)
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
					LLVMCreateEnumAttribute(w->context, kind, 0));
	else
		LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
}

static LLVMValueRef call_inner(struct weaver *w, LLVMValueRef front, LLVMValueRef function,
			       LLVMBasicBlockRef then, LLVMBasicBlockRef pad)
{
	unsigned n = LLVMCountParams(front);
	LLVMValueRef *arguments = mem_alloc((n + 1) * sizeof(*arguments));
	LLVMGetParams(front, arguments);
	LLVMValueRef call = LLVMBuildInvoke2(w->builder, LLVMGlobalGetValueType(function), function,
					     arguments, n, then, pad, "");
	mem_free(arguments);
	copy_attributes(function, front, call);
	return call;
}

static int build_pad(struct weaver *w, LLVMValueRef front, const char *name, LLVMBasicBlockRef pad,
		     const struct weave_lines *lines)
{
	LLVMTypeRef parts[] = {w->bytes, LLVMInt32TypeInContext(w->context)};
	LLVMTypeRef type = LLVMStructTypeInContext(w->context, parts, 2, 0);
	LLVMPositionBuilderAtEnd(w->builder, pad);
	LLVMValueRef landed = LLVMBuildLandingPad(w->builder, type, NULL, 0, "");
	LLVMSetCleanup(landed, 1);
	struct place place = {
		.before = LLVMBuildResume(w->builder, landed), .name = name, .function = front};
	for (size_t i = 0; i < lines->n; i++)
		if (!needs_return(lines->at[i]) &&
		    weave_events(w, lines->at[i], &place, EVENTS_AFTER) < 0)
			return w->err->code;
	return 0;
}

/*
 * The function gets another one in front, which an exception comes by, wherever it was thrown. It
 * stays a function of its own, or its code would lose its lines: the one in front has none.
 */
static int weave_unwinding(struct weaver *w, LLVMValueRef function, const char *name,
			   const struct weave_lines *lines)
{
	LLVMValueRef front = take_place(w, function);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(w->context, front, "");
	LLVMBasicBlockRef then = LLVMAppendBasicBlockInContext(w->context, front, "");
	LLVMBasicBlockRef pad = LLVMAppendBasicBlockInContext(w->context, front, "");
	LLVMSetCurrentDebugLocation2(w->builder, NULL);
	LLVMSetPersonalityFn(front, personality(w, function));
	LLVMPositionBuilderAtEnd(w->builder, entry);
	LLVMValueRef call = call_inner(w, front, function, then, pad);
	set_attribute(w, function, "alwaysinline", false);
	set_attribute(w, function, "inlinehint", false);
	set_attribute(w, function, "noinline", true);
	LLVMPositionBuilderAtEnd(w->builder, then);
	if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(w->builder);
	else
		LLVMBuildRet(w->builder, call);
	return build_pad(w, front, name, pad, lines);
}

/*
 * Lines with a pattern are for those functions that they fit. A function that the compiler put in
 * front of the source's has only the lines that ask for it by its symbol.
 */
static int keep_fitting(struct weaver *w, LLVMValueRef function, const char *name,
			struct weave_lines *lines)
{
	bool in_front = stands_in(function);
	size_t n = 0;
	for (size_t i = 0; i < lines->n; i++) {
		if (in_front && strcmp(lines->at[i]->target, name) != 0)
			continue;
		int code = weave_check_function(w, lines->at[i], function, name);
		if (code < 0)
			return code;
		if (!code)
			lines->at[n++] = lines->at[i];
	}
	lines->n = n;
	return 0;
}

static bool is_jumped_into(LLVMValueRef function)
{
	for (LLVMUseRef u = LLVMGetFirstUse(function); u; u = LLVMGetNextUse(u))
		if (LLVMIsABlockAddress(LLVMGetUser(u)))
			return true;
	return false;
}

static int weave_body(struct weaver *w, LLVMValueRef function, struct weave_lines *lines)
{
	char *name = weave_name(function);
	int code = keep_fitting(w, function, name, lines);
	bool unwinding = !code && wants_unwinding(function, lines);
	if (unwinding &&
	    (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) || is_jumped_into(function)))
		code = weave_fail(w, lines->at[0], lines->at[0]->column,
				  "exceptions cannot be seen to leave %s: it has a variable number "
				  "of arguments, or labels whose address is taken",
				  name);
	if (!code)
		code = weave_begin(w, function, name, lines);
	if (!code)
		code = weave_returns(w, function, name, lines);
	if (!code && unwinding)
		code = weave_unwinding(w, function, name, lines);
	mem_free(name);
	return code;
}

int weave_bodies(struct weaver *w)
{
	VEC(LLVMValueRef) functions = {0};
	int code = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(w->llvm); f; f = LLVMGetNextFunction(f))
		if (weave_gets_hooks(w, f))
			vec_push(&functions, f);
	for (size_t i = 0; i < functions.n && !code; i++) {
		struct weave_lines lines = {0};
		if (weave_find(w, functions.at[i], 1u << EVENTS_BODY, &lines))
			code = weave_body(w, functions.at[i], &lines);
		vec_release(&lines);
	}
	vec_release(&functions);
	return code;
}
