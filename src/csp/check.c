/* SPDX-License-Identifier: MIT */
/* The types of expressions and patterns. */
#include "csp/builtin.h"
#include "csp/check.h"

#include <string.h>

#define NEW(kind, ...) csp_type_new(c->types.csp, kind, __VA_ARGS__)

struct csp_scope *csp_scope_open(struct csp_checker *c, uint32_t slots)
{
	struct csp_scope *scope = csp_alloc(c->types.csp, sizeof(*scope));

	scope->up = c->scope;
	scope->level = c->scope ? c->scope->level + 1 : 0;
	scope->type = csp_alloc(c->types.csp, slots * sizeof(*scope->type));
	c->scope = scope;
	return scope;
}

void csp_scope_close(struct csp_checker *c)
{
	c->scope = c->scope->up;
}

void csp_require(struct csp_checker *c, const struct csp_expr *e, struct csp_type *type)
{
	csp_unify(&c->types, type, csp_infer(c, e), e->pos);
}

static struct csp_type *seq_of(struct csp_checker *c, struct csp_type *type)
{
	return NEW(TY_SEQ, 1, type);
}

static struct csp_type *set_of(struct csp_checker *c, struct csp_type *type)
{
	return NEW(TY_SET, 1, type);
}

static struct csp_type *list(struct csp_checker *c, enum csp_type_kind kind, uint32_t n)
{
	struct csp_type *type = NEW(kind, 0);

	type->n = n;
	type->at = csp_alloc(c->types.csp, n * sizeof(*type->at));
	return type;
}

/* Dotted patterns: names take one field, the last what is left. */
static struct csp_type *dotted_pattern(struct csp_checker *c, const struct csp_expr *p)
{
	struct csp_type *type = csp_infer_pattern(c, p->kid[0]), *head = csp_type_seen(type);
	struct csp_type **part_types = csp_alloc(c->types.csp, p->n * sizeof(*part_types));

	part_types[0] = type;
	for (uint32_t i = 1; i < p->n; i++) {
		struct csp_type *seen = csp_type_seen(type);
		const struct csp_expr *part = p->kid[i];
		struct csp_type *own = part_types[i] = csp_infer_pattern(c, part);

		/* a name alone takes one field unless it is the last */
		if (seen->kind == TY_OPEN && seen->n > 2 && i + 1 < p->n &&
		    csp_type_seen(own)->kind == TY_VAR)
			csp_unify(&c->types, own, seen->at[0], part->pos);
		type = csp_type_dot(&c->types, type, own, part->pos);
	}
	if (csp_type_seen(type)->kind <= TY_VAR && head->kind == TY_OPEN)
		return head->at[head->n - 1];
	if (head->kind != TY_VAR || p->kid[0]->kind == E_BOTH)
		return type;
	/* x.y takes values with dots between apart, and no events or values of datatypes */
	struct csp_type *dots = list(c, TY_DOTS, p->n);

	for (uint32_t i = 0; i < p->n; i++)
		dots->at[i] = part_types[i];
	return dots;
}

struct csp_type *csp_infer_pattern(struct csp_checker *c, const struct csp_expr *p)
{
	struct csp_type *type;

	csp_check_depth(c->types.csp, p->pos);
	switch (p->kind) {
	case E_NAME:
		if (p->global)
			return csp_name_type(c, p);
		type = c->scope->type[p->slot.index];
		return type ? type : (c->scope->type[p->slot.index] = csp_type_var(&c->types));
	case E_NUMBER:
	case E_NEGATE: return c->types.integer;
	case E_BOOL: return c->types.boolean;
	case E_CHAR: return c->types.character;
	case E_DOT: return dotted_pattern(c, p);
	case E_TUPLE:
		type = list(c, TY_TUPLE, p->n);
		for (uint32_t i = 0; i < p->n; i++)
			type->at[i] = csp_infer_pattern(c, p->kid[i]);
		return type;
	case E_BOTH:
		type = csp_infer_pattern(c, p->kid[0]);
		csp_unify(&c->types, type, csp_infer_pattern(c, p->kid[1]), p->pos);
		return type;
	case E_CONCAT:
		type = seq_of(c, csp_type_var(&c->types));
		for (uint32_t i = 0; i < p->n; i++)
			csp_unify(&c->types, type, csp_infer_pattern(c, p->kid[i]), p->kid[i]->pos);
		return type;
	case E_SEQ:
	case E_SET:
		type = csp_type_var(&c->types);
		for (uint32_t i = 0; i < p->n; i++)
			csp_unify(&c->types, type, csp_infer_pattern(c, p->kid[i]), p->kid[i]->pos);
		if (p->kind == E_SET)
			csp_type_ask(&c->types, type, TYPE_COMPARES, p->pos);
		return NEW(p->kind == E_SEQ ? TY_SEQ : TY_SET, 1, type);
	default: return csp_type_var(&c->types);
	}
}

