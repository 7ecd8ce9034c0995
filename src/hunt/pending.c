/* SPDX-License-Identifier: MIT */
/*
 * Runs that are under way at the same time are different behaviours, though what they are is not
 * known yet: what one asks for has a choice with another outcome than what the other asks for
 * (doc/hunt.md, Several at once).
 */
#include "hunt/parts.h"

uint32_t *hunt_choices_made(const struct hunt_run *r, const struct witness *w)
{
	const struct index *index = r->index;
	uint32_t *done = mem_alloc_zero(index->thread_count + 1, sizeof(*done));

	for (uint64_t i = 0; i < witness_length(w); i++) {
		uint64_t n = witness_event(w, i);

		done[index->events[n].thread] = index->position[n] + 1;
	}
	for (uint32_t t = 0; t < index->thread_count; t++) {
		const struct hunt_thread *thread = &r->threads[t];
		uint32_t made = 0;

		while (made < thread->count &&
		       index->position[r->choices.at[thread->first + made].event] < done[t])
			made++;
		done[t] = made;
	}
	return done;
}

void hunt_expect(struct hunt *h, uint32_t question, const struct witness *w)
{
	const struct hunt_question *q = &h->questions.at[question];
	const struct hunt_run *r = h->runs.at[q->run];
	struct hunt_pending pending = {question, hunt_choices_made(r, w)};

	if (q->choice != UINT32_MAX && r->choices.at[q->choice].behind)
		pending.made[q->thread]--; /* with another outcome */
	vec_push(&h->pending, pending);
}

bool hunt_expect_no_more(struct hunt *h, uint32_t question)
{
	for (size_t i = 0; i < h->pending.n; i++)
		if (h->pending.at[i].question == question) {
			mem_free(h->pending.at[i].made);
			h->pending.at[i] = h->pending.at[--h->pending.n];
			break;
		}
	return !h->pending.n;
}

/*
 * The first choice of the thread of which the run that is under way has surely another outcome than
 * `r`, counted from the thread's first; UINT32_MAX: there is none.
 */
static uint32_t differs_at(const struct hunt *h, const struct hunt_run *r, uint32_t thread,
			   const struct hunt_pending *pending)
{
	const struct hunt_question *q = &h->questions.at[pending->question];
	const struct hunt_run *p = h->runs.at[q->run];
	uint32_t t = hunt_thread_by_id(p, r->threads[thread].id);

	if (t == UINT32_MAX)
		return UINT32_MAX;
	uint32_t same = hunt_departs(r, thread, p);

	if (same < pending->made[t])
		return same < r->threads[thread].count ? same : UINT32_MAX;
	if (q->choice == UINT32_MAX || q->thread != t)
		return UINT32_MAX;
	uint32_t changed = q->choice - p->threads[t].first;

	return same > changed ? changed : UINT32_MAX;
}

/* What the question asks for has another outcome in its own thread. */
static bool is_apart(const struct hunt *h, const struct hunt_question *q,
		     const struct hunt_pending *pending)
{
	const struct hunt_run *r = h->runs.at[q->run];
	const struct hunt_run *p = h->runs.at[h->questions.at[pending->question].run];
	uint32_t mine = q->choice - r->threads[q->thread].first;
	uint32_t t = hunt_thread_by_id(p, r->threads[q->thread].id);

	if (differs_at(h, r, q->thread, pending) < mine)
		return true;
	return t != UINT32_MAX && hunt_departs(r, q->thread, p) > mine && pending->made[t] > mine;
}

/* False: nothing in the question's run tells them apart. */
static bool put_apart(struct hunt *h, const struct hunt_question *q,
		      const struct hunt_pending *pending)
{
	const struct hunt_run *r = h->runs.at[q->run];
	size_t before = h->clauses.n;

	for (uint32_t t = 0; t < r->index->thread_count; t++) {
		uint32_t at = t == q->thread ? UINT32_MAX : differs_at(h, r, t, pending);

		if (at != UINT32_MAX)
			vec_push(&h->clauses,
				 (int32_t)r->probes->choices[r->threads[t].first + at].passed);
	}
	if (h->clauses.n == before)
		return false;
	vec_push(&h->clauses, 0);
	return true;
}

bool hunt_put_pending(struct hunt *h, const struct hunt_question *q)
{
	for (size_t i = 0; i < h->pending.n; i++) {
		const struct hunt_pending *pending = &h->pending.at[i];

		if (is_apart(h, q, pending))
			continue;
		h->restricted = true;
		if (!put_apart(h, q, pending))
			return false;
	}
	return true;
}
