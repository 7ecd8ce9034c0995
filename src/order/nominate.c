#include "order/nominate.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t next_random(struct nominator *n)
{
	n->random += 0x9e3779b97f4a7c15u;
	uint64_t x = n->random;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static size_t slot_of(const struct nominator *n, uint32_t low, uint32_t high)
{
	uint64_t key = (uint64_t)low << 32 | high;
	size_t slot = XXH3_64bits(&key, sizeof(key)) & (n->slot_count - 1);

	for (; n->slots[slot]; slot = (slot + 1) & (n->slot_count - 1)) {
		const struct signature *s = &n->signatures.at[n->slots[slot] - 1];

		if (s->site[0] == low && s->site[1] == high)
			break;
	}
	return slot;
}

static void grow(struct nominator *n)
{
	mem_free(n->slots);
	n->slot_count = n->slot_count ? n->slot_count * 2 : 64;
	n->slots = mem_alloc_zero(n->slot_count, sizeof(*n->slots));
	for (size_t i = 0; i < n->signatures.n; i++) {
		const struct signature *s = &n->signatures.at[i];

		n->slots[slot_of(n, s->site[0], s->site[1])] = (uint32_t)i + 1;
	}
}

static uint32_t find_signature(struct nominator *n, uint32_t a, uint32_t b)
{
	uint32_t low = a < b ? a : b, high = a < b ? b : a;

	if (n->signatures.n * 2 >= n->slot_count)
		grow(n);
	size_t slot = slot_of(n, low, high);

	if (!n->slots[slot]) {
		struct signature fresh = {.site = {low, high}};

		vec_push(&n->signatures, fresh);
		n->slots[slot] = (uint32_t)n->signatures.n;
	}
	return n->slots[slot] - 1;
}

static void add_pair(struct nominator *n, struct signature *s, struct event_pair pair)
{
	if (!s->pairs)
		s->first = pair;
	if (!s->pairs || pair.b - pair.a < s->closest.b - s->closest.a)
		s->closest = pair;
	s->pairs++;
	/* every pair so far has the same chance to be among those kept */
	if (s->random_count < SIGNATURE_RANDOM_PAIRS) {
		s->random[s->random_count++] = pair;
	} else {
		uint64_t place = next_random(n) % s->pairs;

		if (place < SIGNATURE_RANDOM_PAIRS)
			s->random[place] = pair;
	}
}

void nominate_pair(struct nominator *n, uint32_t site_a, uint32_t site_b, uint64_t a, uint64_t b)
{
	uint32_t found = find_signature(n, site_a, site_b);

	add_pair(n, &n->signatures.at[found], (struct event_pair){a, b});
}

static void nominate(struct nominator *n, struct group *g, const struct access *a, uint32_t site)
{
	if (g->number == a->number)
		return;
	if (g->partner != site + 1) {
		g->partner_signature = find_signature(n, g->site, site);
		g->partner = site + 1;
	}
	add_pair(n, &n->signatures.at[g->partner_signature],
		 (struct event_pair){g->number, a->number});
}

static void add_group(struct nominator *n, struct groups *v, const struct group *g)
{
	if (v->n == v->capacity) {
		v->capacity = v->capacity ? v->capacity * 2 : 2;
		v->at = mem_resize(v->at, v->capacity * sizeof(*v->at));
	}
	v->at[v->n++] = *g;
	n->group_count++;
}

void nominate_access(struct nominator *n, const struct actor *t, const struct access *a,
		     uint32_t site, bool atomic)
{
	static const struct clock none;
	const struct order *o = n->order;
	const struct clock *clock =
		o->kind->clocks ? &o->relay.slots.at[t->slot].clock[o->kind->race_clock] : &none;
	const struct clock *mhb = &n->front->mhb.slots.at[t->slot].clock[0];

	vec_extend(&n->variables, (size_t)a->variable + 1);
	struct groups *v = &n->variables.at[a->variable];
	/* nobody else came since the thread was here: only its own group is to be renewed */
	bool alone = v->last_thread == t->thread + 1;
	struct group *own = NULL;

	for (uint32_t i = 0; i < v->n; i++) {
		struct group *g = &v->at[i];

		if (g->thread == t->thread) {
			if (g->site == site && g->lockset == t->lockset && g->writes == a->writes &&
			    g->atomic == atomic)
				own = g;
			if (own && alone && own->time == t->time)
				break;
			continue;
		}
		if (g->time <= clock_get(clock, g->slot) || g->time <= clock_get(mhb, g->slot)) {
			/* if all are past it, it can race with nothing any more */
			if (g->time <= clock_get(&o->known_to_all, g->slot)) {
				*g = v->at[--v->n];
				n->group_count--;
				if (own == &v->at[v->n])
					own = g;
				i--;
			}
			continue;
		}
		if ((g->writes || a->writes) && !(g->atomic && atomic) &&
		    !front_excludes(n->front, g->lockset, t->lockset))
			nominate(n, g, a, site);
	}
	v->last_thread = t->thread + 1;
	if (own) {
		own->time = t->time;
		own->number = a->number;
		return;
	}
	struct group fresh = {.thread = t->thread,
			      .slot = t->slot,
			      .time = t->time,
			      .lockset = t->lockset,
			      .site = site,
			      .writes = a->writes,
			      .atomic = atomic,
			      .number = a->number};

	add_group(n, v, &fresh);
}

void nominator_release(struct nominator *n)
{
	for (size_t i = 0; i < n->variables.n; i++)
		mem_free(n->variables.at[i].at);
	vec_release(&n->variables);
	vec_release(&n->signatures);
	mem_free(n->slots);
}
