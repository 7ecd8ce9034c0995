/* SPDX-License-Identifier: MIT */
#include "record/write/terms.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

/* What every event can have, in reads or nodes; and what there is at the start for those that need
 * more. No event gets more than a share of what is left, so that a loop that asks for more and
 * more leaves something for those behind it. */
#define FREE_READS 32
#define FREE_NODES 32
#define BUDGET_FIRST ((uint64_t)1 << 19)
#define BUDGET_SHARE 8

/* Some 200 MB; if so many are needed all are forgotten, which loses exactness and nothing else. */
#define TERMS_MOST ((size_t)1 << 22)
#define TERMS_FIRST ((size_t)1 << 18)

void read_set_add(struct read_set *set, uint64_t read)
{
	for (size_t i = 0; i < set->at.n; i++)
		if (set->at.at[i] == read)
			return;
	vec_push(&set->at, read);
}

static int compare_reads(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* In ascending order, each once. */
static void sort_reads(struct read_set *set)
{
	size_t n = 0;

	qsort(set->at.at, set->at.n, sizeof(*set->at.at), compare_reads);
	for (size_t i = 0; i < set->at.n; i++)
		if (!n || set->at.at[n - 1] != set->at.at[i])
			set->at.at[n++] = set->at.at[i];
	set->at.n = n;
}

void terms_init(struct terms *t, const struct constants *constants)
{
	*t = (struct terms){.budget = BUDGET_FIRST,
			    .most = TERMS_FIRST,
			    .constants = constants,
			    .exprs.constants = constants};
}

void terms_release(struct terms *t)
{
	vec_release(&t->at);
	vec_release(&t->args);
	vec_release(&t->found);
	vec_release(&t->moved);
	expr_builder_release(&t->exprs);
	mem_free(t->sames.at.at);
	arena_release(&t->memory);
}

/* Values */

static bool look_up(void *context, uint64_t number, int64_t *value)
{
	const struct value *v = (const struct value *)context + number;

	*value = (int64_t)v->recorded;
	return v->known;
}

/* Those that it names, in their places; false: one of them is not exact. */
static bool named_args(const struct expr *template, const struct value *args, struct value *named)
{
	values_clear(named);
	for (uint32_t i = 0; i < template->count; i++) {
		const struct expr_node *node = &template->nodes[i];

		if (node->op != OP_READ)
			continue;
		if (!args[node->value].exact)
			return false;
		named[node->value] = args[node->value];
	}
	return true;
}

static struct value add_term(struct terms *t, const struct expr *template, const struct value *args,
			     unsigned n)
{
	struct term term = {.template = template, .first = (uint32_t)t->args.n, .args = (uint8_t)n};
	struct value v = {0, t->at.n, .state = VALUE_TERM | (template ? VALUE_EXACT : 0)};

	for (unsigned i = 0; i < n; i++) {
		uint64_t latest = terms_latest(t, &args[i]);

		vec_push(&t->args, args[i]);
		term.latest = latest > term.latest ? latest : term.latest;
	}
	vec_push(&t->at, term);
	return v;
}

static bool is_same_source(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->from == b->from;
}

/* Something that depends on these. */
static struct value add_union(struct terms *t, const struct value *args, unsigned n)
{
	struct value of[TERM_ARGS], v;
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;

		if (args[i].kind == VALUE_FIXED)
			continue;
		while (k < count && !is_same_source(&of[k], &args[i]))
			k++;
		of[k] = args[i];
		count += k == count;
	}
	if (!count)
		return (struct value){0};
	v = count == 1 ? of[0] : add_term(t, NULL, of, count);
	v.known = v.exact = false;
	return v;
}

static bool depends_on_all(const struct terms *t, const struct value *args, unsigned n,
			   uint64_t *latest)
{
	bool all = false;

	*latest = 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t at = terms_latest(t, &args[i]);

		*latest = at > *latest ? at : *latest;
		all |= args[i].kind == VALUE_ALL;
	}
	return all;
}

/* Those that are not there count for nothing. */
static unsigned args_needed(const struct value *args, unsigned n)
{
	while (n && args[n - 1].kind == VALUE_FIXED && !args[n - 1].known)
		n--;
	return n;
}

