/* SPDX-License-Identifier: MIT */
/*
 * Arms that only compute become choices: `v < 5 ? v : 5` and `a && b` of values are branches
 * without optimisation, and what comes out of them has no expression. Where neither arm of a
 * branch does anything but compute, and both come together behind it, the values there are selects
 * and the branch goes. Where they come to no value, nothing was decided. Two branches become one if
 * one way of each leads to the same place, as those of `a || b` do, and nothing is between them but
 * what the second one decides by. Nothing that can trap, read, write or call moves, but for
 * this: where both ways end by writing the same local, which nobody else sees, that is done behind
 * them.
 */
#ifndef INSTRUMENT_CHOOSE_H
#define INSTRUMENT_CHOOSE_H

#include <llvm-c/Core.h>

#include <stdbool.h>

void choose_function(LLVMValueRef function);
/* Does it only compute, and cannot trap? */
bool choose_is_plain(LLVMValueRef i);

#endif
