/* SPDX-License-Identifier: MIT */
/* What names stand for: globals by slot, locals by level and slot, and what closures capture. */
#include "csp/builtin.h"
#include "csp/tree.h"

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
	struct scope *scope; /* NULL: the script */
	struct capture *capture;
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

static uint32_t find_global(const struct csp *csp, uint32_t name)
{
	return name < csp->globals->slot_of.n ? csp->globals->slot_of.at[name] : INTERN_NONE;
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

static void name(struct resolver *r, struct csp_expr *e)
{
	if (find_local(r, e->name, &e->slot)) {
		captured(r, e->slot);
		return;
	}
	uint32_t slot = find_global(r->csp, e->name);

	if (slot == INTERN_NONE)
		unknown(r, e);
	e->global = true;
	e->slot = (struct csp_slot){0, slot};
}

static void bind(struct resolver *r, struct csp_expr *p, uint32_t *frame)
{
	struct csp_slot local;
	uint32_t slot = find_global(r->csp, p->name);

	if (slot != INTERN_NONE && r->csp->globals->constant.at[slot] &&
	    !find_local(r, p->name, &local)) {
		p->global = true;
		p->slot = (struct csp_slot){0, slot};
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
		opened++;
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
	case E_NAME: name(r, e); return;
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

static void declare(struct resolver *r, uint32_t name_, struct csp_pos pos, bool constant)
{
	struct csp_globals *g = r->csp->globals;

	if (r->scope) {
		for (size_t i = 0; i < r->scope->names.n; i++)
			if (r->scope->names.at[i] == name_)
				csp_fail(r->csp, pos, "%s is declared twice",
					 csp_name(r->csp, name_));
		scope_add(r, r->scope, name_);
		return;
	}
	vec_extend(&g->slot_of, (size_t)name_ + 1);
	g->slot_of.at[name_] = (uint32_t)g->constant.n;
	vec_push(&g->constant, constant);
}

static uint32_t next_slot(const struct resolver *r)
{
	return (uint32_t)(r->scope ? r->scope->names.n : r->csp->globals->constant.n);
}

static void declare_pattern(struct resolver *r, struct csp_decl *d, struct csp_expr *p)
{
	csp_check_depth(r->csp, p->pos);
	if (p->kind == E_NAME) {
		uint32_t slot = find_global(r->csp, p->name);
		struct csp_slot local;

		/* a constructor in a pattern; alone, it is a new name */
		if (p != d->pattern && slot != INTERN_NONE && r->csp->globals->constant.at[slot] &&
		    !find_local(r, p->name, &local)) {
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

/* pass 0: channels and types, so that patterns know them. */
static void declare_all(struct resolver *r, struct csp_decls *list, int pass)
{
	for (size_t i = 0; i < list->list.n; i++) {
		struct csp_decl *d = &list->list.at[i];
		bool early = d->kind == D_CHANNEL || d->kind == D_DATATYPE;

		if (early != !pass)
			continue;
		d->first = next_slot(r);
		if (d->kind == D_VALUE) {
			declare_pattern(r, d, d->pattern);
			d->frame = next_slot(r) - d->first;
			continue;
		}
		declare(r, d->name, d->pos, d->kind == D_CHANNEL);
		if (d->kind == D_DATATYPE)
			for (uint32_t c = 0; c < d->count; c++)
				declare(r, d->constructor[c].name, d->constructor[c].pos, true);
	}
}

static void subtype(struct resolver *r, struct csp_decl *d)
{
	for (uint32_t c = 0; c < d->count; c++) {
		uint32_t slot = find_global(r->csp, d->constructor[c].name);

		if (slot == INTERN_NONE || !r->csp->globals->constant.at[slot])
			csp_fail(r->csp, d->constructor[c].pos,
				 "%s is no constructor of a datatype",
				 csp_name(r->csp, d->constructor[c].name));
	}
}

static void bodies(struct resolver *r, struct csp_decls *list)
{
	for (size_t i = 0; i < list->list.n; i++) {
		struct csp_decl *d = &list->list.at[i];

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

static void decls(struct resolver *r, struct csp_decls *list)
{
	declare_all(r, list, 0);
	declare_all(r, list, 1);
	list->frame = next_slot(r);
	bodies(r, list);
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
	vec_reserve(&g->slot_of, csp->names.strings.n + csp_builtin_count);
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
	for (size_t i = 0; i < csp->script->asserts.n; i++) {
		struct csp_assert *a = &csp->script->asserts.at[i];

		expr(&r, a->left);
		if (a->right)
			expr(&r, a->right);
		for (uint32_t e = 0; e < a->trace_length; e++)
			expr(&r, a->trace[e]);
	}
}