/* What it was is known, or nothing of that. */
static struct value apply(struct terms *t, const struct expr *template, const struct value *args,
			  unsigned n, bool known, uint64_t recorded)
{
	struct value v, named[TERM_ARGS];
	uint64_t latest;

	if (depends_on_all(t, args, n, &latest))
		v = value_all(latest);
	else if (!latest)
		v = (struct value){.exact = known};
	else if (known && named_args(template, args, named))
		v = add_term(t, template, named, args_needed(named, TERM_ARGS));
	else
		v = add_union(t, args, n);
	v.known = known;
	v.recorded = recorded;
	return v;
}

static bool is_copy(const struct expr *template)
{
	return template && template->count == 1 && template->nodes[0].op == OP_READ;
}

struct value terms_apply(struct terms *t, const struct expr *template, const struct value *args,
			 unsigned n)
{
	int64_t recorded = 0;

	if (is_copy(template))
		return args[template->nodes[0].value];
	bool known = template && expr_value(template, look_up, (void *)args, &recorded);

	return apply(t, template, args, n, known, (uint64_t)recorded);
}

struct value terms_apply_known(struct terms *t, const struct expr *template,
			       const struct value *args, unsigned n, uint64_t recorded)
{
	return is_copy(template) ? args[template->nodes[0].value]
				 : apply(t, template, args, n, true, recorded);
}

/* Bytes of values */

static uint32_t add_mask(struct expr_builder *b, uint32_t part, unsigned n)
{
	switch (n) {
	case 1: return expr_add1(b, OP_TRUNC8, part);
	case 2: return expr_add1(b, OP_TRUNC16, part);
	case 4: return expr_add1(b, OP_TRUNC32, part);
	case 8: return part;
	default:
		return expr_add2(b, OP_AND_BITS, part,
				 expr_add_const(b, (int64_t)(((uint64_t)1 << (8 * n)) - 1)));
	}
}

static uint32_t add_shift(struct expr_builder *b, enum expr_op op, uint32_t part, unsigned bytes)
{
	return bytes ? expr_add2(b, op, part, expr_add_const(b, 8 * (int64_t)bytes)) : part;
}

static const struct expr *part_template(struct terms *t, unsigned from, unsigned n, unsigned at)
{
	const struct expr **made = &t->parts[from][n][at];
	struct expr_builder *b = &t->exprs;

	if (*made)
		return *made;
	expr_builder_reset(b);
	uint32_t part = add_shift(b, OP_SHR_U, expr_add_read(b, 0), from);

	if (from + n < 8)
		part = add_mask(b, part, n);
	*made = expr_take(b, add_shift(b, OP_SHL, part, at), EXPR_NODES_MAX, &t->memory);
	return *made;
}

struct value terms_part(struct terms *t, struct value v, unsigned size, unsigned from, unsigned n,
			unsigned at)
{
	if (!from && n == size && !at)
		return v;
	/* what is above its bytes is 0, and needs no mask */
	return terms_apply(t, part_template(t, from, from + n == size ? 8 - from : n, at), &v, 1);
}

const struct expr *terms_copy(struct terms *t)
{
	return part_template(t, 0, 8, 0);
}

struct value terms_join(struct terms *t, struct value a, struct value b)
{
	struct expr_builder *e = &t->exprs;

	if (!t->join) {
		expr_builder_reset(e);
		t->join = expr_take(
			e, expr_add2(e, OP_OR_BITS, expr_add_read(e, 0), expr_add_read(e, 1)),
			EXPR_NODES_MAX, &t->memory);
	}
	return terms_apply(t, t->join, (struct value[]){a, b}, 2);
}

const struct expr *terms_there(struct terms *t)
{
	struct expr_builder *e = &t->exprs;

	if (!t->there) {
		expr_builder_reset(e);
		t->there = expr_take(
			e, expr_add2(e, OP_OR_BITS, expr_add_read(e, 0), expr_add_const(e, 1)),
			EXPR_NODES_MAX, &t->memory);
	}
	return t->there;
}

struct value terms_choose(struct terms *t, struct value guard, struct value a, struct value b)
{
	struct expr_builder *e = &t->exprs;

