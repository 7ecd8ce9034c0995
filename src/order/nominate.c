/* SPDX-License-Identifier: MIT */
#include "order/nominate.h"

#include "order/mixed.h"

#define SWEEP_FROM ((uint64_t)16 << 20)
#define MEET_WITHIN 8 /* events: their pair may be the closest of its signature */
#define MEET_ONE_IN 32
#define RENEW_ONE_IN 32u
#define SETTLE_ONE_IN 64u
#define CACHE_LINE 64
#define FIRST_HORIZON ((uint64_t)1 << WHO_SLOT_BITS) /* no event is before the first */

/* All that was there when the times were last taken is known to all: they are taken anew. */
static void move_horizon(struct nominator *n, uint64_t number)
{
	const struct front *f = n->front;

	for (size_t slot = 0; slot < n->times.n; slot++)
		if (clock_get(&n->order->known_to_all, (uint32_t)slot) < n->times.at[slot])
			return;
	n->horizon = n->times_taken;
	n->times_taken = number << WHO_SLOT_BITS;
	n->times.n = 0;
	for (size_t slot = 0; slot < f->actors.n; slot++)
		vec_push(&n->times, f->actors.at[slot].time);
}

_Static_assert(ACTOR_SLOT_BITS <= WHO_SLOT_BITS, "who has room for every slot");

void nominator_collect(struct nominator *n, uint64_t number)
{
	ASSERT(number >> WHO_NUMBER_BITS == 0);
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
		if (has_groups(&n->variables[x]))
			groups_sweep(&n->memory, &n->variables[x], &n->order->known_to_all);
	n->used_after_sweep = groups_used(&n->memory);
}

/* Accesses */

static struct place add_group(struct nominator *n, struct variable_groups *v, uint32_t class)
{
	struct place p = {0};

	if (!array_size(v->own[0].who)) /* most often there is but one line */
		p = line_add(groups_lines(v), class);
	if (p.line)
		return p;
	/* some may be of no more use, if what threads know goes around at all */
	if (groups_full(v) && n->horizon > FIRST_HORIZON)
		groups_sweep(&n->memory, v, &n->order->known_to_all);
	return groups_add(&n->memory, v, class);
}

_Static_assert(CLASS_WRITES == 1, "classes that write are odd");

/* The groups of a line that may have news for this class, as bits; most often none. */
static inline uint32_t open_ways(const struct signatures *s, const struct line *l, uint32_t class)
{
	const uint64_t *closed = signatures_closed_row(s, class);
	uint32_t ways = odd_ways(l) | -(class & CLASS_WRITES);

	for (uint32_t way = 0; closed && way < LINE_WAYS; way++)
		ways &= ~(signatures_in_row(closed, l->classes[way]) << way);
	return ways & ~matching_ways(l, 0) & ((1u << LINE_WAYS) - 1);
}

/* If one of both classes has any set of locks: do the sets at hand exclude each other? */
static inline bool excluded(const struct nominator *n, uint32_t class, uint32_t lockset,
			    const struct now *now)
{
	return (class | now->class) & CLASS_MIXED &&
	       lockset_table_excludes(&n->front->locksets, lockset, now->lockset);
}

/* The last one of that group that races with the access at hand, or 0. */
static uint64_t racing_in(struct nominator *n, const struct now *now, const struct line *l,
			  uint32_t way)
{
	uint32_t class = l->classes[way];
	uint64_t number = groups_unordered(&n->memory, l, way, now);

	/* a mixed group looks at the sets itself */
	if (number && now->class & CLASS_MIXED & ~class &&
	    excluded(n, class, signatures_facts(&n->signatures, class)->lockset, now))
		return 0;
	return number;
}

/*
 * They conflict. False if their signature is known, or the classes cannot race. To look for that
 * costs more than to look for a race: that is done only now and then (settle).
 */
static bool meet_group(struct nominator *n, const struct now *now, const struct line *l,
		       uint32_t way, bool settle)
{
	struct class_pair *pair = NULL;

	if (settle) {
		pair = signatures_pair(&n->signatures, l->classes[way], now->class);
		signatures_close_known(&n->signatures, pair);
		if (pair->closest != PAIR_OPEN)
			return false;
	}
	uint64_t number = racing_in(n, now, l, way);

	if (!number)
		return true;
	if (!pair)
		pair = signatures_pair(&n->signatures, l->classes[way], now->class);
	if (pair->closest == PAIR_OPEN)
		signatures_note(&n->signatures, pair, number, now->number);
	return false;
}

