/* SPDX-License-Identifier: MIT */
/*
 * Variables of the environment by which norn record speaks to the runtime. The program does not see
 * them: they are taken out of its environment when the recording begins, and given on to programs
 * that it executes, which may be recorded, too (libc/exec.c).
 */
#ifndef RUNTIME_SETTINGS_H
#define RUNTIME_SETTINGS_H

#include <stddef.h>

#include "runtime/self.h"

enum norn_setting { NORN_DIRECTORY, NORN_FOLLOWS, NORN_SETTINGS };

/* Null if it is not set. */
NORN_HIDDEN const char *norn_setting(enum norn_setting which);
NORN_HIDDEN void norn_settings_take(void);

/* Fills `to`, which has room for as many more as NORN_SETTINGS, with `from` and all that are set.
 */
NORN_HIDDEN void norn_settings_add(char **to, char *const *from, size_t n);

#endif