/* Opens a scope for each generator; returns how many. */
static uint32_t open_stmts(struct csp_checker *c, const struct csp_expr *e, bool seqs)
{
	uint32_t opened = 0;

	for (uint32_t i = 0; i < e->stmt_count; i++) {
		const struct csp_stmt *s = &e->stmt[i];

		if (!s->pattern) {
			csp_require(c, s->value, c->types.boolean);
			continue;
		}
		struct csp_type *from = csp_type_as_set(&c->types, csp_infer(c, s->value));
		struct csp_type *item = csp_type_var(&c->types);

		/* what is done one after the other has an order */
		if (from->kind == TY_SEQ || (seqs && from->kind == TY_VAR) ||
		    (seqs && e->kind == E_REPLICATED))
			csp_unify(&c->types, seq_of(c, item), from, s->value->pos);
		else
			csp_unify(&c->types, set_of(c, item), from, s->value->pos);
		csp_scope_open(c, csp_pattern_slots(s->pattern));
		opened++;
		csp_unify(&c->types, item, csp_infer_pattern(c, s->pattern), s->pattern->pos);
	}
	return opened;
}

static void close_stmts(struct csp_checker *c, uint32_t opened)
{
	while (opened--)
		csp_scope_close(c);
}

/* What {| … |} makes of one item. */
static struct csp_type *enumerated(struct csp_checker *c, const struct csp_expr *e)
{
	struct csp_type *type = csp_type_seen(csp_infer(c, e));

	if (type->kind == TY_OPEN)
		type = csp_type_seen(type->at[type->n - 1]);
	if (type->kind > TY_VAR && type->kind != TY_EVENT && type->kind != TY_DATATYPE &&
	    type->kind != TY_DOTS)
		csp_fail(c->types.csp, e->pos,
			 "a channel or an event is expected here, and this is of type %s",
			 csp_type_text(c->types.csp, type));
	return type->kind <= TY_VAR || type->kind == TY_DOTS ? c->types.event : type;
}

static struct csp_type *collection(struct csp_checker *c, const struct csp_expr *e)
{
	bool seqs = e->kind == E_SEQ || e->kind == E_SEQ_RANGE;
	struct csp_type *item = csp_type_var(&c->types);
	uint32_t opened = open_stmts(c, e, seqs);

	item->nothing = !seqs && !e->n;
	for (uint32_t i = 0; i < e->n; i++) {
		struct csp_type *type =
			e->kind == E_ENUM ? enumerated(c, e->kid[i]) : csp_infer(c, e->kid[i]);

		if (e->kind == E_SEQ_RANGE || e->kind == E_SET_RANGE)
			csp_unify(&c->types, c->types.integer, type, e->kid[i]->pos);
		csp_unify(&c->types, item, type, e->kid[i]->pos);
	}
	if (e->kind == E_ENUM && !e->n)
		item = c->types.event;
	close_stmts(c, opened);
	if (!seqs)
		csp_type_ask(&c->types, item, TYPE_IN_SETS, e->pos);
	return seqs ? seq_of(c, item) : set_of(c, item);
}

