/* SPDX-License-Identifier: MIT */
/* Values with dots: channels and constructors and their fields. */
#include "csp/set.h"

#include <string.h>

static void add_field_set(struct csp *csp, struct csp_head *head, struct csp_value *set);

/* Pairs 0.1, 0.2 … as two fields; they have to be all combinations, as FDR wants. */
static void split_field_set(struct csp *csp, struct csp_head *head, struct csp_value *set)
{
	uint64_t product = 1;
	uint32_t parts = set->at[0]->n;

	for (uint32_t p = 0; p < parts; p++) {
		struct csp_bag bag = {0};

		for (uint32_t i = 0; i < set->n; i++) {
			if (set->at[i]->kind != V_DOT || set->at[i]->head || set->at[i]->n != parts)
				csp_fail(csp, head->pos,
					 "the type of %s has values of different shapes",
					 csp_name(csp, head->name));
			csp_bag_add(csp, &bag, set->at[i]->at[p]);
		}
		struct csp_value *part = csp_set_from(csp, &bag);

		product *= part->n;
		add_field_set(csp, head, part);
	}
	if (product != set->n)
		csp_fail(csp, head->pos, "the type of %s is not all combinations of its fields",
			 csp_name(csp, head->name));
}

static void add_field_set(struct csp *csp, struct csp_head *head, struct csp_value *set)
{
	if (set->kind == V_SET && set->n && set->at[0]->kind == V_DOT && !set->at[0]->head) {
		split_field_set(csp, head, set);
		return;
	}
	if (set->kind == V_DOT && !set->head) {
		for (uint32_t i = 0; i < set->n; i++)
			add_field_set(csp, head, csp_force(csp, set->at[i], head->pos));
		return;
	}
	struct csp_value **field = csp_alloc(csp, (head->arity + 1) * sizeof(*field));

	if (head->arity)
		memcpy(field, head->field, head->arity * sizeof(*field));
	if (set->kind != V_SET && set->kind != V_INTS && set->kind != V_SEQS &&
	    set->kind != V_TUPLE && set->kind != V_DATATYPE && set->kind != V_ANY)
		csp_fail(csp, head->type->pos, "the type of %s has to be a set, not %s",
			 csp_name(csp, head->name), csp_value_text(csp, set));
	field[head->arity++] = set;
	head->field = field;
}

void csp_head_prepare(struct csp *csp, struct csp_head *head)
{
	if (head->ready)
		return;
	head->ready = true;
	if (head->type)
		add_field_set(csp, head, csp_eval(csp, head->type, csp->globals->frame));
}

/* The number of fields; known before the sets are, so that types may speak of themselves. */
static uint32_t arity(struct csp *csp, const struct csp_value *v)
{
	csp_head_prepare(csp, v->head);
	return v->head->arity;
}

/* Down the last fields, which may be many: nothing here calls itself. */
bool csp_is_whole(struct csp *csp, const struct csp_value *v)
{
	for (; v->kind == V_DOT; v = v->at[v->n - 1]) {
		if (v->head && v->n != arity(csp, v))
			return false;
		if (!v->n)
			break;
	}
	return true;
}

static struct csp_value *append(struct csp *csp, const struct csp_value *a, struct csp_value *b)
{
	struct csp_value *v = csp_value_new(csp, V_DOT, a->n + 1);

	v->head = a->head;
	memcpy(v->at, a->at, a->n * sizeof(a->at[0]));
	v->at[a->n] = b;
	return v;
}

static struct csp_value *pair(struct csp *csp, struct csp_value *a, struct csp_value *b)
{
	struct csp_value *v = csp_value_new(csp, V_DOT, 2);

	v->at[0] = a;
	v->at[1] = b;
	return v;
}

static struct csp_value *dot_one(struct csp *csp, struct csp_value *a, struct csp_value *b,
				 struct csp_pos pos)
{
	csp_check_depth(csp, pos);
	if (a->kind != V_DOT)
		return pair(csp, a, b);
	if (a->n && !csp_is_whole(csp, a->at[a->n - 1])) {
		struct csp_value *last = dot_one(csp, a->at[a->n - 1], b, pos);
		struct csp_value *v = csp_value_new(csp, V_DOT, a->n);

		v->head = a->head;
		memcpy(v->at, a->at, a->n * sizeof(a->at[0]));
		v->at[a->n - 1] = last;
		return v;
	}
	if (!a->head || a->n < arity(csp, a))
		return append(csp, a, b);
	return pair(csp, a, b);
}

