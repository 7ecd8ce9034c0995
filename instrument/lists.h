/* SPDX-License-Identifier: MIT */
/*
 * Arguments without names. A call puts them into registers and memory without a hook; where a
 * function begins to read them (va_start), a hook tells the log where they are, and by what the
 * caller has left in the slots (hooks.h) what they depend on. From there on they are memory of the
 * thread as any other.
 */
#ifndef INSTRUMENT_LISTS_H
#define INSTRUMENT_LISTS_H

#include "instrument/function.h"

/* Lists are copied as structs are. */
void lists_function(LLVMValueRef function);
/* The kinds of a call's arguments from `first` on: NORN_KIND_…; NORN_UNKNOWN_KINDS if one is none.
 */
uint64_t lists_kinds(struct module *module, LLVMValueRef call, unsigned first);
void lists_rewrite(struct function *f);

#endif
