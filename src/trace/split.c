/* SPDX-License-Identifier: MIT */
#include "trace/split.h"

#include "base/sorted.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cells of a variable that was cut are first … first + count - 1; count 0: not cut. */
struct cut {
	uint32_t first, count;
	/* it was volatile and some cell is not: its accesses have to say that they are atomic */
	bool atomic;
};

struct split {
	const struct symbols *symbols;
	const char *trace_name;
	const struct batch *batch; /* that is being cut */
	struct cut *cuts;	   /* for each variable that existed at the start */
	uint32_t cut_count;
	VEC(uint32_t) cells; /* variables, in order of base and address */
	VEC(struct event) events;
	VEC(struct part) parts;
	VEC(uint32_t) order; /* variables with memory, by base and address */
	VEC(uint64_t) edges;
	uint64_t access;	   /* counts events that were cut; one may come again */
	VEC(uint64_t) last_access; /* of each variable, by an event that was cut */
	struct arena more;
};

static int compare_variables(const void *a, const void *b, void *context)
{
	const struct symbols *symbols = context;
	const struct variable *x = symbols_variable(symbols, *(const uint32_t *)a);
	const struct variable *y = symbols_variable(symbols, *(const uint32_t *)b);

	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

static uint64_t bytes_mask(uint64_t size)
{
	return size >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
}

/* The bytes of a value at [offset, offset + size) of what it is the value of. */
static int64_t bytes_at(int64_t value, uint64_t offset, uint64_t size)
{
	return (int64_t)(offset < 8 ? (uint64_t)value >> (8 * offset) & bytes_mask(size) : 0);
}

/* Of a base with a longer name, ranges have its start and its number: there may be many of them. */
#define BASE_NAME_MOST 200

static uint32_t new_cell(struct symbols *symbols, uint32_t base, uint64_t address, uint64_t size)
{
	const struct interned *base_name = &symbols->bases.strings.at[base];
	bool whole = base_name->length <= BASE_NAME_MOST;
	char *name = mem_alloc(BASE_NAME_MOST + 100), number[16] = "";

	if (!whole)
		snprintf(number, sizeof(number), "~%u", base);
	int length = sprintf(name, "%.*s%s:0x%llx:%llu", BASE_NAME_MOST, base_name->text, number,
			     (unsigned long long)address, (unsigned long long)size);

	while (intern_find(&symbols->names[CLASS_VARIABLE], name, (size_t)length) != INTERN_NONE)
		name = mem_resize(name, (size_t)length + 2), name[length++] = '\'';
	uint32_t cell = symbols_add(symbols, CLASS_VARIABLE, name, (size_t)length);

	mem_free(name);
	*symbols_describe(symbols, cell) = (struct variable){
		.base = base, .address = address, .size = size, .flags = VARIABLE_MEMORY};
	return cell;
}

/* What all the variables that cover a cell, order[from … to - 1] among them, say of it. */
static int declare_cells(struct split *s, struct symbols *symbols, size_t from, size_t to,
			 size_t first_cell, struct err *err)
{
	size_t count = s->cells.n - first_cell;
	struct variable *said = mem_alloc(count * sizeof(*said));
	int code = 0;

	for (size_t i = 0; i < count; i++) {
		said[i] = *symbols_variable(symbols, s->cells.at[first_cell + i]);
		said[i].flags = VARIABLE_MEMORY | VARIABLE_VOLATILE; /* until one is not */
		said[i].init = 0;
	}
	for (size_t i = from; !code && i < to; i++) {
		const struct variable *v = symbols_variable(symbols, s->order.at[i]);
		const struct cut *cut = &s->cuts[s->order.at[i]];

		for (uint32_t k = 0; k < cut->count; k++) {
			struct variable *c = &said[cut->first - first_cell + k];

			if (!(v->flags & VARIABLE_VOLATILE))
				c->flags &= (uint8_t)~VARIABLE_VOLATILE;
			if (!(v->flags & VARIABLE_INIT))
				continue;
			int64_t init = bytes_at(v->init, c->address - v->address, c->size);

			if (c->flags & VARIABLE_INIT && c->init != init)
				code = err_set(err, ERR_INPUT,
					       "%s: initial values of variables that overlap at "
					       "0x%llx do not agree",
					       s->trace_name, (unsigned long long)c->address);
			c->init = init;
			c->flags |= VARIABLE_INIT;
		}
	}
	for (size_t i = 0; i < count; i++)
		*symbols_describe(symbols, s->cells.at[first_cell + i]) = said[i];
	mem_free(said);
	return code;
}

static bool has_plain_cell(const struct split *s, const struct cut *cut)
{
	for (uint32_t k = 0; k < cut->count; k++) {
		uint32_t cell = s->cells.at[cut->first + k];

		if (!(symbols_variable(s->symbols, cell)->flags & VARIABLE_VOLATILE))
			return true;
	}
	return false;
}

/* order[from … to - 1] overlap in a chain: cut them all. */
static int cut_stretch(struct split *s, struct symbols *symbols, size_t from, size_t to,
		       struct err *err)
{
	uint32_t base = symbols_variable(symbols, s->order.at[from])->base;
	size_t first_cell = s->cells.n, next = from, edges = 0;

	s->edges.n = 0;
	for (size_t i = from; i < to; i++) {
		const struct variable *v = symbols_variable(symbols, s->order.at[i]);

		vec_push(&s->edges, v->address);
		vec_push(&s->edges, v->address + v->size);
	}
	qsort(s->edges.at, s->edges.n, sizeof(uint64_t), sorted_compare_u64);
	for (size_t i = 0; i < s->edges.n; i++)
		if (!i || s->edges.at[i] != s->edges.at[edges - 1])
			s->edges.at[edges++] = s->edges.at[i];
	for (size_t i = 0; i + 1 < edges; i++) {
		uint64_t address = s->edges.at[i], size = s->edges.at[i + 1] - address;
		uint32_t cell = INTERN_NONE;

		/* one of that very memory: the first of those that start here is the shortest */
		while (next < to && symbols_variable(symbols, s->order.at[next])->address < address)
			next++;
		if (next < to && symbols_variable(symbols, s->order.at[next])->address == address &&
		    symbols_variable(symbols, s->order.at[next])->size == size)
			cell = s->order.at[next];
		else
			cell = new_cell(symbols, base, address, size);
		vec_push(&s->cells, cell);
	}
	for (size_t i = from; i < to; i++) {
		const struct variable *v = symbols_variable(symbols, s->order.at[i]);
		uint64_t end = v->address + v->size;
		uint64_t *at = bsearch(&v->address, s->edges.at, edges, sizeof(uint64_t),
				       sorted_compare_u64);
		uint64_t *last =
			bsearch(&end, s->edges.at, edges, sizeof(uint64_t), sorted_compare_u64);

		s->cuts[s->order.at[i]] =
			(struct cut){(uint32_t)(first_cell + (size_t)(at - s->edges.at)),
				     (uint32_t)(last - at), v->flags & VARIABLE_VOLATILE};
	}
	int code = declare_cells(s, symbols, from, to, first_cell, err);

	for (size_t i = from; i < to; i++) {
		uint32_t x = s->order.at[i];
		struct cut *cut = &s->cuts[x];

		cut->atomic = cut->atomic && has_plain_cell(s, cut);
		if (cut->count == 1 && s->cells.at[cut->first] == x) {
			/* into itself alone: as if it had not been touched */
			if (!cut->atomic)
				cut->count = 0;
		} else {
			symbols_describe(symbols, x)->flags = 0;
		}
	}
	return code;
}

/* Where the stretch of variables that overlap in a chain ends, which starts at order[from]. */
static size_t stretch_end(const struct split *s, size_t from)
{
	const struct variable *v = symbols_variable(s->symbols, s->order.at[from]);
	uint32_t base = v->base;
	uint64_t end = v->address + v->size;
	size_t to;

	for (to = from + 1; to < s->order.n; to++) {
		v = symbols_variable(s->symbols, s->order.at[to]);
		if (v->base != base || v->address >= end)
			break;
		if (v->address + v->size > end)
			end = v->address + v->size;
	}
	return to;
}

struct split *split_new(const struct symbols *symbols, const char *trace_name)
{
	struct split *s = mem_alloc_zero(1, sizeof(*s));
	size_t from = 0;

	s->symbols = symbols;
	s->trace_name = trace_name;
	for (size_t x = 0; x < symbols_described_end(symbols); x++)
		if (symbols_variable(symbols, x)->flags & VARIABLE_MEMORY)
			vec_push(&s->order, (uint32_t)x);
	if (s->order.n)
		qsort_r(s->order.at, s->order.n, sizeof(uint32_t), compare_variables,
			(void *)symbols);
	while (from < s->order.n && stretch_end(s, from) == from + 1)
		from++;
	if (from < s->order.n)
		return s;
	split_free(s);
	return NULL;
}

int split_variables(struct split *s, struct symbols *symbols, struct err *err)
{
	int code = 0;

	s->cut_count = (uint32_t)symbols_count(symbols, CLASS_VARIABLE);
	s->cuts = mem_alloc_zero(s->cut_count, sizeof(*s->cuts));
	for (size_t from = 0, to; !code && from < s->order.n; from = to) {
		to = stretch_end(s, from);
		if (to - from > 1)
			code = cut_stretch(s, symbols, from, to, err);
	}
	return code;
}

static const struct cut *find_cut(const struct split *s, uint32_t x)
{
	return x < s->cut_count && s->cuts[x].count ? &s->cuts[x] : NULL;
}

static bool event_is_cut(const struct split *s, const struct event *e)
{
	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (find_cut(s, event_part(e, i).variable))
			return true;
	return false;
}

/* "NAME:LINE: event N: …", without the line if there is none. */
static int refuse(const struct split *s, size_t i, struct err *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int refuse(const struct split *s, size_t i, struct err *err, const char *format, ...)
{
	unsigned long long number = s->batch->first + i;
	char what[400], line[24] = "";
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (s->batch->lines)
		snprintf(line, sizeof(line), ":%llu", (unsigned long long)s->batch->lines[i]);
	return err_set(err, ERR_INPUT, "%s%s: event %llu: %s", s->trace_name, line, number, what);
}

/* One part of the event at[i] of the batch. */
static int cut_part(struct split *s, size_t i, const struct event *e, struct part part,
		    struct err *err)
{
	const struct cut *cut = find_cut(s, part.variable);

	if (!cut) {
		vec_push(&s->parts, part);
		return 0;
	}
	const struct variable *first = symbols_variable(s->symbols, s->cells.at[cut->first]);
	const struct variable *last =
		symbols_variable(s->symbols, s->cells.at[cut->first + cut->count - 1]);
	uint64_t size = last->address + last->size - first->address;

	if (event_is(e, EV_VALUE) &&
	    (size > 8 || ((uint64_t)part.value | (uint64_t)part.written) & ~bytes_mask(size)))
		return refuse(s, i, err, "%s of %s, whose %llu bytes %s", event_kind_text[e->kind],
			      symbols_name(s->symbols, CLASS_VARIABLE, part.variable),
			      (unsigned long long)size,
			      size > 8 ? "are more than one value can hold: give the parts"
				       : "cannot hold that value");
	for (uint32_t k = 0; k < cut->count; k++) {
		uint32_t cell = s->cells.at[cut->first + k];
		const struct variable *c = symbols_variable(s->symbols, cell);
		uint64_t offset = c->address - first->address;
		struct part piece = {cell, bytes_at(part.value, offset, c->size),
				     bytes_at(part.written, offset, c->size)};

		vec_push(&s->parts, piece);
	}
	return 0;
}

static int cut_event(struct split *s, size_t i, struct event *e, struct err *err)
{
	s->access++;
	s->parts.n = 0;
	for (uint32_t k = 0; k < event_part_count(e); k++) {
		struct part part = event_part(e, k);

		if (cut_part(s, i, e, part, err) < 0)
			return err->code;
		const struct cut *cut = find_cut(s, part.variable);

		if (cut && cut->atomic && !e->order &&
		    (e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW))
			e->order = ORDER_SEQ_CST;
	}
	for (size_t k = 0; k < s->parts.n; k++) {
		uint32_t x = s->parts.at[k].variable;

		vec_extend(&s->last_access, (size_t)x + 1);
		if (s->last_access.at[x] == s->access)
			return refuse(s, i, err, "its parts overlap");
		s->last_access.at[x] = s->access;
	}
	struct event_more *more = arena_alloc(&s->more, sizeof(*more));

	if (e->more)
		*more = *e->more;
	else
		memset(more, 0, sizeof(*more));
	e->object = s->parts.at[0].variable;
	e->value = s->parts.at[0].value;
	more->written = s->parts.at[0].written;
	more->part_count = (uint32_t)s->parts.n - 1;
	more->parts =
		arena_copy(&s->more, s->parts.at + 1, more->part_count * sizeof(*more->parts));
	e->more = more;
	return 0;
}

/* Enough to be quick; and an event or two may have as many ranges as a small file can name. */
#define PARTS_AT_ONCE 65536

int split_batch(struct split *s, struct batch *batch, struct err *err)
{
	size_t parts = 0;

	arena_reset(&s->more);
	s->events.n = 0;
	s->batch = batch;
	for (size_t i = 0; i < batch->n && parts < PARTS_AT_ONCE; i++) {
		struct event e = batch->at[i];

		if (event_is_cut(s, &e)) {
			if (cut_event(s, i, &e, err) < 0)
				return err->code;
			parts += event_part_count(&e);
		}
		vec_push(&s->events, e);
	}
	batch->at = s->events.at;
	batch->n = s->events.n;
	return 0;
}

void split_free(struct split *s)
{
	if (!s)
		return;
	mem_free(s->cuts);
	vec_release(&s->cells);
	vec_release(&s->events);
	vec_release(&s->parts);
	vec_release(&s->order);
	vec_release(&s->edges);
	vec_release(&s->last_access);
	arena_release(&s->more);
	mem_free(s);
}
