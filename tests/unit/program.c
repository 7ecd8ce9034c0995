/* SPDX-License-Identifier: MIT */
/*
 * A trace as a script that defines PROGRAM (property/program.h): what the refinement checker says
 * of it is what brute force says without values, branches and memory
 * (tests/support/naive_program.h); and every feasible execution is one of its traces. SOAK=10000:
 * so many.
 */
#include "property/program.h"

#include "csp/csp.h"
#include "search/explore/stuck.h"
#include "tests/support/explored.h"
#include "tests/support/naive_program.h"
#include "tests/support/naive_property.h"
#include "tests/support/random.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t rounds(uint64_t usual)
{
	const char *soak = getenv("SOAK");

	return soak ? strtoull(soak, NULL, 10) : TAP_PART(usual);
}

struct exported {
	char *trace;
	struct index *index;
	struct properties *names;
	char path[300];
};

/* False: its marks do not fit channels. */
static bool export_random(struct exported *x, uint64_t seed, uint32_t features, uint32_t events)
{
	struct random_trace knobs = random_trace_knobs(seed, events, features);
	const char *build = getenv("BUILD");
	struct err err = {0};

	x->trace = random_trace_make(&knobs);
	tap_at("seed %llu\n%s", (unsigned long long)seed, x->trace);
	x->index = index_of_text(x->trace);
	x->names = properties_new(x->index, 0, &err);
	if (!x->names)
		return false;
	snprintf(x->path, sizeof(x->path), "%s/tests/program-%d.csp", build ? build : "build",
		 (int)getpid());
	struct output *out = output_open(x->path, OUTPUT_REPLACE, &err);

	if (!out || program_write(x->index, out, &err) < 0 || output_close(out, &err) < 0)
		FAIL("%s", err.message);
	return true;
}

static void exported_release(struct exported *x)
{
	properties_free(x->names);
	index_free(x->index);
	free(x->trace);
}

/* The script, with more behind it. */
static struct csp *script_with(const struct exported *x, const char *more)
{
	struct csp *csp = csp_new(&(struct csp_limits){.bytes = (uint64_t)512 << 20});
	struct err err = {0};

	if (csp_read_file(csp, x->path, &err) ||
	    csp_read(csp, "more", more, strlen(more), NULL, &err) || csp_check(csp, &err))
		FAIL("%s\n%s", err.message, more);
	return csp;
}

static bool holds(struct csp *csp, size_t i)
{
	struct csp_answer answer;
	struct err err = {0};

	if (csp_assertion_decide(csp, i, &answer, &err) < 0)
		FAIL("%s: %s", csp_assertion(csp, i).text, err.message);
	return answer.holds;
}

#define SAY_ONE_THING                                                                           \
	(RANDOM_READS | RANDOM_EXPRS | RANDOM_AT | RANDOM_SHARED | RANDOM_TRY |                 \
	 RANDOM_CONDITIONS | RANDOM_BARRIERS | RANDOM_SEMAPHORES | RANDOM_ONCE | RANDOM_ALLOC | \
	 RANDOM_EXTERNAL)

TAP_CASE(the_script_is_what_threads_can_do)
{
	uint64_t asked = 0, deadlocks = 0;

	for (uint64_t seed = 0; seed < rounds(1000); seed++) {
		struct exported x = {0};
		struct naive_program naive = {0};

		if (export_random(&x, seed, SAY_ONE_THING | (seed % 2 ? RANDOM_LOCKY : 0),
				  6 + seed % 12) &&
		    naive_program(x.index, x.names, 1000, &naive)) {
			char *more;
			size_t size;
			FILE *out = open_memstream(&more, &size);

			fprintf(out, "%sassert S0 [T= PROGRAM\nassert PROGRAM [T= S0\n",
				naive.script);
			fclose(out);
			struct csp *csp = script_with(&x, more);
			size_t last = csp_assertion_count(csp) - 1;

			ASSERT_EQ(holds(csp, 0), !naive.deadlock);
			ASSERT_TRUE(holds(csp, last - 1));
			ASSERT_TRUE(holds(csp, last));
			asked++;
			deadlocks += naive.deadlock;
			csp_free(csp);
			free(more);
		}
		free(naive.script);
		exported_release(&x);
	}
	tap_note("%llu asked, %llu with a deadlock", (unsigned long long)asked,
		 (unsigned long long)deadlocks);
	ASSERT_TRUE(asked > rounds(1000) / 3 && deadlocks > asked / 20);
}

/* With scopes, accesses to several variables and all the rest, it does at least that. */
TAP_CASE(feasible_executions_are_traces_of_the_script)
{
	uint64_t asked = 0;

	for (uint64_t seed = 0; seed < rounds(1000); seed++) {
		struct exported x = {0};
		struct intern lines = {0};

		if (export_random(&x, 1000000 + seed,
				  RANDOM_EVERYTHING & ~(uint32_t)(RANDOM_MARKS | RANDOM_SPELLING),
				  6 + seed % 10) &&
		    naive_executions(x.index, MODEL_VALUES, x.names, 300, &lines)) {
			char *more;
			size_t size;
			FILE *out = open_memstream(&more, &size);

			for (uint32_t i = 0; i < lines.strings.n; i++)
				fprintf(out, "%s(%s)",
					i ? "\n  |~| " : "RUNS = ", intern_text(&lines, i));
			fputs("\nassert PROGRAM [T= RUNS\n", out);
			fclose(out);
			struct csp *csp = script_with(&x, more);

			ASSERT_TRUE(holds(csp, csp_assertion_count(csp) - 1));
			asked += lines.strings.n;
			csp_free(csp);
			free(more);
		}
		intern_release(&lines);
		exported_release(&x);
	}
	tap_note("%llu executions", (unsigned long long)asked);
	ASSERT_TRUE(asked > rounds(1000));
}
