/* SPDX-License-Identifier: MIT */
#include "order/signatures.h"

#define PAIRS_FIRST 1024

static uint64_t next_random(struct signatures *s)
{
	s->random += 0x9e3779b97f4a7c15u;
	uint64_t x = s->random;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Signatures */

static uint32_t find_signature(struct signatures *s, uint32_t a, uint32_t b)
{
	uint64_t sites = signatures_both(a, b);

	/* no site has the number UINT32_MAX */
	struct signature_slot *slot = keyed_slot(&s->slots, sites + 1);

	if (!slot->key) {
		struct signature fresh = {.site = {(uint32_t)(sites >> 32), (uint32_t)sites}};

		vec_push(&s->all, fresh);
		*slot = (struct signature_slot){sites + 1, (uint32_t)s->all.n - 1};
		s->slots.n++;
	}
	return slot->number;
}

static void add_pair(struct signatures *s, struct signature *to, struct event_pair pair)
{
	/* windows do not come to their pairs in order */
	if (!to->pairs || pair.b < to->first.b || (pair.b == to->first.b && pair.a < to->first.a))
		to->first = pair;
	if (!to->pairs || pair.b - pair.a < to->closest.b - to->closest.a)
		to->closest = pair;
	to->pairs++;
	/* the first few, and then fewer and fewer: from all over the trace, at little cost */
	if (to->random_count < SIGNATURE_RANDOM_PAIRS)
		to->random[to->random_count++] = pair;
	else if (!(to->pairs & (to->pairs - 1)))
		to->random[next_random(s) % SIGNATURE_RANDOM_PAIRS] = pair;
}

void signatures_add(struct signatures *s, uint32_t site_a, uint32_t site_b, uint64_t a, uint64_t b)
{
	uint32_t found = find_signature(s, site_a, site_b);

	add_pair(s, &s->all.at[found], (struct event_pair){a, b});
}

/* Classes */

uint32_t signatures_class(struct signatures *s, const struct class_facts *facts, uint32_t flags)
{
	uint64_t site = (uint64_t)facts->site + 1;
	uint64_t key = (site << CLASS_FLAG_BITS | flags) << 32 | facts->lockset;
	struct class_slot *slot = keyed_slot(&s->classes, key);

	if (!slot->key) {
		uint32_t number = (uint32_t)s->facts.n + 1;

		ASSERT((number | site) >> (32 - CLASS_FLAG_BITS) == 0);
		*slot = (struct class_slot){key, number << CLASS_FLAG_BITS | flags};
		s->classes.n++;
		vec_push(&s->facts, *facts);
	}
	return slot->class;
}

static bool may_race(const struct signatures *s, uint32_t a, uint32_t b)
{
	const struct class_facts *x = signatures_facts(s, a), *y = signatures_facts(s, b);

	return ((a | b) & CLASS_WRITES) && !(a & b & CLASS_ATOMIC) &&
	       (!x->thread || x->thread != y->thread) &&
	       (x->lockset == LOCKSET_ANY || y->lockset == LOCKSET_ANY ||
		!lockset_table_excludes(&s->front->locksets, x->lockset, y->lockset));
}

static void set_closed(struct signatures *s, uint32_t a, uint32_t b)
{
	uint32_t x = a >> CLASS_FLAG_BITS, y = b >> CLASS_FLAG_BITS;

	if (x >= CLOSED_CLASSES || y >= CLOSED_CLASSES)
		return;
	if (!s->closed) /* pages that nobody reaches take no memory */
		s->closed = mem_alloc_zero((size_t)CLOSED_CLASSES * CLOSED_ROW, sizeof(*s->closed));
	s->closed[x * CLOSED_ROW + y / 64] |= (uint64_t)1 << y % 64;
	s->closed[y * CLOSED_ROW + x / 64] |= (uint64_t)1 << x % 64;
}

static bool is_any(const struct signatures *s, uint32_t a, uint32_t b)
{
	return signatures_facts(s, a)->lockset == LOCKSET_ANY ||
	       signatures_facts(s, b)->lockset == LOCKSET_ANY;
}

static uint32_t distance(struct event_pair pair)
{
	return pair.b - pair.a < PAIR_OPEN ? (uint32_t)(pair.b - pair.a) : PAIR_OPEN - 1;
}

void signatures_close_known(struct signatures *s, struct class_pair *pair)
{
	uint32_t x = (uint32_t)(pair->key >> 32), y = (uint32_t)pair->key;

	if (pair->closest != PAIR_OPEN || !is_any(s, x, y))
		return;
	uint64_t sites =
		signatures_both(signatures_facts(s, x)->site, signatures_facts(s, y)->site);
	const struct signature_slot *slot = keyed_find(&s->slots, sites + 1);

	if (!slot)
		return;
	pair->signature = slot->number;
	pair->closest = distance(s->all.at[slot->number].closest);
	set_closed(s, x, y);
}

struct class_pair *signatures_find_pair(struct signatures *s, uint64_t classes)
{
	uint32_t a = (uint32_t)(classes >> 32), b = (uint32_t)classes;

	if (!s->pairs.size)
		keyed_reserve(&s->pairs, PAIRS_FIRST);
	struct class_pair *pair = keyed_slot(&s->pairs, classes);

	if (!pair->key) {
		pair->key = classes;
		pair->closest = may_race(s, a, b) ? PAIR_OPEN : PAIR_NEVER;
		s->pairs.n++;
		if (pair->closest == PAIR_NEVER)
			set_closed(s, a, b);
		signatures_close_known(s, pair);
	}
	return pair;
}

void signatures_note(struct signatures *s, struct class_pair *pair, uint64_t a, uint64_t b)
{
	uint32_t apart = distance((struct event_pair){a, b});

	if (pair->closest == PAIR_OPEN) {
		uint32_t x = (uint32_t)(pair->key >> 32), y = (uint32_t)pair->key;

		pair->signature = find_signature(s, signatures_facts(s, x)->site,
						 signatures_facts(s, y)->site);
		set_closed(s, x, y);
	}
	if (apart < pair->closest)
		pair->closest = apart;
	add_pair(s, &s->all.at[pair->signature], (struct event_pair){a, b});
}

uint64_t signatures_bytes(const struct signatures *s)
{
	return s->all.n * sizeof(*s->all.at) + s->slots.size * sizeof(*s->slots.at) +
	       s->pairs.size * sizeof(*s->pairs.at) + s->classes.size * sizeof(*s->classes.at) +
	       s->facts.n * sizeof(*s->facts.at);
}

void signatures_release(struct signatures *s)
{
	vec_release(&s->all);
	mem_free(s->classes.at);
	vec_release(&s->facts);
	mem_free(s->slots.at);
	mem_free(s->pairs.at);
	mem_free(s->closed);
}
