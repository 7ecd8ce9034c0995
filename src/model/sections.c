/* SPDX-License-Identifier: MIT */
#include "model/sections.h"

#include "base/sorted.h"

struct open {
	uint32_t section;
	uint32_t times; /* it was taken, shared */
};

struct opens {
	VEC(struct open) at; /* few: the locks that one thread holds */
};

static struct open *find_open(const struct sections *s, const struct opens *opens, uint32_t lock)
{
	for (size_t i = 0; i < opens->at.n; i++)
		if (s->all.at[opens->at.at[i].section].lock == lock)
			return &opens->at.at[i];
	return NULL;
}

static void enter(struct sections *s, struct opens *opens, uint32_t n, uint32_t thread,
		  uint32_t lock, bool shared)
{
	struct open *open = find_open(s, opens, lock);

	if (open) {
		open->times++;
		return;
	}
	struct section section = {n, 0, lock, thread, 0, shared};
	struct open new = {(uint32_t)s->all.n, 1};

	for (size_t i = 0; i < opens->at.n; i++)
		if (opens->at.at[i].section >= section.below)
			section.below = opens->at.at[i].section + 1;

	vec_push(&s->all, section);
	vec_push(&opens->at, new);
	s->at[n] = (uint32_t)s->all.n;
}

static void leave(struct sections *s, struct opens *opens, uint32_t n, uint32_t lock)
{
	struct open *open = find_open(s, opens, lock);

	ASSERT(open);
	if (--open->times)
		return;
	s->all.at[open->section].release = n;
	s->at[n] = open->section + 1;
	*open = opens->at.at[--opens->at.n];
}

static void follow(struct sections *s, struct opens *opens, uint32_t n, const struct event *e)
{
	switch (e->kind) {
	case EV_ACQUIRE: enter(s, opens, n, e->thread, e->object, false); break;
	case EV_ACQUIRE_SHARED: enter(s, opens, n, e->thread, e->object, true); break;
	case EV_WOKEN: enter(s, opens, n, e->thread, e->more->lock, false); break;
	case EV_RELEASE:
	case EV_RELEASE_SHARED: leave(s, opens, n, e->object); break;
	case EV_WAIT: leave(s, opens, n, e->more->lock); break;
	default: break;
	}
}

static uint32_t lock_of(const struct section *section)
{
	return section->lock;
}

static uint32_t thread_of(const struct section *section)
{
	return section->thread;
}

/* Numbers of sections by what they are of, of which there are n. */
static void sort_by(const struct sections *s, uint32_t (*of)(const struct section *section),
		    size_t n, uint32_t **first, uint32_t **sorted)
{
	uint32_t *at = *first = mem_alloc_zero(n + 2, sizeof(**first));

	*sorted = mem_alloc_zero(s->all.n + 1, sizeof(**sorted));
	for (size_t i = 0; i < s->all.n; i++)
		at[of(&s->all.at[i]) + 2]++;
	for (size_t k = 2; k <= n + 1; k++)
		at[k] += at[k - 1];
	/* now at[k + 1] is where those of k begin; filling moves it to where they end */
	for (size_t i = 0; i < s->all.n; i++)
		(*sorted)[at[of(&s->all.at[i]) + 1]++] = (uint32_t)i;
}

static struct sections *make(const struct index *index)
{
	struct sections *s = mem_alloc_zero(1, sizeof(*s));
	struct opens *opens = mem_alloc_zero(index->thread_count, sizeof(*opens));

	s->at = mem_alloc_zero((size_t)index->count + 1, sizeof(*s->at));
	for (uint32_t n = 1; n <= index->count; n++)
		follow(s, &opens[index->events[n].thread], n, &index->events[n]);
	sort_by(s, lock_of, symbols_count(index->symbols, CLASS_LOCK), &s->first, &s->of_lock);
	sort_by(s, thread_of, index->thread_count, &s->thread_first, &s->of_thread);
	for (uint32_t t = 0; t < index->thread_count; t++)
		vec_release(&opens[t].at);
	mem_free(opens);
	return s;
}

const struct sections *sections_of(const struct index *index)
{
	if (!*index->sections)
		*index->sections = make(index);
	return *index->sections;
}

/* Of a sorted list from … end, the place of the first that begins at the event or later. */
static uint32_t place_of(const struct sections *s, const uint32_t *sorted, uint32_t from,
			 uint32_t end, uint32_t event)
{
	return LOWER_BOUND(i, from, end, s->all.at[sorted[i]].acquire < event);
}

static bool is_open(const struct section *s, uint32_t event)
{
	return !s->release || s->release >= event;
}

/* Those open at an event were begun before the last of its thread, so they are below it. */
const struct section *sections_next(const struct sections *s, uint32_t thread, uint32_t event,
				    const struct section *after)
{
	uint32_t from = s->thread_first[thread], below;

	if (after) {
		below = after->below;
	} else {
		uint32_t place =
			place_of(s, s->of_thread, from, s->thread_first[thread + 1], event);

		below = place > from ? s->of_thread[place - 1] + 1 : 0;
	}
	while (below && !is_open(&s->all.at[below - 1], event))
		below = s->all.at[below - 1].below;
	return below ? &s->all.at[below - 1] : NULL;
}

const struct section *sections_around(const struct sections *s, uint32_t thread, uint32_t lock,
				      uint32_t event)
{
	const struct section *at = NULL;

	while ((at = sections_next(s, thread, event, at)))
		if (at->lock == lock)
			return at;
	return NULL;
}

void sections_free(struct sections *s)
{
	if (!s)
		return;
	vec_release(&s->all);
	mem_free(s->first);
	mem_free(s->of_lock);
	mem_free(s->thread_first);
	mem_free(s->of_thread);
	mem_free(s->at);
	mem_free(s);
}
