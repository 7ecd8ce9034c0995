/* SPDX-License-Identifier: MIT */
#include "search/greedy/moved.h"

#include <string.h>

/* What was moved of an object. */
#define MOVED_SHARED 1	/* lock: the end of a section, of which the begin stays */
#define MOVED_SECTION 2 /* … that is not shared */
#define MOVED_TRY 4	/* lock: a try-fail */
#define MOVED_COUNT 8	/* semaphore: a post or a wait */
#define MOVED_ALL 16	/* all its later uses are */

void greedy_moved_init(struct greedy_moved *m, const struct greedy_set *set)
{
	const struct symbols *symbols = set->index->symbols;
	size_t variables = symbols_count(symbols, CLASS_VARIABLE);

	memset(m, 0, sizeof(*m));
	m->set = set;
	m->start = mem_alloc_zero(set->index->thread_count, sizeof(*m->start));
	m->spared = mem_alloc_zero(variables, sizeof(*m->spared));
	m->accessed = mem_alloc_zero(variables, sizeof(*m->accessed));
	for (int c = CLASS_LOCK; c <= CLASS_SEMAPHORE; c++)
		m->objects[c] = mem_alloc_zero(symbols_count(symbols, c), 1);
}

void greedy_moved_release(struct greedy_moved *m)
{
	mem_free(m->start);
	mem_free(m->spared);
	mem_free(m->accessed);
	vec_release(&m->variables);
	vec_release(&m->seeds);
	for (int c = 0; c < CLASS_COUNT; c++)
		mem_free(m->objects[c]);
}

void greedy_moved_add(struct greedy_moved *m, uint32_t event)
{
	vec_push(&m->seeds, event);
}

/* A section that is left open has to move if the set has a later one that it excludes. */
static void seed_section(struct greedy_moved *m, const struct greedy_set_lock *l,
			 const struct section *open)
{
	const struct sections *sections = m->set->facts->sections;

	for (size_t i = 0; i < l->uses.n; i++) {
		const struct greedy_set_use *use = &l->uses.at[i];
		const struct section *last = &sections->all.at[use->section];
		const struct section *writer =
			use->writer == NO_SECTION ? last : &sections->all.at[use->writer];

		if ((sections_exclude(last, open) && last->acquire > open->acquire) ||
		    (sections_exclude(writer, open) && writer->acquire > open->acquire)) {
			greedy_moved_add(m, open->acquire);
			return;
		}
	}
}

/* Another source was recorded after the read; or before, and writes between them have to go. */
static void seed_source(struct greedy_moved *m, const struct greedy_set_source *source)
{
	const struct index *index = m->set->index;
	uint32_t variable =
		event_part(&index->events[source->read], source->part - index->parts[source->read])
			.variable;
	const struct index_list *list = &index->uses[CLASS_VARIABLE][variable];

	if (source->writer > source->read)
		greedy_moved_add(m, source->read);
	for (uint32_t i = 0; i < list->count && list->events[i] < source->read; i++) {
		const struct event *e = &index->events[list->events[i]];

		if (list->events[i] > source->writer && event_is(e, EV_STORES) &&
		    event_is(e, EV_VALUE) && greedy_set_has(m->set, list->events[i]))
			greedy_moved_add(m, list->events[i]);
	}
}

void greedy_moved_start(struct greedy_moved *m)
{
	const struct greedy_set *set = m->set;

	m->seeds.n = 0;
	for (size_t i = 0; i < set->used_locks.n; i++) {
		const struct greedy_set_lock *l = &set->locks[set->used_locks.at[i]];

		for (size_t j = 0; j < l->uses.n; j++) {
			const struct section *s =
				&set->facts->sections->all.at[l->uses.at[j].section];

			if (!s->release || !greedy_set_has(set, s->release))
				seed_section(m, l, s);
		}
	}
	for (size_t i = 0; i < set->sources.n; i++)
		seed_source(m, &set->sources.at[i]);
}

static bool is_moved(const struct greedy_moved *m, uint32_t n)
{
	return m->set->index->position[n] >= m->start[m->set->index->events[n].thread];
}

static uint8_t *object_of(const struct greedy_moved *m, const struct event *e)
{
	if (e->kind == EV_WOKEN)
		return &m->objects[CLASS_LOCK][e->more->lock];
	return &m->objects[event_kind_class[e->kind]][e->object];
}

static bool access_follows(const struct greedy_moved *m, uint32_t n)
{
	const struct index *index = m->set->index;
	const struct event *e = &index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t p = index->parts[n] + i, variable = event_part(e, i).variable;
		uint32_t writer = greedy_set_keeps(m->set, n) ? greedy_set_source(m->set, n, p) : 0;

		if (writer && is_moved(m, writer))
			return true;
		if (event_is(e, EV_STORES) && m->spared[variable] && n > m->spared[variable])
			return true;
		if (e->kind == EV_FREE && m->accessed[variable])
			return true;
	}
	return false;
}

