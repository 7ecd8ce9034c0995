/* SPDX-License-Identifier: MIT */
/* Which orders of the events that happen the objects allow: the tables of doc/model.md. */
#include "search/smt/parts.h"

static bool may_happen(const struct smt *s, uint32_t n)
{
	return n && s->when[n] != SMT_NEVER;
}

static const struct index_list *uses_of(const struct smt *s, uint32_t n)
{
	const struct event *e = smt_event(s, n);

	return &s->index->uses[event_kind_class[e->kind]][e->object];
}

/* Locks */

/* One is over before the other begins, if both begin. */
static void say_exclusion(struct smt *s, const struct section *a, const struct section *b)
{
	smt_say(s, "(assert (=> (and %i %i) (or", a->acquire, b->acquire);
	if (may_happen(s, a->release))
		smt_say(s, " (and %i %b)", a->release, a->release, b->acquire);
	if (may_happen(s, b->release))
		smt_say(s, " (and %i %b)", b->release, b->release, a->acquire);
	smt_say(s, " false)))\n");
}

static void say_locks(struct smt *s)
{
	const struct sections *all = s->sections;
	size_t locks = symbols_count(s->index->symbols, CLASS_LOCK);

	for (size_t l = 0; l < locks; l++) {
		for (uint32_t i = all->first[l]; i < all->first[l + 1]; i++) {
			const struct section *a = &all->all.at[all->of_lock[i]];

			for (uint32_t j = all->first[l]; j < i && may_happen(s, a->acquire); j++) {
				const struct section *b = &all->all.at[all->of_lock[j]];

				if (sections_exclude(a, b) && may_happen(s, b->acquire))
					say_exclusion(s, a, b);
			}
		}
	}
}

/* Another thread is inside a section. */
static void say_try_fail(struct smt *s, uint32_t n)
{
	const struct sections *all = s->sections;
	uint32_t lock = smt_event(s, n)->object;

	smt_say(s, "(assert (=> %i (or", n);
	for (uint32_t i = all->first[lock]; i < all->first[lock + 1]; i++) {
		const struct section *held = &all->all.at[all->of_lock[i]];

		if (held->thread == smt_event(s, n)->thread || !may_happen(s, held->acquire))
			continue;
		smt_say(s, " (and %i %b", held->acquire, held->acquire, n);
		if (may_happen(s, held->release))
			smt_say(s, " (or (not %i) %b)", held->release, n, held->release);
		smt_say(s, ")");
	}
	smt_say(s, " false)))\n");
}

/* Semaphores */

static void say_sum(struct smt *s, uint32_t n, enum event_kind kind)
{
	const struct index_list *list = uses_of(s, n);

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t other = list->events[i];

		if (smt_event(s, other)->kind == kind && other != n && may_happen(s, other))
			smt_say(s, " (ite (and %i %b) 1 0)", other, other, n);
	}
}

/* What it counts when event n is to happen. */
static void say_count(struct smt *s, uint32_t n)
{
	uint64_t start = s->index->symbols->semaphores.at[smt_event(s, n)->object].count;
	char number[32];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)start);
	smt_say(s, "(- (+ %s 0", number);
	say_sum(s, n, EV_SEM_POST);
	smt_say(s, ") (+ 0 0");
	say_sum(s, n, EV_SEM_WAIT);
	smt_say(s, "))");
	s->counts = true;
}

static void say_semaphore(struct smt *s, uint32_t n)
{
	smt_say(s, "(assert (=> %i (%s ", n, smt_event(s, n)->kind == EV_SEM_WAIT ? ">" : "=");
	say_count(s, n);
	smt_say(s, " 0)))\n");
}

/* Barriers */

