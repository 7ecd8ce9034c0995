/* SPDX-License-Identifier: MIT */
#include "report/alike.h"

#include <stdio.h>
#include <string.h>

static uint32_t root_of(struct alike *g, uint32_t key)
{
	while (g->parents.at[key] != key) {
		g->parents.at[key] = g->parents.at[g->parents.at[key]];
		key = g->parents.at[key];
	}
	return key;
}

static void append(group_key *key, const char *text, size_t length)
{
	vec_reserve(key, key->n + length);
	for (size_t i = 0; i < length; i++)
		key->at[key->n++] = text[i];
}

static void append_text(group_key *key, const char *text)
{
	append(key, text, strlen(text));
}

/* The finding has this key, too: the sets of both are one. */
static void join(struct alike *g, const group_key *text)
{
	uint32_t key = intern_add(&g->keys, text->at, text->n);
	uint32_t *set = &g->sets.at[g->sets.n - 1];

	if (key == g->parents.n)
		vec_push(&g->parents, key);
	if (*set == UINT32_MAX)
		*set = key;
	else
		g->parents.at[root_of(g, key)] = root_of(g, *set);
}

static void begin(const struct alike *g, group_key *key, char what)
{
	vec_push(key, what);
	append(key, g->head.at, g->head.n);
}

/* `heap:a.c:3~2.next` is `heap:a.c:3.next`: one of the blocks is as good as another. */
static void append_member(group_key *key, const char *name)
{
	while (*name) {
		size_t digits = *name == '~' ? strspn(name + 1, "0123456789") : 0;

		if (digits)
			name += 1 + digits;
		else
			vec_push(key, *name++);
	}
}

/* `heap:a.c:3~2.next` is `heap:a.c:3`, and `table[3].name` is `table`. */
static void append_whole(group_key *key, const char *name)
{
	const char *colon = strrchr(name, ':');
	const char *from = colon ? colon + 1 : name;

	append(key, name, (size_t)(from - name) + strcspn(from, "~.+["));
}

/* Without a variable the functions are what the findings share, and without those nothing is. */
static void end(struct alike *g)
{
	group_key key = {0};
	char number[24];

	if (!g->sets.n || *g->variable)
		return;
	begin(g, &key, 'f');
	append(&key, g->functions.at, g->functions.n);
	if (!g->has_place) {
		snprintf(number, sizeof(number), "%zu", g->sets.n);
		append_text(&key, number);
	}
	join(g, &key);
	vec_release(&key);
}

void alike_add(struct alike *g, const char *title, char apart, const char *variable)
{
	group_key key = {0};

	end(g);
	vec_push(&g->sets, UINT32_MAX);
	g->head.n = g->functions.n = 0;
	g->has_place = false;
	g->variable = variable;
	vec_push(&g->head, apart);
	append_text(&g->head, title);
	vec_push(&g->head, '\n');
	if (!*variable)
		return;
	begin(g, &key, 'v');
	append_member(&key, variable);
	join(g, &key);
	vec_release(&key);
}

void alike_side(struct alike *g, const char *location, const char *file, const char *function)
{
	group_key key = {0};

	append_text(&g->functions, file);
	vec_push(&g->functions, ' ');
	append_text(&g->functions, function);
	vec_push(&g->functions, '\n');
	g->has_place |= *file;
	if (!*g->variable || !*location)
		return;
	begin(g, &key, 'p');
	append_whole(&key, g->variable);
	vec_push(&key, '\n');
	append_text(&key, location);
	join(g, &key);
	vec_release(&key);
}

void alike_number(struct alike *g, uint32_t *numbers)
{
	VEC(uint32_t) found = {0}; /* of a root, 1 + its group */
	uint32_t next = 0;

	end(g);
	vec_extend(&found, g->parents.n);
	for (size_t i = 0; i < g->sets.n; i++) {
		uint32_t *number = &found.at[root_of(g, g->sets.at[i])];

		if (!*number)
			*number = ++next;
		numbers[i] = *number - 1;
	}
	vec_release(&found);
	vec_release(&g->parents);
	vec_release(&g->sets);
	vec_release(&g->head);
	vec_release(&g->functions);
	intern_release(&g->keys);
}
