/*
 * LLVM turns `*(c ? &a : &b)` into reads of both, of which one is taken: a read that the source does
 * not have (mark.h prevents the others). Here it becomes one read again, of an address that was
 * chosen. It is known by its place in the source, which all the pieces have from the one read.
 */
#ifndef INSTRUMENT_UNSELECT_H
#define INSTRUMENT_UNSELECT_H

#include <llvm-c/Core.h>

void unselect(LLVMModuleRef module);

#endif
