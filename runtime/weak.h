/* SPDX-License-Identifier: MIT */
/*
 * The runtime refers to functions of libstdc++ and libm, weakly: a program in C has none of them.
 * A host may load them later, with the first library that is in C++, and for that library alone.
 */
#ifndef RUNTIME_WEAK_H
#define RUNTIME_WEAK_H

#include "runtime/self.h"

/* A library with hooks is there, and so are those that it needs. */
NORN_HIDDEN void norn_bind_weak(void);

#endif
