/* SPDX-License-Identifier: MIT */
/*
 * Addresses of a scheduled run are a function of its plan (doc/replay.md, Schedules). A program
 * reads them back, from a pthread_t if nowhere else, and where that decides its path, two runs of
 * one plan would differ. So
 *
 * - the stack of a thread lies where its maker and the number of threads that this one made before
 *   say, and is not used again;
 * - who makes a thread waits until that has mapped what it needs (norn_turn_await_new);
 * - nobody goes on before a thread that has ended is gone, with what it gives back.
 */
#ifndef RUNTIME_REPLAY_PLACED_H
#define RUNTIME_REPLAY_PLACED_H

#include <pthread.h>

#include "runtime/self.h"

/* The attributes of a thread that `me` makes, with its stack. False: take those that are given. */
NORN_HIDDEN bool norn_place_stack(struct norn_self *me, const pthread_attr_t *given,
				  pthread_attr_t *attributes);

/* Of a scheduled run: before the last step of a thread; and behind each wait for a turn. */
NORN_HIDDEN void norn_is_leaving(void);
NORN_HIDDEN void norn_await_gone(void);

#endif
