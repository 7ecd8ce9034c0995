/* SPDX-License-Identifier: MIT */
/* Words to expressions: precedence climbing. */
#include "csp/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct csp_expr *csp_expr_new(struct csp_parser *p, enum csp_expr_kind kind, struct csp_pos pos,
			      uint32_t n, ...)
{
	struct csp_expr *e = csp_alloc(p->csp, sizeof(*e));
	va_list kids;

	e->kind = (uint8_t)kind;
	e->pos = pos;
	e->timed = kind >= E_PREFIX ? p->timed : NULL;
	e->n = n;
	e->kid = csp_alloc(p->csp, n * sizeof(*e->kid));
	va_start(kids, n);
	for (uint32_t i = 0; i < n; i++)
		e->kid[i] = va_arg(kids, struct csp_expr *);
	va_end(kids);
	return e;
}

void csp_list_add(struct csp_parser *p, struct csp_list *list, struct csp_expr *e)
{
	csp_push(p->csp, list, e);
}

static struct csp_expr *from_list(struct csp_parser *p, enum csp_expr_kind kind, struct csp_pos pos,
				  struct csp_list list)
{
	struct csp_expr *e = csp_expr_new(p, kind, pos, 0);

	e->kid = list.at;
	e->n = (uint32_t)list.n;
	return e;
}

void csp_unexpected(struct csp_parser *p, const char *expected)
{
	const struct csp_token *t = p->at;

	if (t->kind == T_END)
		csp_fail(p->csp, t->pos, "%s is expected, but the script ends", expected);
	csp_fail(p->csp, t->pos, "%s is expected, not %.*s", expected,
		 (int)(t->end - t->from > 40 ? 40 : t->end - t->from), t->from);
}

bool csp_accept(struct csp_parser *p, enum csp_token_kind kind)
{
	if (p->at->kind != kind)
		return false;
	p->at++;
	return true;
}

void csp_expect(struct csp_parser *p, enum csp_token_kind kind, const char *what)
{
	char expected[100];

	snprintf(expected, sizeof(expected), "%s%s%s", csp_token_text[kind], *what ? " of " : "",
		 what);
	if (!csp_accept(p, kind))
		csp_unexpected(p, expected);
}

static const struct csp_token *skip(struct csp_parser *p)
{
	return p->at++;
}

struct csp_list csp_parse_list(struct csp_parser *p)
{
	struct csp_list list = {0};

	do
		csp_list_add(p, &list, csp_parse_any(p));
	while (csp_accept(p, T_COMMA));
	return list;
}

static void stmts(struct csp_parser *p, struct csp_expr *e)
{
	size_t capacity = 0;

	do {
		struct csp_stmt stmt = {0};
		struct csp_expr *first = csp_parse_level(p, L_DOT);

		if (p->at->kind == T_FROM || p->at->kind == T_COLON) {
			skip(p);
			stmt.pattern = csp_as_pattern(p, first);
			stmt.value = csp_parse_any(p);
		} else {
			stmt.value = first;
		}
		e->stmt = csp_grown(p->csp, e->stmt, e->stmt_count, &capacity, sizeof(stmt));
		e->stmt[e->stmt_count++] = stmt;
	} while (csp_accept(p, T_COMMA));
}

/* Behind `<`, `{` or `{|`: items, a range, a comprehension. */
static struct csp_expr *collection(struct csp_parser *p, enum csp_expr_kind kind,
				   enum csp_token_kind close, const char *what)
{
	struct csp_pos pos = p->at[-1].pos;
	bool outer = p->in_seq;
	struct csp_expr *e;

	p->in_seq = kind == E_SEQ;
	if (csp_accept(p, close)) {
		e = csp_expr_new(p, kind, pos, 0);
		p->in_seq = outer;
		return e;
	}
	struct csp_list items = csp_parse_list(p);

	e = from_list(p, kind, pos, items);
	if (kind != E_ENUM && items.n == 1 && csp_accept(p, T_DOTS)) {
		e->kind = kind == E_SEQ ? E_SEQ_RANGE : E_SET_RANGE;
		if (p->at->kind != close && p->at->kind != T_BAR) {
			csp_list_add(p, &items, csp_parse_any(p));
			e->kid = items.at;
			e->n = (uint32_t)items.n;
		}
	}
	if (csp_accept(p, T_BAR))
		stmts(p, e);
	p->in_seq = outer;
	csp_expect(p, close, what);
	return e;
}

