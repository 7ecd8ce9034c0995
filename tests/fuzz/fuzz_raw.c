/* SPDX-License-Identifier: MIT */
/*
 * The merge: whatever a log says, its trace is consistent. The input is pieces, each a byte for
 * the thread, a byte for how many words, and these; a piece goes to the end of the thread's log.
 */
#include "record/record.h"
#include "tests/support/fuzz.h"
#include "tests/support/raw_maker.h"
#include "trace/check.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 4

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_seed(int number)
{
	struct raw_knobs knobs = {.seed = (uint64_t)number,
				  .threads = 1 + (uint32_t)number % THREADS,
				  .steps = 60,
				  .words = 6,
				  .unseen = number % 2};
	struct raw_run *run = raw_run_make(&knobs);
	struct bytes seed = {.at = mem_alloc(1 << 20)};
	bool damaged = false;

	for (uint32_t t = 0; t < run->threads; t++) {
		const uint64_t *w = run->files[t].words.at, *end;
		uint32_t words;

		if (!w)
			continue; /* nobody forked it */
		end = w + RAW_BLOCK_WORDS;
		for (w += RAW_HEAD_WORDS; (words = raw_record_words(w, end, &damaged));
		     w += words) {
			seed.at[seed.n++] = (char)t;
			seed.at[seed.n++] = (char)words;
			memcpy(seed.at + seed.n, w, words * 8);
			seed.n += words * 8;
		}
	}
	fuzz_write_seed("raw", number, "", seed);
	mem_free(seed.at);
	raw_run_free(run);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (!fuzz_seeds_wanted())
		return 0;
	for (int i = 0; i < 40; i++)
		write_seed(i);
	exit(0);
}

static void check_trace(struct bytes trace)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(trace.at, trace.n, "made", NULL, &err);
	uint64_t events;

	if (r && reader_cut(r))
		BUG("a trace that is cut short");
	if (!r || check_reader(r, &events, &err) < 0) {
		if (strstr(err.message, "no events"))
			return;
		BUG(err.message);
	}
	reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t logs[THREADS][RAW_BLOCK_WORDS];
	size_t used[THREADS];
	struct raw_log log = {
		.run = {.magic = LOG_MAGIC, .version = LOG_VERSION, .marks = size % 4 < 2}};
	struct record_options options = {.keep_all = size % 2};
	struct record_input in = {.log = &log, .modules = ""};
	struct record_result result;
	struct memory_output to;
	struct err err = {0};

	memset(logs, 0, sizeof(logs));
	for (uint32_t t = 0; t < THREADS; t++) {
		struct log_block head = {.magic = LOG_MAGIC, .thread = t, .time = 1 + t};

		memcpy(logs[t], &head, sizeof(head));
		used[t] = RAW_HEAD_WORDS;
	}
	while (size >= 2) {
		uint32_t t = data[0] % THREADS, words = data[1];

		data += 2;
		size -= 2;
		if (words > size / 8)
			words = (uint32_t)(size / 8);
		if (used[t] + words > RAW_BLOCK_WORDS)
			break;
		memcpy(logs[t] + used[t], data, words * 8);
		used[t] += words;
		data += words * 8;
		size -= words * 8;
	}
	for (uint32_t t = 0; t < THREADS; t++)
		raw_lend(&log, t, logs[t], LOG_BLOCK);
	struct output *out = memory_output_open(&to);

	if (record_merge(&in, &options, NULL, out, &result, &err) < 0)
		BUG(err.message);
	struct bytes trace = memory_output_take(&to);

	check_trace(trace);
	bytes_release(&trace);
	raw_release(&log);
	return 0;
}
