/* SPDX-License-Identifier: MIT */
/*
 * A host is a program without hooks that loads libraries with hooks. There the runtime is a library
 * of its own, loaded before all others (LD_PRELOAD): into whatever the command runs, shells too,
 * and programs that have the runtime themselves, to which hooks are bound then. So it does nothing
 * until a library says that its hooks are bound here (__norn_register). Then the recording begins.
 */
#ifndef RUNTIME_HOST_H
#define RUNTIME_HOST_H

#include <stdbool.h>

#include "runtime/self.h"

/*
 * Known when it is linked: program.c, preload.c or hooks.c. Of the last, libnorn-hooks.so, the
 * functions of libc are not in front of libc's. It sees no locks and must not record.
 */
extern NORN_HIDDEN const bool norn_is_preloaded, norn_has_hooks_alone;

/* A library with hooks is there. */
NORN_HIDDEN void norn_host_has_hooks(void);
/* No library with hooks is there yet. */
NORN_HIDDEN bool norn_host_waits(void);
/* The recording begins: says of what it is. */
NORN_HIDDEN void norn_host_begin(void);
/* The thread is busy and has logged its begin: it runs code without hooks, whichever. */
NORN_HIDDEN void norn_host_thread(struct norn_self *me);
/* At the end: all modules are listed, those too that the host has loaded since. */
NORN_HIDDEN void norn_host_list_modules(void);

#endif
