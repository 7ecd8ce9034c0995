/* SPDX-License-Identifier: MIT */
/*
 * Orders: what reaches what, against a naive closure; and the theory of order against brute
 * force, which tries all executions of small random problems.
 */
#include "search/solver/precedence.h"

#include "tests/support/random.h"
#include "tests/support/tap.h"

#include <string.h>

#define CHAINS 3
#define NODES 10 /* numbers are below; with START and CUT */

struct chains {
	uint32_t ends[CHAINS + 1];
	uint32_t count, nodes; /* nodes 1 … nodes - 1 */
};

static struct chains random_chains(struct random *r)
{
	struct chains c = {.count = 1 + random_below(r, CHAINS), .nodes = 1};

	for (uint32_t i = 0; i < c.count; i++)
		c.ends[i] = c.nodes += 1 + random_below(r, 3);
	return c;
}

static uint32_t chain_of(const struct chains *c, uint32_t node)
{
	uint32_t chain = 0;

	while (node >= c->ends[chain])
		chain++;
	return chain;
}

struct closure {
	bool before[NODES][NODES]; /* or the same */
};

static void close(struct closure *k, uint32_t nodes)
{
	for (uint32_t m = 1; m < nodes; m++)
		for (uint32_t a = 1; a < nodes; a++)
			for (uint32_t b = 1; b < nodes; b++)
				k->before[a][b] |= k->before[a][m] && k->before[m][b];
}

struct named_edge {
	uint32_t from, to;
	lit why;
};

static struct closure closure_of(const struct chains *c, const struct named_edge *edges, size_t n)
{
	struct closure k = {0};

	for (uint32_t a = 1; a < c->nodes; a++)
		for (uint32_t b = a; b < c->nodes; b++)
			k.before[a][b] = chain_of(c, a) == chain_of(c, b);
	for (size_t i = 0; i < n; i++)
		k.before[edges[i].from][edges[i].to] = true;
	close(&k, c->nodes);
	return k;
}

static void compare_all(const struct chains *c, const struct reach *r, const struct closure *k)
{
	for (uint32_t a = 1; a < c->nodes; a++)
		for (uint32_t b = 1; b < c->nodes; b++) {
			ASSERT_EQ(reach_before(r, a, b), k->before[a][b]);
			ASSERT_EQ(reach_last(r, b, chain_of(c, a)) >= a, k->before[a][b]);
		}
}

static void compare_news(const struct chains *c, const struct reach *r, const struct closure *old,
			 const struct closure *new)
{
	struct closure k = *old;

	for (size_t i = 0; i < r->news.n; i++)
		for (uint32_t b = r->news.at[i].low; b < r->news.at[i].high; b++) {
			ASSERT_FALSE(k.before[r->news.at[i].node][b]);
			ASSERT_EQ(chain_of(c, b), chain_of(c, r->news.at[i].low));
			k.before[r->news.at[i].node][b] = true;
		}
	ASSERT_EQ(memcmp(&k, new, sizeof(k)), 0);
}

/* The edges that are named make for the way by themselves. */
static void check_explanation(const struct chains *c, struct reach *r,
			      const struct named_edge *edges, size_t n, struct random *random)
{
	uint32_t a = 1 + random_below(random, c->nodes - 1);
	uint32_t b = 1 + random_below(random, c->nodes - 1);
	struct reach_reason reason = {.ways = {{a, b}}};
	struct named_edge named[20];
	struct lits why = {0};
	size_t count = 0;

	if (!reach_before(r, a, b))
		return;
	reach_explain(r, &reason, reach_now(r), &why);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < why.at.n; k++)
			if (edges[i].why == why.at.at[k]) {
				named[count++] = edges[i];
				break;
			}
	struct closure k = closure_of(c, named, count);

	ASSERT_TRUE(k.before[a][b]);
	vec_release(&why.at);
}

TAP_CASE(reach_is_the_closure)
{
	for (uint64_t seed = 1; seed <= (uint64_t)TAP_PART(20000); seed++) {
		struct random random = random_seeded(seed);
		struct chains c = random_chains(&random);
		struct reach *r = reach_new(c.ends, c.count);
		struct named_edge edges[20];
		size_t n = 0;

		tap_at("seed %lu", (unsigned long)seed);
		for (int step = 0; step < 15; step++) {
			struct closure before = closure_of(&c, edges, n);
			uint32_t a = 1 + random_below(&random, c.nodes - 1);
			uint32_t b = 1 + random_below(&random, c.nodes - 1);
			struct reach_reason reason = {.lits = {step + 1}};

			if (random_percent(&random, 20)) {
				n = random_below(&random, (uint32_t)n + 1);
				reach_undo(r, n);
			} else if (!before.before[b][a]) {
				reach_add(r, (struct reach_way){a, b}, &reason);
				edges[n++] = (struct named_edge){a, b, step + 1};
				struct closure after = closure_of(&c, edges, n);

				compare_news(&c, r, &before, &after);
			}
			struct closure now = closure_of(&c, edges, n);

			compare_all(&c, r, &now);
			check_explanation(&c, r, edges, n, &random);
		}
		reach_free(r);
	}
}

