/* SPDX-License-Identifier: MIT */
/* Norn's text format. */
#include "tests/support/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	if (fuzz_seeds_wanted()) {
		fuzz_write_traces("text");
		exit(0);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_trace(data, size, "text");
	fuzz_rewrite(data, size, "text");
	return 0;
}
