/* SPDX-License-Identifier: MIT */
/*
 * Modules, their instances, and timed sections. The text of a module is read where it stands, and
 * once more for each instance, so that an instance has declarations of its own. What an instance
 * is of has to stand in front of it and to have ended, so that this comes to an end.
 */
#include "csp/module.h"
#include "csp/parser.h"

#include <stdio.h>

uint32_t csp_module_qualify(struct csp *csp, const struct csp_module *module, uint32_t name)
{
	if (!module)
		return name;
	const struct interned *before = &csp->names.strings.at[module->name];
	const struct interned *own = &csp->names.strings.at[name];
	size_t length = (size_t)before->length + 2 + own->length;
	char *text = csp_alloc(csp, length);

	memcpy(text, before->text, before->length);
	memcpy(text + before->length, "::", 2);
	memcpy(text + before->length + 2, own->text, own->length);
	csp_charge(csp, length);
	return intern_add(&csp->names, text, length);
}

static struct csp_module *new_module(struct csp_parser *p, struct csp_decls *decls, uint32_t name,
				     struct csp_pos pos)
{
	struct csp_script *script = p->csp->script;
	struct csp_module *m = csp_alloc(p->csp, sizeof(*m));
	struct csp_scope_key key = csp_scope_key(p->module, name);

	*m = (struct csp_module){.up = p->module,
				 .number = ++script->scopes,
				 .name = csp_module_qualify(p->csp, p->module, name),
				 .pos = pos,
				 .hidden = p->hidden,
				 .open = true,
				 .template = p->module && p->module->template,
				 .copied = p->module && (p->module->of || p->module->copied),
				 .timed = p->timed};
	struct csp_decl *decl = csp_decl_add(p, decls, D_MODULE, pos);

	decl->name = name;
	decl->inner = m;
	uint32_t number = intern_add(&script->module_keys, key.text, sizeof(key.text));

	vec_extend(&script->modules, (size_t)number + 1);
	script->modules.at[number] = m;
	csp_charge(p->csp, 2 * sizeof(m) + sizeof(key));
	return m;
}

static struct csp_module *find_in(struct csp_parser *p, const struct csp_module *scope,
				  uint32_t name)
{
	struct csp_scope_key key = csp_scope_key(scope, name);
	uint32_t number = intern_find(&p->csp->script->module_keys, key.text, sizeof(key.text));

	return number == INTERN_NONE ? NULL : p->csp->script->modules.at[number];
}

/* The module that M::N means here. */
static struct csp_module *find(struct csp_parser *p, const struct csp_expr *name)
{
	uint32_t first = name->path_count ? name->path[0] : name->name;
	struct csp_module *m = NULL;

	for (const struct csp_module *scope = p->module; !m; scope = scope->up) {
		m = find_in(p, scope, first);
		if (!scope)
			break;
	}
	for (uint32_t i = 1; m && i <= name->path_count; i++) {
		struct csp_module *outer = m;
		uint32_t next = i < name->path_count ? name->path[i] : name->name;

		if (outer->template && !csp_module_inside(p->module, outer))
			csp_fail(p->csp, name->pos,
				 "%s has parameters: its names are those of an instance",
				 csp_name(p->csp, outer->name));
		m = find_in(p, outer, next);
		if (m && m->hidden && !csp_module_inside(p->module, outer))
			csp_fail(p->csp, name->pos, "%s does not export %s",
				 csp_name(p->csp, outer->name), csp_name(p->csp, next));
	}
	if (!m)
		csp_fail(p->csp, name->pos, "there is no module %s in front of this",
			 csp_name(p->csp, name->name));
	if (m->open)
		csp_fail(p->csp, name->pos, "an instance of %s cannot stand in %s itself",
			 csp_name(p->csp, m->name), csp_name(p->csp, m->name));
	return m->of ? m->of : m;
}

static void parameters(struct csp_parser *p, struct csp_decls *decls, struct csp_list list,
		       const struct csp_list *given)
{
	for (size_t i = 0; i < list.n; i++) {
		struct csp_expr *pattern = csp_as_pattern(p, list.at[i]);
		struct csp_decl *d = csp_decl_add(p, decls, given ? D_VALUE : D_PARAMETER,
						  given ? given->at[i]->pos : pattern->pos);

		d->name = pattern->kind == E_NAME ? pattern->name : INTERN_NONE;
		d->pattern = pattern;
		d->argument = given;
		d->body = given ? given->at[i] : NULL;
	}
}

