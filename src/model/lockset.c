/* SPDX-License-Identifier: MIT */
#include "model/lockset.h"

#include <string.h>

struct holding {
	struct held_lock held;
	uint32_t times; /* a thread may hold a lock shared more than once */
};

struct holder {
	VEC(struct holding) locks; /* ascending */
	uint32_t set;
};

static size_t find_place(const struct holder *h, uint32_t lock)
{
	size_t i = 0;

	while (i < h->locks.n && h->locks.at[i].held.lock < lock)
		i++;
	return i;
}

static void take(struct holder *h, uint32_t lock, bool shared)
{
	size_t i = find_place(h, lock);

	if (i < h->locks.n && h->locks.at[i].held.lock == lock) {
		h->locks.at[i].times++;
		return;
	}
	struct holding new = {{lock, shared}, 1};

	vec_push(&h->locks, new);
	memmove(h->locks.at + i + 1, h->locks.at + i, (h->locks.n - 1 - i) * sizeof(new));
	h->locks.at[i] = new;
}

static void drop(struct holder *h, uint32_t lock)
{
	size_t i = find_place(h, lock);

	ASSERT(i < h->locks.n && h->locks.at[i].held.lock == lock);
	if (--h->locks.at[i].times)
		return;
	memmove(h->locks.at + i, h->locks.at + i + 1, (h->locks.n - 1 - i) * sizeof(*h->locks.at));
	h->locks.n--;
}

static uint32_t number_set(struct intern *sets, const struct holder *h)
{
	VEC(struct held_lock) set = {0};

	if (!h->locks.n)
		return 0;
	for (size_t i = 0; i < h->locks.n; i++)
		vec_push(&set, h->locks.at[i].held);
	uint32_t number = intern_add(sets, (const char *)set.at, set.n * sizeof(*set.at));

	vec_release(&set);
	return number;
}

static void follow(struct locksets *locks, struct holder *h, const struct event *e)
{
	switch (e->kind) {
	case EV_ACQUIRE: take(h, e->object, false); break;
	case EV_ACQUIRE_SHARED: take(h, e->object, true); break;
	case EV_WOKEN: take(h, e->more->lock, false); break;
	case EV_RELEASE:
	case EV_RELEASE_SHARED: drop(h, e->object); break;
	case EV_WAIT: drop(h, e->more->lock); break;
	default: return;
	}
	h->set = number_set(&locks->sets, h);
}

struct locksets *locksets_new(const struct index *index)
{
	struct locksets *locks = mem_alloc_zero(1, sizeof(*locks));
	struct holder *holders = mem_alloc_zero(index->thread_count, sizeof(*holders));

	locks->index = index;
	locks->before = mem_alloc_zero((size_t)index->count + 1, sizeof(*locks->before));
	locks->at_end = mem_alloc_zero(index->thread_count, sizeof(*locks->at_end));
	intern_add(&locks->sets, "", 0);
	for (uint32_t n = 1; n <= index->count; n++) {
		struct holder *h = &holders[index->events[n].thread];

		locks->before[n] = h->set;
		follow(locks, h, &index->events[n]);
	}
	for (uint32_t t = 0; t < index->thread_count; t++) {
		locks->at_end[t] = holders[t].set;
		vec_release(&holders[t].locks);
	}
	mem_free(holders);
	return locks;
}

void locksets_free(struct locksets *locks)
{
	if (!locks)
		return;
	intern_release(&locks->sets);
	mem_free(locks->before);
	mem_free(locks->at_end);
	mem_free(locks);
}

static const struct held_lock *set_of(const struct locksets *locks, uint32_t set, size_t *n)
{
	const struct interned *s = &locks->sets.strings.at[set];

	*n = s->length / sizeof(struct held_lock);
	return (const void *)s->text; /* an arena's memory: aligned */
}

const struct held_lock *locksets_find(const struct locksets *locks, uint32_t set, uint32_t lock)
{
	size_t n;
	const struct held_lock *held = set_of(locks, set, &n);

	for (size_t i = 0; i < n; i++)
		if (held[i].lock == lock)
			return &held[i];
	return NULL;
}

bool locksets_exclude(const struct locksets *locks, uint32_t a, uint32_t b)
{
	size_t na, nb, i = 0, j = 0;
	const struct held_lock *x = set_of(locks, a, &na), *y = set_of(locks, b, &nb);

	while (i < na && j < nb) {
		if (x[i].lock == y[j].lock) {
			if (!x[i].shared || !y[j].shared)
				return true;
			i++, j++;
		} else if (x[i].lock < y[j].lock) {
			i++;
		} else {
			j++;
		}
	}
	return false;
}
