/* SPDX-License-Identifier: MIT */
/*
 * The background of planted.h: threads that run functions again and again, without a race.
 * They stand on sides; what a thread branches on comes from its own side alone.
 */
#ifndef SUPPORT_BACKGROUND_H
#define SUPPORT_BACKGROUND_H

#include "tests/support/maker.h"
#include "tests/support/random.h"

enum background_side { SIDE_NEAR, SIDE_FAR, SIDE_EQUALS, SIDE_VALUES, SIDE_COUNT };

struct background;

/* The first thread, main, forks the others. The last two sides have one thread each. */
struct background *background_new(struct maker *m, uint32_t threads, uint64_t seed);
/* Some events of one thread. */
void background_run(struct background *b);
/* Until nobody holds a lock. */
void background_settle(struct background *b);
/* All threads end, and main joins them. */
void background_end(struct background *b);
void background_free(struct background *b);

/* A thread of that side other than `not`. */
uint32_t background_pick(struct background *b, enum background_side side, uint32_t not );

#endif
