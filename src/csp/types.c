/* SPDX-License-Identifier: MIT */
/* Types: making them fit, and telling of them. */
#include "csp/types.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct csp_type *csp_type_new(struct csp *csp, enum csp_type_kind kind, uint32_t n, ...)
{
	struct csp_type *type = csp_alloc(csp, sizeof(*type));
	va_list parts;

	type->kind = (uint8_t)kind;
	type->n = n;
	type->at = csp_alloc(csp, n * sizeof(*type->at));
	va_start(parts, n);
	for (uint32_t i = 0; i < n; i++)
		type->at[i] = va_arg(parts, struct csp_type *);
	va_end(parts);
	return type;
}

struct csp_type *csp_type_var(struct csp_typing *t)
{
	struct csp_type *type = csp_type_new(t->csp, TY_VAR, 0);

	type->level = t->level;
	return type;
}

struct csp_type *csp_type_seen(struct csp_type *type)
{
	while (type->kind == TY_VAR && type->is) {
		if (type->is->kind == TY_VAR && type->is->is)
			type->is = type->is->is;
		type = type->is;
	}
	return type;
}

struct reader {
	struct csp_typing *t;
	const char *at;
	struct csp_type *var[26];
};

static struct csp_type *read_type(struct reader *r);

static struct csp_type *read_list(struct reader *r, enum csp_type_kind kind, char close)
{
	struct csp_type *parts[8];
	uint32_t n = 0;

	do
		parts[n++] = read_type(r);
	while (*r->at++ == ',');
	ASSERT(r->at[-1] == close);
	struct csp_type *type = csp_type_new(r->t->csp, kind, 0);

	type->n = n;
	type->at = csp_copy(r->t->csp, parts, n * sizeof(*parts));
	return type;
}

static struct csp_type *read_type(struct reader *r)
{
	char c = *r->at++;

	switch (c) {
	case 'I': return r->t->integer;
	case 'B': return r->t->boolean;
	case 'C': return r->t->character;
	case 'E': return r->t->event;
	case 'P': return r->t->process;
	case '?': return r->t->any;
	case '{': return read_list(r, TY_SET, '}');
	case '<': return read_list(r, TY_SEQ, '>');
	case '[': return read_list(r, TY_MAP, ']');
	case '(': {
		struct csp_type *list = read_list(r, TY_TUPLE, ')');

		if (*r->at != '-')
			return list;
		r->at += strlen("->");
		struct csp_type *result = read_type(r);
		struct csp_type **at = csp_alloc(r->t->csp, (list->n + 1) * sizeof(*at));

		memcpy(at, list->at, list->n * sizeof(*at));
		at[list->n++] = result;
		list->kind = TY_FUNCTION;
		list->at = at;
		return list;
	}
	case '=':
	case '~': {
		struct csp_type *type = read_type(r);

		type->asked |= c == '=' ? TYPE_COMPARES : TYPE_IN_SETS;
		return type;
	}
	default:
		if (!r->var[c - 'a'])
			r->var[c - 'a'] = csp_type_var(r->t);
		return r->var[c - 'a'];
	}
}

struct csp_type *csp_type_from(struct csp_typing *t, const char *text)
{
	struct reader r = {.t = t, .at = text};

	return read_type(&r);
}

struct text {
	struct csp *csp;
	char at[200];
	size_t n;
	int depth;
};

static void put(struct text *out, const char *text)
{
	for (; *text && out->n < sizeof(out->at) - 4; text++)
		out->at[out->n++] = *text;
}

static void show(struct text *out, struct csp_type *type);

static void show_list(struct text *out, struct csp_type **at, uint32_t n, const char *between)
{
	for (uint32_t i = 0; i < n; i++) {
		put(out, i ? between : "");
		show(out, at[i]);
	}
}

