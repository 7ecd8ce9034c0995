/* SPDX-License-Identifier: MIT */
/* What code without hooks has got at: against a list of all that was said. */
#include "record/keep/reached.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define KEYS 8
#define THREADS 3
#define STEPS 40

struct fact {
	uint64_t key, time;
	uint32_t thread; /* REACHED_BY_ALL */
};

static enum reached_by naive(const struct fact *facts, size_t n, uint64_t anything, uint64_t key,
			     uint32_t thread, uint64_t time)
{
	enum reached_by by = REACHED_BY_NOBODY;

	if (anything <= time)
		return REACHED_BY_OTHERS;
	for (size_t i = 0; i < n; i++) {
		if (facts[i].key != key || facts[i].time > time)
			continue;
		if (facts[i].thread != thread)
			return REACHED_BY_OTHERS;
		by = REACHED_BY_ITSELF;
	}
	return by;
}

/* As the other object has it at that time: its facts, with another key and a new time. */
static size_t copy_facts(struct fact *facts, size_t n, uint64_t key, uint64_t other, uint64_t time)
{
	size_t all = n;

	for (size_t i = 0; i < n; i++)
		if (facts[i].key == other)
			facts[all++] = (struct fact){key, time, facts[i].thread};
	return all;
}

static bool agrees(const struct reached *r, const struct fact *facts, size_t n, uint64_t anything)
{
	for (uint64_t key = 0; key < KEYS; key++)
		for (uint32_t thread = 0; thread < THREADS; thread++)
			for (uint64_t time = 0; time <= STEPS; time++)
				if (reached_by(r, key, thread, time) !=
				    naive(facts, n, anything, key, thread, time))
					return false;
	return true;
}

static bool one_run(uint64_t seed)
{
	struct random random = random_seeded(seed);
	static struct fact facts[1 << 16];
	size_t n = 0;
	uint64_t anything = UINT64_MAX;
	struct reached r;

	reached_init(&r);
	for (uint64_t time = 1; time <= STEPS && n < 1 << 14; time++) {
		uint64_t key = random_below(&random, KEYS), other = random_below(&random, KEYS);
		uint32_t what = random_below(&random, 20);
		uint32_t thread = random_below(&random, THREADS);

		if (what < 6) {
			thread = what ? thread : REACHED_BY_ALL;
			reached_note(&r, key, thread, time);
			facts[n++] = (struct fact){key, time, thread};
		} else if (what < 12 && key != other) {
			reached_note_as(&r, key, other, time);
			n = copy_facts(facts, n, key, other, time);
		} else if (what == 12 && time > STEPS / 2) {
			reached_note_anything(&r, time);
			anything = anything < time ? anything : time;
		}
	}
	bool right = agrees(&r, facts, n, anything);
	reached_release(&r);
	return right;
}

TAP_CASE(those_that_have_it)
{
	struct reached r;

	reached_init(&r);
	ASSERT_EQ(reached_note(&r, 5, 1, 10), true);
	ASSERT_EQ(reached_note(&r, 5, 1, 11), false);
	ASSERT_EQ(reached_note(&r, 5, 2, 12), true);
	ASSERT_EQ(reached_note(&r, 5, 3, 13), false);
	ASSERT_EQ(reached_note_as(&r, 6, 7, 14), false);
	ASSERT_EQ(reached_note_as(&r, 6, 5, 15), true);
	ASSERT_EQ(reached_by(&r, 5, 1, 9), REACHED_BY_NOBODY);
	ASSERT_EQ(reached_by(&r, 5, 1, 11), REACHED_BY_ITSELF);
	ASSERT_EQ(reached_by(&r, 5, 2, 11), REACHED_BY_OTHERS);
	ASSERT_EQ(reached_by(&r, 5, 1, 12), REACHED_BY_OTHERS);
	ASSERT_EQ(reached_by(&r, 6, 1, 15), REACHED_BY_OTHERS);
	reached_release(&r);
}

TAP_CASE(random_facts)
{
	for (uint64_t seed = 0; seed < TAP_PART(2000); seed++)
		if (!one_run(seed))
			FAIL("seed %llu", (unsigned long long)seed);
}
