/* SPDX-License-Identifier: MIT */
#include "order/clock_table.h"

struct knowledge *clock_table_slot(struct clock_table *r, uint32_t slot)
{
	vec_extend(&r->slots, (size_t)slot + 1);
	return &r->slots.at[slot];
}

struct knowledge *clock_table_channel(struct clock_table *r, uint32_t channel)
{
	vec_extend(&r->channels, (size_t)channel + 1);
	return &r->channels.at[channel];
}

void clock_table_join(const struct clock_table *r, struct knowledge *to,
		      const struct knowledge *from)
{
	for (unsigned i = 0; i < r->clocks; i++)
		clock_join(&to->clock[i], &from->clock[i]);
	if (from->extra)
		r->join_extra(&to->extra, from->extra);
}

void clock_table_clear(const struct clock_table *r, struct knowledge *k)
{
	for (unsigned i = 0; i < r->clocks; i++)
		k->clock[i].n = 0;
	if (k->extra)
		r->free_extra(k->extra);
	k->extra = NULL;
}

static void release_all(struct clock_table *r, struct knowledge *k, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		clock_table_clear(r, &k[i]);
		for (unsigned c = 0; c < CLOCK_TABLE_CLOCKS; c++)
			clock_release(&k[i].clock[c]);
	}
}

void clock_table_release(struct clock_table *r)
{
	release_all(r, r->slots.at, r->slots.n);
	release_all(r, r->channels.at, r->channels.n);
	vec_release(&r->slots);
	vec_release(&r->channels);
}
