/* SPDX-License-Identifier: MIT */
/* Values: what reads return, writes store, and events depend on. */
#include "witness/certify_parts.h"

#include "witness/evaluate.h"

/* What an event depends on */

/* That earlier read of the thread of f, or NULL if it is none. */
static const struct fact *read_of(const struct certifier *c, const struct fact *f, uint64_t number)
{
	const struct fact *read = facts_find(&c->facts, number);

	if (!read || read->event.thread != f->event.thread || !event_is(&read->event, EV_RETURNS) ||
	    !has_happened(c, read))
		return NULL;
	return read;
}

bool certify_any_changed(struct certifier *c, const struct fact *f, const uint64_t *reads,
			 uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct fact *read = read_of(c, f, reads[i]);

		if (!read || change_of(c, read))
			return true;
	}
	return false;
}

bool certify_depends_on_change(struct certifier *c, const struct fact *f)
{
	const struct event_more *more = f->event.more;

	if (more && more->expr) {
		for (uint32_t i = 0; i < more->expr->count; i++)
			if (more->expr->nodes[i].op == OP_READ &&
			    certify_any_changed(c, f, &more->expr->nodes[i].value, 1))
				return true;
		return false;
	}
	if (more && more->reads_given)
		return certify_any_changed(c, f, more->reads, more->read_count);
	return state_of(c, f)->changed;
}

static bool is_composed(const struct fact *f)
{
	for (uint32_t i = 0; i < event_part_count(&f->event); i++)
		if (fact_place(f, i)->shift < 0)
			return false;
	return true;
}

/* What a read returns as a whole: as recorded, or now. False: unknown. */
static bool whole_value(struct certifier *c, const struct fact *f, bool now, int64_t *value)
{
	uint32_t n = is_composed(f) ? event_part_count(&f->event) : 1;
	uint64_t whole = 0;
	bool known = true;

	for (uint32_t i = 0; i < n; i++) {
		struct part part = event_part(&f->event, i);
		const struct variable_state *v = now ? variable_of(c, part.variable) : NULL;

		known &= !v || v->known;
		whole |= (uint64_t)(v ? v->value : part.value) << fact_place(f, i)->shift;
	}
	*value = (int64_t)whole;
	return known;
}

struct lookup {
	struct certifier *c;
	const struct fact *f;
};

static bool look_up(void *context, uint64_t number, int64_t *value)
{
	struct lookup *l = context;
	const struct fact *read = read_of(l->c, l->f, number);
	const struct change *change = read ? change_of(l->c, read) : NULL;

	if (!read)
		return false;
	if (!change)
		return whole_value(l->c, read, false, value);
	*value = change->value;
	return change->known;
}

bool certify_evaluate(struct certifier *c, const struct fact *f, int64_t *value)
{
	const struct event_more *more = f->event.more;

	return c->witness->model == MODEL_VALUES && more && more->expr &&
	       evaluate_expr(more->expr, look_up, &(struct lookup){c, f}, value);
}

/* What an access returns and stores */

static void return_value(struct certifier *c, const struct fact *f)
{
	struct thread_state *t = state_of(c, f);
	struct change change = {.read = f};
	bool changed = false;

	t->other_source = false;
	for (uint32_t i = 0; i < event_part_count(&f->event); i++) {
		struct part part = event_part(&f->event, i);
		const struct variable_state *v = variable_of(c, part.variable);

		t->other_source |= v->last_writer != fact_place(f, i)->writer;
		changed |= !v->known || v->value != part.value ||
			   (c->witness->model == MODEL_PREDICTABLE &&
			    v->last_writer != fact_place(f, i)->writer);
	}
	if (!changed)
		return;
	change.known = whole_value(c, f, true, &change.value);
	vec_push(&c->changes, change);
	c->change_of[f - c->facts.all.at] = (uint32_t)c->changes.n;
	t->changed = true;
	t->stopped |= c->witness->model == MODEL_MCM;
}

void certify_skip(struct certifier *c, const struct fact *f)
{
	struct change nothing = {.read = f};

	if (!event_is(&f->event, EV_RETURNS))
		return;
	vec_push(&c->changes, nothing);
	c->change_of[f - c->facts.all.at] = (uint32_t)c->changes.n;
	state_of(c, f)->changed = true;
}

static void store_value(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	bool changed = event_is(e, EV_DEPENDS) && certify_depends_on_change(c, f);
	int64_t whole = 0;
	bool known = !changed || (is_composed(f) && certify_evaluate(c, f, &whole));

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		struct variable_state *v = variable_of(c, part.variable);
		const struct variable *memory = symbols_variable(c->symbols, part.variable);

		v->known = known;
		v->last_writer = f->number;
		v->value = e->kind == EV_RMW ? part.written : part.value;
		if (changed && known) {
			v->value = (int64_t)((uint64_t)whole >> fact_place(f, i)->shift);
			/* it takes its own bytes alone */
			if (memory->flags & VARIABLE_MEMORY && memory->size < 8)
				v->value &= ((int64_t)1 << (8 * memory->size)) - 1;
		}
	}
}

void certify_take_access(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;

	if (event_is(e, EV_RETURNS))
		return_value(c, f);
	if (event_is(e, EV_STORES) && e->kind != EV_FREE)
		store_value(c, f);
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct variable_state *v = variable_of(c, event_part(e, i).variable);

		v->accesses++;
		v->externals += e->kind == EV_EXTERNAL;
		v->allocated |= e->kind == EV_ALLOC;
		v->freed |= e->kind == EV_FREE;
	}
}
