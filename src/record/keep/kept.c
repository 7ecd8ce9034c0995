/* SPDX-License-Identifier: MIT */
#include "record/keep/kept.h"

#include <stdlib.h>

#define NO_CLASS UINT32_MAX

void kept_init(struct kept *k, uint32_t threads, struct libraries *libraries)
{
	size_t count = libraries_count(libraries);

	*k = (struct kept){.libraries = libraries, .thread_count = threads};
	k->threads = mem_alloc_zero((size_t)threads + 1, sizeof(*k->threads));
	k->library_class = mem_alloc((count + 1) * sizeof(*k->library_class));
	for (size_t i = 0; i <= count; i++)
		k->library_class[i] = NO_CLASS;
	counts_init(&k->objects);
	counts_init(&k->callees);
	counts_init(&k->lock_numbers);
}

void kept_release(struct kept *k)
{
	for (uint32_t i = 0; i < k->thread_count; i++) {
		vec_release(&k->threads[i].knows);
		vec_release(&k->threads[i].held);
		vec_release(&k->threads[i].given);
	}
	mem_free(k->threads);
	for (size_t i = 0; i < k->classes.n; i++)
		vec_release(&k->classes.at[i].uses);
	vec_release(&k->classes);
	for (size_t i = 0; i < LIBRARY_GROUPS; i++)
		vec_release(&k->groups[i]);
	for (size_t i = 0; i < k->locks.n; i++)
		vec_release(&k->locks.at[i].uses);
	vec_release(&k->locks);
	vec_release(&k->stretches);
	counts_release(&k->objects);
	counts_release(&k->callees);
	counts_release(&k->lock_numbers);
	mem_free(k->library_class);
	vec_release(&k->edges);
}

/* Edges */

static uint64_t *knowledge(struct kept *k, uint32_t thread, uint32_t of)
{
	struct kept_thread *t = &k->threads[thread];

	if (of >= t->knows.n)
		vec_extend(&t->knows, (size_t)of + 1);
	return &t->knows.at[of];
}

static void learn(struct kept *k, uint32_t thread, uint32_t of, uint64_t time)
{
	uint64_t *known = knowledge(k, thread, of);

	if (*known < time)
		*known = time;
}

/* What `from` did up to `then` comes before what `to` does from now on. */
static void order(struct kept *k, uint32_t from, uint64_t then, uint32_t to, uint64_t now)
{
	struct kept_edge edge = {{then, from}, {now, to}};

	if (from == to || !then || *knowledge(k, to, from) >= then)
		return;
	learn(k, to, from, then);
	vec_push(&k->edges, edge);
}

static void learn_all(struct kept *k, uint32_t thread, uint32_t from, uint64_t time)
{
	for (uint32_t i = 0; i < k->threads[from].knows.n; i++)
		learn(k, thread, i, k->threads[from].knows.at[i]);
	learn(k, thread, from, time);
}

void kept_fork(struct kept *k, uint32_t thread, uint32_t other, uint64_t time)
{
	if (other < k->thread_count)
		learn_all(k, other, thread, time);
}

void kept_join(struct kept *k, uint32_t thread, uint32_t other, uint64_t time)
{
	if (other < k->thread_count)
		learn_all(k, thread, other, time);
}

/* Classes */

static struct kept_use *use_of(kept_uses *uses, uint32_t thread)
{
	struct kept_use use = {.thread = thread};

	for (size_t i = 0; i < uses->n; i++)
		if (uses->at[i].thread == thread)
			return &uses->at[i];
	vec_push(uses, use);
	return &uses->at[uses->n - 1];
}

static uint32_t new_class(struct kept *k)
{
	struct kept_class class = {.parent = (uint32_t)k->classes.n};

	vec_push(&k->classes, class);
	return class.parent;
}

