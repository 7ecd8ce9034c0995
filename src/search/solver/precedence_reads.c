/* SPDX-License-Identifier: MIT */
/*
 * What reads see. If a read has its value from a write, then what is written before the read is
 * written before that write, and what is written behind the write is behind the read. Of a
 * thread's other writes only the last before the read, and the first behind the write, matter.
 */
#include "search/solver/precedence_parts.h"

static uint32_t cell_number(struct precedence *p, uint32_t cell)
{
	uint32_t number = intern_add(&p->cell_keys, (const char *)&cell, sizeof(cell));

	vec_extend(&p->cells, (size_t)number + 1);
	return number;
}

void precedence_write(struct precedence *p, uint32_t cell, uint32_t node)
{
	uint32_t number = cell_number(p, cell);
	struct node_cell of_node = {number, p->roles[node].first_cell};

	precedence_entries_add(&p->cells.at[number].writes, node, 0);
	vec_push(&p->node_cells, of_node);
	p->roles[node].first_cell = (uint32_t)p->node_cells.n;
}

static uint32_t read_number(struct precedence *p, const struct precedence_source *s)
{
	uint32_t cell = cell_number(p, s->cell);
	uint32_t key[2] = {s->read, cell};
	uint32_t number = intern_add(&p->read_keys, (const char *)key, sizeof(key));

	if (number < p->reads.n)
		return number;
	struct role *role = &p->roles[s->read];
	struct precedence_read read = {
		.node = s->read, .cell = cell, .used = s->used, .next = role->first_read};

	role->first_read = number + 1;
	*precedence_meaning(p, s->used) = (struct meaning){MEANS_USED, s->read};
	vec_push(&p->reads, read);
	precedence_entries_add(&p->cells.at[cell].reads, s->read, number);
	return number;
}

void precedence_source(struct precedence *p, const struct precedence_source *s)
{
	uint32_t number = (uint32_t)p->sources.n;
	struct read_source source = {
		.read = read_number(p, s), .write = s->write, .lit = s->source};

	*precedence_meaning(p, s->source) = (struct meaning){MEANS_SOURCE, number};
	vec_push(&p->sources, source);
	cdcl_prefer(p->cdcl, (lit)lit_variable(s->source));
	precedence_entries_add(&p->reads.at[source.read].sources, s->write, number);
}

/* Another write comes before the read, and so before its source. */
static bool put_before(struct precedence *p, const struct precedence_read *r, uint32_t other)
{
	const struct read_source *s = &p->sources.at[r->active - 1];
	struct reach_reason reason = {.lits = {r->used, s->lit}, .ways = {{other, r->node}}};

	return other == s->write || other == r->node ||
	       precedence_derive(p, other, s->write, &reason);
}

/* It comes behind the source, and so behind the read. */
static bool put_behind(struct precedence *p, const struct precedence_read *r, uint32_t other)
{
	const struct read_source *s = &p->sources.at[r->active - 1];
	struct reach_reason reason = {.lits = {r->used, s->lit}, .ways = {{s->write, other}}};

	return other == s->write || other == r->node ||
	       precedence_derive(p, r->node, other, &reason);
}

/* The last write in the chain up to this node, but not that one; 0: none. */
static uint32_t last_write(const struct precedence *p, const struct entries *writes, uint32_t node,
			   uint32_t chain, uint32_t but)
{
	size_t k = precedence_entries_find(writes, node + 1);

	if (k && writes->at.at[k - 1].node == but)
		k--;
	return k && p->reach->chain[writes->at.at[k - 1].node] == chain ? writes->at.at[k - 1].node
									: 0;
}

/* The first one from this node on. */
static uint32_t first_write(const struct precedence *p, const struct entries *writes, uint32_t node,
			    uint32_t chain, uint32_t but)
{
	size_t k = precedence_entries_find(writes, node);

	if (k < writes->at.n && writes->at.at[k].node == but)
		k++;
	return k < writes->at.n && p->reach->chain[writes->at.at[k].node] == chain
		       ? writes->at.at[k].node
		       : 0;
}

