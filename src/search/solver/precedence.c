/* SPDX-License-Identifier: MIT */
#include "search/solver/precedence_parts.h"

#include "base/sorted.h"

#include <string.h>

struct precedence *precedence_new(const uint32_t *ends, uint32_t chains, const uint32_t *recorded)
{
	struct precedence *p = mem_alloc_zero(1, sizeof(*p));

	p->reach = reach_new(ends, chains);
	p->cut = p->reach->nodes - 1;
	p->start = p->cut - 1;
	p->successors = mem_alloc_zero(p->reach->nodes, sizeof(*p->successors));
	p->roles = mem_alloc_zero(p->reach->nodes, sizeof(*p->roles));
	p->recorded = mem_alloc_zero(p->reach->nodes, sizeof(*p->recorded));
	memcpy(p->recorded, recorded, p->start * sizeof(*recorded));
	p->recorded[p->cut] = UINT32_MAX;
	for (uint32_t c = 0; c + 1 < chains; c++)
		precedence_fix(p, p->start, c ? ends[c - 1] : 1);
	return p;
}

void precedence_free(struct precedence *p)
{
	if (!p)
		return;
	for (uint32_t n = 0; n < p->reach->nodes; n++)
		vec_release(&p->successors[n].at);
	for (size_t i = 0; i < p->locks.n; i++) {
		vec_release(&p->locks.at[i].all.at);
		vec_release(&p->locks.at[i].exclusive.at);
		vec_release(&p->locks.at[i].held);
	}
	for (size_t i = 0; i < p->cells.n; i++) {
		vec_release(&p->cells.at[i].writes.at);
		vec_release(&p->cells.at[i].reads.at);
		vec_release(&p->cells.at[i].used);
	}
	for (size_t i = 0; i < p->reads.n; i++)
		vec_release(&p->reads.at[i].sources.at);
	mem_free(p->successors);
	mem_free(p->roles);
	vec_release(&p->meanings);
	vec_release(&p->orders);
	vec_release(&p->order_lits);
	intern_release(&p->lock_keys);
	intern_release(&p->cell_keys);
	intern_release(&p->read_keys);
	vec_release(&p->locks);
	vec_release(&p->sections);
	vec_release(&p->cells);
	vec_release(&p->node_cells);
	vec_release(&p->reads);
	vec_release(&p->sources);
	vec_release(&p->both);
	vec_release(&p->neighbours);
	vec_release(&p->active);
	vec_release(&p->used);
	vec_release(&p->together);
	vec_release(&p->levels);
	vec_release(&p->marked);
	vec_release(&p->hiding);
	vec_release(&p->implied);
	intern_release(&p->order_keys);
	mem_free(p->recorded);
	vec_release(&p->why.at);
	reach_free(p->reach);
	mem_free(p);
}

void precedence_serve(struct precedence *p, struct cdcl *c)
{
	p->cdcl = c;
}

uint32_t precedence_start(const struct precedence *p)
{
	return p->start;
}

uint32_t precedence_cut(const struct precedence *p)
{
	return p->cut;
}

uint32_t precedence_last(const struct precedence *p, uint32_t node, uint32_t chain)
{
	return reach_last(p->reach, node, chain);
}

uint32_t precedence_chain(const struct precedence *p, uint32_t node)
{
	return p->reach->chain[node];
}

size_t precedence_entries_find(const struct entries *e, uint32_t node)
{
	return LOWER_BOUND(i, 0, e->at.n, e->at.at[i].node < node);
}

void precedence_entries_add(struct entries *e, uint32_t node, uint32_t number)
{
	size_t place = precedence_entries_find(e, node);
	struct entry new = {node, number};

	vec_push(&e->at, new);
	memmove(e->at.at + place + 1, e->at.at + place, (e->at.n - 1 - place) * sizeof(new));
	e->at.at[place] = new;
}

/* The first of them that is this node or behind it. */
static size_t find_successor(const struct successors *s, uint32_t node)
{
	return LOWER_BOUND(i, 0, s->at.n, s->at.at[i].node < node);
}

static void add_successor(struct successors *s, uint32_t node, lit l)
{
	size_t place = find_successor(s, node);
	struct successor new = {node, l};

	vec_push(&s->at, new);
	memmove(s->at.at + place + 1, s->at.at + place, (s->at.n - 1 - place) * sizeof(new));
	s->at.at[place] = new;
}

static void remove_successor(struct successors *s, uint32_t node, lit l)
{
	size_t place = find_successor(s, node);

	while (s->at.at[place].lit != l)
		place++;
	s->at.n--;
	memmove(s->at.at + place, s->at.at + place + 1,
		(s->at.n - place) * sizeof(struct successor));
}

struct meaning *precedence_meaning(struct precedence *p, lit l)
{
	size_t variable = lit_variable(l);

	if (variable >= p->meanings.n)
		vec_extend(&p->meanings, variable + 1);
	return &p->meanings.at[variable];
}

