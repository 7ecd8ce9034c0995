/* SPDX-License-Identifier: MIT */
/*
 * What arguments and results depend on goes from function to function in slots of the thread
 * (runtime/hooks.h). Each side names the function that it means by a key: its address, and the
 * kinds of its arguments and its result. If that is not what the other side has found, nothing is
 * known, as if code without hooks had called, or had been called.
 */
#ifndef INSTRUMENT_SLOTS_H
#define INSTRUMENT_SLOTS_H

#include "instrument/function.h"
#include "runtime/hooks.h"

/* May a call of it reach a function with hooks? */
bool slots_may_take(const struct callee *callee);

/* Before the call: what its arguments depend on. */
void slots_give(struct function *f, LLVMValueRef call);
/* Before the return: what the result depends on. */
void slots_return(struct function *f, LLVMValueRef leave);
/* Where the function is left by a call that must be the last: its result is not ours. */
void slots_leave(struct function *f);

/* The positions of an argument, and of the result of a call. */
LLVMValueRef slots_argument(struct function *f, uint32_t node);
LLVMValueRef slots_result(struct function *f, uint32_t node);
/* Where an argument that is passed as a copy was copied from (__norn_passed). */
LLVMValueRef slots_copy(struct function *f, LLVMValueRef argument);
/* The last n of the slots for arguments, to a place on the stack that has room for one more; the
 * first is NORN_UNKNOWN_KINDS if the caller has left none. */
void slots_keep(struct function *f, LLVMValueRef to, unsigned n);
/* i32, not 0 if a function with hooks has called this one. */
LLVMValueRef slots_was_given(struct function *f);
/* A position of the value: the one that there is, or if others are not 0, of its own as it is. */
LLVMValueRef slots_known(struct module *module, LLVMValueRef position, LLVMValueRef value,
			 LLVMValueRef others);

#endif
