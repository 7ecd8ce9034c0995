/* SPDX-License-Identifier: MIT */
#include "instrument/private.h"

#include "base/mem.h"
#include "instrument/callee.h"
#include "instrument/errno.h"
#include "instrument/module.h"

#include <string.h>

static bool computes_address(LLVMOpcode op)
{
	return op == LLVMGetElementPtr || op == LLVMBitCast || op == LLVMAddrSpaceCast;
}

LLVMValueRef private_base(LLVMValueRef address)
{
	for (;;) {
		if (LLVMIsAInstruction(address) &&
		    computes_address(LLVMGetInstructionOpcode(address)))
			address = LLVMGetOperand(address, 0);
		else if (LLVMIsAConstantExpr(address) &&
			 computes_address(LLVMGetConstOpcode(address)))
			address = LLVMGetOperand(address, 0);
		else
			return address;
	}
}

bool private_is_copied_argument(LLVMValueRef value)
{
	if (!LLVMIsAArgument(value))
		return false;
	LLVMValueRef function = LLVMGetParamParent(value);
	for (unsigned i = 0; i < LLVMCountParams(function); i++)
		if (LLVMGetParam(function, i) == value)
			return module_has_attribute(function, i + 1, "byval");
	return false;
}

/* Does this call leave the address where it is? */
static bool call_keeps(LLVMValueRef call, LLVMValueRef address)
{
	struct callee callee = callee_of(call);
	if (callee.kind == CALLEE_QUIET && callee.function && LLVMGetIntrinsicID(callee.function))
		return true;
	if (callee.kind == CALLEE_COPY || callee.kind == CALLEE_FILL)
		return !callee.returns_destination;
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		if (LLVMGetOperand(call, i) == address &&
		    !LLVMGetCallSiteEnumAttribute(call, i + 1, byval))
			return false;
	return LLVMGetCalledValue(call) != address;
}

static bool use_keeps(LLVMValueRef user, LLVMValueRef address)
{
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMLoad:
	case LLVMICmp: return true;
	case LLVMStore: return LLVMGetOperand(user, 0) != address;
	case LLVMAtomicRMW: return LLVMGetOperand(user, 1) != address;
	case LLVMAtomicCmpXchg:
		return LLVMGetOperand(user, 1) != address && LLVMGetOperand(user, 2) != address;
	case LLVMCall:
	case LLVMInvoke: return call_keeps(user, address);
	default: return false;
	}
}

/* Every use of the local and of the addresses computed from it. */
static bool stays(LLVMValueRef local)
{
	VEC(LLVMValueRef) addresses = {0};
	vec_push(&addresses, local);
	bool inside = true;
	for (size_t i = 0; inside && i < addresses.n; i++) {
		LLVMValueRef address = addresses.at[i];
		for (LLVMUseRef use = LLVMGetFirstUse(address); inside && use;
		     use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			if (!LLVMIsAInstruction(user))
				inside = false;
			else if (computes_address(LLVMGetInstructionOpcode(user)))
				vec_push(&addresses, user);
			else
				inside = use_keeps(user, address);
		}
	}
	vec_release(&addresses);
	return inside;
}

bool private_local(struct privacy *privacy, LLVMValueRef local)
{
	uint32_t known = map_get(&privacy->locals, local);
	if (known == MAP_NONE) {
		/* what the caller has put into a copy may come from reads */
		known = LLVMIsAAllocaInst(local) && stays(local);
		map_put(&privacy->locals, local, known);
	}
	return known;
}

void private_open(struct privacy *privacy, LLVMValueRef local)
{
	map_put(&privacy->locals, local, 0);
}

/* The thread's own, and changed by library functions without a word (instrument/errno.h). */
static bool is_errno(LLVMValueRef value)
{
	return errno_is_at(value) ||
	       (LLVMIsACallInst(value) && !strcmp(callee_of(value).name, "__h_errno_location"));
}

bool private_is_once(LLVMValueRef address)
{
	LLVMValueRef base = private_base(address);
	size_t length;
	if (!LLVMIsAGlobalVariable(base) || !LLVMIsThreadLocal(base) || !LLVMIsDeclaration(base))
		return false;
	const char *name = LLVMGetValueName2(base, &length);
	return !strcmp(name, "_ZSt15__once_callable") || !strcmp(name, "_ZSt11__once_call");
}

bool private_is_locale(LLVMValueRef address)
{
	if (!LLVMIsACallInst(address))
		return false;
	const char *name = callee_of(address).name;
	return !strcmp(name, "__ctype_b_loc") || !strcmp(name, "__ctype_tolower_loc") ||
	       !strcmp(name, "__ctype_toupper_loc");
}

enum memory private_memory(struct privacy *privacy, LLVMValueRef address)
{
	if (LLVMGetPointerAddressSpace(LLVMTypeOf(address)))
		return MEMORY_ALIEN;
	LLVMValueRef base = private_base(address);
	if (LLVMIsAAllocaInst(base) || private_is_copied_argument(base))
		return private_local(privacy, base) ? MEMORY_PRIVATE : MEMORY_SHARED;
	/* One that another module defines may get its value at run time. */
	if (LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base) && LLVMGetInitializer(base))
		return MEMORY_CONSTANT;
	if (is_errno(base) || private_is_locale(base) || private_is_once(base))
		return MEMORY_PRIVATE;
	return MEMORY_SHARED;
}

void private_release(struct privacy *privacy)
{
	map_release(&privacy->locals);
}
