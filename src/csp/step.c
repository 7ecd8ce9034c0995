/* SPDX-License-Identifier: MIT */
/* What a process may do next: one rule an operator. */
#include "csp/priority.h"
#include "csp/timed.h"

#include <stdlib.h>
#include <string.h>

typedef struct csp_process process;

void csp_step_add(struct csp *csp, uint32_t event, process *to)
{
	struct csp_step step = {event, to};

	vec_push(&csp->processes->scratch, step);
	if (csp->limits.bytes && csp->processes->scratch.n * sizeof(step) > csp->limits.bytes)
		csp_charge(csp, csp->processes->scratch.n * sizeof(step));
}

static process *operand(struct csp *csp, process *p, uint32_t i)
{
	return csp_process_resolve(csp, p->at[i]);
}

/* The target of a kept step, looked at only if the step is taken. */
static process *target(struct csp *csp, struct csp_step *step)
{
	return step->to = csp_process_resolve(csp, step->to);
}

static process *omega(struct csp *csp)
{
	return csp_process_plain(csp, P_OMEGA);
}

process *csp_process_with(struct csp *csp, process *p, uint32_t i, process *to)
{
	void *few[8], **at = few;

	if (p->n > 8)
		at = csp_alloc(csp, p->n * sizeof(*at));
	memcpy(at, p->at, p->n * sizeof(*at));
	at[i] = to;
	return csp_process_make(csp, p->op, p->set, NULL, p->n, at);
}

static void external(struct csp *csp, process *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct csp_steps *s = csp_steps_kept(csp, p->at[i]);

		for (uint32_t k = 0; k < s->n; k++)
			csp_step_add(csp, s->at[k].event,
				     s->at[k].event == CSP_TAU
					     ? csp_process_with(csp, p, i, target(csp, &s->at[k]))
					     : s->at[k].to);
	}
}

static void slide(struct csp *csp, process *p)
{
	struct csp_steps *s = csp_steps_kept(csp, p->at[0]);

	for (uint32_t k = 0; k < s->n; k++)
		csp_step_add(csp, s->at[k].event,
			     s->at[k].event == CSP_TAU
				     ? csp_process_with(csp, p, 0, target(csp, &s->at[k]))
				     : s->at[k].to);
	csp_step_add(csp, CSP_TAU, p->at[1]);
}

static void sequence(struct csp *csp, process *p)
{
	struct csp_steps *s = csp_steps_kept(csp, operand(csp, p, 0));

	for (uint32_t k = 0; k < s->n; k++) {
		if (s->at[k].event == CSP_TICK)
			csp_step_add(csp, CSP_TAU,
				     p->op == P_LOOP ? csp_process_with(csp, p, 0, p->at[1])
						     : p->at[1]);
		else
			csp_step_add(csp, s->at[k].event,
				     csp_process_with(csp, p, 0, target(csp, &s->at[k])));
	}
}

static void interrupt(struct csp *csp, process *p)
{
	for (uint32_t i = 0; i < 2; i++) {
		struct csp_steps *s = csp_steps_kept(csp, p->at[i]);

		for (uint32_t k = 0; k < s->n; k++) {
			uint32_t event = s->at[k].event;
			bool goes_on = event != CSP_TICK && (!i || event == CSP_TAU);

			csp_step_add(csp, event,
				     goes_on ? csp_process_with(csp, p, i, target(csp, &s->at[k]))
					     : s->at[k].to);
		}
	}
}

static void throw_(struct csp *csp, process *p)
{
	struct csp_steps *s = csp_steps_kept(csp, p->at[0]);

	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t event = s->at[k].event;

		if (event == CSP_TICK)
			csp_step_add(csp, event, s->at[k].to);
		else if (event != CSP_TAU && csp_event_in(p->set, event))
			csp_step_add(csp, event, p->at[1]);
		else
			csp_step_add(csp, event,
				     csp_process_with(csp, p, 0, target(csp, &s->at[k])));
	}
}

