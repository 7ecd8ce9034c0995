/* SPDX-License-Identifier: MIT */
/*
 * What objects ask of a set. Sections exclude each other in every execution. For the rest
 * (semaphores, conditions, barriers, try-fail) many ways may lead on: recorded and moved sets take
 * the recorded one, must sets only what no way can do without.
 */
#include "search/greedy/set.h"

static const struct section *section_at(const struct greedy_set *s, uint32_t section)
{
	return &s->facts->sections->all.at[section];
}

static bool is_closed(const struct greedy_set *s, const struct section *section)
{
	return section->release && greedy_set_has(s, section->release);
}

static bool close_section(struct greedy_set *s, const struct section *section)
{
	s->now.event = section->acquire;
	s->now.part = NO_PART;
	if (section->release)
		return greedy_set_include(s, section->release);
	s->failed = section->acquire;
	return false;
}

/* Recorded order: of two sections that exclude each other the earlier one is closed. */
static bool close_earlier(struct greedy_set *s, uint32_t a, uint32_t b)
{
	const struct section *x = section_at(s, a), *y = section_at(s, b);

	if (!sections_exclude(x, y))
		return true;
	return close_section(s, x->acquire < y->acquire ? x : y);
}

static struct greedy_set_use *find_use(struct greedy_set *s, uint32_t lock, uint32_t thread)
{
	struct greedy_set_lock *l = &s->locks[lock];

	for (size_t i = 0; i < l->uses.n; i++)
		if (l->uses.at[i].thread == thread)
			return &l->uses.at[i];
	if (!l->uses.n)
		vec_push(&s->used_locks, lock);
	struct greedy_set_use use = {thread, NO_SECTION, NO_SECTION};

	vec_push(&l->uses, use);
	return &l->uses.at[l->uses.n - 1];
}

const struct section *greedy_set_held(const struct greedy_set *s, uint32_t lock, uint32_t thread)
{
	const struct greedy_set_lock *l = &s->locks[lock];

	for (size_t i = 0; i < l->uses.n; i++) {
		const struct section *section = section_at(s, l->uses.at[i].section);

		if (l->uses.at[i].thread == thread && greedy_set_stays_open(s, section))
			return section;
	}
	return NULL;
}

/*
 * Two sections that exclude each other are in the set: not both can be open at the end.
 * Which, if neither has to be, is a choice: the later one in the trace.
 */
static bool close_one(struct greedy_set *s, const struct section *x, const struct section *y)
{
	if (greedy_set_stays_open(s, x))
		return close_section(s, y);
	if (greedy_set_stays_open(s, y))
		return close_section(s, x);
	if (s->kind == SET_MUST)
		return true;
	if (y->acquire < x->acquire) {
		const struct section *later = x;

		x = y;
		y = later;
	}
	if (!is_closed(s, x) && (!is_closed(s, y) || s->close_all))
		return close_section(s, x);
	return true;
}

/* A must set: only what stays open asks for anything, and that at once. */
static bool enter_must(struct greedy_set *s, const struct greedy_set_lock *l,
		       const struct section *section)
{
	for (size_t i = 0; i < l->uses.n; i++) {
		const struct section *other = section_at(s, l->uses.at[i].section);

		if (sections_exclude(section, other) && !close_one(s, section, other))
			return false;
	}
	return true;
}

static bool enter(struct greedy_set *s, uint32_t number)
{
	const struct section *section = section_at(s, number);
	struct greedy_set_lock *l = &s->locks[section->lock];
	struct greedy_set_use *use = find_use(s, section->lock, section->thread);

	/* sections are numbered by their begins */
	if (use->section == NO_SECTION || use->section < number)
		use->section = number;
	if (!section->shared && (use->writer == NO_SECTION || use->writer < number))
		use->writer = number;
	if (s->kind == SET_MUST)
		return enter_must(s, l, section);
	if (s->kind == SET_MOVED) {
		if (!l->dirty)
			vec_push(&s->dirty, section->lock);
		l->dirty = true;
		return true;
	}
	for (size_t i = 0; i < l->uses.n; i++) {
		const struct greedy_set_use *other = &l->uses.at[i];

		if (other->thread == section->thread)
			continue;
		if (!close_earlier(s, number, other->section) ||
		    (other->writer != NO_SECTION && !close_earlier(s, number, other->writer)))
			return false;
	}
	return true;
}

