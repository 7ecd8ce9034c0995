/* SPDX-License-Identifier: MIT */
/* Generators and conditions, of comprehensions and replicated operators. */
#include "csp/set.h"

struct run {
	struct csp *csp;
	const struct csp_expr *e;
	csp_each *each;
	void *context;
};

static void step(const struct run *r, uint32_t i, struct csp_env *env);

static void with(const struct run *r, uint32_t i, struct csp_env *env, struct csp_value *v)
{
	const struct csp_expr *pattern = r->e->stmt[i].pattern;
	struct csp_env *frame = csp_env_new(r->csp, env, csp_pattern_slots(pattern));

	if (csp_match(r->csp, pattern, v, frame))
		step(r, i + 1, frame);
}

static void step(const struct run *r, uint32_t i, struct csp_env *env)
{
	if (i == r->e->stmt_count) {
		r->each(r->context, env);
		return;
	}
	const struct csp_stmt *stmt = &r->e->stmt[i];

	csp_check_depth(r->csp, stmt->value->pos);
	if (!stmt->pattern) {
		if (csp_eval_bool(r->csp, stmt->value, env))
			step(r, i + 1, env);
		return;
	}
	struct csp_pos pos = stmt->value->pos;
	struct csp_value *v = csp_eval(r->csp, stmt->value, env);

	if (v->kind == V_NIL || v->kind == V_CONS) {
		for (; v->kind == V_CONS; v = csp_force(r->csp, v->at[1], pos))
			with(r, i, env, v->at[0]);
		return;
	}
	v = csp_set_finite(r->csp, v, pos);
	for (uint32_t k = 0; k < v->n; k++)
		with(r, i, env, v->at[k]);
}

void csp_run_stmts_with(struct csp *csp, const struct csp_expr *e, struct csp_env *env,
			struct csp_value *first, csp_each *each, void *context)
{
	struct run r = {csp, e, each, context};

	with(&r, 0, env, first);
}

void csp_run_stmts(struct csp *csp, const struct csp_expr *e, struct csp_env *env, csp_each *each,
		   void *context)
{
	struct run r = {csp, e, each, context};

	step(&r, 0, env);
}
