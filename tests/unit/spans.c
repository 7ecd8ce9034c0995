/* SPDX-License-Identifier: MIT */
/* Sets of addresses, against an array of flags. */
#include "base/spans.h"

#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SPACE 40

static bool same(const struct spans *s, const bool *in)
{
	for (uint32_t a = 0; a < SPACE; a++) {
		bool meets = false;

		for (uint32_t size = 0; a + size <= SPACE; size++) {
			if (size)
				meets |= in[a + size - 1];
			if (spans_meet(s, a, size) != meets)
				return false;
		}
	}
	return true;
}

TAP_CASE(spans_are_the_set_that_was_put_together)
{
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct random r = random_seeded(seed);
		struct spans s = {0};
		bool in[SPACE] = {false};

		for (int step = 0; step < 30; step++) {
			uint32_t from = random_below(&r, SPACE);
			uint32_t size = random_below(&r, SPACE - from + 1);
			bool add = random_percent(&r, 50);

			(add ? spans_add : spans_remove)(&s, from, size);
			for (uint32_t a = from; a < from + size; a++)
				in[a] = add;
			ASSERT_TRUE(same(&s, in));
		}
		spans_release(&s);
	}
}

TAP_CASE(a_span_ends_at_the_last_address)
{
	struct spans s = {0};

	spans_add(&s, UINT64_MAX - 10, 100);
	ASSERT_TRUE(spans_meet(&s, UINT64_MAX - 1, 8));
	spans_remove(&s, UINT64_MAX - 5, UINT64_MAX);
	ASSERT_FALSE(spans_meet(&s, UINT64_MAX - 5, 8));
	ASSERT_TRUE(spans_meet(&s, 0, UINT64_MAX));
	spans_release(&s);
}
