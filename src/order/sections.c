#include "order/sections.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* References: place + 1 in the low half, generation in the high half. */

const struct section *sections_get(const struct sections *s, uint64_t reference)
{
	if (!reference)
		return NULL;
	const struct section *section = &s->all.at[(uint32_t)reference - 1];

	return section->generation == reference >> 32 ? section : NULL;
}

uint64_t sections_open(struct sections *s, const struct actor *t, const struct held *h)
{
	uint32_t place;

	if (s->free.n) {
		place = s->free.at[--s->free.n];
	} else {
		struct section fresh = {0};

		place = (uint32_t)s->all.n;
		vec_push(&s->all, fresh);
	}
	struct section *section = &s->all.at[place];

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

void sections_close(struct sections *s, uint64_t reference, const struct actor *t,
		    const struct clock *known)
{
	struct section *section = (struct section *)sections_get(s, reference);

	if (!section)
		return;
	section->release_time = t->time;
	clock_copy(&section->known, known);
	s->kept_bytes += known->n * sizeof(uint32_t);
}

/* Touches */

static size_t key_slot(const struct touches *t, uint32_t a, uint32_t b)
{
	uint64_t key = (uint64_t)a << 32 | b;
	size_t slot = XXH3_64bits(&key, sizeof(key)) & (t->key_size - 1);

	while (t->keys[slot].first && (t->keys[slot].a != a || t->keys[slot].b != b))
		slot = (slot + 1) & (t->key_size - 1);
	return slot;
}

static void resize_keys(struct touches *t, size_t size)
{
	struct touch_key *old = t->keys;
	size_t old_size = t->key_size;

	t->keys = mem_alloc_zero(size, sizeof(*t->keys));
	t->key_size = size;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].first)
			t->keys[key_slot(t, old[i].a, old[i].b)] = old[i];
	mem_free(old);
}

uint32_t touches_find(const struct touches *t, uint32_t a, uint32_t b)
{
	return t->key_size ? t->keys[key_slot(t, a, b)].first : 0;
}

struct touch *touches_of(struct touches *t, uint32_t a, uint32_t b, uint32_t thread, bool shared)
{
	if (t->key_count * 2 >= t->key_size)
		resize_keys(t, t->key_size ? t->key_size * 2 : 64);
	struct touch_key *key = &t->keys[key_slot(t, a, b)];

	for (uint32_t i = key->first; i; i = t->all.at[i - 1].next) {
		struct touch *touch = &t->all.at[i - 1];

		if (touch->thread == thread && touch->shared == shared)
			return touch;
	}
	struct touch fresh = {.thread = thread, .shared = shared, .next = key->first};
	uint32_t place = t->free;

	if (place) {
		t->free = t->all.at[place - 1].next;
		t->all.at[place - 1] = fresh;
	} else {
		vec_push(&t->all, fresh);
		place = (uint32_t)t->all.n;
	}
	t->key_count += !key->first;
	*key = (struct touch_key){a, b, place};
	return &t->all.at[place - 1];
}

void touches_apply(struct touches *touches, const struct sections *s, const struct actor *t,
		   const struct access *a, struct clock *clock)
{
	for (size_t i = 0; a->counts && i < t->held.n; i++) {
		const struct held *h = &t->held.at[i];
		uint32_t next = touches_find(touches, h->lock, a->variable);

		while (next) {
			const struct touch *other = &touches->all.at[next - 1];

			next = other->next;
			if (other->thread == t->thread || (other->shared && h->shared))
				continue;
			if (a->writes)
				sections_learn(s, other->read, clock);
			sections_learn(s, other->wrote, clock);
		}
		struct touch *own = touches_of(touches, h->lock, a->variable, t->thread, h->shared);

		if (a->reads)
			own->read = h->section;
		if (a->writes)
			own->wrote = h->section;
	}
}

static void forget_touches(struct touches *t, const struct sections *s)
{
	struct touch_key *old = t->keys;
	size_t old_size = t->key_size;

	t->keys = mem_alloc_zero(old_size, sizeof(*t->keys));
	t->key_count = 0;
	for (size_t i = 0; i < old_size; i++) {
		uint32_t kept = 0;

		for (uint32_t k = old[i].first, next; k; k = next) {
			struct touch *touch = &t->all.at[k - 1];

			next = touch->next;
			if (sections_get(s, touch->read) || sections_get(s, touch->wrote)) {
				touch->next = kept;
				kept = k;
			} else {
				touch->next = t->free;
				t->free = k;
			}
		}
		if (kept) {
			old[i].first = kept;
			t->keys[key_slot(t, old[i].a, old[i].b)] = old[i];
			t->key_count++;
		}
	}
	mem_free(old);
}

/* Queues */

static struct queue *queue_of(struct sections *s, uint32_t lock, uint32_t slot, bool shared)
{
	vec_extend(&s->locks, (size_t)lock + 1);
	struct lock_queues *l = &s->locks.at[lock];

	for (size_t i = 0; i < l->by_slot.n; i++)
		if (l->by_slot.at[i].slot == slot && l->by_slot.at[i].shared == shared)
			return &l->by_slot.at[i];
	struct queue fresh = {.slot = slot, .shared = shared};

