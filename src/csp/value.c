/* SPDX-License-Identifier: MIT */
/* Values by content. */
#include "csp/set.h"

#include <string.h>

struct csp_value *csp_value_new(struct csp *csp, enum csp_value_kind kind, uint32_t n)
{
	struct csp_value *v = csp_alloc(csp, sizeof(*v) + n * sizeof(v->at[0]));

	v->kind = (uint8_t)kind;
	v->n = n;
	return v;
}

void csp_values_init(struct csp *csp)
{
	struct csp_values *t = csp->values;

	t->slots = 1024;
	t->slot = mem_alloc_zero(t->slots, sizeof(*t->slot));
	t->nil = csp_intern_parts(csp, csp_value_new(csp, V_NIL, 0));
	t->no = csp_value_new(csp, V_BOOL, 0);
	t->yes = csp_value_new(csp, V_BOOL, 0);
	t->yes->number = 1;
	t->no = csp_intern_parts(csp, t->no);
	t->yes = csp_intern_parts(csp, t->yes);
	t->empty = csp_intern_parts(csp, csp_value_new(csp, V_SET, 0));
	vec_push(&t->events, t->nil); /* tau and tick have no value */
	vec_push(&t->events, t->nil);
}

void csp_values_release(struct csp *csp)
{
	mem_free(csp->values->slot);
	vec_release(&csp->values->events);
}

struct csp_value *csp_number(struct csp *csp, int64_t number)
{
	return csp_intern_plain(csp, V_NUMBER, number);
}

struct csp_value *csp_bool(struct csp *csp, bool yes)
{
	return yes ? csp->values->yes : csp->values->no;
}

struct csp_value *csp_cons(struct csp *csp, struct csp_value *first, struct csp_value *rest)
{
	struct csp_value *v = csp_value_new(csp, V_CONS, 2);

	v->at[0] = first;
	v->at[1] = rest;
	return v;
}

struct csp_value *csp_tuple(struct csp *csp, uint32_t n, struct csp_value **at)
{
	struct csp_value *v = csp_value_new(csp, V_TUPLE, n);

	memcpy(v->at, at, n * sizeof(*at));
	return v;
}

/* What stands in the union and tells two values apart. */
static uint64_t own_key(const struct csp_value *v)
{
	switch (v->kind) {
	case V_NUMBER:
	case V_BOOL:
	case V_CHAR:
	case V_INTS:
	case V_ANY: return (uint64_t)v->number;
	case V_DOT: return (uintptr_t)v->head;
	case V_FUNCTION: return v->function ? (uintptr_t)v->function : (uintptr_t)v->builtin;
	case V_PROCESS: return (uintptr_t)v->process;
	case V_FRAME:
	case V_DATATYPE:
	case V_LOCAL: return (uintptr_t)v->key;
	default: return 0;
	}
}

static uint32_t hash_of(const struct csp_value *v)
{
	uint64_t h = own_key(v) * 0x9e3779b97f4a7c15u + v->kind + 31 * (uint64_t)v->n;

	for (uint32_t i = 0; i < v->n; i++)
		h = (h ^ v->at[i]->hash ^ (uintptr_t)v->at[i]) * 0xff51afd7ed558ccdu;
	h ^= h >> 32;
	return (uint32_t)(h * 0x9e3779b1u) ^ (uint32_t)(h >> 15);
}

static bool same(const struct csp_value *a, const struct csp_value *b)
{
	return a->kind == b->kind && a->n == b->n && own_key(a) == own_key(b) &&
	       !memcmp(a->at, b->at, a->n * sizeof(a->at[0]));
}

static void grow(struct csp *csp)
{
	struct csp_values *t = csp->values;
	size_t slots = 2 * t->slots;

	csp_charge(csp, slots * sizeof(*t->slot));
	struct csp_value **slot = mem_alloc_zero(slots, sizeof(*slot));

	for (size_t i = 0; i < t->slots; i++) {
		if (!t->slot[i])
			continue;
		size_t at = t->slot[i]->hash & (slots - 1);

		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = t->slot[i];
	}
	mem_free(t->slot);
	t->slot = slot;
	t->slots = slots;
}

/* The slot of an equal value, or the free one where it belongs; its hash is set. */
static size_t find_slot(const struct csp_values *t, struct csp_value *v)
{
	v->hash = hash_of(v);
	size_t at = v->hash & (t->slots - 1);

	for (; t->slot[at]; at = (at + 1) & (t->slots - 1))
		if (t->slot[at]->hash == v->hash && same(t->slot[at], v))
			break;
	return at;
}

static struct csp_value *fill_slot(struct csp *csp, size_t at, struct csp_value *v)
{
	v->interned = true;
	csp->values->slot[at] = v;
	if (2 * ++csp->values->n > csp->values->slots)
		grow(csp);
	return v;
}

