/* SPDX-License-Identifier: MIT */
#include "search/greedy/writes.h"

#include "base/sorted.h"

#include <stdlib.h>

struct write {
	int64_t value;
	uint32_t event;
};

struct variable_writes {
	bool made;
	uint32_t count, computed_count;
	uint32_t *all, *computed;
	int64_t *values;    /* in ascending order, */
	uint32_t *by_value; /* and the writes that they belong to */
};

struct greedy_writes {
	const struct index *index;
	struct variable_writes *variables;
};

struct greedy_writes *greedy_writes_new(const struct index *index)
{
	struct greedy_writes *w = mem_alloc_zero(1, sizeof(*w));

	w->index = index;
	w->variables = mem_alloc_zero(symbols_count(index->symbols, CLASS_VARIABLE),
				      sizeof(*w->variables));
	return w;
}

void greedy_writes_free(struct greedy_writes *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < symbols_count(w->index->symbols, CLASS_VARIABLE); i++) {
		mem_free(w->variables[i].all);
		mem_free(w->variables[i].computed);
		mem_free(w->variables[i].values);
		mem_free(w->variables[i].by_value);
	}
	mem_free(w->variables);
	mem_free(w);
}

bool greedy_writes_value(const struct event *e, uint32_t variable, int64_t *value)
{
	if (!event_is(e, EV_STORES) || !event_is(e, EV_VALUE))
		return false;
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);

		if (part.variable != variable)
			continue;
		*value = e->kind == EV_RMW ? part.written : part.value;
		return true;
	}
	return false;
}

static int compare_writes(const void *a, const void *b)
{
	const struct write *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static void make(const struct index *index, uint32_t variable, struct variable_writes *v)
{
	const struct index_list *uses = &index->uses[CLASS_VARIABLE][variable];
	struct write *writes = mem_alloc(uses->count * sizeof(*writes) + 1);

	v->made = true;
	for (uint32_t i = 0; i < uses->count; i++) {
		struct write write = {.event = uses->events[i]};

		if (greedy_writes_value(&index->events[write.event], variable, &write.value))
			writes[v->count++] = write;
	}
	v->all = mem_alloc(v->count * sizeof(*v->all) + 1);
	v->computed = mem_alloc(v->count * sizeof(*v->computed) + 1);
	v->values = mem_alloc(v->count * sizeof(*v->values) + 1);
	v->by_value = mem_alloc(v->count * sizeof(*v->by_value) + 1);
	for (uint32_t i = 0; i < v->count; i++) {
		const struct event *e = &index->events[writes[i].event];

		v->all[i] = writes[i].event;
		if (e->more && e->more->expr)
			v->computed[v->computed_count++] = writes[i].event;
	}
	qsort(writes, v->count, sizeof(*writes), compare_writes);
	for (uint32_t i = 0; i < v->count; i++) {
		v->values[i] = writes[i].value;
		v->by_value[i] = writes[i].event;
	}
	mem_free(writes);
}

static const struct variable_writes *find(struct greedy_writes *w, uint32_t variable)
{
	struct variable_writes *v = &w->variables[variable];

	if (!v->made)
		make(w->index, variable, v);
	return v;
}

struct greedy_writes_list greedy_writes_all(struct greedy_writes *w, uint32_t variable)
{
	const struct variable_writes *v = find(w, variable);

	return (struct greedy_writes_list){v->all, v->count};
}

struct greedy_writes_list greedy_writes_computed(struct greedy_writes *w, uint32_t variable)
{
	const struct variable_writes *v = find(w, variable);

	return (struct greedy_writes_list){v->computed, v->computed_count};
}

/* How many values are less, or not more. */
static uint32_t place_of(const struct variable_writes *v, int64_t value, bool behind)
{
	return LOWER_BOUND(i, 0, v->count,
			   v->values[i] < value || (behind && v->values[i] == value));
}

struct greedy_writes_list greedy_writes_of(struct greedy_writes *w, uint32_t variable,
					   int64_t value)
{
	const struct variable_writes *v = find(w, variable);
	uint32_t from = place_of(v, value, false);

	return (struct greedy_writes_list){v->by_value + from, place_of(v, value, true) - from};
}
