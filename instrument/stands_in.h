/* SPDX-License-Identifier: MIT */
/*
 * Functions of C++ that the compiler puts in front of one of the source: thunks, which correct the
 * object of a virtual function, and the constructor or destructor of a complete object, which calls
 * that of a base. The source has one function there, and one call of it.
 */
#ifndef INSTRUMENT_STANDS_IN_H
#define INSTRUMENT_STANDS_IN_H

#include <llvm-c/Core.h>

#include <stdbool.h>

bool stands_in(LLVMValueRef function);
/* Is it that call, of a function that gets the rest to do? */
bool stands_in_calls(LLVMValueRef call);

#endif
