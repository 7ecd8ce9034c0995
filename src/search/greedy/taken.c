/* SPDX-License-Identifier: MIT */
/*
 * Values that are taken: of a read and a write of one variable in one section, or in one event,
 * nobody else comes between. Two such reads, of one lock or both atomic, never return what one
 * write wrote: the one that came first has written since. So in an execution there are at least as
 * many writes as there are reads that take what they wrote. An object that is in a list once has
 * been taken out of it once.
 */
#include "search/greedy/set.h"

#define TAKERS_MOST 32
#define ATOMIC UINT32_MAX /* instead of a lock */

struct taker {
	uint32_t from;	/* the acquire of its section, or the event itself */
	uint32_t taken; /* 1 + its place in sources.writes, or 0 */
	struct causes_list sources;
};

/* Of one variable and lock: all of them happen, and return what they did. */
struct takers {
	struct greedy_set *s;
	uint32_t variable, lock;
	int64_t value; /* what the first of them returns */
	uint32_t count;
	struct taker all[TAKERS_MOST];
};

/* The section is one of which another one begins when the read and a write behind it are over. */
static bool is_in(const struct section *section, const struct index *index, uint32_t read,
		  uint32_t variable)
{
	const struct index_list *uses = &index->uses[CLASS_VARIABLE][variable];
	int64_t value;

	if (section->shared || !index_is_sure(index, section->acquire, read) ||
	    (section->release && !index_is_sure(index, section->release, read)))
		return false;
	uint32_t first = index_place(uses, read), end = first + greedy_tune.uses_most;

	for (uint32_t i = first; i < uses->count && i < end; i++) {
		uint32_t n = uses->events[i];

		if (section->release && n > section->release)
			return false;
		if (n > read && index->events[n].thread == section->thread &&
		    index_is_sure(index, n, read) &&
		    greedy_writes_value(&index->events[n], variable, &value))
			return true;
	}
	return false;
}

/* Where the read takes, by this lock, what it returns of the variable: see `from`; 0: it does not.
 */
static uint32_t taken_from(const struct greedy_set *s, uint32_t read, uint32_t variable,
			   uint32_t lock)
{
	const struct event *e = &s->index->events[read];
	const struct section *section;

	if (lock == ATOMIC)
		return e->kind == EV_RMW ? read : 0;
	section = sections_around(s->facts->sections, e->thread, lock, read);
	return section && is_in(section, s->index, read, variable) ? section->acquire : 0;
}

/* It is known to happen, and to return what it did: what is kept was not skipped. */
static bool is_certain(const struct greedy_set *s, uint32_t read)
{
	return greedy_set_has(s, read) && greedy_set_keeps(s, read);
}

/* A section that reads it twice takes it once. */
static void add_taker(struct takers *t, uint32_t read, uint32_t part)
{
	struct causes_frame frame = {t->s->cut, t->s->limit};
	struct taker *taker = &t->all[t->count];

	*taker = (struct taker){.from = taken_from(t->s, read, t->variable, t->lock)};
	for (uint32_t i = 0; i < t->count && taker->from; i++)
		if (t->all[i].from == taker->from)
			return;
	t->count += taker->from &&
		    causes_sources(t->s->facts->causes, read, part - t->s->index->parts[read],
				   &frame, &taker->sources);
}

/* The part of the event that is of the variable, which it has. */
static uint32_t part_of_variable(const struct index *index, uint32_t n, uint32_t variable)
{
	const struct event *e = &index->events[n];
	uint32_t i = 0;

	while (event_part(e, i).variable != variable)
		i++;
	return index->parts[n] + i;
}

/* The one that took what the write wrote in the recorded run. */
static void add_recorded(struct takers *t, uint32_t write)
{
	const struct index *index = t->s->index;
	const struct index_list *uses = &index->uses[CLASS_VARIABLE][t->variable];

	for (uint32_t i = index_place(uses, write + 1); i < uses->count; i++) {
		uint32_t n = uses->events[i], part = part_of_variable(index, n, t->variable);
		int64_t value;

		if (event_is(&index->events[n], EV_RETURNS) && is_certain(t->s, n) &&
		    event_part(&index->events[n], part - index->parts[n]).value == t->value &&
		    taken_from(t->s, n, t->variable, t->lock)) {
			add_taker(t, n, part);
			return;
		}
		if (greedy_writes_value(&index->events[n], t->variable, &value))
			return;
	}
}

