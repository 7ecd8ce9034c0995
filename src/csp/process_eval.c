/* SPDX-License-Identifier: MIT */
/* Expressions of processes to terms. */
#include "csp/set.h"
#include "csp/timed.h"

#include <string.h>

typedef struct csp_process process;

static process *operand(struct csp *csp, const struct csp_expr *e, uint32_t i, struct csp_env *env)
{
	return csp_eval_process(csp, e->kid[i], env);
}

static process *later(struct csp *csp, const struct csp_expr *e, uint32_t i, struct csp_env *env)
{
	return csp_process_later(csp, e->kid[i], env, true);
}

static process *prefix(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	void *few[8], **at = few;

	if (e->capture_count >= 8)
		at = csp_alloc(csp, (e->capture_count + 1) * sizeof(*at));
	for (uint32_t i = 0; i < e->capture_count; i++)
		at[i] = csp_captured(csp, env, e->capture[i], e->pos);
	at[e->capture_count] = csp->processes->no_key;
	return csp_process_make(csp, P_PREFIX, e, env, e->capture_count + 1, at);
}

/* Choices in choices are one choice, and STOP is none. */
static process *external(struct csp *csp, process **at, size_t n)
{
	size_t count = 0, k = 0;

	for (size_t i = 0; i < n; i++)
		count += at[i]->op == P_EXTERNAL ? at[i]->n : at[i]->op != P_STOP;
	void **all = csp_alloc(csp, (count + 1) * sizeof(*all));

	for (size_t i = 0; i < n; i++) {
		if (at[i]->op == P_EXTERNAL) {
			memcpy(all + k, at[i]->at, at[i]->n * sizeof(*all));
			k += at[i]->n;
		} else if (at[i]->op != P_STOP) {
			all[k++] = at[i];
		}
	}
	if (!k)
		return csp_process_plain(csp, P_STOP);
	return k == 1 ? all[0] : csp_process_make(csp, P_EXTERNAL, NULL, NULL, (uint32_t)k, all);
}

/* Pairs of whole events from a <- b, for all that may follow a. */
static void add_pairs(struct csp *csp, struct csp_bag *bag, const struct csp_expr *from_expr,
		      const struct csp_expr *to_expr, struct csp_env *env)
{
	struct csp_value *from = csp_eval(csp, from_expr, env), *to = csp_eval(csp, to_expr, env);
	struct csp_value *pair[2];

	if (csp_is_whole(csp, from)) {
		pair[0] = from;
		pair[1] = to;
		csp_bag_add(csp, bag, csp_intern(csp, csp_tuple(csp, 2, pair), from_expr->pos));
		return;
	}
	struct csp_value *rest = csp_completions(csp, from, true, from_expr->pos);

	for (uint32_t i = 0; i < rest->n; i++) {
		pair[0] = csp_dot(csp, from, rest->at[i], from_expr->pos);
		pair[1] = csp_dot(csp, to, rest->at[i], to_expr->pos);
		csp_bag_add(csp, bag, csp_intern(csp, csp_tuple(csp, 2, pair), from_expr->pos));
	}
}

struct pairs {
	struct csp *csp;
	const struct csp_expr *e;
	uint32_t first, end; /* kids */
	struct csp_bag bag;
};

static void each_pair(void *context, struct csp_env *env)
{
	struct pairs *p = context;

	for (uint32_t i = p->first; i + 1 < p->end; i += 2)
		add_pairs(p->csp, &p->bag, p->e->kid[i], p->e->kid[i + 1], env);
}

static struct csp_value *relation(struct csp *csp, const struct csp_expr *e, uint32_t first,
				  uint32_t end, struct csp_env *env)
{
	struct pairs p = {.csp = csp, .e = e, .first = first, .end = end};

	csp_run_stmts(csp, e, env, each_pair, &p);
	struct csp_value *pairs = csp_set_from(csp, &p.bag);

	if (pairs->n)
		csp_relation_prepare(csp, pairs, e->pos);
	return pairs;
}

static process *rename_(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	process *p = operand(csp, e, 0, env);
	struct csp_value *pairs = relation(csp, e, 1, e->n, env);

	return pairs->n ? csp_process_make(csp, P_RENAME, pairs, NULL, 1, (void *[]){p}) : p;
}

/* An event is linked to one other. */
static void check_links(struct csp *csp, struct csp_value *pairs, struct csp_pos pos)
{
	for (uint32_t side = 0; side < 2; side++) {
		struct csp_bag bag = {0};

		for (uint32_t i = 0; i < pairs->n; i++)
			csp_bag_add(csp, &bag, pairs->at[i]->at[side]);
		if (csp_set_from(csp, &bag)->n != pairs->n)
			csp_fail(csp, pos, "an event stands in two of these links");
	}
}

