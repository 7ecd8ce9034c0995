/* SPDX-License-Identifier: MIT */
/*
 * `f, g :: TYPE`. Types are found without it: what is written has to be what is found, or less
 * general. A variable of the annotation stands for any type, so it is a type that nothing else is.
 */
#include "csp/check.h"
#include "csp/parser.h"

#include <ctype.h>
#include <string.h>

static struct csp_type *type(struct csp_parser *p);

static struct csp_type *list_type(struct csp_parser *p, enum csp_type_kind kind,
				  struct csp_type **at, size_t n)
{
	struct csp_type *t = csp_type_new(p->csp, kind, 0);

	t->n = (uint32_t)n;
	t->at = at;
	return t;
}

struct type_list {
	struct csp_type **at;
	size_t n, capacity;
};

static struct csp_type *named(struct csp_parser *p)
{
	static const struct {
		const char *name;
		enum csp_type_kind kind;
	} plain[] = {{"Int", TY_INT},	  {"Bool", TY_BOOL}, {"Char", TY_CHAR},
		     {"Event", TY_EVENT}, {"Proc", TY_PROC}, {"_", TY_ANY}};
	struct csp_expr *e = csp_parse_name(p);
	const char *text = csp_name(p->csp, e->name);

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (!e->path_count && !strcmp(plain[i].name, text))
			return csp_type_new(p->csp, plain[i].kind, 0);
	if (!strcmp(text, "String"))
		return csp_type_new(p->csp, TY_SEQ, 1, csp_type_new(p->csp, TY_CHAR, 0));
	struct csp_type *t = csp_type_new(p->csp, TY_DATATYPE, 0);

	t->name = e->name;
	t->named = e;
	return t;
}

/* (a, b), or (a, b) -> c. */
static struct csp_type *in_brackets(struct csp_parser *p)
{
	struct type_list list = {0};

	p->at++;
	while (p->at->kind != T_CLOSE) {
		struct csp_type *t = type(p);

		csp_push(p->csp, &list, t);
		if (!csp_accept(p, T_COMMA))
			break;
	}
	csp_expect(p, T_CLOSE, "(");
	if (!csp_accept(p, T_ARROW)) {
		if (!list.n)
			csp_unexpected(p, "->");
		return list.n == 1 ? list.at[0] : list_type(p, TY_TUPLE, list.at, list.n);
	}
	struct csp_type *result = type(p);

	csp_push(p->csp, &list, result);
	return list_type(p, TY_FUNCTION, list.at, list.n);
}

static struct csp_type *atom(struct csp_parser *p)
{
	struct csp_type *t;

	csp_check_depth(p->csp, p->at->pos);
	switch (p->at->kind) {
	case T_NAME: return named(p);
	case T_OPEN: return in_brackets(p);
	case T_LESS:
		p->at++;
		t = type(p);
		csp_expect(p, T_GREATER, "<");
		return csp_type_new(p->csp, TY_SEQ, 1, t);
	case T_OPEN_SET:
		p->at++;
		t = type(p);
		csp_expect(p, T_CLOSE_SET, "{");
		return csp_type_new(p->csp, TY_SET, 1, t);
	case T_OPEN_MAP:
		p->at++;
		t = atom(p);
		csp_expect(p, T_YIELDS, "(|");
		t = csp_type_new(p->csp, TY_MAP, 2, t, type(p));
		csp_expect(p, T_CLOSE_MAP, "(|");
		return t;
	default: csp_unexpected(p, "a type");
	}
}

static void add_parts(struct csp_parser *p, struct type_list *list, struct csp_type *t,
		      enum csp_type_kind kind)
{
	if (t->kind != kind) {
		csp_push(p->csp, list, t);
		return;
	}
	for (uint32_t i = 0; i < t->n; i++)
		csp_push(p->csp, list, t->at[i]);
}

/* a.b, a => b, a =>* b. What a variable number of fields does is not known before it runs. */
static struct csp_type *type(struct csp_parser *p)
{
	struct type_list list = {0};

	csp_check_depth(p->csp, p->at->pos);
	struct csp_type *t = atom(p);

	if (p->at->kind == T_DOT) {
		csp_push(p->csp, &list, t);
		while (csp_accept(p, T_DOT)) {
			t = atom(p);
			csp_push(p->csp, &list, t);
		}
		t = list_type(p, TY_DOTS, list.at, list.n);
	}
	if (!csp_accept(p, T_YIELDS))
		return t;
	struct type_list open = {0};
	bool any = csp_accept(p, T_TIMES);

	add_parts(p, &open, t, TY_DOTS);
	add_parts(p, &open, type(p), TY_OPEN);
	return list_type(p, any ? TY_ANY : TY_OPEN, open.at, open.n);
}

/* `Eq a` */
static bool constraint(const struct csp_token **t)
{
	if ((*t)->kind != T_NAME || (*t)[1].kind != T_NAME)
		return false;
	*t += 2;
	return true;
}

