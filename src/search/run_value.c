/* SPDX-License-Identifier: MIT */
/* What reads return and writes leave in a run, and the guards that ask for it. */
#include "search/run_state.h"

#include "model/whole.h"
#include "trace/expr.h"

static bool by_writer(const struct run *run)
{
	return run->model == MODEL_PREDICTABLE;
}

/* Of a run that starts within the trace: what the events before that left. */
static void look_back(struct run *run, struct run_cell *cell, uint32_t variable)
{
	const struct index *index = run->index;
	const struct index_list *list = &index->uses[CLASS_VARIABLE][variable];
	uint32_t place = index_place(list, run->base), writer = 0;

	cell->accesses = place;
	if (cell->has_external)
		cell->externals = run_externals_before(run, variable, run->base);
	if (place == list->count)
		return; /* nobody will ask */
	const struct event *e = &index->events[list->events[place]];

	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (event_part(e, i).variable == variable)
			writer = index->writer[index->parts[list->events[place]] + i];
	if (!writer)
		return;
	e = &index->events[writer];
	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (event_part(e, i).variable == variable)
			cell->value = by_writer(run)	  ? writer
				      : e->kind == EV_RMW ? event_part(e, i).written
							  : event_part(e, i).value;
}

static void recall(struct run *run, struct run_cell *cell, uint32_t variable)
{
	if (cell->based == run->base) {
		cell->value = cell->based_value;
		cell->accesses = cell->based_accesses;
		cell->externals = cell->based_externals;
		return;
	}
	look_back(run, cell, variable);
	cell->based = run->base;
	cell->based_value = cell->value;
	cell->based_accesses = cell->accesses;
	cell->based_externals = cell->externals;
}

struct run_cell *run_touch(struct run *run, uint32_t variable)
{
	struct run_cell *cell = &run->cells[variable];

	if (!cell->touched) {
		cell->touched = true;
		cell->unknown = false;
		cell->accesses = cell->externals = 0;
		cell->value =
			by_writer(run) ? 0 : symbols_variable(run->index->symbols, variable)->init;
		vec_push(&run->touched, variable);
		if (run->base > 1)
			recall(run, cell, variable);
	}
	return cell;
}

bool run_holds(struct run *run, uint32_t variable, int64_t *value)
{
	const struct run_cell *cell = run_touch(run, variable);

	*value = cell->value;
	return !cell->unknown;
}

bool run_would_change(struct run *run, uint32_t n)
{
	const struct event *e = &run->index->events[n];

	if (!event_is(e, EV_RETURNS))
		return false;
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		int64_t expected =
			by_writer(run) ? run->index->writer[run->index->parts[n] + i] : part.value;
		int64_t value;

		if (!run_holds(run, part.variable, &value) || value != expected)
			return true;
	}
	return false;
}

/* The value of read n as a whole, as recorded or (now) as it would be now; false: unknown. */
static bool whole_value(struct run *run, uint32_t n, bool now, int64_t *value)
{
	const struct event *e = &run->index->events[n];
	uint64_t whole = 0;

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		uint32_t shift;
		uint64_t mask;

		if (now && !run_holds(run, part.variable, &part.value))
			return false;
		if (!whole_place(run->index->symbols, e, i, &shift, &mask)) {
			*value = part.value;
			return true;
		}
		whole |= ((uint64_t)part.value & mask) << shift;
	}
	*value = (int64_t)whole;
	return true;
}

struct lookup {
	struct run *run;
	uint32_t n; /* the event whose expression it is */
};

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	const struct lookup *l = context;
	uint32_t change = l->run->change_of[read];

	/* an rmw that names itself looks at memory before it writes */
	if (read == l->n || !change)
		return whole_value(l->run, (uint32_t)read, read == l->n, value);
	*value = l->run->changed.at[change - 1].value;
	return !l->run->changed.at[change - 1].unknown;
}

static bool evaluate(struct run *run, uint32_t n, int64_t *value)
{
	const struct event *e = &run->index->events[n];
	struct lookup l = {run, n};

	return run->model == MODEL_VALUES && e->more && e->more->expr &&
	       expr_value(e->more->expr, look_up, &l, value);
}

