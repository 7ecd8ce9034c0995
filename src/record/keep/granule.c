/* SPDX-License-Identifier: MIT */
#include "record/keep/granule.h"

void granule_forget_buried(struct granule *g)
{
	if (!granule_is_untouched(g))
		return;
	g->value = 0;
	g->site[0] = g->site[1] = 0;
}

void granule_unite(struct granule *to, const struct granule *from)
{
	granule_forget_buried(to);
	to->written |= from->written;
	granule_read(to, from->read, from->value);
	to->cuts |= from->cuts;
	to->flags |= from->flags;
	if (to->written)
		to->flags |= GRANULE_LATE;
	for (unsigned half = 0; half < 2; half++) {
		if (!to->thread[half])
			to->thread[half] = from->thread[half];
		else if (from->thread[half] && from->thread[half] != to->thread[half])
			to->thread[half] = GRANULE_SHARED;
		to->time[half] |= GRANULE_UNFIT;
		if (!to->site[half])
			to->site[half] = from->site[half];
	}
}