/* The steps of side i that it makes alone; its end is a silent step. */
static void alone(struct csp *csp, process *p, uint32_t i, struct csp_steps *s,
		  const struct csp_value *not_in, const struct csp_value *in)
{
	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t event = s->at[k].event;

		if (event == CSP_TICK)
			csp_step_add(csp, CSP_TAU, csp_process_with(csp, p, i, omega(csp)));
		else if (event == CSP_TAU ||
			 (!csp_event_in(not_in, event) && (!in || csp_event_in(in, event))))
			csp_step_add(csp, event,
				     csp_process_with(csp, p, i, target(csp, &s->at[k])));
	}
}

static process *both(struct csp *csp, process *p, struct csp_step *a, struct csp_step *b)
{
	void *at[4];

	memcpy(at, p->at, p->n * sizeof(*at));
	at[0] = target(csp, a);
	at[1] = target(csp, b);
	return csp_process_make(csp, p->op, p->set, NULL, p->n, at);
}

/* Events that both have and both sets contain. */
static void together(struct csp *csp, process *p, struct csp_steps *a, struct csp_steps *b,
		     const struct csp_value *in_a, const struct csp_value *in_b)
{
	for (uint32_t i = 0, k = 0; i < a->n && k < b->n;) {
		uint32_t event = a->at[i].event;

		if (event != b->at[k].event) {
			event < b->at[k].event ? i++ : k++;
			continue;
		}
		uint32_t end = k;

		while (end < b->n && b->at[end].event == event)
			end++;
		bool sync =
			event > CSP_TICK && csp_event_in(in_a, event) && csp_event_in(in_b, event);

		for (; i < a->n && a->at[i].event == event; i++)
			for (uint32_t m = k; sync && m < end; m++)
				csp_step_add(csp, event, both(csp, p, &a->at[i], &b->at[m]));
		k = end;
	}
}

static void parallel(struct csp *csp, process *p)
{
	process *left = p->at[0], *right = p->at[1];

	if (left->op == P_OMEGA && right->op == P_OMEGA) {
		csp_step_add(csp, CSP_TICK, omega(csp));
		return;
	}
	struct csp_steps *a = csp_steps_kept(csp, left), *b = csp_steps_kept(csp, right);

	if (p->op == P_ALPHABETISED) {
		struct csp_value *in_a = p->at[2], *in_b = p->at[3];

		alone(csp, p, 0, a, in_b, in_a);
		alone(csp, p, 1, b, in_a, in_b);
		together(csp, p, a, b, in_a, in_b);
		return;
	}
	alone(csp, p, 0, a, p->set, NULL);
	alone(csp, p, 1, b, p->set, NULL);
	together(csp, p, a, b, p->set, p->set);
}

/* [+A+] and /+A+\: events of A are done by both, and decide nothing. */
static void synchronising(struct csp *csp, process *p)
{
	struct csp_steps *side[2] = {csp_steps_kept(csp, p->at[0]), csp_steps_kept(csp, p->at[1])};

	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < side[i]->n; k++) {
			struct csp_step *s = &side[i]->at[k];
			bool goes_on = s->event == CSP_TAU ||
				       (p->op == P_SYNC_INTERRUPT && !i && s->event != CSP_TICK);

			if (s->event <= CSP_TICK || !csp_event_in(p->set, s->event))
				csp_step_add(csp, s->event,
					     goes_on ? csp_process_with(csp, p, i, target(csp, s))
						     : s->to);
		}
	together(csp, p, side[0], side[1], p->set, p->set);
}

static void hide(struct csp *csp, process *p)
{
	size_t from = csp_steps_push(csp, p->at[0]), n = csp->processes->scratch.n;

	for (size_t i = from; i < n; i++) {
		struct csp_step s = csp->processes->scratch.at[i];

		if (s.event != CSP_TICK) {
			if (s.event != CSP_TAU &&
			    csp_event_in(p->set, s.event) == (p->op == P_HIDE))
				s.event = CSP_TAU;
			s.to = csp_process_with(csp, p, 0, csp_process_resolve(csp, s.to));
		}
		csp->processes->scratch.at[i] = s;
	}
}

