/* SPDX-License-Identifier: MIT */
/* Set operations. */
#include "csp/set.h"

#include <stdlib.h>
#include <string.h>

void csp_bag_add(struct csp *csp, struct csp_bag *bag, struct csp_value *v)
{
	csp_push(csp, bag, v);
}

static int by_order(const void *a, const void *b)
{
	return csp_compare(*(struct csp_value *const *)a, *(struct csp_value *const *)b);
}

struct csp_value *csp_set_from(struct csp *csp, struct csp_bag *bag)
{
	uint32_t n = 0;

	if (bag->n > 1)
		qsort(bag->at, bag->n, sizeof(*bag->at), by_order);
	for (size_t i = 0; i < bag->n; i++)
		if (!n || bag->at[n - 1] != bag->at[i])
			bag->at[n++] = bag->at[i];
	if (!n)
		return csp->values->empty;
	struct csp_value *set = csp_value_new(csp, V_SET, n);

	memcpy(set->at, bag->at, n * sizeof(*bag->at));
	return csp_intern_parts(csp, set);
}

/* All ways to take one member of each part; parts are sets. */
static void products(struct csp *csp, struct csp_value *v, uint32_t i, struct csp_value **taken,
		     struct csp_bag *bag, struct csp_pos pos)
{
	if (i == v->n) {
		struct csp_value *one;

		if (v->kind == V_TUPLE) {
			one = csp_tuple(csp, v->n, taken);
		} else {
			one = taken[0];
			for (uint32_t k = 1; k < v->n; k++)
				one = csp_dot(csp, one, taken[k], pos);
		}
		csp_bag_add(csp, bag, csp_intern(csp, one, pos));
		return;
	}
	struct csp_value *part = csp_set_finite(csp, v->at[i], pos);

	for (uint32_t k = 0; k < part->n; k++) {
		taken[i] = part->at[k];
		products(csp, v, i + 1, taken, bag, pos);
	}
}

/* A subtype may say less fields than its datatype has. */
static struct csp_value *field_set(const struct csp_head *head, const struct csp_head *fields,
				   uint32_t i)
{
	return i < fields->arity ? fields->field[i] : head->field[i];
}

/* The values of one constructor. */
static void constructed(struct csp *csp, struct csp_head *head, struct csp_head *fields,
			struct csp_bag *bag, struct csp_pos pos)
{
	struct csp_value *bare = csp_value_new(csp, V_DOT, 0);

	bare->head = head;
	csp_head_prepare(csp, head);
	csp_head_prepare(csp, fields);
	if (!head->arity) {
		csp_bag_add(csp, bag, csp_intern_parts(csp, bare));
		return;
	}
	struct csp_value *sets = csp_value_new(csp, V_DOT, head->arity + 1);

	sets->at[0] = csp_value_new(csp, V_SET, 1);
	sets->at[0]->at[0] = csp_intern_parts(csp, bare);
	sets->at[0] = csp_intern_parts(csp, sets->at[0]);
	for (uint32_t i = 0; i < head->arity; i++)
		sets->at[i + 1] = field_set(head, fields, i);
	products(csp, sets, 0, csp_alloc(csp, sets->n * sizeof(sets)), bag, pos);
}

static struct csp_value *datatype_members(struct csp *csp, struct csp_datatype *d,
					  struct csp_pos pos)
{
	struct csp_bag bag = {0};

	if (d->members)
		return d->members;
	if (d->running)
		csp_fail(csp, pos, "the members of %s cannot be listed: it contains itself",
			 csp_name(csp, d->name));
	csp_check_depth(csp, pos);
	d->running = true;
	for (uint32_t i = 0; i < d->count; i++)
		constructed(csp, d->head[i], d->fields[i], &bag, pos);
	d->members = csp_set_from(csp, &bag);
	d->running = false;
	return d->members;
}

