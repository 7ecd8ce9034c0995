/* SPDX-License-Identifier: MIT */
#include "search/solver/sweep.h"

#include "model/whole.h"
#include "trace/expr.h"

#include <string.h>

/* What a variable holds. */
struct cell {
	uint32_t round; /* of the sweep in which it was last written or read; else as before */
	uint32_t writer;
	bool known;
	int64_t value;
};

/* What part of a read returned. */
struct returned {
	uint32_t writer; /* event; 0 or before the cone: no source but 0 */
	bool known;
	int64_t value;
};

struct overlap {
	uint32_t a, b; /* sections */
};

/* A signal that came while the thread of this wait slept, and may not. */
struct disturbed {
	uint32_t signal, wait;
};

/* Part of a read has its value from write; other was written between. */
struct between {
	uint32_t read, part, write, other;
};

struct sweep {
	struct formula *formula;
	const struct index *index;
	const struct cone *cone;
	uint32_t round;
	struct cell *cells;	   /* by variable */
	bool *changed;		   /* reads, by node */
	bool *thread_changed;	   /* some read of it so far */
	uint32_t *first_returned;  /* by node */
	struct returned *returned; /* parts of reads */
	/* by lock: who is in a section, when the round is the same */
	struct holders {
		uint32_t round;
		VEC(uint32_t) sections;
	} * holders;
	uint32_t *asleep; /* facts.early, of each thread: its wait, or 0 */
	VEC(struct disturbed) disturbed;
	VEC(uint32_t) kept_wrong; /* reads that were to be kept and have changed */
	VEC(uint32_t) failed;	  /* branches whose guard does not hold, or does: another way */
	bool lost;		  /* something that has to hold does not */
	/* reasons, kept apart until nobody looks at the solution any more: a clause ends it */
	VEC(struct overlap) overlaps;
	VEC(struct between) betweens, links;
	VEC(uint32_t) why; /* reads that returned something that does not fit */
	uint32_t *asked;   /* by node: the round in which it was among these */
	VEC(lit) inputs;   /* scratch */
	uint32_t added;	   /* clauses */
};

struct sweep *sweep_new(struct formula *f)
{
	struct sweep *w = mem_alloc_zero(1, sizeof(*w));
	uint32_t nodes = f->cone->count + 1, parts = 0;

	w->formula = f;
	w->index = f->index;
	w->cone = f->cone;
	w->cells =
		mem_alloc_zero(symbols_count(f->index->symbols, CLASS_VARIABLE), sizeof(*w->cells));
	w->holders =
		mem_alloc_zero(symbols_count(f->index->symbols, CLASS_LOCK), sizeof(*w->holders));
	w->changed = mem_alloc_zero(nodes, sizeof(*w->changed));
	w->thread_changed = mem_alloc_zero(f->index->thread_count, sizeof(*w->thread_changed));
	w->asleep = mem_alloc_zero(f->index->thread_count, sizeof(*w->asleep));
	w->first_returned = mem_alloc_zero(nodes, sizeof(*w->first_returned));
	w->asked = mem_alloc_zero(nodes, sizeof(*w->asked));
	for (uint32_t n = 1; n < nodes; n++) {
		const struct event *e = &w->index->events[w->cone->event[n]];

		w->first_returned[n] = parts;
		parts += event_is(e, EV_RETURNS) ? event_part_count(e) : 0;
	}
	w->returned = mem_alloc_zero((size_t)parts + 1, sizeof(*w->returned));
	return w;
}

void sweep_free(struct sweep *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < symbols_count(w->index->symbols, CLASS_LOCK); i++)
		vec_release(&w->holders[i].sections);
	mem_free(w->cells);
	mem_free(w->holders);
	mem_free(w->changed);
	mem_free(w->thread_changed);
	mem_free(w->first_returned);
	mem_free(w->returned);
	mem_free(w->asleep);
	vec_release(&w->disturbed);
	vec_release(&w->kept_wrong);
	vec_release(&w->failed);
	vec_release(&w->overlaps);
	vec_release(&w->betweens);
	vec_release(&w->links);
	vec_release(&w->why);
	vec_release(&w->inputs);
	mem_free(w->asked);
	mem_free(w);
}

