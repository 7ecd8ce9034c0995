/* SPDX-License-Identifier: MIT */
/*
 * cp: r1 → a2 if some e1 and e2 conflict or are ordered by CP or MHB; composed with HB on both
 * sides. What a section contains decides on its beginning, so nothing is known before
 * its end: sections are gathered, and when all is over the edges are sought until no more
 * are found.
 *
 * x comes before y in CP if there is an edge r1 → a2 with x ≤HB r1 and a2 ≤HB y. (Two edges in
 * a row give nothing new: CP is within HB, so the first one already reaches y.) It is enough
 * to know, for each section and each other thread, the latest section of that thread from
 * which it has an edge.
 */
#include "order/records.h"

#include "base/sorted.h"
#include "order/section_log.h"

struct cp_section {
	uint32_t thread, slot, lock;
	bool shared;
	uint32_t acquire_time;
	uint32_t acquire_item; /* items count the steps that the order sees */
	uint32_t end_item;
	struct clock hb, mhb;	 /* at its end */
	bool left;		 /* it has ended: edges can start from it */
	VEC(uint32_t) conflicts; /* sections before, by other threads, that conflict */
	VEC(uint32_t) edges;	 /* by slot: section + 1 of the latest edge's start */
};

/* All sections on a lock by one slot, in order. */
struct cp_list {
	uint32_t slot;
	VEC(uint32_t) sections;
};

struct cp_lock {
	VEC(struct cp_list) lists;
};

/* The edges that end in one thread, as they come: what is known from each on. */
struct cp_arrival {
	uint32_t time, item;
	struct clock known;
};

struct cp_thread {
	VEC(struct cp_arrival) arrivals;
};

struct cp {
	struct order order;
	VEC(struct cp_section) sections; /* in the order in which they began */
	VEC(struct cp_lock) locks;
	VEC(struct cp_thread) threads; /* by slot */
	struct touches touches;	       /* references are section + 1 */
};

static void cp_acquire(struct order *o, struct actor *t, struct open_section *h)
{
	struct cp *cp = (struct cp *)o;
	struct cp_section section = {.thread = t->thread,
				     .slot = t->slot,
				     .lock = h->lock,
				     .shared = h->shared,
				     .acquire_time = h->acquire_time,
				     .acquire_item = o->items++};
	uint32_t number = (uint32_t)cp->sections.n;

	vec_push(&cp->sections, section);
	h->section = number + 1;
	vec_extend(&cp->locks, (size_t)h->lock + 1);
	struct cp_lock *lock = &cp->locks.at[h->lock];
	size_t i = 0;

	while (i < lock->lists.n && lock->lists.at[i].slot != t->slot)
		i++;
	if (i == lock->lists.n) {
		struct cp_list fresh = {.slot = t->slot};

		vec_push(&lock->lists, fresh);
	}
	vec_push(&lock->lists.at[i].sections, number);
}

/* In a window, sections may have begun before it: they are not known here. */
static struct cp_section *section_of(struct cp *cp, const struct open_section *h)
{
	uint64_t number = h->section;

	return number ? &cp->sections.at[number - 1] : NULL;
}

static void end_section(struct cp *cp, const struct actor *t, struct cp_section *section)
{
	struct order *o = &cp->order;

	section->end_item = o->items++;
	clock_copy(&section->hb, &order_knows(o, t)->clock[0]);
	clock_copy(&section->mhb, &o->front->mhb.slots.at[t->slot].clock[0]);
}

static void cp_release(struct order *o, struct actor *t, struct open_section *h)
{
	struct cp_section *section = section_of((struct cp *)o, h);

	if (section) {
		end_section((struct cp *)o, t, section);
		section->left = true;
	}
}

static void note_conflicts(const struct cp *cp, struct cp_section *section, const struct actor *t,
			   const struct open_section *h, uint32_t list)
{
	TOUCH_EACH (other, &cp->touches, list)
		if (other->thread != t->thread && !(other->shared && h->shared))
			vec_push(&section->conflicts, (uint32_t)other->section - 1);
}

static void cp_access(struct order *o, struct actor *t, const struct access *a)
{
	struct cp *cp = (struct cp *)o;

	o->items++;
	for (size_t i = 0; a->counts && i < t->open.n; i++) {
		const struct open_section *h = &t->open.at[i];
		struct cp_section *section = section_of(cp, h);

		if (!section)
			continue;
		struct touch_key *key = touches_of(&cp->touches, h->lock, a->variable);

		note_conflicts(cp, section, t, h, key->writers);
		if (a->writes) {
			note_conflicts(cp, section, t, h, key->readers);
			touches_add(&cp->touches, &key->writers, t->thread, h->shared, h->section);
		}
		if (a->reads)
			touches_add(&cp->touches, &key->readers, t->thread, h->shared, h->section);
	}
}

/* Does the section have a later edge from this slot now? */
static bool add_edge(struct cp *cp, struct cp_section *to, uint32_t from)
{
	uint32_t slot = cp->sections.at[from].slot;

	vec_extend(&to->edges, (size_t)slot + 1);
	if (to->edges.at[slot] > from)
		return false;
	to->edges.at[slot] = from + 1;
	return true;
}

