/* SPDX-License-Identifier: MIT */
/*
 * Functions of which a file of events speaks (norn-events(5)). In front of each stands a function
 * of the module's own, with the same type, which calls it between the hooks that its lines ask for:
 * whoever calls it, or takes its address, gets that instead. So a call stays one call, whether it
 * may be left by an exception or not.
 */
#ifndef INSTRUMENT_MODEL_H
#define INSTRUMENT_MODEL_H

#include "instrument/function.h"

/* Before anything else is done to the module. ERR_INPUT: a line does not fit its function. */
int model_rewrite(struct module *module, struct err *err);
/* Is it one that stands in front of another? */
bool model_is_front(LLVMValueRef function);
/* Of one that does: whether what it returns is the same whenever it is called. */
bool model_is_fixed(LLVMValueRef front);
/* What lines say of the body of this function. */
int model_body(struct function *f, struct err *err);

#endif
