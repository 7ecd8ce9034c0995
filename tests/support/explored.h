/* SPDX-License-Identifier: MIT */
/*
 * Small traces through the exhaustive engine, for tests: every result is checked for what
 * holds of any (the engine accepts its own witnesses, races are among those of quick), and
 * given as text: "3-10 12-15", "2,6,10", "-" for none.
 */
#ifndef SUPPORT_EXPLORED_H
#define SUPPORT_EXPLORED_H

#include "order/order.h"
#include "search/explore/explore.h"

/* The test fails if the trace is bad. */
struct index *index_of_text(const char *text);
struct index *index_of_file(const char *path);

struct explore_result explored(const struct index *index, enum model model);
struct order_pairs quick_of(const struct index *index);

/* These live until the next call but three. */
const char *races_text(const struct explore_result *result);
const char *deadlocks_text(const struct explore_result *result);
const char *quick_text(const struct order_pairs *quick);

void expect_bugs(const char *file, int line, const char *trace, enum model model, const char *races,
		 const char *deadlocks, bool stuck);
void expect_proper(const char *file, int line, const char *trace, enum model model,
		   uint64_t proper);

/* What a trace, as text, has under a model; how many executions that cannot go on. */
#define EXPECT(trace, model, races, deadlocks, stuck) \
	expect_bugs(__FILE__, __LINE__, trace, model, races, deadlocks, stuck)
#define EXPECT_RACES(trace, model, races) EXPECT(trace, model, races, "-", false)
#define EXPECT_PROPER(trace, model, proper) expect_proper(__FILE__, __LINE__, trace, model, proper)

#endif
