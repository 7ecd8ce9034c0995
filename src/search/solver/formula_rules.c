/* SPDX-License-Identifier: MIT */
/* What the theory of order (search/solver/precedence.h) has to know of a cone. */
#include "search/solver/formula.h"

#include "base/sorted.h"

static void put_fixed(struct formula *f)
{
	for (uint32_t k = 0; k < f->cone->count; k++) {
		uint32_t n = f->cone->by_trace[k];

		for (uint32_t i = f->fixed_first[n]; i < f->fixed_first[n + 1]; i++)
			precedence_fix(f->order, f->fixed[i], n);
	}
	formula_order_arms(f);
	for (uint32_t n = 1; n <= f->cone->count; n++)
		precedence_happens(f->order, (lit)n, n);
}

/* It is not over before the cone, and begins in it or before. */
static void put_section(struct formula *f, const struct section *s)
{
	uint32_t acquire = cone_node(f->cone, s->acquire);
	uint32_t release = s->release ? cone_node(f->cone, s->release) : NODE_NONE;
	struct precedence_section section = {
		.lock = s->lock,
		.acquire = acquire == NODE_START ? precedence_start(f->order) : acquire,
		.release = release == NODE_NONE ? precedence_cut(f->order) : release,
		.thread = s->thread,
		.shared = s->shared,
	};

	precedence_section(f->order, &section);
}

/* Where the cone begins: when one was taken that lets nobody else in, all before were over. */
static void put_open_sections(struct formula *f, uint32_t lock)
{
	const struct sections *all = f->facts.sections;
	uint32_t i = LOWER_BOUND(k, all->first[lock], all->first[lock + 1],
				 all->all.at[all->of_lock[k]].acquire <= f->cone->low);

	while (i-- > all->first[lock]) {
		const struct section *s = &all->all.at[all->of_lock[i]];

		if (!s->release || s->release > f->cone->low)
			put_section(f, s);
		if (!s->shared)
			break;
	}
}

static void put_sections(struct formula *f)
{
	const struct sections *all = f->facts.sections;
	bool *seen =
		mem_alloc_zero(symbols_count(f->index->symbols, CLASS_LOCK) + 1, sizeof(*seen));

	for (uint32_t n = 1; n <= f->cone->count; n++) {
		uint32_t event = f->cone->event[n];

		if (!all->at[event])
			continue;
		const struct section *s = &all->all.at[all->at[event] - 1];

		if (s->acquire != event)
			continue;
		if (!seen[s->lock])
			put_open_sections(f, s->lock);
		seen[s->lock] = true;
		put_section(f, s);
	}
	mem_free(seen);
}

static void put_writes(struct formula *f)
{
	for (uint32_t n = 1; n <= f->cone->count; n++) {
		const struct event *e = &f->index->events[f->cone->event[n]];

		for (uint32_t i = 0; formula_is_write(e) && i < event_part_count(e); i++)
			precedence_write(f->order, event_part(e, i).variable, n);
	}
}

void formula_rules(struct formula *f)
{
	put_fixed(f);
	put_sections(f);
	put_writes(f);
}
