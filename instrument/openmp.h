/* SPDX-License-Identifier: MIT */
/*
 * What of OpenMP is not looked at: lanes of a simd loop, which are one thread here, and target
 * regions, which run on this machine. It is said once a module and kind, with the place.
 */
#ifndef INSTRUMENT_OPENMP_H
#define INSTRUMENT_OPENMP_H

#include <llvm-c/Core.h>

void openmp_tell_left_out(LLVMModuleRef module);

#endif
