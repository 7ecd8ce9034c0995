/* SPDX-License-Identifier: MIT */
/* What names stand for: globals by slot, locals by level and slot, and what closures capture. */
#include "csp/builtin.h"
#include "csp/cycle.h"
#include "csp/module.h"
#include "csp/types.h"

#include "base/near.h"

#include <string.h>

struct scope {
	struct scope *up;
	uint32_t level;
	VEC(uint32_t) names; /* by slot */
};

/* Who wants to know of locals up to a level. */
struct capture {
	struct capture *up;
	uint32_t level;
	size_t n, capacity;
	struct csp_slot *at;
};

struct resolver {
	struct csp *csp;
	struct csp_module *module; /* of the declaration at hand; NULL: the script's */
	struct scope *scope;	   /* NULL: the script or a module */
	struct capture *capture;
	struct csp_uses uses;
	uint32_t decl;		  /* at hand */
	bool hidden;		  /* it is not exported */
	struct csp_module *inner; /* it is a module */
};

static void expr(struct resolver *r, struct csp_expr *e);
static void pattern(struct resolver *r, struct csp_expr *p, uint32_t *frame);
static void decls(struct resolver *r, struct csp_decls *list);

/* In the arena, since an error leaves it as it is. */
static void scope_add(struct resolver *r, struct scope *scope, uint32_t name)
{
	csp_push(r->csp, &scope->names, name);
}

static void open_scope(struct resolver *r, struct scope *scope)
{
	*scope = (struct scope){.up = r->scope, .level = r->scope ? r->scope->level + 1 : 1};
	r->scope = scope;
}

static void close_scope(struct resolver *r)
{
	r->scope = r->scope->up;
}

static void captured(struct resolver *r, struct csp_slot slot)
{
	for (struct capture *c = r->capture; c; c = c->up) {
		size_t i = 0;

		if (slot.level > c->level)
			continue;
		while (i < c->n && (c->at[i].level != slot.level || c->at[i].index != slot.index))
			i++;
		if (i < c->n)
			continue;
		csp_push(r->csp, c, slot);
	}
}

static void open_capture(struct resolver *r, struct capture *c)
{
	*c = (struct capture){.up = r->capture, .level = r->scope ? r->scope->level : 0};
	r->capture = c;
}

static void close_capture(struct resolver *r, uint32_t *n, struct csp_slot **at)
{
	*n = (uint32_t)r->capture->n;
	*at = r->capture->at;
	r->capture = r->capture->up;
}

static bool find_local(const struct resolver *r, uint32_t name, struct csp_slot *slot)
{
	for (const struct scope *s = r->scope; s; s = s->up)
		for (size_t i = s->names.n; i-- > 0;)
			if (s->names.at[i] == name) {
				*slot = (struct csp_slot){s->level, (uint32_t)i};
				return true;
			}
	return false;
}

/* Of a name that a module declares, or the script. */
static uint32_t find_in(const struct resolver *r, const struct csp_module *module, uint32_t name)
{
	const struct csp_globals *g = r->csp->globals;

	if (!module)
		return name < g->slot_of.n ? g->slot_of.at[name] : INTERN_NONE;
	struct csp_scope_key key = csp_scope_key(module, name);
	uint32_t number = intern_find(&g->keys, key.text, sizeof(key.text));

	return number == INTERN_NONE ? number : g->slot_of_key.at[number];
}

/* From the module at hand outwards. */
static uint32_t find_outwards(const struct resolver *r, uint32_t name)
{
	for (const struct csp_module *m = r->module;; m = m->up) {
		uint32_t slot = find_in(r, m, name);

		if (slot != INTERN_NONE || !m)
			return slot;
	}
}

