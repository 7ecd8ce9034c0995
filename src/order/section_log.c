/* SPDX-License-Identifier: MIT */
#include "order/section_log.h"

#include "base/sorted.h"

/* References: place + 1 in the low half, generation in the high half. */

const struct logged_section *section_log_get(const struct section_log *s, uint64_t reference)
{
	if (!reference)
		return NULL;
	const struct logged_section *section = &s->all.at[(uint32_t)reference - 1];

	return section->generation == reference >> 32 ? section : NULL;
}

uint64_t section_log_open(struct section_log *s, const struct actor *t,
			  const struct open_section *h)
{
	uint32_t place;

	if (s->free.n) {
		place = s->free.at[--s->free.n];
	} else {
		struct logged_section fresh = {0};

		place = (uint32_t)s->all.n;
		vec_push(&s->all, fresh);
	}
	struct logged_section *section = &s->all.at[place];

	section->generation++;
	section->thread = t->thread;
	section->slot = t->slot;
	section->acquire_time = h->acquire_time;
	section->release_time = 0;
	section->number = h->number;
	section->shared = h->shared;
	section->known.n = 0;
	s->kept_bytes += sizeof(*section);
	return (uint64_t)section->generation << 32 | (place + 1);
}

void section_log_close(struct section_log *s, uint64_t reference, const struct actor *t,
		       const struct clock *known)
{
	struct logged_section *section = (struct logged_section *)section_log_get(s, reference);

	if (!section)
		return;
	section->release_time = t->time;
	clock_copy(&section->known, known);
	s->kept_bytes += known->n * sizeof(uint32_t);
}

/* Queues */

static struct section_queue *queue_of(struct section_log *s, uint32_t lock, uint32_t slot,
				      bool shared)
{
	vec_extend(&s->locks, (size_t)lock + 1);
	struct lock_queues *l = &s->locks.at[lock];

	vec_extend(&l->places, 2 * (size_t)slot + 2);
	uint32_t *place = &l->places.at[2 * (size_t)slot + shared];

	if (!*place) {
		struct section_queue fresh = {.slot = slot, .shared = shared};

		vec_push(&l->by_slot, fresh);
		*place = (uint32_t)l->by_slot.n;
	}
	return &l->by_slot.at[*place - 1];
}

void section_queue_add(struct section_log *s, uint32_t lock, uint64_t reference, uint32_t since)
{
	const struct logged_section *section = section_log_get(s, reference);

	if (!section)
		return;
	struct section_queue *q = queue_of(s, lock, section->slot, section->shared);
	const struct queued_section *last = q->v.n ? &q->v.at[q->v.n - 1] : NULL;
	struct queued_section queued = {section->thread, section->acquire_time,
					section->release_time, section->number, reference};

	if (last && last->thread == section->thread && last->acquire_time == last->release_time &&
	    last->acquire_time > since)
		q->v.n--;
	vec_push(&q->v, queued);
	q->first_acquire = q->v.at[0].acquire_time;
	q->last_release = queued.release_time;
}

const struct queued_section *section_queue_latest(const struct section_queue *q, uint32_t time)
{
	if (time < q->first_acquire)
		return NULL;
	size_t later = LOWER_BOUND(i, 0, q->v.n, q->v.at[i].acquire_time <= time);

	return later ? &q->v.at[later - 1] : NULL;
}

void section_log_learn(const struct section_log *s, uint64_t reference, struct clock *clock)
{
	const struct logged_section *section = section_log_get(s, reference);

	/* who knows of its end knows all that was known there */
	if (section && clock_get(clock, section->slot) < section->release_time)
		clock_join(clock, &section->known);
}

void section_log_follow(struct section_log *s, const struct actor *t, const struct open_section *h,
			struct clock *clock, const struct clock *also)
{
	bool learned = h->lock < s->locks.n;

	while (learned) { /* what is learned from one thread may tell of another's beginning */
		learned = false;
		for (size_t i = 0; i < s->locks.at[h->lock].by_slot.n; i++) {
			const struct section_queue *q = &s->locks.at[h->lock].by_slot.at[i];
			uint32_t time = clock_get(clock, q->slot);

			if (time >= q->last_release || (q->shared && h->shared))
				continue; /* there is nothing to learn */
			if (also && clock_get(also, q->slot) > time)
				time = clock_get(also, q->slot);
			if (q->slot == t->slot) /* those of threads that had the slot before */
				time = t->start_time - 1;
			const struct queued_section *latest = section_queue_latest(q, time);

			if (!latest || clock_get(clock, q->slot) >= latest->release_time)
				continue;
			const struct logged_section *section = section_log_get(s, latest->section);

			if (section) {
				clock_join(clock, &section->known);
				learned = true;
			}
		}
	}
}

