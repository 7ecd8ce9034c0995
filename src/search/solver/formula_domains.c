/* SPDX-License-Identifier: MIT */
/*
 * Model `values`: which values a variable may have, as far as these are few. Where an expression
 * names one read, and that may return a few values, what follows from each of them is in clauses
 * from the start (formula_values.c); values beyond these are learned.
 */
#include "search/solver/formula.h"

#include "model/only.h"

/* The only read that its expression names, in the cone and of one variable; or 0. */
static uint32_t find_only_input(struct formula *f, uint32_t event)
{
	uint32_t read = formula_evaluates(f, event) ? only_read(f->index, event) : 0;

	return read && cone_node(f->cone, read) != NODE_START ? read : 0;
}

uint32_t formula_only_input(const struct formula *f, uint32_t event)
{
	return f->only_input ? f->only_input[cone_node(f->cone, event)] : 0;
}

bool formula_output(const struct formula *f, uint32_t event, int64_t in, int64_t *out)
{
	return only_result(f->index, event, in, out);
}

const struct domain *formula_domain(const struct formula *f, uint32_t event)
{
	return &f->domains[event_part(&f->index->events[event], 0).variable];
}

static bool open_domain(struct domain *d)
{
	bool was_closed = d->closed;

	d->closed = false;
	return was_closed;
}

/* True: that changes something. */
static bool add_value(struct domain *d, int64_t value)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (d->values[i] == value)
			return false;
	if (d->count == DOMAIN_MOST)
		return open_domain(d);
	d->values[d->count++] = value;
	return true;
}

/* All named reads are of before the cone: it gives what was recorded. */
static bool is_fixed(struct formula *f, uint32_t write)
{
	depends_of(&f->index->events[write], &f->depends);
	for (size_t i = 0; i < f->depends.named.n; i++)
		if (cone_node(f->cone, f->depends.named.at[i]) != NODE_START)
			return false;
	return true;
}

/* The values that a write makes of those that its input may have. */
static bool add_computed(struct formula *f, uint32_t write)
{
	const struct event *e = &f->index->events[write];
	uint32_t read = formula_only_input(f, write);
	bool more = false;

	if (!formula_evaluates(f, write) || is_fixed(f, write))
		return false;
	if (!read || event_part_count(e) > 1) {
		for (uint32_t i = 0; i < event_part_count(e); i++)
			more |= open_domain(&f->domains[event_part(e, i).variable]);
		return more;
	}
	const struct domain from = *formula_domain(f, read);
	struct domain *to = &f->domains[event_part(e, 0).variable];

	for (uint32_t i = 0; i < from.count; i++) {
		int64_t out;

		if (formula_output(f, write, from.values[i], &out))
			more |= add_value(to, out);
	}
	if (!from.closed)
		more |= open_domain(to);
	return more;
}

static void find_outputs(struct formula *f, uint32_t node)
{
	const struct domain *d = formula_domain(f, f->only_input[node]);
	struct outputs *o = &f->outputs[node];

	o->values.closed = d->closed;
	o->total = true;
	for (uint32_t i = 0; i < d->count; i++) {
		int64_t out;

		if (formula_output(f, f->cone->event[node], d->values[i], &out))
			add_value(&o->values, out);
		else
			o->total = false;
	}
}

const struct outputs *formula_outputs(const struct formula *f, uint32_t write)
{
	uint32_t node = write && f->only_input ? cone_node(f->cone, write) : 0;

	return node && f->only_input[node] && event_part_count(&f->index->events[write]) == 1
		       ? &f->outputs[node]
		       : NULL;
}

static void add_recorded(struct formula *f, uint32_t event)
{
	const struct event *e = &f->index->events[event];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t variable = event_part(e, i).variable;
		struct domain *d = &f->domains[variable];

		if (!d->count)
			d->closed = true;
		add_value(d, formula_written(f, 0, variable));
		if (formula_is_write(e))
			add_value(d, formula_written(f, event, variable));
	}
}

void formula_domains(struct formula *f)
{
	bool more = true;

	if (f->facts.model != MODEL_VALUES)
		return;
	f->domains = mem_alloc_zero(symbols_count(f->index->symbols, CLASS_VARIABLE) + 1,
				    sizeof(*f->domains));
	f->only_input = mem_alloc_zero((size_t)f->cone->count + 1, sizeof(*f->only_input));
	for (uint32_t n = 1; n <= f->cone->count; n++) {
		const struct event *e = &f->index->events[f->cone->event[n]];

		f->only_input[n] = find_only_input(f, f->cone->event[n]);
		if (formula_is_write(e) || event_is(e, EV_RETURNS))
			add_recorded(f, f->cone->event[n]);
	}
	while (more) {
		more = false;
		for (uint32_t n = 1; n <= f->cone->count; n++)
			if (formula_is_write(&f->index->events[f->cone->event[n]]))
				more |= add_computed(f, f->cone->event[n]);
	}
	f->outputs = mem_alloc_zero((size_t)f->cone->count + 1, sizeof(*f->outputs));
	for (uint32_t n = 1; n <= f->cone->count; n++)
		if (f->only_input[n] && formula_is_write(&f->index->events[f->cone->event[n]]))
			find_outputs(f, n);
}
