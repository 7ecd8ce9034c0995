/* SPDX-License-Identifier: MIT */
/*
 * What libc keeps for all threads, as variables of the runtime: in a hunt their order is read, and
 * can be asked for like other reads.
 *
 * In a hunt for other output, who printed last is one: who prints next reads it, and so does who
 * ends the program. So the order in which threads print, and what an end cuts off, are read.
 *
 * Random numbers that follow from a seed are another: what has been drawn since the seed is a
 * number that each draw reads and changes. Draws that read the same number get the same result.
 */
#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/schedule.h"
#include "runtime/run.h"

bool norn_tells_words(void)
{
	static bool told;
	if (!norn_alone())
		told = true;
	return told && norn_ranges_on();
}

static uint64_t printed; /* the thread, and which of the things that it prints */

void norn_prints(void)
{
	struct norn_self *me = &norn_self;
	if (!norn_turn_prints() || norn_alone())
		return;
	norn_replay_point(&printed);
	if (norn_ranges_on())
		norn_tell_word(&printed, (uint64_t)(me->number + 1) << 32 | ++me->prints, true);
}

void norn_prints_end(void)
{
	if (norn_turn_prints() && !norn_alone())
		norn_look_at_word(&printed);
}

static uint64_t drawn[NORN_GENERATORS];

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t norn_draws(enum norn_generator generator)
{
	uint64_t *word = &drawn[generator];
	if (!norn_turn_scheduled())
		return 0;
	if (!norn_tells_words())
		return ++*word;
	norn_replay_point(word);
	return norn_add_to_word(word, 1) + 1;
}

void norn_seeds(enum norn_generator generator, uint64_t seed)
{
	uint64_t *word = &drawn[generator];
	if (!norn_turn_scheduled())
		return;
	if (!norn_tells_words()) {
		*word = mix(~seed);
		return;
	}
	norn_replay_point(word);
	norn_tell_word(word, mix(~seed), false);
}