	if (!t->choice) {
		expr_builder_reset(e);
		uint32_t parts[3] = {expr_add_read(e, 0), expr_add_read(e, 1), expr_add_read(e, 2)};

		t->choice = expr_take(e, expr_add(e, OP_ITE, parts, 3), EXPR_NODES_MAX, &t->memory);
	}
	return terms_apply(t, t->choice, (struct value[]){guard, a, b, {0}}, TERM_ARGS);
}

/* Writing out */

/* What an event that wants more than is free may have. */
static uint64_t share(const struct terms *t)
{
	return t->budget / BUDGET_SHARE;
}

static void pay(struct terms *t, uint64_t count, uint64_t free)
{
	if (count > free)
		t->budget -= count < t->budget ? count : t->budget;
}

static void find_term(struct terms *t, const struct value *v, uint64_t settled)
{
	if (v->kind != VALUE_TERM || t->at.at[v->from].mark == t->walk ||
	    t->at.at[v->from].latest <= settled)
		return;
	t->at.at[v->from].mark = t->walk;
	vec_push(&t->found, (uint32_t)v->from);
}

static void start_walk(struct terms *t, const struct value *args, unsigned n, uint64_t settled)
{
	t->walk++;
	t->found.n = 0;
	for (unsigned i = 0; i < n; i++)
		find_term(t, &args[i], settled);
}

static void add_read(const struct value *v, uint64_t settled, struct read_set *set)
{
	if (v->kind == VALUE_ALL && v->from > settled)
		set->all = true;
	if (v->kind != VALUE_READ || v->from <= settled)
		return;
	if (set->at.n < FREE_READS)
		read_set_add(set, v->from);
	else
		vec_push(&set->at, v->from); /* sorted in the end */
}

bool terms_add_reads(struct terms *t, const struct value *args, unsigned n, uint64_t settled,
		     struct read_set *set)
{
	uint64_t most = FREE_READS + share(t);

	for (unsigned i = 0; i < n; i++)
		add_read(&args[i], settled, set);
	start_walk(t, args, n, settled);
	for (size_t next = 0; next < t->found.n && !set->all; next++) {
		const struct term *term = &t->at.at[t->found.at[next]];

		for (unsigned i = 0; i < term->args; i++) {
			add_read(&t->args.at[term->first + i], settled, set);
			find_term(t, &t->args.at[term->first + i], settled);
		}
		if (t->found.n + set->at.n > most) {
			set->all = true;
			t->cut++;
		}
	}
	pay(t, t->found.n + set->at.n, FREE_READS);
	if (set->at.n > FREE_READS)
		sort_reads(set);
	return !set->all;
}

struct instance {
	struct terms *t;
	const struct value *args;
	uint64_t settled;
};

static uint32_t part_of_value(struct terms *t, const struct value *v, uint64_t settled)
{
	if (terms_latest(t, v) <= settled)
		return expr_add_const(&t->exprs, (int64_t)v->recorded);
	return v->kind == VALUE_TERM ? t->at.at[v->from].part : expr_add_read(&t->exprs, v->from);
}

