#include "order/nominate.h"

static uint64_t next_random(struct nominator *n)
{
	n->random += 0x9e3779b97f4a7c15u;
	uint64_t x = n->random;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* The slot of the signature with these sites, the lower one in the upper half. */
static size_t slot_of(const struct nominator *n, uint64_t sites)
{
	size_t slot = (sites * 0x9e3779b97f4a7c15u >> 32) & (n->slot_count - 1);

	while (n->slots[slot].number && n->slots[slot].sites != sites)
		slot = (slot + 1) & (n->slot_count - 1);
	return slot;
}

static void grow(struct nominator *n)
{
	struct signature_slot *old = n->slots;
	size_t old_count = n->slot_count;

	n->slot_count = old_count ? old_count * 2 : 64;
	n->slots = mem_alloc_zero(n->slot_count, sizeof(*n->slots));
	for (size_t i = 0; i < old_count; i++)
		if (old[i].number)
			n->slots[slot_of(n, old[i].sites)] = old[i];
	mem_free(old);
}

static uint32_t find_signature(struct nominator *n, uint32_t a, uint32_t b)
{
	uint32_t low = a < b ? a : b, high = a < b ? b : a;
	uint64_t sites = (uint64_t)low << 32 | high;

	if (n->signatures.n * 2 >= n->slot_count)
		grow(n);
	struct signature_slot *slot = &n->slots[slot_of(n, sites)];

	if (!slot->number) {
		struct signature fresh = {.site = {low, high}};

		vec_push(&n->signatures, fresh);
		*slot = (struct signature_slot){sites, (uint32_t)n->signatures.n};
	}
	return slot->number - 1;
}

static void add_pair(struct nominator *n, struct signature *s, struct event_pair pair)
{
	/* windows do not come to their pairs in order */
	if (!s->pairs || pair.b < s->first.b || (pair.b == s->first.b && pair.a < s->first.a))
		s->first = pair;
	if (!s->pairs || pair.b - pair.a < s->closest.b - s->closest.a)
		s->closest = pair;
	s->pairs++;
	/* the first few, and then fewer and fewer: from all over the trace, at little cost */
	if (s->random_count < SIGNATURE_RANDOM_PAIRS)
		s->random[s->random_count++] = pair;
	else if (!(s->pairs & (s->pairs - 1)))
		s->random[next_random(n) % SIGNATURE_RANDOM_PAIRS] = pair;
}

void nominate_pair(struct nominator *n, uint32_t site_a, uint32_t site_b, uint64_t a, uint64_t b)
{
	uint32_t found = find_signature(n, site_a, site_b);

	add_pair(n, &n->signatures.at[found], (struct event_pair){a, b});
}

/* Buckets and groups */

#define SWEEP_FROM ((uint64_t)16 << 20)
#define BUCKET_SIZE (sizeof(struct bucket) + sizeof(struct glance))
#define GROUP_SIZE (sizeof(struct group) + 2 * sizeof(uint32_t)) /* with its part of the table */

static void *take_array(struct nominator *n, struct array_pool *pool, uint32_t size, size_t item)
{
	n->used += item << size;
	if (pool->spare[size].n)
		return pool->spare[size].at[--pool->spare[size].n];
	n->bytes += item << size;
	return arena_alloc(&pool->memory, item << size);
}

static void give_array(struct nominator *n, struct array_pool *pool, void *array, uint32_t size,
		       size_t item)
{
	n->used -= item << size;
	vec_push(&pool->spare[size], array);
}

static void release_pool(struct array_pool *pool)
{
	for (int size = 0; size < SPARE_SIZES; size++)
		vec_release(&pool->spare[size]);
	arena_release(&pool->memory);
}

static struct bucket *find_bucket(struct buckets *v, const struct actor *t)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (v->glances[i].slot == t->slot && v->at[i].thread == t->thread)
			return &v->at[i];
	return NULL;
}

static void drop_bucket(struct nominator *n, struct buckets *v, uint32_t place)
{
	give_array(n, &n->groups, v->at[place].at, v->at[place].size, GROUP_SIZE);
	v->at[place] = v->at[--v->n];
	v->glances[place] = v->glances[v->n];
	v->last = UINT32_MAX; /* it only helps to find close pairs */
}

static bool is_group(const struct group *g, const struct group *like)
{
	return g->site == like->site && g->lockset == like->lockset && g->writes == like->writes &&
	       g->atomic == like->atomic;
}

static uint32_t *table_of(const struct bucket *b)
{
	return (uint32_t *)(b->at + ((size_t)1 << b->size));
}