static bool seal(struct precedence *p, const struct precedence_read *r)
{
	const struct read_source *s = &p->sources.at[r->active - 1];
	const struct entries *writes = &p->cells.at[r->cell].writes;
	struct reach_reason reason = {.lits = {r->used, s->lit}};

	if (!precedence_derive(p, s->write, r->node, &reason))
		return false;
	for (uint32_t c = 0; c + 1 < p->reach->chains; c++) {
		uint32_t last = reach_last(p->reach, r->node, c);
		uint32_t first = reach_first(p->reach, s->write, c);
		uint32_t before = last ? last_write(p, writes, last, c, r->node) : 0;
		uint32_t behind =
			first != REACH_NONE ? first_write(p, writes, first, c, s->write) : 0;

		if ((before && !put_before(p, r, before)) || (behind && !put_behind(p, r, behind)))
			return false;
	}
	return true;
}

static bool is_waiting(const struct precedence *p, const struct precedence_read *r)
{
	return !r->active && value_of(p->cdcl, r->used) > 0;
}

/* Some of its sources may be ruled out now. */
static void mark(struct precedence *p, uint32_t number)
{
	struct precedence_read *r = &p->reads.at[number];

	if (r->marked || !is_waiting(p, r))
		return;
	r->marked = true;
	vec_push(&p->marked, number);
}

/*
 * What is hidden from the read by writes that come before it: of each chain, the last of these.
 * What was there at the start has a chain of its own.
 */
static void find_hidden(struct precedence *p, const struct precedence_read *r)
{
	const struct entries *writes = &p->cells.at[r->cell].writes;
	uint32_t chains = p->reach->chains - 1;

	vec_extend(&p->hiding, (size_t)chains + 1);
	for (uint32_t c = 0; c <= chains; c++)
		p->hiding.at[c] = (struct hiding){0, 0, reach_first(p->reach, r->node, c)};
	for (uint32_t c = 0; c < chains; c++) {
		uint32_t last = reach_last(p->reach, r->node, c);
		uint32_t by = last ? last_write(p, writes, last, c, r->node) : 0;

		for (uint32_t d = 0; by && d < chains; d++) {
			struct hiding *h = &p->hiding.at[d];
			uint32_t up_to = reach_last(p->reach, by, d) - (c == d);

			if (up_to > h->up_to && p->reach->chain[up_to] == d) {
				h->up_to = up_to;
				h->by = by;
			}
		}
		if (by) {
			p->hiding.at[chains].up_to = p->start;
			p->hiding.at[chains].by = by;
		}
	}
}

static bool rule_out(struct precedence *p, const struct precedence_read *r,
		     const struct read_source *s, const struct hiding *h)
{
	struct reach_reason reason = {.lits = {r->used}, .ways = {{r->node, s->write}}};

	if (s->write < h->behind) {
		reason.ways[0] = (struct reach_way){s->write, h->by};
		reason.ways[1] = (struct reach_way){h->by, r->node};
	}
	return precedence_derive_literal(p, -s->lit, &reason);
}

static bool rule_out_some(struct precedence *p, const struct precedence_read *r)
{
	if (!is_waiting(p, r))
		return true;
	find_hidden(p, r);
	for (size_t i = 0; i < r->sources.at.n; i++) {
		const struct entry *e = &r->sources.at.at[i];
		const struct hiding *h = &p->hiding.at[p->reach->chain[e->node]];

		if (e->node > h->up_to && e->node < h->behind)
			continue;
		const struct read_source *s = &p->sources.at[e->number];

		if (value_of(p->cdcl, s->lit) >= 0 && !rule_out(p, r, s, h))
			return false;
	}
	return true;
}

bool precedence_reads_settle(struct precedence *p)
{
	bool good = true;

	for (size_t i = 0; i < p->marked.n; i++) {
		struct precedence_read *r = &p->reads.at[p->marked.at[i]];

		r->marked = false;
		good = good && rule_out_some(p, r);
	}
	p->marked.n = 0;
	return good;
}

/* False: the read has two sources, or this one cannot be. */
static bool activate(struct precedence *p, uint32_t number)
{
	struct read_source *s = &p->sources.at[number];
	struct precedence_read *r = &p->reads.at[s->read];

	if (value_of(p->cdcl, s->lit) <= 0 || r->active == number + 1)
		return true;
	if (r->active) {
		p->why.at.n = 0;
		vec_push(&p->why.at, r->used);
		vec_push(&p->why.at, s->lit);
		vec_push(&p->why.at, p->sources.at[r->active - 1].lit);
		return cdcl_conflict(p->cdcl, &p->why);
	}
	r->active = number + 1;
	s->next_active = p->roles[s->write].first_active;
	p->roles[s->write].first_active = number + 1;
	vec_push(&p->active, number);
	return seal(p, r);
}

