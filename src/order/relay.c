#include "order/relay.h"

struct knowledge *relay_slot(struct relay *r, uint32_t slot)
{
	vec_extend(&r->slots, (size_t)slot + 1);
	return &r->slots.at[slot];
}

struct knowledge *relay_channel(struct relay *r, uint32_t channel)
{
	vec_extend(&r->channels, (size_t)channel + 1);
	return &r->channels.at[channel];
}

void relay_join(const struct relay *r, struct knowledge *to, const struct knowledge *from)
{
	for (unsigned i = 0; i < r->clocks; i++)
		clock_join(&to->clock[i], &from->clock[i]);
	if (from->extra)
		r->join_extra(&to->extra, from->extra);
}

void relay_clear(const struct relay *r, struct knowledge *k)
{
	for (unsigned i = 0; i < r->clocks; i++)
		k->clock[i].n = 0;
	if (k->extra)
		r->free_extra(k->extra);
	k->extra = NULL;
}

static void release_all(struct relay *r, struct knowledge *k, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		relay_clear(r, &k[i]);
		for (unsigned c = 0; c < RELAY_CLOCKS; c++)
			clock_release(&k[i].clock[c]);
	}
}

void relay_release(struct relay *r)
{
	release_all(r, r->slots.at, r->slots.n);
	release_all(r, r->channels.at, r->channels.n);
	vec_release(&r->slots);
	vec_release(&r->channels);
}
