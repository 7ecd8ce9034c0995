/* SPDX-License-Identifier: MIT */
#include "search/explore/bugs.h"

void bugs_init(struct bugs *bugs, const struct space *s, bugs_found *found, void *context)
{
	uint32_t threads = s->index->thread_count;

	*bugs = (struct bugs){.s = s, .found = found, .context = context};
	bugs->accesses = mem_alloc_zero(threads, sizeof(*bugs->accesses));
	bugs->waits = mem_alloc_zero(threads, sizeof(*bugs->waits));
	bugs->on_path = mem_alloc_zero(threads, sizeof(*bugs->on_path));
	bugs->path = mem_alloc_zero(threads, sizeof(*bugs->path));
	bugs->events = mem_alloc_zero(threads, sizeof(*bugs->events));
}

void bugs_release(struct bugs *bugs)
{
	mem_free(bugs->accesses);
	mem_free(bugs->waits);
	mem_free(bugs->on_path);
	mem_free(bugs->path);
	mem_free(bugs->events);
}

static void find_races(struct bugs *b, const uint64_t *state)
{
	uint32_t count = 0;

	for (uint32_t t = 0; t < b->s->index->thread_count; t++) {
		uint32_t n = space_next(b->s, state, t);

		if (n && event_is(&b->s->index->events[n], EV_ACCESS) && space_can(b->s, state, t))
			b->accesses[count++] = n;
	}
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = i + 1; j < count; j++) {
			uint32_t x = b->accesses[i], y = b->accesses[j];
			uint32_t pair[2] = {x < y ? x : y, x < y ? y : x};

			if (index_conflict(b->s->index, x, y))
				b->found(b->context, BUG_RACE, pair, 2);
		}
	}
}

static void report_cycle(struct bugs *b, const uint64_t *state, uint32_t length)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < length; i++)
		if (space_next(b->s, state, b->path[i]) < space_next(b->s, state, b->path[first]))
			first = i;
	for (uint32_t i = 0; i < length; i++)
		b->events[i] = space_next(b->s, state, b->path[(first + i) % length]);
	b->found(b->context, BUG_DEADLOCK, b->events, length);
}

/* Simple cycles whose lowest thread is path[0]. */
static void extend_path(struct bugs *b, const uint64_t *state, uint32_t length)
{
	uint32_t last = b->path[length - 1];

	for (uint32_t t = b->path[0]; t < b->s->index->thread_count; t++) {
		if (!b->waits[t] || b->on_path[t] || !space_waits_for(b->s, state, last, t))
			continue;
		if (t == b->path[0]) {
			report_cycle(b, state, length);
			continue;
		}
		b->on_path[t] = true;
		b->path[length] = t;
		extend_path(b, state, length + 1);
		b->on_path[t] = false;
	}
}

static void find_deadlocks(struct bugs *b, const uint64_t *state)
{
	uint32_t threads = b->s->index->thread_count, waiting = 0;

	for (uint32_t t = 0; t < threads; t++)
		waiting += b->waits[t] = space_waits(b->s, state, t);
	if (waiting < 2)
		return;
	for (uint32_t t = 0; t < threads; t++) {
		b->path[0] = t;
		if (b->waits[t])
			extend_path(b, state, 1);
	}
}

/* A thread without `end` may still do anything; one that was not forked does not exist. */
bool bugs_is_stuck(const struct space *s, const uint64_t *state)
{
	bool stuck = false;

	for (uint32_t t = 0; t < s->index->thread_count; t++) {
		if (!space_exists(s, state, t) || space_ended(s, state, t))
			continue;
		if (!space_waits(s, state, t))
			return false;
		stuck = true;
	}
	return stuck;
}

void bugs_find(struct bugs *bugs, const uint64_t *state)
{
	find_races(bugs, state);
	find_deadlocks(bugs, state);
}
