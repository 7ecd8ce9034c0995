/* SPDX-License-Identifier: MIT */
/*
 * Behind a call that may be left by an exception there is a block of its own: else there is no
 * place for a record of the result before other ways come by.
 */
#ifndef INSTRUMENT_EDGES_H
#define INSTRUMENT_EDGES_H

#include <llvm-c/Core.h>

void edges_function(LLVMValueRef function);

#endif
