/* SPDX-License-Identifier: MIT */
/* Functions: equations tried in turn, and what they capture. */
#include "csp/builtin.h"
#include "csp/process.h"

#include <stdio.h>
#include <string.h>

/* How many values tell two closures apart. */
static uint32_t captures(const struct csp_value *f)
{
	if (!f->function)
		return 0;
	return f->function->name == INTERN_NONE ? f->function->capture_count : 1;
}

/* How many arguments were given already: they stand behind what an interned function captures. */
static uint32_t given(const struct csp_value *f)
{
	return f->interned ? f->n - captures(f) : f->n;
}

static uint32_t wanted(const struct csp_value *f)
{
	uint32_t before = 0;

	if (!f->function)
		return f->builtin->args - given(f);
	/* arguments come in whole groups */
	for (uint32_t g = 0; g < f->function->groups; g++) {
		if (before == given(f))
			return f->function->group[g];
		before += f->function->group[g];
	}
	return 0;
}

/* `P(1, <2>)`: for reports, if the arguments are short. */
static void name_process(struct csp *csp, struct csp_value *result, const struct csp_value *f,
			 struct csp_value **args)
{
	if (result->kind != V_PROCESS || f->function->name == INTERN_NONE)
		return;
	csp_process_set_name(csp, result->process, f->function->name, f->function->patterns, args);
}

static struct csp_value *run_clauses(struct csp *csp, const struct csp_value *f,
				     struct csp_value **args, struct csp_pos pos)
{
	const struct csp_function *function = f->function;

	for (size_t c = 0; c < function->clauses.n; c++) {
		const struct csp_clause *clause = &function->clauses.at[c];
		struct csp_env *env = csp_env_new(csp, f->env, clause->frame);
		uint32_t i = 0;

		while (i < function->patterns && csp_match(csp, clause->pattern[i], args[i], env))
			i++;
		if (i < function->patterns)
			continue;
		struct csp_value *result = csp_eval(csp, clause->body, env);

		name_process(csp, result, f, args);
		return result;
	}
	struct csp_value *shown = csp_tuple(csp, function->patterns, args);

	for (uint32_t i = 0; i < shown->n; i++)
		shown->at[i] = csp_force(csp, shown->at[i], pos);
	csp_fail(csp, pos, "no equation of %s fits its argument%s %s",
		 function->name == INTERN_NONE ? "this function" : csp_name(csp, function->name),
		 shown->n == 1 ? "" : "s",
		 csp_value_text(csp, shown->n == 1 ? shown->at[0] : shown));
}

struct csp_value *csp_apply(struct csp *csp, struct csp_value *f, uint32_t n,
			    struct csp_value **args, struct csp_pos pos)
{
	if (f->kind != V_FUNCTION)
		csp_fail(csp, pos, "a function is expected here, not %s", csp_value_text(csp, f));
	uint32_t want = wanted(f), had = given(f);
	struct csp_value **old = f->at + (f->n - had);

	if (n != want)
		csp_fail(csp, pos, "%u argument%s expected here, not %u", want,
			 want == 1 ? " is" : "s are", n);
	csp_check_depth(csp, pos);
	if (!f->function || had + n == f->function->patterns) {
		struct csp_value **all = args;

		if (had) {
			all = csp_alloc(csp, (had + n) * sizeof(*all));
			memcpy(all, old, had * sizeof(*all));
			memcpy(all + had, args, n * sizeof(*all));
		}
		if (!f->function)
			return f->builtin->run(csp, &(struct csp_call){all, pos});
		return run_clauses(csp, f, all, pos);
	}
	struct csp_value *more = csp_value_new(csp, V_FUNCTION, had + n);

	more->function = f->function;
	more->env = f->env;
	memcpy(more->at, old, had * sizeof(*args));
	memcpy(more->at + had, args, n * sizeof(*args));
	return more;
}

/* A let is known by its place in the script and by what its declarations use from outside. */
static struct csp_value *frame_value(struct csp *csp, struct csp_env *env, struct csp_pos pos)
{
	const struct csp_expr *let = env->decls->let;

	if (env->frame)
		return env->frame;
	struct csp_value *v = csp_value_new(csp, V_FRAME, let ? let->capture_count : 0);

	v->key = env->decls;
	if (env->asked) { /* it is part of itself: let it be itself alone */
		v = csp_value_new(csp, V_FRAME, 0);
		v->key = env;
		return env->frame = csp_intern_parts(csp, v);
	}
	env->asked = true;
	for (uint32_t i = 0; i < v->n; i++)
		v->at[i] = csp_captured(csp, env->up, let->capture[i], pos);
	if (!env->frame)
		env->frame = csp_intern_parts(csp, v);
	return env->frame;
}

struct csp_value *csp_captured(struct csp *csp, struct csp_env *env, struct csp_slot slot,
			       struct csp_pos pos)
{
	csp_check_depth(csp, pos);
	while (env->level > slot.level)
		env = env->up;
	struct csp_value *v = env->at[slot.index];

	if (!v)
		return csp->values->nil;
	if (v->kind != V_THUNK)
		return csp_intern(csp, v, pos);
	struct csp_value *local;

	/* What is declared may be a process that comes back here: it is known by its place. */
	if (env->decls) {
		local = csp_value_new(csp, V_LOCAL, 1);
		local->at[0] = frame_value(csp, env, pos);
		local->key = (const void *)(uintptr_t)(slot.index + 1);
		return csp_intern_parts(csp, local);
	}
	if (v->thunk_of && v->thunk_of->process) {
		local = csp_value_new(csp, V_LOCAL, v->thunk_of->capture_count);
		local->key = v->thunk_of;
		for (uint32_t i = 0; i < local->n; i++)
			local->at[i] = csp_captured(csp, v->env, v->thunk_of->capture[i], pos);
		return csp_intern_parts(csp, local);
	}
	if (v->state == THUNK_RUNNING) { /* itself alone */
		local = csp_value_new(csp, V_LOCAL, 0);
		local->key = v;
		return csp_intern_parts(csp, local);
	}
	return csp_intern(csp, v, pos);
}

struct csp_value *csp_intern_function(struct csp *csp, struct csp_value *v, struct csp_pos pos)
{
	uint32_t count = captures(v);
	struct csp_value *own = csp_value_new(csp, V_FUNCTION, count + v->n);

	own->function = v->function;
	own->builtin = v->builtin;
	own->env = v->env;
	for (uint32_t i = 0; i < count; i++) {
		if (v->function->name == INTERN_NONE)
			own->at[i] = csp_captured(csp, v->env, v->function->capture[i], pos);
		else
			own->at[i] =
				v->env->decls ? frame_value(csp, v->env, pos) : csp->values->nil;
	}
	for (uint32_t i = 0; i < v->n; i++)
		own->at[count + i] = csp_intern(csp, v->at[i], pos);
	return csp_intern_parts(csp, own);
}
