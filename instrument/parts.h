/* SPDX-License-Identifier: MIT */
/*
 * Structs of two values, as functions give them back in two registers, are taken apart: whoever
 * uses a part of one that is put together, loaded, chosen or comes out of a phi, uses the value
 * itself. What is left are parts of results, and pairs that are put together where they are given
 * back.
 */
#ifndef INSTRUMENT_PARTS_H
#define INSTRUMENT_PARTS_H

#include <llvm-c/Core.h>

#include <stdbool.h>

void parts_function(LLVMValueRef function);
/* Is it a struct of two values? */
bool parts_is_pair(LLVMTypeRef type);
/* Both parts of what is given back; false: it is not put together there. */
bool parts_of(LLVMValueRef pair, LLVMValueRef *parts);

#endif