/* (e), a tuple. */
static struct csp_expr *parens(struct csp_parser *p)
{
	struct csp_pos pos = skip(p)->pos;
	bool outer = p->in_seq;

	p->in_seq = false;
	struct csp_list list = csp_parse_list(p);

	p->in_seq = outer;
	csp_expect(p, T_CLOSE, "(");
	if (list.n > 1)
		return from_list(p, E_TUPLE, pos, list);
	return list.at[0];
}

static struct csp_expr *map(struct csp_parser *p)
{
	struct csp_pos pos = skip(p)->pos;
	struct csp_list list = {0};
	bool outer = p->in_seq;

	p->in_seq = false;
	if (p->at->kind != T_CLOSE_MAP)
		do {
			csp_list_add(p, &list, csp_parse_any(p));
			csp_expect(p, T_YIELDS, "(|");
			csp_list_add(p, &list, csp_parse_any(p));
		} while (csp_accept(p, T_COMMA));
	p->in_seq = outer;
	csp_expect(p, T_CLOSE_MAP, "(|");
	return from_list(p, E_MAP, pos, list);
}

struct csp_expr *csp_parse_name(struct csp_parser *p)
{
	struct csp_expr *e = csp_expr_new(p, E_NAME, p->at->pos, 0);
	size_t capacity = 0;

	for (; p->at[0].kind == T_NAME && p->at[1].kind == T_SCOPE; p->at += 2) {
		e->path = csp_grown(p->csp, e->path, e->path_count, &capacity, sizeof(*e->path));
		e->path[e->path_count++] = p->at->name;
	}
	struct csp_pos pos;

	e->name = csp_take_name(p, &pos);
	if (p->timed && !e->path_count)
		csp_timed_note(p, e);
	return e;
}

static struct csp_expr *literal(struct csp_parser *p, enum csp_expr_kind kind, int64_t number)
{
	struct csp_expr *e = csp_expr_new(p, kind, skip(p)->pos, 0);

	e->number = number;
	return e;
}

static struct csp_expr *string(struct csp_parser *p)
{
	const struct csp_token *t = skip(p);
	const struct interned *text = &p->csp->names.strings.at[t->name];
	struct csp_list list = {0};

	for (uint32_t i = 0; i < text->length; i++) {
		struct csp_expr *c = csp_expr_new(p, E_CHAR, t->pos, 0);

		c->number = (unsigned char)text->text[i];
		csp_list_add(p, &list, c);
	}
	return from_list(p, E_SEQ, t->pos, list);
}

static struct csp_expr *condition(struct csp_parser *p)
{
	struct csp_pos pos = skip(p)->pos;
	bool outer = p->in_seq;

	p->in_seq = false;
	struct csp_expr *test = csp_parse_any(p);

	csp_expect(p, T_THEN, "if");
	struct csp_expr *yes = csp_parse_any(p);

	csp_expect(p, T_ELSE, "if");
	p->in_seq = outer;
	return csp_expr_new(p, E_IF, pos, 3, test, yes, csp_parse_any(p));
}

static struct csp_expr *let(struct csp_parser *p)
{
	struct csp_expr *e = csp_expr_new(p, E_LET, skip(p)->pos, 1, NULL);
	bool outer = p->in_seq, outer_local = p->local;

	p->in_seq = false;
	p->local = true;
	e->decls = csp_alloc(p->csp, sizeof(*e->decls));
	e->decls->let = e;
	vec_push(&p->csp->lets, e->decls);
	csp_parse_decls(p, e->decls, T_WITHIN);
	p->local = outer_local;
	p->in_seq = outer;
	csp_expect(p, T_WITHIN, "let");
	e->kid[0] = csp_parse_any(p);
	return e;
}

static struct csp_expr *lambda(struct csp_parser *p)
{
	struct csp_expr *e = csp_expr_new(p, E_LAMBDA, skip(p)->pos, 0);
	struct csp_function *f = csp_alloc(p->csp, sizeof(*f));
	struct csp_clause *clause = csp_alloc(p->csp, sizeof(*clause));
	struct csp_list list = csp_parse_list(p);

