#include "search/timeline.h"

#include <string.h>

#define NODES_A_ROUND 100000 /* that searches for cycles may come to */

static uint32_t *new_numbers(size_t n)
{
	return mem_alloc_zero(n + 1, sizeof(uint32_t));
}

struct timeline *timeline_new(struct formula *f)
{
	struct timeline *s = mem_alloc_zero(1, sizeof(*s));
	uint32_t nodes = f->cone->count + 1, threads = f->index->thread_count;

	s->formula = f;
	s->end = new_numbers(threads);
	s->next = new_numbers(threads);
	s->waits = new_numbers(nodes);
	s->first = new_numbers(nodes);
	s->parent = new_numbers(nodes);
	s->parent_edge = new_numbers(nodes);
	s->seen = new_numbers(nodes);
	s->queue = new_numbers(2 * (size_t)nodes);
	s->fixed_first = new_numbers((size_t)nodes + 1);
	s->fixed = new_numbers(f->fixed_first[nodes]);
	/* the fixed edges the other way round; fixed_first[n + 1] moves from begin to end of n */
	for (uint32_t i = 0; i < f->fixed_first[nodes]; i++)
		if (f->fixed[i] + 2 <= nodes)
			s->fixed_first[f->fixed[i] + 2]++;
	for (uint32_t n = 2; n <= nodes; n++)
		s->fixed_first[n] += s->fixed_first[n - 1];
	for (uint32_t n = 1; n < nodes; n++)
		for (uint32_t i = f->fixed_first[n]; i < f->fixed_first[n + 1]; i++)
			s->fixed[s->fixed_first[f->fixed[i] + 1]++] = n;
	return s;
}

void timeline_free(struct timeline *s)
{
	if (!s)
		return;
	vec_release(&s->order);
	mem_free(s->end);
	mem_free(s->next);
	mem_free(s->waits);
	mem_free(s->first);
	vec_release(&s->active);
	vec_release(&s->chosen);
	vec_release(&s->cycle);
	mem_free(s->fixed_first);
	mem_free(s->fixed);
	mem_free(s->parent);
	mem_free(s->parent_edge);
	mem_free(s->seen);
	mem_free(s->queue);
	mem_free(s);
}

static bool happens(const struct timeline *s, uint32_t node)
{
	return node < s->end[cone_thread(s->formula->cone, node)];
}

static bool is_pair(const struct timeline *s, uint32_t node)
{
	return node && (node == s->pair[0] || node == s->pair[1]);
}

static uint32_t partner(const struct timeline *s, uint32_t node)
{
	return node == s->pair[0] ? s->pair[1] : s->pair[0];
}

static void read_solution(struct timeline *s)
{
	struct formula *f = s->formula;
	const struct cone *c = f->cone;

	for (uint32_t t = 0; t < f->index->thread_count; t++) {
		uint32_t low = c->base[t], high = cone_end(c, t);

		s->next[t] = low;
		while (low < high) { /* what happens of a thread comes first */
			uint32_t middle = low + (high - low) / 2;

			if (sat_true(f->sat, (lit)middle))
				low = middle + 1;
			else
				high = middle;
		}
		s->end[t] = low;
	}
}

static void follow(struct timeline *s, uint32_t from, uint32_t to, lit order)
{
	struct active_edge edge = {from, to, order, s->first[from], false};

	if (!happens(s, from) || !happens(s, to))
		return;
	s->first[from] = (uint32_t)s->active.n;
	vec_push(&s->active, edge);
	/* which of the pair goes first is settled when both can */
	if (!(is_pair(s, from) && is_pair(s, to)))
		s->waits[to]++;
}

static uint32_t atom_of(const struct formula *f, lit order)
{
	return f->atom_of.at[order < 0 ? -order : order] - 1;
}

/* One order that meets the demand, if it holds: one that is followed anyway, if there is. */
static lit choose(const struct timeline *s, const struct demand *d)
{
	const struct formula *f = s->formula;
	lit chosen = 0;

	for (size_t i = 0; i < DEMAND_WHEN && d->when[i]; i++)
		if (!sat_true(f->sat, d->when[i]))
			return 0;
	for (size_t i = 0; i < DEMAND_ORDERS && d->order[i]; i++) {
		if (!sat_true(f->sat, d->order[i]))
			continue;
		if (s->chosen.at[atom_of(f, d->order[i])] == s->round)
			return 0;
		if (!chosen)
			chosen = d->order[i];
	}
	return chosen;
}

