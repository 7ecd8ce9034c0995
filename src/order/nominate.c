#include "order/nominate.h"

#define SWEEP_FROM ((uint64_t)16 << 20)
#define MEET_WITHIN 8 /* events: the pair is most likely the closest of its signature */
#define MEET_ONE_IN 32
#define SAMPLE_ONE_IN 8
#define SETTLE_ONE_IN 8
#define RENEW_ONE_IN 32u

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
	    groups_used(&n->memory) < 2 * n->used_after_sweep + SWEEP_FROM)
		return;
	n->known_at_sweep = known;
	for (size_t x = 0; x < n->variable_count; x++)
		if (n->variables[x].n)
			groups_sweep(&n->memory, &n->variables[x], &n->order->known_to_all);
	n->used_after_sweep = groups_used(&n->memory);
}

/* Accesses */

static struct place add_group(struct nominator *n, struct variable_groups *v, uint32_t class)
{
	/* some may be of no more use, if what threads know goes around at all */
	if (v->n && groups_full(v) && n->horizon > 1)
		groups_sweep(&n->memory, v, &n->order->known_to_all);
	return groups_add(&n->memory, v, class);
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
	const struct last_access *a = accesses_unordered(all, now);

	if (!a)
		return true;
	signatures_note(&n->signatures, pair, a->number, now->access.number);
	return false;
}

static bool is_settled(const struct nominator *n, const struct variable_groups *v, uint32_t class)
{
	for (uint32_t i = 0; i < GROUP_WAYS << v->size; i++) {
		uint32_t other = v->buckets[i / GROUP_WAYS].classes[i % GROUP_WAYS];

		if (other && signatures_open(&n->signatures, class, other))
			return false;
	}
	return true;
}

/* A group of this class is new: those are no longer settled that may have a race with it. */
static void unsettle(const struct nominator *n, const struct variable_groups *v, uint32_t class)
{
	for (uint32_t i = 0; i < GROUP_WAYS << v->size; i++) {
		struct group_bucket *b = &v->buckets[i / GROUP_WAYS];
		uint32_t way = i % GROUP_WAYS;

		if (b->classes[way] && b->settled[way] &&
		    signatures_open(&n->signatures, class, b->classes[way]))
			b->settled[way] = false;
	}
}

/* All the groups of the variable; true if nothing can be news to this one. */
static bool meet_all(struct nominator *n, const struct now *now, const struct variable_groups *v)
{
	bool open = false;

	for (uint32_t i = 0; i < GROUP_WAYS << v->size; i++) {
		const struct group_bucket *b = &v->buckets[i / GROUP_WAYS];

		if (b->classes[i % GROUP_WAYS])
			open |= meet_group(n, now, b->classes[i % GROUP_WAYS],
					   &b->accesses[i % GROUP_WAYS]);
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
	uint32_t class = b->classes[i % GROUP_WAYS];

	if (!class || !((class | now->class) & CLASS_WRITES))
		return;
	struct class_pair *pair = signatures_pair(&n->signatures, class, now->class);
	const struct last_access *a =
		pair->closest != PAIR_NEVER ? accesses_unordered(&b->accesses[i % GROUP_WAYS], now)
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
	bool fresh = !p.bucket;

	if (fresh)
		p = add_group(n, v, class);
	if (!p.bucket->settled[p.way] && meet_all(n, &now, v))
		p.bucket->settled[p.way] = true;
	if (fresh && !p.bucket->settled[p.way])
		unsettle(n, v, class);
	accesses_note(&n->memory, &p.bucket->accesses[p.way], &now);
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
		accesses_renew(&n->memory, all, &now);
}

/* At least that one; all that the trace has named so far. */
static void add_variables(struct nominator *n, uint32_t variable)
{
	size_t named = n->front->symbols->variables.n, count = n->variable_count * 2;

	if (count < named)
		count = named;
	if (count <= variable)
		count = (size_t)variable + 1;
	struct variable_groups *all = pool_array(count * sizeof(*all));

	if (n->variable_count)
		memcpy(all, n->variables, n->variable_count * sizeof(*all));
	memset(all + n->variable_count, 0, (count - n->variable_count) * sizeof(*all));
	mem_free(n->variables);
	n->variables = all;
	n->variable_count = count;
}

/* The variable's last access was the same, and nothing has happened to its thread. */
static inline bool repeats(const struct variable_groups *v, const struct now *now)
{
	return v->last_class == now->class && v->last.slot == now->access.slot &&
	       v->last.time == now->access.time;
}

void nominate_access(struct nominator *n, const struct actor *t, uint32_t variable, uint32_t class,
		     uint64_t number)
{
	const struct now now = now_of(n, t, class, number);

	if (__builtin_expect(variable >= n->variable_count, 0))
		add_variables(n, variable);
	struct variable_groups *v = &n->variables[variable];

	if (v->last.number < n->horizon) {
		if (v->n)
			groups_forget(&n->memory, v);
	} else if (v->n || v->last_class != class || unordered(&now, &v->last)) {
		if (!v->n)
			groups_start(&n->memory, v);
		struct place p = find_group(v, class);

		if ((!p.bucket || !p.bucket->settled[p.way] ||
		     !accesses_note_simply(&p.bucket->accesses[p.way], &now)) &&
		    !repeats(v, &now))
			look(n, t, v, class, number);
		if (++n->turn % MEET_ONE_IN == 0 || number - v->last.number < MEET_WITHIN)
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
		.horizon = 1,
		.times_taken = 1,
		.signatures.front = front,
	};
	groups_init(&n->memory);
}

uint64_t nominator_bytes(const struct nominator *n)
{
	return n->memory.buckets.bytes + n->memory.tables.bytes +
	       n->variable_count * sizeof(*n->variables) + signatures_bytes(&n->signatures);
}

void nominator_release(struct nominator *n)
{
	groups_release(&n->memory);
	signatures_release(&n->signatures);
	mem_free(n->variables);
	vec_release(&n->times);
}
