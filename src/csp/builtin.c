/* SPDX-License-Identifier: MIT */
/* What is built in, one row each. */
#include "csp/builtin.h"
#include "csp/process.h"
#include "csp/set.h"

#include <string.h>

typedef struct csp_value *run_fn(struct csp *csp, const struct csp_call *call);

static struct csp_value *set_arg(struct csp *csp, const struct csp_call *call, uint32_t i)
{
	return csp_set_finite(csp, call->args[i], call->pos);
}

static struct csp_value *seq_arg(struct csp *csp, const struct csp_call *call, uint32_t i)
{
	struct csp_value *v = csp_force(csp, call->args[i], call->pos);

	if (v->kind != V_NIL && v->kind != V_CONS)
		csp_fail(csp, call->pos, "a sequence is expected here, not %s",
			 csp_value_text(csp, v));
	return v;
}

static struct csp_value *next(struct csp *csp, const struct csp_call *call, struct csp_value *v)
{
	return csp_force(csp, v->at[1], call->pos);
}

static struct csp_value *seq_from(struct csp *csp, struct csp_value **at, size_t n)
{
	struct csp_value *v = csp->values->nil;

	while (n)
		v = csp_cons(csp, at[--n], v);
	return v;
}

static struct csp_value *set_union(struct csp *csp, const struct csp_call *c)
{
	return csp_set_union(csp, c->args[0], c->args[1], c->pos);
}

static struct csp_value *set_inter(struct csp *csp, const struct csp_call *c)
{
	return csp_set_inter(csp, c->args[0], c->args[1], c->pos);
}

static struct csp_value *set_diff(struct csp *csp, const struct csp_call *c)
{
	return csp_set_diff(csp, c->args[0], c->args[1], c->pos);
}

static struct csp_value *big_union(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *sets = set_arg(csp, c, 0), *all = csp->values->empty;

	for (uint32_t i = 0; i < sets->n; i++)
		all = csp_set_union(csp, all, sets->at[i], c->pos);
	return all;
}

static struct csp_value *big_inter(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *sets = set_arg(csp, c, 0);

	if (!sets->n)
		csp_fail(csp, c->pos, "Inter of no sets at all is not a set");
	struct csp_value *all = sets->at[0];

	for (uint32_t i = 1; i < sets->n; i++)
		all = csp_set_inter(csp, all, sets->at[i], c->pos);
	return all;
}

static struct csp_value *member(struct csp *csp, const struct csp_call *c)
{
	return csp_bool(csp, csp_set_has(csp, c->args[1], c->args[0], c->pos));
}

static struct csp_value *card(struct csp *csp, const struct csp_call *c)
{
	return csp_number(csp, set_arg(csp, c, 0)->n);
}

static struct csp_value *empty(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *v = csp_force(csp, c->args[0], c->pos);

	return csp_bool(csp, v->kind != V_INTS && v->kind != V_SEQS && !set_arg(csp, c, 0)->n);
}

static struct csp_value *set_of_seq(struct csp *csp, const struct csp_call *c)
{
	struct csp_bag bag = {0};

	for (struct csp_value *v = seq_arg(csp, c, 0); v->kind == V_CONS; v = next(csp, c, v))
		csp_bag_add(csp, &bag, csp_intern(csp, v->at[0], c->pos));
	return csp_set_from(csp, &bag);
}

static struct csp_value *seq_of_set(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *set = set_arg(csp, c, 0);

	return seq_from(csp, set->at, set->n);
}

static struct csp_value *power(struct csp *csp, const struct csp_call *c)
{
	return csp_set_power(csp, c->args[0], c->pos);
}

static struct csp_value *all_seqs(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *v = csp_value_new(csp, V_SEQS, 1);

	v->at[0] = csp_force(csp, c->args[0], c->pos);
	return v;
}

static struct csp_value *length(struct csp *csp, const struct csp_call *c)
{
	int64_t n = 0;

	for (struct csp_value *v = seq_arg(csp, c, 0); v->kind == V_CONS; v = next(csp, c, v))
		n++;
	return csp_number(csp, n);
}

