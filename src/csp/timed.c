/* SPDX-License-Identifier: MIT */
#include "csp/timed.h"

#include "csp/builtin.h"
#include "csp/priority.h"
#include "csp/set.h"

struct csp_value *csp_timed_tock(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	const struct csp_expr *name = e->timed->tock;
	struct csp_value *tock = csp_intern(csp, csp_eval(csp, name, env), name->pos);

	if (!tock->event)
		csp_check_fields(csp, tock, name->pos);
	csp_event_number(csp, tock);
	return tock;
}

static struct csp_value *one(struct csp *csp, struct csp_value *v)
{
	struct csp_bag bag = {0};

	csp_bag_add(csp, &bag, v);
	return csp_set_from(csp, &bag);
}

struct csp_value *csp_timed_set(struct csp *csp, const struct csp_expr *e, struct csp_value *set,
				struct csp_env *env)
{
	if (!set)
		set = csp->values->empty;
	if (e->timed)
		set = csp_set_union(csp, set, one(csp, csp_timed_tock(csp, e, env)), e->pos);
	csp_event_set(csp, set, e->pos);
	return set;
}

int64_t csp_timed_tocks(struct csp *csp, const struct csp_expr *e, struct csp_value *event,
			struct csp_env *env)
{
	const struct csp_expr *f = e->timed->tocks;

	if (!f)
		return 1;
	struct csp_value *n =
		csp_apply(csp, csp_eval(csp, f, env), 1, (struct csp_value *[]){event}, f->pos);

	if (n->kind != V_NUMBER || n->number < 0)
		csp_fail(csp, f->pos, "an event takes a number of tocks, from 0 on, not %s",
			 csp_value_text(csp, n));
	return n->number;
}

struct csp_process *csp_timed_wait(struct csp *csp, struct csp_value *tock, int64_t tocks,
				   struct csp_process *p, struct csp_pos pos)
{
	if (!tocks)
		return p;
	struct csp_value *parts[] = {csp_number(csp, tocks), tock};
	struct csp_value *key = csp_intern(csp, csp_tuple(csp, 2, parts), pos);

	return csp_process_make(csp, P_TOCKS, key, NULL, 1, (void *[]){p});
}

struct csp_process *csp_timed_stop(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	if (!e->timed)
		return csp_process_plain(csp, P_STOP);
	return csp_process_over(csp, P_RUN, csp_timed_set(csp, e, NULL, env), e->pos);
}

/* SKIP with the set of tock: time may pass in it. */
static struct csp_process *timed_skip(struct csp *csp, struct csp_value *tock, struct csp_pos pos)
{
	return csp_process_over(csp, P_TIMED_SKIP, one(csp, tock), pos);
}

struct csp_process *csp_timed_skip(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	if (!e->timed)
		return csp_process_plain(csp, P_SKIP);
	return timed_skip(csp, csp_timed_tock(csp, e, env), e->pos);
}

static struct csp_value *wait(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *tock = c->args[0], *n = csp_force(csp, c->args[1], c->pos);

	if (n->kind != V_NUMBER || n->number < 0)
		csp_fail(csp, c->pos, "WAIT takes a number from 0 on, not %s",
			 csp_value_text(csp, n));
	return csp_process_value(
		csp, csp_timed_wait(csp, tock, n->number, timed_skip(csp, tock, c->pos), c->pos));
}

/* What happens at once happens before time passes. */
static struct csp_value *priority(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *p = csp_force(csp, c->args[1], c->pos);
	struct csp_value *sets[] = {csp->values->empty, one(csp, c->args[0])};

	return csp_process_value(csp, csp_prioritised(csp, p->process, sets, 2, c->pos));
}

/* tock is their first argument, which a script does not write. */
static const struct csp_builtin functions[] = {
	[TIMED_WAIT] = {"WAIT", "(I)->P", 2, wait},
	[TIMED_PRIORITY] = {"timed_priority", "(P)->P", 2, priority},
};

const char *csp_timed_type(enum csp_timed_name name)
{
	return name < TIMED_WAIT ? "P" : functions[name].type;
}

struct csp_value *csp_timed_value(struct csp *csp, const struct csp_expr *e, struct csp_env *env)
{
	if (e->op == TIMED_STOP)
		return csp_process_value(csp, csp_timed_stop(csp, e, env));
	if (e->op == TIMED_SKIP)
		return csp_process_value(csp, csp_timed_skip(csp, e, env));
	struct csp_value *f = csp_value_new(csp, V_FUNCTION, 1);

	f->builtin = &functions[e->op];
	f->at[0] = csp_timed_tock(csp, e, env);
	return f;
}
