/* SPDX-License-Identifier: MIT */
/*
 * What pthread_* and C11's functions have in common: each does what the pthread function of its
 * name does, for a call that returns to `pc`.
 */
#ifndef RUNTIME_PTHREAD_SYNC_H
#define RUNTIME_PTHREAD_SYNC_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "runtime/self.h"

NORN_HIDDEN int norn_thread_create(pthread_t *thread, const pthread_attr_t *attributes,
				   void *(*function)(void *), void *argument, const void *pc);
/*
 * A thread that the runtime makes for the program, by a call that returns to `pc`. Any number of
 * others may wait for it, at least one has to; it has no result.
 */
struct norn_thread {
	pthread_t handle;
	uint32_t number; /* + 1; 0: it is not recorded */
	uint32_t over;	 /* a futex */
	uint32_t role;	 /* LOG_ROLE */
};
NORN_HIDDEN int norn_thread_fork(struct norn_thread *thread, uint32_t role,
				 void *(*function)(void *), void *argument, const void *pc);
NORN_HIDDEN void norn_thread_await(struct norn_thread *thread, const void *pc);

/* The value is the caller's own; if wanted, the log has it as read from where the thread left it.
 */
NORN_HIDDEN int norn_thread_join(pthread_t thread, void **value, bool wanted, const void *pc);

NORN_HIDDEN int norn_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes,
				const void *pc);
NORN_HIDDEN int norn_mutex_destroy(pthread_mutex_t *mutex, const void *pc);
NORN_HIDDEN int norn_mutex_lock(pthread_mutex_t *mutex, const void *pc);
NORN_HIDDEN int norn_mutex_try(pthread_mutex_t *mutex, const void *pc);
NORN_HIDDEN int norn_mutex_timed(pthread_mutex_t *mutex, clockid_t clock,
				 const struct timespec *until, const void *pc);
NORN_HIDDEN int norn_mutex_unlock(pthread_mutex_t *mutex, const void *pc);

NORN_HIDDEN int norn_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes,
			       const void *pc);
NORN_HIDDEN int norn_cond_destroy(pthread_cond_t *condition);
/* With the condition's own clock; until null, for ever. */
NORN_HIDDEN int norn_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
			       const struct timespec *until, const void *pc);
NORN_HIDDEN int norn_cond_signal(pthread_cond_t *condition, const void *pc);
NORN_HIDDEN int norn_cond_broadcast(pthread_cond_t *condition, const void *pc);

/* Of an object that nothing else uses; false: nothing is recorded, and nobody waits. */
NORN_HIDDEN bool norn_barrier_open(const void *barrier, unsigned parties, const void *pc);
NORN_HIDDEN bool norn_barrier_pass(const void *barrier, const void *pc, bool *last);
NORN_HIDDEN void norn_barrier_close(const void *barrier);

NORN_HIDDEN int norn_once(pthread_once_t *control, void (*function)(void), const void *pc);

#endif