/* As many posts as the waits in the set need at least; if there are no more, all of them. */
static bool find_tokens(struct greedy_set *s, uint32_t semaphore)
{
	const struct index_list *list = &s->index->uses[CLASS_SEMAPHORE][semaphore];
	uint64_t start = s->index->symbols->semaphores.at[semaphore].count;
	uint64_t waits = s->semaphores[semaphore].waits, posts = 0;

	if (waits <= start || list->count > greedy_tune.uses_most)
		return true;
	for (uint32_t i = 0; i < list->count; i++)
		posts += s->index->events[list->events[i]].kind == EV_SEM_POST &&
			 greedy_set_can_have(s, list->events[i]);
	if (posts < waits - start)
		s->failed = list->events[0];
	for (uint32_t i = 0; posts == waits - start && i < list->count; i++)
		if (s->index->events[list->events[i]].kind == EV_SEM_POST &&
		    greedy_set_can_have(s, list->events[i]) &&
		    !greedy_set_include(s, list->events[i]))
			return false;
	return posts >= waits - start;
}

/* A must set: the only section that can have held the lock when the try failed, or NULL. */
const struct section *greedy_set_only_holder(const struct greedy_set *s, uint32_t try,
					     uint32_t *count)
{
	const struct sections *sections = s->facts->sections;
	const struct event *e = &s->index->events[try];
	uint32_t first = sections->first[e->object], end = sections->first[e->object + 1];
	const struct section *found = NULL;

	*count = end - first;
	if (end - first > greedy_tune.uses_most)
		return NULL;
	*count = 0;
	for (uint32_t i = first; i < end; i++) {
		const struct section *section = section_at(s, sections->of_lock[i]);

		if (section->thread == e->thread || !greedy_set_can_have(s, section->acquire))
			continue;
		found = section;
		++*count;
	}
	return *count == 1 ? found : NULL;
}

static bool find_holder(struct greedy_set *s, uint32_t try)
{
	uint32_t count;
	const struct section *holder = greedy_set_only_holder(s, try, &count);

	if (!count)
		s->failed = try;
	return count && (!holder || greedy_set_include(s, holder->acquire));
}

bool greedy_set_close_sections(struct greedy_set *s)
{
	while (s->dirty_semaphores.n) {
		uint32_t semaphore = s->dirty_semaphores.at[--s->dirty_semaphores.n];

		s->semaphores[semaphore].dirty = false;
		if (!find_tokens(s, semaphore))
			return false;
	}
	while (s->dirty.n) {
		struct greedy_set_lock *l = &s->locks[s->dirty.at[--s->dirty.n]];

		l->dirty = false;
		for (size_t i = 0; i < l->uses.n; i++) {
			const struct section *x = section_at(s, l->uses.at[i].section);

			for (size_t j = 0; j < i; j++) {
				const struct section *y = section_at(s, l->uses.at[j].section);

				if (sections_exclude(x, y) && !close_one(s, x, y))
					return false;
			}
		}
	}
	return true;
}

void greedy_set_start_rules(struct greedy_set *s, const struct run *run)
{
	const struct symbols *symbols = s->index->symbols;

	for (size_t i = 0; i < symbols_count(symbols, CLASS_SEMAPHORE); i++)
		s->semaphores[i] = (struct greedy_set_scan){0};
	for (size_t i = 0; i < symbols_count(symbols, CLASS_CONDITION); i++)
		s->conditions[i] = (struct greedy_set_scan){0};
	for (uint32_t i = 0; i < symbols_count(symbols, CLASS_BARRIER); i++)
		s->rounds[i] = run_half_entered(run, i);
	for (uint32_t l = 0; s->base > 1 && l < symbols_count(symbols, CLASS_LOCK); l++)
		for (uint32_t i = 0; run_open(run, l, i); i++)
			enter(s, s->facts->sections->at[run_open(run, l, i)] - 1);
}

/*
 * A sem-fail finds no token: of those before it every one was taken. First in, first out, its
 * taker came before the sem-fail as well.
 */
