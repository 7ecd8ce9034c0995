/* SPDX-License-Identifier: MIT */
/* The rules of the graph: sections, last writers, and what other objects ask for. */
#include "search/greedy/graph.h"

#include "base/sorted.h"

#include <stdlib.h>

static int compare_items(const void *a, const void *b)
{
	const struct greedy_graph_item *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static void add_item(struct greedy_graph_items *items, uint32_t object, uint32_t thread,
		     uint32_t position, uint32_t number)
{
	struct greedy_graph_item item = {object, thread, position, number};

	vec_push(&items->all, item);
}

static void make_groups(struct greedy_graph_items *items)
{
	items->groups.n = 0;
	if (items->all.n)
		qsort(items->all.at, items->all.n, sizeof(*items->all.at), compare_items);
	for (uint32_t i = 0; i < items->all.n; i++) {
		const struct greedy_graph_item *item = &items->all.at[i];
		struct greedy_graph_group *last =
			items->groups.n ? &items->groups.at[items->groups.n - 1] : NULL;

		if (last && last->object == item->object && last->thread == item->thread) {
			last->count++;
			continue;
		}
		struct greedy_graph_group group = {item->object, item->thread, i, 1};

		vec_push(&items->groups, group);
	}
}

/* The first group of the object, or where it would be. */
static size_t find_groups(const struct greedy_graph_items *items, uint32_t object)
{
	return LOWER_BOUND(i, 0, items->groups.n, items->groups.at[i].object < object);
}

/* How many items of the group are before this position. */
static uint32_t count_before(const struct greedy_graph_items *items,
			     const struct greedy_graph_group *group, uint32_t position)
{
	return LOWER_BOUND(i, 0, group->count, items->all.at[group->first + i].position < position);
}

static void find_writes(struct greedy_graph *g, uint32_t n)
{
	const struct event *e = &g->set->index->events[n];

	if (!event_is(e, EV_STORES) || !event_is(e, EV_VALUE) || greedy_set_may_skip(g->set, n))
		return;
	for (uint32_t i = 0; i < event_part_count(e); i++)
		add_item(&g->writes, event_part(e, i).variable, e->thread,
			 g->set->index->position[n], n);
}

static void add_section(struct greedy_graph *g, uint32_t number)
{
	const struct section *s = &g->set->facts->sections->all.at[number];

	add_item(&g->sections, s->lock, s->thread, g->set->index->position[s->acquire], number);
}

static bool is_closed(const struct greedy_graph *g, const struct section *s)
{
	return s->release && greedy_set_has(g->set, s->release);
}

/* Sections that begin among the nodes, or begin before and end among them or never. */
void greedy_graph_find_items(struct greedy_graph *g, const struct event_list *list)
{
	const struct sections *sections = g->set->facts->sections;
	const struct greedy_set *set = g->set;

	g->sections.all.n = g->writes.all.n = 0;
	for (size_t i = 0; g->clocks.n && i < list->at.n; i++) {
		uint32_t n = list->at.at[i], at = sections->at[n];

		find_writes(g, n);
		if (at && !greedy_set_may_skip(set, n) &&
		    (sections->all.at[at - 1].acquire == n ||
		     !greedy_graph_has(g, sections->all.at[at - 1].acquire)))
			add_section(g, at - 1);
	}
	for (size_t i = 0; g->clocks.n && i < set->used_locks.n; i++) {
		const struct greedy_set_lock *l = &set->locks[set->used_locks.at[i]];

		for (size_t j = 0; j < l->uses.n; j++) {
			const struct section *s = &sections->all.at[l->uses.at[j].section];

			if (!greedy_graph_has(g, s->acquire) && !is_closed(g, s))
				add_section(g, l->uses.at[j].section);
		}
	}
	make_groups(&g->sections);
	make_groups(&g->writes);
}

/* The last event of the section in the set. */
static uint32_t end_of(const struct greedy_graph *g, const struct section *s)
{
	if (is_closed(g, s))
		return s->release;
	return g->set->index->threads[s->thread].events[g->set->cut[s->thread] - 1];
}

/* Section a comes before section b; false: the set grew, or cannot. */
static bool put_before(struct greedy_graph *g, const struct section *a, const struct section *b)
{
	if (is_closed(g, a)) {
		greedy_graph_add(g, a->release, b->acquire);
		return true;
	}
	if (a->release)
		greedy_set_add(g->set, a->release);
	else
		g->set->failed = a->acquire;
	return false;
}

/* Of the sections of another thread those that have to begin before b ends come before it. */
static bool order_sections(struct greedy_graph *g, const struct section *b,
			   const struct greedy_graph_group *others)
{
	const struct sections *sections = g->set->facts->sections;
	uint32_t before = greedy_graph_before(g, end_of(g, b), others->thread);
	uint32_t i = count_before(&g->sections, others, before);

	while (i-- > 0) {
		uint32_t number = g->sections.all.at[others->first + i].number;
		const struct section *a = &sections->all.at[number];

		if (sections_exclude(a, b))
			return put_before(g, a, b);
	}
	return true;
}

static bool apply_lock_rule(struct greedy_graph *g)
{
	const struct greedy_graph_items *items = &g->sections;
	size_t last = 0;

	for (size_t i = 0; i < items->groups.n; i++) {
		const struct greedy_graph_group *group = &items->groups.at[i];

		if (items->groups.at[last].object != group->object)
			last = i;
		for (size_t j = last;
		     j < items->groups.n && items->groups.at[j].object == group->object; j++) {
			for (uint32_t k = 0; j != i && k < group->count && !g->cycle; k++) {
				uint32_t number = items->all.at[group->first + k].number;

				if (!order_sections(g, &g->set->facts->sections->all.at[number],
						    &items->groups.at[j]))
					return false;
			}
		}
	}
	return true;
}

/* What the write leaves in the variable counts as the same, where models look at values. */
static bool is_same(const struct greedy_graph *g, uint32_t write, uint32_t variable, int64_t value)
{
	const struct event *e = &g->set->index->events[write];

	for (uint32_t i = 0; g->set->model != MODEL_PREDICTABLE && i < event_part_count(e); i++) {
		struct part part = event_part(e, i);

		if (part.variable == variable)
			return (e->kind == EV_RMW ? part.written : part.value) == value;
	}
	return false;
}

static bool comes_before(const struct greedy_graph *g, uint32_t x, uint32_t y)
{
	return greedy_graph_before(g, y, g->set->index->events[x].thread) >
	       g->set->index->position[x];
}

/* No write of this thread comes between the kept read and the write that it reads. */
static void order_writes(struct greedy_graph *g, uint32_t read, uint32_t writer, struct part wanted,
			 const struct greedy_graph_group *group)
{
	const struct greedy_graph_item *items = g->writes.all.at + group->first;
	uint32_t before =
		count_before(&g->writes, group, greedy_graph_before(g, read, group->thread));

	for (uint32_t i = before; i-- > 0;) {
		uint32_t w = items[i].number;

		if (w == writer)
			break;
		if (is_same(g, w, wanted.variable, wanted.value))
			continue;
		if (writer)
			greedy_graph_add(g, w, writer);
		else
			g->cycle = true;
		break;
	}
	for (uint32_t i = 0; i < group->count; i++) {
		uint32_t w = items[i].number;

		if (w == writer || w == read || is_same(g, w, wanted.variable, wanted.value) ||
		    (writer && !comes_before(g, writer, w)))
			continue;
		greedy_graph_add(g, read, w);
		break;
	}
}

static void apply_writer_rule(struct greedy_graph *g, uint32_t read)
{
	const struct index *index = g->set->index;

	for (uint32_t p = index->parts[read]; p < index->parts[read + 1]; p++) {
		struct part wanted = event_part(&index->events[read], p - index->parts[read]);
		uint32_t writer = greedy_set_source(g->set, read, p);

		if (writer == SOURCE_ANY)
			continue;
		for (size_t i = find_groups(&g->writes, wanted.variable);
		     i < g->writes.groups.n && g->writes.groups.at[i].object == wanted.variable &&
		     !g->cycle;
		     i++)
			order_writes(g, read, writer, wanted, &g->writes.groups.at[i]);
	}
}

bool greedy_graph_apply_rules(struct greedy_graph *g)
{
	for (size_t i = 0; i < g->set->kept_list.n && !g->cycle; i++) {
		uint32_t read = g->set->kept_list.at[i];

		if (greedy_graph_has(g, read))
			apply_writer_rule(g, read);
	}
	return g->cycle || apply_lock_rule(g);
}

/* A section that is open at the end comes after all that it excludes. */
static void add_open(struct greedy_graph *g, const struct greedy_set_lock *l,
		     const struct section *open)
{
	const struct sections *sections = g->set->facts->sections;

	for (size_t i = 0; i < l->uses.n; i++) {
		const struct greedy_set_use *use = &l->uses.at[i];
		const struct section *other = &sections->all.at[use->section];

		if (!sections_exclude(other, open) && use->writer != NO_SECTION)
			other = &sections->all.at[use->writer];
		if (sections_exclude(other, open) && is_closed(g, other))
			greedy_graph_add(g, other->release, open->acquire);
	}
}

static void add_all_open(struct greedy_graph *g)
{
	const struct greedy_set *set = g->set;

	for (size_t i = 0; i < set->used_locks.n; i++) {
		const struct greedy_set_lock *l = &set->locks[set->used_locks.at[i]];

		for (size_t j = 0; j < l->uses.n; j++) {
			const struct section *s =
				&set->facts->sections->all.at[l->uses.at[j].section];

			if (set->kind == SET_MUST ? greedy_set_stays_open(set, s)
						  : !is_closed(g, s))
				add_open(g, l, s);
		}
	}
}

/* Accesses come before the free. */
static void add_free(struct greedy_graph *g, uint32_t n)
{
	const struct event *e = &g->set->index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		const struct index_list *list =
			&g->set->index->uses[CLASS_VARIABLE][event_part(e, i).variable];

		for (uint32_t j = 0; j < list->count; j++)
			if (list->events[j] != n && greedy_set_has(g->set, list->events[j]))
				greedy_graph_add(g, list->events[j], n);
	}
}

