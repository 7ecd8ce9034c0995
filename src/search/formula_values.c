/*
 * Model `values` as clauses: a read that an expression names has some source, and what it
 * returns follows from the sources. Which values there are is learned as schedules show them.
 */
#include "search/formula.h"

#include <string.h>

bool formula_evaluates(const struct formula *f, uint32_t event)
{
	const struct event_more *more = f->index->events[event].more;

	return f->facts.model == MODEL_VALUES && more && more->expr;
}

static void settle_needed(struct formula *f, uint32_t read)
{
	lit needed = f->needed[cone_node(f->cone, read)];

	sat_imply(f->sat, needed, formula_happens(f, read));
	sat_imply(f->sat, needed, formula_used(f, read));
	for (uint32_t i = 0; i < event_part_count(&f->index->events[read]); i++) {
		struct writes writes = {0};
		VEC(lit) sources = {0};

		formula_writes(f, read, i, &writes);
		for (size_t k = 0; k < writes.at.n; k++)
			vec_push(&sources, formula_source(f, read, i, writes.at.at[k]));
		sat_or(f->sat, -needed);
		for (size_t k = 0; k < sources.n; k++)
			sat_or(f->sat, sources.at[k]);
		sat_end(f->sat);
		vec_release(&sources);
		vec_release(&writes.at);
	}
}

lit formula_needed(struct formula *f, uint32_t read)
{
	uint32_t node = cone_node(f->cone, read);

	if (node == NODE_START || node == NODE_NONE)
		return node == NODE_START ? LIT_TRUE : LIT_FALSE;
	if (!f->needed[node]) {
		f->needed[node] = sat_variable(f->sat);
		formula_later(f, settle_needed, read);
	}
	return f->needed[node];
}

static void settle_computed(struct formula *f, uint32_t event)
{
	lit computed = f->computed[cone_node(f->cone, event)];

	sat_imply(f->sat, computed, formula_happens(f, event));
	sat_imply(f->sat, computed, f->computing);
	depends_of(&f->index->events[event], &f->depends);
	for (size_t i = 0; i < f->depends.named.n; i++)
		sat_imply(f->sat, computed, formula_needed(f, f->depends.named.at[i]));
}

lit formula_computed(struct formula *f, uint32_t event)
{
	uint32_t node = cone_node(f->cone, event);

	if (!f->computed[node]) {
		f->computed[node] = sat_variable(f->sat);
		formula_later(f, settle_computed, event);
	}
	return f->computed[node];
}

/* The value follows from every source that writes it and computes nothing. */
static void link_sources(struct formula *f, uint32_t read, uint32_t part, int64_t value, lit is)
{
	struct part p = event_part(&f->index->events[read], part);
	struct writes writes = {0};

	formula_writes(f, read, part, &writes);
	for (size_t i = 0; i < writes.at.n; i++) {
		uint32_t write = writes.at.at[i];

		if (formula_written(f, write, p.variable) != value)
			continue;
		sat_or(f->sat, -formula_source(f, read, part, write));
		/* an expression gives what was recorded for sure only if nothing has changed */
		if (write && formula_evaluates(f, write))
			sat_or(f->sat, -formula_known(f, write));
		sat_or(f->sat, is);
		sat_end(f->sat);
	}
	vec_release(&writes.at);
}

lit formula_value(struct formula *f, uint32_t read, uint32_t part, int64_t value)
{
	struct {
		uint32_t read, part;
		int64_t value;
	} key = {read, part, value};
	uint32_t number = intern_add(&f->values, (const char *)&key, sizeof(key));

	if (number < f->value_lits.n)
		return f->value_lits.at[number];
	lit is = sat_variable(f->sat);

	vec_push(&f->value_lits, is);
	if (event_part(&f->index->events[read], part).value != value)
		sat_imply(f->sat, is, -formula_keep(f, read));
	link_sources(f, read, part, value, is);
	formula_settle(f);
	return is;
}