/* M::N::x, of which M has to be a module that can be seen here. */
static uint32_t find_global(struct resolver *r, const struct csp_expr *e)
{
	const struct csp_globals *g = r->csp->globals;
	uint32_t slot = find_outwards(r, e->path_count ? e->path[0] : e->name);

	for (uint32_t i = 0; i < e->path_count && slot != INTERN_NONE; i++) {
		const struct csp_module *m = g->module.at[slot];
		uint32_t next = i + 1 < e->path_count ? e->path[i + 1] : e->name;

		if (!m)
			csp_fail(r->csp, e->pos, "%s is no module", csp_name(r->csp, e->path[i]));
		bool inside = csp_module_inside(r->module, m);

		if (m->template && !inside)
			csp_fail(r->csp, e->pos,
				 "%s has parameters: its names are those of an instance",
				 csp_name(r->csp, m->name));
		slot = find_in(r, m, next);
		if (slot == INTERN_NONE || (g->hidden.at[slot] && !inside))
			csp_fail(r->csp, e->pos, "%s does not export %s", csp_name(r->csp, m->name),
				 csp_name(r->csp, next));
	}
	return slot;
}

static void unknown(struct resolver *r, const struct csp_expr *e)
{
	const char *name = csp_name(r->csp, e->name);
	struct near near = {.word = name};

	for (size_t i = 0; i < r->csp->globals->slot_of.n; i++)
		if (r->csp->globals->slot_of.at[i] != INTERN_NONE)
			near_try(&near, csp_name(r->csp, (uint32_t)i));
	for (const struct scope *s = r->scope; s; s = s->up)
		for (size_t i = 0; i < s->names.n; i++)
			near_try(&near, csp_name(r->csp, s->names.at[i]));
	if (near.best)
		csp_fail(r->csp, e->pos, "%s is not known here; is %s meant?", name, near.best);
	csp_fail(r->csp, e->pos, "%s is not known here", name);
}

static void timed(struct resolver *r, struct csp_timed *t);

static void name(struct resolver *r, struct csp_expr *e)
{
	if (!e->path_count && find_local(r, e->name, &e->slot)) {
		captured(r, e->slot);
		return;
	}
	uint32_t slot = find_global(r, e);

	if (e->timed && (slot == INTERN_NONE || slot < csp_builtin_count)) {
		e->kind = E_TIMED;
		timed(r, e->timed);
		return;
	}
	if (slot == INTERN_NONE)
		unknown(r, e);
	if (r->csp->globals->module.at[slot])
		csp_fail(r->csp, e->pos, "%s is a module; what it exports is written %s::...",
			 csp_name(r->csp, e->name), csp_name(r->csp, e->name));
	e->global = true;
	e->slot = (struct csp_slot){0, slot};
	csp_uses_add(r->csp, &r->uses, r->decl, slot);
}

/* What all that stands in a timed section uses. */
static void timed(struct resolver *r, struct csp_timed *t)
{
	name(r, t->tock);
	if (t->tocks)
		name(r, t->tocks);
}

/* Is it a channel or constructor that no local hides? */
static bool is_constant(struct resolver *r, const struct csp_expr *p, uint32_t *slot)
{
	struct csp_slot local;

	*slot = find_global(r, p);
	if (*slot != INTERN_NONE && r->csp->globals->constant.at[*slot] &&
	    (p->path_count || !find_local(r, p->name, &local)))
		return true;
	if (p->path_count)
		csp_fail(r->csp, p->pos, "%s is no channel and no constructor",
			 csp_name(r->csp, p->name));
	return false;
}

static void bind(struct resolver *r, struct csp_expr *p, uint32_t *frame)
{
	uint32_t slot;

	if (is_constant(r, p, &slot)) {
		p->global = true;
		p->slot = (struct csp_slot){0, slot};
		csp_uses_add(r->csp, &r->uses, r->decl, slot);
		return;
	}
	for (size_t i = *frame; i < r->scope->names.n; i++)
		if (r->scope->names.at[i] == p->name)
			csp_fail(r->csp, p->pos, "%s stands twice in these patterns",
				 csp_name(r->csp, p->name));
	p->slot = (struct csp_slot){r->scope->level, (uint32_t)r->scope->names.n};
	scope_add(r, r->scope, p->name);
}

