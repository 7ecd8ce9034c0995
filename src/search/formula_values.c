/*
 * Model `values` as clauses: a read that an expression names has some source, and what it
 * returns follows from the sources. Which values there are is learned as schedules show them.
 */
#include "search/formula.h"

#include "model/whole.h"
#include "trace/expr.h"

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

static void settle_value(struct formula *f, uint32_t number)
{
	struct value v = f->value_keys.at[number];
	lit is = f->value_lits.at[number];

	if (event_part(&f->index->events[v.read], v.part).value != v.value)
		sat_imply(f->sat, is, -formula_keep(f, v.read));
	link_sources(f, v.read, v.part, v.value, is);
}

/* Its meaning is settled later. */
static lit value_literal(struct formula *f, uint32_t read, uint32_t part, int64_t value)
{
	struct value key = {read, part, value};
	uint32_t number = intern_add(&f->values, (const char *)&key, sizeof(key));

	if (number == f->value_lits.n) {
		vec_push(&f->value_keys, key);
		vec_push(&f->value_lits, sat_variable(f->sat));
		formula_later(f, settle_value, number);
	}
	return f->value_lits.at[number];
}

lit formula_value(struct formula *f, uint32_t read, uint32_t part, int64_t value)
{
	lit is = value_literal(f, read, part, value);

	formula_settle(f);
	return is;
}

/*
 * Where an expression names one read, and that may return a few values, what follows from each
 * of them is here from the start. Values beyond these are learned.
 */
static uint32_t only_input(struct formula *f, uint32_t event)
{
	const struct depends *d = &f->depends;

	if (!formula_evaluates(f, event))
		return 0;
	depends_of(&f->index->events[event], &f->depends);
	for (size_t i = 0; i < d->named.n; i++)
		if (d->named.at[i] != d->named.at[0])
			return 0;
	if (!d->named.n || cone_node(f->cone, d->named.at[0]) == NODE_START)
		return 0;
	return event_part_count(&f->index->events[d->named.at[0]]) == 1 ? d->named.at[0] : 0;
}

struct input {
	const struct formula *formula;
	int64_t value;
};

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	const struct input *input = context;
	const struct index *index = input->formula->index;
	uint32_t shift;
	uint64_t mask;

	*value = input->value;
	if (whole_place(index->symbols, &index->events[read], 0, &shift, &mask))
		*value = (int64_t)(((uint64_t)input->value & mask) << shift);
	return true;
}

static bool evaluate(const struct formula *f, uint32_t event, int64_t in, int64_t *out)
{
	struct input input = {f, in};

	return expr_value(f->index->events[event].more->expr, look_up, &input, out);
}

static uint32_t variable_of(const struct formula *f, uint32_t event)
{
	return event_part(&f->index->events[event], 0).variable;
}

/* Not beyond a few: then others are learned. */
static bool add_value(struct domain *d, int64_t value)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (d->values[i] == value)
			return false;
	if (d->count == DOMAIN_MOST)
		return false;
	d->values[d->count++] = value;
	return true;
}

/* The values that a write makes of those that its input may have. */
static bool add_computed(struct formula *f, uint32_t write, uint32_t read)
{
	const struct event *e = &f->index->events[write];
	const struct domain from = f->domains[variable_of(f, read)];
	bool more = false;

	for (uint32_t i = 0; i < from.count; i++) {
		int64_t out;

		if (evaluate(f, write, from.values[i], &out) &&
		    whole_part(f->index->symbols, e, 0, out, &out))
			more |= add_value(&f->domains[variable_of(f, write)], out);
	}
	return more;
}

void formula_domains(struct formula *f)
{
	bool more = true;

	if (f->facts.model != MODEL_VALUES)
		return;
	f->domains = mem_alloc_zero(symbols_count(f->index->symbols, CLASS_VARIABLE) + 1,
				    sizeof(*f->domains));
	for (uint32_t n = 1; n <= f->cone->count; n++) {
		const struct event *e = &f->index->events[f->cone->event[n]];

		for (uint32_t i = 0; formula_is_write(e) && i < event_part_count(e); i++) {
			uint32_t variable = event_part(e, i).variable;
			struct domain *d = &f->domains[variable];

			add_value(d, formula_written(f, 0, variable));
			add_value(d, formula_written(f, f->cone->event[n], variable));
		}
	}
	while (more) {
		more = false;
		for (uint32_t n = 1; n <= f->cone->count; n++) {
			uint32_t event = f->cone->event[n];
			const struct event *e = &f->index->events[event];
			uint32_t read = formula_is_write(e) && event_part_count(e) == 1
						? only_input(f, event)
						: 0;

			more |= read && add_computed(f, event, read);
		}
	}
}

static void settle_source(struct formula *f, uint32_t number)
{
	struct source s = f->sources.at[number];
	uint32_t named = only_input(f, s.write);

	if (!named)
		return;
	const struct domain *d = &f->domains[variable_of(f, named)];

	for (uint32_t i = 0; i < d->count; i++) {
		lit in = value_literal(f, named, 0, d->values[i]), is = LIT_FALSE;
		int64_t out;

		if (evaluate(f, s.write, d->values[i], &out) &&
		    whole_part(f->index->symbols, &f->index->events[s.write], 0, out, &out))
			is = value_literal(f, s.read, s.part, out);
		sat_clause(f->sat, (const lit[]){-s.lit, -in, is}, 3);
	}
}

void formula_computed_source(struct formula *f, uint32_t number)
{
	const struct source *s = &f->sources.at[number];

	if (s->write && formula_evaluates(f, s->write) &&
	    event_part_count(&f->index->events[s->write]) == 1)
		formula_later(f, settle_source, number);
}

void formula_computed_guard(struct formula *f, uint32_t branch)
{
	uint32_t named = only_input(f, branch);

	if (!named)
		return;
	const struct domain *d = &f->domains[variable_of(f, named)];

	for (uint32_t i = 0; i < d->count; i++) {
		int64_t out;

		if (!evaluate(f, branch, d->values[i], &out) || !out)
			sat_imply(f->sat, value_literal(f, named, 0, d->values[i]),
				  -formula_happens(f, branch));
	}
}