/* `Eq a =>` or `(Eq a, Ord b) =>`, if it is there: returns its first word, or NULL. */
static const struct csp_token *constraints(struct csp_parser *p)
{
	const struct csp_token *t = p->at, *first = t->kind == T_OPEN ? t + 1 : t;
	bool list = t->kind == T_OPEN;

	t = first;
	if (!constraint(&t))
		return NULL;
	while (list && t->kind == T_COMMA && (t++, true))
		if (!constraint(&t))
			return NULL;
	if (list && t->kind == T_CLOSE)
		t++;
	if (t->kind != T_YIELDS)
		return NULL;
	p->at = t + 1;
	return first;
}

/* Is the variable in the type? There it is said of it. */
static bool say(struct csp_parser *p, struct csp_type *t, uint32_t name, uint8_t asked)
{
	bool found = t->named && t->named->name == name && !t->named->path_count;

	csp_check_depth(p->csp, p->at->pos);
	if (found)
		t->asked |= asked;
	for (uint32_t i = 0; i < t->n; i++)
		found |= say(p, t->at[i], name, asked);
	return found;
}

static void say_all(struct csp_parser *p, const struct csp_token *t, struct csp_type *type_)
{
	static const struct {
		const char *name;
		uint8_t asked;
	} known[] = {{"Eq", TYPE_COMPARES | TYPE_IN_SETS},
		     {"Ord", TYPE_COMPARES | TYPE_IN_SETS},
		     {"Set", TYPE_IN_SETS},
		     {"Inputable", 0},
		     {"Complete", 0},
		     {"Yieldable", 0}};

	for (; t && t->kind == T_NAME; t += 3) {
		size_t i = 0, n = sizeof(known) / sizeof(*known);

		while (i < n && strcmp(known[i].name, csp_name(p->csp, t->name)))
			i++;
		if (i == n)
			csp_fail(p->csp, t->pos, "%s is no class of types",
				 csp_name(p->csp, t->name));
		if (!say(p, type_, t[1].name, known[i].asked))
			csp_fail(p->csp, t[1].pos, "%s is not in the type",
				 csp_name(p->csp, t[1].name));
		if (t[2].kind != T_COMMA)
			break;
	}
}

bool csp_parse_annotation(struct csp_parser *p, struct csp_decls *decls)
{
	const struct csp_token *from = p->at, *t = p->at;

	while (t->kind == T_NAME && t[1].kind == T_COMMA)
		t += 2;
	if (t->kind != T_NAME || t[1].kind != T_OF_TYPE)
		return false;
	p->at = t + 2;
	const struct csp_token *said = constraints(p);
	struct csp_annotation a = {.type = type(p)};

	say_all(p, said, a.type);

	a.module = p->module;
	for (; from <= t; from += 2) {
		a.name = from->name;
		a.pos = from->pos;
		csp_push(p->csp, &decls->annotations, a);
	}
	return true;
}

/* Which datatypes are meant; types that begin with a capital letter are declared. */
static void check_names(struct csp_checker *c, struct csp_type *t, struct csp_pos pos)
{
	const struct csp_scope *globals = c->scope;

	csp_check_depth(c->types.csp, pos);
	while (globals->up)
		globals = globals->up;
	if (t->named) {
		const struct csp_decl *d = t->declared ? globals->decl[t->slot] : NULL;

		if (d && d->kind == D_DATATYPE) {
			t->name = d->name;
			t->decl = d;
		} else if (isupper((unsigned char)*csp_name(c->types.csp, t->name))) {
			csp_fail(c->types.csp, t->named->pos, "there is no datatype %s",
				 csp_name(c->types.csp, t->name));
		}
		if (c->scope->up) /* it may be said further out */
			t->asked = TYPE_COMPARES | TYPE_IN_SETS;
	}
	for (uint32_t i = 0; i < t->n; i++)
		check_names(c, t->at[i], pos);
}

/* Of a channel or constructor the fields count as well. */
static bool fits(struct csp_checker *c, struct csp_type *said, struct csp_type *found,
		 struct csp_pos pos)
{
	found = csp_type_seen(found);
	if (said->kind == TY_OPEN && found->kind == TY_OPEN && said->n == found->n) {
		for (uint32_t i = 0; i < said->n; i++)
			if (!csp_unifies(&c->types, said->at[i], found->at[i], pos))
				return false;
		return true;
	}
	return csp_unifies(&c->types, said, found, pos);
}

void csp_check_annotations(struct csp_checker *c, const struct csp_decls *decls)
{
	for (size_t i = 0; i < decls->annotations.n; i++) {
		const struct csp_annotation *a = &decls->annotations.at[i];
		const char *name = csp_name(c->types.csp, a->name);
		for (size_t k = 0; k < i; k++)
			if (decls->annotations.at[k].name == a->name &&
			    decls->annotations.at[k].module == a->module)
				csp_fail(c->types.csp, a->pos, "%s has a type already", name);
		check_names(c, a->type, a->pos);
		if (a->found && c->scope->type[a->slot]) {
			struct csp_type *found =
				csp_instantiate(&c->types, c->scope->type[a->slot], a->pos);

			if (!fits(c, a->type, found, a->pos))
				csp_fail(c->types.csp, a->pos,
					 "%s is said to be of type %s, and is of type %s", name,
					 csp_type_text(c->types.csp, a->type),
					 csp_type_text(c->types.csp, c->scope->type[a->slot]));
		} else {
			csp_fail(c->types.csp, a->pos, "%s has a type, and no definition", name);
		}
	}
}
