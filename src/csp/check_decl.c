/* SPDX-License-Identifier: MIT */
/* The types of declarations: each is checked when its name is first asked for. */
#include "csp/builtin.h"
#include "csp/check.h"

#include <string.h>

#define NEW(kind, ...) csp_type_new(c->types.csp, kind, __VA_ARGS__)

/* A type has whole values. */
static void refuse_open(struct csp_checker *c, struct csp_type *set, struct csp_pos pos)
{
	set = csp_type_seen(set);
	struct csp_type *item = set->kind == TY_SET ? csp_type_seen(set->at[0]) : set;

	if (item->kind == TY_OPEN)
		csp_fail(c->types.csp, pos, "the values of this type have fields missing: %s",
			 csp_type_text(c->types.csp, item));
}

/* Adds the types of the fields that a type expression describes; false: nobody knows. */
static bool add_fields(struct csp_checker *c, struct csp_type *type, struct csp_type *open,
		       struct csp_pos pos)
{
	type = csp_type_seen(type);
	if (type->kind <= TY_VAR)
		return false;
	if (type->kind == TY_DOTS) {
		for (uint32_t i = 0; i < type->n; i++)
			if (!add_fields(c, type->at[i], open, pos))
				return false;
		return true;
	}
	type = csp_type_as_set(&c->types, type);
	if (type->kind != TY_SET)
		csp_fail(c->types.csp, pos, "a set is expected as a type, and this is of type %s",
			 csp_type_text(c->types.csp, type));
	struct csp_type *item = csp_type_seen(type->at[0]);

	refuse_open(c, type, pos);
	uint32_t more = item->kind == TY_DOTS ? item->n : 1;
	struct csp_type **at = csp_alloc(c->types.csp, (open->n + more) * sizeof(*at));

	if (open->n)
		memcpy(at, open->at, open->n * sizeof(*at));
	memcpy(at + open->n, item->kind == TY_DOTS ? item->at : &item, more * sizeof(*at));
	open->at = at;
	open->n += more;
	return true;
}

/* Of a channel or constructor: its fields, and what it is with them. */
static struct csp_type *head_type(struct csp_checker *c, const struct csp_constructor *head,
				  struct csp_type *result)
{
	if (!head->type)
		return result;
	struct csp_type *open = NEW(TY_OPEN, 0);

	if (!add_fields(c, csp_infer(c, head->type), open, head->type->pos))
		return c->types.any;
	struct csp_type **at = csp_alloc(c->types.csp, (open->n + 1) * sizeof(*at));

	memcpy(at, open->at, open->n * sizeof(*at));
	at[open->n++] = result;
	open->at = at;
	return open;
}

static struct csp_type *datatype(struct csp_checker *c, const struct csp_decl *d)
{
	struct csp_type *type = NEW(TY_DATATYPE, 0);

	type->name = d->name;
	type->decl = d;
	return type;
}

static const struct csp_annotation *annotation(const struct csp_checker *c, uint32_t slot)
{
	const struct csp_decls *decls = c->scope->decls;

	for (size_t i = 0; decls && i < decls->annotations.n; i++)
		if (decls->annotations.at[i].found && decls->annotations.at[i].slot == slot)
			return &decls->annotations.at[i];
	return NULL;
}

/*
 * Behind let nothing stands for any type unless that is written: uses in the body are all of one
 * type, as FDR has it.
 */
static bool may_generalise(const struct csp_checker *c, uint32_t slot)
{
	return !c->scope->up || annotation(c, slot);
}

/* Is it known without a look at what it names? */
static bool is_plain(struct csp_checker *c, const struct csp_type *type, struct csp_pos pos)
{
	csp_check_depth(c->types.csp, pos);
	for (uint32_t i = 0; i < type->n; i++)
		if (!is_plain(c, type->at[i], pos))
			return false;
	return !type->named;
}

/* `none :: {Int}` says of which type {} is. */
static void take_annotation(struct csp_checker *c, uint32_t slot)
{
	const struct csp_annotation *a = annotation(c, slot);

	if (a && is_plain(c, a->type, a->pos))
		csp_unifies(&c->types, a->type, c->scope->type[slot], a->pos);
}

