/* SPDX-License-Identifier: MIT */
/* Which values reads return, as clauses (doc/model.md, Feasible executions). */
#include "search/solver/formula.h"

/* Not by recursion: chains of reads and writes may be as long as the cone. */
void formula_later(struct formula *f, void (*settle)(struct formula *f, uint32_t number),
		   uint32_t number)
{
	struct formula_pending pending = {settle, number};

	vec_push(&f->pending, pending);
}

void formula_settle(struct formula *f)
{
	while (f->pending.n) {
		struct formula_pending p = f->pending.at[--f->pending.n];

		p.settle(f, p.number);
	}
}

bool formula_is_write(const struct event *e)
{
	return event_is(e, EV_STORES) && event_is(e, EV_VALUE);
}

static uint32_t find_part(const struct event *e, uint32_t variable)
{
	uint32_t i = 0;

	while (event_part(e, i).variable != variable)
		i++;
	return i;
}

/* The first access behind the low edge knows it. */
uint32_t formula_last_writer(const struct formula *f, uint32_t variable)
{
	const struct index_list *list = &f->index->uses[CLASS_VARIABLE][variable];
	uint32_t place = index_place(list, f->cone->low + 1);

	if (!f->cone->low || place == list->count)
		return 0;
	uint32_t n = list->events[place];

	return f->index->writer[f->index->parts[n] + find_part(&f->index->events[n], variable)];
}

int64_t formula_written(const struct formula *f, uint32_t write, uint32_t variable)
{
	if (!write)
		write = formula_last_writer(f, variable);
	if (!write)
		return symbols_variable(f->index->symbols, variable)->init;
	const struct event *e = &f->index->events[write];
	struct part part = event_part(e, find_part(e, variable));

	return e->kind == EV_RMW ? part.written : part.value;
}

/* The last write of the variable before the read in its own thread, in the cone, for sure; or 0. */
static uint32_t own_write(const struct formula *f, uint32_t read, const struct index_list *list)
{
	for (uint32_t i = index_place(list, read); i-- && list->events[i] > f->cone->low;)
		if (f->index->events[list->events[i]].thread == f->index->events[read].thread &&
		    formula_is_write(&f->index->events[list->events[i]]) &&
		    formula_must_precede(f, list->events[i], read))
			return list->events[i];
	return 0;
}

void formula_writes(const struct formula *f, uint32_t read, uint32_t part,
		    struct formula_writes *writes)
{
	uint32_t variable = event_part(&f->index->events[read], part).variable;
	const struct index_list *list = &f->index->uses[CLASS_VARIABLE][variable];
	uint32_t own = own_write(f, read, list);
	bool from_before = !own;

	for (uint32_t i = index_place(list, f->cone->low + 1); i < list->count; i++) {
		uint32_t n = list->events[i];

		if (n == read || !formula_is_write(&f->index->events[n]) ||
		    formula_happens(f, n) == LIT_FALSE || formula_precedes(f, read, n) ||
		    (own && formula_precedes(f, n, own)))
			continue;
		from_before &= !formula_must_precede(f, n, read);
		vec_push(&writes->at, n);
	}
	if (from_before)
		vec_push(&writes->at, 0);
}

/* All reads of its thread up to this one, which is in the cone. */
static lit all_kept(struct formula *f, uint32_t node);

/* The reads that a write or branch depends on are kept, if `when` holds. */
static void keep_depends(struct formula *f, lit when, uint32_t event)
{
	uint32_t last = f->last_read[cone_node(f->cone, event)];

	depends_of(&f->index->events[event], &f->depends);
	if (f->depends.on_all && last)
		sat_imply(f->sat, when, all_kept(f, last));
	for (size_t i = 0; i < f->depends.named.n; i++)
		sat_imply(f->sat, when, formula_keep(f, f->depends.named.at[i]));
}

static void settle_known(struct formula *f, uint32_t write)
{
	lit known = f->known[cone_node(f->cone, write)];

	sat_imply(f->sat, known, formula_happens(f, write));
	keep_depends(f, known, write);
}

lit formula_known(struct formula *f, uint32_t write)
{
	uint32_t node = write ? cone_node(f->cone, write) : NODE_START;

	if (node == NODE_START || node == NODE_NONE)
		return node == NODE_START ? LIT_TRUE : LIT_FALSE;
	if (!f->known[node]) {
		f->known[node] = sat_variable(f->sat);
		formula_later(f, settle_known, write);
	}
	return f->known[node];
}

static void settle_good(struct formula *f, uint32_t write)
{
	sat_or(f->sat, -f->good[cone_node(f->cone, write)]);
	sat_or(f->sat, formula_known(f, write));
	sat_or(f->sat, formula_computed(f, write));
	sat_end(f->sat);
}

/* What it writes can be told. */
static lit good_write(struct formula *f, uint32_t write)
{
	if (!write || !formula_evaluates(f, write))
		return formula_known(f, write);
	uint32_t node = cone_node(f->cone, write);

	if (!f->good[node]) {
		f->good[node] = sat_variable(f->sat);
		formula_later(f, settle_good, write);
	}
	return f->good[node];
}

lit formula_find_source(const struct formula *f, uint32_t read, uint32_t part, uint32_t write)
{
	uint32_t key[3] = {read, part, write};
	uint32_t number = intern_find(&f->source_keys, (const char *)key, sizeof(key));

	return number == INTERN_NONE ? 0 : f->sources.at[number].lit;
}