static void follow_demands(struct timeline *s)
{
	struct formula *f = s->formula;

	s->round++;
	s->active.n = 0;
	vec_extend(&s->chosen, f->atoms.n);
	for (uint32_t n = 1; n <= f->cone->count; n++) {
		s->waits[n] = f->fixed_first[n + 1] - f->fixed_first[n];
		s->first[n] = NO_EDGE;
	}
	for (size_t i = 0; i < f->edges.n; i++)
		follow(s, f->edges.at[i].from, f->edges.at[i].to, 0);
	for (size_t i = 0; i < f->demands.n; i++) {
		lit order = choose(s, &f->demands.at[i]);

		if (!order)
			continue;
		const struct atom *a = &f->atoms.at[atom_of(f, order)];

		s->chosen.at[atom_of(f, order)] = s->round;
		follow(s, order < 0 ? a->a : a->b, order < 0 ? a->b : a->a, order);
	}
}

static bool is_next(const struct timeline *s, uint32_t node)
{
	uint32_t thread = cone_thread(s->formula->cone, node);

	return s->next[thread] == node && node < s->end[thread] && !s->waits[node];
}

static bool can_go(const struct timeline *s, uint32_t node)
{
	return is_next(s, node) && (!is_pair(s, node) || is_next(s, partner(s, node)));
}

static void place(struct timeline *s, uint32_t node)
{
	vec_push(&s->order, node);
	s->next[cone_thread(s->formula->cone, node)]++;
	for (uint32_t i = s->fixed_first[node]; i < s->fixed_first[node + 1]; i++)
		s->waits[s->fixed[i]]--;
	for (uint32_t k = s->first[node]; k != NO_EDGE; k = s->active.at[k].follow)
		if (!(is_pair(s, node) && is_pair(s, s->active.at[k].to)))
			s->waits[s->active.at[k].to]--;
}

static bool has_edge(const struct timeline *s, uint32_t from, uint32_t to)
{
	for (uint32_t k = s->first[from]; k != NO_EDGE; k = s->active.at[k].follow)
		if (s->active.at[k].to == to)
			return true;
	return false;
}

static void place_pair(struct timeline *s)
{
	bool swapped = has_edge(s, s->pair[1], s->pair[0]);

	place(s, s->pair[swapped]);
	place(s, s->pair[!swapped]);
}

/* Each time the one that was recorded first, of those that can go. */
static void place_all(struct timeline *s)
{
	const struct cone *c = s->formula->cone;
	uint32_t threads = s->formula->index->thread_count;

	s->order.n = 0;
	for (;;) {
		uint32_t best = 0;

		for (uint32_t t = 0; t < threads; t++)
			if (s->next[t] < s->end[t] && can_go(s, s->next[t]) &&
			    (!best || c->event[s->next[t]] < c->event[best]))
				best = s->next[t];
		if (!best)
			return;
		if (is_pair(s, best))
			place_pair(s);
		else
			place(s, best);
	}
}

/* It happens and has no place: only such nodes are on cycles. */
static bool is_left(const struct timeline *s, uint32_t node)
{
	uint32_t thread = cone_thread(s->formula->cone, node);

	return node >= s->next[thread] && node < s->end[thread];
}

struct search {
	struct timeline *s;
	uint32_t low, high; /* the queue, from the middle: fixed edges in front, others behind */
	uint32_t goal;
	bool found, through_pair;
};

static uint32_t merged(const struct timeline *s, uint32_t node)
{
	return is_pair(s, node) ? s->pair[0] : node;
}

static void reach(struct search *x, uint32_t from, uint32_t to, uint32_t edge)
{
	struct timeline *s = x->s;

	to = merged(s, to);
	if (to == from || !is_left(s, to) || s->seen[to] == s->search)
		return;
	s->seen[to] = s->search;
	s->visited++;
	s->parent[to] = from;
	s->parent_edge[to] = edge;
	x->found |= to == x->goal;
	if (edge == NO_EDGE)
		s->queue[--x->low] = to;
	else
		s->queue[x->high++] = to;
}

static void reach_from(struct search *x, uint32_t from, uint32_t node)
{
	struct timeline *s = x->s;

	if (node + 1 < s->end[cone_thread(s->formula->cone, node)])
		reach(x, from, node + 1, NO_EDGE);
	for (uint32_t i = s->fixed_first[node]; i < s->fixed_first[node + 1]; i++)
		reach(x, from, s->fixed[i], NO_EDGE);
	for (uint32_t k = s->first[node]; k != NO_EDGE; k = s->active.at[k].follow)
		reach(x, from, s->active.at[k].to, k);
}

static void expand(struct search *x, uint32_t node)
{
	reach_from(x, node, node);
	if (is_pair(x->s, node))
		reach_from(x, node, partner(x->s, node));
}

