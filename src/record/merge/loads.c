/* SPDX-License-Identifier: MIT */
#include "record/merge/loads.h"

void loads_push(struct loads *l, struct load load)
{
	vec_push(&l->at, load);
	size_t i = l->at.n - 1;

	for (; i && l->at.at[(i - 1) / 2].time > load.time; i = (i - 1) / 2)
		l->at.at[i] = l->at.at[(i - 1) / 2];
	l->at.at[i] = load;
}

void loads_pop(struct loads *l)
{
	struct load last = l->at.at[--l->at.n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < l->at.n) {
		if (child + 1 < l->at.n && l->at.at[child + 1].time < l->at.at[child].time)
			child++;
		if (l->at.at[child].time >= last.time)
			break;
		l->at.at[i] = l->at.at[child];
		i = child;
	}
	if (l->at.n)
		l->at.at[i] = last;
}

void loads_release(struct loads *l)
{
	vec_release(&l->at);
}
