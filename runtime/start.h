/* SPDX-License-Identifier: MIT */
/*
 * NORN_OPTIONS: a program that is run without norn record, but with this variable, gives its place
 * to `norn record`, which runs it once more. This happens before anything else of the program or
 * of its libraries runs: in .preinit_array, so by system calls alone.
 */
#ifndef RUNTIME_START_H
#define RUNTIME_START_H

#include "runtime/self.h"

NORN_HIDDEN void norn_begin_program(int count, char **arguments, char **environment);

#endif
