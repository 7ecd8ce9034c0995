/* SPDX-License-Identifier: MIT */
/* Attributes that hooks make untrue: "touches no memory", "does not synchronise" and such. */
#ifndef INSTRUMENT_ATTRIBUTES_H
#define INSTRUMENT_ATTRIBUTES_H

#include <llvm-c/Core.h>

/* Functions without sanitize_thread are to get no hooks: callee_gets_hooks. */
void attributes_exempt(LLVMModuleRef module);

/* From all functions but intrinsics, here or elsewhere, and from all calls of them. */
void attributes_strip(LLVMModuleRef module);

#endif
