#include "order/nominate.h"

#define SWEEP_FROM ((uint64_t)16 << 20)
#define SAMPLE_ONE_IN 16
#define SETTLE_ONE_IN 8

/* Arrays */

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

/* The access at hand, and what its thread knows. */
struct now {
	const struct clock *clock, *mhb; /* mhb: NULL if clock knows that too */
	uint32_t class;
	struct last_access access;
};

/* Accesses of that slot up to this time are ordered before. */
static uint32_t known_of(const struct now *now, uint32_t slot)
{
	uint32_t time = clock_get(now->clock, slot);

	if (now->mhb && clock_get(now->mhb, slot) > time)
		time = clock_get(now->mhb, slot);
	return time;
}

/* Those of its own slot, its own or of a thread that had it before, never are. */
static bool unordered(const struct now *now, const struct last_access *a)
{
	return a->slot != now->access.slot && a->time > known_of(now, a->slot);
}

/* The accesses of a group */

static uint32_t log2_of(uint32_t n) /* rounded up */
{
	return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

/* A table is always more than half full, and may be full. */
static uint32_t several_size(const struct group *g)
{
	return log2_of(g->several.n);
}

/* Where that slot stands in the table, or would; NULL if it does not and the table is full. */
static struct last_access *find_access(struct last_access *table, uint32_t size, uint32_t slot)
{
	uint32_t mask = (1u << size) - 1;

	for (uint32_t i = 0; i <= mask; i++) {
		struct last_access *a = &table[(slot + i) & mask];

		if (a->slot == slot || !a->time)
			return a;
	}
	return NULL;
}

static struct last_access *take_table(struct nominator *n, uint32_t size)
{
	struct last_access *table = take_array(n, &n->accesses, size, sizeof(*table));

	memset(table, 0, sizeof(*table) << size);
	return table;
}

/* Makes the group hold these accesses, at least one, all of different slots. */
static void put_accesses(struct nominator *n, struct group *g, const struct last_access *from,
			 uint32_t count)
{
	if (count == 1) {
		g->one = *from;
		return;
	}
	uint32_t size = log2_of(count);
	struct last_access *table = take_table(n, size);

	for (uint32_t i = 0; i < count; i++)
		*find_access(table, size, from[i].slot) = from[i];
	g->several.n = count;
	g->several.none = 0;
	g->several.at = table;
}

/* Keeps those that the access at hand is not ordered after, and it. */
static void renew_accesses(struct nominator *n, struct group *g, const struct now *now)
{
	uint32_t size = several_size(g), kept = 0;
	struct last_access *old = g->several.at;

	n->kept.n = 0;
	for (uint32_t i = 0; i < 1u << size; i++)
		if (old[i].time && unordered(now, &old[i]))
			vec_push(&n->kept, old[i]);
	vec_push(&n->kept, now->access);
	kept = (uint32_t)n->kept.n;
	give_array(n, &n->accesses, old, size, sizeof(*old));
	put_accesses(n, g, n->kept.at, kept);
}

static void note_access(struct nominator *n, struct group *g, const struct now *now)
{
	if (g->one.time) {
		struct last_access two[] = {g->one, now->access};

		if (unordered(now, &g->one))
			put_accesses(n, g, two, 2);
		else
			g->one = now->access;
		return;
	}
	if (!g->several.n) {
		g->one = now->access;
		return;
	}
	struct last_access *a = find_access(g->several.at, several_size(g), now->access.slot);

	/* now and then, as rarely as it takes long, what has become useless goes */
	if (!a || !(n->turn & ((4u << several_size(g)) - 1))) {
		renew_accesses(n, g, now);
		return;
	}
	g->several.n += !a->time;
	*a = now->access;
}

/* The groups of a variable */

static uint32_t place_of(uint32_t class, uint32_t size)
{
	return (uint32_t)((uint64_t)(class * 0x9e3779b1u) << size >> 32);
}

/* Where the class stands, or would. There is a place, unless all are taken by others: NULL */
static struct group *find_group(const struct variable_groups *v, uint32_t class)
{
	uint32_t mask = (1u << v->size) - 1, place = place_of(class, v->size);

	if (!v->groups)
		return NULL;
	for (uint32_t i = 0; i <= mask; i++) {
		struct group *g = &v->groups[(place + i) & mask];

		if (g->class == class || !g->class)
			return g;
	}
	return NULL;
}

static void resize_groups(struct nominator *n, struct variable_groups *v, uint32_t size)
{
	struct variable_groups old = *v;

	v->groups = take_array(n, &n->groups, size, sizeof(*v->groups));
	v->size = size;
	memset(v->groups, 0, sizeof(*v->groups) << size);
	if (!old.groups)
		return;
	for (uint32_t i = 0; i < 1u << old.size; i++)
		if (old.groups[i].class)
			*find_group(v, old.groups[i].class) = old.groups[i];
	give_array(n, &n->groups, old.groups, old.size, sizeof(*old.groups));
}

static struct group *add_group(struct nominator *n, struct variable_groups *v, uint32_t class)
{
	uint32_t room = v->size > 2 ? 3u << v->size >> 2 : 1u << v->size;

	if (!v->groups)
		resize_groups(n, v, 0);
	else if (v->n == room)
		resize_groups(n, v, v->size + 1);
	struct group *g = find_group(v, class);

	*g = (struct group){.class = class};
	v->n++;
	return g;
}

/* Comparing */

/* The last access of the group that is unordered with the one at hand, or NULL. */
static const struct last_access *find_unordered(const struct now *now, const struct group *g)
{
	const struct last_access *found = NULL;

	if (g->one.time)
		return unordered(now, &g->one) ? &g->one : NULL;
	for (uint32_t i = 0; g->several.n && i < 1u << several_size(g); i++) {
		const struct last_access *a = &g->several.at[i];

		if (a->time && unordered(now, a) && (!found || a->number > found->number))
			found = a;
	}
	return found;
}

/* False if their signature is known, or the classes cannot race. */
static bool meet_group(struct nominator *n, const struct now *now, const struct group *g)
{
	if (!((g->class | now->class) & CLASS_WRITES))
		return false;
	if (g->one.time && !unordered(now, &g->one))
		return true;
	struct class_pair *pair = signatures_pair(&n->signatures, g->class, now->class);

	if (pair->closest != PAIR_OPEN)
		return false;
	const struct last_access *a = find_unordered(now, g);

	if (!a)
		return true;
	signatures_note(&n->signatures, pair, a->number, now->access.number);
	return false;
}

static bool is_settled(const struct nominator *n, const struct variable_groups *v, uint32_t class)
{
	for (uint32_t i = 0; i < 1u << v->size; i++)
		if (v->groups[i].class &&
		    signatures_open(&n->signatures, class, v->groups[i].class))
			return false;
	return true;
}

/* All the groups of the variable, for an access of g. */
static void meet_all(struct nominator *n, const struct now *now, const struct variable_groups *v,
		     struct group *g)
{
	bool open = false;

	for (uint32_t i = 0; i < 1u << v->size; i++)
		if (v->groups[i].class)
			open |= meet_group(n, now, &v->groups[i]);
	/* what was ordered this time may be known nevertheless */
	if (!open || (n->turn % SETTLE_ONE_IN == 0 && is_settled(n, v, now->class)))
		g->settled = v->n;
}

/* For signatures that are known: a pair that may be closer, and some from anywhere. */
static void meet_more(struct nominator *n, const struct now *now, const struct variable_groups *v)
{
	if (v->last.time && ((v->last_class | now->class) & CLASS_WRITES) &&
	    unordered(now, &v->last)) {
		struct class_pair *pair =
			signatures_pair(&n->signatures, v->last_class, now->class);

		if (now->access.number - v->last.number < pair->closest)
			signatures_note(&n->signatures, pair, v->last.number, now->access.number);
	}
	if (n->turn % SAMPLE_ONE_IN)
		return;
	const struct group *g = &v->groups[place_of(n->turn, v->size)];

	if (!g->class || !((g->class | now->class) & CLASS_WRITES))
		return;
	struct class_pair *pair = signatures_pair(&n->signatures, g->class, now->class);
	const struct last_access *a = pair->closest != PAIR_NEVER ? find_unordered(now, g) : NULL;

	if (a)
		signatures_note(&n->signatures, pair, a->number, now->access.number);
}

void nominate_access(struct nominator *n, const struct actor *t, const struct access *a,
		     uint32_t site, bool atomic)
{
	const struct order *o = n->order;
	const struct clock *mhb = &n->front->mhb.slots.at[t->slot].clock[0];
	struct now now = {
		.clock = o->kind->clocks ? &o->relay.slots.at[t->slot].clock[o->kind->race_clock]
					 : mhb,
		/* clock[0] learns of every edge of MHB */
		.mhb = o->kind->race_clock ? mhb : NULL,
		.class = signatures_class(&n->signatures, site, t->lockset,
					  (a->writes ? CLASS_WRITES : 0) |
						  (atomic ? CLASS_ATOMIC : 0)),
		.access = {t->slot, t->time, a->number},
	};

	if (a->variable >= n->variables.n)
		vec_extend(&n->variables, (size_t)a->variable + 1);
	struct variable_groups *v = &n->variables.at[a->variable];
	struct group *g = find_group(v, now.class);

	n->turn++;
	if (!g || !g->class)
		g = add_group(n, v, now.class);
	if (g->settled != v->n)
		meet_all(n, &now, v, g);
	meet_more(n, &now, v);
	note_access(n, g, &now);
	v->last = now.access;
	v->last_class = now.class;
}

/* Sweeping */

/* Drops the accesses that all threads know of; false if none is left. */
static bool sweep_group(struct nominator *n, struct group *g, const struct clock *known_to_all)
{
	if (g->one.time)
		return g->one.time > clock_get(known_to_all, g->one.slot);
	uint32_t size = several_size(g);
	struct last_access *old = g->several.at;

	n->kept.n = 0;
	for (uint32_t i = 0; i < 1u << size; i++)
		if (old[i].time && old[i].time > clock_get(known_to_all, old[i].slot))
			vec_push(&n->kept, old[i]);
	if (n->kept.n == g->several.n)
		return true;
	give_array(n, &n->accesses, old, size, sizeof(*old));
	if (n->kept.n)
		put_accesses(n, g, n->kept.at, (uint32_t)n->kept.n);
	return n->kept.n;
}

static void sweep_variable(struct nominator *n, struct variable_groups *v,
			   const struct clock *known_to_all)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < 1u << v->size; i++) {
		struct group *g = &v->groups[i];

		if (g->class && !sweep_group(n, g, known_to_all))
			g->class = 0;
		g->settled = 0;
		left += g->class != 0;
	}
	if (left == v->n)
		return;
	v->n = left;
	if (left) {
		resize_groups(n, v, left > 4 ? log2_of(left + left / 3 + 1) : log2_of(left));
		return;
	}
	give_array(n, &n->groups, v->groups, v->size, sizeof(*v->groups));
	v->groups = NULL;
	v->size = 0;
}

void nominator_sweep(struct nominator *n)
{
	const struct clock *known_to_all = &n->order->known_to_all;

	if (!known_to_all->n || n->used < 2 * n->used_after_sweep + SWEEP_FROM)
		return;
	for (size_t x = 0; x < n->variables.n; x++)
		if (n->variables.at[x].n)
			sweep_variable(n, &n->variables.at[x], known_to_all);
	n->used_after_sweep = n->used;
}

void nominator_init(struct nominator *n, struct front *front, struct order *order)
{
	*n = (struct nominator){.front = front, .order = order, .signatures.front = front};
}

uint64_t nominator_bytes(const struct nominator *n)
{
	return n->bytes + n->variables.n * sizeof(*n->variables.at) +
	       signatures_bytes(&n->signatures);
}

void nominator_release(struct nominator *n)
{
	release_pool(&n->groups);
	release_pool(&n->accesses);
	signatures_release(&n->signatures);
	vec_release(&n->variables);
	vec_release(&n->kept);
}

void nominate_prefetch(const struct nominator *n, uint32_t near, uint32_t far)
{
	if (far < n->variables.n)
		__builtin_prefetch(&n->variables.at[far]);
	if (near < n->variables.n)
		__builtin_prefetch(n->variables.at[near].groups);
}