static uint32_t part_of(void *context, uint64_t number)
{
	const struct instance *in = context;

	return part_of_value(in->t, &in->args[number], in->settled);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The terms that these values are made of, arguments first; false: too much, with the `count` of
 * other nodes. */
static bool find_terms(struct terms *t, const struct value *args, unsigned n, uint64_t settled,
		       uint64_t count)
{
	uint64_t most = FREE_NODES + share(t);

	start_walk(t, args, n, settled);
	for (size_t next = 0; next < t->found.n && count <= most; next++) {
		const struct term *term = &t->at.at[t->found.at[next]];

		count += term->template->count;
		for (unsigned i = 0; i < term->args; i++)
			find_term(t, &t->args.at[term->first + i], settled);
	}
	pay(t, count, FREE_NODES);
	t->cut += count > most;
	if (t->found.n > 1)
		qsort(t->found.at, t->found.n, sizeof(*t->found.at), compare_numbers);
	return count <= most;
}

/* Each of them, for those behind it. */
static void build_terms(struct terms *t, uint64_t settled)
{
	for (size_t i = 0; i < t->found.n; i++) {
		struct term *term = &t->at.at[t->found.at[i]];
		struct instance in = {t, &t->args.at[term->first], settled};

		term->part = expr_add_all(&t->exprs, term->template, part_of, &in);
	}
}

/* A builder clears all that it has room for: what a large expression took is given back. */
#define ROOM_KEPT 4096

static void start_building(struct terms *t)
{
	if (t->exprs.table_size > ROOM_KEPT)
		expr_builder_release(&t->exprs);
	else
		expr_builder_reset(&t->exprs);
	t->exprs.constants = t->constants;
}

static bool has_terms(const struct value *args)
{
	for (unsigned i = 0; i < TERM_ARGS; i++)
		if (args[i].kind == VALUE_TERM)
			return true;
	return false;
}

/* The template as it is, over reads and what is fixed: no part of it can be shared with another.
 * NULL: one of them is not exact. */
static const struct expr *fill_in(const struct expr *template, const struct value *args,
				  uint64_t settled, struct arena *memory)
{
	struct expr *e = arena_copy(memory, template, expr_size(template));

	for (uint32_t i = 0; i < e->count; i++) {
		struct expr_node *node = &e->nodes[i];
		const struct value *v = &args[node->op == OP_READ ? node->value : 0];

		if (node->op != OP_READ)
			continue;
		if (!v->exact)
			return NULL;
		if (v->kind == VALUE_FIXED || v->from <= settled)
			*node = (struct expr_node){.op = OP_CONST, .value = v->recorded};
		else
			node->value = v->from;
	}
	return e;
}

const struct expr *terms_expr(struct terms *t, const struct expr *template,
			      const struct value *args, uint64_t settled, struct arena *memory)
{
	struct value named[TERM_ARGS];
	struct instance in = {t, named, settled};

	if (template->count <= FREE_NODES && !has_terms(args))
		return fill_in(template, args, settled, memory);
	if (!named_args(template, args, named))
		return NULL;
	if (template->count <= FREE_NODES && !has_terms(named))
		return fill_in(template, named, settled, memory);
	if (!find_terms(t, named, TERM_ARGS, settled, template->count))
		return NULL;
	start_building(t);
	build_terms(t, settled);
	return expr_take(&t->exprs, expr_add_all(&t->exprs, template, part_of, &in), EXPR_NODES_MAX,
			 memory);
}

/* How to say that it is as recorded; NULL: it is no term, or a large one. */
static const struct same *find_same(struct terms *t, const struct value *v, uint64_t settled)
{
	const struct term *term = v->kind == VALUE_TERM ? &t->at.at[v->from] : NULL;

	if (!term || !term->template || term->latest <= settled)
		return NULL;
	t->exprs.constants = t->constants;
	const struct same *same = same_of(&t->sames, term->template, &t->exprs, &t->memory);

	return same->expr ? same : NULL;
}

/* Whether it is one over reads alone, none of which is settled. */
static bool is_simple(const struct same *same, const struct value *args, uint64_t settled)
{
	for (unsigned i = 0; i < TERM_ARGS; i++)
		if (same->named >> i & 1 && (args[i].kind != VALUE_READ || args[i].from <= settled))
			return false;
	return true;
}

static const struct expr *fill_in_same(const struct same *same, const struct value *args,
				       uint64_t recorded, struct arena *memory)
{
	struct expr *e = arena_copy(memory, same->expr, expr_size(same->expr));

	for (uint32_t i = 0; i < e->count; i++) {
		struct expr_node *node = &e->nodes[i];

		if (node->op != OP_READ)
			continue;
		if (node->value == SAME_RECORDED)
			*node = (struct expr_node){.op = OP_CONST,
						   .value = same_recorded(same, recorded)};
		else
			node->value = args[node->value].from;
	}
	return e;
}

struct instance_of_same {
	struct instance args;
	uint64_t recorded;
};

static uint32_t part_of_same(void *context, uint64_t number)
{
	struct instance_of_same *in = context;

	return number == SAME_RECORDED ? expr_add_const(&in->args.t->exprs, (int64_t)in->recorded)
				       : part_of(&in->args, number);
}

static uint32_t build_same(struct terms *t, const struct value *v, const struct same *same,
			   uint64_t settled)
{
	if (!same)
		return expr_add2(&t->exprs, OP_EQ, part_of_value(t, v, settled),
				 expr_add_const(&t->exprs, (int64_t)v->recorded));
	struct instance_of_same in = {{t, &t->args.at[t->at.at[v->from].first], settled},
				      same_recorded(same, v->recorded)};

	return expr_add_all(&t->exprs, same->expr, part_of_same, &in);
}

/* Of one term over reads alone, as most are; NULL: it is none. */
static const struct expr *say_same(struct terms *t, const struct value *v, uint64_t settled,
				   struct arena *memory)
{
	const struct same *same = find_same(t, v, settled);
	const struct value *args = same ? &t->args.at[t->at.at[v->from].first] : NULL;

	return same && is_simple(same, args, settled)
		       ? fill_in_same(same, args, v->recorded, memory)
		       : NULL;
}

const struct expr *terms_same(struct terms *t, const struct value *args, unsigned n,
			      uint64_t settled, struct arena *memory)
{
	const struct expr *simple;
	uint32_t parts[TERM_ARGS], count = 0;
	struct same sames[TERM_ARGS];

	for (unsigned i = 0; i < n; i++)
		if (!args[i].exact && terms_latest(t, &args[i]) > settled)
			return NULL;
	if (n == 1 && (simple = say_same(t, args, settled, memory)))
		return simple;
	if (!find_terms(t, args, n, settled, 0))
		return NULL;
	for (unsigned i = 0; i < n; i++) { /* these use the builder, too */
		const struct same *same = find_same(t, &args[i], settled);

		sames[i] = same ? *same : (struct same){0};
	}
	start_building(t);
	build_terms(t, settled);
	for (unsigned i = 0; i < n; i++)
		if (terms_latest(t, &args[i]) > settled)
			parts[count++] =
				build_same(t, &args[i], sames[i].expr ? &sames[i] : NULL, settled);
	uint32_t all = count > 1 ? expr_add(&t->exprs, OP_AND, parts, count) : parts[0];

	return count ? expr_take(&t->exprs, all, EXPR_NODES_MAX, memory) : NULL;
}

/* Collecting */

void terms_collect_begin(struct terms *t)
{
	t->walk++;
}

void terms_mark(struct terms *t, const struct value *v)
{
	if (v->kind == VALUE_TERM)
		t->at.at[v->from].mark = t->walk;
}

static void move_term(struct terms *t, uint32_t number, uint32_t *n, uint32_t *args)
{
	struct term *from = &t->at.at[number];
	struct term *to = &t->at.at[*n];
	uint32_t first = *args;

	for (unsigned i = 0; i < from->args; i++) {
		struct value v = t->args.at[from->first + i];

		terms_move(t, &v);
		t->args.at[(*args)++] = v;
	}
	*to = *from;
	to->first = first;
	t->moved.at[number] = (*n)++;
}

void terms_collect_end(struct terms *t, uint64_t latest)
{
	uint32_t count = (uint32_t)t->at.n, n = 0, args = 0, live = 0;

	for (uint32_t i = count; i-- > 0;) {
		const struct term *term = &t->at.at[i];

		live += term->mark == t->walk;
		for (unsigned k = 0; term->mark == t->walk && k < term->args; k++)
			terms_mark(t, &t->args.at[term->first + k]);
	}
	t->forgotten = live > TERMS_MOST / 2 ? latest : 0;
	vec_extend(&t->moved, count);
	for (uint32_t i = 0; i < count && !t->forgotten; i++)
		if (t->at.at[i].mark == t->walk)
			move_term(t, i, &n, &args);
	t->at.n = n;
	t->args.n = args;
	while (t->most < TERMS_MOST && t->most < 4 * (size_t)n)
		t->most *= 2;
}

void terms_move(const struct terms *t, struct value *v)
{
	if (v->kind == VALUE_TERM && t->forgotten)
		*v = (struct value){.recorded = v->recorded,
				    .known = v->known,
				    .kind = VALUE_ALL,
				    .from = t->forgotten};
	else if (v->kind == VALUE_TERM)
		v->from = t->moved.at[v->from];
}