static void forget_queued(struct section_queue *q, const struct section_log *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->v.n; i++)
		if (section_log_get(s, q->v.at[i].section))
			q->v.at[kept++] = q->v.at[i];
	q->v.n = kept;
	q->first_acquire = kept ? q->v.at[0].acquire_time : UINT32_MAX;
}

/* Forgetting */

void section_log_mark(struct section_log *s, uint64_t reference)
{
	struct logged_section *section = (struct logged_section *)section_log_get(s, reference);

	if (section)
		section->marked = true;
}

static void mark_all(struct section_log *s, const struct section_users *users, struct order *o)
{
	for (size_t i = 0; i < s->all.n; i++)
		s->all.at[i].marked = !s->all.at[i].release_time;
	for (int i = 0; i < 2; i++)
		if (users->touches[i])
			touches_mark(users->touches[i], s);
	if (users->mark)
		users->mark(o);
	for (size_t l = 0; l < s->locks.n; l++)
		for (size_t i = 0; i < s->locks.at[l].by_slot.n; i++) {
			const struct section_queue *q = &s->locks.at[l].by_slot.at[i];

			for (size_t k = 0; k < q->v.n; k++)
				section_log_mark(s, q->v.at[k].section);
		}
}

/* Drops what is of no use, and of the rest, if it is too much, the older half: then true. */
static bool drop_sections(struct section_log *s, const struct order *o)
{
	uint32_t least = UINT32_MAX, most = 0;
	bool over = false;

	for (int round = 0; round < 2; round++) {
		s->kept_bytes = 0;
		for (size_t i = 0; i < s->all.n; i++) {
			struct logged_section *section = &s->all.at[i];

			if (!(section->generation & 1))
				continue;
			bool known =
				section->release_time &&
				section->release_time <= clock_get(&o->known_to_all, section->slot);
			bool old = section->release_time && over &&
				   section->number <= least + (most - least) / 2;

			if (known || old || !section->marked) {
				section->generation++;
				vec_push(&s->free, (uint32_t)i);
				continue;
			}
			least = section->number < least ? section->number : least;
			most = section->number > most ? section->number : most;
			s->kept_bytes += sizeof(*section) + section->known.n * sizeof(uint32_t);
		}
		if (!o->limits.bytes || s->kept_bytes <= o->limits.bytes)
			break;
		over = true;
	}
	return over;
}

bool section_log_collect(struct section_log *s, const struct section_users *users, struct order *o)
{
	size_t kept = s->all.n - s->free.n;

	if (s->kept_bytes > o->bytes)
		o->bytes = s->kept_bytes;
	if (kept < 2 * s->kept_last + 1024 &&
	    (!o->limits.bytes || s->kept_bytes <= o->limits.bytes))
		return false;
	mark_all(s, users, o);
	if (drop_sections(s, o))
		o->forgot = "the oldest critical sections, to stay within the memory limit";
	for (int i = 0; i < 2; i++)
		if (users->touches[i])
			touches_forget(users->touches[i], s);
	for (size_t l = 0; l < s->locks.n; l++)
		for (size_t i = 0; i < s->locks.at[l].by_slot.n; i++)
			forget_queued(&s->locks.at[l].by_slot.at[i], s);
	s->kept_last = s->all.n - s->free.n;
	return true;
}

void section_log_release(struct section_log *s)
{
	for (size_t i = 0; i < s->all.n; i++)
		clock_release(&s->all.at[i].known);
	for (size_t l = 0; l < s->locks.n; l++) {
		for (size_t i = 0; i < s->locks.at[l].by_slot.n; i++)
			vec_release(&s->locks.at[l].by_slot.at[i].v);
		vec_release(&s->locks.at[l].by_slot);
		vec_release(&s->locks.at[l].places);
	}
	vec_release(&s->all);
	vec_release(&s->free);
	vec_release(&s->locks);
}