static uint32_t root_of(struct kept *k, uint32_t class)
{
	struct kept_class *all = k->classes.at;

	while (all[class].parent != class)
		class = all[class].parent = all[all[class].parent].parent;
	return class;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint32_t kept_unite(struct kept *k, uint32_t a, uint32_t b)
{
	a = root_of(k, a);
	b = root_of(k, b);
	if (a == b)
		return a;
	struct kept_class *from = &k->classes.at[b], *to = &k->classes.at[a];

	for (size_t i = 0; i < from->uses.n; i++) {
		const struct kept_use *u = &from->uses.at[i];
		struct kept_use *use = use_of(&to->uses, u->thread);

		use->wrote = later(use->wrote, u->wrote);
		use->begun = later(use->begun, u->begun);
		use->ended = later(use->ended, u->ended);
	}
	vec_release(&from->uses);
	from->parent = a;
	to->shared |= from->shared;
	return a;
}

void kept_share(struct kept *k, uint32_t class)
{
	k->classes.at[root_of(k, class)].shared = true;
}

bool kept_is_shared(struct kept *k, uint32_t class)
{
	return k->classes.at[root_of(k, class)].shared;
}

uint32_t kept_class_of(struct kept *k, uint64_t key)
{
	uint64_t found = counts_count(&k->objects, key);

	if (found)
		return (uint32_t)found - 1;
	uint32_t class = new_class(k);

	counts_add(&k->objects, key);
	k->objects.slots[counts_find(&k->objects, key)].count = (uint64_t) class + 1;
	return class;
}

/* Behind a stretch that is over, or behind the beginning of one that is not. */
static void order_behind_stretch(struct kept *k, uint32_t from, uint64_t begun, uint64_t ended,
				 uint32_t to, uint64_t now)
{
	order(k, from, begun > ended ? begun : ended, to, now);
}

void kept_write(struct kept *k, uint32_t thread, uint32_t class, uint64_t time)
{
	struct kept_class *c = &k->classes.at[root_of(k, class)];

	for (size_t i = 0; i < c->uses.n; i++) {
		const struct kept_use *u = &c->uses.at[i];

		if (u->begun)
			order_behind_stretch(k, u->thread, u->begun, u->ended, thread, time - 1);
	}
	for (uint32_t i = 0; k->anything && i < k->thread_count; i++)
		if (k->threads[i].anything)
			order_behind_stretch(k, i, k->threads[i].begun, k->threads[i].ended, thread,
					     time - 1);
	use_of(&c->uses, thread)->wrote = time;
	k->threads[thread].wrote = time;
}

void kept_wrote(struct kept *k, uint32_t thread, uint32_t class, uint64_t time)
{
	struct kept_use *use = use_of(&k->classes.at[root_of(k, class)].uses, thread);

	use->wrote = later(use->wrote, time);
}

/* Stretches */

static uint32_t library_number(struct kept *k, uint64_t callee)
{
	size_t i = counts_find(&k->callees, callee);

	if (!k->callees.slots[i].count) {
		uint32_t number = libraries_at(k->libraries, callee);

		counts_add(&k->callees, callee);
		i = counts_find(&k->callees, callee);
		k->callees.slots[i].count = (uint64_t)number + 1;
	}
	return (uint32_t)(k->callees.slots[i].count - 1);
}

/* It has what it was given, and keeps nothing; of assembly the log says what it orders. */
static const struct library itself;

const struct library *kept_library(struct kept *k, uint64_t callee)
{
	if (callee == KEPT_ITSELF)
		return &itself;
	return libraries_get(k->libraries, library_number(k, callee));
}

static void stop(struct kept *k, uint32_t thread, uint64_t time);

void kept_call(struct kept *k, uint32_t thread, uint64_t time)
{
	struct kept_thread *t = &k->threads[thread];

	stop(k, thread, time);
	if (!t->depth) {
		t->given.n = 0;
		t->anything = false;
	}
}

#define GIVEN_MOST 1000

void kept_give(struct kept *k, uint32_t thread, uint32_t class, bool argument)
{
	struct kept_thread *t = &k->threads[thread];

	class = root_of(k, class);
	for (size_t i = 0; i < t->given.n; i++)
		if (root_of(k, t->given.at[i]) == class)
			return;
	if (argument && t->given.n)
		class = kept_unite(k, t->given.at[0], class);
	if (t->given.n < GIVEN_MOST)
		vec_push(&t->given, class);
	else
		kept_give_anything(k, thread);
}

void kept_give_anything(struct kept *k, uint32_t thread)
{
	k->threads[thread].anything = k->anything = true;
}

void kept_host(struct kept *k)
{
	k->host = true;
	k->host_class = new_class(k);
	kept_share(k, k->host_class);
}

void kept_host_takes(struct kept *k, uint32_t thread)
{
	struct kept_thread *t = &k->threads[thread];

	for (size_t i = 0; i < t->given.n; i++)
		kept_unite(k, k->host_class, t->given.at[i]);
	t->given.n = 0;
	kept_give(k, thread, k->host_class, false);
}

/* Whatever it is given may stay there. */
static void give_library(struct kept *k, uint32_t thread, uint32_t number)
{
	struct kept_thread *t = &k->threads[thread];

	if (k->host) {
		kept_host_takes(k, thread);
		return;
	}
	if (number >= libraries_count(k->libraries)) {
		kept_give_anything(k, thread);
		return;
	}
	uint32_t *class = &k->library_class[number];

	if (*class == NO_CLASS)
		*class = new_class(k);
	kept_share(k, *class);
	for (size_t i = 0; i < t->given.n; i++)
		kept_unite(k, *class, t->given.at[i]);
	kept_give(k, thread, *class, false);
}

static void order_behind_writes(struct kept *k, uint32_t thread, uint64_t time)
{
	struct kept_thread *t = &k->threads[thread];

	for (size_t i = 0; i < t->given.n; i++) {
		const struct kept_class *c = &k->classes.at[root_of(k, t->given.at[i])];

		for (size_t u = 0; u < c->uses.n; u++)
			order(k, c->uses.at[u].thread, c->uses.at[u].wrote, thread, time);
	}
	for (uint32_t i = 0; t->anything && i < k->thread_count; i++)
		order(k, i, k->threads[i].wrote, thread, time);
}

/*
 * Sections of locks that are held when it begins have such code in them. Of a call that a model
 * speaks of, only its own locks: what it guards by those is not seen.
 */
static void order_sections(struct kept *k, uint32_t thread, uint64_t time, bool modelled);

static void start_groups(struct kept *k, uint32_t thread, uint64_t groups, uint64_t time)
{
	for (uint32_t g = 0; g < LIBRARY_GROUPS; g++)
		if (groups >> g & 1)
			use_of(&k->groups[g], thread)->begun = time;
}

#define NOTED_MOST 16

/* Which of these are shared is known in the end. */
static void note_stretch(struct kept *k, const struct kept_thread *t, uint64_t time)
{
	struct kept_stretch stretch = {time, NO_CLASS};

	if (t->anything || t->given.n > NOTED_MOST) {
		vec_push(&k->stretches, stretch);
		return;
	}
	for (size_t i = 0; i < t->given.n; i++) {
		stretch.class = t->given.at[i];
		vec_push(&k->stretches, stretch);
	}
}

static void start(struct kept *k, uint32_t thread, uint64_t time)
{
	struct kept_thread *t = &k->threads[thread];

	t->inside = t->within = true;
	t->begun = time;
	order_behind_writes(k, thread, time);
	order_sections(k, thread, time, false);
	for (size_t i = 0; i < t->given.n; i++)
		use_of(&k->classes.at[root_of(k, t->given.at[i])].uses, thread)->begun = time;
	note_stretch(k, t, time);
	if (t->orders)
		start_groups(k, thread, t->groups, time);
}

void kept_modelled_goes_on(struct kept *k, uint32_t thread, struct kept_model says, uint64_t time)
{
	struct kept_thread *t = &k->threads[thread];

	stop(k, thread, time);
	order_sections(k, thread, time, true);
	if (says.hands)
		start_groups(k, thread, t->modelled, time);
	if (says.receives) {
		t->inside = true;
		t->orders = t->groups;
	}
	t->within = true;
}

void kept_modelled(struct kept *k, uint32_t thread, uint64_t callee, struct kept_model says,
		   uint64_t time)
{
	const struct library *l = kept_library(k, callee);
	uint64_t groups = l->orders ? l->groups : 0;

	if (says.hands)
		k->threads[thread].modelled |= groups;
	if (says.receives)
		k->threads[thread].groups |= groups;
	kept_modelled_goes_on(k, thread, says, time);
}

void kept_begins(struct kept *k, uint32_t thread, uint64_t callee, uint64_t time)
{
	struct kept_thread *t = &k->threads[thread];
	const struct library *l = kept_library(k, callee);

	t->depth++;
	if (!k->host && (l->anything || (l->keeps && k->has_past)))
		kept_give_anything(k, thread);
	if (l->keeps || k->host)
		give_library(k, thread, library_number(k, callee));
	if (l->orders)
		t->groups |= l->groups;
	t->orders = l->orders;
	start(k, thread, time);
}

/* In which call is not known. */
void kept_goes_on(struct kept *k, uint32_t thread, uint64_t time)
{
	stop(k, thread, time);
	k->threads[thread].orders = k->threads[thread].groups;
	start(k, thread, time);
}

static void order_behind_begun(struct kept *k, const struct kept_use *uses, size_t n,
			       uint32_t thread, uint64_t time)
{
	for (size_t i = 0; i < n; i++)
		order(k, uses[i].thread, uses[i].begun, thread, time);
}

static void end_given(struct kept *k, uint32_t thread, uint64_t time)
{
	struct kept_thread *t = &k->threads[thread];

	for (size_t i = 0; i < t->given.n; i++) {
		struct kept_class *c = &k->classes.at[root_of(k, t->given.at[i])];

		order_behind_begun(k, c->uses.at, c->uses.n, thread, time);
		use_of(&c->uses, thread)->ended = time;
	}
}

static void stop(struct kept *k, uint32_t thread, uint64_t time)
{
	struct kept_thread *t = &k->threads[thread];

	if (!t->inside)
		return;
	t->inside = false;
	order_behind_writes(k, thread, time);
	end_given(k, thread, time);
	for (uint32_t g = 0; t->orders && g < LIBRARY_GROUPS; g++)
		if (t->groups >> g & 1)
			order_behind_begun(k, k->groups[g].at, k->groups[g].n, thread, time);
	for (uint32_t i = 0; k->anything && i < k->thread_count; i++)
		if (t->anything || k->threads[i].anything)
			order(k, i, k->threads[i].begun, thread, time);
	t->ended = time;
}

void kept_ends(struct kept *k, uint32_t thread, bool returns, bool hooks, uint64_t time)
{
	struct kept_thread *t = &k->threads[thread];

	stop(k, thread, time);
	if (returns && t->depth)
		t->depth--;
	if (hooks)
		t->within = false;
}

/* Locks and semaphores */

static struct kept_lock *lock_at(struct kept *k, uint64_t address)
{
	size_t i = counts_find(&k->lock_numbers, address);

	if (!k->lock_numbers.slots[i].count) {
		struct kept_lock lock = {0};

		vec_push(&k->locks, lock);
		counts_add(&k->lock_numbers, address);
		i = counts_find(&k->lock_numbers, address);
		k->lock_numbers.slots[i].count = k->locks.n;
	}
	return &k->locks.at[k->lock_numbers.slots[i].count - 1];
}

static struct kept_held *held_at(struct kept_thread *t, uint64_t lock)
{
	for (size_t i = 0; i < t->held.n; i++)
		if (t->held.at[i].lock == lock)
			return &t->held.at[i];
	return NULL;
}

void kept_acquire(struct kept *k, uint32_t thread, uint64_t lock, bool shared)
{
	struct kept_thread *t = &k->threads[thread];
	struct kept_held *held = held_at(t, lock), new = {lock, 1, shared, false, t->within};

	if (held)
		held->depth++;
	else
		vec_push(&t->held, new);
}

static void order_section(struct kept *k, uint32_t thread, struct kept_held *held, uint64_t time)
{
	const struct kept_lock *lock = lock_at(k, held->lock);

	held->unseen = true;
	for (size_t i = 0; i < lock->uses.n; i++) {
		const struct kept_use *u = &lock->uses.at[i];

		order(k, u->thread, u->ended, thread, time);
		if (!held->shared)
			order(k, u->thread, u->begun, thread, time);
	}
}

static void order_sections(struct kept *k, uint32_t thread, uint64_t time, bool modelled)
{
	struct kept_thread *t = &k->threads[thread];

	for (size_t i = 0; i < t->held.n; i++)
		if (!modelled || t->held.at[i].within)
			order_section(k, thread, &t->held.at[i], time);
}

void kept_release_lock(struct kept *k, uint32_t thread, uint64_t lock, uint64_t time)
{
	struct kept_thread *t = &k->threads[thread];
	struct kept_held *held = held_at(t, lock);

	if (!held || --held->depth)
		return;
	if (held->unseen) {
		struct kept_use *use = use_of(&lock_at(k, lock)->uses, thread);

		/* while it is still held: a wait on a condition says nothing behind it */
		*(held->shared ? &use->begun : &use->ended) = time - 1;
	}
	*held = t->held.at[--t->held.n];
}

void kept_post(struct kept *k, uint32_t thread, uint64_t semaphore, uint64_t time)
{
	if (k->threads[thread].within)
		use_of(&lock_at(k, semaphore)->uses, thread)->wrote = time;
}

void kept_wait(struct kept *k, uint32_t thread, uint64_t semaphore, uint64_t time)
{
	const struct kept_lock *lock = lock_at(k, semaphore);

	for (size_t i = 0; k->threads[thread].within && i < lock->uses.n; i++)
		order(k, lock->uses.at[i].thread, lock->uses.at[i].wrote, thread, time);
}

/* To be written */

int kept_compare(const struct kept_place *a, const struct kept_place *b)
{
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int compare_from(const void *a, const void *b)
{
	const struct kept_edge *x = a, *y = b;

	return kept_compare(&x->from, &y->from);
}

static int compare_to(const void *a, const void *b)
{
	const struct kept_due *x = a, *y = b;

	return kept_compare(&x->to, &y->to);
}

/* May other threads see what is there, by themselves or by such code? */
static bool is_shared(struct kept *k, uint32_t class)
{
	if (class == NO_CLASS)
		return true;
	const struct kept_class *c = &k->classes.at[root_of(k, class)];

	return c->shared || c->uses.n > 1;
}

static void find_deciding(struct kept *k, struct kept_order *o)
{
	for (size_t i = 0; i < k->stretches.n; i++) {
		uint64_t time = k->stretches.at[i].time;
		bool known = o->deciding.n && o->deciding.at[o->deciding.n - 1] == time;

		if (!known && is_shared(k, k->stretches.at[i].class))
			vec_push(&o->deciding, time);
	}
}

/* Edges that leave one place have one number, from 1. */
void kept_prepare(struct kept *k, struct kept_order *o)
{
	*o = (struct kept_order){.edges = k->edges.at, .n = k->edges.n};
	find_deciding(k, o);
	if (!o->n)
		return;
	qsort(o->edges, o->n, sizeof(*o->edges), compare_from);
	o->due = mem_alloc(o->n * sizeof(*o->due));
	for (size_t i = 0; i < o->n; i++) {
		o->count += !i || kept_compare(&o->edges[i - 1].from, &o->edges[i].from);
		o->due[i] = (struct kept_due){o->edges[i].to, o->count};
	}
	qsort(o->due, o->n, sizeof(*o->due), compare_to);
	o->symbols = mem_alloc_zero(o->count + 1, sizeof(*o->symbols));
}

void kept_order_release(struct kept_order *o)
{
	mem_free(o->due);
	mem_free(o->symbols);
	vec_release(&o->waiting);
	vec_release(&o->deciding);
}