/* Sections that are open at the low edge of the cone. */
static struct holders *holders_of(struct sweep *w, uint32_t lock)
{
	const struct sections *s = w->formula->facts.sections;
	struct holders *h = &w->holders[lock];

	if (h->round == w->round)
		return h;
	h->round = w->round;
	h->sections.n = 0;
	if (!w->cone->low)
		return h;
	for (uint32_t i = s->first[lock]; i < s->first[lock + 1]; i++) {
		const struct section *section = &s->all.at[s->of_lock[i]];

		if (section->acquire > w->cone->low)
			break;
		if (!section->release || section->release > w->cone->low)
			vec_push(&h->sections, s->of_lock[i]);
	}
	return h;
}

static void enter_or_leave(struct sweep *w, uint32_t event)
{
	const struct sections *s = w->formula->facts.sections;

	if (!s->at[event])
		return;
	uint32_t number = s->at[event] - 1;
	const struct section *section = &s->all.at[number];
	struct holders *h = holders_of(w, section->lock);

	if (event == section->acquire) {
		for (size_t i = 0; i < h->sections.n; i++) {
			if (!sections_exclude(&s->all.at[h->sections.at[i]], section))
				continue;
			struct overlap overlap = {h->sections.at[i], number};

			vec_push(&w->overlaps, overlap);
			w->lost = true;
		}
		vec_push(&h->sections, number);
		return;
	}
	for (size_t i = 0; i < h->sections.n; i++)
		if (h->sections.at[i] == number)
			h->sections.at[i] = h->sections.at[--h->sections.n];
}

static struct cell *cell_of(struct sweep *w, uint32_t variable)
{
	struct cell *c = &w->cells[variable];

	if (c->round != w->round) {
		c->round = w->round;
		c->writer = formula_last_writer(w->formula, variable);
		c->known = true;
		c->value = formula_written(w->formula, c->writer, variable);
	}
	return c;
}

static bool part_changed(const struct sweep *w, uint32_t event, uint32_t i,
			 const struct returned *r)
{
	if (!r->known)
		return true;
	if (w->formula->facts.model == MODEL_PREDICTABLE)
		return r->writer != w->index->writer[w->index->parts[event] + i];
	return r->value != event_part(&w->index->events[event], i).value;
}

static void read_parts(struct sweep *w, uint32_t node, uint32_t event)
{
	const struct event *e = &w->index->events[event];
	struct formula *f = w->formula;

	w->changed[node] = false;
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		const struct cell *c = cell_of(w, event_part(e, i).variable);
		struct returned *r = &w->returned[w->first_returned[node] + i];

		*r = (struct returned){c->writer, c->known, c->value};
		w->changed[node] |= part_changed(w, event, i, r);
	}
	if (!w->changed[node])
		return;
	w->thread_changed[e->thread] = true;
	if (f->keep[node] && sat_true(f->sat, f->keep[node]))
		vec_push(&w->kept_wrong, event);
}

static bool has_changed(const struct sweep *w, uint32_t read)
{
	uint32_t node = cone_node(w->cone, read);

	return node != NODE_START && w->changed[node];
}

static bool depends_on_changed(struct sweep *w, uint32_t event)
{
	struct depends *d = &w->formula->depends;

	depends_of(&w->index->events[event], d);
	if (d->on_all && w->thread_changed[w->index->events[event].thread])
		return true;
	for (size_t i = 0; i < d->named.n; i++)
		if (has_changed(w, d->named.at[i]))
			return true;
	return false;
}

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	const struct sweep *w = context;
	const struct event *e = &w->index->events[read];
	uint32_t node = cone_node(w->cone, (uint32_t)read), shift;
	uint64_t whole = 0, mask;

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		const struct returned *r = &w->returned[w->first_returned[node] + i];
		int64_t part = event_part(e, i).value;

		if (node != NODE_START) {
			if (!r->known)
				return false;
			part = r->value;
		}
		if (!whole_place(w->index->symbols, e, i, &shift, &mask)) {
			*value = part;
			return true;
		}
		whole |= ((uint64_t)part & mask) << shift;
	}
	*value = (int64_t)whole;
	return true;
}

