/*
 * Integer computations as expressions of a trace (norn-trace(5)), for the site table. All values
 * are zero-extended to 64 bits. What the trace's operators do not do exactly as the program does is
 * left out: there is no formula then.
 */
#ifndef INSTRUMENT_FORMULA_H
#define INSTRUMENT_FORMULA_H

#include "instrument/function.h"

/* As offsets of the table's text; 0: there is none. `deps` says which reads are %0, %1, %2. */
uint32_t formula_value(struct function *f, LLVMValueRef value, const struct deps *deps);
uint32_t formula_rmw(struct function *f, LLVMValueRef rmw, const struct deps *deps);
uint32_t formula_swap(struct function *f, LLVMValueRef swap, const struct deps *deps);
/* Whether the compare and swap succeeds. */
uint32_t formula_success(struct function *f, LLVMValueRef swap, const struct deps *deps);
/* Which values of a switch go which way (runtime/sites.h). */
uint32_t formula_ways(struct function *f, LLVMValueRef instruction);

#endif
