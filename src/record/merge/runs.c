/* SPDX-License-Identifier: MIT */
#include "record/merge/runs.h"

void runs_add(struct runs *r, uint32_t lane, uint32_t n)
{
	struct run run = {lane, n};

	if (r->at.n == RUNS_MOST)
		runs_lose(r);
	if (!r->lost)
		vec_push(&r->at, run);
}

void runs_lose(struct runs *r)
{
	runs_release(r);
	r->lost = true;
}

void runs_release(struct runs *r)
{
	vec_release(&r->at);
}
