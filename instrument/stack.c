/* SPDX-License-Identifier: MIT */
/* Locals whose address gets out: others may see them from their birth to their end. */
#include "instrument/rewrite.h"
#include "instrument/slots.h"

#include <string.h>

static LLVMValueRef size_of_local(struct module *module, LLVMValueRef local)
{
	if (!LLVMIsAAllocaInst(local)) {
		LLVMValueRef function = LLVMGetParamParent(local);
		unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5), i = 0;
		while (LLVMGetParam(function, i) != local)
			i++;
		LLVMAttributeRef copy = LLVMGetEnumAttributeAtIndex(function, i + 1, byval);
		return module_i64(
			module, LLVMABISizeOfType(module->layout, LLVMGetTypeAttributeValue(copy)));
	}
	uint64_t one = LLVMABISizeOfType(module->layout, LLVMGetAllocatedType(local));
	LLVMValueRef count = LLVMGetOperand(local, 0);
	if (LLVMIsAConstantInt(count))
		return module_i64(module, one * LLVMConstIntGetZExtValue(count));
	count = LLVMBuildIntCast2(module->builder, count, module->i64, 0, "");
	return LLVMBuildMul(module->builder, count, module_i64(module, one), "");
}

static void call_stack(struct function *f, const char *hook, LLVMValueRef before,
		       LLVMValueRef local)
{
	struct module *module = f->module;
	struct site site = {.kind = SITE_STACK};
	LLVMPositionBuilderBefore(module->builder, before);
	debug_locate(&module->debug, &module->table, before, &site);
	debug_name(&module->debug, &module->table, local, &site);
	LLVMValueRef arguments[] = {access_pointer(module, local), size_of_local(module, local),
				    module_site(module, &site)};
	module_hook(module, hook, module->nothing, arguments, 3);
}

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* llvm.lifetime calls on the whole of it, through casts. */
static void find_lifetimes(LLVMValueRef address, struct values *starts, struct values *ends)
{
	for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsABitCastInst(user)) {
			find_lifetimes(user, starts, ends);
		} else if (LLVMIsACallInst(user)) {
			const char *name = callee_of(user).name;
			if (has_prefix(name, "llvm.lifetime.start"))
				vec_push(starts, user);
			else if (has_prefix(name, "llvm.lifetime.end"))
				vec_push(ends, user);
		}
	}
}

static void end_before_leaving(struct function *f, LLVMValueRef local)
{
	for (size_t i = 0; i < f->nodes.n; i++) {
		LLVMValueRef leave = f->nodes.at[i].value;
		if (!LLVMIsAReturnInst(leave) && !LLVMIsAResumeInst(leave))
			continue;
		/* A call that must be the last is made after the end of all locals. */
		LLVMValueRef last = callee_of_end(leave);
		call_stack(f, "__norn_stack_end", last ? last : leave, local);
	}
}

static LLVMValueRef behind_allocas(LLVMValueRef i)
{
	while (LLVMIsAAllocaInst(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

/* What an argument that is passed as a copy has in it; `first` is where the function begins. */
static void take_copy(struct function *f, LLVMValueRef argument, LLVMValueRef first)
{
	struct module *module = f->module;
	struct site read = {.kind = SITE_READ};
	debug_locate_function(&module->debug, &module->table, f->llvm, &read);
	debug_name(&module->debug, &module->table, argument, &read);
	struct site write = read, fixed;
	write.kind = SITE_WRITE;
	fixed = write;
	fixed.flags = SITE_EXACT;
	LLVMValueRef from = slots_copy(f, argument);
	LLVMPositionBuilderBefore(module->builder, first);
	LLVMValueRef arguments[] = {access_pointer(module, argument), from,
				    size_of_local(module, argument),  module_site(module, &read),
				    module_site(module, &write),      module_site(module, &fixed)};
	module_hook(module, "__norn_passed", module->nothing, arguments, 6);
}

/* `start`: the function's first instruction that is its own, and no local. */
static void announce(struct function *f, LLVMValueRef local, LLVMValueRef start)
{
	struct values starts = {0}, ends = {0};
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f->llvm);
	bool argument = LLVMIsAArgument(local);
	bool dynamic = !argument && (LLVMGetInstructionParent(local) != entry ||
				     !LLVMIsAConstantInt(LLVMGetOperand(local, 0)));
	find_lifetimes(local, &starts, &ends);
	if (starts.n) {
		for (size_t i = 0; i < starts.n; i++)
			call_stack(f, "__norn_stack", LLVMGetNextInstruction(starts.at[i]), local);
		for (size_t i = 0; i < ends.n; i++)
			call_stack(f, "__norn_stack_end", ends.at[i], local);
	} else {
		LLVMValueRef first =
			argument ? start : behind_allocas(LLVMGetNextInstruction(local));
		call_stack(f, "__norn_stack", first, local);
		if (argument)
			take_copy(f, local, first);
		/* One of a size that varies ends when its memory becomes another object's. */
		if (!dynamic)
			end_before_leaving(f, local);
	}
	f->module->counts.stack++;
	vec_release(&starts);
	vec_release(&ends);
}

void stack_rewrite(struct function *f)
{
	LLVMValueRef start =
		behind_allocas(LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->llvm)));
	for (size_t i = 0; i < f->nodes.n; i++) {
		LLVMValueRef value = f->nodes.at[i].value;
		if ((LLVMIsAAllocaInst(value) || private_is_copied_argument(value)) &&
		    !private_local(&f->privacy, value))
			announce(f, value, start);
	}
}
