/* SPDX-License-Identifier: MIT */
#include "deadlock/tokens.h"

#include "base/mem.h"
#include "deadlock/tune.h"

#include <stdlib.h>

/* Semaphores that are added up together: those that one thread uses, and so on. */
#define GROUP_MOST 3
#define FIELD_BITS 20
#define FIELD_HALF (1u << (FIELD_BITS - 1))
#define FIELDS_BITS (GROUP_MOST * FIELD_BITS)

/* A sum has a field for each semaphore, what was posted less what was taken, and above them a bit
 * for each that somebody waits for. FIELDS of the sum of nothing are in the middle. */
typedef uint64_t sum;
typedef VEC(sum) sums;

struct place {
	uint32_t position; /* events of the thread that have happened */
	sum change;	   /* the fields; as differences */
	sum waits;	   /* the bit */
};
typedef VEC(struct place) places;

struct group {
	const struct index *index;
	const bool *may;
	uint32_t semaphores[GROUP_MOST];
	uint32_t count;
	places *of; /* of each thread: where it may be in the end */
	uint32_t root;
	uint64_t work;
};

static int field_of(const struct group *g, const struct event *e)
{
	if (e->kind != EV_SEM_WAIT && e->kind != EV_SEM_POST)
		return -1;
	for (uint32_t i = 0; i < g->count; i++)
		if (g->semaphores[i] == e->object)
			return (int)i;
	return -1;
}

static sum one(int field)
{
	return (sum)1 << (field * FIELD_BITS);
}

static sum nothing(void)
{
	sum s = 0;

	for (int i = 0; i < GROUP_MOST; i++)
		s += FIELD_HALF * one(i);
	return s;
}

/* Places */

static void add_place(const struct group *g, uint32_t thread, struct place place)
{
	places *all = &g->of[thread];
	const struct place *last = all->n ? &all->at[all->n - 1] : NULL;

	/* of the root it matters whom it has forked */
	if (!last || thread == g->root || last->change != place.change ||
	    last->waits != place.waits)
		vec_push(all, place);
}

static void find_places(const struct group *g, uint32_t thread)
{
	const struct index_thread *t = &g->index->threads[thread];
	struct place at = {0};

	for (uint32_t i = 0; i < t->count; i++) {
		const struct event *e = &g->index->events[t->events[i]];
		int field = field_of(g, e);
		bool takes = field >= 0 && e->kind == EV_SEM_WAIT;

		at.position = i;
		at.waits = takes ? (sum)1 << (FIELDS_BITS + field) : 0;
		if (g->may[t->events[i]])
			add_place(g, thread, at);
		at.waits = 0;
		if (field >= 0)
			at.change += takes ? (sum)0 - one(field) : one(field);
	}
	at.position = t->count;
	if (t->count && g->index->events[t->events[t->count - 1]].kind == EV_END)
		add_place(g, thread, at);
}

/* Sums */

static int compare_sums(const void *a, const void *b)
{
	sum x = *(const sum *)a, y = *(const sum *)b;

	return x < y ? -1 : x > y;
}

static void drop_doubles(sums *s)
{
	size_t n = 0;

	if (s->n > 1)
		qsort(s->at, s->n, sizeof(*s->at), compare_sums);
	for (size_t i = 0; i < s->n; i++)
		if (!n || s->at[i] != s->at[n - 1])
			s->at[n++] = s->at[i];
	s->n = n;
}

/* A thread, and where it may be. */
struct choices {
	const places *of; /* NULL: nobody */
	bool unborn;	  /* or nowhere */
};

static size_t count_choices(const struct choices *c)
{
	return c->of ? c->of->n + c->unborn : 1;
}

/* Adds every choice to every sum. False: that is too much. */
static bool add_choices(struct group *g, sums *s, const struct choices *c)
{
	size_t n = s->n, times = count_choices(c);

	g->work += n * times;
	if (n * times > deadlock_tune.sums_most || g->work > deadlock_tune.work_most)
		return false;
	if (!c->of)
		return true;
	vec_reserve(s, n * times);
	/* those of the first choice take the place of the sums themselves, so they come last */
	for (size_t k = c->of->n; k-- > 0;)
		for (size_t i = 0; i < n; i++)
			s->at[n * (k + c->unborn) + i] =
				(s->at[i] + c->of->at[k].change) | c->of->at[k].waits;
	s->n = n * times;
	if (times > 1)
		drop_doubles(s);
	return true;
}

/* Somebody waits, for what is at 0, and nothing is below. */
static bool is_stuck(const struct group *g, sum s)
{
	for (uint32_t i = 0; i < g->count; i++) {
		int64_t there = (int64_t)(s >> (i * FIELD_BITS) & (((sum)1 << FIELD_BITS) - 1)) -
				(int64_t)FIELD_HALF +
				(int64_t)g->index->symbols->semaphores.at[g->semaphores[i]].count;
		bool waits = s >> (FIELDS_BITS + i) & 1;

		if (there < 0 || (waits && there))
			return false;
	}
	return s >> FIELDS_BITS;
}

enum born { BORN, UNBORN, MAYBE_BORN };

static enum born is_born(const struct group *g, uint32_t thread, uint32_t position)
{
	uint32_t fork = g->index->threads[thread].fork;

	if (!fork)
		return BORN;
	if (g->index->events[fork].thread != g->root)
		return MAYBE_BORN;
	return g->index->position[fork] < position ? BORN : UNBORN;
}

enum answer { NO, YES, TOO_MUCH };

