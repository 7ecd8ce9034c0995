/* SPDX-License-Identifier: MIT */
/*
 * Integer computations as expressions of a trace (norn-trace(5)), for the site table. All values
 * are zero-extended to 64 bits. What the trace's operators do not do exactly as the program does is
 * left out: there is no formula then.
 */
#ifndef INSTRUMENT_FORMULA_H
#define INSTRUMENT_FORMULA_H

#include "instrument/function.h"

/*
 * As offsets of the table's text; 0: there is none. `deps` says which values are %0, %1, %2. What
 * depends on nothing and is known only at run time is added (ITEM_FIXED), as far as there is room.
 */
uint32_t formula_value(struct function *f, LLVMValueRef value, struct deps *deps, unsigned room);
uint32_t formula_rmw(struct function *f, LLVMValueRef rmw, struct deps *deps, unsigned room);
uint32_t formula_swap(struct function *f, LLVMValueRef swap, struct deps *deps, unsigned room);
/* Whether the compare and swap succeeds. */
uint32_t formula_success(struct function *f, LLVMValueRef swap, struct deps *deps, unsigned room);
/* The address of a load that may look something up in a table. */
uint32_t formula_look_up(struct function *f, LLVMValueRef address, struct deps *deps);
/* Has it an index that is the same for many values, as in `cells[x & 3]`? */
bool formula_folds(struct function *f, LLVMValueRef address);
/* Of a value that is told, by what it is computed from. */
uint32_t formula_told(struct function *f, LLVMValueRef value, struct deps *deps);
/* Is there one, if the value were told? */
bool formula_exists(struct function *f, LLVMValueRef value);
/* It has too many parts, of what has these dependences: some of them should be told. */
bool formula_is_long(struct function *f, LLVMValueRef value, struct deps *deps);
/* Which values of a switch go which way (runtime/sites.h). */
uint32_t formula_ways(struct function *f, LLVMValueRef instruction);

#endif
