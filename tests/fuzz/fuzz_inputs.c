/* SPDX-License-Identifier: MIT */
/* Inputs as they stand in a trace: facts, a line each. What is read adds up; the rest is refused.
 */
#include "record/inputs.h"
#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two inputs of a thread, standard input, and what is in no trace. */
static const char *const seeds[] = {
	"stdin 6 KLUv/SAGMQAAMzdhYmNk\n1 16 KLUv/SAQgQAAFAAAAAAAAAAGAAAAAAAAAA==\n",
	"stdin 0 KLUv/SAAAQAA\n",
	"0 3 KLUv/SADGQAAYWJj\n",
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (!fuzz_seeds_wanted())
		return 0;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		fuzz_write_seed("facts", (int)i, "",
				(struct bytes){(char *)seeds[i], strlen(seeds[i])});
	exit(0);
}

static void add_facts(struct symbols *symbols, const char *data, size_t size)
{
	while (size) {
		const char *end = memchr(data, '\n', size);
		size_t length = end ? (size_t)(end - data) : size;
		size_t step = length + (end ? 1 : 0);

		symbols_add_meta(symbols, INPUTS_KEY, strlen(INPUTS_KEY), data, length);
		data += step;
		size -= step;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct inputs_count counts[INPUT_COUNT];
	struct symbols symbols;
	struct inputs in;
	struct err err;
	uint64_t bytes = 0, held = 0;

	symbols_init(&symbols);
	add_facts(&symbols, (const char *)data, size);
	if (inputs_read(&in, &symbols, "trace", &err) == 0) {
		inputs_count(&in, counts);
		for (int i = 0; i < INPUT_COUNT; i++)
			bytes += counts[i].bytes + counts[i].calls * sizeof(struct log_input);
		for (size_t i = 0; i < in.threads.n; i++)
			held += in.threads.at[i].n;
		ASSERT(bytes <= held);
	}
	inputs_release(&in);
	symbols_release(&symbols);
	return 0;
}