/* Binds its names in the innermost scope; frame: slots from there on are its siblings'. */
static void pattern(struct resolver *r, struct csp_expr *p, uint32_t *frame)
{
	csp_check_depth(r->csp, p->pos);
	if (p->kind == E_NAME)
		bind(r, p, frame);
	for (uint32_t i = 0; i < p->n; i++)
		pattern(r, p->kid[i], frame);
}

/* Names of the innermost scope that one of so many around it has as well. */
static void refuse_again(struct resolver *r, const struct csp_expr *p, uint32_t scopes)
{
	const struct scope *s = r->scope;

	while (scopes--) {
		s = s->up;
		for (size_t i = 0; i < r->scope->names.n; i++)
			for (size_t k = 0; k < s->names.n; k++)
				if (r->scope->names.at[i] == s->names.at[k])
					csp_fail(r->csp, p->pos,
						 "%s stands twice in these patterns",
						 csp_name(r->csp, s->names.at[k]));
	}
}

/* Each statement has a scope of its own; returns how many there are to close. */
static uint32_t open_stmts(struct resolver *r, struct csp_expr *e)
{
	uint32_t opened = 0;

	for (uint32_t i = 0; i < e->stmt_count; i++) {
		uint32_t frame = 0;

		expr(r, e->stmt[i].value);
		if (!e->stmt[i].pattern)
			continue;
		struct scope *scope = csp_alloc(r->csp, sizeof(*scope));

		open_scope(r, scope);
		pattern(r, e->stmt[i].pattern, &frame);
		refuse_again(r, e->stmt[i].pattern, opened++);
	}
	return opened;
}

static void function(struct resolver *r, struct csp_function *f)
{
	for (size_t c = 0; c < f->clauses.n; c++) {
		struct csp_clause *clause = &f->clauses.at[c];
		struct scope scope;
		uint32_t frame = 0;

		open_scope(r, &scope);
		for (uint32_t i = 0; i < f->patterns; i++)
			pattern(r, clause->pattern[i], &frame);
		expr(r, clause->body);
		clause->frame = (uint32_t)scope.names.n;
		close_scope(r);
	}
}

static void capturing(struct resolver *r, struct csp_expr *e)
{
	struct capture capture;

	open_capture(r, &capture);
	expr(r, e);
	close_capture(r, &e->capture_count, &e->capture);
}

static void prefix(struct resolver *r, struct csp_expr *e)
{
	struct capture capture;
	struct scope scope;
	uint32_t frame = 0;

	open_capture(r, &capture);
	if (e->timed)
		timed(r, e->timed);
	expr(r, e->kid[0]);
	open_scope(r, &scope);
	for (uint32_t i = 0; i < e->field_count; i++) {
		struct csp_field *field = &e->field[i];

		if (field->set)
			expr(r, field->set);
		if (field->sign == '!')
			expr(r, field->value);
		else
			pattern(r, field->value, &frame);
	}
	expr(r, e->kid[1]);
	e->frame = (uint32_t)scope.names.n;
	close_scope(r);
	close_capture(r, &e->capture_count, &e->capture);
}

static void let(struct resolver *r, struct csp_expr *e)
{
	struct capture capture;
	struct scope scope;

	/* of the declarations alone: that is what tells two frames apart */
	open_capture(r, &capture);
	open_scope(r, &scope);
	decls(r, e->decls);
	close_capture(r, &e->capture_count, &e->capture);
	expr(r, e->kid[0]);
	close_scope(r);
	/* what the body uses was not noted above, and need not be */
}

/* Operands that are looked at only when they run, and what may be one. */
static bool delayed(const struct csp_expr *e, uint32_t i)
{
	switch (e->kind) {
	case E_INTERNAL: return true;
	case E_SLIDE:
	case E_SEQUENCE: return i == 1;
	case E_THROW: return i == 2;
	case E_REPLICATED: return e->op == E_INTERNAL || e->op == E_SEQUENCE;
	case E_APPLY: return i > 0; /* it may be a process */
	default: return false;
	}
}