static bool datatype_has(struct csp *csp, const struct csp_datatype *d, struct csp_value *v,
			 struct csp_pos pos)
{
	if (v->kind != V_DOT || !v->head || !csp_is_whole(csp, v))
		return false;
	csp_check_depth(csp, pos);
	for (uint32_t c = 0; c < d->count; c++) {
		uint32_t i = 0;

		if (d->head[c] != v->head)
			continue;
		csp_head_prepare(csp, d->fields[c]);
		while (i < v->n &&
		       csp_set_has(csp, field_set(v->head, d->fields[c], i), v->at[i], pos))
			i++;
		if (i == v->n)
			return true;
	}
	return false;
}

struct csp_value *csp_set_finite(struct csp *csp, struct csp_value *v, struct csp_pos pos)
{
	v = csp_force(csp, v, pos);
	if (v->kind == V_SET)
		return v->interned ? v : csp_intern(csp, v, pos);
	if (v->kind == V_DATATYPE)
		return datatype_members(csp, v->datatype, pos);
	if (v->kind == V_INTS || v->kind == V_SEQS || v->kind == V_ANY)
		csp_fail(csp, pos, "the members of this set cannot be listed: %s",
			 csp_value_text(csp, v));
	if ((v->kind != V_DOT && v->kind != V_TUPLE) || (v->kind == V_DOT && v->head))
		csp_fail(csp, pos, "a set is expected here, not %s", csp_value_text(csp, v));
	struct csp_bag bag = {0};

	if (v->kind == V_TUPLE && v->listed)
		return v->listed;
	csp_check_depth(csp, pos);
	products(csp, v, 0, csp_alloc(csp, v->n * sizeof(v)), &bag, pos);
	struct csp_value *set = csp_set_from(csp, &bag);

	if (v->kind == V_TUPLE)
		v->listed = set;
	return set;
}

