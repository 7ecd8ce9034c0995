/* SPDX-License-Identifier: MIT */
/* Semaphores, barriers, conditions and failed try-locks as clauses (doc/model.md, Traces). */
#include "search/solver/formula.h"

void formula_try_fail(struct formula *f, uint32_t event)
{
	const struct event *e = &f->index->events[event];
	const struct sections *s = f->facts.sections;
	VEC(lit) held = {0};

	for (uint32_t i = s->first[e->object]; i < s->first[e->object + 1]; i++) {
		const struct section *section = &s->all.at[s->of_lock[i]];
		bool over = section->release && section->release <= f->cone->low;

		if (section->thread == e->thread || over ||
		    formula_happens(f, section->acquire) == LIT_FALSE)
			continue;
		lit h = sat_variable(f->sat);

		sat_imply(f->sat, h, formula_before(f, section->acquire, event));
		if (section->release) {
			sat_or(f->sat, -h);
			sat_or(f->sat, -formula_happens(f, section->release));
			sat_or(f->sat, formula_before(f, event, section->release));
			sat_end(f->sat);
		}
		vec_push(&held, h);
	}
	sat_or(f->sat, -formula_happens(f, event));
	for (size_t i = 0; i < held.n; i++)
		sat_or(f->sat, held.at[i]);
	sat_end(f->sat);
	vec_release(&held);
}

uint32_t formula_waker(const struct index *index, uint32_t wait)
{
	const struct event *e = &index->events[wait];
	const struct index_thread *t = &index->threads[e->thread];
	uint32_t next = index->position[wait] + 1;

	if (e->kind != EV_WAIT || next == t->count)
		return 0;
	const struct event *woken = &index->events[t->events[next]];

	return woken->kind == EV_WOKEN ? (uint32_t)woken->more->by : 0;
}

static bool is_endless(const struct index *index, uint32_t wait)
{
	const struct event *e = &index->events[wait];

	return e->kind == EV_WAIT && index->position[wait] + 1 == index->threads[e->thread].count;
}

/* If both happen, the signal comes first. */
static void put_before(struct formula *f, uint32_t signal, uint32_t wait)
{
	sat_or(f->sat, -formula_happens(f, signal));
	sat_or(f->sat, -formula_happens(f, wait));
	sat_or(f->sat, formula_before(f, signal, wait));
	sat_end(f->sat);
}

/* Nobody sleeps whom it did not wake, unless it is a signal that woke another. */
void formula_signal(struct formula *f, uint32_t event)
{
	const struct event *e = &f->index->events[event];
	const struct index_list *list = &f->index->uses[CLASS_CONDITION][e->object];
	uint32_t first = index_first_wake(f->index, event);

	if (e->kind == EV_SIGNAL && first < f->index->wake_count &&
	    f->index->wakes[first].by == event)
		return;
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t wait = list->events[i], by = formula_waker(f->index, wait);

		if (f->index->events[wait].thread == e->thread)
			continue;
		if (!by && f->facts.endless && is_endless(f->index, wait)) {
			put_before(f, event, wait);
			continue;
		}
		if (!by || by == event || by <= f->cone->low)
			continue;
		sat_or(f->sat, -formula_happens(f, event));
		sat_or(f->sat, -formula_happens(f, wait));
		sat_or(f->sat, formula_before(f, event, wait));
		sat_or(f->sat, formula_before(f, by, event));
		sat_end(f->sat);
	}
}

/* The wait that this one of the wakes ends. */
static uint32_t wait_of(const struct index *index, uint32_t woken)
{
	return index->threads[index->events[woken].thread].events[index->position[woken] - 1];
}

void formula_woken(struct formula *f, uint32_t event)
{
	uint32_t by = (uint32_t)f->index->events[event].more->by;

	if (by)
		sat_imply(f->sat, formula_happens(f, event),
			  formula_before(f, wait_of(f->index, event), by));
}

/* The sleep has not begun, or is over; or it is a signal, and the thread that it woke sleeps. */
void formula_sleeper(struct formula *f, uint32_t signal, uint32_t wait)
{
	const struct index *index = f->index;
	uint32_t by = formula_waker(index, wait), first = index_first_wake(index, signal);
	lit over = sat_variable(f->sat);

	sat_imply(f->sat, over, formula_before(f, wait, by));
	sat_imply(f->sat, over, formula_before(f, by, signal));
	lit not_begun = formula_before(f, signal, wait), chosen = LIT_FALSE;

	if (index->events[signal].kind == EV_SIGNAL && first < index->wake_count &&
	    index->wakes[first].by == signal)
		chosen = formula_before(f, wait_of(index, index->wakes[first].woken), signal);
	sat_or(f->sat, -formula_happens(f, signal));
	sat_or(f->sat, -formula_happens(f, wait));
	sat_or(f->sat, not_begun);
	sat_or(f->sat, over);
	sat_or(f->sat, chosen);
	sat_end(f->sat);
}

/*
 * Each wait takes a token that was there before or that a post has put, and no two take the
 * same. Then a semaphore counts 0 if the tokens put so far have been taken so far, all of
 * them.
 */