/* All the groups of the variable; true if nothing can be news to this one, which may be fresh. */
static bool meet_all(struct nominator *n, const struct now *now, struct variable_groups *v,
		     bool fresh)
{
	struct line *l = groups_lines(v), *end = l + groups_line_count(v);
	bool settled = true;
	bool settle = n->turn % SETTLE_ONE_IN == 0;

	for (; l < end; l++)
		for (uint32_t ways = open_ways(&n->signatures, l, now->class); ways;
		     ways &= ways - 1) {
			uint32_t way = (uint32_t)__builtin_ctz(ways);

			if (!meet_group(n, now, l, way, settle))
				continue;
			settled = false;
			if (fresh)
				l->who[way] &= ~SETTLED;
		}
	return settled;
}

/* The last access to the variable: its pair may be closer than what is known of a signature. */
static void meet_recent(struct nominator *n, const struct now *now, const struct recent *last)
{
	if (!((last->class | now->class) & CLASS_WRITES) ||
	    !unordered(now, last->time, last->who) || excluded(n, last->class, last->lockset, now))
		return;
	struct class_pair *pair = signatures_pair(&n->signatures, last->class, now->class);

	if (now->number - who_number(last->who) < pair->closest)
		signatures_note(&n->signatures, pair, who_number(last->who), now->number);
}

/* One from anywhere. */
static void meet_any(struct nominator *n, const struct now *now, const struct variable_groups *v)
{
	uint32_t any = n->turn / MEET_ONE_IN * 0x9e3779b1u >> 8, way = any % LINE_WAYS;
	const struct line *l = &groups_lines(v)[any / LINE_WAYS & (groups_line_count(v) - 1)];
	uint32_t class = l->classes[way];

	if (!class || !((class | now->class) & CLASS_WRITES))
		return;
	struct class_pair *pair = signatures_pair(&n->signatures, class, now->class);
	uint64_t number = pair->closest != PAIR_NEVER ? racing_in(n, now, l, way) : 0;

	if (number)
		signatures_note(&n->signatures, pair, number, now->number);
}

static inline struct now now_of(const struct nominator *n, const struct actor *t, uint32_t class,
				uint64_t number)
{
	return (struct now){
		.clock = &n->race_clocks->slots.at[t->slot].clock[n->race_clock],
		/* clock[0] learns of every edge of MHB */
		.mhb = n->race_clock ? &n->front->mhb.slots.at[t->slot].clock[0] : NULL,
		.class = class,
		.slot = t->slot,
		.time = t->time,
		.lockset = t->lockset,
		.number = number,
	};
}

static __attribute__((noinline)) void look(struct nominator *n, const struct actor *t,
					   struct variable_groups *v, struct place p,
					   uint32_t class, uint64_t number)
{
	struct now now = now_of(n, t, class, number);
	bool fresh = !p.line;

	if (fresh)
		p = add_group(n, v, class);
	uint64_t *who = &p.line->who[p.way];

	if (!(*who & SETTLED) && meet_all(n, &now, v, fresh))
		*who |= SETTLED;
	groups_note(&n->memory, p, &now);
}

/* What is done now and then, for accesses that are noted. */
static __attribute__((noinline)) void look_around(struct nominator *n, const struct actor *t,
						  const struct variable_groups *v, uint32_t class,
						  uint64_t number)
{
	struct now now = now_of(n, t, class, number);
	struct place p = find_group(v, class);

	meet_any(n, &now, v);
	/* as rarely as it takes long, what has become useless goes */
	if (!p.line->times[p.way] && !(class & CLASS_MIXED) &&
	    !(n->turn & ((RENEW_ONE_IN << array_size(p.line->who[p.way])) - 1)))
		groups_renew(&n->memory, p, &now);
}

static __attribute__((noinline)) void look_back(struct nominator *n, const struct actor *t,
						const struct recent *last, uint32_t class,
						uint64_t number)
{
	struct now now = now_of(n, t, class, number);

	meet_recent(n, &now, last);
}

/* At least that one; all that the trace has named so far. */
static void add_variables(struct nominator *n, uint32_t variable)
{
	size_t named = symbols_count(n->front->symbols, CLASS_VARIABLE),
	       count = n->variable_count * 2;

	if (count < named)
		count = named;
	if (count <= variable)
		count = (size_t)variable + 1;
	/* from the start of a line; pages that nobody reaches take no memory */
	void *memory =
		mem_alloc_zero(count + CACHE_LINE / sizeof(*n->variables), sizeof(*n->variables));
	size_t skip = CACHE_LINE - (uintptr_t)memory % CACHE_LINE;
	struct variable_groups *all = (struct variable_groups *)((char *)memory + skip);

	if (n->variable_count)
		memcpy(all, n->variables, n->variable_count * sizeof(*all));
	mem_free(n->variable_memory);
	n->variable_memory = memory;
	n->variables = all;
	n->variable_count = count;
}

