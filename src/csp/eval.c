/* SPDX-License-Identifier: MIT */
/* Expressions to values. */
#include "csp/builtin.h"
#include "csp/process.h"
#include "csp/set.h"
#include "csp/token.h"

#include <string.h>

struct csp_env *csp_env_new(struct csp *csp, struct csp_env *up, uint32_t n)
{
	struct csp_env *env = csp_alloc(csp, sizeof(*env) + n * sizeof(env->at[0]));

	env->up = up;
	env->level = up ? up->level + 1 : 0;
	return env;
}

static struct csp_value *look_up(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	if (e->global)
		return csp->globals->frame->at[e->slot.index];
	while (env->level > e->slot.level)
		env = env->up;
	return env->at[e->slot.index];
}

struct csp_value *csp_delay(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	switch (e->kind) {
	case E_NAME: {
		struct csp_value *v = look_up(csp, e, env);

		if (v)
			return v;
		break;
	}
	case E_NUMBER:
	case E_BOOL:
	case E_CHAR: return csp_eval(csp, e, env);
	default: break;
	}
	struct csp_value *v = csp_value_new(csp, V_THUNK, 0);

	v->thunk_of = e;
	v->env = env;
	return v;
}

/* What is evaluated when it is asked for by itself. */
static void __attribute__((noreturn))
loops(struct csp *csp, const struct csp_value *v, struct csp_pos pos)
{
	csp_fail(csp, v->thunk_of ? v->thunk_of->pos : pos,
		 "the value of this depends on itself, or a process on itself without an event "
		 "between");
}

/* One name of a pattern: declare.c. */
static struct csp_value *force_part(struct csp *csp, struct csp_value *v)
{
	uint32_t index = (uint32_t)v->at[1]->number;
	struct csp_env *env =
		csp_env_new(csp, v->env->up, index + 1 + csp_pattern_slots(v->thunk_of));

	if (!csp_match(csp, v->thunk_of, v->at[0], env))
		csp_fail(csp, v->thunk_of->pos, "the value does not fit this pattern: %s",
			 csp_value_text(csp, csp_force(csp, v->at[0], v->thunk_of->pos)));
	return csp_force(csp, env->at[index], v->thunk_of->pos);
}

struct csp_value *csp_force(struct csp *csp, struct csp_value *v, struct csp_pos pos)
{
	if (v->kind != V_THUNK)
		return v;
	if (v->state == THUNK_DONE)
		return v->done;
	if (v->state == THUNK_RUNNING)
		loops(csp, v, pos);
	v->state = THUNK_RUNNING;
	struct csp_value *done = v->n ? force_part(csp, v) : csp_eval(csp, v->thunk_of, v->env);

	v->done = done;
	v->state = THUNK_DONE;
	return done;
}

static void wrong(struct csp *csp, struct csp_pos pos, const char *expected, struct csp_value *v)
{
	csp_fail(csp, pos, "%s is expected here, not %s", expected, csp_value_text(csp, v));
}

int64_t csp_eval_number(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *v = csp_eval(csp, e, env);

	if (v->kind != V_NUMBER)
		wrong(csp, e->pos, "a number", v);
	return v->number;
}

bool csp_eval_bool(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *v = csp_eval(csp, e, env);

	if (v->kind != V_BOOL)
		wrong(csp, e->pos, "true or false", v);
	return v->number;
}

struct csp_value *csp_eval_set(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	return csp_set_finite(csp, csp_eval(csp, e, env), e->pos);
}

struct csp_value *csp_eval_events(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *set = csp_eval_set(csp, e, env);

	csp_event_set(csp, set, e->pos);
	return set;
}

struct csp_process *csp_eval_process(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *v = csp_eval(csp, e, env);

	if (v->kind != V_PROCESS)
		wrong(csp, e->pos, "a process", v);
	return v->process;
}

