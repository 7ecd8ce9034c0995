/* SPDX-License-Identifier: MIT */
/* Where handlers of signals ran, as the recorder says: meta handler THREAD STEPS SIGNAL, and
 * "outside" if another process had sent it. */
#include "replay/planner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LENGTH 31
#define SIGNAL_MOST 64

/* Of one that is damaged, `signal` is 0. */
static struct plan_handler parse(const char *text)
{
	struct plan_handler h = {0};
	char name[NAME_MAX_LENGTH + 1], outside[NAME_MAX_LENGTH + 1] = "";

	if (sscanf(text, "%31s %" SCNu64 " %" SCNu32 " %31s", name, &h.step, &h.signal, outside) <
		    3 ||
	    h.signal > SIGNAL_MOST)
		return (struct plan_handler){0};
	h.outside = !strcmp(outside, "outside");
	h.thread = replay_thread_number(name);
	return h;
}

/* How many steps the thread takes in the plan, with those that are not named there. */
static uint64_t steps_of(const struct replay_plan *p, uint32_t thread)
{
	uint32_t last = p->threads.at[thread].first;

	if (last == PLAN_NONE)
		return 0;
	while (p->steps.at[last].next != PLAN_NONE)
		last = p->steps.at[last].next;
	bool stops = last >= p->steps.n - p->stops && !p->steps.at[last].loose;

	return p->steps.at[last].step - stops;
}

struct found {
	struct plan_handler handler;
	size_t at; /* among all, as they ran */
};

static int compare(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->handler.thread != y->handler.thread)
		return x->handler.thread < y->handler.thread ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void replay_plan_add_handlers(struct replay_plan *p)
{
	const struct symbols *symbols = p->symbols;
	VEC(uint64_t) steps = {0}; /* by thread */
	VEC(struct found) found = {0};

	for (uint32_t i = 0; i < p->threads.n; i++)
		vec_push(&steps, steps_of(p, i));
	for (size_t i = 0; i < symbols->metas.n; i++) {
		if (strcmp(symbols->metas.at[i].key, "handler") != 0)
			continue;
		struct plan_handler h = parse(symbols->metas.at[i].value);

		if (h.signal && h.thread < p->threads.n && h.step <= steps.at[h.thread])
			vec_push(&found, ((struct found){h, i}));
	}
	if (found.n)
		qsort(found.at, found.n, sizeof(*found.at), compare);
	for (size_t i = 0; i < found.n; i++) {
		struct plan_thread *t = &p->threads.at[found.at[i].handler.thread];

		if (t->handler == PLAN_NONE)
			t->handler = (uint32_t)i;
		vec_push(&p->handlers, found.at[i].handler);
	}
	vec_release(&found);
	vec_release(&steps);
}
