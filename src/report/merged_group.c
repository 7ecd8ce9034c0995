/* SPDX-License-Identifier: MIT */
#include "report/merged.h"

#include <stdio.h>
#include <string.h>

/* Sets of keys, each with all keys of the findings that have one of them. */
struct groups {
	struct intern keys;
	VEC(uint32_t) parents; /* of a key, in its set; the root is its own */
	merged_text key;
};

static uint32_t root_of(struct groups *g, uint32_t key)
{
	while (g->parents.at[key] != key) {
		g->parents.at[key] = g->parents.at[g->parents.at[key]];
		key = g->parents.at[key];
	}
	return key;
}

static void join(struct groups *g, uint32_t *set)
{
	uint32_t key = intern_add(&g->keys, g->key.at, g->key.n);

	if (key == g->parents.n)
		vec_push(&g->parents, key);
	if (*set == UINT32_MAX)
		*set = root_of(g, key);
	else
		g->parents.at[root_of(g, key)] = root_of(g, *set);
}

static void begin_key(struct groups *g, const struct merged_finding *f, char what)
{
	g->key.n = 0;
	vec_push(&g->key, what);
	vec_push(&g->key, f->suppressed ? 's' : '-');
	merged_append(&g->key, json_text(f->node, "title"));
	vec_push(&g->key, '\n');
}

static size_t digits_of(const char *text)
{
	return strspn(text, "0123456789");
}

/* `heap:a.c:3~2+8` is `heap:a.c:3+8`, or with no parts `heap:a.c:3`; `a[3]` then is `a[]`. */
static void append_variable(merged_text *text, const char *name, bool parts)
{
	while (*name) {
		bool drop = *name == '~' || (!parts && (*name == '+' || *name == '['));
		size_t digits = drop ? digits_of(name + 1) : 0;

		if (digits)
			name += 1 + digits;
		else
			vec_push(text, *name++);
	}
}

static void append_side(merged_text *text, const struct json_node *event)
{
	const struct json_node *location = json_member(event, "location");

	vec_push(text, '\n');
	merged_append(text, json_text(location, "text"));
}

static void join_variable(struct groups *g, const struct merged_finding *f, const char *variable,
			  uint32_t *set)
{
	begin_key(g, f, 'v');
	append_variable(&g->key, variable, true);
	join(g, set);
	for (const struct json_node *n = merged_events(f); n; n = n->next) {
		if (!json_member(n, "location"))
			continue;
		begin_key(g, f, 'p');
		append_variable(&g->key, variable, false);
		append_side(&g->key, n);
		join(g, set);
	}
}

static void join_functions(struct groups *g, const struct merged_finding *f, uint32_t *set)
{
	bool has_place = false;

	begin_key(g, f, 'f');
	for (const struct json_node *n = merged_events(f); n; n = n->next) {
		merged_append(&g->key, merged_place_of(n).file);
		vec_push(&g->key, ' ');
		merged_append(&g->key, merged_place_of(n).function);
		vec_push(&g->key, '\n');
		has_place |= *merged_place_of(n).file;
	}
	if (!has_place)
		merged_append(&g->key, json_text(f->node, "fingerprint"));
	join(g, set);
}

static uint32_t set_of(struct groups *g, const struct merged_finding *f)
{
	const char *variable = json_text(f->node, "variable");
	uint32_t set = UINT32_MAX;

	if (*variable)
		join_variable(g, f, variable, &set);
	else
		join_functions(g, f, &set);
	return set;
}

void merged_number_groups(const struct merged *m, uint32_t *groups)
{
	struct groups g = {0};
	VEC(uint32_t) numbers = {0}; /* of a root, 1 + its group */
	uint32_t next = 0;

	for (size_t i = 0; i < m->findings.n; i++)
		groups[i] = set_of(&g, &m->findings.at[i]);
	vec_extend(&numbers, g.parents.n);
	for (size_t i = 0; i < m->findings.n; i++) {
		uint32_t root = root_of(&g, groups[i]);

		if (!numbers.at[root])
			numbers.at[root] = ++next;
		groups[i] = numbers.at[root] - 1;
	}
	vec_release(&numbers);
	vec_release(&g.parents);
	vec_release(&g.key);
	intern_release(&g.keys);
}
