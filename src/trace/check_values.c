/* SPDX-License-Identifier: MIT */
/* Values: what memory holds, and what follows from it for what depends on reads. */
#include "trace/check_parts.h"

#include "trace/expr.h"

/* Memory */

/*
 * Where part i stands in the value of the whole access, in bits from the right; -1 if the parts
 * do not make one value (doc/model.md, Memory).
 */
static int shift_of(const struct check *c, const struct event *e, uint32_t i)
{
	const struct variable *v = symbols_variable(c->symbols, e->object);
	const struct variable *w = symbols_variable(c->symbols, event_part(e, i).variable);

	if (!i)
		return 0;
	if (!(v->flags & w->flags & VARIABLE_MEMORY) || v->base != w->base ||
	    w->address <= v->address || w->address - v->address >= 8 ||
	    w->size > 8 - (w->address - v->address))
		return -1;
	return (int)(8 * (w->address - v->address));
}

/* What was read, as one value; false if the parts do not make one. */
static bool compose(const struct check *c, const struct event *e, int64_t *whole)
{
	uint64_t value = (uint64_t)e->value;

	for (uint32_t i = 1; i < event_part_count(e); i++) {
		int shift = shift_of(c, e, i);

		if (shift < 0)
			return false;
		value |= (uint64_t)event_part(e, i).value << shift;
	}
	*whole = (int64_t)value;
	return true;
}

static struct cell new_cell(const struct variable *v)
{
	uint64_t bits = 0;

	if (v->flags & VARIABLE_MEMORY && v->size != 8)
		bits = v->size < 8 ? 8 * v->size : CELL_BITS_TOO_MANY;
	return (struct cell){.value = v->init, .flags = bits << CELL_BITS_SHIFT};
}

static int check_bits(const struct here *h, struct part part, uint64_t bits)
{
	const char *name = name_of(h->c, CLASS_VARIABLE, part.variable);

	if (bits == CELL_BITS_TOO_MANY)
		return fail(h, "%s has more bytes than one value can hold: give the parts", name);
	if (((uint64_t)part.value | (uint64_t)part.written) >> bits)
		return fail(h, "the %llu bytes of %s cannot hold that value",
			    (unsigned long long)bits / 8, name);
	return 0;
}

static int check_part(const struct here *h, struct part part)
{
	struct check *c = h->c;
	uint8_t kind = h->e->kind;

	if (__builtin_expect(part.variable >= c->cells.n, 0)) {
		size_t old = c->cells.n;

		vec_extend(&c->cells, symbols_count(c->symbols, CLASS_VARIABLE));
		for (size_t i = old; i < c->cells.n; i++)
			c->cells.at[i] = new_cell(symbols_variable(c->symbols, i));
	}
	struct cell *cell = &c->cells.at[part.variable];

	if (__builtin_expect(cell->flags & CELL_FREED, 0))
		return fail(h, "%s was freed", name_of(c, CLASS_VARIABLE, part.variable));
	if (cell->flags >> CELL_BITS_SHIFT && event_kind_flags[kind] & EV_VALUE &&
	    check_bits(h, part, cell->flags >> CELL_BITS_SHIFT) < 0)
		return c->failure.code;
	if (event_kind_flags[kind] & EV_RETURNS && cell->value != part.value)
		return fail(h, "%s holds %lld, not %lld", name_of(c, CLASS_VARIABLE, part.variable),
			    (long long)cell->value, (long long)part.value);
	if (kind == EV_ALLOC && cell->flags & CELL_ACCESSED)
		return fail(h, "%s was accessed before", name_of(c, CLASS_VARIABLE, part.variable));
	cell->flags |= CELL_ACCESSED;
	if (kind == EV_FREE)
		cell->flags |= CELL_FREED;
	else if (kind == EV_RMW)
		cell->value = part.written;
	else if (event_kind_flags[kind] & EV_STORES)
		cell->value = part.value;
	return 0;
}

void check_note_read(struct check *c, const struct here *h)
{
	struct returned r = {.event = h->number};

	r.whole = compose(c, h->e, &r.value);
	reads_note(c->reads, h->e->thread, &r);
}

int check_access(const struct here *h)
{
	int code = check_part(
		h, (struct part){h->e->object, h->e->value, h->e->more ? h->e->more->written : 0});

	if (h->e->more)
		for (uint32_t i = 0; !code && i < h->e->more->part_count; i++)
			code = check_part(h, h->e->more->parts[i]);
	return code;
}

/* Dependences */

static int check_is_read(const struct here *h, uint64_t number)
{
	if (reads_has(h->c->reads, number, h->e->thread))
		return 0;
	return fail(h, "it depends on event %llu, which is not a read of %s",
		    (unsigned long long)number, THREAD(h));
}

/* What read number N of a thread returned, for expressions. */
struct thread_reads {
	const struct reads *reads;
	uint32_t thread;
};

static bool recent_value(void *context, uint64_t read, int64_t *value)
{
	const struct thread_reads *t = context;
	const struct returned *r = reads_recent(t->reads, t->thread, read);

	if (r)
		*value = r->value;
	return r;
}

/* Each variable takes its own bytes of the value. */
static int check_written(const struct here *h, int64_t value)
{
	for (uint32_t i = 0; i < event_part_count(h->e); i++) {
		struct part part = event_part(h->e, i);
		const struct variable *v = symbols_variable(h->c->symbols, part.variable);
		int64_t recorded = h->e->kind == EV_RMW ? part.written : part.value;
		uint64_t bytes = (uint64_t)value >> shift_of(h->c, h->e, i);

		if (v->flags & VARIABLE_MEMORY && v->size < 8)
			bytes &= ((uint64_t)1 << (8 * v->size)) - 1;
		if ((int64_t)bytes != recorded)
			return fail(h, "its expression gives %lld, not %lld", (long long)bytes,
				    (long long)recorded);
	}
	return 0;
}

static int check_expr(const struct here *h, const struct expr *expr)
{
	struct thread_reads t = {h->c->reads, h->e->thread};
	int64_t value;

	for (uint32_t i = 1; i < event_part_count(h->e); i++)
		if (shift_of(h->c, h->e, i) < 0)
			return fail(h, "one expression cannot give the values of its variables");
	for (uint32_t i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];
		const struct returned *r =
			node->op == OP_READ ? reads_recent(t.reads, t.thread, node->value) : NULL;

		if (node->op == OP_READ && !r)
			return 0; /* too long ago to tell */
		if (r && !r->whole)
			return fail(h, "event %llu did not read one value",
				    (unsigned long long)node->value);
	}
	if (!expr_value(expr, recent_value, &t, &value))
		return fail(h, "its expression has no value");
	if (h->e->kind == EV_BRANCH)
		return value ? 0 : fail(h, "its guard is 0");
	return check_written(h, value);
}

int check_dependences(const struct here *h)
{
	const struct event_more *more = h->e->more;
	int code = 0;

	for (uint32_t i = 0; !code && i < more->at_count; i++)
		code = check_is_read(h, more->at[i]);
	for (uint32_t i = 0; !code && i < more->read_count; i++)
		code = check_is_read(h, more->reads[i]);
	if (code || !more->expr)
		return code;
	for (uint32_t i = 0; !code && i < more->expr->count; i++)
		if (more->expr->nodes[i].op == OP_READ)
			code = check_is_read(h, more->expr->nodes[i].value);
	return code ? code : check_expr(h, more->expr);
}
