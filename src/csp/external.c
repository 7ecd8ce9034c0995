/* SPDX-License-Identifier: MIT */
/* What a script declares by `external` or `transparent` before it uses it, one row each. */
#include "csp/builtin.h"
#include "csp/priority.h"
#include "csp/set.h"

#include <string.h>

static struct csp_process *process_arg(struct csp *csp, const struct csp_call *c, uint32_t i)
{
	return csp_force(csp, c->args[i], c->pos)->process;
}

static struct csp_value *set_arg(struct csp *csp, const struct csp_call *c, uint32_t i)
{
	return csp_set_finite(csp, csp_force(csp, c->args[i], c->pos), c->pos);
}

static struct csp_value *identity(struct csp *csp, const struct csp_call *c)
{
	return csp_force(csp, c->args[0], c->pos);
}

static struct csp_value *chase(struct csp *csp, const struct csp_call *c)
{
	void *p = process_arg(csp, c, 0);

	return csp_process_value(csp, csp_process_make(csp, P_CHASE, NULL, NULL, 1, &p));
}

static struct csp_value *loop(struct csp *csp, const struct csp_call *c)
{
	struct csp_process *p = process_arg(csp, c, 0);

	return csp_process_value(csp, csp_process_two(csp, P_LOOP, NULL, p, p));
}

static struct csp_value *prioritise(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *list = csp_force(csp, c->args[1], c->pos);
	struct csp_bag sets = {0};

	for (; list->kind == V_CONS; list = csp_force(csp, list->at[1], c->pos))
		csp_bag_add(csp, &sets, csp_set_finite(csp, list->at[0], c->pos));
	if (!sets.n)
		csp_fail(csp, c->pos, "prioritise takes a sequence of at least one set");
	return csp_process_value(
		csp, csp_prioritised(csp, process_arg(csp, c, 0), sets.at, sets.n, c->pos));
}

static struct csp_value *prioritise_by(struct csp *csp, const struct csp_call *c)
{
	return csp_process_value(csp, csp_prioritised_by(csp, process_arg(csp, c, 0),
							 set_arg(csp, c, 1), set_arg(csp, c, 2),
							 set_arg(csp, c, 3), c->pos));
}

static struct csp_value *transpose(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *pairs = set_arg(csp, c, 0);
	struct csp_bag bag = {0};

	for (uint32_t i = 0; i < pairs->n; i++) {
		struct csp_value *pair[] = {pairs->at[i]->at[1], pairs->at[i]->at[0]};

		csp_bag_add(csp, &bag, csp_intern(csp, csp_tuple(csp, 2, pair), c->pos));
	}
	return csp_set_from(csp, &bag);
}

/* The pairs, and what is asked for: members of the pairs that have it at `at`. */
static struct csp_value *image(struct csp *csp, const struct csp_call *c, uint32_t at)
{
	struct csp_value *pairs = c->args[0], *v = csp_intern(csp, c->args[1], c->pos);
	struct csp_bag bag = {0};

	for (uint32_t i = 0; i < pairs->n; i++)
		if (pairs->at[i]->at[at] == v)
			csp_bag_add(csp, &bag, pairs->at[i]->at[1 - at]);
	return csp_set_from(csp, &bag);
}

static struct csp_value *image_of(struct csp *csp, const struct csp_call *c)
{
	return image(csp, c, 0);
}

static struct csp_value *inverse_image_of(struct csp *csp, const struct csp_call *c)
{
	return image(csp, c, 1);
}

/* A function of the pairs, which are its first argument already. */
static struct csp_value *with_pairs(struct csp *csp, const struct csp_call *c,
				    const struct csp_builtin *builtin)
{
	struct csp_value *f = csp_value_new(csp, V_FUNCTION, 1);

	f->builtin = builtin;
	f->at[0] = set_arg(csp, c, 0);
	return f;
}

static struct csp_value *relational_image(struct csp *csp, const struct csp_call *c)
{
	static const struct csp_builtin f = {"relational_image", "", 2, image_of};

	return with_pairs(csp, c, &f);
}

static struct csp_value *relational_inverse_image(struct csp *csp, const struct csp_call *c)
{
	static const struct csp_builtin f = {"relational_inverse_image", "", 2, inverse_image_of};

	return with_pairs(csp, c, &f);
}

static uint32_t place(const struct csp_value *set, const struct csp_value *v)
{
	uint32_t low = 0, high = set->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (csp_compare(set->at[middle], v) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t root(uint32_t *up, uint32_t i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

/*
 * What the pairs connect, in both directions, is one class. Of each class one member of the set
 * stands for the others: pairs of it and each of them.
 */
static struct csp_value *mtransclose(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *pairs = set_arg(csp, c, 0), *in = set_arg(csp, c, 1);
	struct csp_bag bag = {0}, result = {0};

	for (uint32_t i = 0; i < 2 * pairs->n; i++)
		csp_bag_add(csp, &bag, pairs->at[i / 2]->at[i % 2]);
	struct csp_value *all = csp_set_from(csp, &bag);
	uint32_t *up = csp_alloc(csp, (all->n + 1) * sizeof(*up));
	struct csp_value **first = csp_alloc(csp, (all->n + 1) * sizeof(*first));

	for (uint32_t i = 0; i < all->n; i++)
		up[i] = i;
	for (uint32_t i = 0; i < pairs->n; i++)
		up[root(up, place(all, pairs->at[i]->at[0]))] =
			root(up, place(all, pairs->at[i]->at[1]));
	for (uint32_t i = 0; i < all->n; i++) {
		if (!csp_set_has(csp, in, all->at[i], c->pos))
			continue;
		struct csp_value *pair[] = {first[root(up, i)], all->at[i]};

		if (pair[0])
			csp_bag_add(csp, &result, csp_intern(csp, csp_tuple(csp, 2, pair), c->pos));
		else
			first[root(up, i)] = all->at[i];
	}
	return csp_set_from(csp, &result);
}

#define COMPRESSION(name)                   \
	{                                   \
		name, "(P)->P", 1, identity \
	}

static const struct csp_builtin external[] = {
	COMPRESSION("normal"),
	COMPRESSION("normalise"),
	COMPRESSION("lazynorm"),
	COMPRESSION("sbisim"),
	COMPRESSION("wbisim"),
	COMPRESSION("dbisim"),
	COMPRESSION("diamond"),
	COMPRESSION("sbdia"),
	COMPRESSION("explicate"),
	COMPRESSION("lazyenumerate"),
	COMPRESSION("model_compress"),
	COMPRESSION("tau_loop_factor"),
	{"chase", "(P)->P", 1, chase},
	{"chase_nocache", "(P)->P", 1, chase},
	{"loop", "(P)->P", 1, loop},
	{"prioritise", "(P,<{E}>)->P", 2, prioritise},
	{"prioritise_nocache", "(P,<{E}>)->P", 2, prioritise},
	{"prioritisepo", "(P,{E},{(E,E)},{E})->P", 4, prioritise_by},
	{"transpose", "({(~a,~b)})->{(b,a)}", 1, transpose},
	{"relational_image", "({(=a,~b)})->(a)->{b}", 1, relational_image},
	{"relational_inverse_image", "({(~a,=b)})->(b)->{a}", 1, relational_inverse_image},
	{"mtransclose", "({(=a,a)},{a})->{(a,a)}", 2, mtransclose},
};

const struct csp_builtin *csp_external(const char *name)
{
	for (size_t i = 0; i < sizeof(external) / sizeof(*external); i++)
		if (!strcmp(external[i].name, name))
			return &external[i];
	return NULL;
}
