/* SPDX-License-Identifier: MIT */
/*
 * Values that only leave the program: with another one a call prints something else, and the thread
 * goes on. Neither what the call accesses nor what it does with other threads depends on them; what
 * it returns may. Where output leads back into the program the runtime sees to it
 * (runtime/libc/channel.c).
 */
#ifndef INSTRUMENT_LEAVING_H
#define INSTRUMENT_LEAVING_H

#include "instrument/function.h"

/* Argument `a` of a call. */
bool leaving_argument(LLVMValueRef call, unsigned a);
/*
 * Not so if the program asks how many characters were printed: then the arguments are conditions,
 * and the number is fixed with them.
 */
bool leaving_is_counted(LLVMValueRef call);

/* Is it vprintf, or such? */
bool leaving_takes_list(LLVMValueRef call);
/*
 * Likewise, of one that sprintf prints into memory: with another one of the same length the call
 * writes other characters to the same places. Before the call a branch says which length it has.
 */
bool leaving_measured(LLVMValueRef call, unsigned a);
void leaving_measure(struct function *f, const struct site *site, LLVMValueRef call);

/*
 * Before a call of vprintf and the like with the list of this function's own arguments: what these
 * depend on. Which of them decide something the format says when it is called.
 */
void leaving_list(struct function *f, LLVMValueRef call);

#endif
