/* SPDX-License-Identifier: MIT */
/* c?x!y$z -> P: the events that a prefix offers, and what follows each. */
#include "csp/set.h"
#include "csp/timed.h"

#include <string.h>

struct prefix {
	struct csp *csp;
	struct csp_process *p;
	const struct csp_expr *e;
	struct csp_bag chosen; /* values of the $ fields so far */
	struct csp_value *key; /* that they have to be; <>: any, and they are collected */
	struct csp_bag keys;
	bool dollars;
	struct csp_value *tock; /* in a timed section */
};

static void field(struct prefix *x, uint32_t i, struct csp_value *event, struct csp_env *env);

static void whole(struct prefix *x, struct csp_value *event, struct csp_env *env)
{
	struct csp *csp = x->csp;

	event = csp_intern(csp, event, x->e->pos);
	if (!event->event && csp_never_happens(csp, event, x->e->pos))
		return;
	if (!event->event)
		csp_check_fields(csp, event, x->e->pos);
	if (x->dollars) {
		struct csp_value *key = csp_intern(
			csp, csp_tuple(csp, (uint32_t)x->chosen.n, x->chosen.at), x->e->pos);

		if (x->key->kind != V_TUPLE)
			csp_bag_add(csp, &x->keys, key);
		if (x->key != key)
			return;
	}
	struct csp_process *next = csp_process_later(csp, x->e->kid[1], env, false);

	csp_process_inherit_name(next, x->p);
	if (x->e->timed)
		next = csp_timed_wait(csp, x->tock, csp_timed_tocks(csp, x->e, event, x->p->env),
				      next, x->e->pos);
	csp_step_add(csp, csp_event_number(csp, event), next);
}

static void offer(struct prefix *x, uint32_t i, struct csp_value *event, struct csp_env *env,
		  struct csp_value *v)
{
	const struct csp_field *f = &x->e->field[i];
	struct csp_env *own = csp_env_new(x->csp, env->up, x->e->frame);

	memcpy(own->at, env->at, x->e->frame * sizeof(own->at[0]));
	if (!csp_match(x->csp, f->value, v, own))
		return;
	if (f->sign == '$')
		csp_bag_add(x->csp, &x->chosen, csp_intern(x->csp, v, f->value->pos));
	field(x, i + 1, csp_dot(x->csp, event, v, f->value->pos), own);
	if (f->sign == '$')
		x->chosen.n--;
}

/* Values for the next `fields` fields of the channel. */
static void inputs(struct prefix *x, uint32_t i, struct csp_value *event, struct csp_value *v,
		   struct csp_value *so_far, uint32_t fields, struct csp_env *env)
{
	const struct csp_expr *pattern = x->e->field[i].value;
	struct csp_value *next = csp_next_field(x->csp, so_far);

	csp_check_depth(x->csp, pattern->pos);
	if (!fields) {
		offer(x, i, event, env, v);
		return;
	}
	if (!next)
		csp_fail(x->csp, pattern->pos, "there is no field left for this: %s is whole",
			 csp_value_text(x->csp, so_far));
	next = csp_set_finite(x->csp, next, pattern->pos);
	for (uint32_t k = 0; k < next->n; k++)
		inputs(x, i, event, v ? csp_dot(x->csp, v, next->at[k], pattern->pos) : next->at[k],
		       csp_dot(x->csp, so_far, next->at[k], pattern->pos), fields - 1, env);
}

static void field(struct prefix *x, uint32_t i, struct csp_value *event, struct csp_env *env)
{
	struct csp *csp = x->csp;

	if (i == x->e->field_count) {
		whole(x, event, env);
		return;
	}
	const struct csp_field *f = &x->e->field[i];

	csp_check_depth(csp, f->value->pos);
	if (f->sign == '!') {
		field(x, i + 1, csp_dot(csp, event, csp_eval(csp, f->value, env), f->value->pos),
		      env);
	} else if (f->set) {
		struct csp_value *set = csp_eval_set(csp, f->set, env);

		for (uint32_t k = 0; k < set->n; k++)
			offer(x, i, event, env, set->at[k]);
	} else if (i + 1 == x->e->field_count) {
		/* the last one takes all that is left */
		if (!csp_next_field(csp, event))
			csp_fail(csp, f->value->pos, "there is no field left for this: %s is whole",
				 csp_value_text(csp, event));
		struct csp_value *rest = csp_completions(csp, event, true, f->value->pos);

		for (uint32_t k = 0; k < rest->n; k++)
			offer(x, i, event, env, rest->at[k]);
	} else {
		inputs(x, i, event, NULL, event, csp_pattern_width(f->value), env);
	}
}

/* What was chosen for $ is chosen by itself: one silent step for each choice. */
static void choose(struct prefix *x)
{
	struct csp *csp = x->csp;
	struct csp_value *keys = csp_set_from(csp, &x->keys);

	if (!keys->n)
		csp_fail(csp, x->e->pos, "there is nothing to choose from for the $ in this");
	uint32_t n = x->p->n;
	void **at = csp_alloc(csp, n * sizeof(*at));

	memcpy(at, x->p->at, n * sizeof(*at));
	for (uint32_t i = 0; i < keys->n; i++) {
		at[n - 1] = keys->at[i];
		csp_step_add(csp, CSP_TAU, csp_process_make(csp, P_PREFIX, x->e, x->p->env, n, at));
	}
}

void csp_prefix_steps(struct csp *csp, struct csp_process *p)
{
	const struct csp_expr *e = p->expr;
	struct prefix x = {.csp = csp, .p = p, .e = e, .key = p->at[p->n - 1]};

	for (uint32_t i = 0; i < e->field_count; i++)
		x.dollars = x.dollars || e->field[i].sign == '$';
	struct csp_value *channel = csp_eval(csp, e->kid[0], p->env);

	/* time passes while it waits */
	if (e->timed) {
		x.tock = csp_timed_tock(csp, e, p->env);
		csp_step_add(csp, csp_event_number(csp, x.tock), p);
	}
	field(&x, 0, channel, csp_env_new(csp, p->env, e->frame));
	if (x.dollars && x.key->kind != V_TUPLE)
		choose(&x);
}