bool precedence_derive_literal(struct precedence *p, lit l, const struct reach_reason *reason)
{
	int value = value_of(p->cdcl, l);

	if (value > 0)
		return true;
	if (value < 0) {
		p->why.at.n = 0;
		reach_explain(p->reach, reason, reach_now(p->reach), &p->why);
		vec_push(&p->why.at, -l);
		return cdcl_conflict(p->cdcl, &p->why);
	}
	vec_extend(&p->implied, (size_t)lit_variable(l) + 1);
	p->implied.at[lit_variable(l)] = (struct implied){*reason, reach_now(p->reach)};
	cdcl_imply(p->cdcl, l);
	return true;
}

static void add_order(struct precedence *p, lit variable, uint32_t from, uint32_t to)
{
	struct order_variable order = {.from = from, .to = to};

	*precedence_meaning(p, variable) = (struct meaning){MEANS_ORDER, (uint32_t)p->orders.n};
	vec_push(&p->orders, order);
}

/* Nobody has to be told of it so far. */
static lit order_literal(struct precedence *p, uint32_t from, uint32_t to)
{
	bool recorded = p->recorded[from] < p->recorded[to];
	uint32_t key[2] = {recorded ? from : to, recorded ? to : from};
	size_t before = p->order_keys.strings.n;
	uint32_t number = intern_add(&p->order_keys, (const char *)key, sizeof(key));

	if (number == before) {
		lit reversed = cdcl_variable(p->cdcl);

		vec_push(&p->order_lits, reversed);
		add_order(p, reversed, key[1], key[0]);
		cdcl_prefer(p->cdcl, reversed);
	}
	return recorded ? -p->order_lits.at[number] : p->order_lits.at[number];
}

bool precedence_derive(struct precedence *p, uint32_t from, uint32_t to,
		       const struct reach_reason *reason)
{
	return reach_before(p->reach, from, to) ||
	       precedence_derive_literal(p, order_literal(p, from, to), reason);
}

static bool both_happen(struct precedence *p, uint32_t node)
{
	for (uint32_t k = p->roles[node].first_both; k;) {
		const struct both *b = &p->both.at[k - 1];
		struct reach_reason reason = {.ways = {{b->way.from, p->cut}, {b->way.to, p->cut}}};

		if (happens(p, b->way.from) && happens(p, b->way.to) &&
		    !precedence_derive(p, b->way.from, b->way.to, &reason))
			return false;
		k = b->next[node == b->way.to];
	}
	return true;
}

static bool orders_follow(struct precedence *p, const struct reach_news *news)
{
	const struct successors *s = &p->successors[news->node];

	for (size_t k = find_successor(s, news->low); k < s->at.n && s->at.at[k].node < news->high;
	     k++) {
		struct reach_reason reason = {.ways = {{news->node, s->at.at[k].node}}};

		if (!precedence_derive_literal(p, s->at.at[k].lit, &reason))
			return false;
	}
	return true;
}

static bool happens_now(struct precedence *p, uint32_t node)
{
	const struct role *role = &p->roles[node];

	return (!role->section || precedence_locks_happen(p, node)) &&
	       (!role->first_both || both_happen(p, node));
}

static bool precedes_now(struct precedence *p, const struct reach_news *news)
{
	const struct role *role = &p->roles[news->node];

	return (!role->section ||
		precedence_locks_before(p, news->node, p->reach->chain[news->low])) &&
	       ((!role->first_cell && !role->first_read) || precedence_reads_before(p, news));
}

/* What is new for nodes that were not ordered before. */
static bool spread(struct precedence *p, const struct reach_news *news)
{
	bool is_cut = news->low <= p->cut && p->cut < news->high;

	return (!p->successors[news->node].at.n || orders_follow(p, news)) &&
	       (is_cut ? happens_now(p, news->node) : precedes_now(p, news)) &&
	       (!p->together.n || precedence_adjacent_before(p, news));
}

static bool assign_order(struct precedence *p, lit l, uint32_t number)
{
	const struct order_variable *o = &p->orders.at[number];
	struct reach_way way = {l > 0 ? o->from : o->to, l > 0 ? o->to : o->from};
	struct reach_reason back = {.ways = {{way.to, way.from}}}, reason = {.lits = {l}};

	if (reach_before(p->reach, way.from, way.to))
		return true;
	/* a variable that is younger than what it follows from was not told in time */
	if (reach_before(p->reach, way.to, way.from))
		return precedence_derive_literal(p, -l, &back);
	reach_add(p->reach, way, &reason);
	for (size_t i = 0; i < p->reach->news.n; i++)
		if (!spread(p, &p->reach->news.at[i]))
			return false;
	return true;
}

