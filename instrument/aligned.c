/* SPDX-License-Identifier: MIT */
#include "instrument/aligned.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is said is this many times what is so. */
#define RAISED (UINT32_C(1) << 20)
#define RAISED_MAX (UINT32_C(1) << 31)

/* The section of a global that is said to be aligned badly: how it is, and its own section. */
#define LOWERED "norn.aligned."

/* Copies of so many bytes become reads. */
#define COPY_MAX 8

typedef void visitor(LLVMValueRef instruction);

static void visit_all(LLVMModuleRef module, visitor *visit)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				visit(i);
}

static unsigned raised(unsigned alignment)
{
	return alignment <= RAISED_MAX / RAISED ? alignment * RAISED : alignment;
}

static unsigned restored(unsigned alignment)
{
	return alignment >= RAISED ? alignment / RAISED : alignment;
}

static bool is_plain(LLVMValueRef access)
{
	return LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic && !LLVMGetVolatile(access);
}

/* Of one object that is known already there is nothing to choose. */
static bool is_object(LLVMValueRef address)
{
	return LLVMIsAAllocaInst(address) || LLVMIsConstant(address);
}

static bool is_copy(LLVMValueRef i)
{
	return LLVMIsAMemCpyInst(i) || LLVMIsAMemMoveInst(i);
}

/* The argument of a call is counted from 1. */
static void change_argument(LLVMValueRef call, unsigned argument, unsigned change(unsigned))
{
	unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAttributeRef old = LLVMGetCallSiteEnumAttribute(call, argument, kind);
	uint64_t alignment = old ? LLVMGetEnumAttributeValue(old) : 1;
	if (alignment > RAISED_MAX || change((unsigned)alignment) == alignment)
		return;
	LLVMRemoveCallSiteEnumAttribute(call, argument, kind);
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(call));
	LLVMAddCallSiteAttribute(
		call, argument,
		LLVMCreateEnumAttribute(context, kind, change((unsigned)alignment)));
}

/* A byte, too, has to be aligned better than objects are said to be. */
static void raise_local(LLVMValueRef local)
{
	if (LLVMGetAlignment(local) < 2)
		LLVMSetAlignment(local, 2);
}

static void raise_one(LLVMValueRef i)
{
	if (LLVMIsAAllocaInst(i))
		raise_local(i);
	else if (LLVMIsALoadInst(i) && is_plain(i) && !is_object(LLVMGetOperand(i, 0)))
		LLVMSetAlignment(i, raised(LLVMGetAlignment(i)));
	else if (is_copy(i) && !is_object(LLVMGetOperand(i, 1)) &&
		 LLVMIsAConstantInt(LLVMGetOperand(i, 2)) &&
		 LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2)) <= COPY_MAX)
		change_argument(i, 2, raised);
}

/* What reads became, too. */
static void restore_one(LLVMValueRef i)
{
	if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && is_plain(i)) {
		LLVMSetAlignment(i, restored(LLVMGetAlignment(i)));
	} else if (is_copy(i) || LLVMIsAMemSetInst(i)) {
		change_argument(i, 1, restored);
		if (is_copy(i))
			change_argument(i, 2, restored);
	}
}

static bool is_lowered(LLVMValueRef global)
{
	size_t length;
	LLVMLinkage linkage = LLVMGetLinkage(global);
	return !LLVMIsGlobalConstant(global) && linkage != LLVMCommonLinkage &&
	       linkage != LLVMAppendingLinkage &&
	       strncmp(LLVMGetValueName2(global, &length), "llvm.", 5) != 0;
}

/* LLVM aligns no better what has a section and says how it is aligned. */
static void lower_global(LLVMValueRef global)
{
	const char *section = LLVMGetSection(global);
	char kept[1000];
	int n = snprintf(kept, sizeof(kept), LOWERED "%u.%s", LLVMGetAlignment(global),
			 section ? section : "");
	if (n >= (int)sizeof(kept))
		return;
	LLVMSetSection(global, kept);
	LLVMSetAlignment(global, 1);
}

static void restore_global(LLVMValueRef global)
{
	const char *section = LLVMGetSection(global);
	char *end;
	if (!section || strncmp(section, LOWERED, strlen(LOWERED)) != 0)
		return;
	LLVMSetAlignment(global, (unsigned)strtoul(section + strlen(LOWERED), &end, 10));
	LLVMSetSection(global, end + 1);
}

/* Nothing is known to be good behind a reference. */
static void forget(LLVMValueRef function)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("dereferenceable", 15);
	for (unsigned p = 0; p <= LLVMCountParams(function); p++)
		LLVMRemoveEnumAttributeAtIndex(function, p, kind);
}

void aligned_raise(LLVMModuleRef module)
{
	visit_all(module, raise_one);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		forget(f);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		if (is_lowered(g))
			lower_global(g);
}

void aligned_restore(LLVMModuleRef module)
{
	visit_all(module, restore_one);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		restore_global(g);
}