static void rename_(struct csp *csp, process *p)
{
	struct csp_steps *s = csp_steps_kept(csp, p->at[0]);
	const struct csp_relation *r = p->set->events;

	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t event = s->at[k].event;

		if (event == CSP_TICK) {
			csp_step_add(csp, event, s->at[k].to);
			continue;
		}
		process *to = csp_process_with(csp, p, 0, target(csp, &s->at[k]));
		uint32_t i = csp_relation_find(r, event);

		if (i == r->n || r->at[i].from != event)
			csp_step_add(csp, event, to);
		for (; i < r->n && r->at[i].from == event; i++)
			csp_step_add(csp, r->at[i].to, to);
	}
}

static bool is_linked(const struct csp_relation *r, uint32_t event, bool from)
{
	if (from) {
		uint32_t i = csp_relation_find(r, event);

		return i < r->n && r->at[i].from == event;
	}
	for (uint32_t i = 0; i < r->n; i++)
		if (r->at[i].to == event)
			return true;
	return false;
}

static void link_(struct csp *csp, process *p)
{
	const struct csp_relation *r = p->set->events;
	process *left = p->at[0], *right = p->at[1];

	if (left->op == P_OMEGA && right->op == P_OMEGA) {
		csp_step_add(csp, CSP_TICK, omega(csp));
		return;
	}
	struct csp_steps *side[2] = {csp_steps_kept(csp, left), csp_steps_kept(csp, right)};

	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < side[i]->n; k++) {
			struct csp_step *s = &side[i]->at[k];

			if (s->event == CSP_TICK)
				csp_step_add(csp, CSP_TAU, csp_process_with(csp, p, i, omega(csp)));
			else if (s->event == CSP_TAU || !is_linked(r, s->event, !i))
				csp_step_add(csp, s->event,
					     csp_process_with(csp, p, i, target(csp, s)));
		}
	for (uint32_t i = 0; i < side[0]->n; i++)
		for (uint32_t at = csp_relation_find(r, side[0]->at[i].event);
		     at < r->n && r->at[at].from == side[0]->at[i].event; at++)
			for (uint32_t k = 0; k < side[1]->n; k++)
				if (side[1]->at[k].event == r->at[at].to)
					csp_step_add(
						csp, CSP_TAU,
						both(csp, p, &side[0]->at[i], &side[1]->at[k]));
}

/* Where the first silent steps lead, one after the other; NULL: they have no end. */
static process *settled(struct csp *csp, process *p)
{
	process *seen = p;

	for (uint64_t n = 1, next = 2;; n++) {
		struct csp_steps *s = csp_steps_kept(csp, p);

		if (!s->n || s->at[0].event != CSP_TAU)
			return p;
		p = target(csp, &s->at[0]);
		if (p == seen)
			return NULL;
		if (n == next) {
			seen = p;
			next *= 2;
		}
	}
}

static void chase(struct csp *csp, process *p)
{
	process *at = settled(csp, operand(csp, p, 0));

	if (!at) {
		csp_step_add(csp, CSP_TAU, p);
		return;
	}
	struct csp_steps *s = csp_steps_kept(csp, at);

	for (uint32_t k = 0; k < s->n; k++)
		csp_step_add(csp, s->at[k].event,
			     s->at[k].event == CSP_TICK
				     ? s->at[k].to
				     : csp_process_with(csp, p, 0, target(csp, &s->at[k])));
}

struct outside {
	struct csp *csp;
	process *p;
};

static void emit_outside(void *context, uint32_t event, uint64_t state)
{
	struct outside *o = context;

	csp_step_add(o->csp, event,
		     event == CSP_TICK
			     ? omega(o->csp)
			     : csp_process_make(o->csp, P_OUTSIDE, (void *)(uintptr_t)state, NULL,
						2, o->p->at));
}

