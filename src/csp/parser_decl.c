/* SPDX-License-Identifier: MIT */
/* Words to declarations and assertions. */
#include "csp/builtin.h"
#include "csp/parser.h"

#include <stdio.h>
#include <string.h>

struct csp_decl *csp_decl_add(struct csp_parser *p, struct csp_decls *decls,
			      enum csp_decl_kind kind, struct csp_pos pos)
{
	struct csp_decl decl = {.kind = kind,
				.pos = pos,
				.source = p->csp->sources,
				.module = p->module,
				.hidden = p->hidden};

	vec_push(&decls->list, decl);
	csp_charge(p->csp, sizeof(decl));
	return &decls->list.at[decls->list.n - 1];
}

uint32_t csp_take_name(struct csp_parser *p, struct csp_pos *pos)
{
	if (p->at->kind != T_NAME)
		csp_unexpected(p, "a name");
	*pos = p->at->pos;
	return p->at++->name;
}

static void channels(struct csp_parser *p, struct csp_decls *decls)
{
	size_t first = decls->list.n;

	p->at++;
	do {
		struct csp_constructor *c = csp_alloc(p->csp, sizeof(*c));

		c->name = csp_take_name(p, &c->pos);
		struct csp_decl *decl = csp_decl_add(p, decls, D_CHANNEL, c->pos);

		decl->name = c->name;
		decl->count = 1;
		decl->constructor = c;
	} while (csp_accept(p, T_COMMA));
	if (!csp_accept(p, T_COLON))
		return;
	struct csp_expr *type = csp_parse_any(p);

	for (; first < decls->list.n; first++)
		decls->list.at[first].constructor->type = type;
}

static void datatype(struct csp_parser *p, struct csp_decls *decls, enum csp_decl_kind kind)
{
	struct {
		struct csp_constructor *at;
		size_t n, capacity;
	} list = {0};
	struct csp_pos pos;

	p->at++;
	uint32_t name = csp_take_name(p, &pos);

	csp_expect(p, T_IS, kind == D_DATATYPE ? "datatype" : "subtype");
	do {
		struct csp_constructor c = {0};

		c.name = csp_take_name(p, &c.pos);
		if (csp_accept(p, T_DOT))
			c.type = csp_parse_any(p);
		csp_push(p->csp, &list, c);
	} while (csp_accept(p, T_BAR));
	struct csp_decl *decl = csp_decl_add(p, decls, kind, pos);

	decl->name = name;
	decl->count = (uint32_t)list.n;
	decl->constructor = list.at;
}

static void nametype(struct csp_parser *p, struct csp_decls *decls)
{
	struct csp_pos pos;

	p->at++;
	uint32_t name = csp_take_name(p, &pos);

	csp_expect(p, T_IS, "nametype");
	struct csp_expr *body = csp_parse_any(p);
	struct csp_decl *decl = csp_decl_add(p, decls, D_NAMETYPE, pos);

	decl->name = name;
	decl->body = body;
}

static void externals(struct csp_parser *p, struct csp_decls *decls)
{
	p->at++;
	do {
		struct csp_pos pos;
		uint32_t name = csp_take_name(p, &pos);

		if (!csp_external(csp_name(p->csp, name)))
			csp_fail(p->csp, pos, "the function %s is not supported",
				 csp_name(p->csp, name));
		csp_decl_add(p, decls, D_EXTERNAL, pos)->name = name;
	} while (csp_accept(p, T_COMMA));
}

/* The name and the groups of arguments of f(x, y)(z). */
static uint32_t count_groups(const struct csp_expr *e)
{
	uint32_t n = 0;

	for (; e->kind == E_APPLY; e = e->kid[0])
		n++;
	return n;
}

static void clause(struct csp_parser *p, struct csp_decls *decls, struct csp_expr *left,
		   struct csp_expr *body)
{
	uint32_t groups = count_groups(left), patterns = 0;
	uint32_t *group = csp_alloc(p->csp, groups * sizeof(*group));
	struct csp_expr *f = left;

	for (uint32_t g = groups; f->kind == E_APPLY; f = f->kid[0])
		patterns += group[--g] = f->n - 1;
	if (f->kind != E_NAME)
		csp_fail(p->csp, f->pos, "the name of a function is expected here");
	struct csp_expr **pattern = csp_alloc(p->csp, patterns * sizeof(*pattern));
	uint32_t end = patterns;

	for (struct csp_expr *a = left; a->kind == E_APPLY; a = a->kid[0])
		for (uint32_t i = a->n; i-- > 1;)
			pattern[--end] = csp_as_pattern(p, a->kid[i]);
	struct csp_decl *last = decls->list.n ? &decls->list.at[decls->list.n - 1] : NULL;