	for (uint32_t i = 0; i < list.n; i++)
		csp_as_pattern(p, list.at[i]);
	csp_expect(p, T_AT, "a lambda");
	*clause = (struct csp_clause){.pos = e->pos, .pattern = list.at};
	clause->body = csp_parse_any(p);
	f->name = INTERN_NONE;
	f->pos = e->pos;
	f->groups = 1;
	f->patterns = (uint32_t)list.n;
	f->group = csp_copy(p->csp, &f->patterns, sizeof(f->patterns));
	f->clauses.at = clause;
	f->clauses.n = f->clauses.capacity = 1;
	e->function = f;
	return e;
}

/* Pairs `a <- b`, and statements behind a bar, as kids. */
static void pairs(struct csp_parser *p, struct csp_expr *e, struct csp_list *list,
		  enum csp_token_kind between)
{
	do {
		csp_list_add(p, list, csp_parse_any(p));
		csp_expect(p, between, between == T_TIE ? "[" : "[[");
		csp_list_add(p, list, csp_parse_any(p));
	} while (csp_accept(p, T_COMMA));
	if (csp_accept(p, T_BAR))
		stmts(p, e);
	e->kid = list->at;
	e->n = (uint32_t)list->n;
}

static void refuse_timed(struct csp_parser *p, const char *what)
{
	if (p->timed)
		csp_fail(p->csp, p->at->pos, "%s cannot stand in a timed section", what);
}

/* `[] x:S @ P` and its like. */
static struct csp_expr *replicated(struct csp_parser *p, enum csp_expr_kind op)
{
	if (op == E_LINK)
		refuse_timed(p, "links");
	struct csp_expr *e = csp_expr_new(p, E_REPLICATED, skip(p)->pos, 0);
	struct csp_list list = {0};
	bool outer = p->in_seq;

	p->in_seq = false;
	e->op = (uint8_t)op;
	if (op == E_PARALLEL || op == E_SYNC_CHOICE) {
		csp_list_add(p, &list, csp_parse_any(p));
		csp_expect(p, op == E_PARALLEL ? T_CLOSE_SYNC : T_CLOSE_SYNC_CHOICE,
			   "a replicated operator");
	}
	if (op == E_LINK) {
		struct csp_expr *ties = csp_expr_new(p, E_TIES, e->pos, 0);
		struct csp_list linked = {0};

		pairs(p, ties, &linked, T_TIE);
		csp_list_add(p, &list, ties);
		csp_expect(p, T_CLOSE_SQUARE, "[");
	}
	stmts(p, e);
	csp_expect(p, T_AT, "a replicated operator");
	if (op == E_ALPHABETISED) {
		csp_expect(p, T_OPEN_SQUARE, "a replicated ||");
		csp_list_add(p, &list, csp_parse_any(p));
		csp_expect(p, T_CLOSE_SQUARE, "a replicated ||");
	}
	p->in_seq = outer;
	csp_list_add(p, &list, csp_parse_any(p));
	e->kid = list.at;
	e->n = (uint32_t)list.n;
	return e;
}

static struct csp_expr *unary(struct csp_parser *p, enum csp_expr_kind kind, enum csp_level level)
{
	struct csp_pos pos = skip(p)->pos;

	return csp_expr_new(p, kind, pos, 1, csp_parse_level(p, level));
}

static struct csp_expr *operand(struct csp_parser *p)
{
	switch (p->at->kind) {
	case T_NAME: return csp_parse_name(p);
	case T_NUMBER: return literal(p, E_NUMBER, p->at->number);
	case T_CHAR: return literal(p, E_CHAR, p->at->number);
	case T_TRUE: return literal(p, E_BOOL, 1);
	case T_FALSE: return literal(p, E_BOOL, 0);
	case T_STRING: return string(p);
	case T_WILD: return literal(p, E_WILD, 0);
	case T_OPEN: return parens(p);
	case T_OPEN_MAP: return map(p);
	case T_EMPTY: return literal(p, E_SEQ, 0);
	case T_LESS: skip(p); return collection(p, E_SEQ, T_GREATER, "<");
	case T_OPEN_SET: skip(p); return collection(p, E_SET, T_CLOSE_SET, "{");
	case T_OPEN_ENUM: skip(p); return collection(p, E_ENUM, T_CLOSE_ENUM, "{|");
	case T_LET: return let(p);
	case T_IF: return condition(p);
	case T_LAMBDA: return lambda(p);
	case T_NOT: return unary(p, E_NOT, L_NOT);
	case T_MINUS: return unary(p, E_NEGATE, L_TIMES);
	case T_LENGTH: return unary(p, E_LENGTH, L_LENGTH);
	case T_EXTERNAL_CHOICE: return replicated(p, E_EXTERNAL);
	case T_INTERNAL: return replicated(p, E_INTERNAL);
	case T_INTERLEAVE: return replicated(p, E_INTERLEAVE);
	case T_SEMICOLON: return replicated(p, E_SEQUENCE);
	case T_OPEN_SYNC: return replicated(p, E_PARALLEL);
	case T_PARALLEL: return replicated(p, E_ALPHABETISED);
	case T_OPEN_SYNC_CHOICE: return replicated(p, E_SYNC_CHOICE);
	case T_OPEN_SQUARE: return replicated(p, E_LINK);
	default: csp_unexpected(p, "an expression");
	}
}