static struct csp_value *arithmetic(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	int64_t a = csp_eval_number(csp, e->kid[0], env), b = csp_eval_number(csp, e->kid[1], env);
	int64_t result = 0;
	bool bad = false;

	switch (e->op) {
	case T_PLUS: bad = __builtin_add_overflow(a, b, &result); break;
	case T_MINUS: bad = __builtin_sub_overflow(a, b, &result); break;
	case T_TIMES: bad = __builtin_mul_overflow(a, b, &result); break;
	default:
		if (!b)
			csp_fail(csp, e->pos, "division by zero");
		if ((bad = a == INT64_MIN && b == -1))
			break;
		/* towards minus infinity, as FDR rounds */
		result = e->op == T_DIVIDE ? a / b : a % b;
		if (a % b && (a < 0) != (b < 0))
			result += e->op == T_DIVIDE ? -1 : b;
		break;
	}
	if (bad)
		csp_fail(csp, e->pos, "the result is too large");
	return csp_number(csp, result);
}

/* Is one a prefix of the other? */
static bool is_prefix(struct csp *csp, struct csp_value *a, struct csp_value *b, bool proper,
		      struct csp_pos pos)
{
	while (a->kind == V_CONS && b->kind == V_CONS) {
		if (!csp_equal(csp, a->at[0], b->at[0], pos))
			return false;
		a = csp_force(csp, a->at[1], pos);
		b = csp_force(csp, b->at[1], pos);
	}
	return a->kind == V_NIL && (!proper || b->kind == V_CONS);
}

/* By the first key or value that differs. */
static int compare_maps(const struct csp_value *a, const struct csp_value *b)
{
	for (uint32_t i = 0; i < a->n && i < b->n; i++) {
		int order = csp_compare(a->at[i], b->at[i]);

		if (order)
			return order;
	}
	return a->n < b->n ? -1 : a->n > b->n;
}

static bool is_less(struct csp *csp, struct csp_value *a, struct csp_value *b, bool proper,
		    struct csp_pos pos)
{
	if (a->kind == V_NIL || a->kind == V_CONS)
		return is_prefix(csp, a, b, proper, pos);
	if (a->kind == V_NUMBER || a->kind == V_CHAR)
		return proper ? a->number < b->number : a->number <= b->number;
	if (a->kind == V_TUPLE && a->n == b->n) {
		for (uint32_t i = 0; i < a->n; i++)
			if (!csp_equal(csp, a->at[i], b->at[i], pos))
				return is_less(csp, csp_force(csp, a->at[i], pos),
					       csp_force(csp, b->at[i], pos), true, pos);
		return !proper;
	}
	if (a->kind == V_MAP && b->kind == V_MAP) {
		int order = compare_maps(csp_intern(csp, a, pos), csp_intern(csp, b, pos));

		return proper ? order < 0 : order <= 0;
	}
	if (a->kind == V_INTS && b->kind == V_INTS)
		return (!b->n || (a->n && a->number >= b->number)) &&
		       (!proper || a->n != b->n || a->number != b->number);
	if (a->kind == V_BOOL || a->kind == V_PROCESS || a->kind == V_FUNCTION ||
	    (a->kind == V_DOT && a->head))
		csp_fail(csp, pos, "these cannot be put in an order");
	if (a->kind == V_INTS)
		return false;
	a = csp_set_finite(csp, a, pos);
	for (uint32_t i = 0; i < a->n; i++)
		if (!csp_set_has(csp, b, a->at[i], pos))
			return false;
	return !proper || b->kind != V_SET || b->n > a->n;
}

static bool compare(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *a = csp_eval(csp, e->kid[0], env), *b = csp_eval(csp, e->kid[1], env);

	if (e->op == T_EQUAL || e->op == T_NOT_EQUAL)
		return csp_equal(csp, a, b, e->pos) == (e->op == T_EQUAL);
	bool seqs =
		(a->kind == V_NIL || a->kind == V_CONS) && (b->kind == V_NIL || b->kind == V_CONS);

	if (a->kind != b->kind && !seqs &&
	    (a->kind == V_NUMBER || b->kind == V_NUMBER || a->kind == V_CONS || b->kind == V_CONS))
		wrong(csp, e->kid[1]->pos, "a value of the same type as on the left", b);
	switch (e->op) {
	case T_LESS: return is_less(csp, a, b, true, e->pos);
	case T_LESS_EQUAL: return is_less(csp, a, b, false, e->pos);
	case T_GREATER: return is_less(csp, b, a, true, e->pos);
	default: return is_less(csp, b, a, false, e->pos);
	}
}