/* How many kids stand outside of the statements. */
static uint32_t outside(const struct csp_expr *e)
{
	switch (e->kind) {
	case E_RENAME: return 1;
	case E_LINK: return 2;
	case E_REPLICATED: return e->op == E_ALPHABETISED || e->op == E_LINK ? 0 : e->n - 1;
	default: return 0;
	}
}

static void with_stmts(struct resolver *r, struct csp_expr *e)
{
	uint32_t fixed = outside(e);

	if (e->timed)
		timed(r, e->timed);
	for (uint32_t i = 0; i < fixed; i++)
		expr(r, e->kid[i]);
	uint32_t opened = open_stmts(r, e);

	for (uint32_t i = fixed; i < e->n; i++)
		(delayed(e, i) ? capturing : expr)(r, e->kid[i]);
	while (opened--)
		close_scope(r);
}

static void expr(struct resolver *r, struct csp_expr *e)
{
	csp_check_depth(r->csp, e->pos);
	switch (e->kind) {
	case E_NAME:
	case E_TIMED: name(r, e); return;
	case E_PREFIX: prefix(r, e); return;
	case E_LET: let(r, e); return;
	case E_WILD:
	case E_BOTH: csp_fail(r->csp, e->pos, "a pattern cannot stand here");
	case E_LAMBDA: {
		struct capture capture;

		open_capture(r, &capture);
		function(r, e->function);
		close_capture(r, &e->function->capture_count, &e->function->capture);
		return;
	}
	default: with_stmts(r, e); return;
	}
}

static void declare_in(struct resolver *r, uint32_t name_, struct csp_pos pos, uint32_t slot)
{
	struct csp_globals *g = r->csp->globals;
	struct csp_scope_key key = csp_scope_key(r->module, name_);
	uint32_t number = intern_add(&g->keys, key.text, sizeof(key.text));

	if (number < g->slot_of_key.n)
		csp_fail(r->csp, pos, "%s is declared twice", csp_name(r->csp, name_));
	vec_push(&g->slot_of_key, slot);
	csp_charge(r->csp, sizeof(key) + 2 * sizeof(slot));
}

static void declare(struct resolver *r, uint32_t name_, struct csp_pos pos, bool constant)
{
	struct csp_globals *g = r->csp->globals;
	uint32_t slot = (uint32_t)g->constant.n;

	if (r->scope) {
		for (size_t i = 0; i < r->scope->names.n; i++)
			if (r->scope->names.at[i] == name_)
				csp_fail(r->csp, pos, "%s is declared twice",
					 csp_name(r->csp, name_));
		scope_add(r, r->scope, name_);
		return;
	}
	if (r->module) {
		declare_in(r, name_, pos, slot);
	} else {
		if (find_in(r, NULL, name_) != INTERN_NONE)
			g->shadowed.at[find_in(r, NULL, name_)] = true;
		while (g->slot_of.n <= name_)
			vec_push(&g->slot_of, INTERN_NONE);
		g->slot_of.at[name_] = slot;
	}
	vec_push(&g->constant, constant);
	vec_push(&g->hidden, r->hidden);
	vec_push(&g->shadowed, false);
	vec_push(&g->module, r->inner);
}

static uint32_t next_slot(const struct resolver *r)
{
	return (uint32_t)(r->scope ? r->scope->names.n : r->csp->globals->constant.n);
}

static void declare_pattern(struct resolver *r, struct csp_decl *d, struct csp_expr *p)
{
	csp_check_depth(r->csp, p->pos);
	if (p->kind == E_NAME) {
		uint32_t slot;

		/* a constructor in a pattern; alone, it is a new name */
		if ((p != d->pattern || p->path_count) && is_constant(r, p, &slot)) {
			p->global = true;
			p->slot = (struct csp_slot){0, slot};
			return;
		}
		p->slot = (struct csp_slot){r->scope ? r->scope->level : 0, next_slot(r)};
		declare(r, p->name, p->pos, false);
	}
	for (uint32_t i = 0; i < p->n; i++)
		declare_pattern(r, d, p->kid[i]);
}