/* One that is a process is not evaluated before it runs. */
static void note_argument(struct csp_checker *c, struct csp_expr *e, struct csp_type *type)
{
	struct csp_argument *a = csp_alloc(c->types.csp, sizeof(*a));

	*a = (struct csp_argument){c->arguments, e, type};
	c->arguments = a;
}

static struct csp_type *apply(struct csp_checker *c, const struct csp_expr *e)
{
	struct csp_type *f = csp_type_seen(csp_infer(c, e->kid[0]));

	if (f->kind == TY_ANY) {
		for (uint32_t i = 1; i < e->n; i++)
			csp_infer(c, e->kid[i]);
		return f;
	}
	if (f->kind == TY_VAR) {
		struct csp_type *own = list(c, TY_FUNCTION, e->n);

		for (uint32_t i = 0; i < e->n; i++)
			own->at[i] = csp_type_var(&c->types);
		csp_unify(&c->types, f, own, e->kid[0]->pos);
		f = own;
	}
	if (f->kind != TY_FUNCTION)
		csp_fail(c->types.csp, e->kid[0]->pos,
			 "a function is expected here, and this is of type %s",
			 csp_type_text(c->types.csp, f));
	if (f->n != e->n)
		csp_fail(c->types.csp, e->pos, "%u argument%s expected here, not %u", f->n - 1,
			 f->n == 2 ? " is" : "s are", e->n - 1);
	for (uint32_t i = 1; i < e->n; i++) {
		csp_require(c, e->kid[i], f->at[i - 1]);
		note_argument(c, e->kid[i], f->at[i - 1]);
	}
	return f->at[f->n - 1];
}

static struct csp_type *compare(struct csp_checker *c, const struct csp_expr *e)
{
	struct csp_type *type = csp_infer(c, e->kid[0]);

	csp_require(c, e->kid[1], type);
	csp_type_ask(&c->types, type, TYPE_COMPARES, e->pos);
	return c->types.boolean;
}

struct csp_type *csp_infer_function(struct csp_checker *c, const struct csp_function *f,
				    struct csp_type *type)
{
	for (size_t k = 0; k < f->clauses.n; k++) {
		const struct csp_clause *clause = &f->clauses.at[k];
		struct csp_type *at = type;
		uint32_t pattern = 0;

		csp_scope_open(c, clause->frame);
		for (uint32_t g = 0; g < f->groups; g++) {
			struct csp_type *own = list(c, TY_FUNCTION, f->group[g] + 1);

			for (uint32_t i = 0; i < f->group[g]; i++)
				own->at[i] = csp_infer_pattern(c, clause->pattern[pattern++]);
			own->at[f->group[g]] = csp_type_var(&c->types);
			csp_unify(&c->types, at, own, clause->pos);
			at = own->at[f->group[g]];
		}
		csp_require(c, clause->body, at);
		csp_scope_close(c);
	}
	return type;
}

static struct csp_type *dotted(struct csp_checker *c, const struct csp_expr *e)
{
	struct csp_type *type = csp_infer(c, e->kid[0]);

	for (uint32_t i = 1; i < e->n; i++)
		type = csp_type_dot(&c->types, type, csp_infer(c, e->kid[i]), e->kid[i]->pos);
	return type;
}