/* A random problem: what nodes are, and what shall hold. */
enum kind { NOTHING, ACQUIRE, RELEASE, WRITE, READ };

struct section {
	uint32_t acquire, release; /* 0: never */
	bool shared;
};

struct wish {
	uint32_t happens[2], happens_not; /* a clause; 0: not there */
	uint32_t first, then;		  /* and, if both happen, they come in this order */
};

struct puzzle {
	struct chains chains; /* without START and CUT */
	enum kind kinds[NODES];
	struct section sections[NODES];
	uint32_t section_count;
	bool used[NODES];	    /* reads that have to happen, and see one of these: */
	bool sources[NODES][NODES]; /* 0: what was there at the start */
	uint32_t both[2];
	struct wish wishes[4];
	uint32_t wish_count;
	bool adjacent;
	uint32_t pair[2];
};

static void put_section(struct puzzle *z, struct random *r, uint32_t chain)
{
	uint32_t start = chain ? z->chains.ends[chain - 1] : 1, end = z->chains.ends[chain];
	struct section s = {.acquire = start, .shared = random_percent(r, 30)};

	if (end - start < 2 || random_percent(r, 25))
		return;
	z->kinds[start] = ACQUIRE;
	if (random_percent(r, 80)) {
		s.release = start + 1 + random_below(r, end - start - 1);
		z->kinds[s.release] = RELEASE;
	}
	z->sections[z->section_count++] = s;
}

static uint32_t random_node(const struct puzzle *z, struct random *r)
{
	return 1 + random_below(r, z->chains.nodes - 1);
}

static struct puzzle random_puzzle(struct random *r)
{
	struct puzzle z = {.chains = random_chains(r)};

	for (uint32_t c = 0; c < z.chains.count; c++)
		put_section(&z, r, c);
	for (uint32_t n = 1; n < z.chains.nodes; n++) {
		uint32_t dice = random_below(r, 3);

		if (z.kinds[n] == NOTHING)
			z.kinds[n] = dice == 0 ? NOTHING : dice == 1 ? WRITE : READ;
		z.used[n] = z.kinds[n] == READ && random_percent(r, 60);
	}
	for (uint32_t n = 1; n < z.chains.nodes; n++)
		for (uint32_t w = 0; w < z.chains.nodes; w++)
			z.sources[n][w] = (w == 0 || z.kinds[w] == WRITE) && random_percent(r, 50);
	z.both[0] = random_node(&z, r);
	z.both[1] = random_node(&z, r);
	if (chain_of(&z.chains, z.both[0]) == chain_of(&z.chains, z.both[1]))
		z.both[0] = z.both[1] = 0;
	z.wish_count = 1 + random_below(r, 4);
	for (uint32_t i = 0; i < z.wish_count; i++) {
		struct wish *w = &z.wishes[i];

		w->happens[0] = random_node(&z, r);
		w->happens[1] = random_percent(r, 50) ? random_node(&z, r) : 0;
		w->happens_not = random_percent(r, 30) ? random_node(&z, r) : 0;
		w->first = random_node(&z, r);
		w->then = random_node(&z, r);
		if (w->first == w->then)
			w->first = w->then = 0;
	}
	z.pair[0] = random_node(&z, r);
	z.pair[1] = random_node(&z, r);
	z.adjacent = random_percent(r, 30) &&
		     chain_of(&z.chains, z.pair[0]) != chain_of(&z.chains, z.pair[1]);
	return z;
}

/* An execution: some nodes in order. */
struct run {
	uint32_t at[NODES];
	uint32_t place[NODES]; /* of each node, from 1; 0: it does not happen */
	uint32_t n;
};

static bool sections_are_good(const struct puzzle *z, const struct run *run)
{
	for (uint32_t i = 0; i < z->section_count; i++)
		for (uint32_t k = 0; k < z->section_count; k++) {
			const struct section *a = &z->sections[i], *b = &z->sections[k];
			uint32_t from = run->place[a->acquire], other = run->place[b->acquire];
			uint32_t to = a->release ? run->place[a->release] : 0;

			if (i != k && !(a->shared && b->shared) && from && other > from &&
			    (!to || to > other))
				return false;
		}
	return true;
}

