#include "order/nominate.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SWEEP_FROM ((uint64_t)16 << 20)
#define MEET_ONE_IN 2
#define SAMPLE_ONE_IN 8
#define SETTLE_ONE_IN 8
#define RENEW_ONE_IN 32u

/* The access at hand, and what its thread knows. */
struct now {
	const struct clock *clock, *mhb; /* mhb: NULL if clock knows that too */
	uint32_t class;
	struct last_access access;
};

/* Accesses of that slot up to this time are ordered before. */
static inline uint32_t known_of(const struct now *now, uint32_t slot)
{
	uint32_t time = clock_get(now->clock, slot);

	if (now->mhb && clock_get(now->mhb, slot) > time)
		time = clock_get(now->mhb, slot);
	return time;
}

/* A thread knows its own time, so those of its slot (its own, or before it by MHB) never are. */
static inline bool unordered(const struct now *now, const struct last_access *a)
{
	return a->time > known_of(now, a->slot);
}

/* The accesses of a group */

static uint32_t log2_of(uint32_t n) /* rounded up */
{
	return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
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

/* Makes it these accesses, at least one, all of different slots. */
static void put_accesses(struct nominator *n, union last_accesses *to,
			 const struct last_access *from, uint32_t count)
{
	if (count == 1) {
		to->one = *from;
		return;
	}
	uint32_t size = log2_of(count); /* the table may be full */
	struct last_access *table = pool_take(&n->tables, size);

	memset(table, 0, sizeof(*table) << size);
	for (uint32_t i = 0; i < count; i++)
		*find_access(table, size, from[i].slot) = from[i];
	to->several.n = count;
	to->several.size = size;
	to->several.none = 0;
	to->several.at = table;
}

static void drop_table(struct nominator *n, union last_accesses *all)
{
	pool_give(&n->tables, all->several.at, all->several.size);
}

/* Keeps those of several that the access at hand is not ordered after, and it. */
static void renew_accesses(struct nominator *n, union last_accesses *all, const struct now *now)
{
	n->kept.n = 0;
	for (uint32_t i = 0; i < 1u << all->several.size; i++)
		if (unordered(now, &all->several.at[i]))
			vec_push(&n->kept, all->several.at[i]);
	vec_push(&n->kept, now->access);
	drop_table(n, all);
	put_accesses(n, all, n->kept.at, (uint32_t)n->kept.n);
}

static void note_access(struct nominator *n, union last_accesses *all, const struct now *now)
{
	if (all->one.time && unordered(now, &all->one)) {
		struct last_access two[] = {all->one, now->access};

		put_accesses(n, all, two, 2);
		return;
	}
	if (all->one.time || !all->several.n) {
		all->one = now->access;
		return;
	}
	struct last_access *a = find_access(all->several.at, all->several.size, now->access.slot);

	if (a) {
		all->several.n += !a->time;
		*a = now->access;
	} else {
		renew_accesses(n, all, now);
	}
}

/* The same if that is simple, as it most often is; else false. */
static inline bool note_simply(union last_accesses *all, const struct now *now)
{
	uint32_t slot = now->access.slot;
	bool one = all->one.time;
	struct last_access *a =
		one ? &all->one : &all->several.at[slot & ((1u << all->several.size) - 1)];

	if (!a->time || unordered(now, a) || !(one | (a->slot == slot)))
		return false;
	*a = now->access;
	return true;
}

/* The groups of a variable */

/* Where a group stands. */
struct place {
	struct group_bucket *bucket; /* NULL: nowhere */
	uint32_t way;
};

/* The ways with this class, as bits. Which one it is, is hard to predict: so no jumps. */
static inline uint32_t matching_ways(const struct group_bucket *b, uint32_t class)
{
#ifdef __SSE2__
	__m128i classes = _mm_loadu_si128((const __m128i *)b->class);

	return (uint32_t)_mm_movemask_ps(
		(__m128)_mm_cmpeq_epi32(classes, _mm_set1_epi32((int)class)));
#else
	return (b->class[0] == class) | (b->class[1] == class) << 1 | (b->class[2] == class) << 2 |
	       (b->class[3] == class) << 3;
#endif
}

static inline struct place find_group(const struct variable_groups *v, uint32_t class)
{
	uint32_t mask = (1u << v->size) - 1, home = groups_home(v, class);

	for (uint32_t i = 0; v->buckets && i <= mask; i++) {
		struct group_bucket *b = &v->buckets[(home + i) & mask];
		uint32_t found = matching_ways(b, class);

		if (found)
			return (struct place){b, (uint32_t)__builtin_ctz(found)};
		if (matching_ways(b, 0))
			break; /* it would be here */
	}
	return (struct place){0};
}

/* There is room. */
static struct place put_group(struct variable_groups *v, uint32_t class,
			      union last_accesses accesses)
{
	uint32_t mask = (1u << v->size) - 1, home = groups_home(v, class);

	while (!matching_ways(&v->buckets[home], 0))
		home = (home + 1) & mask;
	struct place p = {&v->buckets[home],
			  (uint32_t)__builtin_ctz(matching_ways(&v->buckets[home], 0))};

	p.bucket->class[p.way] = class;
	p.bucket->settled[p.way] = 0;
	p.bucket->accesses[p.way] = accesses;
	v->n++;
	return p;
}

/* One bucket may be full, of several three quarters. */
static uint32_t size_for(uint32_t groups)
{
	return groups <= GROUP_WAYS ? 0 : log2_of((groups + 2) / 3);
}

static void resize_groups(struct nominator *n, struct variable_groups *v, uint32_t size)
{
	struct variable_groups old = *v;

	v->buckets = pool_take(&n->buckets, size);
	v->size = size;
	v->n = 0;
	for (uint32_t i = 0; i < 1u << size; i++)
		memset(v->buckets[i].class, 0, sizeof(v->buckets[i].class));
	if (!old.buckets)
		return;
	for (uint32_t i = 0; i < GROUP_WAYS << old.size; i++) {
		const struct group_bucket *b = &old.buckets[i / GROUP_WAYS];
		uint32_t way = i % GROUP_WAYS;

		if (b->class[way])
			put_group(v, b->class[way], b -> accesses[way]);
	}
	pool_give(&n->buckets, old.buckets, old.size);
}

/* Sweeping */

/* Drops the accesses that all threads know of; false if none is left. */
static bool sweep_accesses(struct nominator *n, union last_accesses *all)
{
	const struct clock *known_to_all = &n->order->known_to_all;

	if (all->one.time)
		return all->one.time > clock_get(known_to_all, all->one.slot);
	n->kept.n = 0;
	for (uint32_t i = 0; i < 1u << all->several.size; i++) {
		const struct last_access *a = &all->several.at[i];

		if (a->time > clock_get(known_to_all, a->slot))
			vec_push(&n->kept, *a);
	}
	if (n->kept.n == all->several.n)
		return true;
	drop_table(n, all);
	if (n->kept.n)
		put_accesses(n, all, n->kept.at, (uint32_t)n->kept.n);
	return n->kept.n;
}

static void forget_variable(struct nominator *n, struct variable_groups *v)
{
	for (uint32_t i = 0; i < GROUP_WAYS << v->size; i++) {
		struct group_bucket *b = &v->buckets[i / GROUP_WAYS];
		uint32_t way = i % GROUP_WAYS;

		if (b->class[way] && !b->accesses[way].one.time)
			drop_table(n, &b->accesses[way]);
	}
	pool_give(&n->buckets, v->buckets, v->size);
	v->buckets = NULL;
	v->n = v->size = 0;
}

static void sweep_variable(struct nominator *n, struct variable_groups *v)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < GROUP_WAYS << v->size; i++) {
		struct group_bucket *b = &v->buckets[i / GROUP_WAYS];
		uint32_t way = i % GROUP_WAYS;

		if (b->class[way] && !sweep_accesses(n, &b->accesses[way]))
			b->class[way] = 0;
		left += b->class[way] != 0;
	}
	if (left == v->n)
		return;
	if (left)
		resize_groups(n, v, size_for(left));
	else
		forget_variable(n, v);
}

