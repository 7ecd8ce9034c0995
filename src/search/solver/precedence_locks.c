/* SPDX-License-Identifier: MIT */
/*
 * Sections of a lock: if A begins before B ends, and both begin in the execution, then A ends
 * before B begins. Of a thread's sections only the first one that this holds for matters; the
 * others come after it.
 */
#include "search/solver/precedence_parts.h"

static uint32_t lock_number(struct precedence *p, uint32_t lock)
{
	uint32_t number = intern_add(&p->lock_keys, (const char *)&lock, sizeof(lock));

	vec_extend(&p->locks, (size_t)number + 1);
	return number;
}

void precedence_section(struct precedence *p, const struct precedence_section *s)
{
	uint32_t number = (uint32_t)p->sections.n, lock = lock_number(p, s->lock);
	struct precedence_lock *l = &p->locks.at[lock];

	vec_push(&p->sections, *s);
	p->sections.at[number].lock = lock;
	if (s->acquire == p->start) {
		vec_push(&l->held, number);
		return;
	}
	precedence_entries_add(&l->all, s->acquire, number);
	if (!s->shared)
		precedence_entries_add(&l->exclusive, s->acquire, number);
	p->roles[s->acquire].section = number + 1;
}

static const struct entries *sections_against(const struct precedence *p, uint32_t section)
{
	const struct precedence_section *s = &p->sections.at[section];
	const struct precedence_lock *l = &p->locks.at[s->lock];

	return s->shared ? &l->exclusive : &l->all;
}

static bool is_in_chain(const struct precedence *p, const struct entries *e, size_t place,
			uint32_t chain)
{
	return place < e->at.n && p->reach->chain[e->at.at[place].node] == chain;
}

/* The first section in the chain that ends at this node or behind it: 1 + its number, or 0. */
static uint32_t find_ending(const struct precedence *p, const struct entries *e, uint32_t node,
			    uint32_t chain)
{
	uint32_t end = p->reach->ends[chain];
	size_t next = precedence_entries_find(e, node < end ? node : end);

	if (next && is_in_chain(p, e, next - 1, chain)) {
		uint32_t before = e->at.at[next - 1].number;
		uint32_t release = p->sections.at[before].release;

		if (release == p->cut || release >= node)
			return before + 1;
	}
	return is_in_chain(p, e, next, chain) ? e->at.at[next].number + 1 : 0;
}

/* A begins before B ends; both happen. */
static bool exclude(struct precedence *p, const struct precedence_section *a,
		    const struct precedence_section *b)
{
	struct reach_reason reason = {
		.ways = {{a->acquire, b->release}, {b->acquire, p->cut}, {a->acquire, p->cut}}};

	return precedence_derive(p, a->release, b->acquire, &reason);
}

bool precedence_locks_before(struct precedence *p, uint32_t acquire, uint32_t chain)
{
	uint32_t section = p->roles[acquire].section - 1;

	if (!happens(p, acquire) || chain == p->reach->chain[acquire])
		return true;
	uint32_t other = find_ending(p, sections_against(p, section),
				     reach_first(p->reach, acquire, chain), chain);

	return !other || !happens(p, p->sections.at[other - 1].acquire) ||
	       exclude(p, &p->sections.at[section], &p->sections.at[other - 1]);
}

/* Sections in the chain that begin before this one ends, as far as they happen: the last one. */
static bool locks_after(struct precedence *p, uint32_t section, uint32_t chain)
{
	const struct precedence_section *s = &p->sections.at[section];
	const struct entries *e = sections_against(p, section);
	uint32_t last = reach_last(p->reach, s->release, chain);
	uint32_t happened = reach_last(p->reach, p->cut, chain);
	size_t next = precedence_entries_find(e, (last < happened ? last : happened) + 1);

	return !next || !is_in_chain(p, e, next - 1, chain) ||
	       exclude(p, &p->sections.at[e->at.at[next - 1].number], s);
}

bool precedence_locks_happen(struct precedence *p, uint32_t acquire)
{
	uint32_t section = p->roles[acquire].section - 1;
	const struct precedence_section *s = &p->sections.at[section];
	const struct precedence_lock *l = &p->locks.at[s->lock];

	for (uint32_t c = 0; c + 1 < p->reach->chains; c++)
		if (c != p->reach->chain[acquire] &&
		    !(precedence_locks_before(p, acquire, c) && locks_after(p, section, c)))
			return false;
	for (size_t i = 0; i < l->held.n; i++) {
		const struct precedence_section *held = &p->sections.at[l->held.at[i]];

		if (held->thread != s->thread && !(held->shared && s->shared) &&
		    !exclude(p, held, s))
			return false;
	}
	return true;
}
