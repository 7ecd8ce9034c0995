/* SPDX-License-Identifier: MIT */
/*
 * Semaphores, counted: in a stuck state each thread has ended, or stands at an event where it may
 * wait, or was not forked yet. What it has posted and taken by then is known, so that for all
 * combinations of these places it can be added up whether a semaphore that somebody waits for is
 * at 0, and none is below. If that never comes out, nobody waits there for ever: a bounded buffer
 * with a semaphore for its items and one for its places, say.
 */
#ifndef DEADLOCK_TOKENS_H
#define DEADLOCK_TOKENS_H

#include "model/index.h"

/* may: of each event, whether a thread may wait there for ever, as far as is known. Clears it for
 * waits that this rules out; whether there were any. What would take too long is left alone. */
bool tokens_rule_out(const struct index *index, bool *may);

#endif
