/* SPDX-License-Identifier: MIT */
#include "tests/support/explored.h"

#include "base/sorted.h"

#define TAP_WITHOUT_MAIN
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct index *index_of(struct reader *r, struct err *err, const char *what)
{
	struct index *index = r ? index_new(r, err) : NULL;

	if (!index)
		FAIL("%s in\n%s", err->message, what);
	return index;
}

struct index *index_of_text(const char *text)
{
	struct err err = {0};

	return index_of(reader_open_memory(text, strlen(text), "test", "text", &err), &err, text);
}

struct index *index_of_file(const char *path)
{
	struct err err = {0};

	return index_of(reader_open(path, NULL, &err), &err, path);
}

static char *next_buffer(void)
{
	static char buffers[4][4096];
	static unsigned next;
	char *buffer = buffers[next++ % 4];

	buffer[0] = '\0';
	return buffer;
}

/* The events of one finding, ascending, with this between them. */
static void put_finding(char *text, const struct witness *w, char between)
{
	uint64_t events[16];
	size_t n = w->bug_events.n;

	ASSERT_TRUE(n <= 16);
	memcpy(events, w->bug_events.at, n * sizeof(*events));
	qsort(events, n, sizeof(*events), sorted_compare_u64);
	if (*text)
		strcat(text, " ");
	for (size_t i = 0; i < n; i++) {
		if (i)
			strncat(text, &between, 1);
		sprintf(text + strlen(text), "%llu", (unsigned long long)events[i]);
	}
	ASSERT_TRUE(strlen(text) < 4000);
}

const char *races_text(const struct explore_result *result)
{
	char *text = next_buffer();

	for (size_t i = 0; i < result->bugs[BUG_RACE].n; i++)
		put_finding(text, &result->bugs[BUG_RACE].at[i].witness, '-');
	return *text ? text : "-";
}

const char *deadlocks_text(const struct explore_result *result)
{
	char *text = next_buffer();

	for (size_t i = 0; i < result->bugs[BUG_DEADLOCK].n; i++)
		put_finding(text, &result->bugs[BUG_DEADLOCK].at[i].witness, ',');
	return *text ? text : "-";
}

const char *quick_text(const struct order_pairs *quick)
{
	char *text = next_buffer();

	for (size_t i = 0; i < quick->pairs.n; i++)
		sprintf(text + strlen(text), "%s%u-%u", i ? " " : "", quick->pairs.at[i].a,
			quick->pairs.at[i].b);
	return *text ? text : "-";
}

static void check_witnesses(const struct index *index, const struct explore_finding *findings,
			    size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!explore_accepts(index, &findings[i].witness))
			FAIL("the engine rejects its own %s",
			     bug_kind_text[findings[i].witness.bug]);
}

struct order_pairs quick_of(const struct index *index)
{
	struct order_pairs quick = {0};
	struct err err = {0};

	ASSERT_EQ(order_pairs(order_by_name("quick"), index, 0, &quick, &err), 0);
	return quick;
}

static bool is_among(const struct witness *race, const struct order_pairs *quick)
{
	for (size_t i = 0; i < quick->pairs.n; i++)
		if (quick->pairs.at[i].a == race->bug_events.at[0] &&
		    quick->pairs.at[i].b == race->bug_events.at[1])
			return true;
	return false;
}

struct explore_result explored(const struct index *index, enum model model)
{
	const struct explore_limits no_limits = {0};
	struct explore_result result;
	struct err err = {0};
	struct order_pairs quick = quick_of(index);

	if (explore(index, model, &no_limits, &result, &err) < 0)
		FAIL("%s", err.message);
	for (int bug = 0; bug < BUG_COUNT; bug++)
		check_witnesses(index, result.bugs[bug].at, result.bugs[bug].n);
	for (size_t i = 0; i < result.bugs[BUG_RACE].n; i++)
		ASSERT_TRUE(is_among(&result.bugs[BUG_RACE].at[i].witness, &quick));
	ASSERT_TRUE(result.proper >= 1 && result.proper <= result.executions);
	vec_release(&quick.pairs);
	return result;
}

void expect_bugs(const char *file, int line, const char *trace, enum model model, const char *races,
		 const char *deadlocks, bool stuck)
{
	struct index *index = index_of_text(trace);
	struct explore_result result = explored(index, model);

	tap_str_eq(file, line, "races", races_text(&result), races);
	tap_str_eq(file, line, "deadlocks", deadlocks_text(&result), deadlocks);
	tap_eq(file, line, "stuck", result.bugs[BUG_STUCK].n > 0, stuck);
	explore_result_release(&result);
	index_free(index);
}

void expect_proper(const char *file, int line, const char *trace, enum model model, uint64_t proper)
{
	struct index *index = index_of_text(trace);
	struct explore_result result = explored(index, model);

	tap_eq(file, line, "proper executions", (intmax_t)result.proper, (intmax_t)proper);
	explore_result_release(&result);
	index_free(index);
}