/* Sums up the edges: for each thread, what is known after each section that has some. */
static void arrange_arrivals(struct cp *cp)
{
	for (size_t i = 0; i < cp->threads.n; i++) {
		for (size_t k = 0; k < cp->threads.at[i].arrivals.n; k++)
			clock_release(&cp->threads.at[i].arrivals.at[k].known);
		cp->threads.at[i].arrivals.n = 0;
	}
	for (size_t i = 0; i < cp->sections.n; i++) {
		const struct cp_section *section = &cp->sections.at[i];

		if (!section->edges.n)
			continue;
		vec_extend(&cp->threads, (size_t)section->slot + 1);
		struct cp_thread *t = &cp->threads.at[section->slot];
		struct cp_arrival arrival = {section->acquire_time, section->acquire_item, {0}};

		if (t->arrivals.n)
			clock_copy(&arrival.known, &t->arrivals.at[t->arrivals.n - 1].known);
		for (size_t slot = 0; slot < section->edges.n; slot++)
			if (section->edges.at[slot])
				clock_join(&arrival.known,
					   &cp->sections.at[section->edges.at[slot] - 1].hb);
		vec_push(&t->arrivals, arrival);
	}
}

/* What CP knows where HB knows `hb`: all edges that end there or before. */
static void known_at(const struct cp *cp, uint32_t slot, uint32_t item, const struct clock *hb,
		     struct clock *known)
{
	known->n = 0;
	for (uint32_t other = 0; other < cp->threads.n; other++) {
		const struct cp_thread *t = &cp->threads.at[other];
		const struct cp_arrival *a = t->arrivals.at;
		size_t before = LOWER_BOUND(i, 0, t->arrivals.n,
					    other == slot ? a[i].item <= item
							  : a[i].time <= clock_get(hb, other));

		if (before)
			clock_join(known, &a[before - 1].known);
	}
}

/* Edges to a section from all those on its lock whose beginning is known at its end. */
static bool find_edges(struct cp *cp, struct cp_section *to, const struct clock *known)
{
	const struct cp_lock *lock = &cp->locks.at[to->lock];
	bool found = false;

	for (size_t i = 0; i < lock->lists.n; i++) {
		const struct cp_list *list = &lock->lists.at[i];
		uint32_t time = clock_get(known, list->slot);
		uint32_t mhb = clock_get(&to->mhb, list->slot);

		time = mhb > time ? mhb : time;
		/* the latest that began by then, and that has ended and excludes this one */
		for (size_t k = list->sections.n; k-- > 0;) {
			uint32_t number = list->sections.at[k];
			const struct cp_section *from = &cp->sections.at[number];

			if (from->acquire_time > time || number >= (size_t)(to - cp->sections.at) ||
			    from->thread == to->thread || !from->left ||
			    (from->shared && to->shared))
				continue;
			found |= add_edge(cp, to, number);
			break;
		}
	}
	return found;
}

static void find_all_edges(struct cp *cp)
{
	struct clock known = {0};
	bool found = true;

	for (size_t i = 0; i < cp->sections.n; i++)
		for (size_t k = 0; k < cp->sections.at[i].conflicts.n; k++)
			add_edge(cp, &cp->sections.at[i], cp->sections.at[i].conflicts.at[k]);
	while (found) {
		found = false;
		arrange_arrivals(cp);
		for (size_t i = 0; i < cp->sections.n; i++) {
			struct cp_section *section = &cp->sections.at[i];

			known_at(cp, section->slot, section->end_item, &section->hb, &known);
			found |= find_edges(cp, section, &known);
		}
	}
	clock_release(&known);
}

static void start_anew(struct cp *cp)
{
	for (size_t i = 0; i < cp->sections.n; i++) {
		struct cp_section *s = &cp->sections.at[i];

		clock_release(&s->hb);
		clock_release(&s->mhb);
		vec_release(&s->conflicts);
		vec_release(&s->edges);
	}
	for (size_t i = 0; i < cp->locks.n; i++) {
		for (size_t k = 0; k < cp->locks.at[i].lists.n; k++)
			vec_release(&cp->locks.at[i].lists.at[k].sections);
		vec_release(&cp->locks.at[i].lists);
	}
	for (size_t i = 0; i < cp->threads.n; i++) {
		for (size_t k = 0; k < cp->threads.at[i].arrivals.n; k++)
			clock_release(&cp->threads.at[i].arrivals.at[k].known);
		vec_release(&cp->threads.at[i].arrivals);
	}
	cp->sections.n = 0;
	cp->locks.n = 0;
	cp->threads.n = 0;
	touches_release(&cp->touches);
	memset(&cp->touches, 0, sizeof(cp->touches));
}

static void cp_settle(struct order *o, struct records *records)
{
	struct cp *cp = (struct cp *)o;
	const struct front *f = o->front;

	/* what is still open ends with what its thread did last */
	for (size_t i = 0; i < f->actors.n; i++)
		for (size_t k = 0; k < f->actors.at[i].open.n; k++) {
			struct open_section *h = &f->actors.at[i].open.at[k];
			struct cp_section *section = section_of(cp, h);

			if (section)
				end_section(cp, &f->actors.at[i], section);
			h->section = 0;
		}
	find_all_edges(cp);
	for (size_t i = 0; i < records->all.n; i++) {
		struct record *record = &records->all.at[i];
		struct clock known = {0};

		known_at(cp, record->slot, record->item, &records->clocks.at[record->clock],
			 &known);
		record->clock = records_keep(records, &known);
		clock_release(&known);
	}
	start_anew(cp);
}

static void cp_finish(struct order *o)
{
	struct cp *cp = (struct cp *)o;

	start_anew(cp);
	vec_release(&cp->sections);
	vec_release(&cp->locks);
	vec_release(&cp->threads);
}

const struct order_kind order_cp = {
	.name = "cp",
	.title = "causally-precedes",
	.size = sizeof(struct cp),
	.clocks = 1,
	.hb = true,
	.acquire = cp_acquire,
	.release = cp_release,
	.access = cp_access,
	.settle = cp_settle,
	.finish = cp_finish,
};