/* Processes are known by their first look: long chains of them need not be gone down. */
static bool is_process(const struct csp_expr *e)
{
	return e->kind >= E_PREFIX && e->kind <= E_REPLICATED;
}

static void check_value(struct csp_checker *c, const struct csp_decl *d)
{
	struct csp_scope *scope = c->scope;

	if (d->pattern->kind == E_NAME && is_process(d->body)) {
		scope->type[d->first] = c->types.process;
		return; /* csp_check_decls comes by */
	}
	c->types.level++;
	struct csp_type *type = csp_infer_pattern(c, d->pattern);

	csp_require(c, d->body, type);
	if (d->timed_tock)
		csp_unify(&c->types, c->types.event, type, d->pos);
	if (d->timed_tocks)
		csp_unify(&c->types, NEW(TY_FUNCTION, 2, c->types.event, c->types.integer), type,
			  d->pos);
	if (d->pattern->kind == E_NAME)
		take_annotation(c, d->first);
	c->types.level--;
	for (uint32_t i = 0; i < d->frame; i++)
		if (scope->type[d->first + i] && may_generalise(c, d->first + i))
			csp_generalise(&c->types, scope->type[d->first + i], d->pos);
}

/* Of one type in all of the module, which the arguments of an instance decide. */
static void check_parameter(struct csp_checker *c, const struct csp_decl *d)
{
	uint32_t level = c->types.level;

	c->types.level = 0;
	csp_infer_pattern(c, d->pattern);
	c->types.level = level;
}

static void check_function(struct csp_checker *c, const struct csp_decl *d)
{
	struct csp_scope *scope = c->scope;

	c->types.level++;
	struct csp_type *type = scope->type[d->first] = csp_type_var(&c->types);

	csp_infer_function(c, d->function, type);
	c->types.level--;
	if (may_generalise(c, d->first))
		csp_generalise(&c->types, type, d->pos);
}

static struct csp_type *subtype(struct csp_checker *c, const struct csp_decl *d)
{
	const struct csp_decl *of = c->scope->decl[d->constructor[0].slot];

	return NEW(TY_SET, 1, of ? datatype(c, of) : c->types.any);
}

static void check_datatype(struct csp_checker *c, const struct csp_decl *d)
{
	struct csp_scope *scope = c->scope;
	struct csp_type *type = datatype(c, d);

	scope->type[d->first] = NEW(TY_SET, 1, type);
	/* while one of them is looked at, nothing is known of it */
	for (uint32_t i = 0; i < d->count; i++)
		scope->type[d->first + 1 + i] = c->types.any;
	for (uint32_t i = 0; i < d->count; i++)
		scope->type[d->first + 1 + i] = head_type(c, &d->constructor[i], type);
}

/* Of the fields of a channel or constructor. */
static void ask_fields(struct csp_checker *c, struct csp_type *head, uint8_t asked,
		       struct csp_pos pos)
{
	head = csp_type_seen(head);
	for (uint32_t i = 0; head->kind == TY_OPEN && i + 1 < head->n; i++)
		csp_type_ask(&c->types, head->at[i], asked, pos);
}

/* What was asked of datatypes is asked of all their fields, once each. */
static void ask_datatypes(struct csp_checker *c)
{
	uint8_t *done = csp_alloc(c->types.csp, c->types.csp->globals->constant.n);

	for (struct csp_asked *a; (a = c->types.later);) {
		c->types.later = a->next;
		if (!(a->asked & ~done[a->decl->first]))
			continue;
		done[a->decl->first] |= a->asked;
		for (uint32_t i = 0; i < a->decl->count; i++)
			ask_fields(c, c->scope->type[a->decl->first + 1 + i], a->asked, a->pos);
	}
}

