/* SPDX-License-Identifier: MIT */
/*
 * Before a module is optimised, its functions are marked as ThreadSanitizer marks them. LLVM then
 * reads no memory in front of the branch that decides whether the program reads it. It may do so
 * otherwise, where the address is good in any case: what was read is not used then. But the read
 * would be recorded, and races with a write that the branch keeps away.
 */
#ifndef INSTRUMENT_MARK_H
#define INSTRUMENT_MARK_H

#include <llvm-c/Core.h>

void mark_functions(LLVMModuleRef module);
/* Behind the optimisations: nobody else shall take the program for one of ThreadSanitizer's. */
void mark_remove(LLVMModuleRef module);
void mark_remove_from(LLVMValueRef function);

#endif