static bool take_tokens(struct greedy_set *s, uint32_t fail)
{
	uint32_t semaphore = s->index->events[fail].object;
	const struct index_list *list = &s->index->uses[CLASS_SEMAPHORE][semaphore];
	struct greedy_set_scan *scan = &s->semaphores[semaphore];

	for (; scan->place < list->count && list->events[scan->place] < fail; scan->place++) {
		uint32_t n = list->events[scan->place], partner = s->facts->partner[n];
		enum event_kind kind = s->index->events[n].kind;

		if (kind == EV_SEM_WAIT && !partner && !greedy_set_include(s, n))
			return false;
		if (kind == EV_SEM_POST && partner && greedy_set_has(s, n) &&
		    !greedy_set_include(s, partner))
			return false;
	}
	if (scan->end < fail)
		scan->end = fail;
	return true;
}

/* What wakes the thread of this wait, if anything is known of that, is in the set. */
static bool wake_sleeper(struct greedy_set *s, uint32_t wait)
{
	const struct index_thread *t = &s->index->threads[s->index->events[wait].thread];
	uint32_t after = s->index->position[wait] + 1;
	uint64_t by = after < t->count ? s->index->events[t->events[after]].more->by : 0;

	return !by || greedy_set_include(s, (uint32_t)by);
}

/* A broadcast, or a signal that woke nobody: those who slept before it are awake by then. */
static bool wake_sleepers(struct greedy_set *s, uint32_t signal)
{
	uint32_t condition = s->index->events[signal].object;
	const struct index_list *list = &s->index->uses[CLASS_CONDITION][condition];
	struct greedy_set_scan *scan = &s->conditions[condition];

	for (; scan->place < list->count && list->events[scan->place] < signal; scan->place++) {
		uint32_t n = list->events[scan->place];

		if (s->index->events[n].kind == EV_WAIT && greedy_set_has(s, n) &&
		    !wake_sleeper(s, n))
			return false;
	}
	if (scan->end < signal)
		scan->end = signal;
	return true;
}

static bool wakes_one(const struct greedy_set *s, uint32_t signal)
{
	uint32_t i = index_first_wake(s->index, signal);

	return i < s->index->wake_count && s->index->wakes[i].by == signal;
}

static bool complete_round(struct greedy_set *s, uint32_t barrier, uint32_t round)
{
	const struct index_list *enters = &s->facts->enters[barrier];
	uint32_t parties = s->index->symbols->barriers.at[barrier].parties;

	for (uint64_t i = (uint64_t)round * parties;
	     i < (uint64_t)(round + 1) * parties && i < enters->count; i++)
		if (!greedy_set_include(s, enters->events[i]))
			return false;
	return true;
}

/* Only the last round may be half entered. */
static bool enter_round(struct greedy_set *s, uint32_t n)
{
	uint32_t barrier = s->index->events[n].object, round = s->index->round[n];
	uint32_t last = s->rounds[barrier];

	if (last && round + 1 < last)
		return complete_round(s, barrier, round);
	s->rounds[barrier] = round + 1;
	return !last || last == round + 1 || complete_round(s, barrier, last - 1);
}

static void note_wait(struct greedy_set *s, uint32_t semaphore)
{
	s->semaphores[semaphore].waits++;
	if (!s->semaphores[semaphore].dirty)
		vec_push(&s->dirty_semaphores, semaphore);
	s->semaphores[semaphore].dirty = true;
}

bool greedy_set_apply_object_rules(struct greedy_set *s, uint32_t n)
{
	const struct event *e = &s->index->events[n];
	uint32_t section = s->facts->sections->at[n], partner = s->facts->partner[n];

	switch (e->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED:
	case EV_WOKEN: return !section || enter(s, section - 1);
	default: break;
	}
	if (s->kind == SET_MUST) {
		if (e->kind == EV_SEM_WAIT)
			note_wait(s, e->object);
		return e->kind != EV_TRY_FAIL || find_holder(s, n);
	}
	switch (e->kind) {
	case EV_TRY_FAIL:
	case EV_SEM_WAIT: return !partner || greedy_set_include(s, partner);
	case EV_SEM_POST:
		return !partner || n > s->semaphores[e->object].end ||
		       greedy_set_include(s, partner);
	case EV_SEM_FAIL: return take_tokens(s, n);
	case EV_WAIT: return n > s->conditions[e->object].end || wake_sleeper(s, n);
	case EV_SIGNAL: return wakes_one(s, n) || wake_sleepers(s, n);
	case EV_BROADCAST: return wake_sleepers(s, n);
	case EV_BARRIER_ENTER: return enter_round(s, n);
	default: return true;
	}
}