static struct csp_value *need_seq(struct csp *csp, struct csp_value *v, struct csp_pos pos)
{
	v = csp_force(csp, v, pos);
	if (v->kind != V_NIL && v->kind != V_CONS)
		wrong(csp, pos, "a sequence", v);
	return v;
}

/* Items and what is behind them as a sequence. */
static struct csp_value *seq_with(struct csp *csp, struct csp_bag *bag, struct csp_value *rest)
{
	while (bag->n)
		rest = csp_cons(csp, bag->at[--bag->n], rest);
	return rest;
}

/* The same expression, to go on later: what it has come to stands in a frame of its own. */
static struct csp_value *goes_on(struct csp *csp, const struct csp_expr *e, struct csp_env *env,
				 struct csp_value *from)
{
	struct csp_value *rest = csp_value_new(csp, V_THUNK, 0);

	rest->thunk_of = e;
	rest->env = csp_env_new(csp, env, 1);
	rest->env->level = UINT32_MAX;
	rest->env->at[0] = from;
	return rest;
}

static bool is_going_on(const struct csp_env *env)
{
	return env && env->level == UINT32_MAX;
}

/* What is not known yet is not asked for before its time: it may have no end. */
static bool waits(const struct csp_value *v)
{
	return v->kind == V_THUNK && v->state != THUNK_DONE;
}

static struct csp_value *concat(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	bool on = is_going_on(env);
	struct csp_value *a =
		on ? csp_force(csp, env->at[0], e->pos) : csp_eval(csp, e->kid[0], env);
	struct csp_bag bag = {0};

	if (on)
		env = env->up;
	for (a = need_seq(csp, a, e->kid[0]->pos); a->kind == V_CONS;
	     a = need_seq(csp, a->at[1], e->kid[0]->pos)) {
		csp_bag_add(csp, &bag, a->at[0]);
		if (waits(a->at[1]))
			return seq_with(csp, &bag, goes_on(csp, e, env, a->at[1]));
	}
	if (!bag.n)
		return need_seq(csp, csp_eval(csp, e->kid[1], env), e->kid[1]->pos);
	return seq_with(csp, &bag, csp_delay(csp, e->kid[1], env));
}

/* <n..> */
static struct csp_value *endless(struct csp *csp, const struct csp_expr *e, int64_t from)
{
	return csp_cons(csp, csp_number(csp, from),
			goes_on(csp, e, NULL, csp_number(csp, from + 1)));
}

static struct csp_value *range(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	if (is_going_on(env))
		return endless(csp, e, env->at[0]->number);
	int64_t from = csp_eval_number(csp, e->kid[0], env);

	if (e->n == 1 && e->kind == E_SEQ_RANGE)
		return endless(csp, e, from);
	if (e->n == 1) {
		struct csp_value *v = csp_value_new(csp, V_INTS, 1);

		v->number = from;
		v->at[0] = csp->values->nil;
		return csp_intern_parts(csp, v);
	}
	int64_t to = csp_eval_number(csp, e->kid[1], env);

	if (e->kind == E_SEQ_RANGE) {
		struct csp_value *v = csp->values->nil;

		for (int64_t i = to; i >= from; i--) {
			v = csp_cons(csp, csp_number(csp, i), v);
			if (i == INT64_MIN)
				break;
		}
		return v;
	}
	struct csp_bag bag = {0};

	for (int64_t i = from; i <= to; i++) {
		csp_bag_add(csp, &bag, csp_number(csp, i));
		if (i == INT64_MAX)
			break;
	}
	return csp_set_from(csp, &bag);
}

struct collector {
	struct csp *csp;
	const struct csp_expr *e;
	struct csp_bag bag;
	struct csp_value *endless; /* of {n..} the least */
};

static void add_enumerated(struct csp *csp, struct csp_bag *bag, struct csp_value *v,
			   struct csp_pos pos)
{
	struct csp_value *all = csp_completions(csp, v, false, pos);