	if (!last || last->kind != D_FUNCTION || last->name != f->name ||
	    last->source != p->csp->sources || last->module != p->module ||
	    last->pos.file != f->pos.file) {
		last = csp_decl_add(p, decls, D_FUNCTION, f->pos);
		last->name = f->name;
		struct csp_function *function = csp_alloc(p->csp, sizeof(*function));

		*function = (struct csp_function){.name = f->name,
						  .pos = f->pos,
						  .groups = groups,
						  .group = group,
						  .patterns = patterns};
		last->function = function;
	}
	if (last->function->groups != groups ||
	    memcmp(last->function->group, group, groups * sizeof(*group)))
		csp_fail(p->csp, f->pos, "the equations of %s have different numbers of arguments",
			 csp_name(p->csp, f->name));
	struct csp_clause c = {.pos = f->pos, .pattern = pattern, .body = body};

	/* in the arena: a function has no end of its own */
	csp_push(p->csp, &last->function->clauses, c);
}

static void equation(struct csp_parser *p, struct csp_decls *decls)
{
	if (csp_parse_annotation(p, decls))
		return;
	struct csp_expr *left = csp_parse_level(p, L_YIELDS);

	if (!csp_accept(p, T_IS))
		csp_unexpected(p, "=");
	struct csp_expr *body = csp_parse_any(p);

	if (left->kind == E_APPLY) {
		clause(p, decls, left, body);
		return;
	}
	csp_as_pattern(p, left);
	struct csp_decl *decl = csp_decl_add(p, decls, D_VALUE, left->pos);

	decl->name = left->kind == E_NAME ? left->name : INTERN_NONE;
	decl->pattern = left;
	decl->body = body;
}

/* The words between :[ and ], as text with one space between them. */
static void words(struct csp_parser *p, char *text, size_t room)
{
	size_t n = 0;

	for (*text = 0; p->at->kind == T_NAME || p->at->kind == T_MINUS; p->at++) {
		size_t length = p->at->kind == T_MINUS ? 0 : (size_t)(p->at->end - p->at->from);

		if (n + length + 2 > room)
			break;
		if (n && length)
			text[n++] = ' ';
		memcpy(text + n, p->at->from, length);
		text[n += length] = 0;
	}
}

static void close_option(struct csp_parser *p, bool *half)
{
	if (*half) {
		*half = false;
		p->at++;
	} else if (p->at->kind == T_CLOSE_RENAME) { /* the first half of ]] */
		*half = true;
	} else {
		csp_expect(p, T_CLOSE_SQUARE, ":[");
	}
}

/* `[F]` in an option; `[precise]` is nothing to us. */
static void option_in_brackets(struct csp_parser *p, struct csp_assert *a, bool *half)
{
	char text[40];

	if (!csp_accept(p, T_OPEN_SQUARE))
		return;
	words(p, text, sizeof(text));
	if (!strcmp(text, "T"))
		a->told.model = CSP_TRACES;
	else if (!strcmp(text, "F"))
		a->told.model = CSP_FAILURES;
	else if (!strcmp(text, "FD"))
		a->told.model = CSP_FAILURES_DIVERGENCES;
	close_option(p, half);
}

static void trace_of(struct csp_parser *p, struct csp_assert *a)
{
	csp_accept(p, T_COLON);
	struct csp_expr *e = csp_parse_level(p, L_APPLY);

	if (e->kind != E_SEQ || e->stmt_count)
		csp_fail(p->csp, e->pos, "a sequence of events in < and > is expected here");
	a->trace = e->kid;
	a->trace_length = e->n;
}

/* One `:[…]`; a property, if none was seen yet. */
static void option(struct csp_parser *p, struct csp_assert *a, bool *told)
{
	static const struct {
		const char *words;
		enum csp_property property;
	} properties[] = {
		{"deadlock free", CSP_DEADLOCK_FREE},	{"divergence free", CSP_DIVERGENCE_FREE},
		{"livelock free", CSP_DIVERGENCE_FREE}, {"deterministic", CSP_DETERMINISTIC},
		{"has trace", CSP_HAS_TRACE},
	};
	const struct csp_token *start = p->at + 1;
	char text[60];
	bool half = false;

	csp_expect(p, T_OPEN_SQUARE, "an assertion");
	words(p, text, sizeof(text));
	for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++) {
		if (strcmp(properties[i].words, text))
			continue;
		if (*told)
			csp_fail(p->csp, start->pos, "the assertion has its property already");
		*told = true;
		a->told.property = properties[i].property;
		a->told.model =
			a->told.property == CSP_HAS_TRACE ? CSP_TRACES : CSP_FAILURES_DIVERGENCES;
		option_in_brackets(p, a, &half);
		close_option(p, &half);
		if (a->told.property == CSP_HAS_TRACE)
			trace_of(p, a);
		return;
	}
	if (!strcmp(text, "tau priority") || !strcmp(text, "tau priority over")) {
		if (a->below_silent)
			csp_fail(p->csp, start->pos, "the assertion has a priority already");
		close_option(p, &half);
		csp_expect(p, T_COLON, "tau priority");
		a->below_silent = csp_parse_level(p, L_APPLY);
		return;
	}
	if (strcmp(text, "partial order reduce"))
		csp_fail(p->csp, start->pos,
			 "deadlock free, divergence free, deterministic, has trace, tau priority "
			 "or partial order reduce is expected here");
	enum csp_model model = a->told.model;

	option_in_brackets(p, a, &half);
	a->told.model = model;
	close_option(p, &half);
}

