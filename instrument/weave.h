/* SPDX-License-Identifier: MIT */
/*
 * Events of the user's own, marks (norn-events(5)): the code that makes them is put in before the
 * optimiser runs, so that each place of the source has its events, once. What a line wants to know
 * is computed in a function of its own, which is called at each of its places with the values that
 * it needs. It gets hooks like any other: so what the fields and the condition depend on is found
 * as for all code, and a condition governs no more than its mark.
 */
#ifndef INSTRUMENT_WEAVE_H
#define INSTRUMENT_WEAVE_H

#include "instrument/module.h"

/*
 * Once for a module, whoever comes first. `marked`: functions that get hooks have an attribute.
 * ERR_INPUT: a line does not fit what it names.
 */
int weave_module(LLVMModuleRef llvm, const struct events *events, bool marked, struct err *err);
/* Is it the function of a line? What it reads nobody else would have read. */
bool weave_is_mark(LLVMValueRef function);
/* The events that lines name go into the site table, whether or not they come to happen. */
void weave_declare(struct module *module);

#endif
