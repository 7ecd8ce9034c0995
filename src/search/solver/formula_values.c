/* SPDX-License-Identifier: MIT */
/*
 * Model `values` as clauses: a read that an expression names has some source, and returns what
 * that gives. Where the values are few (formula_domains.c) this works in both directions: a value
 * that no source can give is not returned, and a source that cannot give what is asked for is
 * none; what a write gives is a literal of its own, so that this is learned once for all who read
 * it. Other values are learned as schedules show them.
 */
#include "search/solver/formula.h"

bool formula_evaluates(const struct formula *f, uint32_t event)
{
	const struct event_more *more = f->index->events[event].more;

	return f->facts.model == MODEL_VALUES && more && more->expr;
}

static lit value_literal(struct formula *f, uint32_t read, uint32_t part, int64_t value);

/* If all values are known that it may return, it returns one of them. */
static void return_some(struct formula *f, lit needed, uint32_t read)
{
	const struct domain *d = formula_domain(f, read);
	lit values[DOMAIN_MOST];

	if (!d->closed || event_part_count(&f->index->events[read]) > 1)
		return;
	for (uint32_t i = 0; i < d->count; i++)
		values[i] = value_literal(f, read, 0, d->values[i]);
	for (uint32_t i = 0; i < d->count; i++)
		for (uint32_t k = 0; k < i; k++)
			sat_imply(f->sat, values[i], -values[k]);
	sat_or(f->sat, -needed);
	for (uint32_t i = 0; i < d->count; i++)
		sat_or(f->sat, values[i]);
	sat_end(f->sat);
}

