/* SPDX-License-Identifier: MIT */
/*
 * Mixed groups: accesses of one site and kind under many sets of locks (CLASS_MIXED). Each is kept
 * with its set, as a list, the oldest first. An access is of no more use if another one
 *
 *	is ordered after it, and its set is within the first one's: what races with the first
 *	races with it; or
 *	comes at the same time of the same thread, and its set is within the first one's: nobody
 *	can tell which of both came first.
 *
 * That leaves a few, as long as small sets come again and again. If not, and the lists get long,
 * one is dropped if those of its thread after it have sets so different that nobody holds a lock of
 * each: who is excluded by all of them holds more than MIXED_LOCKS locks. Who holds so many is said
 * to race, for it may: then `unsure` is set.
 *
 * Where sets only filter (LOCKSETS_FILTER) they do not matter for what is of use.
 */
#ifndef ORDER_MIXED_H
#define ORDER_MIXED_H

#include "order/groups.h"

#define MIXED_LOCKS 8u

/* Beside who: others were dropped whose sets it stands for, together with others. */
#define MIXED_STANDS ((uint64_t)1 << 63)

struct mixed_access {
	uint64_t who;
	uint32_t time; /* 0: none, nor behind it */
	uint32_t lockset;
};

/* Is the access at hand of no use beside one that is there? */
bool mixed_repeats(const struct groups_memory *m, struct place p, const struct now *now);
void mixed_note(struct groups_memory *m, struct place p, const struct now *now);
/* As groups_unordered, groups_sweep; and all of it. */
uint64_t mixed_unordered(struct groups_memory *m, const struct line *l, uint32_t way,
			 const struct now *now);
bool mixed_sweep(struct groups_memory *m, struct place p, const struct clock *known);
void mixed_drop(struct groups_memory *m, const struct line *l, uint32_t way);

#endif
