/*
 * What processes do: fork, and signals, which runtime/signals.c puts off while a thread is busy.
 */
#ifndef RUNTIME_PROCESS_H
#define RUNTIME_PROCESS_H

#include "runtime/self.h"

NORN_HIDDEN void norn_process_begin(void);

#endif
