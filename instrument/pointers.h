/* SPDX-License-Identifier: MIT */
/*
 * Pointers to functions of which the runtime has a version that logs: they are to that version.
 * std::stoi hands strtol to a template, and a table has toupper; what is called through these
 * reads the program's memory as well.
 */
#ifndef INSTRUMENT_POINTERS_H
#define INSTRUMENT_POINTERS_H

#include <llvm-c/Core.h>

/*
 * Functions that order threads outside memory have hooks around each call (known.h): what is called
 * through a pointer is a function of the module that calls them by name.
 */
void pointers_front(LLVMModuleRef module);

/* When all calls with hooks go to the runtime. */
void pointers_redirect(LLVMModuleRef module);

#endif