struct csp_value *csp_dot(struct csp *csp, struct csp_value *a, struct csp_value *b,
			  struct csp_pos pos)
{
	if (b->kind != V_DOT || b->head)
		return dot_one(csp, a, b, pos);
	for (uint32_t i = 0; i < b->n; i++)
		a = dot_one(csp, a, b->at[i], pos);
	return a;
}

struct csp_value *csp_next_field(struct csp *csp, struct csp_value *v)
{
	struct csp_value *next = NULL;

	for (; v->kind == V_DOT; v = v->at[v->n - 1]) {
		if (v->head && v->n < arity(csp, v))
			next = v->head->field[v->n];
		if (!v->n)
			break;
	}
	return next;
}

struct completion {
	bool only_added;
	uint32_t begun; /* the field that was given in part, or none */
	struct csp_bag bag;
	struct csp_pos pos;
};

/* A field may be of a set that has not all values of its type: A.Y.0 and no A.Y.1. */
static bool begun_fits(struct csp *csp, const struct completion *c, struct csp_value *v)
{
	if (v->kind != V_DOT || !v->head || c->begun >= v->n)
		return true;
	return csp_set_has(csp, v->head->field[c->begun], v->at[c->begun], c->pos);
}

static void complete(struct csp *csp, struct completion *c, struct csp_value *v,
		     struct csp_value *added)
{
	struct csp_value *next = csp_next_field(csp, v);
	struct csp_pos pos = c->pos;

	csp_check_depth(csp, pos);
	if (!next) {
		if (c->only_added && !added)
			csp_fail(csp, pos, "%s is whole, and has no extensions",
				 csp_value_text(csp, v));
		if (begun_fits(csp, c, v))
			csp_bag_add(csp, &c->bag, csp_intern(csp, c->only_added ? added : v, pos));
		return;
	}
	next = csp_set_finite(csp, next, pos);
	for (uint32_t i = 0; i < next->n; i++)
		complete(csp, c, csp_dot(csp, v, next->at[i], pos),
			 !c->only_added ? NULL
			 : added	? csp_dot(csp, added, next->at[i], pos)
					: next->at[i]);
}

struct csp_value *csp_completions(struct csp *csp, struct csp_value *v, bool added,
				  struct csp_pos pos)
{
	struct completion c = {.only_added = added, .begun = UINT32_MAX, .pos = pos};

	if (v->kind == V_DOT && v->n && !csp_is_whole(csp, v->at[v->n - 1]))
		c.begun = v->n - 1;
	complete(csp, &c, v, NULL);
	return csp_set_from(csp, &c.bag);
}

static uint32_t field_not_carried(struct csp *csp, const struct csp_value *v, struct csp_pos pos)
{
	uint32_t i = 0;

	while (i < v->n && csp_set_has(csp, v->head->field[i], v->at[i], pos))
		i++;
	return i;
}

bool csp_never_happens(struct csp *csp, struct csp_value *v, struct csp_pos pos)
{
	return csp->leaves_out && v->kind == V_DOT && v->head && v->head->outside &&
	       csp_is_whole(csp, v) && field_not_carried(csp, v, pos) < v->n;
}

void csp_check_carried(struct csp *csp, struct csp_value *v, struct csp_pos pos)
{
	uint32_t i = field_not_carried(csp, v, pos);

	if (i < v->n)
		csp_fail(csp, pos, "%s %s cannot carry %s as its field %u",
			 v->head->channel ? "the channel" : "the constructor",
			 csp_name(csp, v->head->name), csp_value_text(csp, v->at[i]), i + 1);
}

void csp_check_fields(struct csp *csp, struct csp_value *v, struct csp_pos pos)
{
	if (v->kind != V_DOT || !v->head)
		csp_fail(csp, pos, "an event is expected here, not %s", csp_value_text(csp, v));
	if (!v->head->channel)
		csp_fail(csp, pos, "%s is no channel, so that this is no event: %s",
			 csp_name(csp, v->head->name), csp_value_text(csp, v));
	if (!csp_is_whole(csp, v))
		csp_fail(csp, pos, "this is no whole event, a field is missing: %s",
			 csp_value_text(csp, v));
	csp_check_carried(csp, v, pos);
}
