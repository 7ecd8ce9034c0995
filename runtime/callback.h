/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program that the runtime calls, and functions of the runtime that the program
 * calls through a pointer: they tell each other what results depend on, as code with hooks does
 * (struct norn_slots in hooks.h).
 */
#ifndef RUNTIME_CALLBACK_H
#define RUNTIME_CALLBACK_H

#include "runtime/self.h"

/* The result and the arguments, as hash_of in instrument/slots.c has them. */
#define NORN_INT "8:32 "
#define NORN_POINTER "12:64 "
#define NORN_GETS_POINTER "a" NORN_POINTER
#define NORN_GETS_LONG "a8:64 "

/* Right before the call. Its arguments count as such that depend on nothing; it is for the caller
 * to see to that, by branches that stand before the call. */
NORN_HIDDEN uint64_t norn_callback(const void *function, const char *types);
/* Right behind it, with what that gave: the position of the result, or NORN_ANY_READ. */
NORN_HIDDEN uint64_t norn_called_back(uint64_t key);

/*
 * For a function of libc whose result no read decides once its arguments are fixed: called through
 * a pointer by code with hooks, with arguments that depend on nothing, it says so. `hash`: of its
 * types, 0 the first time.
 */
NORN_HIDDEN void norn_gives_nothing(const void *function, const char *types, unsigned arguments,
				    uint64_t *hash);

#endif