struct tokens {
	VEC(uint32_t) waits, posts, fails;
	uint64_t there; /* before the cone */
	/* takes[token * waits.n + wait]; tokens: those there before, then the posts */
	lit *takes;
	size_t count;
};

static void gather_tokens(const struct formula *f, uint32_t semaphore, struct tokens *k)
{
	const struct index_list *list = &f->index->uses[CLASS_SEMAPHORE][semaphore];

	k->there = f->index->symbols->semaphores.at[semaphore].count;
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t n = list->events[i];
		enum event_kind kind = f->index->events[n].kind;

		if (n <= f->cone->low)
			k->there += kind == EV_SEM_POST ? 1 : kind == EV_SEM_WAIT ? -1 : 0;
		else if (formula_happens(f, n) == LIT_FALSE)
			continue;
		else if (kind == EV_SEM_POST)
			vec_push(&k->posts, n);
		else if (kind == EV_SEM_WAIT)
			vec_push(&k->waits, n);
		else
			vec_push(&k->fails, n);
	}
}

/* Before the failed wait this token was taken. */
static lit taken_before(struct formula *f, const struct tokens *k, size_t token, uint32_t fail)
{
	lit taken = sat_variable(f->sat);
	VEC(lit) by = {0};

	for (size_t w = 0; w < k->waits.n; w++) {
		lit here = sat_variable(f->sat);

		sat_imply(f->sat, here, k->takes[token * k->waits.n + w]);
		sat_imply(f->sat, here, formula_before(f, k->waits.at[w], fail));
		vec_push(&by, here);
	}
	sat_or(f->sat, -taken);
	for (size_t w = 0; w < by.n; w++)
		sat_or(f->sat, by.at[w]);
	sat_end(f->sat);
	vec_release(&by);
	return taken;
}

static void put_fail(struct formula *f, const struct tokens *k, uint32_t fail)
{
	size_t there = k->count - k->posts.n;

	if (there < k->there) { /* more than can ever be taken */
		sat_fact(f->sat, -formula_happens(f, fail));
		return;
	}
	for (size_t token = 0; token < k->count; token++) {
		lit taken = taken_before(f, k, token, fail);

		sat_or(f->sat, -formula_happens(f, fail));
		sat_or(f->sat, taken);
		if (token >= there) {
			uint32_t post = k->posts.at[token - there];

			sat_or(f->sat, -formula_happens(f, post));
			sat_or(f->sat, formula_before(f, fail, post));
		}
		sat_end(f->sat);
	}
}

/* It takes one token, and no more: or a failed wait could count it twice. */
static void put_wait(struct formula *f, const struct tokens *k, size_t w)
{
	VEC(lit) takes = {0};

	for (size_t token = 0; token < k->count; token++)
		vec_push(&takes, k->takes[token * k->waits.n + w]);
	sat_or(f->sat, -formula_happens(f, k->waits.at[w]));
	for (size_t i = 0; i < takes.n; i++)
		sat_or(f->sat, takes.at[i]);
	sat_end(f->sat);
	if (k->fails.n || f->facts.stuck)
		sat_at_most_one(f->sat, takes.at, takes.n);
	vec_release(&takes);
}

/* Every token that there is was taken, each by a wait of its own. */
static lit empty_in_the_end(struct formula *f, const struct tokens *k)
{
	size_t there = k->count - k->posts.n;
	lit empty = sat_variable(f->sat);

	for (size_t token = 0; token < k->count; token++) {
		sat_or(f->sat, -empty);
		if (token >= there)
			sat_or(f->sat, -formula_happens(f, k->posts.at[token - there]));
		for (size_t w = 0; w < k->waits.n; w++)
			sat_or(f->sat, k->takes[token * k->waits.n + w]);
		sat_end(f->sat);
	}
	return empty;
}

static bool is_of_one_thread(const struct formula *f, const uint32_t *events, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (f->index->events[events[i]].thread != f->index->events[events[0]].thread)
			return false;
	return true;
}

/*
 * One thread posts and one waits: then it is known which post each wait needs, and solvers need
 * not find out that no other will do, which takes them long.
 */
static void put_handshake(struct formula *f, const struct tokens *k)
{
	for (size_t w = k->there; w < k->waits.n; w++) {
		size_t p = w - k->there;
		lit posted = p < k->posts.n ? formula_happens(f, k->posts.at[p]) : LIT_FALSE;
		uint32_t wait = k->waits.at[w];

		sat_imply(f->sat, formula_happens(f, wait),
			  p < k->posts.n ? formula_before(f, k->posts.at[p], wait) : LIT_FALSE);
		f->empty[cone_node(f->cone, wait)] = -posted;
	}
}