/* Where the group stands in the table, or would. */
static uint32_t *find_place(const struct bucket *b, const struct group *like)
{
	uint32_t mask = (2u << b->size) - 1;
	uint32_t slot = like->site * 0x9e3779b9u + like->lockset * 0x85ebca6bu;
	uint32_t *table = table_of(b);

	for (slot = (slot >> 16 ^ slot) & mask; table[slot]; slot = (slot + 1) & mask)
		if (is_group(&b->at[table[slot] - 1], like))
			break;
	return &table[slot];
}

static struct group *find_group(const struct bucket *b, const struct group *like)
{
	uint32_t place = *find_place(b, like);

	return place ? &b->at[place - 1] : NULL;
}

static struct group *take_groups(struct nominator *n, uint32_t size)
{
	struct group *groups = take_array(n, &n->groups, size, GROUP_SIZE);

	memset(groups + ((size_t)1 << size), 0, (2 * sizeof(uint32_t)) << size);
	return groups;
}

static void grow_buckets(struct nominator *n, struct buckets *v)
{
	struct bucket *grown = take_array(n, &n->buckets, v->size, BUCKET_SIZE);
	struct glance *glances = (struct glance *)(grown + ((size_t)1 << v->size));

	if (v->n) {
		memcpy(grown, v->at, v->n * sizeof(*grown));
		memcpy(glances, v->glances, v->n * sizeof(*glances));
		give_array(n, &n->buckets, v->at, v->size - 1, BUCKET_SIZE);
	}
	v->at = grown;
	v->glances = glances;
	v->size++;
}

static struct bucket *add_bucket(struct nominator *n, struct buckets *v, const struct actor *t)
{
	if (v->n == (1u << v->size) / 2)
		grow_buckets(n, v);
	v->glances[v->n] = (struct glance){.slot = t->slot};
	v->at[v->n] =
		(struct bucket){.at = take_groups(n, 0), .thread = t->thread, .newest = NO_GROUP};
	return &v->at[v->n++];
}

static void put_first(struct bucket *b, uint32_t place)
{
	b->at[place].newer = NO_GROUP;
	b->at[place].older = b->newest;
	if (b->newest != NO_GROUP)
		b->at[b->newest].newer = place;
	b->newest = place;
}

static void make_newest(struct bucket *b, struct group *g)
{
	if (g->newer == NO_GROUP)
		return;
	b->at[g->newer].older = g->older;
	if (g->older != NO_GROUP)
		b->at[g->older].newer = g->newer;
	put_first(b, (uint32_t)(g - b->at));
}

static struct group *add_group(struct nominator *n, struct bucket *b, const struct group *like)
{
	if (b->n == 1u << b->size) {
		struct group *old = b->at;

		b->at = take_groups(n, b->size + 1);
		memcpy(b->at, old, b->n * sizeof(*old));
		give_array(n, &n->groups, old, b->size, GROUP_SIZE);
		b->size++;
		for (uint32_t i = 0; i < b->n; i++)
			*find_place(b, &b->at[i]) = i + 1;
	}
	b->at[b->n] = *like;
	put_first(b, b->n);
	*find_place(b, like) = b->n + 1;
	return &b->at[b->n++];
}

/* Comparing */

/* The access at hand, as the group that it belongs to, and what its thread knows. */
struct now {
	const struct clock *clock, *mhb; /* mhb: NULL if clock knows that too */
	const struct group *own;
};

/* Accesses of that slot up to this time are ordered before. */
static uint32_t known_of(const struct now *now, uint32_t slot)
{
	uint32_t time = clock_get(now->clock, slot);

	if (now->mhb && clock_get(now->mhb, slot) > time)
		time = clock_get(now->mhb, slot);
	return time;
}

static void nominate(struct nominator *n, const struct now *now, struct group *g)
{
	const struct group *own = now->own;

	if (!(g->writes || own->writes) || (g->atomic && own->atomic) || g->number == own->number ||
	    front_excludes(n->front, g->lockset, own->lockset))
		return;
	if (g->partner != own->site + 1) {
		g->partner_signature = find_signature(n, g->site, own->site);
		g->partner = own->site + 1;
	}
	add_pair(n, &n->signatures.at[g->partner_signature],
		 (struct event_pair){g->number, own->number});
}

/* What was news of the bucket since `met` and is not known. */
static void meet_bucket(struct nominator *n, const struct now *now, struct bucket *b,
			uint32_t known, uint64_t met)
{
	for (uint32_t i = b->newest; i != NO_GROUP; i = b->at[i].older) {
		/* what comes is older: known as well, or met before */
		if (b->at[i].time <= known || b->at[i].number <= met)
			break;
		if (b->at[i].fresh > met)
			nominate(n, now, &b->at[i]);
	}
}

