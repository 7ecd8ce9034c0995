/* SPDX-License-Identifier: MIT */
/*
 * Threads: their numbers, and where they begin and end. A number is given when a thread is created,
 * and LOG_FORK stands before the call; of a thread that could not be created there is no file.
 */
#ifndef RUNTIME_PTHREAD_THREADS_H
#define RUNTIME_PTHREAD_THREADS_H

#include <pthread.h>

#include "runtime/self.h"

NORN_HIDDEN void norn_threads_begin(void);
/* A thread that was cancelled: what it does from here on comes after that call. */
NORN_HIDDEN void norn_notice_cancel(struct norn_self *me);
/* What the thread returns, and the position of that: a write that whoever joins it reads. */
NORN_HIDDEN void norn_log_result(void *value, uint64_t position);
/* In a child of fork that is recorded apart. */
NORN_HIDDEN void norn_threads_in_child(struct norn_self *me);

/* Its number + 1, as far as it has one; 0: none. Only while norn_enter keeps signals off. */
NORN_HIDDEN uint32_t norn_thread_number(pthread_t thread);
/* The name that a thread gives itself (named.c). */
NORN_HIDDEN void norn_name_self(const char *name);

/* Of a thread that ends: blocks that it has still to give back. */
NORN_HIDDEN void norn_free_now(struct norn_self *me);

#endif
