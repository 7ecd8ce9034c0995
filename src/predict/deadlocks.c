/* SPDX-License-Identifier: MIT */
/*
 * Deadlocks: cycles of acquires (deadlock/cycles.h) by signature, which is the set of the places
 * where each thread took what it holds and wants what it waits for: whoever mends these
 * places mends all of them, however many threads and locks go in the circle. Rings of few events
 * that lie close together are looked at first.
 */
#include "deadlock/cycles.h"
#include "predict/candidates.h"
#include "predict/tune.h"

#include <stdlib.h>

/* wants[first] … wants[first + count - 1] */
struct kept_cycle {
	size_t first;
	uint32_t count;
};

struct deadlock_signature {
	VEC(struct kept_cycle) cycles;
	bool more; /* than were kept */
	size_t candidate;
};

struct deadlocks {
	struct cycles *cycles;
	struct intern
		keys; /* of struct cycle_places, ascending, each once; numbered as signatures */
	VEC(struct deadlock_signature) signatures;
	VEC(uint32_t) wants;
};

struct nominating {
	struct candidates *all;
	struct deadlocks *deadlocks;
	uint32_t kind;
	uint32_t only;		      /* the signature that is completed */
	VEC(struct cycle_places) key; /* scratch */
};

static int compare_places(const void *a, const void *b)
{
	const struct cycle_places *x = a, *y = b;

	if (x->held_at != y->held_at)
		return x->held_at < y->held_at ? -1 : 1;
	return x->wanted_at < y->wanted_at ? -1 : x->wanted_at > y->wanted_at;
}

/* INTERN_NONE: it has none, and is given none. */
static uint32_t signature_of(struct nominating *n, const uint32_t *wants, uint32_t count, bool add)
{
	struct deadlocks *d = n->deadlocks;
	size_t kept = 0;

	n->key.n = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct cycle_places places = {cycles_held_at(d->cycles, wants, count, i),
					      cycles_wants(d->cycles)->all.at[wants[i]].site};

		vec_push(&n->key, places);
	}
	qsort(n->key.at, n->key.n, sizeof(*n->key.at), compare_places);
	for (size_t i = 0; i < n->key.n; i++)
		if (!kept || compare_places(&n->key.at[kept - 1], &n->key.at[i]))
			n->key.at[kept++] = n->key.at[i];
	const char *key = (const char *)n->key.at;

	return add ? intern_add(&d->keys, key, kept * sizeof(*n->key.at))
		   : intern_find(&d->keys, key, kept * sizeof(*n->key.at));
}

static void add_signature(struct nominating *n, const uint32_t *wants, uint32_t count)
{
	struct deadlocks *d = n->deadlocks;
	const struct wants *all = cycles_wants(d->cycles);
	struct deadlock_signature new = {.candidate = n->all->all.n};
	struct candidate candidate = {.number = (uint32_t)d->signatures.n};

	for (uint32_t i = 0; i < count && i < EVENT_SET_MAX; i++)
		candidate.first.at[candidate.first.count++] =
			all->events[all->all.at[wants[i]].first];
	vec_push(&d->signatures, new);
	candidates_add(n->all, n->kind, candidate);
}

static void keep_cycle(struct nominating *n, uint32_t number, const uint32_t *wants, uint32_t count)
{
	struct deadlocks *d = n->deadlocks;
	struct deadlock_signature *s = &d->signatures.at[number];
	struct kept_cycle cycle = {d->wants.n, count};

	n->all->all.at[s->candidate].instances++;
	s->more |= s->cycles.n == predict_tune.cycles_most;
	if (s->more)
		return;
	for (uint32_t i = 0; i < count; i++)
		vec_push(&d->wants, wants[i]);
	vec_push(&s->cycles, cycle);
}

static bool add_cycle(void *context, const uint32_t *wants, uint32_t count)
{
	struct nominating *n = context;
	struct deadlocks *d = n->deadlocks;
	uint32_t number = signature_of(n, wants, count, true);

	if (number == d->signatures.n) {
		if (number == predict_tune.cycle_signatures)
			return false;
		add_signature(n, wants, count);
	}
	keep_cycle(n, number, wants, count);
	return true;
}

