/* SPDX-License-Identifier: MIT */
/*
 * Scripts about a trace: each is refused with a reason, or its assertions get answers or reach a
 * limit. What is proved is an execution that breaks it.
 */
#include "property/property.h"
#include "search/monitor/product.h"
#include "search/run.h"
#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char trace[] = "main begin\n"
			    "main fork t\n"
			    "main mark open 3\n"
			    "main acquire l\n"
			    "main write x 1\n"
			    "main release l\n"
			    "t begin\n"
			    "t acquire l\n"
			    "t mark access 3 load\n"
			    "t read x 1\n"
			    "t release l\n"
			    "t mark access 4 store\n"
			    "t end\n"
			    "main join t\n"
			    "main mark close 3\n"
			    "main end\n";

static const char *const seeds[] = {
	"FILE(f) = open?t!f -> OPENED(f)\nOPENED(f) = access?t!f?k -> OPENED(f) [] close?t!f -> "
	"FILE(f)\nassert ||| f : open_arg1 @ FILE(f) [T= PROGRAM |\\ {|open, access, close|}\n",
	"channel live\nLIVE = live -> LIVE\n"
	"assert LIVE [F= ((PROGRAM [| {endthreads} |> SKIP) \\ Events) ; LIVE\n",
	"assert STOP [T= (PROGRAM [| {|access|} |] WD(access?t!3!load -> SKIP, {|access|})) |\\ "
	"{error}\nassert PROGRAM :[deadlock free]\n",
	"assert CHAOS(Events) [F= (PROGRAM [[ lock <- unlock ]] /\\ open?t?x -> SKIP) ||| SKIP\n",
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (!fuzz_seeds_wanted())
		return 0;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		fuzz_write_seed("script", (int)i, "",
				(struct bytes){(char *)seeds[i], strlen(seeds[i])});
	exit(0);
}

static void decide(const struct index *index, struct monitor *m)
{
	const struct product_options options = {.states = 2000, .budget.bytes = 16 << 20};
	struct run *run = run_new(index, MODEL_VALUES);
	struct witness w = {0};
	struct err err = {0};
	struct monitor_place place;

	switch (product_search(index, MODEL_VALUES, m, &options, &w, &err)) {
	case PROVED: ASSERT(run_accepts(run, &w)); break;
	case UNDECIDED: ASSERT(err.message[0]); break;
	default: break;
	}
	monitor_place(m, monitor_start(m), &place);
	witness_release(&w);
	run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct index *index =
		index_new(reader_open_memory(trace, strlen(trace), "trace", "text", &err), &err);
	struct properties *all = properties_new(index, 16 << 20, &err);

	ASSERT(all);
	if (properties_add_text(all, "script", (const char *)data, size, &err) < 0)
		ASSERT(err.message[0]);
	else
		for (size_t i = 0; i < properties_count(all) && i < 4; i++)
			decide(index, properties_at(all, i)->monitor);
	properties_free(all);
	index_free(index);
	return 0;
}