struct csp_value *csp_intern_parts(struct csp *csp, struct csp_value *v)
{
	size_t at = find_slot(csp->values, v);

	return csp->values->slot[at] ? csp->values->slot[at] : fill_slot(csp, at, v);
}

struct csp_value *csp_intern_plain(struct csp *csp, enum csp_value_kind kind, int64_t number)
{
	struct csp_value v = {.kind = (uint8_t)kind, .number = number};
	size_t at = find_slot(csp->values, &v);

	if (csp->values->slot[at])
		return csp->values->slot[at];
	return fill_slot(csp, at, csp_copy(csp, &v, sizeof(v)));
}

/* A cell of interned parts; most are there already, so that it is looked for before it is made. */
static struct csp_value *intern_cons(struct csp *csp, struct csp_value *first,
				     struct csp_value *rest)
{
	union {
		struct csp_value v;
		char room[sizeof(struct csp_value) + 2 * sizeof(struct csp_value *)];
	} cell = {.v = {.kind = V_CONS, .n = 2}};

	memcpy(cell.room + sizeof(cell.v), &first, sizeof(first));
	memcpy(cell.room + sizeof(cell.v) + sizeof(first), &rest, sizeof(rest));
	size_t at = find_slot(csp->values, &cell.v);

	if (csp->values->slot[at])
		return csp->values->slot[at];
	return fill_slot(csp, at, csp_copy(csp, &cell, sizeof(cell)));
}

/* Sequences may be long: from the end, without going deep. */
static struct csp_value *intern_seq(struct csp *csp, struct csp_value *v, struct csp_pos pos)
{
	struct csp_bag bag = {0};

	for (; v->kind == V_CONS && !v->interned; v = csp_force(csp, v->at[1], pos))
		csp_bag_add(csp, &bag, csp_intern(csp, v->at[0], pos));
	while (bag.n)
		v = intern_cons(csp, bag.at[--bag.n], v);
	return v;
}

struct csp_value *csp_intern(struct csp *csp, struct csp_value *v, struct csp_pos pos)
{
	v = csp_force(csp, v, pos);
	if (v->interned)
		return v;
	csp_check_depth(csp, pos);
	if (v->kind == V_CONS)
		return intern_seq(csp, v, pos);
	if (v->kind == V_FUNCTION)
		return csp_intern_function(csp, v, pos);
	if (v->kind == V_DATATYPE)
		return csp_set_finite(csp, v, pos);
	struct csp_value *copy = csp_value_new(csp, v->kind, v->n);

	memcpy(copy, v, sizeof(*v));
	for (uint32_t i = 0; i < v->n; i++)
		copy->at[i] = csp_intern(csp, v->at[i], pos);
	return csp_intern_parts(csp, copy);
}

int csp_compare(const struct csp_value *a, const struct csp_value *b)
{
	/* the first parts that differ decide: however deep, this does not call itself */
	for (;;) {
		if (a == b)
			return 0;
		if (a->kind != b->kind)
			return a->kind < b->kind ? -1 : 1;
		if (a->kind == V_DOT && a->head != b->head)
			return !a->head			       ? -1
			       : !b->head		       ? 1
			       : a->head->name < b->head->name ? -1
							       : 1;
		uint64_t ka = own_key(a), kb = own_key(b);

		if (ka != kb && a->kind == V_NUMBER)
			return a->number < b->number ? -1 : 1;
		if (ka != kb && a->kind == V_PROCESS)
			return a->hash < b->hash ? -1 : 1;
		if (ka != kb)
			return ka < kb ? -1 : 1;
		if (a->n != b->n)
			return a->n < b->n ? -1 : 1;
		uint32_t i = 0;

		while (i + 1 < a->n && a->at[i] == b->at[i])
			i++;
		a = a->at[i];
		b = b->at[i];
	}
}

bool csp_equal(struct csp *csp, struct csp_value *a, struct csp_value *b, struct csp_pos pos)
{
	a = csp_force(csp, a, pos);
	b = csp_force(csp, b, pos);
	if (a == b)
		return true;
	if (a->kind == V_DATATYPE || b->kind == V_DATATYPE)
		return csp_set_finite(csp, a, pos) == csp_set_finite(csp, b, pos);
	if ((a->interned && b->interned))
		return false;
	/* what can be infinite is compared as far as it is alike */
	while (a->kind == V_CONS && b->kind == V_CONS) {
		if (!csp_equal(csp, a->at[0], b->at[0], pos))
			return false;
		a = csp_force(csp, a->at[1], pos);
		b = csp_force(csp, b->at[1], pos);
	}
	if (a->kind == V_CONS || b->kind == V_CONS)
		return false;
	return csp_intern(csp, a, pos) == csp_intern(csp, b, pos);
}