/* The text of m, for m itself or for an instance of it; given: its arguments. */
static void body(struct csp_parser *p, struct csp_decls *decls, struct csp_module *m,
		 const struct csp_list *given)
{
	struct csp_parser outer = *p;
	struct csp_list list = {0};

	p->module = m;
	p->timed = m->timed;
	p->hidden = true;
	m->first = (uint32_t)decls->list.n;
	if (csp_accept(p, T_OPEN)) {
		list = csp_parse_list(p);
		csp_expect(p, T_CLOSE, "(");
		m->template = m->template || !given;
	}
	if (given && given->n != list.n)
		csp_fail(p->csp, m->pos, "%s has %zu parameter%s, not %zu",
			 csp_name(p->csp, m->of->name), list.n, list.n == 1 ? "" : "s", given->n);
	parameters(p, decls, list, given);
	if (!p->at->first)
		csp_unexpected(p, "a new line");
	csp_parse_decls(p, decls, T_EXPORTS);
	csp_expect(p, T_EXPORTS, "module");
	p->hidden = false;
	csp_parse_decls(p, decls, T_ENDMODULE);
	csp_expect(p, T_ENDMODULE, "module");
	m->end = (uint32_t)decls->list.n;
	m->open = false;
	p->module = outer.module;
	p->timed = outer.timed;
	p->hidden = outer.hidden;
}

/* Of a module with parameters in an instance nothing is needed but its text. */
static void skip(struct csp_parser *p, struct csp_module *m)
{
	for (int depth = 1; depth; p->at++)
		depth += (p->at->kind == T_MODULE) - (p->at->kind == T_ENDMODULE);
	m->template = true;
	m->open = false;
}

void csp_parse_module(struct csp_parser *p, struct csp_decls *decls)
{
	struct csp_pos pos;

	p->at++;
	uint32_t name = csp_take_name(p, &pos);
	struct csp_module *m = new_module(p, decls, name, pos);

	m->text = p->at;
	if (m->copied && p->at->kind == T_OPEN)
		skip(p, m);
	else
		body(p, decls, m, NULL);
}

void csp_parse_instance(struct csp_parser *p, struct csp_decls *decls)
{
	struct csp_list given = {0};
	struct csp_pos pos;

	p->at++;
	uint32_t name = csp_take_name(p, &pos);

	csp_expect(p, T_IS, "instance");
	struct csp_module *of = find(p, csp_parse_name(p));

	if (!p->at->first && csp_accept(p, T_OPEN)) {
		given = csp_parse_list(p);
		csp_expect(p, T_CLOSE, "(");
	}
	struct csp_module *m = new_module(p, decls, name, pos);
	const struct csp_token *after = p->at;

	m->at = p->module;
	m->up = of->up;
	m->of = of;
	m->timed = of->timed;
	p->at = of->text;
	body(p, decls, m, &given);
	p->at = after;
}

/* A declaration that no script can name. */
static struct csp_expr *own_name(struct csp_parser *p, struct csp_decls *decls, const char *what,
				 struct csp_expr *value, struct csp_decl **decl)
{
	char text[40];
	int n = snprintf(text, sizeof(text), " %s %u", what, p->csp->script->sections);
	struct csp_expr *pattern = csp_expr_new(p, E_NAME, value->pos, 0);
	struct csp_expr *use = csp_expr_new(p, E_NAME, value->pos, 0);

	pattern->name = use->name = intern_add(&p->csp->names, text, (size_t)n);
	*decl = csp_decl_add(p, decls, D_VALUE, value->pos);
	(*decl)->name = pattern->name;
	(*decl)->pattern = pattern;
	(*decl)->body = value;
	return use;
}

void csp_parse_timed(struct csp_parser *p, struct csp_decls *decls)
{
	struct csp_timed *outer = p->timed, *timed = csp_alloc(p->csp, sizeof(*timed));
	struct csp_expr *tock = csp_expr_new(p, E_NAME, p->at++->pos, 0);
	struct csp_decl *decl;

	p->csp->script->sections++;
	p->timed = NULL;
	tock->name = intern_add(&p->csp->names, "tock", strlen("tock"));
	timed->tock = own_name(p, decls, "tock", tock, &decl);
	decl->timed_tock = true;
	if (csp_accept(p, T_OPEN)) {
		struct csp_expr *tocks = csp_parse_any(p);

		csp_expect(p, T_CLOSE, "Timed");
		timed->tocks = own_name(p, decls, "tocks", tocks, &decl);
		decl->timed_tocks = true;
	}
	csp_expect(p, T_OPEN_SET, "Timed");
	p->timed = timed;
	csp_parse_decls(p, decls, T_CLOSE_SET);
	p->timed = outer;
	csp_expect(p, T_CLOSE_SET, "Timed");
}

void csp_timed_note(struct csp_parser *p, struct csp_expr *name)
{
	static const char *const known[] = {[TIMED_STOP] = "STOP",
					    [TIMED_SKIP] = "SKIP",
					    [TIMED_WAIT] = "WAIT",
					    [TIMED_PRIORITY] = "timed_priority"};

	for (int i = 0; i < TIMED_COUNT; i++)
		if (!strcmp(known[i], csp_name(p->csp, name->name))) {
			name->timed = p->timed;
			name->op = (uint8_t)i;
		}
}