/* Can all parties of event other's round enter? */
static bool round_is_whole(const struct smt *s, uint32_t other)
{
	const struct index_list *list = uses_of(s, other);
	uint32_t parties = s->index->symbols->barriers.at[smt_event(s, other)->object].parties;

	for (uint32_t i = 0; i < list->count; i++)
		parties -= smt_event(s, list->events[i])->kind == EV_BARRIER_ENTER &&
			   s->index->round[list->events[i]] == s->index->round[other] &&
			   may_happen(s, list->events[i]);
	return !parties;
}

/* Whoever of another round has entered before n was not alone: all of that round have. */
static void say_round(struct smt *s, uint32_t n, uint32_t other)
{
	const struct index_list *list = uses_of(s, n);

	smt_say(s, "(assert (=> (and %i %i %b)", n, other, other, n);
	if (!round_is_whole(s, other)) {
		smt_say(s, " false))\n");
		return;
	}
	smt_say(s, " (and true");
	for (uint32_t i = 0; i < list->count; i++)
		if (smt_event(s, list->events[i])->kind == EV_BARRIER_ENTER &&
		    s->index->round[list->events[i]] == s->index->round[other])
			smt_say(s, " %i %b", list->events[i], list->events[i], n);
	smt_say(s, ")))\n");
}

static void say_barrier_enter(struct smt *s, uint32_t n)
{
	const struct index_list *list = uses_of(s, n);

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t other = list->events[i];

		if (smt_event(s, other)->kind == EV_BARRIER_ENTER && may_happen(s, other) &&
		    s->index->round[other] != s->index->round[n])
			say_round(s, n, other);
	}
}

/* Conditions */

/*
 * For a broadcast, and a signal that woke nobody: whoever else waits on the condition before it
 * has been woken by then. That those it woke do sleep follows from what it needs.
 */
static void say_signal(struct smt *s, uint32_t n)
{
	const struct index_list *list = uses_of(s, n);
	uint32_t first = index_first_wake(s->index, n);
	bool wakes = first < s->index->wake_count && s->index->wakes[first].by == n;

	if (smt_event(s, n)->kind == EV_SIGNAL && wakes)
		return;
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t woken = list->events[i], wait = smt_previous(s, woken);

		if (smt_event(s, woken)->kind != EV_WOKEN || !may_happen(s, wait))
			continue;
		uint32_t by = (uint32_t)smt_event(s, woken)->more->by;

		if (!by || by == n)
			continue;
		smt_say(s, "(assert (=> (and %i %i %b)", n, wait, wait, n);
		if (may_happen(s, by))
			smt_say(s, " (and %i %b)))\n", by, by, n);
		else
			smt_say(s, " false))\n");
	}
}

/* Memory */

/* No access comes after the free. */
static void say_free(struct smt *s, uint32_t n)
{
	const struct event *e = smt_event(s, n);

	for (uint32_t p = 0; p < event_part_count(e); p++) {
		const struct index_list *list =
			&s->index->uses[CLASS_VARIABLE][event_part(e, p).variable];

		for (uint32_t i = 0; i < list->count; i++) {
			uint32_t access = list->events[i];

			if (access != n && may_happen(s, access))
				smt_say(s, "(assert (=> (and %i %i) %b))\n", n, access, access, n);
		}
	}
}

/*
 * All else is said by program order and what events need: threads, joins, onces, the externals
 * and allocs of a variable, who wakes whom.
 */
void smt_say_order(struct smt *s)
{
	say_locks(s);
	for (uint32_t n = 1; n <= s->index->count; n++) {
		if (!may_happen(s, n))
			continue;
		switch (smt_event(s, n)->kind) {
		case EV_TRY_FAIL: say_try_fail(s, n); break;
		case EV_SEM_WAIT:
		case EV_SEM_FAIL: say_semaphore(s, n); break;
		case EV_BARRIER_ENTER: say_barrier_enter(s, n); break;
		case EV_SIGNAL:
		case EV_BROADCAST: say_signal(s, n); break;
		case EV_FREE: say_free(s, n); break;
		default: break;
		}
	}
}