/* Outside of its module a name is told with it. */
static void qualify(struct resolver *r, struct csp_decl *d)
{
	if (d->kind == D_EXTERNAL) /* it is what its name says */
		return;
	d->name = csp_module_qualify(r->csp, r->module, d->name);
	if (d->function)
		d->function->name = d->name;
	for (uint32_t c = 0; d->kind != D_SUBTYPE && c < d->count; c++)
		d->constructor[c].name =
			csp_module_qualify(r->csp, r->module, d->constructor[c].name);
}

static void declare_one(struct resolver *r, struct csp_decl *d)
{
	d->first = next_slot(r);
	if (d->kind == D_VALUE || d->kind == D_PARAMETER) {
		declare_pattern(r, d, d->pattern);
		d->frame = next_slot(r) - d->first;
		return;
	}
	r->inner = d->inner;
	declare(r, d->name, d->pos, d->kind == D_CHANNEL);
	r->inner = NULL;
	for (uint32_t c = 0; d->kind == D_DATATYPE && c < d->count; c++)
		declare(r, d->constructor[c].name, d->constructor[c].pos, true);
	if (!r->scope && r->module)
		qualify(r, d);
}

/* When a declaration is declared: modules, channels and types are known when patterns are read. */
static int pass_of(const struct csp_decl *d)
{
	switch (d->kind) {
	case D_MODULE: return 0;
	case D_CHANNEL:
	case D_DATATYPE: return 1;
	default: return 2;
	}
}

static void at_hand(struct resolver *r, const struct csp_decl *d, size_t i)
{
	if (r->scope)
		return;
	r->module = d->module;
	r->hidden = d->hidden;
	r->decl = (uint32_t)i;
}

static void declare_all(struct resolver *r, struct csp_decls *list, int pass)
{
	for (size_t i = 0; i < list->list.n; i++) {
		struct csp_decl *d = &list->list.at[i];

		if (pass_of(d) != pass)
			continue;
		at_hand(r, d, i);
		declare_one(r, d);
	}
}

static void subtype(struct resolver *r, struct csp_decl *d)
{
	for (uint32_t c = 0; c < d->count; c++) {
		uint32_t slot = find_outwards(r, d->constructor[c].name);

		if (slot == INTERN_NONE || !r->csp->globals->constant.at[slot])
			csp_fail(r->csp, d->constructor[c].pos,
				 "%s is no constructor of a datatype",
				 csp_name(r->csp, d->constructor[c].name));
		d->constructor[c].slot = slot;
		csp_uses_add(r->csp, &r->uses, r->decl, slot);
	}
}

static void bodies(struct resolver *r, struct csp_decls *list)
{
	for (size_t i = 0; i < list->list.n; i++) {
		struct csp_decl *d = &list->list.at[i];

		at_hand(r, d, i);
		if (d->argument)
			r->module = d->module->at;
		if (d->body)
			expr(r, d->body);
		if (d->function)
			function(r, d->function);
		if (d->kind == D_SUBTYPE)
			subtype(r, d);
		for (uint32_t c = 0; c < d->count; c++)
			if (d->constructor[c].type)
				expr(r, d->constructor[c].type);
	}
}

/* Names of datatypes in a type that is written; others are variables. */
static void annotated_types(struct resolver *r, struct csp_type *t, struct csp_pos pos)
{
	csp_check_depth(r->csp, pos);
	if (t->named) {
		uint32_t slot = find_global(r, t->named);

		if (slot == INTERN_NONE && t->named->path_count)
			unknown(r, t->named);
		t->declared = slot != INTERN_NONE && slot >= csp_builtin_count;
		t->slot = slot;
	}
	for (uint32_t i = 0; i < t->n; i++)
		annotated_types(r, t->at[i], pos);
}