static void check(struct csp_checker *c, const struct csp_decl *d)
{
	struct csp_scope *scope = c->scope;

	switch (d->kind) {
	case D_VALUE: check_value(c, d); break;
	case D_PARAMETER: check_parameter(c, d); break;
	case D_FUNCTION: check_function(c, d); break;
	case D_CHANNEL:
		scope->type[d->first] = c->types.any;
		scope->type[d->first] = head_type(c, d->constructor, c->types.event);
		ask_fields(c, scope->type[d->first], TYPE_COMPARES, d->pos);
		break;
	case D_DATATYPE: check_datatype(c, d); break;
	case D_SUBTYPE: scope->type[d->first] = subtype(c, d); break;
	case D_NAMETYPE:
		scope->type[d->first] = c->types.any;
		scope->type[d->first] = csp_infer(c, d->body);
		refuse_open(c, scope->type[d->first], d->body->pos);
		break;
	case D_EXTERNAL:
		c->types.level++;
		scope->type[d->first] = csp_type_from(
			&c->types, csp_external(csp_name(c->types.csp, d->name))->type);
		c->types.level--;
		csp_generalise(&c->types, scope->type[d->first], d->pos);
		break;
	case D_OUTSIDE: scope->type[d->first] = c->types.process; break;
	case D_MODULE: break;
	}
}

struct csp_type *csp_name_type(struct csp_checker *c, const struct csp_expr *e)
{
	struct csp_scope *scope = c->scope, *here = c->scope;

	if (e->global && e->slot.index < csp_builtin_count)
		return csp_type_from(&c->types, csp_builtins[e->slot.index].type);
	while (scope->level > e->slot.level)
		scope = scope->up;
	if (!scope->type[e->slot.index] && scope->decl && scope->decl[e->slot.index]) {
		csp_check_depth(c->types.csp, e->pos);
		c->scope = scope;
		check(c, scope->decl[e->slot.index]);
		c->scope = here;
	}
	struct csp_type *type = scope->type[e->slot.index];

	return type ? csp_instantiate(&c->types, type, e->pos) : c->types.any;
}

void csp_scope_declare(struct csp_checker *c, struct csp_decls *decls, struct csp_scope *scope)
{
	scope->decls = decls;
	scope->decl = csp_alloc(c->types.csp, decls->frame * sizeof(*scope->decl));
	for (size_t i = 0; i < decls->list.n; i++) {
		struct csp_decl *d = &decls->list.at[i];
		uint32_t slots = csp_decl_slots(d);

		for (uint32_t k = 0; k < slots; k++)
			scope->decl[d->first + k] = d;
	}
}

/* A constructor of a subtype has the first fields of that of its datatype, or all. */
static void check_subtype(struct csp_checker *c, const struct csp_decl *d, uint32_t k)
{
	const struct csp_constructor *own = &d->constructor[k];
	const struct csp_decl *first = c->scope->decl[d->constructor[0].slot];
	uint32_t slot = own->slot;

	if (c->scope->decl[slot] != first)
		csp_fail(c->types.csp, own->pos, "%s is not of the same datatype as %s",
			 csp_name(c->types.csp, own->name),
			 csp_name(c->types.csp, d->constructor[0].name));
	if (!own->type)
		return;
	struct csp_type *fields = csp_type_seen(head_type(c, own, c->types.any));
	struct csp_type *all = csp_type_seen(c->scope->type[slot]);

	if (fields->kind != TY_OPEN || all->kind <= TY_VAR)
		return;
	if (all->kind != TY_OPEN || fields->n > all->n)
		csp_fail(c->types.csp, own->type->pos, "%s has only %u field%s",
			 csp_name(c->types.csp, own->name), all->kind == TY_OPEN ? all->n - 1 : 0,
			 all->kind == TY_OPEN && all->n == 2 ? "" : "s");
	for (uint32_t i = 0; i + 1 < fields->n; i++)
		csp_unify(&c->types, all->at[i], fields->at[i], own->type->pos);
}

void csp_check_decls(struct csp_checker *c, struct csp_decls *decls)
{
	for (size_t i = 0; i < decls->list.n; i++) {
		struct csp_decl *d = &decls->list.at[i];

		if (d->kind == D_MODULE)
			continue;
		if ((d->kind == D_VALUE && !d->frame) || !c->scope->type[d->first])
			check(c, d);
		if (d->kind == D_VALUE && d->pattern->kind == E_NAME && is_process(d->body))
			csp_require(c, d->body, c->types.process);
	}
	for (size_t i = 0; i < decls->list.n; i++)
		for (uint32_t k = 0;
		     decls->list.at[i].kind == D_SUBTYPE && k < decls->list.at[i].count; k++)
			check_subtype(c, &decls->list.at[i], k);
	csp_check_annotations(c, decls);
}

