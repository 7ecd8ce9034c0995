/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program that the runtime calls: as code with hooks does (struct norn_slots in
 * hooks.h), so that it is known what their results depend on. Their arguments count as such that
 * depend on nothing; it is for the caller to see to that, by branches that stand before the call.
 */
#ifndef RUNTIME_CALLBACK_H
#define RUNTIME_CALLBACK_H

#include "runtime/self.h"

/* The result and the arguments, as hash_of in instrument/slots.c has them. */
#define NORN_INT "8:32 "
#define NORN_POINTER "12:64 "
#define NORN_GETS_POINTER "a" NORN_POINTER

/* Right before the call. */
NORN_HIDDEN uint64_t norn_callback(const void *function, const char *types);
/* Right behind it, with what that gave: the position of the result, or NORN_ANY_READ. */
NORN_HIDDEN uint64_t norn_called_back(uint64_t key);

#endif