static void show_parts(struct text *out, struct csp_type *type)
{
	switch (type->kind) {
	case TY_SEQ:
	case TY_SET:
		put(out, type->kind == TY_SEQ ? "<" : "{");
		show(out, type->at[0]);
		put(out, type->kind == TY_SEQ ? ">" : "}");
		break;
	case TY_MAP:
		put(out, "(| ");
		show_list(out, type->at, 2, " => ");
		put(out, " |)");
		break;
	case TY_TUPLE:
		put(out, "(");
		show_list(out, type->at, type->n, ", ");
		put(out, ")");
		break;
	case TY_FUNCTION:
		put(out, "(");
		show_list(out, type->at, type->n - 1, ", ");
		put(out, ") -> ");
		show(out, type->at[type->n - 1]);
		break;
	case TY_DOTS: show_list(out, type->at, type->n, "."); break;
	case TY_OPEN:
		show_list(out, type->at, type->n - 1, ".");
		put(out, " => ");
		show(out, type->at[type->n - 1]);
		break;
	default: break;
	}
}

static void show(struct text *out, struct csp_type *type)
{
	static const char *const plain[] = {
		[TY_ANY] = "_",	    [TY_VAR] = "a",	  [TY_INT] = "Int",   [TY_BOOL] = "Bool",
		[TY_CHAR] = "Char", [TY_EVENT] = "Event", [TY_PROC] = "Proc",
	};

	type = csp_type_seen(type);
	if (out->depth > 20) {
		put(out, "...");
		return;
	}
	out->depth++;
	if (type->kind <= TY_PROC)
		put(out, plain[type->kind]);
	else if (type->kind == TY_DATATYPE)
		put(out, csp_name(out->csp, type->name));
	else
		show_parts(out, type);
	out->depth--;
}

const char *csp_type_text(struct csp *csp, struct csp_type *type)
{
	struct text out = {.csp = csp};

	show(&out, type);
	out.at[out.n] = 0;
	return csp_text(csp, "%s", out.at);
}

static void refuse(struct csp_typing *t, struct csp_type *type, uint8_t asked, struct csp_pos pos)
{
	csp_fail(t->csp, pos, "values of type %s cannot be %s", csp_type_text(t->csp, type),
		 asked & TYPE_COMPARES ? "compared" : "in sets");
}

static void ask_datatype(struct csp_typing *t, struct csp_type *type, uint8_t asked,
			 struct csp_pos pos)
{
	if (!type->decl) { /* any type, of which only so much is said */
		if (asked & ~type->asked)
			refuse(t, type, asked, pos);
		return;
	}
	struct csp_asked *later = csp_alloc(t->csp, sizeof(*later));

	*later = (struct csp_asked){t->later, type->decl, asked, pos};
	t->later = later;
}

void csp_type_ask(struct csp_typing *t, struct csp_type *type, uint8_t asked, struct csp_pos pos)
{
	type = csp_type_seen(type);
	csp_check_depth(t->csp, pos);
	if (!asked)
		return;
	switch (type->kind) {
	case TY_ANY: return;
	case TY_VAR: type->asked |= asked; return;
	case TY_PROC:
		if (asked & TYPE_COMPARES)
			refuse(t, type, asked, pos);
		return;
	case TY_FUNCTION: refuse(t, type, asked, pos); return;
	case TY_DATATYPE: ask_datatype(t, type, asked, pos); return;
	case TY_OPEN: return; /* what it is with its fields is asked of that */
	default:
		for (uint32_t i = 0; i < type->n; i++)
			csp_type_ask(t, type->at[i], asked, pos);
	}
}

/* Is var in it? Variables in it get var's level if that is lower. */
static bool occurs(struct csp_typing *t, struct csp_type *var, struct csp_type *type,
		   struct csp_pos pos)
{
	type = csp_type_seen(type);
	csp_check_depth(t->csp, pos);
	if (type == var)
		return true;
	if (type->kind == TY_VAR && type->level > var->level)
		type->level = var->level;
	for (uint32_t i = 0; i < type->n; i++)
		if (occurs(t, var, type->at[i], pos))
			return true;
	return false;
}

static bool bind(struct csp_typing *t, struct csp_type *var, struct csp_type *type,
		 struct csp_pos pos)
{
	if (occurs(t, var, type, pos))
		return false;
	var->is = type;
	csp_type_ask(t, type, var->asked, pos);
	return true;
}

/* Something in it is not known. */
static bool is_vague(struct csp_typing *t, struct csp_type *type, struct csp_pos pos)
{
	type = csp_type_seen(type);
	csp_check_depth(t->csp, pos);
	if (type->kind <= TY_VAR)
		return true;
	for (uint32_t i = 0; i < type->n; i++)
		if (is_vague(t, type->at[i], pos))
			return true;
	return false;
}