/* The other uses of an object stay on the side of event n on which they were recorded. */
static void stay_apart(struct greedy_graph *g, uint32_t n)
{
	const struct event *e = &g->set->index->events[n];
	const struct index_list *list = &g->set->index->uses[event_kind_class[e->kind]][e->object];

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t other = list->events[i];

		if (other < n)
			greedy_graph_add(g, other, n);
		else if (other > n)
			greedy_graph_add(g, n, other);
	}
}

static void add_round(struct greedy_graph *g, uint32_t n)
{
	const struct index *index = g->set->index;
	uint32_t barrier = index->events[n].object;
	const struct index_list *enters = &g->set->facts->enters[barrier];
	uint64_t parties = index->symbols->barriers.at[barrier].parties;
	uint64_t first = (index->round[n] + (uint64_t)1) * parties;

	for (uint64_t i = first; i < first + parties && i < enters->count; i++)
		greedy_graph_add(g, n, enters->events[i]);
}

/* As recorded, where a set asks for that: semaphores, conditions, barriers, try-fail. */
static void add_recorded(struct greedy_graph *g, uint32_t n)
{
	const struct greedy_facts *facts = g->set->facts;
	uint32_t partner = facts->partner[n];

	switch (g->set->index->events[n].kind) {
	case EV_TRY_FAIL:
		greedy_graph_add(g, partner, n);
		if (facts->sections->all.at[facts->sections->at[partner] - 1].release)
			greedy_graph_add(
				g, n,
				facts->sections->all.at[facts->sections->at[partner] - 1].release);
		break;
	case EV_SEM_WAIT:
		if (partner)
			greedy_graph_add(g, partner, n);
		break;
	case EV_SEM_FAIL:
	case EV_BROADCAST: stay_apart(g, n); break;
	case EV_SIGNAL: {
		uint32_t i = index_first_wake(g->set->index, n);

		if (i == g->set->index->wake_count || g->set->index->wakes[i].by != n)
			stay_apart(g, n);
		break;
	}
	case EV_BARRIER_ENTER: add_round(g, n); break;
	default: break;
	}
}

/* Must sets: the try comes while the only section that it can have met is open. */
static void add_only_holder(struct greedy_graph *g, uint32_t try)
{
	uint32_t count;
	const struct section *holder = greedy_set_only_holder(g->set, try, &count);

	if (!holder)
		return;
	greedy_graph_add(g, holder->acquire, try);
	if (holder->release)
		greedy_graph_add(g, try, holder->release);
}

void greedy_graph_add_objects(struct greedy_graph *g, const struct event_list *list)
{
	add_all_open(g);
	for (size_t i = 0; i < list->at.n && !g->cycle; i++) {
		if (g->set->index->events[list->at.at[i]].kind == EV_FREE)
			add_free(g, list->at.at[i]);
		if (g->set->kind != SET_MUST)
			add_recorded(g, list->at.at[i]);
		else if (g->set->index->events[list->at.at[i]].kind == EV_TRY_FAIL)
			add_only_holder(g, list->at.at[i]);
	}
}