/* All that was there when the times were last taken is known to all: they are taken anew. */
static void move_horizon(struct nominator *n, uint64_t number)
{
	const struct front *f = n->front;

	for (size_t slot = 0; slot < n->times.n; slot++)
		if (clock_get(&n->order->known_to_all, (uint32_t)slot) < n->times.at[slot])
			return;
	n->horizon = n->times_taken;
	n->times_taken = number;
	n->times.n = 0;
	for (size_t slot = 0; slot < f->actors.n; slot++)
		vec_push(&n->times, f->actors.at[slot].time);
}

void nominator_collect(struct nominator *n, uint64_t number)
{
	if (!n->order->known_to_all.n)
		return;
	move_horizon(n, number);
	uint64_t known = 0;

	for (uint32_t slot = 0; slot < n->order->known_to_all.n; slot++)
		known += n->order->known_to_all.at[slot];
	if (known == n->known_at_sweep ||
	    n->buckets.used + n->tables.used < 2 * n->used_after_sweep + SWEEP_FROM)
		return;
	n->known_at_sweep = known;
	for (size_t x = 0; x < n->variables.n; x++)
		if (n->variables.at[x].n)
			sweep_variable(n, &n->variables.at[x]);
	n->used_after_sweep = n->buckets.used + n->tables.used;
}

