/* SPDX-License-Identifier: MIT */
/*
 * Why a set could not be closed. From the event that could not be in it back along what asked
 * for what: if that comes by a read whose value another write has too, the read shall have it.
 */
#include "search/greedy/set.h"

bool greedy_set_avoids(const struct greedy_set *s, uint32_t part)
{
	for (size_t i = 0; i < s->avoided.n; i++)
		if (s->avoided.at[i] == part)
			return true;
	return false;
}

void greedy_set_forget(struct greedy_set *s)
{
	s->avoided.n = 0;
}

/* What first asked for so much of the thread that the event is in it. */
static const struct greedy_set_cause *cause_of(const struct greedy_set *s, uint32_t event)
{
	uint32_t thread = s->index->events[event].thread, position = s->index->position[event];
	const struct greedy_set_cause *found = NULL;

	for (uint32_t i = s->last_cause[thread]; i; i = s->causes.at[i - 1].before) {
		if (s->causes.at[i - 1].end <= position)
			break;
		found = &s->causes.at[i - 1];
	}
	return found;
}

bool greedy_set_blame(struct greedy_set *s)
{
	const struct greedy_set_cause *cause = &s->now;

	if (s->kind != SET_MOVED || s->model == MODEL_PREDICTABLE || !s->failed ||
	    s->avoided.n == greedy_tune.avoided_most)
		return false;
	for (uint32_t i = 0; i < greedy_tune.blame_steps && cause && cause->event; i++) {
		if (cause->part != NO_PART && !greedy_set_avoids(s, cause->part) &&
		    greedy_set_another(s, cause->event, cause->part) != SOURCE_NONE) {
			vec_push(&s->avoided, cause->part);
			return true;
		}
		cause = cause_of(s, cause->event);
	}
	return false;
}