static const struct infix {
	enum csp_token_kind token;
	enum csp_level level;
	enum csp_expr_kind kind;
	bool right; /* associates to the right */
} infixes[] = {
	{T_INTERLEAVE, L_INTERLEAVE, E_INTERLEAVE, false},
	{T_INTERNAL, L_INTERNAL, E_INTERNAL, false},
	{T_EXTERNAL_CHOICE, L_EXTERNAL, E_EXTERNAL, false},
	{T_INTERRUPT, L_INTERRUPT, E_INTERRUPT, false},
	{T_SLIDE, L_SLIDE, E_SLIDE, false},
	{T_SEMICOLON, L_SEQUENCE, E_SEQUENCE, false},
	{T_GUARD, L_PREFIX, E_GUARD, true},
	{T_OR, L_OR, E_OR, false},
	{T_AND, L_AND, E_AND, false},
	{T_EQUAL, L_COMPARE, E_COMPARE, false},
	{T_NOT_EQUAL, L_COMPARE, E_COMPARE, false},
	{T_LESS, L_COMPARE, E_COMPARE, false},
	{T_LESS_EQUAL, L_COMPARE, E_COMPARE, false},
	{T_GREATER, L_COMPARE, E_COMPARE, false},
	{T_GREATER_EQUAL, L_COMPARE, E_COMPARE, false},
	{T_PLUS, L_PLUS, E_ARITHMETIC, false},
	{T_MINUS, L_PLUS, E_ARITHMETIC, false},
	{T_TIMES, L_TIMES, E_ARITHMETIC, false},
	{T_DIVIDE, L_TIMES, E_ARITHMETIC, false},
	{T_MODULO, L_TIMES, E_ARITHMETIC, false},
	{T_CONCAT, L_CONCAT, E_CONCAT, false},
	{T_AT_AT, L_BOTH, E_BOTH, false},
	{T_LAMBDA, L_HIDE, E_HIDE, false},
	{T_PROJECT, L_HIDE, E_PROJECT, false},
};

static bool begins_expression(const struct csp_token *t)
{
	switch (t->kind) {
	case T_NAME:
	case T_NUMBER:
	case T_CHAR:
	case T_TRUE:
	case T_FALSE:
	case T_STRING:
	case T_WILD:
	case T_OPEN:
	case T_OPEN_SET:
	case T_OPEN_ENUM:
	case T_IF:
	case T_LET:
	case T_NOT:
	case T_MINUS:
	case T_LENGTH: return !t->first;
	default: return false;
	}
}

/* The operator at hand, or NULL: a line that begins with `(`, `-`, `<` or a name is a new one. */
static const struct infix *infix(const struct csp_parser *p)
{
	if (p->at->first && (p->at->kind == T_MINUS || p->at->kind == T_LESS))
		return NULL;
	/* in <a, b> the last one closes, in <x | x > y> the first compares */
	if (p->at->kind == T_GREATER && p->in_seq && !begins_expression(p->at + 1))
		return NULL;
	for (size_t i = 0; i < sizeof(infixes) / sizeof(*infixes); i++)
		if (infixes[i].token == p->at->kind)
			return &infixes[i];
	return NULL;
}

