#include "model/sections.h"

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
	struct section section = {n, 0, lock, thread, shared};
	struct open new = {(uint32_t)s->all.n, 1};

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

static void sort_by_lock(struct sections *s, size_t locks)
{
	s->first = mem_alloc_zero(locks + 2, sizeof(*s->first));
	s->of_lock = mem_alloc_zero(s->all.n + 1, sizeof(*s->of_lock));
	for (size_t i = 0; i < s->all.n; i++)
		s->first[s->all.at[i].lock + 2]++;
	for (size_t l = 2; l <= locks + 1; l++)
		s->first[l] += s->first[l - 1];
	/* now first[l + 1] is where lock l begins; filling moves it to where it ends */
	for (size_t i = 0; i < s->all.n; i++)
		s->of_lock[s->first[s->all.at[i].lock + 1]++] = (uint32_t)i;
}

struct sections *sections_new(const struct index *index)
{
	struct sections *s = mem_alloc_zero(1, sizeof(*s));
	struct opens *opens = mem_alloc_zero(index->thread_count, sizeof(*opens));

	s->at = mem_alloc_zero((size_t)index->count + 1, sizeof(*s->at));
	for (uint32_t n = 1; n <= index->count; n++)
		follow(s, &opens[index->events[n].thread], n, &index->events[n]);
	sort_by_lock(s, symbols_count(index->symbols, CLASS_LOCK));
	for (uint32_t t = 0; t < index->thread_count; t++)
		vec_release(&opens[t].at);
	mem_free(opens);
	return s;
}

const struct section *sections_around(const struct sections *s, uint32_t thread, uint32_t lock,
				      uint32_t event)
{
	uint32_t low = s->first[lock], high = s->first[lock + 1], start = low;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->all.at[s->of_lock[middle]].acquire < event)
			low = middle + 1;
		else
			high = middle;
	}
	/* nearly always the one before; readers may share it with others */
	while (low-- > start) {
		const struct section *at = &s->all.at[s->of_lock[low]];

		if (at->thread == thread)
			return !at->release || at->release >= event ? at : NULL;
	}
	return NULL;
}

void sections_free(struct sections *s)
{
	if (!s)
		return;
	vec_release(&s->all);
	mem_free(s->first);
	mem_free(s->of_lock);
	mem_free(s->at);
	mem_free(s);
}
