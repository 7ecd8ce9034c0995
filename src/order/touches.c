/* SPDX-License-Identifier: MIT */
#include "order/touches.h"

#include "order/section_log.h"

static uint64_t key_of(uint32_t a, uint32_t b)
{
	return ((uint64_t)a + 1) << 32 | b;
}

struct touch_key *touches_find(const struct touches *t, uint32_t a, uint32_t b)
{
	return keyed_find(&t->keys, key_of(a, b));
}

struct touch_key *touches_of(struct touches *t, uint32_t a, uint32_t b)
{
	struct touch_key *key = keyed_slot(&t->keys, key_of(a, b));

	if (!key->key) {
		key->key = key_of(a, b);
		t->keys.n++;
	}
	return key;
}

/* Lists */

static void drop_first(struct touches *t, uint32_t *list)
{
	uint32_t place = *list;

	*list = t->all.at[place - 1].next;
	t->all.at[place - 1].next = t->free;
	t->free = place;
}

void touches_clear(struct touches *t, uint32_t *list)
{
	while (*list)
		drop_first(t, list);
}

/* Of each thread the newest is left, and of those that are not shared. */
static void drop_repeated(struct touches *t, uint32_t *list)
{
	struct touch *first = touch_at(t, *list);
	uint32_t threads = 0;

	t->round++;
	for (uint32_t *next = list; *next;) {
		struct touch *touch = touch_at(t, *next);

		vec_extend(&t->seen, 2 * (size_t)touch->thread + 2);
		uint64_t *seen = &t->seen.at[2 * (size_t)touch->thread];

		if (seen[0] == t->round || (touch->shared && seen[1] == t->round)) {
			drop_first(t, next);
			continue;
		}
		seen[touch->shared] = t->round;
		next = &touch->next;
		threads++;
	}
	first->length = first->threads = threads;
}

void touches_add(struct touches *t, uint32_t *list, uint32_t thread, bool shared, uint64_t section)
{
	const struct touch *first = touch_at(t, *list);

	/* who may conflict with one that is shared may do so with one that is not */
	if (first && first->thread == thread && (first->shared || !shared)) {
		drop_first(t, list);
		first = touch_at(t, *list);
	}
	struct touch fresh = {.thread = thread,
			      .next = *list,
			      .shared = shared,
			      .length = first ? first->length + 1 : 1,
			      .threads = first ? first->threads : 0,
			      .section = section};
	uint32_t place = t->free;

	if (place) {
		t->free = t->all.at[place - 1].next;
		t->all.at[place - 1] = fresh;
	} else {
		vec_push(&t->all, fresh);
		place = (uint32_t)t->all.n;
	}
	*list = place;
	if (fresh.length > 2 * fresh.threads + 8)
		drop_repeated(t, list);
}

void touches_cut(struct touches *t, uint32_t *list)
{
	const struct touch *first = touch_at(t, *list);

	TOUCH_EACH (touch, t, first->next) {
		if (!touch->shared && touch->thread != first->thread) {
			touches_clear(t, &touch->next);
			return;
		}
	}
}

static void learn(const struct touches *t, uint32_t list, const struct section_log *s,
		  const struct actor *actor, const struct open_section *h, struct clock *clock)
{
	TOUCH_EACH (other, t, list)
		if (other->thread != actor->thread && !(other->shared && h->shared))
			section_log_learn(s, other->section, clock);
}

void touches_apply(struct touches *touches, const struct section_log *s, const struct actor *t,
		   const struct access *a, struct clock *clock, bool hb)
{
	for (size_t i = 0; a->counts && i < t->open.n; i++) {
		const struct open_section *h = &t->open.at[i];
		struct touch_key *key = touches_of(touches, h->lock, a->variable);

		learn(touches, key->writers, s, t, h, clock);
		if (!a->writes) {
			touches_add(touches, &key->readers, t->thread, h->shared, h->section);
			if (hb && !h->shared)
				touches_cut(touches, &key->readers);
			continue;
		}
		learn(touches, key->readers, s, t, h, clock);
		/* all that follows conflicts with this one, which has learned of those before */
		if (!h->shared) {
			touches_clear(touches, &key->writers);
			touches_clear(touches, &key->readers);
		}
		touches_add(touches, &key->writers, t->thread, h->shared, h->section);
	}
}

/* Forgetting */

static void mark_list(const struct touches *t, uint32_t list, struct section_log *s)
{
	TOUCH_EACH (touch, t, list)
		section_log_mark(s, touch->section);
}

void touches_mark(const struct touches *t, struct section_log *s)
{
	for (size_t i = 0; i < t->keys.size; i++) {
		mark_list(t, t->keys.at[i].writers, s);
		mark_list(t, t->keys.at[i].readers, s);
	}
}

static void forget_list(struct touches *t, uint32_t *list, const struct section_log *s)
{
	while (*list)
		if (section_log_get(s, touch_at(t, *list)->section))
			list = &t->all.at[*list - 1].next;
		else
			drop_first(t, list);
}

void touches_forget(struct touches *t, const struct section_log *s)
{
	struct touch_key *old = t->keys.at;

	t->keys.at = mem_alloc_zero(t->keys.size, sizeof(*old));
	t->keys.n = 0;
	for (size_t i = 0; i < t->keys.size; i++) {
		forget_list(t, &old[i].writers, s);
		forget_list(t, &old[i].readers, s);
		if (old[i].writers || old[i].readers) {
			*keyed_slot(&t->keys, old[i].key) = old[i];
			t->keys.n++;
		}
	}
	mem_free(old);
}

void touches_release(struct touches *t)
{
	mem_free(t->keys.at);
	vec_release(&t->all);
	vec_release(&t->seen);
}