/* All the news of other threads since `met`. */
static void meet_all(struct nominator *n, const struct now *now, struct buckets *v,
		     const struct actor *t, uint64_t met)
{
	const struct clock *known_to_all = &n->order->known_to_all;

	for (uint32_t i = 0; i < v->n; i++) {
		struct glance *g = &v->glances[i];

		if (g->slot == t->slot)
			continue; /* its own, or of a thread before it by MHB */
		uint32_t known = known_of(now, g->slot);

		if (g->time > known && v->at[i].fresh > met)
			meet_bucket(n, now, &v->at[i], known, met);
		/* if all are past its last access, it races with nothing more */
		if (g->time <= clock_get(known_to_all, g->slot))
			drop_bucket(n, v, i--);
		else if (known > g->passed)
			g->passed = known;
	}
}

/* The last access of all, if it is another thread's: the pair may be closer than those known. */
static void meet_last(struct nominator *n, const struct now *now, struct buckets *v,
		      const struct actor *t)
{
	if (v->last >= v->n || v->glances[v->last].slot == t->slot)
		return;
	struct bucket *b = &v->at[v->last];

	if (v->glances[v->last].time > known_of(now, v->glances[v->last].slot))
		nominate(n, now, &b->at[b->newest]);
}

void nominate_access(struct nominator *n, const struct actor *t, const struct access *a,
		     uint32_t site, bool atomic)
{
	const struct order *o = n->order;
	const struct clock *mhb = &n->front->mhb.slots.at[t->slot].clock[0];
	struct group like = {.time = t->time,
			     .lockset = t->lockset,
			     .site = site,
			     .writes = a->writes,
			     .atomic = atomic,
			     .number = a->number,
			     .fresh = a->number,
			     .met = a->number};
	struct now now = {
		.clock = o->kind->clocks ? &o->relay.slots.at[t->slot].clock[o->kind->race_clock]
					 : mhb,
		/* clock[0] learns of every edge of MHB */
		.mhb = o->kind->race_clock ? mhb : NULL,
		.own = &like,
	};

	if (a->variable >= n->variables.n)
		vec_extend(&n->variables, (size_t)a->variable + 1);
	struct buckets *v = &n->variables.at[a->variable];
	struct bucket *b = find_bucket(v, t);
	struct group *own = b ? find_group(b, &like) : NULL;

	if (own && own->news == v->news) {
		meet_last(n, &now, v, t);
		like.met = own->met;
	} else {
		meet_all(n, &now, v, t, own ? own->met : 0);
		b = find_bucket(v, t); /* others may have gone */
	}
	if (!b)
		b = add_bucket(n, v, t);
	struct glance *glance = &v->glances[b - v->at];

	if (!own) {
		own = add_group(n, b, &like);
		b->fresh = a->number;
		v->news++;
	} else {
		make_newest(b, own);
		if (own->time <= glance->passed && own->time != t->time) {
			b->fresh = own->fresh = a->number;
			v->news++;
		}
	}
	glance->time = own->time = t->time;
	own->number = a->number;
	own->met = like.met;
	own->news = v->news; /* its own access is no news to it */
	v->last = (uint32_t)(b - v->at);
}

void nominator_sweep(struct nominator *n)
{
	const struct clock *known_to_all = &n->order->known_to_all;

	if (!known_to_all->n || n->used < 2 * n->used_after_sweep + SWEEP_FROM)
		return;
	for (size_t x = 0; x < n->variables.n; x++) {
		struct buckets *v = &n->variables.at[x];

		for (uint32_t i = 0; i < v->n; i++)
			if (v->glances[i].time <= clock_get(known_to_all, v->glances[i].slot))
				drop_bucket(n, v, i--);
	}
	n->used_after_sweep = n->used;
}

void nominator_release(struct nominator *n)
{
	release_pool(&n->groups);
	release_pool(&n->buckets);
	vec_release(&n->variables);
	vec_release(&n->signatures);
	mem_free(n->slots);
}

void nominate_prefetch(const struct nominator *n, uint32_t near, uint32_t far)
{
	if (far < n->variables.n)
		__builtin_prefetch(&n->variables.at[far]);
	if (near < n->variables.n && n->variables.at[near].n) {
		__builtin_prefetch(n->variables.at[near].glances);
		__builtin_prefetch(n->variables.at[near].at);
	}
}