static struct csp_expr *binary(struct csp_parser *p, struct csp_expr *left, const struct infix *op)
{
	struct csp_pos pos = p->at->pos;
	struct csp_expr *e = csp_expr_new(p, op->kind, pos, 2, left, NULL);

	e->op = (uint8_t)skip(p)->kind;
	/* P \ A ||| Q is (P \ A) ||| Q, though \ is the weaker one */
	if (op->level == L_HIDE)
		e->kid[1] = csp_parse_level(p, L_DOT);
	else
		e->kid[1] = csp_parse_level(p, op->level + !op->right);
	return e;
}

static struct csp_expr *apply(struct csp_parser *p, struct csp_expr *left)
{
	struct csp_pos pos = skip(p)->pos;
	struct csp_list list = {0};
	bool outer = p->in_seq;

	p->in_seq = false;
	csp_list_add(p, &list, left);
	if (p->at->kind != T_CLOSE)
		do
			csp_list_add(p, &list, csp_parse_any(p));
		while (csp_accept(p, T_COMMA));
	p->in_seq = outer;
	csp_expect(p, T_CLOSE, "(");
	return from_list(p, E_APPLY, pos, list);
}

static struct csp_expr *dotted(struct csp_parser *p, struct csp_expr *left)
{
	struct csp_list list = {0};
	struct csp_pos pos = left->pos;

	csp_list_add(p, &list, left);
	while (csp_accept(p, T_DOT))
		csp_list_add(p, &list, csp_parse_level(p, L_COLON));
	return from_list(p, E_DOT, pos, list);
}

/* c!x?y -> P; with nothing but the arrow, a -> P. */
static struct csp_expr *prefix(struct csp_parser *p, struct csp_expr *left)
{
	struct csp_expr *e = csp_expr_new(p, E_PREFIX, left->pos, 2, left, NULL);
	size_t capacity = 0;
	bool inputs = false;

	while (p->at->kind == T_QUERY || p->at->kind == T_BANG || p->at->kind == T_DOLLAR) {
		if (p->at->kind == T_DOLLAR)
			refuse_timed(p, "$");
		struct csp_field field = {.sign = *skip(p)->from};

		if (field.sign == '$' && inputs)
			csp_fail(p->csp, p->at[-1].pos, "$ cannot stand behind ?");
		inputs = inputs || field.sign == '?';
		field.value = csp_parse_level(p, L_YIELDS);
		if (field.sign != '!') {
			csp_as_pattern(p, field.value);
			if (csp_accept(p, T_COLON))
				field.set = csp_parse_level(p, L_COLON);
		}
		e->field = csp_grown(p->csp, e->field, e->field_count, &capacity, sizeof(field));
		e->field[e->field_count++] = field;
	}
	csp_expect(p, T_ARROW, "a prefix");
	e->kid[1] = csp_parse_level(p, L_PREFIX);
	return e;
}

static struct csp_expr *rename_(struct csp_parser *p, struct csp_expr *left)
{
	struct csp_expr *e = csp_expr_new(p, E_RENAME, skip(p)->pos, 0);
	struct csp_list list = {0};
	bool outer = p->in_seq;

	p->in_seq = false;
	csp_list_add(p, &list, left);
	pairs(p, e, &list, T_FROM);
	p->in_seq = outer;
	csp_expect(p, T_CLOSE_RENAME, "[[");
	return e;
}

/* P [A || B] Q and P [a <-> b] Q. */
static struct csp_expr *square(struct csp_parser *p, struct csp_expr *left)
{
	struct csp_pos pos = skip(p)->pos;
	bool outer = p->in_seq;

	p->in_seq = false;
	struct csp_expr *first = csp_parse_any(p);

	if (csp_accept(p, T_PARALLEL)) {
		struct csp_expr *second = csp_parse_any(p);

		p->in_seq = outer;
		csp_expect(p, T_CLOSE_SQUARE, "[");
		return csp_expr_new(p, E_ALPHABETISED, pos, 4, left, first, second,
				    csp_parse_level(p, L_PARALLEL + 1));
	}
	struct csp_expr *e = csp_expr_new(p, E_LINK, pos, 0);
	struct csp_list list = {0};

