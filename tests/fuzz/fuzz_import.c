/* SPDX-License-Identifier: MIT */
/* The other importers: the first byte picks one, or leaves it to the content. */
#include "tests/support/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
	const char *format; /* NULL: by content */
	const char *seed;
} importers[] = {
	{"rapid-csv", "tests/import/sample.csv"},
	{"roadrunner", "tests/import/sample.rr"},
	{"focs", "tests/import/sample.focs"},
	{NULL, "tests/import/sample.std"},
};

#define IMPORTERS (sizeof(importers) / sizeof(*importers))

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	for (size_t i = 0; fuzz_seeds_wanted() && i < IMPORTERS; i++) {
		struct bytes seed = bytes_of_file(importers[i].seed);
		char pick[2] = {(char)('0' + i), '\0'};

		fuzz_write_seed("sample", (int)i, pick, seed);
		bytes_release(&seed);
	}
	if (fuzz_seeds_wanted())
		exit(0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size)
		fuzz_trace(data + 1, size - 1, importers[data[0] % IMPORTERS].format);
	return 0;
}