/* Those of the signature alone, when all are looked for. */
static bool add_cycle_of(void *context, const uint32_t *wants, uint32_t count)
{
	struct nominating *n = context;

	if (signature_of(n, wants, count, false) == n->only)
		keep_cycle(n, n->only, wants, count);
	return !n->deadlocks->signatures.at[n->only].more;
}

/*
 * The search for all cycles has ended before it had seen them all: of each signature that it has
 * found, all cycles are looked for at its places alone. So it can be decided, whatever there is
 * elsewhere.
 */
static void complete_signatures(struct nominating *n)
{
	struct deadlocks *d = n->deadlocks;

	for (uint32_t i = 0; i < d->signatures.n; i++) {
		struct deadlock_signature *s = &d->signatures.at[i];
		const struct interned *key = &d->keys.strings.at[i];

		if (s->more)
			continue;
		s->cycles.n = 0;
		n->all->all.at[s->candidate].instances = 0;
		n->only = i;
		s->more |= !cycles_each_at(d->cycles, (const void *)key->text,
					   (uint32_t)(key->length / sizeof(struct cycle_places)),
					   predict_tune.signature_steps, add_cycle_of, n);
	}
}

static int nominate_deadlocks(struct candidates *c, uint32_t kind, const struct predict_options *o,
			      struct err *err)
{
	struct deadlocks *d = mem_alloc_zero(1, sizeof(*d));
	struct nominating n = {.all = c, .deadlocks = d, .kind = kind};

	(void)o, (void)err;
	c->kinds[kind].data = d;
	d->cycles = cycles_new(c->index);
	if (!cycles_each(d->cycles, predict_tune.cycle_steps, add_cycle, &n)) {
		complete_signatures(&n);
		/* all cycles of one pair of places have one signature, of which there are more */
		if (cycles_count_places(d->cycles) > 1 || !d->signatures.n)
			c->kinds[kind].missing =
				"there are too many cycles of locks to examine them all";
	}
	vec_release(&n.key);
	return 0;
}

static bool add_ring(void *context, const uint32_t *events, uint32_t n)
{
	instances_add(context, events, n);
	return true;
}

/* Of each cycle so many rings: all, or each has its part. */
static uint64_t choose_part(const struct deadlocks *d, const struct deadlock_signature *s,
			    size_t most)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->cycles.n && sum <= most; i++) {
		uint64_t count = cycles_count_rings(d->cycles, d->wants.at + s->cycles.at[i].first,
						    s->cycles.at[i].count);

		sum = count > most ? (uint64_t)most + 1 : sum + count;
	}
	if (sum <= most)
		return most;
	uint64_t part = most / s->cycles.n;

	return part > predict_tune.rings_least ? part : predict_tune.rings_least;
}

static void list_deadlocks(const struct candidates *c, const struct candidate *candidate,
			   size_t most, struct instances *out)
{
	const struct deadlocks *d = c->kinds[candidate->kind].data;
	const struct deadlock_signature *s = &d->signatures.at[candidate->number];
	uint64_t part = choose_part(d, s, most);

	for (size_t i = 0; i < s->cycles.n; i++)
		out->all &= cycles_rings(d->cycles, d->wants.at + s->cycles.at[i].first,
					 s->cycles.at[i].count, part, add_ring, out);
	out->all &= !s->more;
}

static void release_deadlocks(void *data)
{
	struct deadlocks *d = data;

	for (size_t i = 0; i < d->signatures.n; i++)
		vec_release(&d->signatures.at[i].cycles);
	vec_release(&d->signatures);
	vec_release(&d->wants);
	intern_release(&d->keys);
	cycles_free(d->cycles);
	mem_free(d);
}

const struct predict_kind predict_deadlocks = {
	.bug = BUG_DEADLOCK,
	.help = "threads wait for each other's locks in a cycle",
	.instance = "cycle",
	.between = ',',
	.by_default = true,
	.nominate = nominate_deadlocks,
	.list = list_deadlocks,
	.release = release_deadlocks,
};
