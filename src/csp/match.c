/* SPDX-License-Identifier: MIT */
/* Patterns. */
#include "csp/set.h"

#include <string.h>

uint32_t csp_pattern_width(const struct csp_expr *p)
{
	uint32_t n = 0;

	if (p->kind == E_BOTH) {
		uint32_t other = csp_pattern_width(p->kid[1]);

		n = csp_pattern_width(p->kid[0]);
		return n > other ? n : other;
	}
	if (p->kind != E_DOT || (p->kid[0]->kind == E_NAME && p->kid[0]->global))
		return 1;
	for (uint32_t i = 0; i < p->n; i++)
		n += csp_pattern_width(p->kid[i]);
	return n;
}

/* The first n of what is left, as one value. */
static struct csp_value *take(struct csp *csp, struct csp_value *const *left, uint32_t all,
			      uint32_t n)
{
	struct csp_value *v = csp_value_new(csp, V_DOT, n);

	for (uint32_t k = 0; k < n; k++)
		v->at[k] = left[all - 1 - k];
	return v;
}

/* Dotted patterns open what they name: B.D.x against B.(D.0).1 leaves 0.1 for x. */
static bool match_dots(struct csp *csp, const struct csp_expr *p, struct csp_value *v,
		       struct csp_env *env)
{
	uint32_t capacity = 1, n = 1;
	struct csp_value **left = csp_alloc(csp, sizeof(*left)); /* what is left, the first last */

	left[0] = v;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct csp_expr *part = p->kid[i];

		if (!n)
			return false;
		struct csp_value *next = csp_force(csp, left[n - 1], p->pos);
		bool opens = part->kind == E_NAME && part->global;

		if (next->kind == V_DOT && (opens || !next->head)) {
			if (opens && next->head) {
				struct csp_value *own = csp->globals->frame->at[part->slot.index];

				if (own->head != next->head)
					return false;
			}
			if (capacity < n - 1 + next->n) {
				struct csp_value **more =
					csp_alloc(csp, (n + next->n) * sizeof(*more));

				memcpy(more, left, (n - 1) * sizeof(*more));
				left = more;
				capacity = n + next->n;
			}
			n--;
			for (uint32_t k = next->n; k-- > 0;)
				left[n++] = next->at[k];
			if (!opens || !next->head)
				i--; /* a list: again with its first */
			continue;
		}
		if (opens)
			return false;
		/* the last one takes all that is left */
		uint32_t width = i + 1 < p->n ? csp_pattern_width(part) : n;

		if (width > n)
			return false;
		if (!csp_match(csp, part, width == 1 ? next : take(csp, left, n, width), env))
			return false;
		n -= width;
	}
	return !n;
}

static bool match_seq(struct csp *csp, const struct csp_expr *p, struct csp_value **rest,
		      struct csp_env *env)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct csp_value *v = csp_force(csp, *rest, p->pos);

		if (v->kind != V_CONS || !csp_match(csp, p->kid[i], v->at[0], env))
			return false;
		*rest = v->at[1];
	}
	return true;
}

/* The parts of a ^ b ^ c, in order; only one may be of any length. */
static uint32_t flatten(struct csp *csp, const struct csp_expr *p, const struct csp_expr **part,
			uint32_t n, uint32_t most)
{
	if (p->kind == E_CONCAT) {
		n = flatten(csp, p->kid[0], part, n, most);
		return flatten(csp, p->kid[1], part, n, most);
	}
	if (n == most)
		csp_fail(csp, p->pos, "this pattern has too many parts");
	part[n] = p;
	return n + 1;
}

static bool match_concat(struct csp *csp, const struct csp_expr *p, struct csp_value *v,
			 struct csp_env *env)
{
	const struct csp_expr *part[64];
	uint32_t n = flatten(csp, p, part, 0, 64), i = 0;

	for (; i < n && part[i]->kind == E_SEQ; i++)
		if (!match_seq(csp, part[i], &v, env))
			return false;
	if (i == n)
		return csp_force(csp, v, p->pos)->kind == V_NIL;
	/* what stands behind the part of any length has a length */
	uint32_t fixed = 0;
	size_t length = 0;

	for (uint32_t k = i + 1; k < n; k++) {
		if (part[k]->kind != E_SEQ)
			csp_fail(csp, p->pos, "two parts of this pattern may have any length");
		fixed += part[k]->n;
	}
	if (!fixed)
		return csp_match(csp, part[i], v, env);
	v = csp_force(csp, v, p->pos);
	for (struct csp_value *c = v; c->kind == V_CONS; c = csp_force(csp, c->at[1], p->pos))
		length++;
	if (length < fixed)
		return false;
	struct csp_bag middle = {0};

	for (; length > fixed; length--) {
		csp_bag_add(csp, &middle, v->at[0]);
		v = csp_force(csp, v->at[1], p->pos);
	}
	struct csp_value *seq = csp->values->nil;

	while (middle.n)
		seq = csp_cons(csp, middle.at[--middle.n], seq);
	if (!csp_match(csp, part[i], seq, env))
		return false;
	for (uint32_t k = i + 1; k < n; k++)
		if (!match_seq(csp, part[k], &v, env))
			return false;
	return true;
}

static bool match_set(struct csp *csp, const struct csp_expr *p, struct csp_value *v,
		      struct csp_env *env)
{
	v = csp_set_finite(csp, v, p->pos);
	return v->n == p->n && (!v->n || csp_match(csp, p->kid[0], v->at[0], env));
}

static bool match_name(struct csp *csp, const struct csp_expr *p, struct csp_value *v,
		       struct csp_env *env)
{
	if (p->global) {
		v = csp_force(csp, v, p->pos);
		struct csp_value *own = csp->globals->frame->at[p->slot.index];

		return v->kind == V_DOT && v->head == own->head && !v->n;
	}
	env->at[p->slot.index] = v;
	return true;
}

bool csp_match(struct csp *csp, const struct csp_expr *p, struct csp_value *v, struct csp_env *env)
{
	csp_check_depth(csp, p->pos);
	if (p->kind == E_WILD)
		return true;
	if (p->kind == E_NAME)
		return match_name(csp, p, v, env);
	if (p->kind == E_BOTH)
		return csp_match(csp, p->kid[0], v, env) && csp_match(csp, p->kid[1], v, env);
	v = csp_force(csp, v, p->pos);
	switch (p->kind) {
	case E_NUMBER: return v->kind == V_NUMBER && v->number == p->number;
	case E_NEGATE: return v->kind == V_NUMBER && v->number == -p->kid[0]->number;
	case E_BOOL: return v->kind == V_BOOL && v->number == p->number;
	case E_CHAR: return v->kind == V_CHAR && v->number == p->number;
	case E_DOT: return match_dots(csp, p, v, env);
	case E_TUPLE:
		if (v->kind != V_TUPLE || v->n != p->n)
			return false;
		for (uint32_t i = 0; i < p->n; i++)
			if (!csp_match(csp, p->kid[i], v->at[i], env))
				return false;
		return true;
	case E_SEQ: return match_seq(csp, p, &v, env) && csp_force(csp, v, p->pos)->kind == V_NIL;
	case E_CONCAT: return match_concat(csp, p, v, env);
	case E_SET: return match_set(csp, p, v, env);
	default: BUG("no pattern");
	}
}

uint32_t csp_pattern_slots(const struct csp_expr *p)
{
	uint32_t n = p->kind == E_NAME && !p->global;

	for (uint32_t i = 0; i < p->n; i++)
		n += csp_pattern_slots(p->kid[i]);
	return n;
}
