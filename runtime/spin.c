/* SPDX-License-Identifier: MIT */
#include "runtime/spin.h"

#include "runtime/run.h"

#define HEAD_WORDS (sizeof(struct log_block) / sizeof(uint64_t))

/* Whoever reads the block finds its end there, or the record. */
static void end_before(uint64_t *at)
{
	*(volatile uint64_t *)at = 0;
	NORN_COMPILER_BARRIER();
}

/* The last time goes, and this one takes its place. */
static void repeat(struct norn_self *me, uint64_t *round, uint64_t *spin, uint64_t first)
{
	for (uint64_t *at = round + 3; at < me->at; at++, me->records--)
		end_before(at);
	*(volatile uint64_t *)round = first;
	NORN_COMPILER_BARRIER();
	spin[1]++;
	me->at = round + 3;
}

static void begin(struct norn_self *me, uint32_t words)
{
	me->spin = norn_position(me);
	norn_put2(me, LOG_SPIN, words, 0);
	norn_put2(me, LOG_TIME, 0, norn_now());
}

bool norn_spin(struct norn_self *me, uint64_t first)
{
	uint32_t words = (uint32_t)(norn_position(me) - me->round);
	uint64_t *round = me->at - words, *before = round - words, *from = me->tail + HEAD_WORDS;
	if (before - LOG_SPIN_WORDS < from || (uint32_t)*round != (uint32_t)first)
		return false;
	if (me->round != me->spin + LOG_SPIN_WORDS) { /* it may be the third time */
		if (log_same_round(before, round, words, words))
			begin(me, words);
		return false;
	}
	uint64_t *spin = round - LOG_SPIN_WORDS;
	if (LOG_HIGH_OF(*spin) != words || spin[1] >= LOG_SPINS_MOST ||
	    !log_same_round(spin - words, round, words, words + LOG_SPIN_WORDS))
		return false;
	repeat(me, round, spin, first);
	return true;
}
