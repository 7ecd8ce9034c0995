/* SPDX-License-Identifier: MIT */
/*
 * Locals that stay inside need no hooks as long as nothing is put there that comes from a read:
 * then what is read there depends on where that is, and on nothing else. All others count as
 * shared, so that the merge sees what is written to them and read again.
 */
#include "instrument/function.h"

/* The local that this address leads to, if it is private; NULL. */
static LLVMValueRef local_of(struct function *f, LLVMValueRef address)
{
	LLVMValueRef base = private_base(address);
	return LLVMIsAAllocaInst(base) && private_local(&f->privacy, base) ? base : NULL;
}

static bool depends(struct function *f, LLVMValueRef value)
{
	return function_deps(f, value).n > 0;
}

static bool open_local(struct function *f, LLVMValueRef address)
{
	LLVMValueRef local = local_of(f, address);
	if (local)
		private_open(&f->privacy, local);
	return local != NULL;
}

/* Whether it is written depends on a branch that governs no more than this: what is read there
 * behind it comes from what that depends on. */
static bool is_in_arm(struct function *f, LLVMValueRef i)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
	for (size_t s = 0; s < f->scopes.n; s++) {
		const struct scope *scope = &f->scopes.at[s];
		if ((map_get(&scope->side[0], block) != MAP_NONE ||
		     map_get(&scope->side[1], block) != MAP_NONE) &&
		    function_scope_counts(f, scope))
			return true;
	}
	return false;
}

/* Does what is copied come from a read, or from who knows where? */
static bool is_from_read(struct function *f, LLVMValueRef from)
{
	return !local_of(f, from) && private_memory(&f->privacy, from) != MEMORY_CONSTANT;
}

static bool look_at_call(struct function *f, LLVMValueRef call)
{
	struct callee callee = callee_of(call);
	bool copy = callee.kind == CALLEE_COPY;
	if (!copy && callee.kind != CALLEE_FILL)
		return false;
	if (!local_of(f, LLVMGetOperand(call, 0)))
		return false;
	bool dirty = (copy && is_from_read(f, LLVMGetOperand(call, 1))) || is_in_arm(f, call);
	for (unsigned a = 0; a < 3; a++)
		dirty |= depends(f, LLVMGetOperand(call, a));
	return dirty && open_local(f, LLVMGetOperand(call, 0));
}

static bool look_at(struct function *f, LLVMValueRef i)
{
	if (LLVMIsAStoreInst(i))
		return local_of(f, LLVMGetOperand(i, 1)) &&
		       (depends(f, LLVMGetOperand(i, 0)) || depends(f, LLVMGetOperand(i, 1)) ||
			is_in_arm(f, i)) &&
		       open_local(f, LLVMGetOperand(i, 1));
	if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
		return open_local(f, LLVMGetOperand(i, 0));
	return LLVMIsACallInst(i) && look_at_call(f, i);
}

bool function_open_locals(struct function *f)
{
	bool opened = false;
	for (size_t i = 0; i < f->nodes.n; i++)
		if (LLVMIsAInstruction(f->nodes.at[i].value))
			opened |= look_at(f, f->nodes.at[i].value);
	return opened;
}
