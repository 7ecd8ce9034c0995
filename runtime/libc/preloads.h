/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_LIBC_PRELOADS_H
#define RUNTIME_LIBC_PRELOADS_H

#include <stdbool.h>

#include "runtime/self.h"

/* The environment of the program that is about to be executed; search: for a name without a slash
 * in PATH. */
NORN_HIDDEN void norn_preloads_fit(char **list, const char *path, bool search);

#endif
