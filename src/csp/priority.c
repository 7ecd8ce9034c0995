/* SPDX-License-Identifier: MIT */
#include "csp/priority.h"

#include "csp/set.h"

struct csp_process *csp_prioritised(struct csp *csp, struct csp_process *p, struct csp_value **sets,
				    size_t n, struct csp_pos pos)
{
	for (size_t i = 0; i < n; i++)
		csp_event_set(csp, sets[i], pos);
	struct csp_value *key = csp_intern(csp, csp_tuple(csp, (uint32_t)n, sets), pos);

	return csp_process_make(csp, P_PRIORITISE, key, NULL, 1, (void *[]){p});
}

/* The first of the pairs, which are in order, that begins with v. */
static uint32_t first_of(const struct csp_value *pairs, const struct csp_value *v)
{
	uint32_t low = 0, high = pairs->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (csp_compare(pairs->at[middle]->at[0], v) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds top with all that is below it, one by one; an event above itself is an error. */
static void add_below(struct csp *csp, struct csp_value *pairs, struct csp_value *top,
		      struct csp_bag *all, struct csp_pos pos)
{
	struct csp_bag work = {0};
	bool *seen = csp_alloc(csp, pairs->n);

	csp_bag_add(csp, &work, top);
	while (work.n) {
		struct csp_value *v = work.at[--work.n];
		uint32_t i = first_of(pairs, v);

		if (i == pairs->n || pairs->at[i]->at[0] != v || seen[i])
			continue;
		seen[i] = true;
		for (; i < pairs->n && pairs->at[i]->at[0] == v; i++) {
			struct csp_value *pair[] = {top, pairs->at[i]->at[1]};

			if (pair[0] == pair[1])
				csp_fail(csp, pos, "this is no order: %s is above itself",
					 csp_value_text(csp, top));
			csp_bag_add(csp, all, csp_intern(csp, csp_tuple(csp, 2, pair), pos));
			csp_bag_add(csp, &work, pair[1]);
		}
	}
}

/* Pairs a above b and b above c make a pair a above c. */
static struct csp_value *closure(struct csp *csp, struct csp_value *pairs, struct csp_pos pos)
{
	struct csp_bag all = {0};

	for (uint32_t i = 0; i < pairs->n; i++)
		if (!i || pairs->at[i]->at[0] != pairs->at[i - 1]->at[0])
			add_below(csp, pairs, pairs->at[i]->at[0], &all, pos);
	return csp_set_from(csp, &all);
}

struct csp_process *csp_prioritised_by(struct csp *csp, struct csp_process *p,
				       struct csp_value *events, struct csp_value *above,
				       struct csp_value *most, struct csp_pos pos)
{
	csp_event_set(csp, events, pos);
	csp_event_set(csp, most, pos);
	for (uint32_t i = 0; i < 2 * above->n; i++)
		if (!csp_set_has(csp, events, above->at[i / 2]->at[i % 2], pos))
			csp_fail(csp, pos, "%s is in the order, and not among the events of it",
				 csp_value_text(csp, above->at[i / 2]->at[i % 2]));
	for (uint32_t i = 0; i < above->n; i++)
		if (csp_set_has(csp, most, above->at[i]->at[1], pos))
			csp_fail(csp, pos, "%s is maximal, and %s is above it",
				 csp_value_text(csp, above->at[i]->at[1]),
				 csp_value_text(csp, above->at[i]->at[0]));
	struct csp_value *less = csp_set_diff(csp, events, most, pos);

	above = closure(csp, above, pos);
	csp_event_set(csp, less, pos);
	csp_relation_prepare(csp, above, pos);
	struct csp_value *parts[] = {above, less};
	struct csp_value *key = csp_intern(csp, csp_tuple(csp, 2, parts), pos);

	return csp_process_make(csp, P_PRIORITISE_BY, key, NULL, 1, (void *[]){p});
}

/* The set of a sequence that an event is in; n: none. */
static uint32_t rank(const struct csp_value *sets, uint32_t event)
{
	uint32_t i = 0;

	if (event <= CSP_TICK)
		return 0;
	while (i < sets->n && !csp_event_in(sets->at[i], event))
		i++;
	return i;
}

static bool is_above(const struct csp_process *p, uint32_t a, uint32_t b)
{
	const struct csp_value *key = p->set;

	if (p->op == P_PRIORITISE) {
		uint32_t of_b = rank(key, b);

		return of_b < key->n && rank(key, a) < of_b;
	}
	if (b <= CSP_TICK)
		return false;
	if (a <= CSP_TICK)
		return csp_event_in(key->at[1], b);
	const struct csp_relation *r = key->at[0]->events;

	for (uint32_t i = csp_relation_find(r, a); i < r->n && r->at[i].from == a; i++)
		if (r->at[i].to == b)
			return true;
	return false;
}

/* By event: is one of the others above it? */
static bool waits(const struct csp_process *p, const struct csp_steps *s, uint32_t event)
{
	for (uint32_t i = 0; i < s->n; i++)
		if ((!i || s->at[i].event != s->at[i - 1].event) &&
		    is_above(p, s->at[i].event, event))
			return true;
	return false;
}

void csp_priority_steps(struct csp *csp, struct csp_process *p)
{
	struct csp_steps *s = csp_steps_kept(csp, p->at[0]);

	for (uint32_t i = 0; i < s->n; i++) {
		struct csp_step *step = &s->at[i];

		if (waits(p, s, step->event))
			continue;
		step->to = csp_process_resolve(csp, step->to);
		csp_step_add(csp, step->event,
			     step->event == CSP_TICK ? step->to
						     : csp_process_with(csp, p, 0, step->to));
	}
}