static bool evaluate(struct sweep *w, uint32_t event, int64_t *value)
{
	return formula_evaluates(w->formula, event) &&
	       expr_value(w->index->events[event].more->expr, look_up, w, value);
}

static void write_parts(struct sweep *w, uint32_t event)
{
	const struct event *e = &w->index->events[event];
	bool changed = depends_on_changed(w, event);
	int64_t value = 0;
	bool computed = changed && evaluate(w, event, &value);

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t variable = event_part(e, i).variable;
		struct cell *c = cell_of(w, variable);

		c->writer = event;
		c->known = !changed ||
			   (computed && whole_part(w->index->symbols, e, i, value, &c->value));
		if (!changed)
			c->value = formula_written(w->formula, event, variable);
	}
}

/* What a thread that goes the other way skips has returned nothing. */
static void skip_arm(struct sweep *w, uint32_t branch)
{
	uint32_t thread = cone_thread(w->cone, branch), end = cone_end(w->cone, thread);

	for (uint32_t n = branch + 1; n < end && formula_is_governed(w->formula, n, branch); n++) {
		const struct event *e = &w->index->events[w->cone->event[n]];

		if (!event_is(e, EV_RETURNS))
			continue;
		w->changed[n] = w->thread_changed[thread] = true;
		for (uint32_t i = 0; i < event_part_count(e); i++)
			w->returned[w->first_returned[n] + i].known = false;
	}
}

/* It goes the way that the solution says. */
static bool guard_holds(struct sweep *w, uint32_t event)
{
	uint32_t node = cone_node(w->cone, event);
	bool has_other = formula_has_other(w->formula, event);
	bool other = has_other && sat_true(w->formula->sat, w->formula->other[node]);
	int64_t value = 1;

	if (depends_on_changed(w, event) && !evaluate(w, event, &value))
		return false;
	if (has_other && !value)
		skip_arm(w, node);
	return !value == other;
}

/* The thread can come to this event. */
static bool is_reached(const struct sweep *w, uint32_t event)
{
	const struct event *e = &w->index->events[event];
	uint32_t node = cone_node(w->cone, event);

	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		if (has_changed(w, (uint32_t)e->more->at[i]))
			return false;
	return w->formula->facts.model != MODEL_MCM || node == w->cone->base[e->thread] ||
	       !event_is(&w->index->events[w->cone->event[node - 1]], EV_RETURNS) ||
	       !w->changed[node - 1];
}

/* Who sleeps at the low edge of the cone. */
static void start_asleep(struct sweep *w)
{
	const struct cone *c = w->cone;

	for (uint32_t t = 0; t < w->index->thread_count; t++) {
		uint32_t last = c->start[t] ? w->index->threads[t].events[c->start[t] - 1] : 0;

		w->asleep[t] = last && formula_waker(w->index, last) > c->low ? last : 0;
	}
}

/* The signal wakes those that it woke in the trace, if they sleep; others are in its way. */
static void signal_or_sleep(struct sweep *w, uint32_t event)
{
	const struct event *e = &w->index->events[event];
	size_t before = w->disturbed.n;
	bool woke = false;

	if (e->kind == EV_WAIT && formula_waker(w->index, event))
		w->asleep[e->thread] = event;
	if (e->kind != EV_SIGNAL && e->kind != EV_BROADCAST)
		return;
	for (uint32_t t = 0; t < w->index->thread_count; t++) {
		struct disturbed d = {event, w->asleep[t]};

		if (!d.wait || w->index->events[d.wait].object != e->object)
			continue;
		if (formula_waker(w->index, d.wait) != event) {
			vec_push(&w->disturbed, d);
			continue;
		}
		w->asleep[t] = 0;
		woke = true;
	}
	if (woke && e->kind == EV_SIGNAL)
		w->disturbed.n = before; /* the system chose the one that it chose */
	w->lost |= w->disturbed.n > before;
}

