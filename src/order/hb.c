/* SPDX-License-Identifier: MIT */
/* hb: MHB, and what the front hands on from release to acquire and from post to wait. */
#include "order/kind.h"

const struct order_kind order_hb = {
	.name = "hb",
	.title = "happens-before",
	.size = sizeof(struct order),
	.locksets = LOCKSETS_FOLLOW,
	.clocks = 1,
	.hb = true,
};