/*
 * The group's only access is of this thread, and others cannot tell it from this one: what came
 * between did not know of it, and if it races with this one, it did with that one.
 */
static inline bool repeats(struct place p, const struct now *now)
{
	return p.line->times[p.way] == now->time && who_slot(p.line->who[p.way]) == now->slot;
}

static inline bool note_simply(const struct nominator *n, struct place p, const struct now *now)
{
	if (now->class & CLASS_MIXED)
		return p.line && mixed_repeats(&n->memory, p, now);
	return p.line && (p.line->who[p.way] & SETTLED || repeats(p, now)) &&
	       accesses_note_simply(p, now);
}

static void nominate_groups(struct nominator *n, const struct actor *t, uint32_t variable,
			    struct variable_groups *v, const struct now *now)
{
	struct recent *last = &n->recent[variable % RECENT];

	/* that nothing is against it is rare, but each of it hard to predict: so no jumps */
	uint64_t against = (last->variable ^ variable) | !last->class |
			   (who_slot(last->who) == now->slot) |
			   (now->number - who_number(last->who)) / MEET_WITHIN;

	if (!against)
		look_back(n, t, last, now->class, now->number);
	*last = (struct recent){variable, now->class, now->time, now->lockset, who_of(now)};
	struct place p = find_group(v, now->class);

	if (!note_simply(n, p, now))
		look(n, t, v, p, now->class, now->number);
	v->own[1].who = who_of(now);
	if (++n->turn % MEET_ONE_IN == 0)
		look_around(n, t, v, now->class, now->number);
}

static __attribute__((noinline)) void start_groups(struct nominator *n, uint32_t variable,
						   struct variable_groups *v)
{
	const struct own_access *last = &v->own[v->own[1].who > v->own[0].who];
	/* of none of them it matters beside any set of locks */
	uint32_t lockset = last->class ? signatures_facts(&n->signatures, last->class)->lockset : 0;

	n->recent[variable % RECENT] =
		(struct recent){variable, last->class, last->time, lockset, last->who};
	groups_start(&n->memory, v);
}

/* Where an access goes that is ordered after the own ones; OWN_ACCESSES: there is no room. */
static inline uint32_t own_place(const struct nominator *n, const struct own_access *own,
				 uint32_t class)
{
	uint32_t same = own[0].class == class, same_next = own[1].class == class;
	uint32_t free = own[0].who < n->horizon, free_next = own[1].who < n->horizon;

	if (same | (free & !same_next))
		return 0;
	return (same_next | free_next) ? 1 : OWN_ACCESSES;
}

void nominate_access(struct nominator *n, const struct actor *t, uint32_t variable, uint32_t class,
		     uint64_t number)
{
	const struct now now = now_of(n, t, class, number);

	if (__builtin_expect(variable >= n->variable_count, 0))
		add_variables(n, variable);
	struct variable_groups *v = &n->variables[variable];

	if (has_groups(v) && v->own[1].who < n->horizon)
		groups_forget(&n->memory, v);
	if (!has_groups(v)) {
		/* where it goes is hard to predict: so no jumps */
		uint32_t place = own_place(n, v->own, class);
		uint32_t racing = unordered(&now, v->own[0].time, v->own[0].who);

		racing |= unordered(&now, v->own[1].time, v->own[1].who);
		if (place < OWN_ACCESSES && !racing && !(class & CLASS_MIXED)) {
			v->own[place] = (struct own_access){class, now.time, who_of(&now)};
			return;
		}
		start_groups(n, variable, v);
	}
	nominate_groups(n, t, variable, v, &now);
}

void nominator_init(struct nominator *n, struct front *front, struct order *order)
{
	*n = (struct nominator){
		.front = front,
		.order = order,
		.race_clocks = order->kind->clocks ? &order->clock_table : &front->mhb,
		.race_clock = order->kind->race_clock,
		.horizon = FIRST_HORIZON,
		.times_taken = FIRST_HORIZON,
		.signatures.front = front,
	};
	groups_init(&n->memory, &front->locksets, order->kind->locksets == LOCKSETS_FILTER);
}

uint64_t nominator_bytes(const struct nominator *n)
{
	return n->memory.lines.bytes + n->memory.tables.bytes + n->memory.mixed.bytes +
	       n->variable_count * sizeof(*n->variables) + signatures_bytes(&n->signatures);
}

void nominator_release(struct nominator *n)
{
	groups_release(&n->memory);
	signatures_release(&n->signatures);
	mem_free(n->variable_memory);
	vec_release(&n->times);
}