lit formula_used(struct formula *f, uint32_t read)
{
	uint32_t node = cone_node(f->cone, read);

	if (!f->used[node]) {
		f->used[node] = sat_variable(f->sat);
		sat_imply(f->sat, f->used[node], formula_happens(f, read));
	}
	return f->used[node];
}

lit formula_source(struct formula *f, uint32_t read, uint32_t part, uint32_t write)
{
	uint32_t key[3] = {read, part, write};
	uint32_t number = intern_add(&f->source_keys, (const char *)key, sizeof(key));

	if (number < f->sources.n)
		return f->sources.at[number].lit;
	uint32_t writer = f->index->writer[f->index->parts[read] + part];
	bool recorded = write ? write == writer : writer <= f->cone->low;
	lit variable = sat_variable(f->sat), used = formula_used(f, read);
	struct formula_source source = {read, part, write, recorded ? -variable : variable};
	lit good = good_write(f, write);

	vec_push(&f->sources, source);
	formula_computed_source(f, number);
	if (!recorded)
		sat_imply(f->sat, source.lit, f->other_source);
	sat_or(f->sat, -used);
	sat_or(f->sat, -source.lit);
	sat_or(f->sat, good);
	sat_end(f->sat);
	precedence_source(
		f->order,
		&(struct precedence_source){
			.cell = event_part(&f->index->events[read], part).variable,
			.read = cone_node(f->cone, read),
			.write = write ? cone_node(f->cone, write) : precedence_start(f->order),
			.used = used,
			.source = source.lit,
		});
	return source.lit;
}

/* Can it keep its value with this write as the source? */
static bool may_keep(const struct formula *f, uint32_t read, uint32_t part, uint32_t write)
{
	struct part p = event_part(&f->index->events[read], part);
	uint32_t writer = f->index->writer[f->index->parts[read] + part];

	if (f->facts.model == MODEL_PREDICTABLE)
		return write ? write == writer : writer <= f->cone->low;
	return formula_written(f, write, p.variable) == p.value ||
	       (write && formula_evaluates(f, write));
}

static void settle_keep_part(struct formula *f, uint32_t read, uint32_t part, lit keep)
{
	struct part p = event_part(&f->index->events[read], part);
	struct formula_writes writes = {0};
	VEC(lit) sources = {0};

	formula_writes(f, read, part, &writes);
	for (size_t i = 0; i < writes.at.n; i++) {
		uint32_t write = writes.at.at[i];

		if (!may_keep(f, read, part, write))
			continue;
		lit source = formula_source(f, read, part, write);

		vec_push(&sources, source);
		if (write)
			formula_gives(f, keep, source, write, p.value);
		if (formula_written(f, write, p.variable) == p.value)
			continue;
		/* it has to compute another value than was recorded: this without a decision */
		sat_clause(f->sat, (const lit[]){-keep, -source, -formula_known(f, write)}, 3);
		sat_clause(f->sat, (const lit[]){-keep, -source, formula_computed(f, write)}, 3);
	}
	sat_or(f->sat, -keep);
	for (size_t i = 0; i < sources.n; i++)
		sat_or(f->sat, sources.at[i]);
	sat_end(f->sat);
	vec_release(&sources);
	vec_release(&writes.at);
}

static void settle_keep(struct formula *f, uint32_t read)
{
	lit keep = f->keep[cone_node(f->cone, read)];

	sat_imply(f->sat, keep, formula_happens(f, read));
	sat_imply(f->sat, keep, formula_used(f, read));
	for (uint32_t i = 0; i < event_part_count(&f->index->events[read]); i++)
		settle_keep_part(f, read, i, keep);
}

lit formula_keep(struct formula *f, uint32_t read)
{
	uint32_t node = cone_node(f->cone, read);

	if (node == NODE_START || node == NODE_NONE)
		return node == NODE_START ? LIT_TRUE : LIT_FALSE;
	if (!f->keep[node]) {
		f->keep[node] = sat_variable(f->sat);
		formula_later(f, settle_keep, read);
	}
	return f->keep[node];
}

static void settle_all_kept(struct formula *f, uint32_t read)
{
	uint32_t node = cone_node(f->cone, read);
	uint32_t first = f->cone->base[cone_thread(f->cone, node)];
	uint32_t before = node > first ? f->last_read[node - 1] : 0;

	sat_imply(f->sat, f->all_kept[node], formula_keep(f, read));
	if (before)
		sat_imply(f->sat, f->all_kept[node], all_kept(f, before));
}

static lit all_kept(struct formula *f, uint32_t node)
{
	if (!f->all_kept[node]) {
		f->all_kept[node] = sat_variable(f->sat);
		formula_later(f, settle_all_kept, f->cone->event[node]);
	}
	return f->all_kept[node];
}

void formula_guard(struct formula *f, uint32_t branch)
{
	lit happens = formula_happens(f, branch);

	if (!formula_evaluates(f, branch)) {
		keep_depends(f, happens, branch);
		return;
	}
	lit kept = sat_variable(f->sat);

	keep_depends(f, kept, branch);
	sat_or(f->sat, -happens);
	sat_or(f->sat, kept);
	sat_or(f->sat, formula_computed(f, branch));
	sat_end(f->sat);
	if (!formula_has_other(f, branch))
		formula_computed_guard(f, branch);
}