static bool unify_parts(struct csp_typing *t, struct csp_type *a, struct csp_type *b,
			struct csp_pos pos)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (!csp_unifies(t, a->at[i], b->at[i], pos))
			return false;
	return true;
}

/* One of them has dots, and they are of different kinds. */
static bool unify_dotted(struct csp_typing *t, struct csp_type *a, struct csp_type *b,
			 struct csp_pos pos)
{
	struct csp_type *dots = a->kind == TY_DOTS ? a : b, *other = a->kind == TY_DOTS ? b : a;

	if (other->kind == TY_SET) {
		struct csp_type *set = csp_type_as_set(t, dots);

		return set->kind == TY_SET && csp_unifies(t, set, other, pos);
	}
	if (csp_type_seen(dots->at[0])->kind == TY_VAR &&
	    (other->kind == TY_EVENT || other->kind == TY_DATATYPE || other->kind == TY_OPEN))
		return false;
	return is_vague(t, dots, pos);
}

bool csp_unifies(struct csp_typing *t, struct csp_type *a, struct csp_type *b, struct csp_pos pos)
{
	a = csp_type_seen(a);
	b = csp_type_seen(b);
	csp_check_depth(t->csp, pos);
	if (a == b || a->kind == TY_ANY || b->kind == TY_ANY)
		return true;
	if (a->kind == TY_VAR)
		return bind(t, a, b, pos);
	if (b->kind == TY_VAR)
		return bind(t, b, a, pos);
	if (a->kind != b->kind) {
		if (a->kind == TY_DOTS || b->kind == TY_DOTS)
			return unify_dotted(t, a, b, pos);
		if (a->kind == TY_SET && b->kind == TY_TUPLE)
			return csp_type_as_set(t, b)->kind == TY_SET &&
			       csp_unifies(t, a, csp_type_as_set(t, b), pos);
		return false;
	}
	if (a->kind == TY_DATATYPE)
		return a->name == b->name;
	if (a->kind == TY_OPEN)
		return csp_unifies(t, a->at[a->n - 1], b->at[b->n - 1], pos);
	/* a variable with dots in it may be one field or many */
	if (a->n != b->n)
		return a->kind == TY_DOTS && (is_vague(t, a, pos) || is_vague(t, b, pos));
	return unify_parts(t, a, b, pos);
}

void csp_unify(struct csp_typing *t, struct csp_type *expected, struct csp_type *found,
	       struct csp_pos pos)
{
	struct csp_type *seen = csp_type_seen(found), *want = csp_type_seen(expected);

	if (csp_unifies(t, expected, found, pos))
		return;
	if (seen->kind == TY_OPEN && want->kind != TY_OPEN &&
	    csp_unifies(t, want, seen->at[seen->n - 1], pos))
		csp_fail(t->csp, pos, "%u field%s missing here; the type is %s", seen->n - 1,
			 seen->n == 2 ? " is" : "s are", csp_type_text(t->csp, found));
	csp_fail(t->csp, pos, "a value of type %s is expected here, and this is of type %s",
		 csp_type_text(t->csp, expected), csp_type_text(t->csp, found));
}

void csp_generalise(struct csp_typing *t, struct csp_type *type, struct csp_pos pos)
{
	type = csp_type_seen(type);
	csp_check_depth(t->csp, pos);
	if (type->kind == TY_VAR && type->level > t->level)
		type->level = TYPE_GENERIC;
	for (uint32_t i = 0; i < type->n; i++)
		csp_generalise(t, type->at[i], pos);
}

struct copying {
	struct csp_typing *t;
	struct csp_pos pos;
	struct {
		struct csp_type *from, *to;
	} * map;
	size_t n, capacity;
};

static struct csp_type *copy_var(struct copying *c, struct csp_type *var)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->map[i].from == var)
			return c->map[i].to;
	c->map = csp_grown(c->t->csp, c->map, c->n, &c->capacity, sizeof(*c->map));
	c->map[c->n].from = var;
	c->map[c->n].to = csp_type_var(c->t);
	c->map[c->n].to->asked = var->asked;
	c->map[c->n].to->nothing = var->nothing;
	return c->map[c->n++].to;
}

static struct csp_type *copy_type(struct copying *c, struct csp_type *type)
{
	struct csp_type **at = NULL;