/* Has the event to move, since something before it did? */
static bool follows(const struct greedy_moved *m, uint32_t n)
{
	const struct greedy_facts *facts = m->set->facts;
	const struct event *e = &m->set->index->events[n];

	for (uint32_t i = facts->needs->first[n]; i < facts->needs->first[n + 1]; i++)
		if (is_moved(m, facts->needs->events[i]))
			return true;
	switch (e->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_FREE: return access_follows(m, n);
	case EV_ACQUIRE:
	case EV_WOKEN: return *object_of(m, e) & (MOVED_SHARED | MOVED_SECTION);
	case EV_ACQUIRE_SHARED: return *object_of(m, e) & MOVED_SECTION;
	case EV_RELEASE:
	case EV_RELEASE_SHARED: return *object_of(m, e) & MOVED_TRY;
	case EV_WAIT:
		return (*object_of(m, e) & MOVED_ALL) ||
		       (m->objects[CLASS_LOCK][e->more->lock] & MOVED_TRY);
	case EV_TRY_FAIL: return is_moved(m, facts->partner[n]);
	case EV_SEM_POST: return *object_of(m, e) & MOVED_ALL;
	case EV_SEM_WAIT:
		return (*object_of(m, e) & MOVED_ALL) ||
		       (facts->partner[n] && is_moved(m, facts->partner[n]));
	case EV_SEM_FAIL: return *object_of(m, e) & (MOVED_ALL | MOVED_COUNT);
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_BARRIER_ENTER: return *object_of(m, e) & MOVED_ALL;
	default: return false;
	}
}

static void note_access(struct greedy_moved *m, uint32_t n)
{
	const struct index *index = m->set->index;
	const struct event *e = &index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t variable = event_part(e, i).variable;

		if (!m->accessed[variable])
			vec_push(&m->variables, variable);
		m->accessed[variable] = true;
		if (!greedy_set_keeps(m->set, n))
			continue;
		uint32_t writer = greedy_set_source(m->set, n, index->parts[n] + i);
		uint32_t end = writer > n ? writer : n;

		if (writer && is_moved(m, writer))
			continue;
		if (!m->spared[variable] || m->spared[variable] > end)
			m->spared[variable] = end;
	}
}

/* The end of a section is moved: if its begin is not, the lock stays taken until then. */
static void note_end(struct greedy_moved *m, uint32_t n, uint32_t lock)
{
	const struct sections *sections = m->set->facts->sections;
	uint32_t at = sections->at[n];

	if (at && !is_moved(m, sections->all.at[at - 1].acquire))
		m->objects[CLASS_LOCK][lock] |=
			sections->all.at[at - 1].shared ? MOVED_SHARED : MOVED_SECTION;
}

static void note(struct greedy_moved *m, uint32_t n)
{
	const struct event *e = &m->set->index->events[n];

	switch (e->kind) {
	case EV_RELEASE:
	case EV_RELEASE_SHARED: note_end(m, n, e->object); break;
	case EV_WAIT: note_end(m, n, e->more->lock); break;
	case EV_TRY_FAIL: *object_of(m, e) |= MOVED_TRY; break;
	case EV_SEM_POST:
	case EV_SEM_WAIT: *object_of(m, e) |= MOVED_COUNT; break;
	case EV_SEM_FAIL:
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_BARRIER_ENTER: *object_of(m, e) |= MOVED_ALL; break;
	default:
		if (event_is(e, EV_ACCESS))
			note_access(m, n);
	}
}

static void forget(struct greedy_moved *m)
{
	const struct index *index = m->set->index;

	for (size_t i = 0; i < m->variables.n; i++) {
		m->spared[m->variables.at[i]] = 0;
		m->accessed[m->variables.at[i]] = false;
	}
	m->variables.n = 0;
	for (int c = CLASS_LOCK; c <= CLASS_SEMAPHORE; c++)
		if (symbols_count(index->symbols, c))
			memset(m->objects[c], 0, symbols_count(index->symbols, c));
	for (uint32_t t = 0; t < index->thread_count; t++)
		m->start[t] = m->set->cut[t];
}

bool greedy_moved_find(struct greedy_moved *m, struct event_list *list, struct event_list *tail)
{
	const struct index *index = m->set->index;
	uint32_t first = UINT32_MAX;
	size_t kept = 0;

	forget(m);
	for (size_t i = 0; i < m->seeds.n; i++) {
		uint32_t n = m->seeds.at[i];

		if (!greedy_set_has(m->set, n))
			continue;
		if (n < m->set->base)
			return false;
		if (!is_moved(m, n))
			m->start[index->events[n].thread] = index->position[n];
		first = n < first ? n : first;
	}
	tail->at.n = 0;
	while (kept < list->at.n && list->at.at[kept] < first)
		kept++;
	for (size_t i = kept; i < list->at.n; i++) {
		uint32_t n = list->at.at[i];

		if (!is_moved(m, n)) {
			if (!follows(m, n)) {
				list->at.at[kept++] = n;
				continue;
			}
			m->start[index->events[n].thread] = index->position[n];
		}
		vec_push(&tail->at, n);
		note(m, n);
	}
	list->at.n = kept;
	return true;
}
