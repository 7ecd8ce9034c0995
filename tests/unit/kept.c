/* SPDX-License-Identifier: MIT */
/*
 * Order that is kept around code without hooks: random stretches and writes, against a model that
 * remembers all of them and looks at each pair. What src/record/keep/libraries.c would see in ELF
 * files is made up here: the address of a function is the number of its library.
 */
#include "record/keep/kept.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define THREADS 3
#define OBJECTS 4
#define STEPS 60

static const struct library made_up[] = {
	{.orders = true, .groups = 1},
	{.orders = true, .groups = 2},
	{.orders = true, .groups = 3, .keeps = true},
	{.groups = 4},
	{.groups = 4, .keeps = true},
};
#define LIBRARIES (sizeof(made_up) / sizeof(*made_up))

uint32_t libraries_at(struct libraries *l, uint64_t function)
{
	(void)l;
	return (uint32_t)function;
}

const struct library *libraries_get(const struct libraries *l, uint32_t number)
{
	(void)l;
	return &made_up[number];
}

size_t libraries_count(const struct libraries *l)
{
	(void)l;
	return LIBRARIES;
}

/* The model. Objects that belong together have the same colour; libraries that keep are objects. */

#define THINGS (OBJECTS + LIBRARIES)

struct stretch {
	uint32_t thread;
	uint64_t begun, ended; /* 0: not yet */
	uint32_t given;	       /* bits: things */
	uint64_t groups;       /* of a library that orders */
};

struct write {
	uint32_t thread, thing;
	uint64_t time;
};

struct pair {
	struct kept_place from, to;
};

struct model {
	VEC(struct stretch) stretches;
	VEC(struct write) writes;
	VEC(struct pair) pairs;
	uint32_t colour[THINGS];
	uint64_t groups[THREADS];
	uint32_t given[THREADS];
	int inside[THREADS]; /* stretch + 1 */
};

static void paint(struct model *m, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < THINGS; i++)
		if (m->colour[i] == from)
			m->colour[i] = to;
}

static void belong_together(struct model *m, uint32_t things)
{
	uint32_t first = (uint32_t)__builtin_ctz(things);

	for (uint32_t i = 0; i < THINGS; i++)
		if (things >> i & 1)
			paint(m, m->colour[i], m->colour[first]);
}

static bool meet(const struct model *m, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < THINGS; i++)
		for (uint32_t j = 0; j < THINGS; j++)
			if (a >> i & 1 && b >> j & 1 && m->colour[i] == m->colour[j])
				return true;
	return false;
}

static void require(struct model *m, uint32_t from, uint64_t then, uint32_t to, uint64_t now)
{
	struct pair pair = {{then, from}, {now, to}};

	if (from != to)
		vec_push(&m->pairs, pair);
}

/* What others have written, before a stretch begins or ends. */
static void behind_writes(struct model *m, uint32_t thread, uint32_t given, uint64_t time)
{
	for (size_t i = 0; i < m->writes.n; i++)
		if (meet(m, 1u << m->writes.at[i].thing, given))
			require(m, m->writes.at[i].thread, m->writes.at[i].time, thread, time);
}

static void model_begin(struct model *m, uint32_t thread, uint64_t groups, uint64_t time)
{
	struct stretch s = {thread, time, 0, m->given[thread], groups};

	behind_writes(m, thread, s.given, time);
	vec_push(&m->stretches, s);
	m->inside[thread] = (int)m->stretches.n;
}

static void model_end(struct model *m, uint32_t thread, uint64_t time)
{
	if (!m->inside[thread])
		return;
	struct stretch *s = &m->stretches.at[m->inside[thread] - 1];

	m->inside[thread] = 0;
	behind_writes(m, thread, s->given, time);
	for (size_t i = 0; i < m->stretches.n; i++) {
		const struct stretch *o = &m->stretches.at[i];

		if (o->groups & s->groups || meet(m, o->given, s->given))
			require(m, o->thread, o->begun, thread, time);
	}
	s->ended = time;
}