static void put_semaphore(struct formula *f, struct tokens *k)
{
	size_t there = k->there < k->waits.n ? k->there : k->waits.n;

	/* as long as somebody is left who might wait, there is something left */
	for (size_t w = 0; w < k->waits.n; w++)
		f->empty[cone_node(f->cone, k->waits.at[w])] = LIT_FALSE;
	if (k->there >= k->waits.n && !k->fails.n)
		return;
	if (!k->fails.n && is_of_one_thread(f, k->waits.at, k->waits.n) &&
	    is_of_one_thread(f, k->posts.at, k->posts.n)) {
		put_handshake(f, k);
		return;
	}
	k->count = there + k->posts.n;
	k->takes = mem_alloc_zero(k->count * k->waits.n + 1, sizeof(*k->takes));
	for (size_t token = 0; token < k->count; token++) {
		lit *row = k->takes + token * k->waits.n;

		for (size_t w = 0; w < k->waits.n; w++) {
			row[w] = sat_variable(f->sat);
			sat_imply(f->sat, row[w],
				  token < there ? formula_happens(f, k->waits.at[w])
						: formula_before(f, k->posts.at[token - there],
								 k->waits.at[w]));
		}
		sat_at_most_one(f->sat, row, k->waits.n);
	}
	for (size_t w = 0; w < k->waits.n; w++)
		put_wait(f, k, w);
	for (size_t i = 0; i < k->fails.n; i++)
		put_fail(f, k, k->fails.at[i]);
	if (!f->facts.stuck || k->there >= k->waits.n)
		return;
	lit empty = empty_in_the_end(f, k);

	for (size_t w = 0; w < k->waits.n; w++)
		f->empty[cone_node(f->cone, k->waits.at[w])] = empty;
}

void formula_semaphores(struct formula *f)
{
	size_t n = symbols_count(f->index->symbols, CLASS_SEMAPHORE);

	for (size_t s = 0; s < n; s++) {
		struct tokens k = {0};

		gather_tokens(f, (uint32_t)s, &k);
		put_semaphore(f, &k);
		vec_release(&k.waits);
		vec_release(&k.posts);
		vec_release(&k.fails);
		mem_free(k.takes);
	}
}

/* The recorded enters of a round that is not over before the cone. */
struct round {
	uint32_t number;
	bool whole; /* all its parties enter, in the cone or before */
	VEC(uint32_t) enters;
};

struct rounds {
	VEC(struct round) at;
};

static void gather_rounds(const struct formula *f, uint32_t barrier, struct rounds *rounds)
{
	const struct index_list *list = &f->index->uses[CLASS_BARRIER][barrier];
	uint32_t parties = f->index->symbols->barriers.at[barrier].parties;

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t n = list->events[i];

		if (f->index->events[n].kind != EV_BARRIER_ENTER)
			continue;
		/* enters come round by round */
		if (!rounds->at.n || rounds->at.at[rounds->at.n - 1].number != f->index->round[n]) {
			struct round new = {.number = f->index->round[n]};

			vec_push(&rounds->at, new);
		}
		struct round *r = &rounds->at.at[rounds->at.n - 1];

		if (formula_happens(f, n) != LIT_FALSE)
			vec_push(&r->enters, n);
		r->whole = r->enters.n == parties;
		if (r->whole && n <= f->cone->low) {
			vec_release(&r->enters);
			rounds->at.n--;
		}
	}
}

static bool all_precede(const struct formula *f, const struct round *a, const struct round *b)
{
	for (size_t i = 0; i < a->enters.n; i++)
		for (size_t j = 0; j < b->enters.n; j++)
			if (!formula_must_precede(f, a->enters.at[i], b->enters.at[j]))
				return false;
	return a->whole;
}

/* All of a have entered before the first of b enters. */
static lit round_before(struct formula *f, const struct round *a, const struct round *b)
{
	if (!a->whole)
		return LIT_FALSE;
	lit before = sat_variable(f->sat);

	for (size_t i = 0; i < a->enters.n; i++)
		for (size_t j = 0; j < b->enters.n; j++) {
			sat_or(f->sat, -before);
			sat_or(f->sat, -formula_happens(f, b->enters.at[j]));
			sat_or(f->sat, formula_before(f, a->enters.at[i], b->enters.at[j]));
			sat_end(f->sat);
		}
	return before;
}

static void put_rounds(struct formula *f, const struct round *a, const struct round *b)
{
	if (all_precede(f, a, b) || all_precede(f, b, a))
		return;
	lit first = round_before(f, a, b), last = round_before(f, b, a);

	for (size_t i = 0; i < a->enters.n; i++)
		for (size_t j = 0; j < b->enters.n; j++) {
			sat_or(f->sat, -formula_happens(f, a->enters.at[i]));
			sat_or(f->sat, -formula_happens(f, b->enters.at[j]));
			sat_or(f->sat, first);
			sat_or(f->sat, last);
			sat_end(f->sat);
		}
}

void formula_barriers(struct formula *f)
{
	size_t n = symbols_count(f->index->symbols, CLASS_BARRIER);

	for (size_t b = 0; b < n; b++) {
		struct rounds rounds = {0};

		gather_rounds(f, (uint32_t)b, &rounds);
		for (size_t i = 0; i < rounds.at.n; i++)
			for (size_t j = i + 1; j < rounds.at.n; j++)
				put_rounds(f, &rounds.at.at[i], &rounds.at.at[j]);
		for (size_t i = 0; i < rounds.at.n; i++)
			vec_release(&rounds.at.at[i].enters);
		vec_release(&rounds.at);
	}
}