	for (uint32_t i = 0; i < all->n; i++) {
		struct csp_value *event = all->at[i];

		if (!event->event && csp_never_happens(csp, event, pos))
			continue;
		if (event->kind == V_DOT && event->head && event->head->channel && !event->event) {
			csp_check_fields(csp, event, pos);
			csp_event_number(csp, event);
		}
		csp_bag_add(csp, bag, event);
	}
}

static void collect(void *context, struct csp_env *env)
{
	struct collector *c = context;
	struct csp *csp = c->csp;
	const struct csp_expr *e = c->e;

	if (e->kind == E_SEQ_RANGE || e->kind == E_SET_RANGE) {
		struct csp_value *v = range(csp, e, env);

		if (v->kind == V_INTS) {
			c->endless = !c->endless || v->number < c->endless->number ? v : c->endless;
		} else if (e->kind == E_SET_RANGE) {
			for (uint32_t i = 0; i < v->n; i++)
				csp_bag_add(csp, &c->bag, v->at[i]);
		} else {
			for (; v->kind == V_CONS; v = csp_force(csp, v->at[1], e->pos))
				csp_bag_add(csp, &c->bag, v->at[0]);
		}
		return;
	}
	for (uint32_t i = 0; i < e->n; i++) {
		struct csp_pos pos = e->kid[i]->pos;

		if (e->kind == E_SEQ)
			csp_bag_add(csp, &c->bag, csp_eval(csp, e->kid[i], env));
		else if (e->kind == E_SET)
			csp_bag_add(csp, &c->bag,
				    csp_intern(csp, csp_eval(csp, e->kid[i], env), pos));
		else
			add_enumerated(csp, &c->bag, csp_eval(csp, e->kid[i], env), pos);
	}
}

/* <… | x <- s, …>, as far as s is known. */
static struct csp_value *comprehension(struct csp *csp, const struct csp_expr *e,
				       struct csp_env *env, struct csp_value *from)
{
	struct collector c = {.csp = csp, .e = e};

	for (; from->kind == V_CONS; from = csp_force(csp, from->at[1], e->pos)) {
		csp_run_stmts_with(csp, e, env, from->at[0], collect, &c);
		if (c.bag.n && waits(from->at[1]))
			return seq_with(csp, &c.bag, goes_on(csp, e, env, from->at[1]));
	}
	return seq_with(csp, &c.bag, csp->values->nil);
}

static struct csp_value *collection(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct collector c = {.csp = csp, .e = e};

	if (!e->stmt_count && (e->kind == E_SEQ_RANGE || e->kind == E_SET_RANGE))
		return range(csp, e, env);
	if (is_going_on(env))
		return comprehension(csp, e, env->up, csp_force(csp, env->at[0], e->pos));
	if (e->stmt_count && e->stmt[0].pattern && (e->kind == E_SEQ || e->kind == E_SEQ_RANGE)) {
		struct csp_value *from = csp_eval(csp, e->stmt[0].value, env);

		if (from->kind == V_NIL || from->kind == V_CONS)
			return comprehension(csp, e, env, from);
	}
	if (e->stmt_count)
		csp_run_stmts(csp, e, env, collect, &c);
	else
		collect(&c, env);
	if (c.endless)
		return c.endless;
	if (e->kind == E_SET || e->kind == E_ENUM || e->kind == E_SET_RANGE)
		return csp_set_from(csp, &c.bag);
	return seq_with(csp, &c.bag, csp->values->nil);
}

static struct csp_value *map(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *m = csp_value_new(csp, V_MAP, 0);
	struct csp_call call = {.pos = e->pos};

	for (uint32_t i = 0; i + 1 < e->n; i += 2) {
		struct csp_value *args[] = {m, csp_eval(csp, e->kid[i], env),
					    csp_eval(csp, e->kid[i + 1], env)};

		call.args = args;
		m = csp_map_update(csp, &call);
	}
	return m;
}

static struct csp_value *dotted(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *v = csp_eval(csp, e->kid[0], env);

	for (uint32_t i = 1; i < e->n; i++)
		v = csp_dot(csp, v, csp_eval(csp, e->kid[i], env), e->pos);
	if (v->kind == V_DOT && v->head && csp_is_whole(csp, v) &&
	    !csp_never_happens(csp, v, e->pos))
		csp_check_carried(csp, v, e->pos);
	return v;
}

