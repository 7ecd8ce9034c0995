/* SPDX-License-Identifier: MIT */
/* Replays a witness with the engine's own steps: explore_accepts. */
#include "model/regions.h"
#include "search/explore/bugs.h"
#include "search/explore/explore.h"

/* The thread of the event if that is its thread's next, or UINT32_MAX. */
static uint32_t thread_of_next(const struct space *s, const uint64_t *state, uint64_t event)
{
	if (!event || event > s->index->count)
		return UINT32_MAX;
	uint32_t thread = s->index->events[event].thread;

	return space_next(s, state, thread) == event ? thread : UINT32_MAX;
}

static bool replay(struct space *s, uint64_t *state, const uint64_t *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t thread = thread_of_next(s, state, events[i]);

		if (thread == UINT32_MAX || !space_can(s, state, thread) ||
		    !space_step(s, state, thread))
			return false;
	}
	return true;
}

static bool is_race(const struct space *s, const uint64_t *state, const struct witness *w)
{
	if (w->bug_events.n != 2)
		return false;
	uint32_t a = thread_of_next(s, state, w->bug_events.at[0]);
	uint32_t b = thread_of_next(s, state, w->bug_events.at[1]);

	return a != UINT32_MAX && b != UINT32_MAX && space_can(s, state, a) &&
	       space_can(s, state, b) &&
	       index_conflict(s->index, (uint32_t)w->bug_events.at[0],
			      (uint32_t)w->bug_events.at[1]);
}

static bool is_deadlock(const struct space *s, const uint64_t *state, const struct witness *w)
{
	size_t n = w->bug_events.n;

	for (size_t i = 0; i < n; i++) {
		uint32_t thread = thread_of_next(s, state, w->bug_events.at[i]);
		uint32_t other = thread_of_next(s, state, w->bug_events.at[(i + 1) % n]);

		if (thread == UINT32_MAX || other == UINT32_MAX || !space_waits(s, state, thread) ||
		    !space_waits_for(s, state, thread, other))
			return false;
		for (size_t j = 0; j < i; j++)
			if (w->bug_events.at[i] == w->bug_events.at[j])
				return false;
	}
	return n >= 2;
}

/* In a state that is stuck a thread that has something left to do waits for it, or cannot exist. */
static bool is_stuck(const struct space *s, const uint64_t *state, const struct witness *w)
{
	for (size_t i = 0; i < w->bug_events.n; i++) {
		uint32_t thread = thread_of_next(s, state, w->bug_events.at[i]);

		if (thread == UINT32_MAX || !space_waits(s, state, thread))
			return false;
	}
	return bugs_is_stuck(s, state);
}

static bool is_property(const struct space *s, const uint64_t *state, const struct witness *w)
{
	size_t marks = 0;

	(void)state;
	for (size_t i = 0; i < witness_length(w); i++) {
		if (s->index->events[witness_event(w, i)].kind != EV_MARK)
			continue;
		if (marks == w->bug_events.n || w->bug_events.at[marks] != witness_event(w, i))
			return false;
		marks++;
	}
	return marks == w->bug_events.n;
}

static bool is_atomicity(const struct space *s, const uint64_t *state, const struct witness *w)
{
	size_t n = witness_length(w);
	uint64_t first = 0, remote = 0; /* their places in the run, from 1 */

	(void)state;
	if (w->bug_events.n != 3 || !n || witness_event(w, n - 1) != w->bug_events.at[2])
		return false;
	for (size_t i = 0; i < n; i++) {
		if (witness_event(w, i) == w->bug_events.at[0])
			first = i + 1;
		if (witness_event(w, i) == w->bug_events.at[1])
			remote = i + 1;
	}
	return first && first < remote &&
	       regions_violated(s->index, (uint32_t)w->bug_events.at[0],
				(uint32_t)w->bug_events.at[1], (uint32_t)w->bug_events.at[2]);
}

/* Where a thread leaves the recorded run, states say nothing of: search/run.h does. */
static bool is_never(const struct space *s, const uint64_t *state, const struct witness *w)
{
	(void)s, (void)state, (void)w;
	return false;
}

static bool (*const is_bug[])(const struct space *s, const uint64_t *state,
			      const struct witness *w) = {
	[BUG_RACE] = is_race,	      [BUG_DEADLOCK] = is_deadlock,   [BUG_STUCK] = is_stuck,
	[BUG_PROPERTY] = is_property, [BUG_ATOMICITY] = is_atomicity, [BUG_CHOICE] = is_never,
};
BUG_ROWS_ARE_ALL(is_bug);

/* The rest completes the trace, and of a race one access directly follows the other. */
static bool is_completed(struct space *s, uint64_t *state, const struct witness *w)
{
	const uint64_t *bug = w->bug_events.at, *rest = w->rest.at;

	if (bug_facts[w->bug].adjacent &&
	    !(w->rest.n >= 2 && ((rest[0] == bug[0] && rest[1] == bug[1]) ||
				 (rest[0] == bug[1] && rest[1] == bug[0]))))
		return false;
	return replay(s, state, rest, w->rest.n) && space_complete(s, state);
}

bool explore_accepts(const struct index *index, const struct witness *witness)
{
	struct space *s = space_new(index, witness->model, bug_facts[witness->bug].early);
	uint64_t *state = mem_alloc(s->words * sizeof(*state));

	space_start(s, state);
	bool good = true;

	for (uint64_t n = 1; good && n <= witness->recorded; n++)
		good = replay(s, state, &n, 1);
	good = good && replay(s, state, witness->run.at, witness->run.n) &&
	       is_bug[witness->bug](s, state, witness);

	if (witness->model == MODEL_SAID)
		good = good && is_completed(s, state, witness);
	else
		good = good && !witness->rest.n;
	mem_free(state);
	space_free(s);
	return good;
}
