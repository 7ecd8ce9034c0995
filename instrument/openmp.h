/* SPDX-License-Identifier: MIT */
/*
 * What of OpenMP is not looked at: lanes of a simd loop, which are one thread here, and target
 * regions, which run on this machine. It is said once a module and kind, with the place.
 */
#ifndef INSTRUMENT_OPENMP_H
#define INSTRUMENT_OPENMP_H

#include <llvm-c/Core.h>

void openmp_tell_left_out(LLVMModuleRef module);

/*
 * The functions that clang makes of regions and tasks get names for people:
 * `main:parallel_region_at_line_12`. They are those of the symbols: debug information has clang's.
 */
#define OPENMP_MADE ".omp_" /* of clang's */
#define OPENMP_AT_LINE "_at_line_"
void openmp_name_regions(LLVMModuleRef module);
/* The length of such a name, without the number that makes it unique; 0: it is none. */
size_t openmp_region_name(const char *name);

#endif