bool precedence_reads_activate(struct precedence *p, const struct meaning *m)
{
	if (m->kind == MEANS_SOURCE)
		return value_of(p->cdcl, p->reads.at[p->sources.at[m->number].read].used) <= 0 ||
		       activate(p, m->number);
	for (uint32_t k = p->roles[m->number].first_read; k; k = p->reads.at[k - 1].next) {
		const struct precedence_read *r = &p->reads.at[k - 1];

		if (value_of(p->cdcl, r->used) <= 0)
			return true;
		vec_push(&p->used, k - 1);
		vec_push(&p->cells.at[r->cell].used, k - 1);
		for (size_t i = 0; i < r->sources.at.n; i++)
			if (!activate(p, r->sources.at.at[i].number))
				return false;
		mark(p, k - 1);
	}
	return true;
}

void precedence_reads_undo(struct precedence *p, const struct precedence_level *level)
{
	while (p->active.n > level->active) {
		const struct read_source *s = &p->sources.at[p->active.at[--p->active.n]];

		p->reads.at[s->read].active = 0;
		p->roles[s->write].first_active = s->next_active;
	}
	while (p->used.n > level->used)
		p->cells.at[p->reads.at[p->used.at[--p->used.n]].cell].used.n--;
	for (size_t i = 0; i < p->marked.n; i++)
		p->reads.at[p->marked.at[i]].marked = false;
	p->marked.n = 0;
}

/* A write comes before these reads. */
static bool before_reads(struct precedence *p, const struct reach_news *news, uint32_t cell)
{
	const struct entries *reads = &p->cells.at[cell].reads;

	for (size_t i = precedence_entries_find(reads, news->low);
	     i < reads->at.n && reads->at.at[i].node < news->high; i++) {
		const struct precedence_read *r = &p->reads.at[reads->at.at[i].number];

		if (!r->active)
			mark(p, reads->at.at[i].number);
		else if (!put_before(p, r, news->node))
			return false;
	}
	return true;
}

/* A source that holds comes before these nodes, and what is written there. */
static bool before_others(struct precedence *p, const struct reach_news *news,
			  const struct read_source *s)
{
	const struct precedence_read *r = &p->reads.at[s->read];
	uint32_t other = first_write(p, &p->cells.at[r->cell].writes, news->low,
				     p->reach->chain[news->low], news->node);

	return !other || other >= news->high || put_behind(p, r, other);
}

/* A write comes before others, and is hidden from the reads behind the first of these. */
static void hide(struct precedence *p, const struct reach_news *news,
		 const struct precedence_cell *cell)
{
	size_t place = precedence_entries_find(&cell->writes, news->low);
	uint32_t other = place < cell->writes.at.n ? cell->writes.at.at[place].node : REACH_NONE;

	for (size_t i = 0; other < news->high && i < cell->used.n; i++) {
		uint32_t read = cell->used.at[i];

		if (reach_before(p->reach, other, p->reads.at[read].node))
			mark(p, read);
	}
}

bool precedence_reads_before(struct precedence *p, const struct reach_news *news)
{
	const struct role *role = &p->roles[news->node];

	for (uint32_t k = role->first_cell; k; k = p->node_cells.at[k - 1].next) {
		uint32_t cell = p->node_cells.at[k - 1].cell;

		if (!before_reads(p, news, cell))
			return false;
		hide(p, news, &p->cells.at[cell]);
	}
	for (uint32_t k = role->first_active; k; k = p->sources.at[k - 1].next_active)
		if (!before_others(p, news, &p->sources.at[k - 1]))
			return false;
	for (uint32_t k = role->first_read; k; k = p->reads.at[k - 1].next)
		mark(p, k - 1);
	return true;
}

bool precedence_reads_are_idle(const struct precedence *p, uint32_t source)
{
	const struct precedence_read *r = &p->reads.at[p->sources.at[source].read];

	return r->active || value_of(p->cdcl, r->used) < 0;
}