static struct csp_value *null(struct csp *csp, const struct csp_call *c)
{
	return csp_bool(csp, seq_arg(csp, c, 0)->kind == V_NIL);
}

static struct csp_value *head(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *v = seq_arg(csp, c, 0);

	if (v->kind == V_NIL)
		csp_fail(csp, c->pos, "head of an empty sequence");
	return csp_force(csp, v->at[0], c->pos);
}

static struct csp_value *tail(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *v = seq_arg(csp, c, 0);

	if (v->kind == V_NIL)
		csp_fail(csp, c->pos, "tail of an empty sequence");
	return next(csp, c, v);
}

static struct csp_value *concat(struct csp *csp, const struct csp_call *c)
{
	struct csp_bag bag = {0};

	for (struct csp_value *v = seq_arg(csp, c, 0); v->kind == V_CONS; v = next(csp, c, v)) {
		struct csp_call inner = {.args = v->at, .pos = c->pos};

		for (struct csp_value *in = seq_arg(csp, &inner, 0); in->kind == V_CONS;
		     in = next(csp, c, in))
			csp_bag_add(csp, &bag, in->at[0]);
	}
	return seq_from(csp, bag.at, bag.n);
}

static struct csp_value *elem(struct csp *csp, const struct csp_call *c)
{
	for (struct csp_value *v = seq_arg(csp, c, 1); v->kind == V_CONS; v = next(csp, c, v))
		if (csp_equal(csp, c->args[0], v->at[0], c->pos))
			return csp_bool(csp, true);
	return csp_bool(csp, false);
}

static struct csp_value *error(struct csp *csp, const struct csp_call *c)
{
	csp_fail(csp, c->pos, "error: %s",
		 csp_value_text(csp, csp_intern(csp, c->args[0], c->pos)));
}

static struct csp_value *show(struct csp *csp, const struct csp_call *c)
{
	const char *text = csp_value_text(csp, csp_force(csp, c->args[0], c->pos));
	struct csp_bag bag = {0};

	for (; *text; text++) {
		struct csp_value *v = csp_value_new(csp, V_CHAR, 0);

		v->number = (unsigned char)*text;
		csp_bag_add(csp, &bag, csp_intern_parts(csp, v));
	}
	return seq_from(csp, bag.at, bag.n);
}

static struct csp_value *extensions(struct csp *csp, const struct csp_call *c)
{
	return csp_completions(csp, csp_force(csp, c->args[0], c->pos), true, c->pos);
}

static struct csp_value *productions(struct csp *csp, const struct csp_call *c)
{
	return csp_completions(csp, csp_force(csp, c->args[0], c->pos), false, c->pos);
}

static struct csp_value *map_arg(struct csp *csp, const struct csp_call *c, uint32_t i)
{
	struct csp_value *m = csp_force(csp, c->args[i], c->pos);

	if (m->kind != V_MAP)
		csp_fail(csp, c->pos, "a map is expected here, not %s", csp_value_text(csp, m));
	return m;
}

static bool map_find(const struct csp_value *m, const struct csp_value *key, uint32_t *at)
{
	for (*at = 0; *at < m->n; *at += 2) {
		int order = csp_compare(key, m->at[*at]);

		if (order <= 0)
			return !order;
	}
	return false;
}

struct csp_value *csp_map_update(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *m = map_arg(csp, c, 0), *key = csp_intern(csp, c->args[1], c->pos);
	uint32_t at;
	bool found = map_find(m, key, &at);
	struct csp_value *more = csp_value_new(csp, V_MAP, m->n + (found ? 0 : 2));

	memcpy(more->at, m->at, at * sizeof(m->at[0]));
	more->at[at] = key;
	more->at[at + 1] = csp_force(csp, c->args[2], c->pos);
	memcpy(more->at + at + 2, m->at + at + (found ? 2 : 0),
	       (m->n - at - (found ? 2 : 0)) * sizeof(m->at[0]));
	return more;
}