/* The text from one word to another, in one line. */
static const char *plain_text(struct csp_parser *p, const struct csp_token *from,
			      const struct csp_token *end)
{
	char text[300];
	size_t n = 0;

	for (const struct csp_token *t = from; t < end; t++) {
		size_t length = (size_t)(t->end - t->from);
		bool space = t > from && (t->from != t[-1].end || t->first);

		if (n + length + 5 > sizeof(text)) {
			memcpy(text + n, "...", 3);
			n += 3;
			break;
		}
		if (space)
			text[n++] = ' ';
		memcpy(text + n, t->from, length);
		n += length;
	}
	return csp_text(p->csp, "%.*s", (int)n, text);
}

static void tell(struct csp_parser *p, struct csp_assert *a, const struct csp_token *from)
{
	a->pos = from->pos;
	a->told.text = plain_text(p, from, p->at);
	a->told.file = p->csp->files.at[from->pos.file].name;
	a->told.line = from->pos.line;
	a->told.column = from->pos.column;
	vec_push(&p->csp->script->asserts, *a);
	csp_charge(p->csp, sizeof(*a));
}

static void assertion(struct csp_parser *p)
{
	struct csp_assert a = {0};
	const struct csp_token *from = p->at++;
	bool told = false;

	/* `not` belongs to the assertion, and not to what it speaks of */
	a.told.negated = csp_accept(p, T_NOT);
	a.left = csp_parse_any(p);
	if (p->at->kind >= T_REFINES_T && p->at->kind <= T_REFINES_RD) {
		if (p->at->kind > T_REFINES_FD)
			a.unknown_model = csp_token_text[p->at->kind];
		else
			a.told.model = (enum csp_model)(p->at->kind - T_REFINES_T);
		p->at++;
		a.right = csp_parse_any(p);
		told = true;
	}
	while (csp_accept(p, T_COLON))
		option(p, &a, &told);
	if (!told)
		csp_unexpected(p, "[T=, [F=, [FD= or :[");
	tell(p, &a, from);
}

static void print(struct csp_parser *p)
{
	struct csp_assert a = {.told.property = CSP_PRINT};
	const struct csp_token *from = p->at++;

	a.left = csp_parse_any(p);
	tell(p, &a, from);
}

/* Not every declaration may stand everywhere. */
static void refuse(struct csp_parser *p)
{
	const char *where = NULL;

	switch (p->at->kind) {
	case T_ASSERT:
	case T_PRINT:
		if (p->module)
			where = "in a module";
		if (p->timed && p->at->kind == T_PRINT)
			where = "in a timed section";
		/* fall through */
	case T_CHANNEL:
	case T_DATATYPE:
	case T_SUBTYPE:
	case T_NAMETYPE:
	case T_MODULE:
	case T_INSTANCE:
		if (p->local)
			where = "behind let";
		break;
	default: break;
	}
	if (where)
		csp_fail(p->csp, p->at->pos, "%s cannot stand %s", csp_token_text[p->at->kind],
			 where);
}

static void decl(struct csp_parser *p, struct csp_decls *decls)
{
	refuse(p);
	switch (p->at->kind) {
	case T_CHANNEL: channels(p, decls); break;
	case T_DATATYPE: datatype(p, decls, D_DATATYPE); break;
	case T_SUBTYPE: datatype(p, decls, D_SUBTYPE); break;
	case T_NAMETYPE: nametype(p, decls); break;
	case T_TRANSPARENT:
	case T_EXTERNAL: externals(p, decls); break;
	case T_ASSERT: assertion(p); break;
	case T_PRINT: print(p); break;
	case T_MODULE: csp_parse_module(p, decls); break;
	case T_INSTANCE: csp_parse_instance(p, decls); break;
	case T_TIMED: csp_parse_timed(p, decls); break;
	default: equation(p, decls); break;
	}
}

void csp_parse_decls(struct csp_parser *p, struct csp_decls *decls, enum csp_token_kind end)
{
	csp_check_depth(p->csp, p->at->pos);
	while (p->at->kind != end && p->at->kind != T_END) {
		const struct csp_token *from = p->at;

		decl(p, decls);
		if (p->at->kind != end && !p->at->first)
			csp_unexpected(p, "an operator or a new line");
		if (p->at == from)
			csp_unexpected(p, "a declaration");
	}
}

void csp_parse(struct csp *csp, uint32_t file, const char *path)
{
	struct csp_tokens tokens = csp_tokens(csp, file, path);
	struct csp_parser p = {.csp = csp, .at = tokens.at};

	csp_parse_decls(&p, &csp->script->decls, T_END);
}

struct csp_expr *csp_parse_expression(struct csp *csp, uint32_t file)
{
	struct csp_tokens tokens = csp_tokens(csp, file, NULL);
	struct csp_parser p = {.csp = csp, .at = tokens.at};
	struct csp_expr *e = csp_parse_any(&p);

	if (p.at->kind != T_END)
		csp_unexpected(&p, "an operator or the end");
	return e;
}
