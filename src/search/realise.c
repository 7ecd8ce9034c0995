/* SPDX-License-Identifier: MIT */
#include "search/realise.h"

struct realiser {
	const struct index *index;
	struct run *run;
	struct run_marks *marks;
	struct realise_limits limits;
	/* the word at hand */
	realise_hears *hears;
	const void *context;
	const uint32_t *word;
	size_t count, next; /* so many of it were heard */
	VEC(uint32_t) steps;
	uint32_t depth;
};

struct realiser *realiser_new(const struct index *index, enum model model,
			      const struct realise_limits *limits)
{
	struct realiser *r = mem_alloc_zero(1, sizeof(*r));

	r->index = index;
	r->limits = *limits;
	r->run = run_new(index, model);
	r->marks = run_marks_new(index, 0);
	return r;
}

void realiser_free(struct realiser *r)
{
	if (!r)
		return;
	run_free(r->run);
	run_marks_free(r->marks);
	vec_release(&r->steps);
	mem_free(r);
}

static bool take(struct realiser *r, uint32_t event);

/* The thread of the event goes on until it has happened. */
static bool advance_to(struct realiser *r, uint32_t event)
{
	while (!run_done(r->run, event)) {
		uint32_t next = run_next(r->run, r->index->events[event].thread);

		if (!next || run_skipped(r->run, event) || !take(r, next))
			return false;
	}
	return true;
}

/* Something that is in the way of an event goes on; false: nothing can be done about it. */
static bool make_way(struct realiser *r, const struct run_fault *fault)
{
	uint32_t next;

	switch (fault->kind) {
	case RUN_MISSING: return advance_to(r, fault->event);
	case RUN_LOCKED:
		next = run_next(r->run, r->index->events[fault->event].thread);
		return next && take(r, next);
	default: return false;
	}
}

/* The next event of its thread happens, if it is not one that would be heard at a wrong time. */
static bool take(struct realiser *r, uint32_t event)
{
	bool heard = r->hears(r->context, event), good = false, more = true;
	struct run_fault fault;

	if (heard && (r->next == r->count || r->word[r->next] != event))
		return false;
	if (r->depth == r->limits.depth || r->steps.n > r->limits.steps)
		return false;
	r->depth++;
	while (!good && more) {
		good = run_step(r->run, event, &fault);
		more = good || make_way(r, &fault);
		/* on the way the event itself may have come */
		if (!good && more && run_done(r->run, event))
			break;
	}
	r->depth--;
	if (!good)
		return more;
	vec_push(&r->steps, event);
	r->next += heard;
	return true;
}

/* Up to which event all is as recorded; and how much of the word comes before it. */
static uint32_t find_base(struct realiser *r)
{
	uint32_t base = 0;
	size_t same = 0;

	for (uint32_t n = 1; n <= r->index->count && !base; n++)
		if (r->hears(r->context, n)) {
			if (same == r->count || r->word[same] != n)
				base = n;
			else
				same++;
		}
	/* what its thread holds there may be in the way of others */
	base = base ? run_marks_first_hold(r->marks, base) : r->word[r->count - 1];
	r->next = 0;
	while (r->next < same && r->word[r->next] < base)
		r->next++;
	return base;
}

bool realise(struct realiser *r, realise_hears *hears, const void *context, const uint32_t *word,
	     size_t n, struct witness *w)
{
	r->hears = hears;
	r->context = context;
	r->word = word;
	r->count = n;
	r->steps.n = 0;
	r->depth = 0;
	uint32_t base = find_base(r);

	run_start(r->run, r->marks, base);
	while (r->next < n)
		if (!advance_to(r, word[r->next]))
			return false;
	for (uint32_t e = 1; e < base; e++)
		vec_push(&w->run, e);
	for (size_t i = 0; i < r->steps.n; i++)
		vec_push(&w->run, r->steps.at[i]);
	return true;
}