/* Accesses */

static struct place add_group(struct nominator *n, struct variable_groups *v, uint32_t class)
{
	if (v->n && size_for(v->n + 1) > v->size && n->horizon > 1)
		sweep_variable(n, v);
	if (!v->buckets || size_for(v->n + 1) > v->size)
		resize_groups(n, v, size_for(v->n + 1));
	return put_group(v, class, (union last_accesses){0});
}

/* So far there was one access, or several of which only the last is of use: v->last. */
static void start_groups(struct nominator *n, struct variable_groups *v)
{
	resize_groups(n, v, 0);
	put_group(v, v->last_class, (union last_accesses){.one = v->last});
}

/* The last one of a group that is unordered with the access at hand, or NULL. */
static const struct last_access *find_unordered(const struct now *now,
						const union last_accesses *all)
{
	const struct last_access *found = NULL;

	if (all->one.time)
		return unordered(now, &all->one) ? &all->one : NULL;
	for (uint32_t i = 0; all->several.n && i < 1u << all->several.size; i++) {
		const struct last_access *a = &all->several.at[i];

		if (unordered(now, a) && (!found || a->number > found->number))
			found = a;
	}
	return found;
}

/* False if their signature is known, or the classes cannot race. */
static bool meet_group(struct nominator *n, const struct now *now, uint32_t class,
		       const union last_accesses *all)
{
	if (!((class | now->class) & CLASS_WRITES))
		return false;
	if (all->one.time && !unordered(now, &all->one))
		return true;
	struct class_pair *pair = signatures_pair(&n->signatures, class, now->class);

	if (pair->closest != PAIR_OPEN)
		return false;
	const struct last_access *a = find_unordered(now, all);

	if (!a)
		return true;
	signatures_note(&n->signatures, pair, a->number, now->access.number);
	return false;
}

static bool is_settled(const struct nominator *n, const struct variable_groups *v, uint32_t class)
{
	for (uint32_t i = 0; i < GROUP_WAYS << v->size; i++) {
		uint32_t other = v->buckets[i / GROUP_WAYS].class[i % GROUP_WAYS];

		if (other && signatures_open(&n->signatures, class, other))
			return false;
	}
	return true;
}

/* All the groups of the variable; true if nothing can be news to this one. */
static bool meet_all(struct nominator *n, const struct now *now, const struct variable_groups *v)
{
	bool open = false;

	for (uint32_t i = 0; i < GROUP_WAYS << v->size; i++) {
		const struct group_bucket *b = &v->buckets[i / GROUP_WAYS];

		if (b->class[i % GROUP_WAYS])
			open |= meet_group(n, now, b->class[i % GROUP_WAYS],
					   &b -> accesses[i % GROUP_WAYS]);
	}
	/* what was ordered this time may be known nevertheless */
	return !open || (n->turn % SETTLE_ONE_IN == 0 && is_settled(n, v, now->class));
}

/* For signatures that are known: a pair that may be closer, and some from anywhere. */
static void meet_more(struct nominator *n, const struct now *now, const struct variable_groups *v)
{
	if (((v->last_class | now->class) & CLASS_WRITES) && unordered(now, &v->last)) {
		struct class_pair *pair =
			signatures_pair(&n->signatures, v->last_class, now->class);

		if (now->access.number - v->last.number < pair->closest)
			signatures_note(&n->signatures, pair, v->last.number, now->access.number);
	}
	if (n->turn % SAMPLE_ONE_IN)
		return;
	uint32_t i = n->turn / SAMPLE_ONE_IN * 0x9e3779b1u >> 8;
	const struct group_bucket *b = &v->buckets[i / GROUP_WAYS & ((1u << v->size) - 1)];
	uint32_t class = b->class[i % GROUP_WAYS];

	if (!class || !((class | now->class) & CLASS_WRITES))
		return;
	struct class_pair *pair = signatures_pair(&n->signatures, class, now->class);
	const struct last_access *a = pair->closest != PAIR_NEVER
					      ? find_unordered(now, &b->accesses[i % GROUP_WAYS])
					      : NULL;

	if (a)
		signatures_note(&n->signatures, pair, a->number, now->access.number);
}

