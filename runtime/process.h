/*
 * What processes do: fork, and signals, which runtime/signals.c puts off while a thread is busy.
 */
#ifndef RUNTIME_PROCESS_H
#define RUNTIME_PROCESS_H

#include "runtime/self.h"

/* In the kernel's sets of signals: those that say that the instruction went wrong. */
#define NORN_SIGNAL(signal) (UINT64_C(1) << ((signal)-1))
#define NORN_FAULTS                                                                               \
	(NORN_SIGNAL(SIGSEGV) | NORN_SIGNAL(SIGBUS) | NORN_SIGNAL(SIGFPE) | NORN_SIGNAL(SIGILL) | \
	 NORN_SIGNAL(SIGTRAP))

NORN_HIDDEN void norn_process_begin(void);

#endif
