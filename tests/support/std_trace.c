/* SPDX-License-Identifier: MIT */
#include "tests/support/std_trace.h"

#include "tests/support/random.h"

#define NESTED 3

struct std_state {
	struct random random;
	uint32_t held[64][NESTED], depth[64]; /* of each thread: locks */
	bool taken[1024];
};

static void put(const struct std_trace *t, struct std_state *s, struct output *out, uint32_t thread,
		const char *what, char class, uint32_t object)
{
	output_format(out, "T%u|%s(%c%u)|%u\n", thread, what, class, object,
		      random_below(&s->random, t->places));
}

/* Whether there is an event: a lock that is taken, or none to give back, is none. */
static bool put_lock(const struct std_trace *t, struct std_state *s, struct output *out,
		     uint32_t thread)
{
	uint32_t *depth = &s->depth[thread];

	if (random_percent(&s->random, 50) && *depth < NESTED) {
		uint32_t lock = random_below(&s->random, t->locks);

		if (s->taken[lock])
			return false;
		s->taken[lock] = true;
		s->held[thread][(*depth)++] = lock;
		put(t, s, out, thread, "acq", 'L', lock);
		return true;
	}
	if (!*depth)
		return false;
	uint32_t lock = s->held[thread][--*depth];

	s->taken[lock] = false;
	put(t, s, out, thread, "rel", 'L', lock);
	return true;
}

void std_trace_write(const struct std_trace *t, struct output *out)
{
	struct std_state s = {.random = random_seeded(t->seed)};

	for (uint64_t n = 0; n < t->events;) {
		uint32_t thread = random_below(&s.random, t->threads);
		uint32_t dice = random_below(&s.random, 100);

		if (dice < 76)
			put(t, &s, out, thread, dice < 46 ? "r" : "w", 'V',
			    random_below(&s.random, t->variables));
		else if (!put_lock(t, &s, out, thread))
			continue;
		n++;
	}
}
