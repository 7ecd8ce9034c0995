/* SPDX-License-Identifier: MIT */
/* Faults where libc/there.c tries whether there is memory. */
#ifndef RUNTIME_THERE_H
#define RUNTIME_THERE_H

#include <stdbool.h>
#include <ucontext.h>

#include "runtime/self.h"

/* If the fault is such a one: it is over, and the thread goes on. */
NORN_HIDDEN bool norn_touch_fails(ucontext_t *context);

#endif