static process *linked(struct csp *csp, struct csp_value *pairs, process *a, process *b,
		       struct csp_pos pos)
{
	check_links(csp, pairs, pos);
	if (pairs->n)
		return csp_process_two(csp, P_LINK, pairs, a, b);
	csp_event_set(csp, csp->values->empty, (struct csp_pos){0});
	return csp_process_two(csp, P_PARALLEL, csp->values->empty, a, b);
}

static process *alphabetised(struct csp *csp, process *a, struct csp_value *in_a,
			     struct csp_value *in_b, process *b)
{
	return csp_process_make(csp, P_ALPHABETISED, NULL, NULL, 4, (void *[]){a, b, in_a, in_b});
}

struct replicated {
	struct csp *csp;
	const struct csp_expr *e;
	VEC(process *) list; /* in the arena */
	struct csp_bag sets; /* of an alphabetised one, or links to those behind it */
};

static void each_copy(void *context, struct csp_env *env)
{
	struct replicated *r = context;
	struct csp *csp = r->csp;
	const struct csp_expr *e = r->e, *body = e->kid[e->n - 1];
	bool waits = e->op == E_INTERNAL || e->op == E_SEQUENCE;

	if (e->op == E_ALPHABETISED)
		csp_bag_add(csp, &r->sets,
			    csp_timed_set(csp, e, csp_eval_events(csp, e->kid[0], env), env));
	if (e->op == E_LINK)
		csp_bag_add(csp, &r->sets, relation(csp, e->kid[0], 0, e->kid[0]->n, env));
	csp_push(csp, &r->list,
		 waits ? csp_process_later(csp, body, env, true)
		       : csp_eval_process(csp, body, env));
}

/* Halves, so that the term is not deep. */
static process *combine(struct csp *csp, enum csp_op op, struct csp_value *set, process **at,
			size_t n)
{
	if (n == 1)
		return at[0];
	process *left = combine(csp, op, set, at, n / 2);

	return csp_process_two(csp, op, set, left, combine(csp, op, set, at + n / 2, n - n / 2));
}

static process *combine_alphabetised(struct csp *csp, process **at, struct csp_value **sets,
				     size_t n, struct csp_value **set, struct csp_pos pos)
{
	if (n == 1) {
		*set = sets[0];
		return at[0];
	}
	struct csp_value *in_a, *in_b;
	process *a = combine_alphabetised(csp, at, sets, n / 2, &in_a, pos);
	process *b = combine_alphabetised(csp, at + n / 2, sets + n / 2, n - n / 2, &in_b, pos);

	*set = csp_set_union(csp, in_a, in_b, pos);
	csp_event_set(csp, *set, pos);
	return alphabetised(csp, a, in_a, in_b, b);
}

/* A replicated operator over nothing. */
static process *none(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	switch (e->op) {
	case E_INTERNAL:
	case E_LINK: csp_fail(csp, e->pos, "there is nothing to choose from: the set is empty");
	case E_SEQUENCE: return csp_timed_skip(csp, e, env);
	case E_EXTERNAL:
	case E_SYNC_CHOICE: return csp_timed_stop(csp, e, env);
	default: return e->timed ? csp_timed_stop(csp, e, env) : csp_process_plain(csp, P_SKIP);
	}
}

static process *replicated(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct replicated r = {.csp = csp, .e = e};
	struct csp_value *set = csp->values->empty;

	if (e->op == E_PARALLEL || e->op == E_SYNC_CHOICE)
		set = csp_eval_events(csp, e->kid[0], env);
	set = csp_timed_set(csp, e, set, env);
	csp_run_stmts(csp, e, env, each_copy, &r);
	if (e->op == E_EXTERNAL && !e->timed)
		return external(csp, r.list.at, r.list.n);
	if (!r.list.n)
		return none(csp, e, env);
	switch (e->op) {
	case E_INTERNAL:
		return csp_process_make(csp, P_INTERNAL, NULL, NULL, (uint32_t)r.list.n,
					(void **)r.list.at);
	case E_SEQUENCE: {
		process *p = r.list.at[r.list.n - 1];

		for (size_t i = r.list.n - 1; i-- > 0;)
			p = csp_process_two(csp, P_SEQUENCE, NULL, r.list.at[i], p);
		return csp_process_resolve(csp, p);
	}
	case E_LINK: {
		process *p = r.list.at[r.list.n - 1];

		for (size_t i = r.list.n - 1; i-- > 0;)
			p = linked(csp, r.sets.at[i], r.list.at[i], p, e->pos);
		return p;
	}
	case E_ALPHABETISED:
		return combine_alphabetised(csp, r.list.at, r.sets.at, r.list.n, &set, e->pos);
	case E_EXTERNAL:
	case E_SYNC_CHOICE: return combine(csp, P_SYNC_CHOICE, set, r.list.at, r.list.n);
	default: return combine(csp, P_PARALLEL, set, r.list.at, r.list.n);
	}
}

