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

/* Pairs a above b and b above c make a pair a above c; an event above itself is an error. */
static struct csp_value *closure(struct csp *csp, struct csp_value *pairs, struct csp_pos pos)
{
	struct csp_bag all = {0};

	for (uint32_t i = 0; i < pairs->n; i++)
		csp_bag_add(csp, &all, pairs->at[i]);
	for (size_t i = 0; i < all.n; i++) {
		for (uint32_t k = 0; k < pairs->n; k++) {
			if (all.at[i]->at[1] != pairs->at[k]->at[0])
				continue;
			struct csp_value *ends[] = {all.at[i]->at[0], pairs->at[k]->at[1]};
			struct csp_value *pair = csp_intern(csp, csp_tuple(csp, 2, ends), pos);
			size_t known = 0;

			while (known < all.n && all.at[known] != pair)
				known++;
			if (known == all.n)
				csp_bag_add(csp, &all, pair);
		}
		if (all.at[i]->at[0] == all.at[i]->at[1])
			csp_fail(csp, pos, "this is no order: %s is above itself",
				 csp_value_text(csp, all.at[i]->at[0]));
	}
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