static void annotations(struct resolver *r, struct csp_decls *list)
{
	for (size_t i = 0; i < list->annotations.n; i++) {
		struct csp_annotation *a = &list->annotations.at[i];
		struct csp_slot local = {0};

		if (r->scope) {
			a->found = find_local(r, a->name, &local) && local.level == r->scope->level;
			a->slot = local.index;
		} else {
			r->module = a->module;
			a->slot = find_in(r, a->module, a->name);
			a->found = a->slot != INTERN_NONE && a->slot >= csp_builtin_count;
		}
		annotated_types(r, a->type, a->pos);
	}
}

static void decls(struct resolver *r, struct csp_decls *list)
{
	for (int pass = 0; pass < 3; pass++)
		declare_all(r, list, pass);
	list->frame = next_slot(r);
	bodies(r, list);
	annotations(r, list);
}

/* Two declarations of one name in one text. */
static void refuse_twice(struct resolver *r, uint32_t name_, struct csp_pos pos, uint32_t source,
			 uint32_t *seen)
{
	if (seen[name_] == source + 1)
		csp_fail(r->csp, pos, "%s is declared twice", csp_name(r->csp, name_));
	seen[name_] = source + 1;
}

static void refuse_twice_in(struct resolver *r, const struct csp_decl *d, const struct csp_expr *p,
			    uint32_t *seen)
{
	csp_check_depth(r->csp, p->pos);
	if (p->kind == E_NAME)
		refuse_twice(r, p->name, p->pos, d->source, seen);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->kind != E_DOT)
			refuse_twice_in(r, d, p->kid[i], seen);
}

static void refuse_all_twice(struct resolver *r, const struct csp_decls *list)
{
	uint32_t *seen = csp_alloc(r->csp, (r->csp->names.strings.n + 1) * sizeof(*seen));

	for (size_t i = 0; i < list->list.n; i++) {
		const struct csp_decl *d = &list->list.at[i];

		if (d->module) /* declare_in */
			continue;
		if (d->kind == D_VALUE) {
			refuse_twice_in(r, d, d->pattern, seen);
			continue;
		}
		refuse_twice(r, d->name, d->pos, d->source, seen);
		for (uint32_t c = 0; d->kind == D_DATATYPE && c < d->count; c++)
			refuse_twice(r, d->constructor[c].name, d->constructor[c].pos, d->source,
				     seen);
	}
}

void csp_resolve_expression(struct csp *csp, struct csp_expr *e)
{
	struct resolver r = {.csp = csp};

	expr(&r, e);
}

void csp_resolve(struct csp *csp)
{
	struct resolver r = {.csp = csp};
	struct csp_globals *g = csp->globals;

	refuse_all_twice(&r, &csp->script->decls);
	for (size_t i = 0; i < csp_builtin_count; i++)
		intern_add(&csp->names, csp_builtins[i].name, strlen(csp_builtins[i].name));
	vec_extend(&g->slot_of, csp->names.strings.n);
	memset(g->slot_of.at, 0xff, g->slot_of.n * sizeof(*g->slot_of.at));
	for (size_t i = 0; i < csp_builtin_count; i++)
		declare(&r,
			intern_find(&csp->names, csp_builtins[i].name,
				    strlen(csp_builtins[i].name)),
			(struct csp_pos){0}, false);
	decls(&r, &csp->script->decls);
	csp_refuse_cycles(csp, &r.uses);
	r.module = NULL;
	for (size_t i = 0; i < csp->script->asserts.n; i++) {
		struct csp_assert *a = &csp->script->asserts.at[i];

		expr(&r, a->left);
		if (a->right)
			expr(&r, a->right);
		if (a->below_silent)
			expr(&r, a->below_silent);
		for (uint32_t e = 0; e < a->trace_length; e++)
			expr(&r, a->trace[e]);
	}
}
