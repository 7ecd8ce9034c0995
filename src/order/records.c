/* SPDX-License-Identifier: MIT */
#include "order/records.h"

#include <stdlib.h>

uint32_t records_keep(struct records *r, const struct clock *clock)
{
	struct clock copy = {0};

	clock_copy(&copy, clock);
	vec_push(&r->clocks, copy);
	return (uint32_t)r->clocks.n - 1;
}

static bool same_times(const struct clock *a, const struct clock *b, uint32_t from, uint32_t to)
{
	return from >= to || !memcmp(a->at + from, b->at + from, (to - from) * sizeof(*a->at));
}

/* For races of the thread: its own time only has to tell it from those that had the slot before. */
static bool same_clock(const struct clock *kept, const struct clock *clock, const struct actor *t)
{
	uint32_t own = t->slot < clock->n ? t->slot : clock->n;

	return kept->n == clock->n && same_times(kept, clock, 0, own) &&
	       same_times(kept, clock, own + 1, clock->n) &&
	       (own == clock->n || kept->at[own] >= t->start_time ||
		kept->at[own] == clock->at[own]);
}

/* The last one kept for the slot if nothing has changed. last: index + 1, 0 for none. */
static uint32_t keep_shared(struct records *r, uint32_t *last, const struct clock *clock,
			    const struct actor *t)
{
	if (!*last || !same_clock(&r->clocks.at[*last - 1], clock, t))
		*last = records_keep(r, clock) + 1;
	return *last - 1;
}

void records_add(struct records *r, struct front *f, struct order *o, const struct actor *t,
		 const struct event *e, uint32_t variable, uint64_t number, uint32_t site,
		 bool atomic)
{
	static const struct clock none;
	const struct order_kind *kind = o->kind;

	vec_extend(&r->last_clock, (size_t)t->slot + 1);
	vec_extend(&r->last_mhb, (size_t)t->slot + 1);
	struct record record = {
		.number = number,
		.variable = variable,
		.thread = t->thread,
		.slot = t->slot,
		.time = t->time,
		.lockset = t->lockset,
		.site = site,
		.item = o->items ? o->items - 1 : 0, /* that of the access */
		.writes = event_is(e, EV_STORES),
		.atomic = atomic,
		.clock = keep_shared(
			r, &r->last_clock.at[t->slot],
			kind->clocks ? &order_knows(o, t)->clock[kind->race_clock] : &none, t),
		.mhb = keep_shared(r, &r->last_mhb.at[t->slot], &f->mhb.slots.at[t->slot].clock[0],
				   t),
	};

	vec_push(&r->all, record);
}

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->variable != y->variable)
		return x->variable < y->variable ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool races(const struct records *r, struct front *f, const struct record *a,
		  const struct record *b)
{
	return a->thread != b->thread && (a->writes || b->writes) && !(a->atomic && b->atomic) &&
	       a->time > clock_get(&r->clocks.at[b->clock], a->slot) &&
	       a->time > clock_get(&r->clocks.at[b->mhb], a->slot) &&
	       !lockset_table_exclude(&f->locksets, a->lockset, b->lockset);
}

void records_compare(const struct records *r, struct front *f,
		     bool (*found)(void *context, const struct record *a, const struct record *b),
		     void *context)
{
	size_t n = r->all.n;

	if (!n)
		return;
	qsort(r->all.at, n, sizeof(*r->all.at), compare_records);
	for (size_t from = 0, to; from < n; from = to) {
		to = from + 1;
		while (to < n && r->all.at[to].variable == r->all.at[from].variable)
			to++;
		for (size_t i = from; i < to; i++)
			for (size_t k = i + 1; k < to; k++)
				if (races(r, f, &r->all.at[i], &r->all.at[k]) &&
				    !found(context, &r->all.at[i], &r->all.at[k]))
					return;
	}
}

uint64_t records_bytes(const struct records *r)
{
	uint64_t bytes = r->all.n * sizeof(*r->all.at) + r->clocks.n * sizeof(*r->clocks.at);

	for (size_t i = 0; i < r->clocks.n; i++)
		bytes += r->clocks.at[i].capacity * sizeof(uint32_t);
	return bytes;
}

void records_clear(struct records *r)
{
	for (size_t i = 0; i < r->clocks.n; i++)
		clock_release(&r->clocks.at[i]);
	r->clocks.n = r->all.n = 0;
	r->last_clock.n = r->last_mhb.n = 0;
}

void records_release(struct records *r)
{
	records_clear(r);
	vec_release(&r->all);
	vec_release(&r->clocks);
	vec_release(&r->last_clock);
	vec_release(&r->last_mhb);
}
