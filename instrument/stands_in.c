/* SPDX-License-Identifier: MIT */
#include "instrument/stands_in.h"

#include "instrument/callee.h"

#include <stdlib.h>
#include <string.h>

char *__cxa_demangle(const char *name, char *to, size_t *size, int *status);

static const char *symbol(LLVMValueRef function)
{
	size_t length;
	return LLVMGetValueName2(function, &length);
}

/* Not virtual, virtual, and those that also correct the result. */
static bool is_thunk(const char *name)
{
	return !strncmp(name, "_ZTh", 4) || !strncmp(name, "_ZTv", 4) || !strncmp(name, "_ZTc", 4);
}

static bool mean_the_same(const char *one, const char *other)
{
	char *a = __cxa_demangle(one, NULL, NULL, NULL);
	char *b = a ? __cxa_demangle(other, NULL, NULL, NULL) : NULL;
	bool same = b && !strcmp(a, b);
	free(a);
	free(b);
	return same;
}

/*
 * The Itanium ABI numbers them: D0 also frees the memory, D1 and C1 are of a complete object, D2
 * and C2 of a base; CI1 and CI2 are inherited. Only the compiler calls one with a higher number:
 * who makes or destroys an object of the own class there has a complete one.
 */
static bool hands_on(const char *from, const char *to)
{
	size_t i = 0;
	while (from[i] && from[i] == to[i])
		i++;
	return i && strchr("CDI", from[i - 1]) && from[i] >= '0' && from[i] < to[i] &&
	       to[i] <= '2' && !strcmp(from + i + 1, to + i + 1) && mean_the_same(from, to);
}

bool stands_in_calls(LLVMValueRef call)
{
	LLVMValueRef called = LLVMGetCalledValue(call);
	LLVMValueRef to = LLVMIsAInlineAsm(called) ? NULL : callee_function_behind(called);
	const char *from = symbol(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
	return to && (is_thunk(from) || hands_on(from, symbol(to)));
}

bool stands_in(LLVMValueRef function)
{
	if (is_thunk(symbol(function)))
		return true;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (callee_is_call(i) && stands_in_calls(i))
				return true;
	return false;
}