/* An operator with a set: evaluated first, so that errors come in the order of the text. */
static process *with_set(struct csp *csp, enum csp_op op, const struct csp_expr *e,
			 struct csp_env *env)
{
	process *left = operand(csp, e, 0, env);
	struct csp_value *set = csp_eval_events(csp, e->kid[1], env);

	if (op == P_PARALLEL || op == P_SYNC_CHOICE || op == P_SYNC_INTERRUPT)
		set = csp_timed_set(csp, e, set, env);
	if (e->n == 2)
		return csp_process_make(csp, op, set, NULL, 1, (void *[]){left});
	return csp_process_two(csp, op, set, left,
			       op == P_THROW ? later(csp, e, 2, env) : operand(csp, e, 2, env));
}

static process *two(struct csp *csp, enum csp_op op, const struct csp_expr *e, struct csp_env *env)
{
	process *left = op == P_INTERNAL ? later(csp, e, 0, env) : operand(csp, e, 0, env);
	bool waits = op == P_INTERNAL || op == P_SLIDE || op == P_SEQUENCE;

	return csp_process_two(csp, op, NULL, left,
			       waits ? later(csp, e, 1, env) : operand(csp, e, 1, env));
}

/* An operator that in a timed section lets time pass in both. */
static process *with_time(struct csp *csp, enum csp_op op, const struct csp_expr *e,
			  struct csp_env *env)
{
	struct csp_value *set = csp_timed_set(csp, e, NULL, env);
	process *left = operand(csp, e, 0, env);

	return csp_process_two(csp, op, set, left, operand(csp, e, 1, env));
}

process *csp_process_from(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	switch (e->kind) {
	case E_PREFIX: return prefix(csp, e, env);
	case E_GUARD:
		return csp_eval_bool(csp, e->kid[0], env) ? operand(csp, e, 1, env)
							  : csp_timed_stop(csp, e, env);
	case E_EXTERNAL: {
		if (e->timed)
			return with_time(csp, P_SYNC_CHOICE, e, env);
		process *at[] = {operand(csp, e, 0, env), operand(csp, e, 1, env)};

		return external(csp, at, 2);
	}
	case E_INTERNAL: return two(csp, P_INTERNAL, e, env);
	case E_SLIDE: return two(csp, P_SLIDE, e, env);
	case E_SEQUENCE: return two(csp, P_SEQUENCE, e, env);
	case E_INTERRUPT:
		return e->timed ? with_time(csp, P_SYNC_INTERRUPT, e, env)
				: two(csp, P_INTERRUPT, e, env);
	case E_INTERLEAVE: return with_time(csp, P_PARALLEL, e, env);
	case E_PARALLEL: return with_set(csp, P_PARALLEL, e, env);
	case E_THROW: return with_set(csp, P_THROW, e, env);
	case E_SYNC_CHOICE: return with_set(csp, P_SYNC_CHOICE, e, env);
	case E_SYNC_INTERRUPT: return with_set(csp, P_SYNC_INTERRUPT, e, env);
	case E_HIDE: return with_set(csp, P_HIDE, e, env);
	case E_PROJECT: return with_set(csp, P_PROJECT, e, env);
	case E_ALPHABETISED: {
		process *left = operand(csp, e, 0, env);
		struct csp_value *in_a =
			csp_timed_set(csp, e, csp_eval_events(csp, e->kid[1], env), env);
		struct csp_value *in_b =
			csp_timed_set(csp, e, csp_eval_events(csp, e->kid[2], env), env);

		return alphabetised(csp, left, in_a, in_b, operand(csp, e, 3, env));
	}
	case E_RENAME: return rename_(csp, e, env);
	case E_LINK: {
		process *left = operand(csp, e, 0, env), *right = operand(csp, e, 1, env);

		return linked(csp, relation(csp, e, 2, e->n, env), left, right, e->pos);
	}
	case E_REPLICATED: return replicated(csp, e, env);
	default: BUG("no process");
	}
}