static bool reads_are_good(const struct puzzle *z, const struct run *run)
{
	for (uint32_t n = 1; n < z->chains.nodes; n++) {
		uint32_t seen = 0;

		if (!z->used[n])
			continue;
		if (!run->place[n])
			return false;
		for (uint32_t i = 0; i + 1 < run->place[n]; i++)
			if (z->kinds[run->at[i]] == WRITE)
				seen = run->at[i];
		if (!z->sources[n][seen])
			return false;
	}
	return true;
}

static bool wish_is_met(const struct wish *w, const struct run *run)
{
	uint32_t first = run->place[w->first], then = run->place[w->then];

	if (w->first && first && then && first > then)
		return false;
	return run->place[w->happens[0]] || (w->happens[1] && run->place[w->happens[1]]) ||
	       (w->happens_not && !run->place[w->happens_not]);
}

static bool is_good(const struct puzzle *z, const struct run *run)
{
	uint32_t a = run->place[z->both[0]], b = run->place[z->both[1]];
	uint32_t x = run->place[z->pair[0]], y = run->place[z->pair[1]];

	if (z->both[0] && a && b && a > b)
		return false;
	if (z->adjacent && (!x || !y || (x + 1 != y && y + 1 != x)))
		return false;
	for (uint32_t i = 0; i < z->wish_count; i++)
		if (!wish_is_met(&z->wishes[i], run))
			return false;
	return sections_are_good(z, run) && reads_are_good(z, run);
}

static void take(struct run *run, uint32_t node)
{
	run->at[run->n++] = node;
	run->place[node] = run->n;
}

static bool has_execution(const struct puzzle *z, struct run *run, uint32_t *next)
{
	if (is_good(z, run))
		return true;
	for (uint32_t c = 0; c < z->chains.count; c++) {
		if (next[c] == z->chains.ends[c])
			continue;
		take(run, next[c]++);
		if (has_execution(z, run, next))
			return true;
		run->n--;
		run->place[--next[c]] = 0;
	}
	return false;
}

static bool can_be_solved(const struct puzzle *z)
{
	struct run run = {0};
	uint32_t next[CHAINS];

	for (uint32_t c = 0; c < z->chains.count; c++)
		next[c] = c ? z->chains.ends[c - 1] : 1;
	return has_execution(z, &run, next);
}

/* The same, for the solver. */
struct solved {
	struct precedence *order;
	struct cdcl *cdcl;
	uint32_t start, cut;
	lit next;
};

static void add(struct solved *s, const lit *clause, size_t n)
{
	cdcl_clause(s->cdcl, clause, n);
}

static void tell_sections(const struct puzzle *z, struct solved *s)
{
	for (uint32_t i = 0; i < z->section_count; i++) {
		struct precedence_section section = {
			.lock = 5,
			.acquire = z->sections[i].acquire,
			.release = z->sections[i].release ? z->sections[i].release : s->cut,
			.thread = i,
			.shared = z->sections[i].shared,
		};

		precedence_section(s->order, &section);
	}
	for (uint32_t n = 1; n < z->chains.nodes; n++)
		if (z->kinds[n] == WRITE)
			precedence_write(s->order, 3, n);
	if (z->both[0])
		precedence_both(s->order, z->both[0], z->both[1]);
}

static void tell_read(const struct puzzle *z, struct solved *s, uint32_t read)
{
	lit used = cdcl_variable(s->cdcl), one_of[NODES];
	size_t n = 0;

	add(s, (const lit[]){used}, 1);
	add(s, (const lit[]){-used, (lit)read}, 2);
	for (uint32_t w = 0; w < z->chains.nodes; w++) {
		struct precedence_source source = {
			.cell = 3, .read = read, .write = w ? w : s->start, .used = used};

		if (!z->sources[read][w])
			continue;
		source.source = one_of[n++] = cdcl_variable(s->cdcl);
		precedence_source(s->order, &source);
	}
	add(s, one_of, n);
	/* whatever may come between is to be decided */
	for (uint32_t w = 1; w < z->chains.nodes; w++)
		if (z->kinds[w] == WRITE && chain_of(&z->chains, w) != chain_of(&z->chains, read))
			precedence_literal(s->order, w, read);
}

static void tell_wish(const struct puzzle *z, struct solved *s, const struct wish *w)
{
	lit clause[3] = {(lit)w->happens[0]};
	size_t n = 1;

	if (w->happens[1])
		clause[n++] = (lit)w->happens[1];
	if (w->happens_not)
		clause[n++] = -(lit)w->happens_not;
	add(s, clause, n);
	if (!w->first)
		return;
	n = 0;
	clause[n++] = -(lit)w->first;
	clause[n++] = -(lit)w->then;
	if (chain_of(&z->chains, w->first) != chain_of(&z->chains, w->then))
		clause[n++] = precedence_literal(s->order, w->first, w->then);
	else if (w->first < w->then)
		return;
	add(s, clause, n);
}

