/*
 * Values that only leave the program: with another one a call prints something else, and the thread
 * goes on. Neither what the call accesses nor what it does with other threads depends on them; what
 * it returns may. Where output leads back into the program the runtime sees to it (libc_channel.c).
 */
#ifndef INSTRUMENT_LEAVING_H
#define INSTRUMENT_LEAVING_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/* Argument `a` of a call. */
bool leaving_argument(LLVMValueRef call, unsigned a);

#endif
