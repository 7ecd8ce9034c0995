/* SPDX-License-Identifier: MIT */
#include "tests/support/maker.h"

#include <stdio.h>
#include <string.h>

#define BATCH_EVENTS 4096
#define TEXT_MAX 200

void maker_start(struct maker *m, struct output *out, const char *format)
{
	*m = (struct maker){0};
	symbols_init(&m->symbols);
	m->sink = format_by_name(format)->open_sink(out, &m->symbols, &m->err);
	if (!m->sink)
		m->status = ERR_SYSTEM;
}

static void flush(struct maker *m)
{
	struct batch batch = {
		.at = m->events.at, .n = m->events.n, .first = m->made - m->events.n + 1};

	if (!m->status && batch.n)
		m->status = m->sink->ops->put(m->sink, &batch, &m->err);
	m->events.n = 0;
	arena_reset(&m->memory);
}

int maker_finish(struct maker *m, struct err *err)
{
	flush(m);
	if (!m->status)
		m->status = m->sink->ops->finish(m->sink, &m->err);
	else if (m->sink)
		m->sink->ops->abandon(m->sink);
	*err = m->err;
	symbols_release(&m->symbols);
	vec_release(&m->values);
	vec_release(&m->events);
	arena_release(&m->memory);
	return m->status;
}

uint32_t maker_name(struct maker *m, enum object_class class, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	uint32_t number = symbols_add(&m->symbols, class, text, (size_t)n);

	if (class == CLASS_VARIABLE)
		vec_extend(&m->values, number + 1);
	return number;
}

void maker_init(struct maker *m, uint32_t variable, int64_t value)
{
	struct variable *v = symbols_describe(&m->symbols, variable);

	v->init = value;
	v->flags |= VARIABLE_INIT;
	m->values.at[variable] = value;
}

void maker_parties(struct maker *m, uint32_t barrier, uint32_t parties)
{
	m->symbols.barriers.at[barrier].parties = parties;
}

void maker_count(struct maker *m, uint32_t semaphore, uint64_t count)
{
	m->symbols.semaphores.at[semaphore] = (struct semaphore){count, true};
}

uint32_t maker_place(struct maker *m, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return intern_add(&m->symbols.locations, text, (size_t)n);
}

uint64_t maker_put(struct maker *m, uint32_t thread, enum event_kind kind, uint32_t object,
		   uint32_t place)
{
	struct event e = {
		.kind = (uint8_t)kind, .thread = thread, .object = object, .location = place};

	/* Not when it is full: the last event may still be changed. */
	if (m->events.n == BATCH_EVENTS)
		flush(m);
	vec_push(&m->events, e);
	return ++m->made;
}

static struct event *last(struct maker *m)
{
	return &m->events.at[m->events.n - 1];
}

static struct event_more *more(struct maker *m)
{
	struct event *e = last(m);
	struct event_more *more = arena_alloc(&m->memory, sizeof(*more));

	*more = e->more ? *e->more : (struct event_more){0};
	e->more = more;
	return more;
}

static void set_expr(struct maker *m, enum expr_op op, uint64_t read, int64_t constant)
{
	struct expr_builder b = {0};
	uint32_t part = expr_add2(&b, op, expr_add_read(&b, read), expr_add_const(&b, constant));

	more(m)->expr = expr_take(&b, part, EXPR_NODES_MAX, &m->memory);
	expr_builder_release(&b);
}

static void set_from(struct maker *m, struct from from)
{
	if (!from.given)
		return;
	if (from.reads && from.op != OP_CONST) {
		set_expr(m, from.op, from.read, from.constant);
		return;
	}
	struct event_more *extra = more(m);

	extra->reads_given = true;
	extra->read_count = from.reads;
	if (from.reads)
		extra->reads = arena_copy(&m->memory, &from.read, sizeof(from.read));
}

uint64_t maker_read(struct maker *m, uint32_t thread, uint32_t variable, uint32_t place)
{
	uint64_t n = maker_put(m, thread, EV_READ, variable, place);

	last(m)->value = m->values.at[variable];
	return n;
}

uint64_t maker_write(struct maker *m, uint32_t thread, uint32_t variable, int64_t value,
		     struct from from, uint32_t place)
{
	uint64_t n = maker_put(m, thread, EV_WRITE, variable, place);

	last(m)->value = m->values.at[variable] = value;
	set_from(m, from);
	return n;
}

uint64_t maker_add(struct maker *m, uint32_t thread, uint32_t variable, int64_t addend,
		   uint32_t place)
{
	uint64_t n = maker_put(m, thread, EV_RMW, variable, place);

	last(m)->value = m->values.at[variable];
	m->values.at[variable] += addend;
	more(m)->written = m->values.at[variable];
	set_expr(m, OP_ADD, n, addend);
	return n;
}

uint64_t maker_branch(struct maker *m, uint32_t thread, struct from from, uint32_t place)
{
	uint64_t n = maker_put(m, thread, EV_BRANCH, 0, place);

	set_from(m, from);
	return n;
}

uint64_t maker_external(struct maker *m, uint32_t thread, uint32_t variable, int64_t value,
			uint32_t place)
{
	uint64_t n = maker_put(m, thread, EV_EXTERNAL, variable, place);

	last(m)->value = m->values.at[variable] = value;
	return n;
}

uint64_t maker_wait(struct maker *m, uint32_t thread, uint32_t condition, uint32_t lock,
		    uint32_t place)
{
	uint64_t n = maker_put(m, thread, EV_WAIT, condition, place);

	more(m)->lock = lock;
	return n;
}

uint64_t maker_woken(struct maker *m, uint32_t thread, uint32_t condition, uint32_t lock,
		     uint64_t by, uint32_t place)
{
	uint64_t n = maker_put(m, thread, EV_WOKEN, condition, place);

	more(m)->lock = lock;
	more(m)->by = by;
	return n;
}

void maker_set_order(struct maker *m, enum memory_order_kind order)
{
	last(m)->order = (uint8_t)order;
}

void maker_set_at(struct maker *m, uint64_t read)
{
	struct event_more *extra = more(m);

	extra->at_count = 1;
	extra->at = arena_copy(&m->memory, &read, sizeof(read));
}
