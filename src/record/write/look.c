/* SPDX-License-Identifier: MIT */
/* Look-ups: reads of constants, by an address that depends on other reads. */
#include "record/write/parts.h"

#include <string.h>

const struct expr *look_template(struct writer *w, struct site_info *info)
{
	struct tables *s = w->places->sites;
	const struct expr *template = tables_template(s, info);

	for (size_t i = 0; i < s->wanted.n; i++) {
		const struct site_constant *c = &s->wanted.at[i];

		lookups_declare(w->lookups, c->address, c->size, c->beyond);
	}
	s->wanted.n = 0;
	return template;
}

static bool look_up(void *context, uint64_t number, int64_t *value)
{
	const struct value *v = (const struct value *)context + number;

	*value = (int64_t)v->recorded;
	return v->known;
}

static unsigned count_named(const struct expr *e, unsigned number)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < e->count; i++)
		n += e->nodes[i].op == OP_READ && e->nodes[i].value == number;
	return n;
}

/* Is the address this argument and something that is added to it? */
static bool is_base(const struct expr *address, unsigned number)
{
	const struct expr_node *sum = &address->nodes[address->count - 1];
	const uint32_t *operands = expr_operands(address, sum);

	if (sum->op != OP_ADD || count_named(address, number) != 1)
		return false;
	for (uint32_t i = 0; i < sum->args; i++)
		if (address->nodes[operands[i]].op == OP_READ &&
		    address->nodes[operands[i]].value == number)
			return true;
	return false;
}

/* A base that depends on nothing is not told: it is what is left of the address. */
static void find_base(const struct expr *address, struct value *args, unsigned n, uint64_t recorded)
{
	int64_t rest;

	for (unsigned i = 0; i < n; i++) {
		if (args[i].kind != VALUE_FIXED || args[i].known || !is_base(address, i))
			continue;
		args[i] = value_fixed(0);
		if (expr_value(address, look_up, args, &rest))
			args[i] = value_fixed(recorded - (uint64_t)rest);
		return;
	}
}

static bool is_at(const struct expr *address, const struct value *args, uint64_t recorded)
{
	int64_t value;

	return expr_value(address, look_up, (void *)args, &value) && (uint64_t)value == recorded;
}

/* Where such a look-up is kept; its template is another if it is a new one. */
static struct looked_up *find_looked_up(struct writer_thread *t, const struct expr *template,
					const struct value *args)
{
	struct looked_up *l = &t->looked_up[((uintptr_t) template >> 4 ^ args[0].from) % LOOKED_UP];

	for (unsigned i = 0; i < SITE_DEPENDS_MAX && l->template == template; i++)
		if (l->args[i].kind != args[i].kind || l->args[i].from != args[i].from ||
		    l->args[i].recorded != args[i].recorded)
			l->template = NULL;
	return l;
}

/* With another address there is something as well, or the thread does not get further. */
static bool put_guard(struct writer *w, uint32_t thread, const struct value *v)
{
	const struct value args[TERM_ARGS] = {*v};
	struct depend guard = {.expr = terms_expr(&w->terms, terms_there(&w->terms), args,
						  writer_thread(w, thread)->settled, &w->more)};

	if (guard.expr)
		writer_put_guard(w, thread, &guard);
	return guard.expr;
}

static bool can_look_up(const struct writer *w, const struct merged *r,
			const struct site_info *info)
{
	struct object found;

	return info && info->site->kind == SITE_READ && info->site->expression && !r->second &&
	       w->threads.at[r->thread].has_depends &&
	       !objects_find(w->objects, raw_address(r->w), &found);
}

bool look_up_constant(struct writer *w, const struct merged *r, struct site_info *info,
		      struct value *v)
{
	uint64_t address = raw_address(r->w);
	uint32_t size = raw_size(r->w);
	struct value args[TERM_ARGS] = {0};

	if (!can_look_up(w, r, info))
		return false;
	const struct expr *where = look_template(w, info);
	const struct expr *load = tables_load(w->places->sites, info, size);
	unsigned n = depend_of_address(w, r->thread, info->site, args);

	if (!load || !lookups_declare_at(w->lookups, address, size))
		return false;
	find_base(where, args, n, address);
	if (!is_at(where, args, address))
		return false;
	struct looked_up *known = find_looked_up(writer_thread(w, r->thread), load, args);

	if (known->template == load) {
		*v = known->value;
		return true;
	}
	*v = terms_apply(&w->terms, load, args, TERM_ARGS);
	if (!v->exact || v->kind != VALUE_TERM || v->recorded != raw_bytes(r->w + 2, 0, size) ||
	    !put_guard(w, r->thread, v))
		return false;
	known->since = ++writer_thread(w, r->thread)->guards;
	known->template = load;
	memcpy(known->args, args, sizeof(known->args));
	known->value = *v;
	return true;
}

/* Operators that give the same for many values. */
static bool loses(enum expr_op op)
{
	return op == OP_AND_BITS || op == OP_OR_BITS || (op >= OP_SHR && op <= OP_ITE) ||
	       op == OP_DIV || op == OP_REM || op == OP_DIV_U || op == OP_REM_U || op == OP_BELOW ||
	       op == OP_IN || expr_op_loads(op);
}

static bool is_lossy(const struct expr *e)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (loses(e->nodes[i].op))
			return true;
	return false;
}

bool look_address(struct writer *w, const struct merged *r, struct site_info *info, struct value *v)
{
	uint64_t address = raw_address(r->w);
	struct value args[TERM_ARGS];

	if (info->site->kind != SITE_READ || !info->site->expression || r->second)
		return false;
	const struct expr *where = look_template(w, info);

	if (!where || !is_lossy(where))
		return false;
	values_clear(args);
	find_base(where, args, depend_of_address(w, r->thread, info->site, args), address);
	if (!is_at(where, args, address))
		return false;
	struct looked_up *known = find_looked_up(writer_thread(w, r->thread), where, args);

	if (known->template != where) {
		known->template = where;
		known->value = terms_apply_known(&w->terms, where, args, TERM_ARGS, address);
		known->since = ++writer_thread(w, r->thread)->guards;
		memcpy(known->args, args, sizeof(known->args));
	}
	*v = known->value;
	return v->exact && v->known && v->recorded == address;
}
