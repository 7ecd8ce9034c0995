/* SPDX-License-Identifier: MIT */
/*
 * Mutexes that are used before they are made, or destroyed while they are used: looked for in a
 * schedule alone (doc/hunt.md, Misuse). What state a mutex is in is a word of the runtime: who
 * makes or destroys it sets it, who has taken it reads it. So who comes first can be asked for.
 */
#ifndef RUNTIME_PTHREAD_MISUSE_H
#define RUNTIME_PTHREAD_MISUSE_H

#include <pthread.h>

#include "runtime/replay/replay.h"

/* Before it is initialized, and behind. Ends the program if another thread holds it. */
NORN_HIDDEN void norn_misuse_remade(const pthread_mutex_t *mutex);
NORN_HIDDEN void norn_misuse_made(const pthread_mutex_t *mutex);
/* What lock, trylock or the like returned says that it was destroyed: to the log, it is taken. */
NORN_HIDDEN bool norn_misuse_is_gone(const void *mutex, int result);
/* It was taken, as far as the log knows. Ends the program if it was destroyed. */
NORN_HIDDEN void norn_misuse_taken(const pthread_mutex_t *mutex, int result);
/* In a schedule: as the real one. */
NORN_HIDDEN int norn_misuse_destroy(pthread_mutex_t *mutex, const void *pc);
/* A thread was joined: what it used is over. */
NORN_HIDDEN void norn_misuse_joined(uint32_t number);

#endif
