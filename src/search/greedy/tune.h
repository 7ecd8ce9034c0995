/* SPDX-License-Identifier: MIT */
/* How much the greedy engine tries (base/tune.h). */
#ifndef SEARCH_GREEDY_TUNE_H
#define SEARCH_GREEDY_TUNE_H

#include "base/tune.h"

/* clang-format off */
#define GREEDY_TUNES(row)                                                                        \
	row(greedy, small, 2000, 0, 1000000, "events of a set of which all may move")            \
	row(greedy, tries, 40, 0, 100000, "orders of a small set; of others a quarter")          \
	row(greedy, clocks, 1048576, 1024, 268435456, "numbers in the clocks of a graph")        \
	row(greedy, clocks_few, 16384, 1024, 268435456, "the same, at first")                    \
	row(greedy, margin_most, 4096, 0, 1000000, "events in front of the bug that may change") \
	row(greedy, writes_most, 64, 1, 1000000, "writes that may be a read's source")           \
	row(greedy, others_most, 1024, 1, 1000000, "writes looked at for an equal value")        \
	row(greedy, sources_most, 64, 0, 1000000, "reads that take another source")              \
	row(greedy, uses_most, 4096, 1, 1000000, "uses of an object that rules look at")         \
	row(greedy, events_most, 4096, 1, 1000000, "events that a value is tried on")            \
	row(greedy, blame_steps, 256, 0, 1000000, "causes of what cannot be, looked back at")    \
	row(greedy, avoided_most, 32, 0, 1000000, "sources that are avoided after that")         \
	row(greedy, few_steps, 64, 0, 1000000, "writes that a value is followed back through")   \
	row(greedy, few_reads, 4096, 0, 1000000, "reads that an event may depend on")            \
	row(greedy, few_walks, 64, 0, 1000000, "walks of few threads")                           \
	row(greedy, near, 16384, 1, 100000000, "events in front of the bug, of a first look")    \
	row(greedy, strays_most, 64, 0, 1000000, "reads whose recorded write cannot be")         \
	row(greedy, chain_depth, 64, 1, 100000, "depth of what has to come before an access")    \
	row(greedy, chain_steps, 1000000, 1, 1000000000, "steps to the accesses of a region")
/* clang-format on */

TUNE_DECLARE(greedy, GREEDY_TUNES)

#endif