/* A changed read that event n depends on, or 0. own: event n itself has changed. */
static uint32_t changed_dependence(struct run *run, uint32_t n, bool own)
{
	const struct event *e = &run->index->events[n];
	uint32_t first = run->changes[e->thread];

	if (!first && !own)
		return 0;
	depends_of(e, &run->depends);
	if (run->depends.on_all)
		return own ? n : run->changed.at[first - 1].read;
	for (size_t i = 0; i < run->depends.named.n; i++) {
		uint32_t read = run->depends.named.at[i];

		if (read == n ? own : run->change_of[read] != 0)
			return read;
	}
	return 0;
}

static bool fail_guard(struct run_fault *fault, uint32_t read)
{
	*fault = (struct run_fault){RUN_GUARD, read};
	return false;
}

bool run_guard(struct run *run, uint32_t n, struct run_fault *fault)
{
	const struct event *e = &run->index->events[n];
	uint32_t first = run->changes[e->thread], read;
	int64_t value;

	if (!first)
		return true;
	if (run->model == MODEL_MCM)
		return fail_guard(fault, run->changed.at[first - 1].read);
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		if (run->change_of[e->more->at[i]])
			return fail_guard(fault, (uint32_t)e->more->at[i]);
	if (e->kind != EV_BRANCH || !(read = changed_dependence(run, n, false)) ||
	    (evaluate(run, n, &value) && (value || index_scope(run->index, n))))
		return true;
	return fail_guard(fault, read);
}

bool run_is_other(struct run *run, uint32_t n)
{
	const struct event *e = &run->index->events[n];
	int64_t value;

	if (run->model == MODEL_MCM && run->changes[e->thread])
		return false;
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		if (run->change_of[e->more->at[i]])
			return true;
	if (!event_is(e, EV_DEPENDS) || !changed_dependence(run, n, false))
		return false;
	return e->kind != EV_BRANCH || !evaluate(run, n, &value) || !value;
}

uint32_t run_skips(struct run *run, uint32_t n)
{
	uint32_t scope = index_scope(run->index, n);
	int64_t value;

	if (!scope || !changed_dependence(run, n, false))
		return 0;
	return evaluate(run, n, &value) && !value ? scope : 0;
}

static void note_change(struct run *run, struct run_change change)
{
	uint32_t *first = &run->changes[run->index->events[change.read].thread];

	vec_push(&run->changed, change);
	run->change_of[change.read] = (uint32_t)run->changed.n;
	if (!*first && event_is(&run->index->events[change.read], EV_RETURNS))
		*first = (uint32_t)run->changed.n;
}

/* What a changed read returned, for those who ask later. */
static void keep_changed(struct run *run, uint32_t n)
{
	struct run_change change = {.read = n};

	change.unknown = by_writer(run) || !whole_value(run, n, true, &change.value);
	note_change(run, change);
}

void run_skip(struct run *run, uint32_t n)
{
	note_change(run, (struct run_change){.read = n, .skipped = true, .unknown = true});
}

static void store(struct run *run, uint32_t n, bool own)
{
	const struct event *e = &run->index->events[n];
	bool changed = changed_dependence(run, n, own);
	int64_t value;
	bool known = changed && evaluate(run, n, &value);

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		struct run_cell *cell = run_touch(run, part.variable);

		cell->unknown = changed;
		if (!changed) {
			cell->value = by_writer(run)	  ? n
				      : e->kind == EV_RMW ? part.written
							  : part.value;
		} else if (known && whole_part(run->index->symbols, e, i, value, &cell->value)) {
			cell->unknown = false;
		}
	}
}

void run_access(struct run *run, uint32_t n)
{
	const struct event *e = &run->index->events[n];
	bool own = run_would_change(run, n);

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct run_cell *cell = run_touch(run, event_part(e, i).variable);

		cell->accesses++;
		cell->externals += e->kind == EV_EXTERNAL;
	}
	if (own)
		keep_changed(run, n);
	if (event_is(e, EV_STORES) && event_is(e, EV_VALUE))
		store(run, n, own);
}
