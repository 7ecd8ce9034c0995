/* SPDX-License-Identifier: MIT */
/*
 * Functions that the user wants no hooks in (norn cc --ignore): they lose the attribute that tells
 * those that get some. Clang's inliner keeps functions with and without it apart.
 */
#ifndef INSTRUMENT_IGNORED_H
#define INSTRUMENT_IGNORED_H

#include "events/ignore.h"

#include <llvm-c/Core.h>

void ignored_unmark(LLVMModuleRef module, const struct ignore *ignore);

#endif