static bool assign(void *context, lit l)
{
	struct precedence *p = context;

	if (lit_variable(l) >= p->meanings.n)
		return true;
	struct meaning m = *precedence_meaning(p, l);

	switch (m.kind) {
	case MEANS_ORDER: return assign_order(p, l, m.number);
	case MEANS_USED:
	case MEANS_SOURCE: return precedence_reads_activate(p, &m);
	case MEANS_ADJACENT:
		return p->neighbours.at[m.number].when != l ||
		       precedence_adjacent_activate(p, m.number);
	case MEANS_NOTHING: return true;
	}
	return true;
}

static bool settle(void *context)
{
	return precedence_reads_settle(context);
}

static void begin_level(void *context)
{
	struct precedence *p = context;

	if (!p->levels.n)
		reach_settle(p->reach);
	struct precedence_level level = {p->reach->edges.n, p->active.n, p->used.n, p->together.n};

	vec_push(&p->levels, level);
}

static void undo(void *context, uint32_t levels)
{
	struct precedence *p = context;
	const struct precedence_level *level = &p->levels.at[levels];

	reach_undo(p->reach, level->edges);
	precedence_reads_undo(p, level);
	p->together.n = level->together;
	p->levels.n = levels;
}

static void explain(void *context, lit l, struct lits *why)
{
	struct precedence *p = context;
	const struct implied *i = &p->implied.at[lit_variable(l)];

	reach_explain(p->reach, &i->reason, i->when, why);
}

/* Of what never happens nobody asks the order, and of what is not used nobody the source. */
static bool is_idle(void *context, lit variable)
{
	struct precedence *p = context;

	if ((size_t)variable >= p->meanings.n)
		return false;
	const struct meaning *m = &p->meanings.at[variable];

	if (m->kind == MEANS_SOURCE)
		return precedence_reads_are_idle(p, m->number);
	if (m->kind != MEANS_ORDER)
		return false;
	const struct order_variable *o = &p->orders.at[m->number];

	if (!o->wanted && !o->in_clauses)
		return true;
	return o->to != p->cut &&
	       (reach_before(p->reach, p->cut, o->from) || reach_before(p->reach, p->cut, o->to));
}

void precedence_fix(struct precedence *p, uint32_t from, uint32_t to)
{
	struct reach_reason always = {0};
	struct reach_way way = {from, to};

	if (!reach_before(p->reach, from, to))
		reach_add(p->reach, way, &always);
}

/* From now on it is told what follows for it; what has followed already is, too. */
static void begin_telling(struct precedence *p, lit variable, uint32_t from, uint32_t to)
{
	struct reach_reason there = {.ways = {{from, to}}}, back = {.ways = {{to, from}}};

	add_successor(&p->successors[from], to, variable);
	add_successor(&p->successors[to], from, -variable);
	if (value_of(p->cdcl, variable))
		return;
	if (reach_before(p->reach, from, to))
		precedence_derive_literal(p, variable, &there);
	else if (reach_before(p->reach, to, from))
		precedence_derive_literal(p, -variable, &back);
}

static void want(struct precedence *p, lit variable)
{
	struct order_variable *o = &p->orders.at[precedence_meaning(p, variable)->number];

	if (o->wanted)
		return;
	o->wanted = true;
	if (!o->in_clauses)
		begin_telling(p, variable, o->from, o->to);
	cdcl_wake(p->cdcl, variable);
}

/* What is learned is asserted at once, so that only what follows from here on is to be told. */
static void watch(void *context, lit variable, bool in_clauses)
{
	struct precedence *p = context;

	if (precedence_meaning(p, variable)->kind != MEANS_ORDER)
		return;
	struct order_variable *o = &p->orders.at[precedence_meaning(p, variable)->number];

	o->in_clauses = in_clauses;
	if (o->wanted)
		return;
	if (in_clauses) {
		add_successor(&p->successors[o->from], o->to, variable);
		add_successor(&p->successors[o->to], o->from, -variable);
	} else {
		remove_successor(&p->successors[o->from], o->to, variable);
		remove_successor(&p->successors[o->to], o->from, -variable);
	}
}

/* A few orders rule out most sources of a read: a clause of these is short. */
static bool is_detail(void *context, lit l)
{
	return precedence_meaning(context, l)->kind == MEANS_SOURCE;
}

struct cdcl_theory precedence_theory(struct precedence *p)
{
	return (struct cdcl_theory){p,	     assign,  settle,	 begin_level, undo,
				    explain, is_idle, is_detail, watch};
}

void precedence_happens(struct precedence *p, lit variable, uint32_t node)
{
	add_order(p, variable, node, p->cut);
	want(p, variable);
}

lit precedence_literal(struct precedence *p, uint32_t from, uint32_t to)
{
	lit l = order_literal(p, from, to);

	want(p, (lit)lit_variable(l));
	return l;
}

void precedence_both(struct precedence *p, uint32_t from, uint32_t to)
{
	struct both both = {{from, to}, {p->roles[from].first_both, p->roles[to].first_both}};

	vec_push(&p->both, both);
	p->roles[from].first_both = p->roles[to].first_both = (uint32_t)p->both.n;
}