static void take(struct sweep *w, uint32_t node)
{
	uint32_t event = w->cone->event[node];
	const struct event *e = &w->index->events[event];

	enter_or_leave(w, event);
	if (w->formula->facts.early)
		signal_or_sleep(w, event);
	if (!is_reached(w, event))
		w->lost = true;
	if (event_is(e, EV_RETURNS))
		read_parts(w, node, event);
	if (formula_is_write(e))
		write_parts(w, event);
	if (e->kind == EV_BRANCH && !guard_holds(w, event)) {
		vec_push(&w->failed, event);
		w->lost = true;
	}
	if (w->formula->facts.model == MODEL_SAID && event_is(e, EV_RETURNS) && w->changed[node])
		w->lost = true;
}

/* The write that part of a read got its value from, as sources name it. */
static uint32_t seen_source(const struct sweep *w, uint32_t read, uint32_t part)
{
	uint32_t node = cone_node(w->cone, read);
	uint32_t writer = w->returned[w->first_returned[node] + part].writer;

	return writer > w->cone->low ? writer : 0;
}

static bool holds(const struct sweep *w, lit l)
{
	return l && sat_true(w->formula->sat, l);
}

/* Where the solution has another source for it than what it saw: that came between. */
static void blame_between(struct sweep *w, uint32_t read, uint32_t part)
{
	struct formula_writes writes = {0};

	formula_writes(w->formula, read, part, &writes);
	for (size_t i = 0; i < writes.at.n; i++) {
		struct between b = {read, part, writes.at.at[i], seen_source(w, read, part)};

		if (b.write != b.other &&
		    holds(w, formula_find_source(w->formula, read, part, b.write)))
			vec_push(&w->betweens, b);
	}
	vec_release(&writes.at);
}

static void ask_why(struct sweep *w, uint32_t read)
{
	uint32_t node = cone_node(w->cone, read);

	if (node == NODE_START || w->asked[node] == w->round)
		return;
	w->asked[node] = w->round;
	vec_push(&w->why, read);
}

static void ask_why_named(struct sweep *w, uint32_t event)
{
	depends_of(&w->index->events[event], &w->formula->depends);
	for (size_t i = 0; i < w->formula->depends.named.n; i++)
		ask_why(w, w->formula->depends.named.at[i]);
}

/* Why did it return what it did? Because of its sources, or what those computed; or else. */
static void blame(struct sweep *w, uint32_t read)
{
	for (uint32_t i = 0; i < event_part_count(&w->index->events[read]); i++) {
		uint32_t write = seen_source(w, read, i);
		struct between link = {read, i, write, 0};

		blame_between(w, read, i);
		if (write && formula_evaluates(w->formula, write) &&
		    holds(w, formula_find_source(w->formula, read, i, write))) {
			vec_push(&w->links, link);
			ask_why_named(w, write);
		}
	}
}

/* All that tells why the schedule is none, while the solution can still be looked at. */
static void find_reasons(struct sweep *w)
{
	for (size_t i = 0; i < w->kept_wrong.n; i++)
		ask_why(w, w->kept_wrong.at[i]);
	for (size_t i = 0; i < w->failed.n; i++)
		if (formula_evaluates(w->formula, w->failed.at[i]))
			ask_why_named(w, w->failed.at[i]);
	while (w->why.n)
		blame(w, w->why.at[--w->why.n]);
}

