/* SPDX-License-Identifier: MIT */
/* quick: locksets and MHB alone, which the front keeps for all. */
#include "order/kind.h"

const struct order_kind order_quick = {
	.name = "quick",
	.title = "no common lock, not ordered by fork and join",
	.size = sizeof(struct order),
	.skips = true,
};
