/*
 * Behind a call that may throw there is a place of its own for what is said of its result: where
 * others come by as well, it gets a block between.
 */
#ifndef INSTRUMENT_EDGES_H
#define INSTRUMENT_EDGES_H

#include <llvm-c/Core.h>
#include <stdbool.h>

void edges_split(LLVMValueRef function);
/* Does nothing but one terminator lead here? */
bool edges_one_way_in(LLVMBasicBlockRef block);

#endif