/* With these choices added, which are too many to keep all sums. */
static enum answer is_any_stuck(struct group *g, const sums *s, const struct choices *c)
{
	g->work += s->n * count_choices(c);
	if (g->work > deadlock_tune.work_most)
		return TOO_MUCH;
	for (size_t i = 0; i < s->n; i++) {
		if ((!c->of || c->unborn) && is_stuck(g, s->at[i]))
			return YES;
		for (size_t k = 0; c->of && k < c->of->n; k++)
			if (is_stuck(g, (s->at[i] + c->of->at[k].change) | c->of->at[k].waits))
				return YES;
	}
	return NO;
}

/* Can it be, with the root at this place? */
static enum answer can_be_from(struct group *g, const struct place *root, sums *s)
{
	struct choices most = {0};

	s->n = 0;
	vec_push(s, (nothing() + root->change) | root->waits);
	for (uint32_t t = 0; t < g->index->thread_count; t++) {
		enum born born = is_born(g, t, root->position);
		struct choices now = {&g->of[t], born == MAYBE_BORN};

		if (t == g->root || born == UNBORN || !g->index->threads[t].count)
			continue;
		if (!count_choices(&now))
			return NO; /* it neither ends nor waits */
		if (count_choices(&now) > count_choices(&most)) {
			struct choices less = most;

			most = now;
			now = less;
		}
		if (!add_choices(g, s, &now))
			return TOO_MUCH;
	}
	return is_any_stuck(g, s, &most);
}

static enum answer can_be(struct group *g)
{
	enum answer answer = NO;
	sums s = {0};

	for (size_t i = 0; i < g->of[g->root].n && answer == NO; i++)
		answer = can_be_from(g, &g->of[g->root].at[i], &s);
	vec_release(&s);
	return answer;
}

/* Groups */

/* The first thread that nobody forks: as a rule, it forks the others. */
static uint32_t find_root(const struct index *index)
{
	for (uint32_t t = 0; t < index->thread_count; t++)
		if (!index->threads[t].fork && index->threads[t].count)
			return t;
	return 0;
}

struct partition {
	uint32_t *leader; /* of each semaphore; itself: it leads a group */
	size_t n;
};

static uint32_t leader_of(struct partition *p, uint32_t semaphore)
{
	while (p->leader[semaphore] != semaphore)
		semaphore = p->leader[semaphore] = p->leader[p->leader[semaphore]];
	return semaphore;
}

static bool is_waited_for(const struct index *index, const bool *may, uint32_t semaphore)
{
	const struct index_list *list = &index->uses[CLASS_SEMAPHORE][semaphore];

	for (uint32_t i = 0; i < list->count; i++)
		if (index->events[list->events[i]].kind == EV_SEM_WAIT && may[list->events[i]])
			return true;
	return false;
}

/* Those that one thread uses are in one group; those that nobody waits for are in none. */
static void divide(struct partition *p, const struct index *index, const bool *may)
{
	uint32_t *first = mem_alloc_zero(index->thread_count, sizeof(*first)); /* + 1 */

	for (uint32_t s = 0; s < p->n; s++)
		p->leader[s] = s;
	for (uint32_t s = 0; s < p->n; s++) {
		const struct index_list *list = &index->uses[CLASS_SEMAPHORE][s];

		for (uint32_t i = 0; is_waited_for(index, may, s) && i < list->count; i++) {
			uint32_t *of = &first[index->events[list->events[i]].thread];

			if (!*of)
				*of = s + 1;
			p->leader[leader_of(p, s)] = leader_of(p, *of - 1);
		}
	}
	mem_free(first);
}

/* False: they are too many, or used too often. */
static bool gather(struct group *g, struct partition *p, uint32_t leader)
{
	g->count = 0;
	for (uint32_t s = 0; s < p->n; s++) {
		if (leader_of(p, s) != leader)
			continue;
		if (g->count == GROUP_MOST ||
		    g->index->uses[CLASS_SEMAPHORE][s].count >= FIELD_HALF)
			return false;
		g->semaphores[g->count++] = s;
	}
	return true;
}

static bool rule_out_group(struct group *g, bool *may)
{
	for (uint32_t t = 0; t < g->index->thread_count; t++) {
		g->of[t].n = 0;
		find_places(g, t);
	}
	g->work = 0;
	if (can_be(g) != NO)
		return false;
	for (uint32_t i = 0; i < g->count; i++) {
		const struct index_list *list = &g->index->uses[CLASS_SEMAPHORE][g->semaphores[i]];

		for (uint32_t k = 0; k < list->count; k++)
			if (g->index->events[list->events[k]].kind == EV_SEM_WAIT)
				may[list->events[k]] = false;
	}
	return true;
}

bool tokens_rule_out(const struct index *index, bool *may)
{
	struct partition p = {.n = symbols_count(index->symbols, CLASS_SEMAPHORE)};
	struct group g = {.index = index, .may = may, .root = find_root(index)};
	bool any = false;

	if (!p.n)
		return false;
	p.leader = mem_alloc_zero(p.n, sizeof(*p.leader));
	g.of = mem_alloc_zero(index->thread_count, sizeof(*g.of));
	divide(&p, index, may);
	for (uint32_t s = 0; s < p.n; s++)
		if (leader_of(&p, s) == s && is_waited_for(index, may, s) && gather(&g, &p, s))
			any |= rule_out_group(&g, may);
	for (uint32_t t = 0; t < index->thread_count; t++)
		vec_release(&g.of[t]);
	mem_free(g.of);
	mem_free(p.leader);
	return any;
}
