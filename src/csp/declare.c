/* SPDX-License-Identifier: MIT */
/* Declarations to frames: each name is a thunk, a function, a channel. */
#include "csp/builtin.h"
#include "csp/process.h"

#include <string.h>

static struct csp_value *head_value(struct csp *csp, const struct csp_constructor *c, bool channel)
{
	struct csp_value *v = csp_value_new(csp, V_DOT, 0);
	struct csp_head *head = csp_alloc(csp, sizeof(*head));

	head->name = c->name;
	head->channel = channel;
	head->outside = c->outside;
	head->pos = c->pos;
	head->type = c->type;
	v->head = head;
	return csp_intern_parts(csp, v);
}

static struct csp_value *datatype_value(struct csp *csp, const struct csp_decl *d)
{
	struct csp_value *v = csp_value_new(csp, V_DATATYPE, 0);
	struct csp_datatype *t = csp_alloc(csp, sizeof(*t));

	t->name = d->name;
	t->pos = d->pos;
	t->count = d->count;
	t->head = csp_alloc(csp, d->count * sizeof(*t->head));
	t->fields = csp_alloc(csp, d->count * sizeof(*t->fields));
	v->datatype = t;
	return v;
}

static void declare_datatype(struct csp *csp, const struct csp_decl *d, struct csp_env *env)
{
	struct csp_value *v = datatype_value(csp, d);

	for (uint32_t i = 0; i < d->count; i++) {
		struct csp_value *head = head_value(csp, &d->constructor[i], false);

		env->at[d->first + 1 + i] = head;
		v->datatype->head[i] = v->datatype->fields[i] = head->head;
	}
	env->at[d->first] = v;
}

static void declare_subtype(struct csp *csp, const struct csp_decl *d, struct csp_env *env)
{
	struct csp_value *v = datatype_value(csp, d);

	for (uint32_t i = 0; i < d->count; i++) {
		v->datatype->head[i] = csp->globals->frame->at[d->constructor[i].slot]->head;
		v->datatype->fields[i] = head_value(csp, &d->constructor[i], false)->head;
	}
	env->at[d->first] = v;
}

static struct csp_value *thunk(struct csp *csp, const struct csp_expr *e, struct csp_env *env,
			       uint32_t n)
{
	struct csp_value *v = csp_value_new(csp, V_THUNK, n);

	v->thunk_of = e;
	v->env = env;
	return v;
}

/* (x, y) = e: x and y are parts of one thunk, which csp_force takes out of it. */
static void declare_value(struct csp *csp, const struct csp_decl *d, struct csp_env *env)
{
	if (d->pattern->kind == E_NAME) {
		env->at[d->first] = thunk(csp, d->body, env, 0);
		return;
	}
	struct csp_value *whole = thunk(csp, d->body, env, 0);

	for (uint32_t i = 0; i < d->frame; i++) {
		struct csp_value *v = thunk(csp, d->pattern, env, 2);

		v->at[0] = whole;
		v->at[1] = csp_number(csp, d->first + i);
		env->at[d->first + i] = v;
	}
}

static struct csp_value *function_value(struct csp *csp, struct csp_function *f,
					const struct csp_builtin *builtin, struct csp_env *env)
{
	struct csp_value *v = csp_value_new(csp, V_FUNCTION, 0);

	v->function = f;
	v->builtin = builtin;
	v->env = env;
	return v;
}

static void declare(struct csp *csp, const struct csp_decl *d, struct csp_env *env)
{
	if (d->module && d->module->template)
		return;
	switch (d->kind) {
	case D_VALUE: declare_value(csp, d, env); break;
	case D_PARAMETER:
	case D_MODULE: break;
	case D_FUNCTION: env->at[d->first] = function_value(csp, d->function, NULL, env); break;
	case D_CHANNEL: env->at[d->first] = head_value(csp, d->constructor, true); break;
	case D_DATATYPE: declare_datatype(csp, d, env); break;
	case D_SUBTYPE: declare_subtype(csp, d, env); break;
	case D_NAMETYPE: env->at[d->first] = thunk(csp, d->body, env, 0); break;
	case D_EXTERNAL:
		env->at[d->first] =
			function_value(csp, NULL, csp_external(csp_name(csp, d->name)), NULL);
		break;
	case D_OUTSIDE:
		env->at[d->first] =
			csp_process_value(csp, csp_process_outside(csp, d->steps, d->context));
		break;
	}
}

void csp_declare_all(struct csp *csp, struct csp_decls *decls, struct csp_env *env)
{
	env->decls = decls;
	/* datatypes first: subtypes ask for their constructors */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < decls->list.n; i++)
			if ((decls->list.at[i].kind == D_SUBTYPE) == pass)
				declare(csp, &decls->list.at[i], env);
}

void csp_globals_init(struct csp *csp)
{
	struct csp_globals *g = csp->globals;

	g->frame = csp_env_new(csp, NULL, (uint32_t)g->constant.n);
	for (size_t i = 0; i < csp_builtin_count; i++) {
		const struct csp_builtin *b = &csp_builtins[i];

		/* values come when they are asked for (eval.c) */
		g->frame->at[i] = b->args ? function_value(csp, NULL, b, NULL) : NULL;
	}
	csp_declare_all(csp, &csp->script->decls, g->frame);
}