static void model_write(struct model *m, uint32_t thread, uint32_t thing, uint64_t time)
{
	struct write w = {thread, thing, time};

	for (size_t i = 0; i < m->stretches.n; i++) {
		const struct stretch *o = &m->stretches.at[i];

		if (meet(m, o->given, 1u << thing))
			require(m, o->thread, o->ended ? o->ended : o->begun, thread, time - 1);
	}
	vec_push(&m->writes, w);
}

/* Both at once */

static void call(struct kept *k, struct model *m, struct random *r, uint32_t thread, uint64_t time)
{
	uint32_t library = random_below(r, LIBRARIES), objects = random_below(r, 1u << OBJECTS);

	kept_call(k, thread, time);
	for (uint32_t i = 0; i < OBJECTS; i++)
		if (objects >> i & 1)
			kept_give(k, thread, kept_class_of(k, i), true);
	kept_begins(k, thread, library, time);
	if (made_up[library].keeps)
		objects |= 1u << (OBJECTS + library);
	if (objects)
		belong_together(m, objects);
	m->given[thread] = objects;
	if (made_up[library].orders)
		m->groups[thread] |= made_up[library].groups;
	model_begin(m, thread, made_up[library].orders ? m->groups[thread] : 0, time);
}

static void step(struct kept *k, struct model *m, struct random *r, uint64_t time, uint32_t *calls)
{
	uint32_t thread = random_below(r, THREADS), object = random_below(r, OBJECTS);

	if (m->inside[thread]) {
		bool returns = random_percent(r, 70);

		kept_ends(k, thread, returns, true, time);
		model_end(m, thread, time);
		calls[thread] -= returns;
	} else if (calls[thread] && random_percent(r, 50)) { /* a callback is over */
		kept_goes_on(k, thread, time);
		model_begin(m, thread, m->groups[thread], time);
	} else if (!calls[thread] && random_percent(r, 50)) {
		call(k, m, r, thread, time);
		calls[thread]++;
	} else {
		kept_write(k, thread, kept_class_of(k, object), time);
		model_write(m, thread, object, time);
	}
}

static bool implies(const struct kept_edge *edge, const struct pair *pair)
{
	return edge->from.thread == pair->from.thread && edge->to.thread == pair->to.thread &&
	       edge->from.time >= pair->from.time && edge->to.time <= pair->to.time;
}

static bool is_kept(const struct kept *k, const struct pair *pair)
{
	for (size_t i = 0; i < k->edges.n; i++)
		if (implies(&k->edges.at[i], pair))
			return true;
	return false;
}

static bool is_required(const struct model *m, const struct kept_edge *edge)
{
	for (size_t i = 0; i < m->pairs.n; i++)
		if (!kept_compare(&edge->from, &m->pairs.at[i].from) &&
		    !kept_compare(&edge->to, &m->pairs.at[i].to))
			return true;
	return false;
}

TAP_CASE(edges_are_those_of_the_model)
{
	size_t pairs = 0, edges = 0;

	for (uint64_t seed = 0; seed < 500; seed++) {
		struct random r = random_seeded(seed);
		struct kept k;
		struct model m = {0};
		uint32_t calls[THREADS] = {0};

		kept_init(&k, THREADS, NULL);
		for (uint32_t i = 0; i < THINGS; i++)
			m.colour[i] = i;
		for (uint64_t time = 2; time < STEPS; time++)
			step(&k, &m, &r, time, calls);
		for (size_t i = 0; i < m.pairs.n; i++)
			ASSERT_TRUE(is_kept(&k, &m.pairs.at[i]));
		for (size_t i = 0; i < k.edges.n; i++)
			ASSERT_TRUE(is_required(&m, &k.edges.at[i]));
		pairs += m.pairs.n;
		edges += k.edges.n;
		kept_release(&k);
		vec_release(&m.stretches);
		vec_release(&m.writes);
		vec_release(&m.pairs);
	}
	ASSERT_TRUE(pairs > edges && edges > 1000);
}