static struct csp_checker start(struct csp *csp)
{
	struct csp_checker c = {.types.csp = csp};

	c.types.integer = csp_type_new(csp, TY_INT, 0);
	c.types.boolean = csp_type_new(csp, TY_BOOL, 0);
	c.types.character = csp_type_new(csp, TY_CHAR, 0);
	c.types.event = csp_type_new(csp, TY_EVENT, 0);
	c.types.process = csp_type_new(csp, TY_PROC, 0);
	c.types.any = csp_type_new(csp, TY_ANY, 0);
	return c;
}

static void check_assert(struct csp_checker *c, const struct csp_assert *a)
{
	if (a->told.property == CSP_PRINT)
		csp_infer(c, a->left);
	else
		csp_require(c, a->left, c->types.process);
	if (a->right)
		csp_require(c, a->right, c->types.process);
	if (a->below_silent)
		csp_require(c, a->below_silent, NEW(TY_SET, 1, c->types.event));
	for (uint32_t i = 0; i < a->trace_length; i++)
		csp_require(c, a->trace[i], c->types.event);
}

static bool is_of_nothing(struct csp_checker *c, struct csp_type *type, struct csp_pos pos)
{
	type = csp_type_seen(type);
	csp_check_depth(c->types.csp, pos);
	if (type->kind == TY_VAR || (type->kind == TY_DATATYPE && !type->decl))
		return type->nothing || type->named; /* {}, or any type by an annotation */
	for (uint32_t i = 0; type->kind != TY_ANY && i < type->n; i++)
		if (is_of_nothing(c, type->at[i], pos))
			return true;
	return false;
}

/* `channel c : {}`: of what type is it? */
static void refuse_ambiguous(struct csp_checker *c, const struct csp_decl *d)
{
	if (d->kind != D_CHANNEL && d->kind != D_DATATYPE)
		return;
	for (uint32_t i = 0; i < d->count; i++) {
		uint32_t slot = d->kind == D_CHANNEL ? d->first : d->first + 1 + i;

		if (d->constructor[i].type &&
		    is_of_nothing(c, c->scope->type[slot], d->constructor[i].pos))
			csp_fail(c->types.csp, d->constructor[i].pos,
				 "nothing tells what type the fields of %s are of",
				 csp_name(c->types.csp, d->constructor[i].name));
	}
}

static void refuse_all_ambiguous(struct csp_checker *c)
{
	const struct csp_decls *decls = &c->types.csp->script->decls;

	for (size_t i = 0; i < decls->list.n; i++)
		if (!decls->list.at[i].module || !decls->list.at[i].module->template)
			refuse_ambiguous(c, &decls->list.at[i]);
}

static void note_processes(struct csp_checker *c)
{
	for (struct csp_argument *a = c->arguments; a; a = a->next)
		a->e->process = csp_type_seen(a->type)->kind == TY_PROC;
}

void csp_check_types(struct csp *csp)
{
	struct csp_checker c = start(csp);
	struct csp_scope *scope = csp_scope_open(&c, (uint32_t)csp->globals->constant.n);

	csp_scope_declare(&c, &csp->script->decls, scope);
	csp_check_decls(&c, &csp->script->decls);
	for (size_t i = 0; i < csp->script->asserts.n; i++)
		check_assert(&c, &csp->script->asserts.at[i]);
	ask_datatypes(&c);
	if (!csp->given)
		refuse_all_ambiguous(&c);
	note_processes(&c);
	csp->globals->type = scope->type;
}

void csp_check_expression_type(struct csp *csp, const struct csp_expr *e)
{
	struct csp_checker c = start(csp);
	struct csp_scope *scope = csp_scope_open(&c, 0);

	scope->type = csp->globals->type;
	csp_infer(&c, e);
	note_processes(&c);
}