static struct csp_value *map_delete(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *m = map_arg(csp, c, 0);
	uint32_t at;

	if (!map_find(m, csp_intern(csp, c->args[1], c->pos), &at))
		return m;
	struct csp_value *less = csp_value_new(csp, V_MAP, m->n - 2);

	memcpy(less->at, m->at, at * sizeof(m->at[0]));
	memcpy(less->at + at, m->at + at + 2, (less->n - at) * sizeof(m->at[0]));
	return less;
}

/* The map m, updated by each pair of argument i in turn. */
static struct csp_value *map_with(struct csp *csp, const struct csp_call *c, struct csp_value *m,
				  uint32_t i)
{
	for (struct csp_value *v = seq_arg(csp, c, i); v->kind == V_CONS; v = next(csp, c, v)) {
		struct csp_value *pair = csp_force(csp, v->at[0], c->pos);

		if (pair->kind != V_TUPLE || pair->n != 2)
			csp_fail(csp, c->pos, "pairs are expected here, not %s",
				 csp_value_text(csp, pair));
		struct csp_value *args[] = {m, pair->at[0], pair->at[1]};

		m = csp_map_update(csp, &(struct csp_call){args, c->pos});
	}
	return m;
}

static struct csp_value *map_from_list(struct csp *csp, const struct csp_call *c)
{
	return map_with(csp, c, csp_value_new(csp, V_MAP, 0), 0);
}

static struct csp_value *map_update_multiple(struct csp *csp, const struct csp_call *c)
{
	return map_with(csp, c, map_arg(csp, c, 0), 1);
}

static struct csp_value *map_lookup(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *m = map_arg(csp, c, 0), *key = csp_intern(csp, c->args[1], c->pos);
	uint32_t at;

	if (!map_find(m, key, &at))
		csp_fail(csp, c->pos, "the map has no %s", csp_value_text(csp, key));
	return csp_force(csp, m->at[at + 1], c->pos);
}

static struct csp_value *map_member(struct csp *csp, const struct csp_call *c)
{
	uint32_t at;

	return csp_bool(csp,
			map_find(map_arg(csp, c, 0), csp_intern(csp, c->args[1], c->pos), &at));
}

static struct csp_value *map_to_list(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *m = map_arg(csp, c, 0), *v = csp->values->nil;

	for (uint32_t i = m->n; i; i -= 2)
		v = csp_cons(csp, csp_tuple(csp, 2, m->at + i - 2), v);
	return v;
}

static struct csp_value *empty_map(struct csp *csp, const struct csp_call *c)
{
	(void)c;
	return csp_intern_parts(csp, csp_value_new(csp, V_MAP, 0));
}

/* Each key has one of the values, or none. */
static struct csp_value *all_maps(struct csp *csp, const struct csp_call *c)
{
	struct csp_value *keys = set_arg(csp, c, 0), *values = set_arg(csp, c, 1);
	uint32_t *chosen = csp_alloc(csp, (keys->n + 1) * sizeof(*chosen)), i;
	struct csp_bag bag = {0};

	do {
		struct csp_value *m = csp_value_new(csp, V_MAP, 2 * keys->n);

		m->n = 0;
		for (i = 0; i < keys->n; i++)
			if (chosen[i]) {
				m->at[m->n++] = keys->at[i];
				m->at[m->n++] = values->at[chosen[i] - 1];
			}
		csp_bag_add(csp, &bag, csp_intern_parts(csp, m));
		for (i = 0; i < keys->n && chosen[i] == values->n; i++)
			chosen[i] = 0;
		if (i < keys->n)
			chosen[i]++;
	} while (i < keys->n);
	return csp_set_from(csp, &bag);
}

static struct csp_value *stop(struct csp *csp, const struct csp_call *c)
{
	(void)c;
	return csp_process_value(csp, csp_process_plain(csp, P_STOP));
}

static struct csp_value *skip(struct csp *csp, const struct csp_call *c)
{
	(void)c;
	return csp_process_value(csp, csp_process_plain(csp, P_SKIP));
}

static struct csp_value *diverge(struct csp *csp, const struct csp_call *c)
{
	(void)c;
	return csp_process_value(csp, csp_process_plain(csp, P_DIV));
}

