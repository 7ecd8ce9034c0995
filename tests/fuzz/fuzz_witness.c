/* SPDX-License-Identifier: MIT */
/*
 * Witnesses: read, written and read again, and judged for a few small traces by the certifier
 * and by the engine, which have to agree.
 */
#include "base/err.h"
#include "search/explore/explore.h"
#include "tests/support/fuzz.h"
#include "witness/certify.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const traces[] = {
	"t1 fork t2\nt1 acquire l\nt1 write x 1\nt1 write y 1\nt1 release l\nt2 begin\n"
	"t2 acquire l\nt2 read y 1\nt2 release l\nt2 read x 1\nt2 branch\nt2 write z 1\nt2 end\n"
	"t1 join t2\nt1 read z 1\nt1 branch\n",
	"t1 fork t2\nt2 begin\nt2 acquire m\nt2 acquire p\nt2 release p\nt2 release m\n"
	"t1 acquire p\nt1 acquire m\nt1 release m\nt1 release p\nt2 end\nt1 join t2\nt1 end\n",
	"sem s 1\nbarrier b 2\na acquire l\na wait c l\nd acquire l\nd mark m 1\nd signal c\n"
	"d release l\na woken c l by=5\na release l\na barrier-enter b\nd barrier-enter b\n"
	"d barrier-exit b\na barrier-exit b\na sem-wait s\nd sem-fail s\na sem-post s\n"
	"d rmw x 0 1 = (+ %16 1)\na read x 1\na branch if (= %17 1)\na mark m 2\na end\nd end\n",
};

#define TRACES (sizeof(traces) / sizeof(*traces))

static struct index *indexes[TRACES];

static struct reader *open_trace(size_t i)
{
	struct err err;
	struct reader *r = reader_open_memory(traces[i], strlen(traces[i]), "trace", "text", &err);

	ASSERT(r);
	return r;
}

static void write_finding(const struct explore_finding *finding, int *number)
{
	struct memory_output m;

	witness_write(&finding->witness, memory_output_open(&m));
	struct bytes seed = memory_output_take(&m);

	fuzz_write_seed("finding", ++*number, "", seed);
	bytes_release(&seed);
}

static void write_seeds(void)
{
	struct explore_limits limits = {0};
	struct explore_result found;
	struct err err;
	int number = 0;

	for (size_t i = 0; i < TRACES; i++) {
		for (int model = 0; model < MODEL_COUNT; model++) {
			ASSERT(explore(indexes[i], model, &limits, &found, &err) == 0);
			for (int bug = 0; bug < BUG_COUNT; bug++)
				for (size_t k = 0; k < found.bugs[bug].n; k++)
					write_finding(&found.bugs[bug].at[k], &number);
			explore_result_release(&found);
		}
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct err err;

	(void)argc, (void)argv;
	for (size_t i = 0; i < TRACES; i++) {
		indexes[i] = index_new(open_trace(i), &err);
		ASSERT(indexes[i]);
	}
	if (fuzz_seeds_wanted()) {
		write_seeds();
		exit(0);
	}
	return 0;
}

static bool read_witness(struct witness *w, const void *data, size_t size)
{
	struct input *in = input_open_memory(data, size, "witness");
	struct err err;
	int code = witness_read(w, in, &err);

	input_close(in);
	return code >= 0;
}

static bool same_numbers(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
	return a_count == b_count && (!a_count || !memcmp(a, b, a_count * sizeof(*a)));
}

#define SAME(a, b) same_numbers((a).at, (a).n, (b).at, (b).n)

static void write_and_read(const struct witness *w)
{
	struct memory_output m;
	struct witness again;

	witness_write(w, memory_output_open(&m));
	struct bytes text = memory_output_take(&m);

	ASSERT(read_witness(&again, text.at, text.n));
	ASSERT(again.model == w->model && again.bug == w->bug);
	ASSERT(SAME(again.bug_events, w->bug_events));
	ASSERT(SAME(again.run, w->run) && SAME(again.rest, w->rest));
	bytes_release(&text);
	witness_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct witness w;
	struct err err;

	if (read_witness(&w, data, size)) {
		write_and_read(&w);
		for (size_t i = 0; i < TRACES; i++) {
			struct reader *r = open_trace(i);
			int certified = certify(r, &w, &err);

			ASSERT(certified >= 0);
			ASSERT(certified == explore_accepts(indexes[i], &w));
			reader_close(r);
		}
	}
	witness_release(&w);
	return 0;
}