	type = csp_type_seen(type);
	csp_check_depth(c->t->csp, c->pos);
	if (type->kind == TY_VAR)
		return type->level == TYPE_GENERIC ? copy_var(c, type) : type;
	for (uint32_t i = 0; i < type->n; i++) {
		struct csp_type *part = copy_type(c, type->at[i]);

		if (part == type->at[i] || (!at && part == csp_type_seen(type->at[i])))
			continue;
		if (!at)
			at = csp_copy(c->t->csp, type->at, type->n * sizeof(*at));
		at[i] = part;
	}
	if (!at)
		return type;
	struct csp_type *copy = csp_copy(c->t->csp, type, sizeof(*type));

	copy->at = at;
	return copy;
}

struct csp_type *csp_instantiate(struct csp_typing *t, struct csp_type *type, struct csp_pos pos)
{
	struct copying c = {.t = t, .pos = pos};

	return copy_type(&c, type);
}

struct csp_type *csp_type_as_set(struct csp_typing *t, struct csp_type *type)
{
	type = csp_type_seen(type);
	if (type->kind != TY_DOTS && type->kind != TY_TUPLE)
		return type;
	struct csp_type *inner = csp_type_new(t->csp, type->kind, 0);

	inner->n = type->n;
	inner->at = csp_alloc(t->csp, type->n * sizeof(*inner->at));
	for (uint32_t i = 0; i < type->n; i++) {
		struct csp_type *part = csp_type_as_set(t, type->at[i]);

		if (part->kind > TY_VAR && part->kind != TY_SET)
			return type;
		inner->at[i] = part->kind == TY_SET ? part->at[0] : t->any;
	}
	return csp_type_new(t->csp, TY_SET, 1, inner);
}

/* The fields of `open` without the first, with those of `inner` before. */
static struct csp_type *next_open(struct csp_typing *t, struct csp_type *open,
				  struct csp_type *inner)
{
	uint32_t before = inner ? inner->n - 1 : 0, n = before + open->n - 1;

	if (n == 1)
		return open->at[open->n - 1];
	struct csp_type *type = csp_type_new(t->csp, TY_OPEN, 0);

	type->n = n;
	type->at = csp_alloc(t->csp, n * sizeof(*type->at));
	for (uint32_t i = 0; i < before; i++)
		type->at[i] = inner->at[i];
	for (uint32_t i = 1; i < open->n; i++)
		type->at[before + i - 1] = open->at[i];
	return type;
}

static struct csp_type *pair(struct csp_typing *t, struct csp_type *a, struct csp_type *b)
{
	struct csp_type *type = csp_type_new(t->csp, TY_DOTS, 0);
	uint32_t n = a->kind == TY_DOTS ? a->n : 1;

	type->n = n + 1;
	type->at = csp_alloc(t->csp, (n + 1) * sizeof(*type->at));
	memcpy(type->at, a->kind == TY_DOTS ? a->at : &a, n * sizeof(*type->at));
	type->at[n] = b;
	return type;
}

struct csp_type *csp_type_dot(struct csp_typing *t, struct csp_type *a, struct csp_type *b,
			      struct csp_pos pos)
{
	a = csp_type_seen(a);
	b = csp_type_seen(b);
	csp_check_depth(t->csp, pos);
	if (b->kind == TY_DOTS) {
		for (uint32_t i = 0; i < b->n; i++)
			a = csp_type_seen(csp_type_dot(t, a, b->at[i], pos));
		return a;
	}
	if (a->kind <= TY_VAR)
		return t->any;
	if (a->kind == TY_DOTS && a->n) {
		struct csp_type *last = csp_type_seen(a->at[a->n - 1]);

		return last->kind == TY_OPEN || last->kind <= TY_VAR ? t->any : pair(t, a, b);
	}
	if (a->kind != TY_OPEN)
		return pair(t, a, b);
	struct csp_type *first = csp_type_seen(a->at[0]);

	/* it may stand for more than one field */
	if (b->kind == TY_ANY || (b->kind == TY_VAR && a->n > 2))
		return a->n > 2 ? t->any : a->at[a->n - 1];
	if (b->kind == TY_OPEN) {
		csp_unify(t, first, b->at[b->n - 1], pos);
		return next_open(t, a, b);
	}
	csp_unify(t, first, b, pos);
	return next_open(t, a, NULL);
}