/* That the reads which the expression names return what they did; false: one is unknown. */
static bool gather_inputs(struct sweep *w, uint32_t event)
{
	struct depends d = {0};
	bool known = true;

	w->inputs.n = 0;
	depends_of(&w->index->events[event], &d);
	for (size_t i = 0; i < d.named.n; i++) {
		uint32_t node = cone_node(w->cone, d.named.at[i]);
		const struct event *e = &w->index->events[d.named.at[i]];

		for (uint32_t k = 0; node != NODE_START && k < event_part_count(e); k++) {
			const struct returned *r = &w->returned[w->first_returned[node] + k];

			known &= r->known;
			if (known)
				vec_push(&w->inputs,
					 formula_value(w->formula, d.named.at[i], k, r->value));
		}
	}
	vec_release(&d.named);
	return known;
}

static void forbid_inputs(struct sweep *w)
{
	for (size_t i = 0; i < w->inputs.n; i++)
		sat_or(w->formula->sat, -w->inputs.at[i]);
	sat_end(w->formula->sat);
	w->added++;
}

/* From what an expression named follows what it gave (or that it gave nothing). */
static void put_link(struct sweep *w, const struct between *l)
{
	struct formula *f = w->formula;
	const struct returned *r =
		&w->returned[w->first_returned[cone_node(w->cone, l->read)] + l->part];

	if (!gather_inputs(w, l->write))
		return;
	lit source = formula_source(f, l->read, l->part, l->write);
	lit is = r->known ? formula_value(f, l->read, l->part, r->value) : LIT_FALSE;

	sat_or(f->sat, -source);
	sat_or(f->sat, is);
	forbid_inputs(w);
}

/* From its inputs follows which way it goes, or that it does not happen. */
static void put_way(struct sweep *w, uint32_t branch)
{
	const struct formula *f = w->formula;
	lit other = formula_has_other(f, branch) ? f->other[cone_node(f->cone, branch)] : 0;
	int64_t value;

	sat_or(f->sat, -formula_happens(f, branch));
	if (other && evaluate(w, branch, &value))
		sat_or(f->sat, value ? -other : other);
}

static void put_reasons(struct sweep *w)
{
	const struct sections *s = w->formula->facts.sections;

	for (size_t i = 0; i < w->overlaps.n; i++, w->added++)
		formula_exclude(w->formula, &s->all.at[w->overlaps.at[i].a],
				&s->all.at[w->overlaps.at[i].b]);
	for (size_t i = 0; i < w->disturbed.n; i++, w->added++)
		formula_sleeper(w->formula, w->disturbed.at[i].signal, w->disturbed.at[i].wait);
	for (size_t i = 0; i < w->betweens.n; i++, w->added++)
		formula_seal(w->formula, w->betweens.at[i].read, w->betweens.at[i].other);
	for (size_t i = 0; i < w->links.n; i++)
		put_link(w, &w->links.at[i]);
	for (size_t i = 0; i < w->failed.n; i++) {
		uint32_t branch = w->failed.at[i];

		if (!formula_evaluates(w->formula, branch) || !gather_inputs(w, branch))
			continue;
		put_way(w, branch);
		forbid_inputs(w);
	}
}

bool sweep_run(struct sweep *w, const struct timeline *s, const uint32_t *ready, uint32_t count)
{
	w->round++;
	w->lost = false;
	w->disturbed.n = 0;
	start_asleep(w);
	w->kept_wrong.n = w->failed.n = w->overlaps.n = w->betweens.n = w->links.n = w->why.n = 0;
	memset(w->thread_changed, 0, w->index->thread_count * sizeof(*w->thread_changed));
	for (size_t i = 0; i < s->order.n; i++)
		take(w, s->order.at[i]);
	for (uint32_t i = 0; i < count; i++)
		w->lost |= !is_reached(w, ready[i]);
	if (!w->lost)
		return true;
	w->added = 0;
	find_reasons(w);
	put_reasons(w);
	ASSERT(w->added);
	return false;
}
