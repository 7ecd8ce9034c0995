/* SPDX-License-Identifier: MIT */
/*
 * Robust mutexes. Whether a lock of one returns 0, EOWNERDEAD or ENOTRECOVERABLE depends on what
 * others did before: so each has a hidden counter, which counts when its owner dies, when it is
 * consistent again and when it is given up, and which every lock of it reads.
 *
 * An owner that dies gives its mutexes back just before its end, as far as the log is concerned;
 * the kernel does it soon after. Not known: threads that end by a system call of their own.
 */
#ifndef RUNTIME_PTHREAD_ROBUST_H
#define RUNTIME_PTHREAD_ROBUST_H

#include <errno.h>
#include <pthread.h>

#include "runtime/real.h"
#include "runtime/self.h"

/* As glibc has it in a mutex: a bit of its kind. */
#define NORN_KIND_ROBUST 16

NORN_HIDDEN int norn_robust_has_taken(const pthread_mutex_t *mutex, int result);
NORN_HIDDEN void norn_robust_has_left(const pthread_mutex_t *mutex);

/* Behind a lock of any mutex, or a wait with it, that returned `result`; returns that. */
NORN_INLINE int norn_robust_taken(const pthread_mutex_t *mutex, int result)
{
	return NORN_UNLIKELY(mutex->__data.__kind & NORN_KIND_ROBUST)
		       ? norn_robust_has_taken(mutex, result)
		       : result;
}

/* Before it is given back: if it is not consistent, it is given up. */
NORN_INLINE void norn_robust_leaves(const pthread_mutex_t *mutex)
{
	if (NORN_UNLIKELY(mutex->__data.__kind & NORN_KIND_ROBUST))
		norn_robust_has_left(mutex);
}

NORN_HIDDEN void norn_robust_given_up(pthread_mutex_t *mutex);

/*
 * Tries to take it for a function that takes it: glibc's trylock keeps a mutex that nobody can have
 * any more (ENOTRECOVERABLE), and who takes it later waits for ever. Behind such a try, leaves it.
 */
NORN_INLINE int norn_robust_try(pthread_mutex_t *mutex)
{
	int result = NORN_REAL(pthread_mutex_trylock)(mutex);
	if (NORN_UNLIKELY(result == ENOTRECOVERABLE))
		norn_robust_given_up(mutex);
	return result;
}

/* At the end of a thread, which is not busy. */
NORN_HIDDEN void norn_robust_end(void);

#endif
