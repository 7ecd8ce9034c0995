/* SPDX-License-Identifier: MIT */
/* The parts of rewriting a function. All emit code where they are told to. */
#ifndef INSTRUMENT_REWRITE_H
#define INSTRUMENT_REWRITE_H

#include "instrument/function.h"

/* Positions (position.c) */
LLVMValueRef position_of(struct function *f, uint32_t item);
/* Those of `deps` from to[0] on, then 0, `slots` in all. For an expression, with what is fixed. */
void position_list(struct function *f, const struct deps *deps, bool expression, LLVMValueRef *to,
		   unsigned slots);
/* Of the value itself, where the builder stands. */
LLVMValueRef position_given(struct function *f, LLVMValueRef value);
/* All of these as one, likewise. */
LLVMValueRef position_joined(struct function *f, const uint32_t *items, size_t n);
/* Once everything was asked for: gives the phis of positions their operands. */
void position_finish(struct function *f);

/* Single accesses (access.c). Reads first: what they replace and their positions are asked for by
 * all others; their own dependences are put in by access_finish. */
void access_read(struct function *f, struct action *action);
void access_finish(struct function *f, struct action *action);
void access_write(struct function *f, struct action *action);

/* Accesses of other sizes (range.c) */
void range_rewrite(struct function *f, struct action *action);
void range_pass(struct function *f, struct action *action);
/* A place on the stack for a value of this type; used from one instruction to the next. */
LLVMValueRef range_temporary(struct function *f, LLVMTypeRef type);

/* Branches (control.c) */
void control_pin(struct function *f);
void control_return(struct function *f, struct action *action);
/* Right behind where the value is made. */
LLVMValueRef control_behind(struct function *f, LLVMValueRef value);
void control_decide(struct function *f, struct action *action);
void control_call(struct function *f, struct action *action);
void control_wide(struct function *f, struct action *action);
/* A branch before `i` that depends on these items, or several; its place is that of `like`. */
void control_guard(struct function *f, LLVMValueRef i, const struct site *like, unsigned flags,
		   const uint32_t *items, size_t n);
/* Likewise for all that the action's addresses, lengths and arguments depend on. */
void control_guard_operands(struct function *f, const struct action *action);

/* Locals that get out (stack.c) */
void stack_rewrite(struct function *f);

/* Code without hooks (unseen.c): around a call that may reach it; at the ways into and out of the
 * function. */
void unseen_call(struct function *f, LLVMValueRef call);
/* Where a block's own code begins: behind phis and landing pads. */
LLVMValueRef unseen_first_of(LLVMBasicBlockRef block);
/* Around an instruction that has no hook: it is given what its first operands point to. */
void unseen_inline(struct function *f, LLVMValueRef i, unsigned operands);
void unseen_frame(struct function *f);

/* Stacks (calls.c): behind all else, so that this stands outermost. */
void calls_frame(struct function *f);

/* Values as 64 bits and back, where the builder stands (access.c). */
LLVMValueRef access_as_i64(struct module *module, LLVMValueRef value);
LLVMValueRef access_from_i64(struct module *module, LLVMValueRef value, LLVMTypeRef type);
LLVMValueRef access_pointer(struct module *module, LLVMValueRef address); /* as i8* */
/* `with` stands for the same node as `old`, which is no more. */
void access_replace(struct function *f, LLVMValueRef old, LLVMValueRef with);
/* Another value may get the address of what was erased, so nodes are forgotten with it. */
void access_erase(struct function *f, LLVMValueRef old);

#endif
