/* SPDX-License-Identifier: MIT */
#include "replay/kind.h"

static const struct replay_kind kinds[] = {
	[BUG_RACE] = {.stand = "both at ", .goes_on = true, .pair = true},
	/* A deadlock is one whatever others do; but who is stuck is so because nobody moves. */
	[BUG_DEADLOCK] = {.stand = "blocked at ", .lasts = true},
	[BUG_STUCK] = {.stand = "blocked at "},
	/* One thread stands before the event that is not allowed. */
	[BUG_PROPERTY] = {.stand = "at ", .goes_on = true},
	/* Likewise: before its last access, with the remote one behind it. */
	[BUG_ATOMICITY] = {.stand = "at ", .goes_on = true},
	/* Likewise: where it goes another way than recorded. */
	[BUG_CHOICE] = {.stand = "at ", .goes_on = true},
};
BUG_ROWS_ARE_ALL(kinds);

/* A schedule without a bug: nobody stops. */
static const struct replay_kind none;

const struct replay_kind *replay_kind_of(const struct replay_plan *plan)
{
	return plan->bug == BUG_COUNT ? &none : &kinds[plan->bug];
}