static struct solved tell_all(const struct puzzle *z)
{
	uint32_t ends[CHAINS + 1], recorded[NODES], chains = z->chains.count;
	struct solved s;

	memcpy(ends, z->chains.ends, sizeof(ends));
	ends[chains] = z->chains.nodes + 2;
	for (uint32_t n = 0; n < NODES; n++)
		recorded[n] = n;
	s.order = precedence_new(ends, chains + 1, recorded);
	struct cdcl_theory theory = precedence_theory(s.order);

	s.cdcl = cdcl_new(z->chains.nodes - 1, &theory);
	precedence_serve(s.order, s.cdcl);
	s.start = precedence_start(s.order);
	s.cut = precedence_cut(s.order);
	for (uint32_t n = 1; n < z->chains.nodes; n++)
		precedence_happens(s.order, (lit)n, n);
	tell_sections(z, &s);
	for (uint32_t n = 1; n < z->chains.nodes; n++)
		if (z->used[n])
			tell_read(z, &s, n);
	for (uint32_t i = 0; i < z->section_count; i++)
		for (uint32_t k = 0; k < i; k++)
			precedence_literal(s.order, z->sections[i].acquire, z->sections[k].acquire);
	for (uint32_t i = 0; i < z->wish_count; i++)
		tell_wish(z, &s, &z->wishes[i]);
	if (z->adjacent) {
		lit when = cdcl_variable(s.cdcl);

		add(&s, (const lit[]){(lit)z->pair[0]}, 1);
		add(&s, (const lit[]){(lit)z->pair[1]}, 1);
		precedence_adjacent(s.order, when, z->pair[0], z->pair[1]);
		cdcl_assume(s.cdcl, when);
	}
	return s;
}

static bool can_go(const struct puzzle *z, const struct solved *s, const struct run *run,
		   uint32_t node)
{
	if (run->place[node] || cdcl_value(s->cdcl, (lit)node) < 0)
		return false;
	for (uint32_t c = 0; c < z->chains.count; c++) {
		uint32_t last = precedence_last(s->order, node, c);

		last -= last == node;
		if (last && chain_of(&z->chains, last) == c && !run->place[last])
			return false;
	}
	return true;
}

/* Any order that keeps what was found is an execution, with the two that shall be side by side. */
static void run_along(const struct puzzle *z, const struct solved *s, struct random *r)
{
	struct run run = {0};
	uint32_t happen = 0;

	for (uint32_t n = 1; n < z->chains.nodes; n++)
		happen += cdcl_value(s->cdcl, (lit)n) > 0;
	while (run.n < happen) {
		uint32_t n = random_node(z, r);

		if (!can_go(z, s, &run, n))
			continue;
		take(&run, n);
		for (uint32_t i = 0; z->adjacent && i < 2; i++)
			if (n == z->pair[i] && !run.place[z->pair[!i]]) {
				ASSERT_TRUE(can_go(z, s, &run, z->pair[!i]));
				take(&run, z->pair[!i]);
			}
	}
	ASSERT_TRUE(is_good(z, &run));
}

static bool is_never_over(void *context)
{
	(void)context;
	return false;
}

TAP_CASE(random_orders)
{
	uint32_t answers[SAT_UNSATISFIABLE + 1] = {0};

	for (uint64_t seed = 1; seed <= (uint64_t)TAP_PART(20000); seed++) {
		struct random r = random_seeded(seed);
		struct puzzle z = random_puzzle(&r);
		struct solved s = tell_all(&z);

		tap_at("seed %lu", (unsigned long)seed);
		enum sat_answer answer = cdcl_solve(s.cdcl, is_never_over, NULL);

		ASSERT_EQ(answer, can_be_solved(&z) ? SAT_SATISFIABLE : SAT_UNSATISFIABLE);
		if (answer == SAT_SATISFIABLE)
			run_along(&z, &s, &r);
		answers[answer]++;
		cdcl_free(s.cdcl);
		precedence_free(s.order);
	}
	tap_note("%u solved, %u without a solution", answers[SAT_SATISFIABLE],
		 answers[SAT_UNSATISFIABLE]);
	ASSERT_TRUE(answers[SAT_SATISFIABLE] > 1000 / 10 && answers[SAT_UNSATISFIABLE] > 1000 / 10);
}