static inline struct now now_of(const struct nominator *n, const struct actor *t, uint32_t class,
				uint64_t number)
{
	return (struct now){
		.clock = &n->race_relay->slots.at[t->slot].clock[n->race_clock],
		/* clock[0] learns of every edge of MHB */
		.mhb = n->race_clock ? &n->front->mhb.slots.at[t->slot].clock[0] : NULL,
		.class = class,
		.access = {t->slot, t->time, number},
	};
}

static __attribute__((noinline)) void look(struct nominator *n, const struct actor *t,
					   struct variable_groups *v, uint32_t class,
					   uint64_t number)
{
	struct now now = now_of(n, t, class, number);
	struct place p = find_group(v, class);

	if (!p.bucket)
		p = add_group(n, v, class);
	if (p.bucket->settled[p.way] != v->n && meet_all(n, &now, v))
		p.bucket->settled[p.way] = v->n;
	note_access(n, &p.bucket->accesses[p.way], &now);
}

/* What is done now and then, for accesses that are noted. */
static __attribute__((noinline)) void look_around(struct nominator *n, const struct actor *t,
						  struct variable_groups *v, uint32_t class,
						  uint64_t number)
{
	struct now now = now_of(n, t, class, number);
	struct place p = find_group(v, class);
	union last_accesses *all = &p.bucket->accesses[p.way];

	meet_more(n, &now, v);
	/* as rarely as it takes long, what has become useless goes */
	if (!all->one.time && !(n->turn & ((RENEW_ONE_IN << all->several.size) - 1)))
		renew_accesses(n, all, &now);
}

/* At least that one; all that the trace has named so far. */
static void add_variables(struct nominator *n, uint32_t variable)
{
	size_t named = n->front->symbols->variables.n;
	size_t need = named > variable ? named : (size_t)variable + 1;

	vec_reserve(&n->variables, need);
	pool_advise(n->variables.at + n->variables.n,
		    (n->variables.capacity - n->variables.n) * sizeof(*n->variables.at));
	vec_extend(&n->variables, need);
}

void nominate_access(struct nominator *n, const struct actor *t, uint32_t variable, uint32_t class,
		     uint64_t number)
{
	const struct now now = now_of(n, t, class, number);

	if (__builtin_expect(variable >= n->variables.n, 0))
		add_variables(n, variable);
	struct variable_groups *v = &n->variables.at[variable];

	if (v->last.number < n->horizon) {
		if (v->n)
			forget_variable(n, v);
	} else if (v->last_class != class ||
		   (v->n ? v->last.slot != t->slot || v->last.time != t->time
			 : unordered(&now, &v->last))) {
		if (!v->n)
			start_groups(n, v);
		struct place p = find_group(v, class);

		if (!p.bucket || p.bucket->settled[p.way] != v->n ||
		    !note_simply(&p.bucket->accesses[p.way], &now))
			look(n, t, v, class, number);
		if (++n->turn % MEET_ONE_IN == 0)
			look_around(n, t, v, class, number);
	}
	v->last = now.access;
	v->last_class = class;
}

void nominator_init(struct nominator *n, struct front *front, struct order *order)
{
	*n = (struct nominator){
		.front = front,
		.order = order,
		.race_relay = order->kind->clocks ? &order->relay : &front->mhb,
		.race_clock = order->kind->race_clock,
		.buckets.item = sizeof(struct group_bucket),
		.tables.item = sizeof(struct last_access),
		.horizon = 1,
		.times_taken = 1,
		.signatures.front = front,
	};
}

uint64_t nominator_bytes(const struct nominator *n)
{
	return n->buckets.bytes + n->tables.bytes + n->variables.n * sizeof(*n->variables.at) +
	       signatures_bytes(&n->signatures);
}

void nominator_release(struct nominator *n)
{
	pool_release(&n->buckets);
	pool_release(&n->tables);
	signatures_release(&n->signatures);
	vec_release(&n->variables);
	vec_release(&n->kept);
	vec_release(&n->times);
}
