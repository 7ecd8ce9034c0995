/* SPDX-License-Identifier: MIT */
/*
 * Whose memory is it? Locals whose address never gets out of the function are private: nobody else
 * sees them, so their accesses need no hook. Address computations are looked through (casts, fixed
 * and computed offsets), phis and selects of addresses are not: what goes through one counts as
 * out.
 */
#ifndef INSTRUMENT_PRIVATE_H
#define INSTRUMENT_PRIVATE_H

#include "instrument/map.h"

#include <llvm-c/Core.h>

#include <stdbool.h>

enum memory {
	MEMORY_SHARED, /* as far as one can see */
	MEMORY_PRIVATE,
	MEMORY_CONSTANT,
	MEMORY_ALIEN, /* another address space */
};

struct privacy {
	struct map locals; /* alloca or byval argument: 1 if private, else 0; these never are */
};

bool private_local(struct privacy *privacy, LLVMValueRef local);
/* It counts as one that gets out. */
void private_open(struct privacy *privacy, LLVMValueRef local);
/* Where the library keeps which letters the thread's locale has. */
bool private_is_locale(LLVMValueRef address);
/*
 * Where std::call_once leaves, for a function of libstdc++, what that has to call: a function, and
 * the address of a local. Both depend on nothing.
 */
bool private_is_once(LLVMValueRef address);
/* Of what this address points to. */
enum memory private_memory(struct privacy *privacy, LLVMValueRef address);
/* The global, local or other value that this address was computed from. */
LLVMValueRef private_base(LLVMValueRef address);
/* An argument that is a copy on the callee's stack. */
bool private_is_copied_argument(LLVMValueRef value);
void private_release(struct privacy *privacy);

#endif