static void settle_needed(struct formula *f, uint32_t read)
{
	lit needed = f->needed[cone_node(f->cone, read)];

	sat_imply(f->sat, needed, formula_happens(f, read));
	sat_imply(f->sat, needed, formula_used(f, read));
	return_some(f, needed, read);
	for (uint32_t i = 0; i < event_part_count(&f->index->events[read]); i++) {
		struct formula_writes writes = {0};
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

/* The read happens and its value is known, whatever it is. */
static lit needed(struct formula *f, uint32_t read)
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
		sat_imply(f->sat, computed, needed(f, f->depends.named.at[i]));
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

static lit number_value(struct formula *f, const struct formula_value *key,
			void (*settle)(struct formula *f, uint32_t number))
{
	uint32_t number = intern_add(&f->values, (const char *)key, sizeof(*key));

	if (number == f->value_lits.n) {
		vec_push(&f->value_keys, *key);
		vec_push(&f->value_lits, sat_variable(f->sat));
		formula_later(f, settle, number);
	}
	return f->value_lits.at[number];
}

/* An expression gives this if its only input has one of some values, and only then. */
static void settle_output(struct formula *f, uint32_t number)
{
	struct formula_value v = f->value_keys.at[number];
	lit is = f->value_lits.at[number], inputs[DOMAIN_MOST];
	uint32_t read = formula_only_input(f, v.event), n = 0;
	const struct domain *d = formula_domain(f, read);

	for (uint32_t i = 0; i < d->count; i++) {
		int64_t out;

		if (formula_output(f, v.event, d->values[i], &out) && out == v.value)
			inputs[n++] = value_literal(f, read, 0, d->values[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		sat_imply(f->sat, inputs[i], is);
	if (!d->closed)
		return;
	sat_or(f->sat, -is);
	for (uint32_t i = 0; i < n; i++)
		sat_or(f->sat, inputs[i]);
	sat_end(f->sat);
}

/* What the write makes of its only input is this value, which it may be. */
static lit output_literal(struct formula *f, uint32_t write, int64_t value)
{
	struct formula_value key = {write, PART_OUTPUT, value};

	return number_value(f, &key, settle_output);
}

/* Some value of its input gives this one. */
static bool may_give(const struct outputs *o, int64_t value)
{
	for (uint32_t i = 0; i < o->values.count; i++)
		if (o->values.values[i] == value)
			return true;
	return false;
}

/* Its input has none of those known values that give another one. */
static void gives_no_other(struct formula *f, lit when, lit source, uint32_t write, int64_t value)
{
	uint32_t read = formula_only_input(f, write);
	const struct domain *d = formula_domain(f, read);

	for (uint32_t i = 0; i < d->count; i++) {
		int64_t out;

		if (!formula_output(f, write, d->values[i], &out) || out == value)
			continue;
		lit in = value_literal(f, read, 0, d->values[i]);

		sat_clause(f->sat, (const lit[]){-when, -source, -in}, 3);
	}
}

/* `when` and the source hold: the write gives this value. */
void formula_gives(struct formula *f, lit when, lit source, uint32_t write, int64_t value)
{
	const struct outputs *o = formula_outputs(f, write);
	lit gives = LIT_FALSE;

	if (!o)
		return;
	if (!o->values.closed) {
		gives_no_other(f, when, source, write, value);
		return;
	}
	if (may_give(o, value))
		gives = output_literal(f, write, value);
	sat_clause(f->sat, (const lit[]){-when, -source, gives}, 3);
}

/*
 * Part of a read returns a value exactly if it has a source that gives it. What an expression
 * gives is known as far as its input's values are; else it is learned.
 */
static bool link_source(struct formula *f, const struct formula_value *v, lit is, uint32_t write)
{
	uint32_t variable = event_part(&f->index->events[v->event], v->part).variable;
	lit source = formula_source(f, v->event, v->part, write);
	bool recorded = formula_written(f, write, variable) == v->value;

	if (!write || !formula_evaluates(f, write)) {
		if (recorded)
			sat_imply(f->sat, source, is);
		return recorded;
	}
	if (recorded)
		sat_clause(f->sat, (const lit[]){-source, -formula_known(f, write), is}, 3);
	const struct outputs *o = formula_outputs(f, write);

	if (!o)
		return true;
	if (may_give(o, v->value)) {
		lit gives = output_literal(f, write, v->value);

		sat_clause(f->sat, (const lit[]){-source, -gives, is}, 3);
	}
	if (o->values.closed)
		formula_gives(f, is, source, write, v->value);
	return !o->values.closed || may_give(o, v->value);
}

static void settle_value(struct formula *f, uint32_t number)
{
	struct formula_value v = f->value_keys.at[number];
	lit is = f->value_lits.at[number], keep = formula_keep(f, v.event);
	struct formula_writes writes = {0};
	VEC(lit) sources = {0};

	if (event_part(&f->index->events[v.event], v.part).value != v.value)
		sat_imply(f->sat, is, -keep);
	else
		sat_imply(f->sat, keep, is);
	formula_writes(f, v.event, v.part, &writes);
	for (size_t i = 0; i < writes.at.n; i++)
		if (link_source(f, &v, is, writes.at.at[i]))
			vec_push(&sources, formula_source(f, v.event, v.part, writes.at.at[i]));
	sat_or(f->sat, -is);
	for (size_t i = 0; i < sources.n; i++)
		sat_or(f->sat, sources.at[i]);
	sat_end(f->sat);
	vec_release(&sources);
	vec_release(&writes.at);
}

/* Its meaning is settled later. */
static lit value_literal(struct formula *f, uint32_t read, uint32_t part, int64_t value)
{
	struct formula_value key = {read, part, value};

	return number_value(f, &key, settle_value);
}

lit formula_value(struct formula *f, uint32_t read, uint32_t part, int64_t value)
{
	lit is = value_literal(f, read, part, value);

	formula_settle(f);
	return is;
}

lit formula_value_later(struct formula *f, uint32_t read, int64_t value)
{
	return value_literal(f, read, 0, value);
}

/* With a source that has no value, the read would have no value. */
static void settle_source(struct formula *f, uint32_t number)
{
	struct formula_source s = f->sources.at[number];
	uint32_t read = formula_only_input(f, s.write);
	const struct domain *d = formula_domain(f, read);

	for (uint32_t i = 0; i < d->count; i++) {
		int64_t out;

		if (formula_output(f, s.write, d->values[i], &out))
			continue;
		lit in = value_literal(f, read, 0, d->values[i]);

		sat_clause(f->sat, (const lit[]){-s.lit, -in}, 2);
	}
}

void formula_computed_source(struct formula *f, uint32_t number)
{
	const struct outputs *o = formula_outputs(f, f->sources.at[number].write);

	if (o && !o->total)
		formula_later(f, settle_source, number);
}

void formula_computed_guard(struct formula *f, uint32_t branch)
{
	uint32_t named = formula_only_input(f, branch);

	if (!named)
		return;
	const struct domain *d = formula_domain(f, named);

	for (uint32_t i = 0; i < d->count; i++) {
		int64_t out;

		if (!formula_output(f, branch, d->values[i], &out) || !out)
			sat_imply(f->sat, value_literal(f, named, 0, d->values[i]),
				  -formula_happens(f, branch));
	}
}
