/* SPDX-License-Identifier: MIT */
#include "property/split.h"
#include "property/tune.h"

#include "base/intern.h"

#include <string.h>

static void add_event(struct event_bits *b, uint32_t event)
{
	vec_extend(&b->words, (size_t)event / 64 + 1);
	b->words.at[event / 64] |= (uint64_t)1 << event % 64;
}

static void release_bits(struct event_bits *b)
{
	vec_release(&b->words);
}

/* All events that the process can ever do; *all is false if there are too many states. */
static int find_events(struct csp *csp, struct csp_process *process, struct event_bits *events,
		       bool *all, struct err *err)
{
	struct intern known = {0};
	VEC(struct csp_process *) work = {0};
	int code = 0;

	intern_add(&known, (const char *)&process, sizeof(process));
	vec_push(&work, process);
	for (size_t i = 0; !code && *all && i < work.n; i++) {
		const struct csp_step *steps;
		size_t count;

		code = csp_process_steps(csp, work.at[i], &steps, &count, err);
		for (size_t k = 0; !code && k < count; k++) {
			size_t before = known.strings.n;

			if (steps[k].event > CSP_TICK)
				add_event(events, steps[k].event);
			intern_add(&known, (const char *)&steps[k].to, sizeof(steps[k].to));
			if (known.strings.n > before)
				vec_push(&work, steps[k].to);
		}
		*all = work.n <= property_tune.part_states;
	}
	intern_release(&known);
	vec_release(&work);
	return code;
}

/* What the two sides can do together; false: both can do something that they do not share. */
static bool join(const struct csp_process *parallel, struct event_bits *left,
		 const struct event_bits *right)
{
	size_t words = left->words.n > right->words.n ? left->words.n : right->words.n;

	vec_extend(&left->words, words);
	for (uint32_t e = 0; e < words * 64; e++) {
		bool l = event_bits_has(left, e), r = event_bits_has(right, e);
		bool shared = (l || r) && csp_process_shares(parallel, e);

		if (l && r && !shared)
			return false;
		if (shared && !(l && r))
			left->words.at[e / 64] &= ~((uint64_t)1 << e % 64);
		else if (r)
			add_event(left, e);
	}
	return true;
}

/* Adds the parts of the process; *events: what it can do. *good is false if it cannot be split. */
static int split_into(struct split *s, struct csp *csp, struct csp_process *process,
		      struct event_bits *events, bool *good, struct err *err)
{
	struct csp_process *left, *right;
	struct event_bits other = {0};
	int code;

	if (s->parts.n > property_tune.parts_most)
		*good = false;
	if (!*good)
		return 0;
	if (!csp_process_parallel(csp, process, &left, &right)) {
		struct split_part part = {.process = process};

		code = find_events(csp, process, &part.events, good, err);
		for (size_t i = 0; i < part.events.words.n; i++)
			vec_push(&events->words, part.events.words.at[i]);
		vec_push(&s->parts, part);
		return code;
	}
	code = split_into(s, csp, left, events, good, err);
	if (!code)
		code = split_into(s, csp, right, &other, good, err);
	if (!code && *good)
		*good = join(process, events, &other);
	release_bits(&other);
	return code;
}

int split_make(struct split *s, struct csp *csp, struct csp_process *process, struct err *err)
{
	bool good = true;

	memset(s, 0, sizeof(*s));
	int code = split_into(s, csp, process, &s->possible, &good, err);

	if (code || !good)
		split_release(s);
	return code;
}

void split_release(struct split *s)
{
	for (size_t i = 0; i < s->parts.n; i++)
		release_bits(&s->parts.at[i].events);
	vec_release(&s->parts);
	release_bits(&s->possible);
}