static void outside(struct csp *csp, process *p)
{
	struct outside o = {csp, p};

	((csp_outside_steps *)p->at[0])(p->at[1], p->state, emit_outside, &o);
}

static void tocks(struct csp *csp, process *p)
{
	struct csp_value *tock = p->set->at[1];

	csp_step_add(csp, csp_event_number(csp, tock),
		     csp_timed_wait(csp, tock, p->set->at[0]->number - 1, p->at[0],
				    (struct csp_pos){0}));
}

static void over_set(struct csp *csp, process *p)
{
	for (uint32_t i = 0; i < p->set->n; i++)
		if (p->set->at[i]->event)
			csp_step_add(csp, p->set->at[i]->event, p);
	if (p->op == P_TIMED_SKIP)
		csp_step_add(csp, CSP_TICK, omega(csp));
	if (p->op == P_CHAOS)
		csp_step_add(csp, CSP_TAU, csp_process_plain(csp, P_STOP));
}

size_t csp_steps_push(struct csp *csp, process *p)
{
	size_t from = csp->processes->scratch.n;

	csp_check_depth(csp, (struct csp_pos){0});
	switch ((enum csp_op)p->op) {
	case P_STOP:
	case P_OMEGA: break;
	case P_SKIP: csp_step_add(csp, CSP_TICK, omega(csp)); break;
	case P_DIV: csp_step_add(csp, CSP_TAU, p); break;
	case P_RUN:
	case P_TIMED_SKIP:
	case P_CHAOS: over_set(csp, p); break;
	case P_LATER: return csp_steps_push(csp, csp_process_resolve(csp, p));
	case P_PREFIX: csp_prefix_steps(csp, p); break;
	case P_EXTERNAL: external(csp, p); break;
	case P_INTERNAL:
		for (uint32_t i = 0; i < p->n; i++)
			csp_step_add(csp, CSP_TAU, p->at[i]);
		break;
	case P_SLIDE: slide(csp, p); break;
	case P_LOOP:
	case P_SEQUENCE: sequence(csp, p); break;
	case P_BUFFER: csp_buffer_steps(csp, p); break;
	case P_INTERRUPT: interrupt(csp, p); break;
	case P_PARALLEL:
	case P_ALPHABETISED: parallel(csp, p); break;
	case P_THROW: throw_(csp, p); break;
	case P_SYNC_CHOICE:
	case P_SYNC_INTERRUPT: synchronising(csp, p); break;
	case P_HIDE:
	case P_PROJECT: hide(csp, p); break;
	case P_RENAME: rename_(csp, p); break;
	case P_LINK: link_(csp, p); break;
	case P_CHASE: chase(csp, p); break;
	case P_OUTSIDE: outside(csp, p); break;
	case P_TOCKS: tocks(csp, p); break;
	case P_PRIORITISE:
	case P_PRIORITISE_BY: csp_priority_steps(csp, p); break;
	}
	return from;
}

static int by_event(const void *a, const void *b)
{
	const struct csp_step *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->to->id < y->to->id ? -1 : x->to->id > y->to->id;
}

struct csp_steps *csp_steps_kept(struct csp *csp, process *p)
{
	p = csp_process_resolve(csp, p);
	if (p->steps)
		return p->steps;
	size_t from = csp_steps_push(csp, p), n = csp->processes->scratch.n - from;
	struct csp_steps *s = csp_alloc(csp, sizeof(*s) + n * sizeof(s->at[0]));

	s->n = (uint32_t)n;
	if (n)
		memcpy(s->at, &csp->processes->scratch.at[from], n * sizeof(s->at[0]));
	if (n > 1)
		qsort(s->at, n, sizeof(s->at[0]), by_event);
	csp->processes->scratch.n = from;
	return p->steps = s;
}