static struct csp_value *closure(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *v = csp_value_new(csp, V_FUNCTION, 0);

	v->function = e->function;
	v->env = env;
	return v;
}

static struct csp_value *call(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *f = csp_eval(csp, e->kid[0], env);
	struct csp_value *few[4], **args = few;

	if (e->n - 1 > 4)
		args = csp_alloc(csp, (e->n - 1) * sizeof(*args));
	for (uint32_t i = 1; i < e->n; i++)
		args[i - 1] = csp_delay(csp, e->kid[i], env);
	return csp_apply(csp, f, e->n - 1, args, e->kid[0]->pos);
}

static struct csp_value *let(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_env *frame = csp_env_new(csp, env, e->decls->frame);

	csp_declare_all(csp, e->decls, frame);
	return csp_eval(csp, e->kid[0], frame);
}

static struct csp_value *length(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *v = need_seq(csp, csp_eval(csp, e->kid[0], env), e->kid[0]->pos);
	int64_t n = 0;

	for (; v->kind == V_CONS; v = need_seq(csp, v->at[1], e->pos))
		n++;
	return csp_number(csp, n);
}

static struct csp_value *tuple(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *v = csp_value_new(csp, V_TUPLE, e->n);

	for (uint32_t i = 0; i < e->n; i++)
		v->at[i] = csp_delay(csp, e->kid[i], env);
	return v;
}

static struct csp_value *name(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	struct csp_value *v = look_up(csp, e, env);

	if (!v && e->global && e->slot.index < csp_builtin_count) {
		v = csp_builtins[e->slot.index].run(csp, &(struct csp_call){.pos = e->pos});
		csp->globals->frame->at[e->slot.index] = v;
	}
	if (!v)
		csp_fail(csp, e->pos, "%s depends on itself", csp_name(csp, e->name));
	v = csp_force(csp, v, e->pos);
	/* `P = …` names the process, as an equation of a function does */
	if (v->kind == V_PROCESS && e->global)
		csp_process_set_name(csp, v->process, e->name, 0, NULL);
	return v;
}

struct csp_value *csp_eval(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	csp_check_depth(csp, e->pos);
	switch (e->kind) {
	case E_NUMBER: return csp_number(csp, e->number);
	case E_BOOL: return csp_bool(csp, e->number);
	case E_CHAR: return csp_intern_plain(csp, V_CHAR, e->number);
	case E_NAME: return name(csp, e, env);
	case E_TUPLE: return tuple(csp, e, env);
	case E_DOT: return dotted(csp, e, env);
	case E_APPLY: return call(csp, e, env);
	case E_LAMBDA: return closure(csp, e, env);
	case E_LET: return let(csp, e, env);
	case E_IF: return csp_eval(csp, e->kid[csp_eval_bool(csp, e->kid[0], env) ? 1 : 2], env);
	case E_NOT: return csp_bool(csp, !csp_eval_bool(csp, e->kid[0], env));
	case E_NEGATE: {
		int64_t n = csp_eval_number(csp, e->kid[0], env);

		if (n == INT64_MIN)
			csp_fail(csp, e->pos, "the result is too large");
		return csp_number(csp, -n);
	}
	case E_LENGTH: return length(csp, e, env);
	case E_AND:
		return csp_bool(csp, csp_eval_bool(csp, e->kid[0], env) &&
					     csp_eval_bool(csp, e->kid[1], env));
	case E_OR:
		return csp_bool(csp, csp_eval_bool(csp, e->kid[0], env) ||
					     csp_eval_bool(csp, e->kid[1], env));
	case E_COMPARE: return csp_bool(csp, compare(csp, e, env));
	case E_ARITHMETIC: return arithmetic(csp, e, env);
	case E_CONCAT: return concat(csp, e, env);
	case E_SEQ:
	case E_SET:
	case E_ENUM:
	case E_SEQ_RANGE:
	case E_SET_RANGE: return collection(csp, e, env);
	case E_MAP: return map(csp, e, env);
	case E_TIMED: return csp_timed_value(csp, e, env);
	case E_WILD:
	case E_BOTH: BUG("a pattern is evaluated");
	default: return csp_process_value(csp, csp_process_from(csp, e, env));
	}
}
