/* SPDX-License-Identifier: MIT */
/*
 * What processes do: fork and exec, and signals, which runtime/signals.c puts off while a thread is
 * busy. What of that is not recorded is told in the run (log.h), for norn record to look at.
 */
#ifndef RUNTIME_PROCESS_H
#define RUNTIME_PROCESS_H

#include "runtime/log.h"
#include "runtime/self.h"

/* In the kernel's sets of signals: those that say that the instruction went wrong. */
#define NORN_SIGNAL(signal) (UINT64_C(1) << ((signal)-1))
#define NORN_FAULTS                                                                               \
	(NORN_SIGNAL(SIGSEGV) | NORN_SIGNAL(SIGBUS) | NORN_SIGNAL(SIGFPE) | NORN_SIGNAL(SIGILL) | \
	 NORN_SIGNAL(SIGTRAP))

NORN_HIDDEN void norn_process_begin(void);

/* In a child that is not recorded, though it may have been meant to be. NULL: nobody is told. */
NORN_HIDDEN void norn_note_child(struct log_run *from, bool failed);
/* It makes threads. */
NORN_HIDDEN void norn_note_child_threads(void);
/* This process is about to become another program; or that has failed. */
NORN_HIDDEN void norn_exec_begins(bool begins);

#endif
