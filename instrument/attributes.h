/* Attributes that hooks make untrue: "touches no memory", "does not synchronise" and such. */
#ifndef INSTRUMENT_ATTRIBUTES_H
#define INSTRUMENT_ATTRIBUTES_H

#include <llvm-c/Core.h>

/* From all functions but intrinsics, here or elsewhere, and from all calls of them. */
void attributes_strip(LLVMModuleRef module);

#endif