	if (p->at->kind != T_TIE)
		csp_unexpected(p, "|| or <->");
	refuse_timed(p, "links");
	skip(p);
	csp_list_add(p, &list, left);
	csp_list_add(p, &list, NULL);
	csp_list_add(p, &list, first);
	csp_list_add(p, &list, csp_parse_any(p));
	if (csp_accept(p, T_COMMA))
		pairs(p, e, &list, T_TIE);
	else if (csp_accept(p, T_BAR))
		stmts(p, e);
	e->kid = list.at;
	e->n = (uint32_t)list.n;
	p->in_seq = outer;
	csp_expect(p, T_CLOSE_SQUARE, "[");
	e->kid[1] = csp_parse_level(p, L_PARALLEL + 1);
	return e;
}

/* P [| A |] Q and its like: a set in brackets between two processes. */
static struct csp_expr *bracketed(struct csp_parser *p, struct csp_expr *left)
{
	const struct csp_token *open = skip(p);
	bool outer = p->in_seq;
	enum csp_expr_kind kind = E_PARALLEL;
	enum csp_level level = L_PARALLEL;

	p->in_seq = false;
	struct csp_expr *set = csp_parse_any(p);

	p->in_seq = outer;
	if (open->kind == T_OPEN_SYNC_CHOICE) {
		csp_expect(p, T_CLOSE_SYNC_CHOICE, "[+");
		kind = E_SYNC_CHOICE;
		level = L_EXTERNAL;
	} else if (open->kind == T_OPEN_SYNC_INTERRUPT) {
		csp_expect(p, T_CLOSE_SYNC_INTERRUPT, "/+");
		kind = E_SYNC_INTERRUPT;
		level = L_INTERRUPT;
	} else if (csp_accept(p, T_THROW)) {
		kind = E_THROW;
	} else if (!csp_accept(p, T_CLOSE_SYNC)) {
		csp_unexpected(p, "|] or |>");
	}
	return csp_expr_new(p, kind, open->pos, 3, left, set, csp_parse_level(p, level + 1));
}

/* One more operator behind left, if it binds as strongly as least; NULL if there is none. */
static struct csp_expr *extend(struct csp_parser *p, struct csp_expr *left, enum csp_level least)
{
	const struct infix *op = infix(p);

	if (op)
		return op->level >= least ? binary(p, left, op) : NULL;
	switch (p->at->kind) {
	case T_OPEN: return p->at->first || least > L_APPLY ? NULL : apply(p, left);
	case T_OPEN_RENAME: return rename_(p, left);
	case T_DOT: return least > L_DOT ? NULL : dotted(p, left);
	case T_QUERY:
	case T_BANG:
	case T_DOLLAR: return least > L_FIELD ? NULL : prefix(p, left);
	case T_ARROW: return least > L_PREFIX ? NULL : prefix(p, left);
	case T_OPEN_SQUARE: return least > L_PARALLEL ? NULL : square(p, left);
	case T_OPEN_SYNC: return least > L_PARALLEL ? NULL : bracketed(p, left);
	case T_OPEN_SYNC_CHOICE: return least > L_EXTERNAL ? NULL : bracketed(p, left);
	case T_OPEN_SYNC_INTERRUPT: return least > L_INTERRUPT ? NULL : bracketed(p, left);
	default: return NULL;
	}
}

struct csp_expr *csp_parse_level(struct csp_parser *p, enum csp_level least)
{
	csp_check_depth(p->csp, p->at->pos);
	struct csp_expr *left = operand(p), *more;

	while ((more = extend(p, left, least)))
		left = more;
	return left;
}

struct csp_expr *csp_as_pattern(struct csp_parser *p, struct csp_expr *e)
{
	csp_check_depth(p->csp, e->pos);
	switch (e->kind) {
	case E_NUMBER:
	case E_BOOL:
	case E_CHAR:
	case E_NAME:
	case E_WILD: return e;
	case E_NEGATE:
		if (e->kid[0]->kind == E_NUMBER)
			return e;
		break;
	case E_SET:
		if (e->n > 1)
			break;
		/* fall through */
	case E_SEQ:
		if (e->stmt_count)
			break;
		/* fall through */
	case E_TUPLE:
	case E_BOTH:
	case E_DOT:
	case E_CONCAT:
		for (uint32_t i = 0; i < e->n; i++)
			csp_as_pattern(p, e->kid[i]);
		return e;
	default: break;
	}
	csp_fail(p->csp, e->pos, "a pattern is expected here, and this is none");
}
