/* SPDX-License-Identifier: MIT */
/*
 * In a hunt for other output, who printed last is a variable of the runtime: who prints next reads
 * it, and so does who ends the program. So the order in which threads print, and what an end cuts
 * off, are read, and can be asked for like other reads.
 */
#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/schedule.h"
#include "runtime/run.h"

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
