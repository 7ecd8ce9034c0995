/* SPDX-License-Identifier: MIT */
/*
 * Waiting by looking. A thread that reads an atomic variable again and again until it changes would
 * fill its log with the same records. From the third time on, LOG_SPIN counts the times, and the
 * last one alone stands behind it (log.h): each is written over the one before.
 */
#ifndef RUNTIME_SPIN_H
#define RUNTIME_SPIN_H

#include "runtime/append.h"

/* Whether the thread's latest atomic read was this one, a few words ago. */
NORN_INLINE bool norn_may_spin(const struct norn_self *me, uint64_t access, uint64_t value)
{
	uint64_t words = norn_position(me) - me->round;
	return words - LOG_ROUND_LEAST <= LOG_ROUND_MOST - LOG_ROUND_LEAST &&
	       *(me->at - words + 1) == access && *(me->at - words + 2) == value;
}

/*
 * If so, and that is busy and has room: true if the read has been counted and logged, at me->round;
 * `first` is the first word of its record. Else it is to be logged as usual.
 */
NORN_HIDDEN bool norn_spin(struct norn_self *me, uint64_t first);

#endif