static struct csp_value *chaos(struct csp *csp, const struct csp_call *c)
{
	return csp_process_value(csp, csp_process_over(csp, P_CHAOS, set_arg(csp, c, 0), c->pos));
}

static struct csp_value *run(struct csp *csp, const struct csp_call *c)
{
	return csp_process_value(csp, csp_process_over(csp, P_RUN, set_arg(csp, c, 0), c->pos));
}

static struct csp_value *events(struct csp *csp, const struct csp_call *c)
{
	return csp_set_events(csp, c->pos);
}

static struct csp_value *ints(struct csp *csp, const struct csp_call *c)
{
	(void)c;
	return csp_intern_parts(csp, csp_value_new(csp, V_INTS, 0));
}

static struct csp_value *bools(struct csp *csp, const struct csp_call *c)
{
	struct csp_bag bag = {0};

	(void)c;
	csp_bag_add(csp, &bag, csp_bool(csp, false));
	csp_bag_add(csp, &bag, csp_bool(csp, true));
	return csp_set_from(csp, &bag);
}

static struct csp_value *any(struct csp *csp, const struct csp_call *c)
{
	(void)c;
	return csp_intern_parts(csp, csp_value_new(csp, V_ANY, 0));
}

/* Types: csp_type_from. */
const struct csp_builtin csp_builtins[] = {
	{"STOP", "P", 0, stop},
	{"SKIP", "P", 0, skip},
	{"DIV", "P", 0, diverge},
	{"CHAOS", "({E})->P", 1, chaos},
	{"RUN", "({E})->P", 1, run},
	{"BUFFER", "(I,{(E,E)})->P", 2, csp_buffer},
	{"Events", "{E}", 0, events},
	{"Int", "{I}", 0, ints},
	{"Bool", "{B}", 0, bools},
	{"Char", "{C}", 0, any},
	{"Proc", "{P}", 0, any},
	{"union", "({~a},{a})->{a}", 2, set_union},
	{"inter", "({~a},{a})->{a}", 2, set_inter},
	{"diff", "({~a},{a})->{a}", 2, set_diff},
	{"Union", "({{~a}})->{a}", 1, big_union},
	{"Inter", "({{~a}})->{a}", 1, big_inter},
	{"member", "(=a,{a})->B", 2, member},
	{"card", "({=a})->I", 1, card},
	{"empty", "({=a})->B", 1, empty},
	{"set", "(<~a>)->{a}", 1, set_of_seq},
	{"seq", "({=a})-><a>", 1, seq_of_set},
	{"Set", "({~a})->{{a}}", 1, power},
	{"Seq", "({~a})->{<a>}", 1, all_seqs},
	{"length", "(<a>)->I", 1, length},
	{"null", "(<a>)->B", 1, null},
	{"head", "(<a>)->a", 1, head},
	{"tail", "(<a>)-><a>", 1, tail},
	{"concat", "(<<a>>)-><a>", 1, concat},
	{"elem", "(=a,<a>)->B", 2, elem},
	{"error", "(<C>)->a", 1, error},
	{"show", "(a)-><C>", 1, show},
	{"extensions", "(?)->{?}", 1, extensions},
	{"productions", "(?)->{?}", 1, productions},
	{"Map", "({~a},{~b})->{[a,b]}", 2, all_maps},
	{"emptyMap", "[~a,b]", 0, empty_map},
	{"mapFromList", "(<(~a,b)>)->[a,b]", 1, map_from_list},
	{"mapLookup", "([~a,b],a)->b", 2, map_lookup},
	{"mapMember", "([~a,b],a)->B", 2, map_member},
	{"mapToList", "([~a,b])-><(a,b)>", 1, map_to_list},
	{"mapUpdate", "([~a,b],a,b)->[a,b]", 3, csp_map_update},
	{"mapDelete", "([~a,b],a)->[a,b]", 2, map_delete},
	{"mapUpdateMultiple", "([~a,b],<(a,b)>)->[a,b]", 2, map_update_multiple},
};
const size_t csp_builtin_count = sizeof(csp_builtins) / sizeof(*csp_builtins);
