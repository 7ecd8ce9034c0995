#include "record/origins.h"

/* Some 200 MB; beyond that all are forgotten, which loses exactness and nothing else. */
#define ORIGINS_MOST ((size_t)1 << 22)

void read_set_add(struct read_set *set, uint64_t read)
{
	for (uint32_t i = 0; i < set->n; i++)
		if (set->at[i] == read)
			return;
	if (set->n == READ_SET_MOST)
		set->all = true;
	else
		set->at[set->n++] = read;
}

void origins_release(struct origins *o)
{
	vec_release(&o->at);
	vec_release(&o->reads);
}

static void forget(struct origins *o)
{
	o->base += (uint32_t)o->at.n;
	o->at.n = 0;
	o->reads.n = 0;
}

static bool same_clock(const struct origin_clock *a, const struct origin_clock *b)
{
	return a->thread == b->thread && a->era == b->era && a->settles == b->settles;
}

/* The latest one, if it says the same: most writes in a row depend on nothing. */
static bool is_latest(const struct origins *o, const struct origin_clock *now,
		      const struct read_set *set)
{
	const struct origin *last = o->at.n ? &o->at.at[o->at.n - 1] : NULL;

	if (!last || !same_clock(&last->when, now) || last->all != set->all)
		return false;
	if (set->all)
		return true;
	if (last->n != set->n)
		return false;
	for (uint32_t i = 0; i < set->n; i++)
		if (o->reads.at[last->first + i] != set->at[i])
			return false;
	return true;
}

uint32_t origins_add(struct origins *o, const struct origin_clock *now, const struct read_set *set)
{
	if (!is_latest(o, now, set)) {
		if (o->at.n >= ORIGINS_MOST)
			forget(o);
		struct origin origin = {.when = *now,
					.all = set->all,
					.first = (uint32_t)o->reads.n,
					.n = set->all ? 0 : set->n};

		for (uint32_t i = 0; i < origin.n; i++)
			vec_push(&o->reads, set->at[i]);
		vec_push(&o->at, origin);
	}
	return o->base + (uint32_t)o->at.n;
}

/* NULL: it is not known any more. */
static const struct origin *find(const struct origins *o, uint32_t origin)
{
	return origin > o->base && origin - o->base <= o->at.n ? &o->at.at[origin - o->base - 1]
							       : NULL;
}

static void gather(const struct origins *o, const struct origin *from,
		   const struct origin_clock *now, struct read_set *set)
{
	if (from->all && from->when.settles == now->settles)
		set->all = true;
	for (uint32_t i = 0; i < from->n; i++)
		if (o->reads.at[from->first + i] > now->settled)
			read_set_add(set, o->reads.at[from->first + i]);
}

void origins_gather(const struct origins *o, uint32_t origin, const struct origin_clock *now,
		    struct read_set *set)
{
	const struct origin *from = find(o, origin);

	if (from && from->when.thread == now->thread && from->when.era == now->era)
		gather(o, from, now, set);
	else
		set->all = true;
}

void origins_gather_value(const struct origins *o, uint32_t origin, const struct origin_clock *now,
			  struct read_set *set)
{
	const struct origin *from = find(o, origin);

	if (from)
		gather(o, from, now, set);
	else
		set->all = true;
}