/* Somebody else that may take it, or gives it up for another write: an augmenting path. */
static bool match(struct takers *t, uint32_t taker, uint64_t *tried)
{
	struct taker *mine = &t->all[taker];

	for (uint32_t i = 0; i < mine->sources.count; i++) {
		uint32_t other = 0, write = mine->sources.writes[i];

		while (other < t->count &&
		       (!t->all[other].taken ||
			t->all[other].sources.writes[t->all[other].taken - 1] != write))
			other++;
		if (other < t->count) {
			if (*tried >> other & 1)
				continue;
			*tried |= (uint64_t)1 << other;
			if (!match(t, other, tried))
				continue;
		}
		mine->taken = i + 1;
		return true;
	}
	return false;
}

static bool all_have_one(struct takers *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		uint64_t tried = (uint64_t)1 << i;

		if (!match(t, i, &tried))
			return false;
	}
	return true;
}

/* The section of the lock that the write stands in is over when another thread takes its value. */
static uint32_t end_of(const struct takers *t, uint32_t write)
{
	const struct index *index = t->s->index;
	uint32_t thread = index->events[write].thread;
	const struct section *section = NULL;

	if (t->lock != ATOMIC)
		section = sections_around(t->s->facts->sections, thread, t->lock, write);
	for (uint32_t i = 0; i < t->count; i++)
		if (index->events[t->all[i].from].thread == thread)
			return write;
	return section && section->release ? section->release : write;
}

/* It has happened, and what it wrote was taken. */
static bool include_source(struct takers *t, uint32_t write, bool *grew)
{
	uint32_t end = end_of(t, write);
	size_t kept = t->s->kept_list.n;
	int64_t value;

	if (greedy_writes_value(&t->s->index->events[write], t->variable, &value) &&
	    value == t->value)
		greedy_set_keep_copied(t->s, write, value);
	if (greedy_set_has(t->s, end) && t->s->kept_list.n == kept)
		return true;
	*grew = true;
	return greedy_set_add(t->s, end);
}

/* No more writes than there are reads: all of them happen. */
static bool include_all(struct takers *t, bool *grew)
{
	uint32_t writes[TAKERS_MOST], count = 0;

	for (uint32_t i = 0; i < t->count; i++)
		for (uint32_t k = 0; k < t->all[i].sources.count; k++) {
			uint32_t write = t->all[i].sources.writes[k], earlier = 0;

			while (earlier < count && writes[earlier] != write)
				earlier++;
			if (earlier == t->count)
				return true;
			if (earlier == count)
				writes[count++] = write;
		}
	for (uint32_t i = 0; i < count; i++)
		if (writes[i] && !include_source(t, writes[i], grew))
			return false;
	return true;
}

static bool apply(struct takers *t, uint32_t read, uint32_t part, bool *grew)
{
	t->count = 0;
	add_taker(t, read, part);
	for (uint32_t i = 0; i < t->count; i++)
		for (uint32_t k = 0; k < t->all[i].sources.count && t->count < TAKERS_MOST; k++)
			add_recorded(t, t->all[i].sources.writes[k]);
	if (!all_have_one(t)) {
		t->s->failed = read;
		return false;
	}
	return include_all(t, grew);
}

static bool apply_all(struct greedy_set *s, uint32_t read, uint32_t part, bool *grew)
{
	uint32_t thread = s->index->events[read].thread;
	struct takers t = {.s = s, .lock = ATOMIC};
	const struct section *section = NULL;

	struct part p = event_part(&s->index->events[read], part - s->index->parts[read]);

	t.variable = p.variable;
	t.value = p.value;
	if (!apply(&t, read, part, grew))
		return false;
	while ((section = sections_next(s->facts->sections, thread, read, section))) {
		t.lock = section->lock;
		if (!apply(&t, read, part, grew))
			return false;
	}
	return true;
}

bool greedy_set_takes(struct greedy_set *s)
{
	bool grew = s->facts->causes;

	while (grew) {
		grew = false;
		for (size_t i = 0; i < s->strays.n; i++) {
			struct greedy_set_source stray = s->strays.at[i];

			if (greedy_is_over(s->clock))
				return true;
			if (is_certain(s, stray.read) &&
			    !apply_all(s, stray.read, stray.part, &grew))
				return false;
		}
	}
	return true;
}
