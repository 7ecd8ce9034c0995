/* SPDX-License-Identifier: MIT */
/*
 * Writing records. The caller is busy and has room (self.h); of an event that has a version, its
 * shard is held, or for a read, was valid at that version. First words are written last.
 */
#ifndef RUNTIME_APPEND_H
#define RUNTIME_APPEND_H

#include "runtime/hooks.h"
#include "runtime/log.h"
#include "runtime/self.h"

NORN_INLINE void norn_commit(struct norn_self *me, uint64_t *at, uint64_t first, unsigned words)
{
	NORN_COMPILER_BARRIER();
	*(volatile uint64_t *)at = first;
	NORN_COMPILER_BARRIER();
	me->at = at + words;
	me->records++;
}

NORN_INLINE uint64_t norn_position(const struct norn_self *me)
{
	return me->at - me->origin;
}

/* Number `which` of the dependences of the record that comes next: on the read at `position`, or
 * NORN_HERE and a value. */
NORN_INLINE void norn_put_depend(struct norn_self *me, unsigned which, uint64_t position)
{
	if (!position)
		return;
	uint64_t word = LOG_WORD(LOG_DEPEND, which, norn_position(me) - position);
	if (position & NORN_HERE)
		word = LOG_WORD(LOG_DEPEND, which | LOG_HERE, (uint32_t)position);
	norn_commit(me, me->at, word, 1);
}

__attribute__((noinline)) static void norn_put_far(struct norn_self *me, uint64_t a, uint64_t b,
						   uint64_t c)
{
	norn_put_depend(me, 0, a);
	norn_put_depend(me, 1, b);
	norn_put_depend(me, 2, c);
}

/* All of them; 0: no such dependence. */
NORN_INLINE void norn_put_depends(struct norn_self *me, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t here = norn_position(me);
	uint64_t x = a ? here - a : 0, y = b ? here - b : 0, z = c ? here - c : 0;
	if (NORN_UNLIKELY((x | y | z) > LOG_NEAR))
		norn_put_far(me, a, b, c);
	else if (x | y | z)
		norn_commit(me, me->at, LOG_NEAR_WORD(x, y, z), 1);
}

NORN_INLINE void norn_put1(struct norn_self *me, enum log_kind kind, uint32_t site, uint32_t high)
{
	norn_commit(me, me->at, LOG_WORD(kind, site, high), 1);
}

NORN_INLINE void norn_put2(struct norn_self *me, enum log_kind kind, uint32_t high, uint64_t w1)
{
	uint64_t *at = me->at;
	at[1] = w1;
	norn_commit(me, at, LOG_WORD(kind, 0, high), 2);
}

NORN_INLINE void norn_put3(struct norn_self *me, enum log_kind kind, uint32_t site, uint32_t high,
			   uint64_t w1, uint64_t w2)
{
	uint64_t *at = me->at;
	at[1] = w1;
	at[2] = w2;
	norn_commit(me, at, LOG_WORD(kind, site, high), 3);
}

NORN_INLINE void norn_put4(struct norn_self *me, enum log_kind kind, uint32_t site, uint32_t high,
			   uint64_t w1, uint64_t w2, uint64_t w3)
{
	uint64_t *at = me->at;
	at[1] = w1;
	at[2] = w2;
	at[3] = w3;
	norn_commit(me, at, LOG_WORD(kind, site, high), 4);
}

/* Room for a record that may be longer than most. False: it is not logged. */
NORN_HIDDEN bool norn_make_room(struct norn_self *me, unsigned words);

/* LOG_TIME, for what may take long; does nothing if the thread is not recorded or is busy. */
NORN_HIDDEN void norn_log_time(struct norn_self *me);

#endif