static bool has_member(const struct csp_value *set, const struct csp_value *v)
{
	uint32_t low = 0, high = set->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (set->at[middle] == v)
			return true;
		if (csp_compare(set->at[middle], v) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool all_in(struct csp *csp, struct csp_value *set, struct csp_value *seq,
		   struct csp_pos pos)
{
	for (seq = csp_force(csp, seq, pos); seq->kind == V_CONS;
	     seq = csp_force(csp, seq->at[1], pos))
		if (!csp_set_has(csp, set, seq->at[0], pos))
			return false;
	return true;
}

bool csp_set_has(struct csp *csp, struct csp_value *set, struct csp_value *v, struct csp_pos pos)
{
	set = csp_force(csp, set, pos);
	v = csp_force(csp, v, pos);
	switch (set->kind) {
	case V_INTS: return v->kind == V_NUMBER && (!set->n || v->number >= set->number);
	case V_SEQS:
		return (v->kind == V_NIL || v->kind == V_CONS) && all_in(csp, set->at[0], v, pos);
	case V_ANY: return true;
	case V_DATATYPE: return datatype_has(csp, set->datatype, v, pos);
	case V_TUPLE:
		if (v->kind != V_TUPLE || v->n != set->n)
			return false;
		for (uint32_t i = 0; i < v->n; i++)
			if (!csp_set_has(csp, set->at[i], v->at[i], pos))
				return false;
		return true;
	default: return has_member(csp_set_finite(csp, set, pos), csp_intern(csp, v, pos));
	}
}

/* The part of Int from the later of both on. */
static struct csp_value *later(struct csp_value *a, struct csp_value *b, bool latest)
{
	if (!a->n || !b->n)
		return !a->n == latest ? b : a;
	return (a->number > b->number) == latest ? a : b;
}

struct csp_value *csp_set_union(struct csp *csp, struct csp_value *a, struct csp_value *b,
				struct csp_pos pos)
{
	struct csp_bag bag = {0};

	a = csp_force(csp, a, pos);
	b = csp_force(csp, b, pos);
	if (a->kind == V_INTS && b->kind == V_INTS)
		return later(a, b, false);
	if (a->kind == V_ANY || b->kind == V_ANY)
		return a->kind == V_ANY ? a : b;
	if (a->kind == V_INTS || b->kind == V_INTS) {
		struct csp_value *set = csp_set_finite(csp, a->kind == V_INTS ? b : a, pos);
		struct csp_value *ints = a->kind == V_INTS ? a : b;

		for (uint32_t i = 0; i < set->n; i++)
			if (!csp_set_has(csp, ints, set->at[i], pos))
				csp_fail(csp, pos, "this union cannot be listed");
		return ints;
	}
	a = csp_set_finite(csp, a, pos);
	b = csp_set_finite(csp, b, pos);
	if (a == b || !b->n)
		return a;
	for (uint32_t i = 0; i < a->n; i++)
		csp_bag_add(csp, &bag, a->at[i]);
	for (uint32_t i = 0; i < b->n; i++)
		csp_bag_add(csp, &bag, b->at[i]);
	return csp_set_from(csp, &bag);
}

/* Members of a that are in b, or that are not. */
static struct csp_value *keep(struct csp *csp, struct csp_value *a, struct csp_value *b, bool in,
			      struct csp_pos pos)
{
	struct csp_bag bag = {0};

	a = csp_set_finite(csp, a, pos);
	for (uint32_t i = 0; i < a->n; i++)
		if (csp_set_has(csp, b, a->at[i], pos) == in)
			csp_bag_add(csp, &bag, a->at[i]);
	return csp_set_from(csp, &bag);
}

struct csp_value *csp_set_inter(struct csp *csp, struct csp_value *a, struct csp_value *b,
				struct csp_pos pos)
{
	a = csp_force(csp, a, pos);
	b = csp_force(csp, b, pos);
	if (a->kind == V_INTS && b->kind == V_INTS)
		return later(a, b, true);
	return a->kind == V_SET ? keep(csp, a, b, true, pos) : keep(csp, b, a, true, pos);
}

struct csp_value *csp_set_diff(struct csp *csp, struct csp_value *a, struct csp_value *b,
			       struct csp_pos pos)
{
	a = csp_force(csp, a, pos);
	b = csp_force(csp, b, pos);
	if (a->kind == V_INTS && b->kind == V_INTS && (!b->n || (a->n && a->number >= b->number)))
		return csp->values->empty;
	/* {1..} without {1} is {2..} */
	if (a->kind == V_INTS && a->n && b->kind == V_SET) {
		struct csp_value *from = csp_value_new(csp, V_INTS, a->n);
		uint32_t gone = 0;

		from->at[0] = csp->values->nil;
		from->number = a->number;
		for (uint32_t i = 0; i < b->n; i++)
			if (b->at[i]->number == from->number)
				from->number++, gone++;
			else if (b->at[i]->number < from->number)
				gone++;
		if (gone == b->n)
			return from;
	}
	return keep(csp, a, b, false, pos);
}

struct csp_value *csp_set_power(struct csp *csp, struct csp_value *a, struct csp_pos pos)
{
	struct csp_bag bag = {0};

	a = csp_set_finite(csp, a, pos);
	if (a->n > 24)
		csp_fail(csp, pos, "this set has 2 to the power of %u subsets", a->n);
	for (uint32_t mask = 0; mask < (uint32_t)1 << a->n; mask++) {
		struct csp_bag some = {0};

		for (uint32_t i = 0; i < a->n; i++)
			if (mask >> i & 1)
				csp_bag_add(csp, &some, a->at[i]);
		csp_bag_add(csp, &bag, csp_set_from(csp, &some));
	}
	return csp_set_from(csp, &bag);
}

struct csp_value *csp_set_events(struct csp *csp, struct csp_pos pos)
{
	struct csp_globals *g = csp->globals;
	struct csp_bag bag = {0};

	for (size_t i = 0; i < g->constant.n; i++) {
		struct csp_value *v = g->constant.at[i] ? g->frame->at[i] : NULL;

		if (!v || v->kind != V_DOT || !v->head->channel)
			continue;
		/* a channel that a later text hides is none */
		if (g->shadowed.at[i])
			continue;
		struct csp_value *all = csp_completions(csp, v, false, pos);

		for (uint32_t k = 0; k < all->n; k++)
			csp_bag_add(csp, &bag, all->at[k]);
	}
	return csp_set_from(csp, &bag);
}
