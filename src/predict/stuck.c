/* SPDX-License-Identifier: MIT */
/*
 * Stuck threads: waits that may never end (deadlock/waits.h), by the place in the source where the
 * thread waits. Joins are left out: whom a join waits for is stuck himself, so that every
 * stuck state has a wait of another kind.
 */
#include "model/sites.h"
#include "deadlock/waits.h"
#include "predict/candidates.h"
#include "predict/stuck_told.h"

struct site_waits {
	VEC(uint32_t) events;
};

struct stuck {
	struct sites sites;
	VEC(struct site_waits)
	waits; /* by the numbers of the sites, which are those of candidates */
};

static int nominate_stuck(struct candidates *c, uint32_t kind, const struct predict_options *o,
			  struct err *err)
{
	struct stuck *stuck = mem_alloc_zero(1, sizeof(*stuck));
	const struct sections *sections = sections_of(c->index);
	struct waits waits = {0};

	(void)o, (void)err;
	c->kinds[kind].data = stuck;
	waits_find(c->index, sections, &waits);
	for (size_t i = 0; i < waits.events.n; i++) {
		uint32_t n = waits.events.at[i];
		const struct event *e = &c->index->events[n];

		if (e->kind == EV_JOIN)
			continue;
		uint32_t site = sites_add(&stuck->sites, e);

		vec_extend(&stuck->waits, (size_t)site + 1);
		vec_push(&stuck->waits.at[site].events, n);
	}
	vec_release(&waits.events);
	for (size_t i = 0; i < stuck->waits.n; i++) {
		struct candidate candidate = {
			.number = (uint32_t)i,
			.first = {1, {stuck->waits.at[i].events.at[0]}},
			.instances = stuck->waits.at[i].events.n,
		};

		candidates_add(c, kind, candidate);
	}
	return 0;
}

static void list_stuck(const struct candidates *c, const struct candidate *candidate, size_t most,
		       struct instances *out)
{
	const struct stuck *stuck = c->kinds[candidate->kind].data;
	const struct site_waits *waits = &stuck->waits.at[candidate->number];

	for (size_t i = 0; i < waits->events.n && i < most; i++)
		instances_add(out, &waits->events.at[i], 1);
	out->all = waits->events.n <= most;
}

static void release_stuck(void *data)
{
	struct stuck *stuck = data;

	for (size_t i = 0; i < stuck->waits.n; i++)
		vec_release(&stuck->waits.at[i].events);
	vec_release(&stuck->waits);
	sites_release(&stuck->sites);
	mem_free(stuck);
}

const struct predict_kind predict_stuck = {
	.bug = BUG_STUCK,
	.help = "a thread waits forever, and all other threads wait or have ended",
	.instance = "wait",
	.between = ',',
	.by_default = true,
	.nominate = nominate_stuck,
	.list = list_stuck,
	.release = release_stuck,
	.merge = stuck_told_merge,
};