static void forbid(struct timeline *s, uint32_t edge)
{
	struct active_edge *e = &s->active.at[edge];

	e->told = true;
	if (e->order) {
		sat_or(s->formula->sat, -e->order);
		return;
	}
	sat_or(s->formula->sat, -(lit)e->from);
	sat_or(s->formula->sat, -(lit)e->to);
}

/* The cycle as one clause; it goes through the pair. */
static void forbid_all(struct timeline *s, uint32_t back)
{
	for (size_t i = 0; i < s->cycle.n; i++)
		forbid(s, s->cycle.at[i]);
	if (back != NO_EDGE)
		forbid(s, back);
	sat_or(s->formula->sat, -s->adjacent);
	sat_end(s->formula->sat);
}

/*
 * The cycle as clauses of three literals: with one edge after the other, its first node comes
 * before where that leads; the last leads back. What they say of these orders holds for other
 * cycles too.
 */
static void forbid_by_chords(struct timeline *s, uint32_t back)
{
	struct formula *f = s->formula;
	uint32_t first = f->cone->event[s->active.at[back].from];
	lit chord = LIT_TRUE;

	/* from the edge back on, along the cycle; it was found from its end */
	vec_push(&s->cycle, back);
	for (size_t i = s->cycle.n; i-- > 0;) {
		uint32_t to = f->cone->event[s->active.at[s->cycle.at[i]].to];
		lit next = i ? formula_order(f, first, to) : LIT_FALSE;

		sat_or(f->sat, -chord);
		forbid(s, s->cycle.at[i]);
		sat_or(f->sat, next);
		sat_end(f->sat);
		chord = next;
	}
}

/*
 * A way from `from` to `to` over nodes that are left, with as few edges that are not fixed as
 * there may be; and the edge back (NO_EDGE: both are the pair) closes the cycle.
 */
static bool forbid_cycle(struct timeline *s, uint32_t from, uint32_t to, uint32_t back)
{
	uint32_t nodes = s->formula->cone->count + 1;
	struct search x = {.s = s, .low = nodes, .high = nodes, .goal = merged(s, to)};
	uint32_t start = merged(s, from);

	s->search++;
	if (back != NO_EDGE) { /* else the way is to come back to where it began */
		s->seen[start] = s->search;
	}
	ASSERT(!x.found);
	expand(&x, start);
	while (!x.found && x.low < x.high)
		expand(&x, s->queue[x.low++]);
	if (!x.found)
		return false;
	s->cycle.n = 0;
	for (uint32_t n = x.goal;;) {
		if (s->parent_edge[n] != NO_EDGE)
			vec_push(&s->cycle, s->parent_edge[n]);
		n = s->parent[n];
		x.through_pair |= is_pair(s, n);
		if (n == start)
			break;
	}
	if (x.through_pair || is_pair(s, x.goal))
		forbid_all(s, back);
	else
		forbid_by_chords(s, back);
	return true;
}

static void forbid_cycles(struct timeline *s)
{
	uint32_t found = 0;

	if (s->pair[0] && is_left(s, s->pair[0]) && is_left(s, s->pair[1]))
		found += forbid_cycle(s, s->pair[0], s->pair[0], NO_EDGE);
	s->visited = 0;
	for (uint32_t k = 0; k < s->active.n && (!found || s->visited < NODES_A_ROUND); k++) {
		const struct active_edge *e = &s->active.at[k];

		if (!e->told && is_left(s, e->from) && is_left(s, e->to) &&
		    merged(s, e->from) != merged(s, e->to))
			found += forbid_cycle(s, e->to, e->from, k);
	}
	ASSERT(found);
}

/* Both want to be first: the pair has edges in both directions. */
static bool forbid_both(struct timeline *s)
{
	uint32_t a = s->pair[0], b = s->pair[1];

	if (!a || !has_edge(s, a, b) || !has_edge(s, b, a))
		return false;
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = s->first[s->pair[i]]; k != NO_EDGE; k = s->active.at[k].follow)
			if (s->active.at[k].to == s->pair[!i])
				forbid(s, k);
	sat_end(s->formula->sat);
	return true;
}

bool timeline_make(struct timeline *s)
{
	uint32_t expected = 0;

	read_solution(s);
	follow_demands(s);
	if (forbid_both(s))
		return false;
	place_all(s);
	for (uint32_t t = 0; t < s->formula->index->thread_count; t++)
		expected += s->end[t] - s->formula->cone->base[t];
	if (s->order.n == expected)
		return true;
	forbid_cycles(s);
	return false;
}