/* ?x takes the next field of the channel, or all that are left. */
static struct csp_type *input(struct csp_checker *c, struct csp_type *channel,
			      const struct csp_field *f, bool last)
{
	struct csp_type *own = csp_infer_pattern(c, f->value);
	struct csp_pos pos = f->value->pos;

	channel = csp_type_seen(channel);
	if (f->set) {
		struct csp_type *set = csp_type_as_set(&c->types, csp_infer(c, f->set));
		struct csp_type *item = csp_type_var(&c->types);

		csp_unify(&c->types, set_of(c, item), set, f->set->pos);
		csp_unify(&c->types, item, own, pos);
		if (channel->kind == TY_OPEN && csp_type_seen(item)->kind > TY_VAR)
			return csp_type_dot(&c->types, channel, item, pos);
		if (channel->kind != TY_OPEN)
			return channel->kind == TY_EVENT ? channel : c->types.any;
		if (channel->n == 2)
			csp_unify(&c->types, item, channel->at[0], pos);
		return channel->n == 2 ? channel->at[1] : c->types.any;
	}
	if (channel->kind == TY_EVENT)
		csp_fail(c->types.csp, pos, "the channel has no field left for this");
	if (channel->kind > TY_VAR && channel->kind < TY_DOTS && channel->kind != TY_DATATYPE)
		csp_fail(c->types.csp, pos, "a channel is expected in front of this, not a %s",
			 csp_type_text(c->types.csp, channel));
	if (channel->kind != TY_OPEN)
		return c->types.any;
	if (channel->n == 2) {
		csp_unify(&c->types, channel->at[0], own, pos);
		return channel->at[1];
	}
	if (f->value->kind != E_NAME && f->value->kind != E_WILD)
		return last ? channel->at[channel->n - 1] : c->types.any;
	if (last) {
		struct csp_type *rest = list(c, TY_DOTS, channel->n - 1);

		memcpy(rest->at, channel->at, rest->n * sizeof(*rest->at));
		csp_unify(&c->types, rest, own, pos);
		return channel->at[channel->n - 1];
	}
	csp_unify(&c->types, channel->at[0], own, pos);
	struct csp_type *next = list(c, TY_OPEN, channel->n - 1);

	memcpy(next->at, channel->at + 1, next->n * sizeof(*next->at));
	return next;
}

static struct csp_type *prefix(struct csp_checker *c, const struct csp_expr *e)
{
	struct csp_type *type = csp_infer(c, e->kid[0]);

	csp_scope_open(c, e->frame);
	for (uint32_t i = 0; i < e->field_count; i++) {
		const struct csp_field *f = &e->field[i];

		if (f->sign == '!')
			type = csp_type_dot(&c->types, type, csp_infer(c, f->value), f->value->pos);
		else
			type = input(c, type, f, i + 1 == e->field_count);
	}
	csp_unify(&c->types, c->types.event, type, e->pos);
	csp_require(c, e->kid[1], c->types.process);
	csp_scope_close(c);
	return c->types.process;
}

/* A channel or an event, for renaming: its type, with the fields that are missing. */
static struct csp_type *infer_events(struct csp_checker *c, const struct csp_expr *e)
{
	struct csp_type *type = csp_type_seen(csp_infer(c, e));
	struct csp_type *whole = type->kind == TY_OPEN ? type->at[type->n - 1] : type;

	csp_unify(&c->types, c->types.event, whole, e->pos);
	return csp_type_seen(type);
}

/* a <- b: what is missing behind one is missing behind the other. */
static void pair(struct csp_checker *c, const struct csp_expr *from, const struct csp_expr *to)
{
	struct csp_type *a = infer_events(c, from), *b = infer_events(c, to);

	if ((a->kind != TY_OPEN && a->kind != TY_EVENT) ||
	    (b->kind != TY_OPEN && b->kind != TY_EVENT))
		return;
	if (a->kind != b->kind || a->n != b->n)
		csp_fail(c->types.csp, to->pos, "type %s is expected here, and this is of type %s",
			 csp_type_text(c->types.csp, a), csp_type_text(c->types.csp, b));
	for (uint32_t i = 0; i + 1 < a->n; i++)
		csp_unify(&c->types, a->at[i], b->at[i], to->pos);
}

static void operand(struct csp_checker *c, const struct csp_expr *e, uint32_t i, bool set)
{
	csp_require(c, e->kid[i], set ? set_of(c, c->types.event) : c->types.process);
}

static struct csp_type *renamed(struct csp_checker *c, const struct csp_expr *e, uint32_t processes)
{
	for (uint32_t i = 0; i < processes; i++)
		operand(c, e, i, false);
	uint32_t opened = open_stmts(c, e, false);

	for (uint32_t i = processes; i + 1 < e->n; i += 2)
		pair(c, e->kid[i], e->kid[i + 1]);
	close_stmts(c, opened);
	return c->types.process;
}

static struct csp_type *replicated(struct csp_checker *c, const struct csp_expr *e)
{
	uint32_t last = e->n - 1;