	vec_push(&l->by_slot, fresh);
	return &l->by_slot.at[l->by_slot.n - 1];
}

void queue_add(struct sections *s, uint32_t lock, uint64_t reference, uint32_t since)
{
	const struct section *section = sections_get(s, reference);

	if (!section)
		return;
	struct queue *q = queue_of(s, lock, section->slot, section->shared);
	const struct queued *last = q->v.n ? &q->v.at[q->v.n - 1] : NULL;
	struct queued queued = {section->thread, section->acquire_time, section->release_time,
				section->number, reference};

	if (last && last->thread == section->thread && last->acquire_time == last->release_time &&
	    last->acquire_time > since)
		q->v.n--;
	vec_push(&q->v, queued);
}

const struct queued *queue_latest(const struct queue *q, uint32_t time)
{
	size_t low = 0, high = q->v.n;

	while (low < high) { /* the first that begins later */
		size_t middle = (low + high) / 2;

		if (q->v.at[middle].acquire_time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &q->v.at[low - 1] : NULL;
}

void sections_learn(const struct sections *s, uint64_t reference, struct clock *clock)
{
	const struct section *section = sections_get(s, reference);

	/* who knows of its end knows all that was known there */
	if (section && clock_get(clock, section->slot) < section->release_time)
		clock_join(clock, &section->known);
}

void sections_follow(struct sections *s, const struct actor *t, const struct held *h,
		     struct clock *clock, const struct clock *also)
{
	bool learned = h->lock < s->locks.n;

	while (learned) { /* what is learned from one thread may tell of another's beginning */
		learned = false;
		for (size_t i = 0; i < s->locks.at[h->lock].by_slot.n; i++) {
			const struct queue *q = &s->locks.at[h->lock].by_slot.at[i];
			uint32_t time = clock_get(clock, q->slot);

			if (q->shared && h->shared)
				continue;
			if (also && clock_get(also, q->slot) > time)
				time = clock_get(also, q->slot);
			if (q->slot == t->slot) /* those of threads that had the slot before */
				time = t->start_time - 1;
			const struct queued *latest = queue_latest(q, time);

			if (!latest || clock_get(clock, q->slot) >= latest->release_time)
				continue;
			const struct section *section = sections_get(s, latest->section);

			if (section) {
				clock_join(clock, &section->known);
				learned = true;
			}
		}
	}
}

static void forget_queued(struct queue *q, const struct sections *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->v.n; i++)
		if (sections_get(s, q->v.at[i].section))
			q->v.at[kept++] = q->v.at[i];
	q->v.n = kept;
}

/* Forgetting */

bool sections_forget(struct sections *s, struct touches *const *touches, size_t n,
		     const struct clock *known_to_all, uint64_t bytes)
{
	uint32_t least = UINT32_MAX, most = 0;
	bool over = false;

	for (int round = 0; round < 2; round++) {
		s->kept_bytes = 0;
		for (size_t i = 0; i < s->all.n; i++) {
			struct section *section = &s->all.at[i];

			if (!(section->generation & 1))
				continue;
			bool known =
				section->release_time &&
				section->release_time <= clock_get(known_to_all, section->slot);
			bool old = section->release_time && over &&
				   section->number <= least + (most - least) / 2;

			if (known || old) {
				section->generation++;
				vec_push(&s->free, (uint32_t)i);
				continue;
			}
			least = section->number < least ? section->number : least;
			most = section->number > most ? section->number : most;
			s->kept_bytes += sizeof(*section) + section->known.n * sizeof(uint32_t);
		}
		if (!bytes || s->kept_bytes <= bytes)
			break;
		over = true;
	}
	for (size_t i = 0; i < n; i++)
		forget_touches(touches[i], s);
	for (size_t l = 0; l < s->locks.n; l++)
		for (size_t i = 0; i < s->locks.at[l].by_slot.n; i++)
			forget_queued(&s->locks.at[l].by_slot.at[i], s);
	return over;
}

void sections_collect(struct sections *s, struct touches *const *touches, size_t n, struct order *o)
{
	size_t kept = s->all.n - s->free.n;

	if (s->kept_bytes > o->bytes)
		o->bytes = s->kept_bytes;
	if (kept < 2 * s->kept_last + 1024 &&
	    (!o->limits.bytes || s->kept_bytes <= o->limits.bytes))
		return;
	if (sections_forget(s, touches, n, &o->known_to_all, o->limits.bytes))
		o->forgot = "the oldest critical sections, to stay within the memory limit";
	s->kept_last = s->all.n - s->free.n;
}

void touches_release(struct touches *t)
{
	mem_free(t->keys);
	vec_release(&t->all);
}

void sections_release(struct sections *s)
{
	for (size_t i = 0; i < s->all.n; i++)
		clock_release(&s->all.at[i].known);
	for (size_t l = 0; l < s->locks.n; l++) {
		for (size_t i = 0; i < s->locks.at[l].by_slot.n; i++)
			vec_release(&s->locks.at[l].by_slot.at[i].v);
		vec_release(&s->locks.at[l].by_slot);
	}
	vec_release(&s->all);
	vec_release(&s->free);
	vec_release(&s->locks);
}