	if (e->op == E_PARALLEL || e->op == E_SYNC_CHOICE)
		operand(c, e, 0, true);
	uint32_t opened = open_stmts(c, e, e->op == E_SEQUENCE || e->op == E_LINK);

	if (e->op == E_ALPHABETISED)
		operand(c, e, 0, true);
	if (e->op == E_LINK)
		renamed(c, e->kid[0], 0);
	operand(c, e, last, false);
	close_stmts(c, opened);
	return c->types.process;
}

static struct csp_type *process(struct csp_checker *c, const struct csp_expr *e)
{
	switch (e->kind) {
	case E_PREFIX: return prefix(c, e);
	case E_RENAME: return renamed(c, e, 1);
	case E_LINK: return renamed(c, e, 2);
	case E_REPLICATED: return replicated(c, e);
	case E_GUARD:
		csp_require(c, e->kid[0], c->types.boolean);
		operand(c, e, 1, false);
		return c->types.process;
	default: break;
	}
	/* sets stand in the middle, and behind \ and |\ */
	bool hides = e->kind == E_HIDE || e->kind == E_PROJECT;

	for (uint32_t i = 0; i < e->n; i++)
		operand(c, e, i, hides ? i == 1 : e->n > 2 && i && i + 1 < e->n);
	return c->types.process;
}

static struct csp_type *map(struct csp_checker *c, const struct csp_expr *e)
{
	struct csp_type *type = NEW(TY_MAP, 2, csp_type_var(&c->types), csp_type_var(&c->types));

	for (uint32_t i = 0; i < e->n; i++)
		csp_require(c, e->kid[i], type->at[i % 2]);
	csp_type_ask(&c->types, type->at[0], TYPE_IN_SETS, e->pos);
	return type;
}

static struct csp_type *all(struct csp_checker *c, const struct csp_expr *e, struct csp_type *type)
{
	for (uint32_t i = 0; i < e->n; i++)
		csp_require(c, e->kid[i], type);
	return type;
}

struct csp_type *csp_infer(struct csp_checker *c, const struct csp_expr *e)
{
	struct csp_type *type;

	csp_check_depth(c->types.csp, e->pos);
	switch (e->kind) {
	case E_NUMBER: return c->types.integer;
	case E_BOOL: return c->types.boolean;
	case E_CHAR: return c->types.character;
	case E_NAME: return csp_name_type(c, e);
	case E_TUPLE:
		type = list(c, TY_TUPLE, e->n);
		for (uint32_t i = 0; i < e->n; i++)
			type->at[i] = csp_infer(c, e->kid[i]);
		return type;
	case E_DOT: return dotted(c, e);
	case E_APPLY: return apply(c, e);
	case E_LAMBDA: return csp_infer_function(c, e->function, csp_type_var(&c->types));
	case E_LET: {
		struct csp_scope *scope = csp_scope_open(c, e->decls->frame);

		csp_scope_declare(c, e->decls, scope);
		csp_check_decls(c, e->decls);
		type = csp_infer(c, e->kid[0]);
		csp_scope_close(c);
		return type;
	}
	case E_IF:
		csp_require(c, e->kid[0], c->types.boolean);
		type = csp_infer(c, e->kid[1]);
		csp_require(c, e->kid[2], type);
		return type;
	case E_NOT:
	case E_AND:
	case E_OR: return all(c, e, c->types.boolean);
	case E_NEGATE:
	case E_ARITHMETIC: return all(c, e, c->types.integer);
	case E_LENGTH: all(c, e, seq_of(c, csp_type_var(&c->types))); return c->types.integer;
	case E_COMPARE: return compare(c, e);
	case E_CONCAT: return all(c, e, seq_of(c, csp_type_var(&c->types)));
	case E_SEQ:
	case E_SET:
	case E_ENUM:
	case E_SEQ_RANGE:
	case E_SET_RANGE: return collection(c, e);
	case E_MAP: return map(c, e);
	case E_TIMED: return csp_type_from(&c->types, csp_timed_type((enum csp_timed_name)e->op));
	default: return process(c, e);
	}
}
